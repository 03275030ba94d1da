//! [`Row`]: what is computed for one target.

/// A velocity, the logarithm of its kernel mass, and bounds on its error; see [`DriftField`](crate::DriftField).
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<const D: usize> {
    /// `v`.
    pub velocity: [f64; D],
    /// `ln Σ_j ω_j w_j`.
    pub log_mass: f64,
    /// Bound on what leaving out terms did to `v`.
    pub truncation: f64,
    /// Bound on what rounding did to `v`.
    pub rounding: f64,
}

impl<const D: usize> Default for Row<D> {
    fn default() -> Self {
        Self { velocity: [0.0; D], log_mass: 0.0, truncation: 0.0, rounding: 0.0 }
    }
}
