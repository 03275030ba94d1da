//! [`Row`]: what is computed for one target.

/// A velocity, the logarithm of its kernel mass, and bounds on its error; see [`DriftField`](crate::DriftField).
///
/// Rows are kept as `D + 3` consecutive numbers, so that one cache line brings all of them.
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

impl<const D: usize> Row<D> {
    /// Numbers that a row takes.
    pub const LENGTH: usize = D + 3;

    /// Reads a row.
    #[inline(always)]
    pub fn load(numbers: &[f64]) -> Self {
        let mut velocity = [0.0; D];
        velocity.copy_from_slice(&numbers[..D]);
        Self { velocity, log_mass: numbers[D], truncation: numbers[D + 1], rounding: numbers[D + 2] }
    }

    /// Writes a row.
    #[inline(always)]
    pub fn store(&self, numbers: &mut [f64]) {
        numbers[..D].copy_from_slice(&self.velocity);
        numbers[D] = self.log_mass;
        numbers[D + 1] = self.truncation;
        numbers[D + 2] = self.rounding;
    }
}
