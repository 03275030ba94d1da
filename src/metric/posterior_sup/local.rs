//! A posterior mean near a point: affine up to a remainder.

use nalgebra::DMatrix;

use crate::error::Result;

/// `|m(c + h) − mean − jacobian·h| ≤ remainder` for all `|h| ≤ ρ`.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalMean<const D: usize> {
    pub(super) mean: [f64; D],
    pub(super) jacobian: [[f64; D]; D],
    pub(super) remainder: f64,
}

/// A posterior mean that can be bounded near a point.
pub(super) trait Posterior<const D: usize>: Sync {
    /// The posterior mean on the ball of radius `ρ` about `centre`.
    fn near(&self, centre: &[f64; D], radius: f64) -> Result<LocalMean<D>>;
}

/// What the remainder is made of: the posterior at the centre, and moments of it under the weight `e^{a|X|}`.
pub(super) struct Tilt {
    /// `a = ρ/τ`.
    pub(super) rate: f64,
    /// `‖Cov(c)‖`.
    pub(super) variance: f64,
    /// `sup_u E[⟨u,X⟩² e^{a|X|}]`, or more.
    pub(super) second: f64,
    /// `sup_u E[|⟨u,X⟩|³ e^{a|X|}]`, or more.
    pub(super) third: f64,
}

impl Tilt {
    /// The bound of `|r|`: of second order, or of first order where that is smaller.
    pub(super) fn remainder(&self) -> f64 {
        let a = self.rate;
        if a == 0.0 {
            return 0.0;
        }
        let second_order = 0.5 * a * a * (self.third + a * self.variance * self.second);
        let first_order = a * (self.second + self.variance);
        // Where a moment overflows nothing is known, and a NaN must not pass for knowledge.
        let bound = second_order.min(first_order);
        if bound.is_nan() { f64::INFINITY } else { bound }
    }
}

/// The largest eigenvalue of a symmetric matrix of dimension up to three, or a little more; infinite if an entry overflowed.
pub(super) fn largest_eigenvalue<const D: usize>(matrix: &[[f64; D]; D]) -> f64 {
    let matrix = DMatrix::from_fn(D, D, |i, j| matrix[i][j]);
    if matrix.iter().any(|x| !x.is_finite()) {
        return f64::INFINITY;
    }
    let scale = matrix.amax();
    if scale == 0.0 {
        return 0.0;
    }
    scale * (matrix / scale).symmetric_eigenvalues().max() * (1.0 + 16.0 * f64::EPSILON)
}
