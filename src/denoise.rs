//! Both stages in one call: noisy tokens in, posterior-mean estimates out.
//!
//! Stage 1 runs the flow for the denoising horizon `T_β = βτ/2` from the tokens, or from those in a ball; Stage 2 averages
//! the refined particles for every token, inside the ball or not. With layers this is Algorithm 1, with an adaptive
//! integrator Algorithm 2, with a radius Algorithm 3.
//!
//! # Paper
//! `alg:two_stage_multilayer_attn`, `alg:full-sample-sequential-posterior`, `alg:truncated-sequential-posterior`

use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::flow::{Flow, Integrator, Schedule, Trajectory};
use crate::posterior::{Inference, ParticlePrior};
use crate::scale::{BallRadius, Beta, NoiseVariance};

/// What the two-stage denoiser needs to know.
pub struct Denoiser<'a> {
    /// Variance of the observation noise.
    pub noise: NoiseVariance,
    /// Inverse temperature of Stage 1.
    pub beta: Beta,
    /// Ball to which the initial particles are confined, if any.
    pub radius: Option<BallRadius>,
    /// Layers or an adaptive integrator.
    pub integrator: &'a dyn Integrator,
    /// How kernel sums are evaluated.
    pub drift: &'a dyn Drift,
    /// What is asked about the error of Stage 1.
    pub error_bar: Diligence,
}

/// How much is to be known about the error of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diligence {
    /// Nothing.
    None,
    /// An estimate.
    Estimate,
    /// An estimate and a bound.
    Bound,
}

/// What the denoiser returns.
#[derive(Debug, Clone)]
pub struct Denoised {
    /// Stage 1: the refined particles are `trajectory.end`.
    pub trajectory: Trajectory,
    /// Stage 2: the estimates are `inference.mean`, one row per token.
    pub inference: Inference,
}

impl Denoiser<'_> {
    /// Denoises every token.
    pub fn denoise(&self, tokens: &Cloud) -> Result<Denoised> {
        let start = self.radius.map(|radius| tokens.truncated_to(radius)).transpose()?;
        let flow = Flow::new(Schedule::constant(self.beta), self.noise.denoising_horizon())?;
        let flow = match self.error_bar {
            Diligence::None => flow,
            Diligence::Estimate => flow.with_error_estimate(),
            Diligence::Bound => flow.with_error_bound(),
        };
        let trajectory = flow.run(start.as_ref().unwrap_or(tokens), self.drift, self.integrator)?;
        let inference = ParticlePrior::new(&trajectory.end, self.noise)?.infer(tokens, self.drift)?;
        Ok(Denoised { trajectory, inference })
    }
}
