//! Linear least squares with few parameters: coefficients and their covariance.

use nalgebra::{DMatrix, DVector};

use crate::error::{Error, Result};
use crate::metric::interval::{Confidence, Interval};

/// Columns whose part orthogonal to the others is below this share of them determine nothing.
const DEPENDENT: f64 = 1e-12;

/// A fitted linear model.
pub(super) struct LinearFit {
    pub(super) coefficients: DVector<f64>,
    /// Sum of squared residuals.
    pub(super) residual: f64,
    /// `(XᵀX)⁻¹`.
    inverse_gram: DMatrix<f64>,
    freedom: usize,
}

impl LinearFit {
    /// Minimises `|y − Xc|²` by a QR decomposition; rows of `X` are observations.
    pub(super) fn new(design: DMatrix<f64>, y: &DVector<f64>) -> Result<Self> {
        let freedom = design.nrows().saturating_sub(design.ncols());
        let qr = design.clone().qr();
        let (q, r) = (qr.q(), qr.r());
        let scale = design.column_iter().map(|c| c.norm()).fold(0.0, f64::max);
        let degenerate = r.diagonal().iter().any(|x| x.abs() <= DEPENDENT * scale);
        let inverse = if degenerate { None } else { r.try_inverse() };
        let Some(inverse) = inverse else {
            return Err(Error::Fit {
                problem: "the sizes do not tell the parameters apart; spread them".into(),
            });
        };
        let coefficients = &inverse * q.tr_mul(y);
        let residual = (y - &design * &coefficients).norm_squared();
        Ok(Self { coefficients, residual, inverse_gram: &inverse * inverse.transpose(), freedom })
    }

    /// Degrees of freedom: observations beyond the parameters.
    pub(super) fn freedom(&self) -> usize {
        self.freedom
    }

    /// The covariance of the coefficients, its scale estimated from the residuals.
    pub(super) fn covariance(&self) -> DMatrix<f64> {
        &self.inverse_gram * (self.residual / self.freedom as f64)
    }

    /// A linear combination of the coefficients.
    pub(super) fn value(&self, combination: &[f64]) -> f64 {
        self.coefficients.iter().zip(combination).map(|(c, k)| c * k).sum()
    }

    /// How far a linear combination of the coefficients may go to either side of its best value until the squared residuals amount to `limit`.
    pub(super) fn room(&self, combination: &[f64], limit: f64) -> f64 {
        let combination = DVector::from_column_slice(combination);
        let spread = (combination.transpose() * &self.inverse_gram * &combination)[(0, 0)];
        ((limit - self.residual).max(0.0) * spread.max(0.0)).sqrt()
    }

    /// The interval of a linear combination of the coefficients.
    pub(super) fn interval(&self, combination: &[f64], confidence: Confidence) -> Interval {
        let combination = DVector::from_column_slice(combination);
        let variance = (combination.transpose() * self.covariance() * &combination)[(0, 0)];
        let estimate = combination.dot(&self.coefficients);
        Interval::student(estimate, variance.max(0.0).sqrt(), self.freedom, confidence)
    }
}
