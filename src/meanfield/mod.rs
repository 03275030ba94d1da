//! The mean field itself, `N = ∞`, without sampling noise: the law flows as weighted quadrature nodes.

mod evolution;
mod gauss;
mod grading;
mod image;
mod line;
mod march;
mod plane;
mod quadrature;
mod refine;
mod spacing;
mod stencil;

pub use evolution::{Estimate, Evolution, PosteriorMean, State};
pub use quadrature::{Answer, QuadratureCloud};

use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::law::Law;
use crate::scale::{BallRadius, Beta, NoiseVariance, RawTime};

/// A mean-field problem: prior, noise, inverse temperature, and perhaps a ball to which the noisy law is truncated.
#[derive(Debug, Clone)]
pub struct MeanField {
    law: Law,
    noise: NoiseVariance,
    beta: Beta,
    radius: Option<BallRadius>,
    accuracy: Option<f64>,
}

impl MeanField {
    /// The flow that starts from `f0 = γ_τ * P0`.
    pub fn new(law: Law, noise: NoiseVariance, beta: Beta) -> Self {
        Self { law, noise, beta, radius: None, accuracy: None }
    }

    /// Starts from `f0` conditioned on the ball of radius `R`.
    pub fn truncated_to(self, radius: BallRadius) -> Self {
        Self { radius: Some(radius), ..self }
    }

    /// Asks for an accuracy in `W1`, relative to the standard deviation of `f0`; without it, as much as pays.
    pub fn with_accuracy(self, accuracy: f64) -> Result<Self> {
        if !(accuracy > 0.0 && accuracy.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "accuracy",
                value: accuracy,
                requirement: "a positive finite number",
            });
        }
        Ok(Self { accuracy: Some(accuracy), ..self })
    }

    /// The prior `P0`.
    pub fn law(&self) -> &Law {
        &self.law
    }

    /// The noise variance `τ`.
    pub fn noise(&self) -> NoiseVariance {
        self.noise
    }

    /// The inverse temperature `β`.
    pub fn beta(&self) -> Beta {
        self.beta
    }

    /// Follows the law to the given times.
    pub fn evolve(&self, times: &[RawTime], drift: &dyn Drift) -> Result<Evolution> {
        refine::evolve(self, times, drift)
    }
}
