//! [`Setting`]: a Gaussian prior turned in space, with noise and an inverse temperature.

use nalgebra::{DMatrix, DVector};

use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::law::{Gaussian, Law};
use crate::scale::{Beta, NoiseVariance, RawTime};

/// Angle by which neighbouring axes are turned into each other: no axis stays where it was.
const ANGLE: f64 = 0.6;
/// Coordinates of the mean, which is nowhere special.
const MEAN: [f64; 3] = [0.3, -0.2, 0.1];

/// Rounding of a diagonalisation, relative to the largest entry.
pub(super) const DIAGONALISED: f64 = 16.0 * f64::EPSILON;

/// A Gaussian prior, noise, and an inverse temperature.
#[derive(Debug, Clone, Copy)]
pub(in crate::claim) struct Setting {
    /// Variances of the prior along its axes, one per dimension, at most three.
    pub variances: &'static [f64],
    /// The noise variance `τ`.
    pub noise: f64,
    /// The inverse temperature `β`.
    pub beta: f64,
}

impl Setting {
    /// What sets it apart, for people.
    pub fn name(&self) -> String {
        let Self { variances, noise, beta } = self;
        let turned = if variances.len() > 1 { ", rotated" } else { "" };
        let list: Vec<String> = variances.iter().map(f64::to_string).collect();
        format!("d = {}, Σ0 = ({}){turned}, τ = {noise}, β = {beta}", variances.len(), list.join(", "))
    }

    pub fn beta(&self) -> Result<Beta> {
        Beta::new(self.beta)
    }

    pub fn noise(&self) -> Result<NoiseVariance> {
        NoiseVariance::new(self.noise)
    }

    /// So many denoising horizons `βτ/2`.
    pub fn horizons(&self, count: f64) -> Result<RawTime> {
        RawTime::new(count * 0.5 * self.beta * self.noise)
    }

    /// The prior as a law.
    pub fn prior(&self) -> Result<Law> {
        Ok(Law::Gaussian(self.gaussian()?))
    }

    /// The prior `N(m, Σ0)`.
    pub fn gaussian(&self) -> Result<Gaussian> {
        let d = self.variances.len();
        let axes = axes(d);
        let covariance =
            &axes * DMatrix::from_diagonal(&DVector::from_row_slice(self.variances)) * axes.transpose();
        // Rounding leaves it a little asymmetric.
        let covariance = 0.5 * (&covariance + covariance.transpose());
        Gaussian::new(MEAN[..d].to_vec(), covariance)
    }

    /// The flow of the covariance.
    pub fn flow(&self) -> Result<CovarianceFlow> {
        let prior = self.prior()?;
        CovarianceFlow::of_prior(prior.mean(), prior.covariance(), self.noise()?, self.beta()?)
    }
}

/// Orthonormal axes, as columns.
fn axes(d: usize) -> DMatrix<f64> {
    let (sin, cos) = ANGLE.sin_cos();
    (1..d).fold(DMatrix::identity(d, d), |axes, i| {
        let mut turn = DMatrix::identity(d, d);
        (turn[(i - 1, i - 1)], turn[(i - 1, i)], turn[(i, i - 1)], turn[(i, i)]) = (cos, -sin, sin, cos);
        axes * turn
    })
}

/// What rounding of `λ0` does to `λ(t)`: `∂λ/∂λ0 = (λ/λ0)(1 + βλ0)/(1 + βλ)`.
pub(super) fn conditioning(flow: &CovarianceFlow, i: usize, value: f64) -> f64 {
    let (beta, start) = (flow.beta().get(), flow.initial_eigenvalues());
    let growth = value / start[i] * (1.0 + beta * start[i]) / (1.0 + beta * value);
    DIAGONALISED * start.amax() * growth
}
