//! Both stages in one call: noisy tokens in, posterior-mean estimates out.
//!
//! Stage 1 runs the flow for the denoising horizon `T_β = βτ/2` from the tokens, or from those in a ball; Stage 2 averages
//! the refined particles for every token, inside the ball or not. With layers this is Algorithm 1, with an adaptive
//! integrator Algorithm 2, with a radius Algorithm 3.
//!
//! | file | holds |
//! |---|---|
//! | [`Denoiser`], [`denoise()`] | both stages, with every choice they leave |
//! | [`Tuner`] | `β` and the depth from the tokens alone, by Stein's unbiased risk estimate |
//! | [`Neighbours`] | how many others a token sees |
//!
//! # Paper
//! `alg:two_stage_multilayer_attn`, `alg:full-sample-sequential-posterior`, `alg:truncated-sequential-posterior`

mod neighbours;
mod risk;
mod side_by_side;
#[cfg(test)]
mod tests;
mod tuning;

use std::sync::Arc;

pub use neighbours::Neighbours;
pub use tuning::{Risk, Tried, Tuner, Tuning};

use crate::cloud::Cloud;
use crate::drift::{Auto, Drift};
use crate::error::Result;
use crate::flow::{Flow, Integrator, Time, Trajectory};
use crate::gauge::Gauge;
use crate::posterior::{Inference, ParticlePrior};
use crate::scale::{BallRadius, Beta, NoiseVariance};

/// The posterior means of noisy tokens: row `i` of the result is the estimate for token `i`.
///
/// [`Denoiser`] says more about them, and can be told how to get there.
///
/// ```
/// use ebflow::{Beta, Cloud, NoiseVariance};
/// let tokens = Cloud::new(vec![-1.2, -0.9, -1.0, 0.8, 1.1, 0.9], 1)?;
/// let estimates = ebflow::denoise(&tokens, NoiseVariance::new(0.1)?, Beta::new(20.0)?)?;
/// assert!((estimates.points()[0] + 1.0).abs() < 0.1);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn denoise(tokens: &Cloud, noise: NoiseVariance, beta: Beta) -> Result<Cloud> {
    Ok(Denoiser::new(noise, beta).denoise(tokens)?.inference.mean)
}

/// The two-stage denoiser, with every choice that it leaves.
///
/// ```
/// use ebflow::denoise::Denoiser;
/// use ebflow::flow::Layers;
/// use ebflow::{BallRadius, Beta, Cloud, NoiseVariance};
/// let tokens = Cloud::new(vec![-1.2, -0.9, -1.0, 0.8, 1.1, 0.9, 7.0], 1)?;
/// let denoised = Denoiser::new(NoiseVariance::new(0.1)?, Beta::new(20.0)?)
///     .with_integrator(Layers::new(50)?)
///     .truncated_to(BallRadius::new(2.0)?)
///     .denoise(&tokens)?;
/// assert_eq!(denoised.trajectory.end.len(), 6); // the particles
/// assert_eq!(denoised.inference.mean.len(), 7); // the estimates
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Clone)]
pub struct Denoiser<'a> {
    noise: NoiseVariance,
    radius: Option<BallRadius>,
    drift: Arc<dyn Drift + 'a>,
    flow: Flow<'a>,
}

/// What the denoiser returns.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Denoised {
    /// Stage 1: the refined particles are `trajectory.end`.
    pub trajectory: Trajectory,
    /// Stage 2: the estimates are `inference.mean`, one row per token.
    pub inference: Inference,
}

impl<'a> Denoiser<'a> {
    /// Denoises with inverse temperature `beta` in Stage 1, up to the denoising horizon; drift and integrator are those of [`Flow::new`].
    pub fn new(noise: NoiseVariance, beta: Beta) -> Self {
        let flow = Flow::new(beta, noise.denoising_horizon());
        Self { noise, radius: None, drift: Arc::new(Auto::default()), flow }
    }

    /// Runs Stage 1 up to another depth than the denoising horizon.
    pub fn up_to(self, depth: impl Into<Time>) -> Self {
        Self { flow: self.flow.up_to(depth), ..self }
    }

    /// Confines the initial particles to a ball, if one is given.
    pub fn truncated_to(self, radius: impl Into<Option<BallRadius>>) -> Self {
        Self { radius: radius.into(), ..self }
    }

    /// Evaluates the kernel sums of both stages this way.
    pub fn with_drift(self, drift: impl Drift + 'a) -> Self {
        let drift: Arc<dyn Drift + 'a> = Arc::new(drift);
        Self { flow: self.flow.with_shared_drift(Arc::clone(&drift)), drift, ..self }
    }

    /// Follows Stage 1 in time this way.
    pub fn with_integrator(self, integrator: impl Integrator + 'a) -> Self {
        Self { flow: self.flow.with_integrator(integrator), ..self }
    }

    /// Asks for the particles at more times, as [`Flow::with_snapshots`].
    pub fn with_snapshots<T: Into<Time>>(self, times: impl IntoIterator<Item = T>) -> Self {
        Self { flow: self.flow.with_snapshots(times), ..self }
    }

    /// Asks for an estimate of the error of Stage 1.
    pub fn with_error_estimate(self) -> Self {
        Self { flow: self.flow.with_error_estimate(), ..self }
    }

    /// Asks for a bound on the error of Stage 1, as [`Flow::with_error_bound`].
    pub fn with_error_bound(self) -> Self {
        Self { flow: self.flow.with_error_bound(), ..self }
    }

    /// Shows on a gauge how far Stage 1 is, as [`Flow::with_gauge`].
    pub fn with_gauge(self, gauge: &Gauge) -> Self {
        Self { flow: self.flow.with_gauge(gauge), ..self }
    }

    /// Denoises every token.
    pub fn denoise(&self, tokens: &Cloud) -> Result<Denoised> {
        let trajectory = self.stage_one(tokens)?;
        let inference = self.stage_two(&trajectory.end, tokens)?;
        Ok(Denoised { trajectory, inference })
    }

    /// Refines tokens into particles.
    pub fn stage_one(&self, tokens: &Cloud) -> Result<Trajectory> {
        match self.radius {
            Some(radius) => self.flow.run(&tokens.truncated_to(radius)?),
            None => self.flow.run(tokens),
        }
    }

    /// Averages particles for every token. With the tokens as particles this is the one-shot estimator.
    pub fn stage_two(&self, particles: &Cloud, tokens: &Cloud) -> Result<Inference> {
        ParticlePrior::new(particles, self.noise)?.infer(tokens, self.drift.as_ref())
    }
}
