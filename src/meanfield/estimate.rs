//! [`Estimate`]: a value with its error bar.

/// A value and an estimate of its error: not a bound, but measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate<T> {
    /// The value, from the finer of two resolutions.
    pub value: T,
    /// Estimate of its error, in the largest component.
    pub error: f64,
}

impl<T> Estimate<T> {
    /// The same error bar around what becomes of the value.
    pub(super) fn map<U>(self, f: impl FnOnce(T) -> U) -> Estimate<U> {
        Estimate { value: f(self.value), error: self.error }
    }
}
