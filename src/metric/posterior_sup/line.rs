//! The posterior of a log-concave law on the line: Laplace and uniform, noise folded in or not.
//!
//! # Formula
//! With a log-concave prior the posterior density is `e^{−V}`, `V'' ≥ 1/τ`, so it is the image of `N(0, τ)` under a contraction (Caffarelli).
//! Hence, for `X` and an independent copy `X'`, `0 ≤ m' = Var/τ ≤ 1` and
//! ```text
//! |m''| = |κ₃|/τ² ≤ E|X − X'|³/τ² ≤ τ^{−1/2} E|ζ − ζ'|³ = 8/√(πτ)
//! ```
//! For the slope `J` of the chord over `[c − ρ, c + ρ]` this gives `|m(c + h) − m(c) − Jh| ≤ 8ρ²/√(πτ)`; monotonicity alone bounds it by
//! the largest rise of either.

use std::f64::consts::PI;

use super::local::{LocalMean, Posterior};
use crate::error::Result;
use crate::law::{BayesOracle, Law};
use crate::scale::NoiseVariance;

/// Rounding of a posterior mean relative to the coordinates.
const ROUNDOFF: f64 = 64.0 * f64::EPSILON;

/// A log-concave law on the line.
pub(super) struct LogConcave {
    law: Law,
    noise: NoiseVariance,
}

impl LogConcave {
    pub(super) fn new(law: Law, noise: NoiseVariance) -> Self {
        Self { law, noise }
    }

    fn mean(&self, y: f64) -> Result<f64> {
        Ok(self.law.posterior_mean(&[y], self.noise)?[0])
    }
}

/// The law lives on the line, so `D` is one.
impl<const D: usize> Posterior<D> for LogConcave {
    fn near(&self, centre: &[f64; D], radius: f64) -> Result<LocalMean<D>> {
        let (c, mean) = (centre[0], self.mean(centre[0])?);
        let (left, right) = (self.mean(c - radius)?, self.mean(c + radius)?);
        let slope = if radius > 0.0 { (right - left) / (2.0 * radius) } else { 0.0 };
        let monotone = (mean - left).max(right - mean).max(slope * radius);
        let smooth = 8.0 / (PI * self.noise.get()).sqrt() * radius * radius;
        let rounding = ROUNDOFF * (c.abs() + radius + mean.abs());
        Ok(LocalMean {
            mean: [mean; D],
            jacobian: [[slope; D]; D],
            remainder: monotone.min(smooth) + rounding,
        })
    }
}
