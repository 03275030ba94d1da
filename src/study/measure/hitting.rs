//! The score time at which the particles' variance is back at the prior's.
//!
//! The flow runs on beyond the denoising horizon, for the exact Gaussian hitting time `τ/2 + ln(1 + τ/v)/2β` of the prior's
//! variance `v` and half as long again; the first crossing is located on the path inside its step.

use super::{Bench, methods, start, variance, variance_of_law};
use crate::cloud::Cloud;
use crate::error::Result;
use crate::flow::{Flow, Integrator, Schedule, Step, StepObserver};
use crate::scale::RawTime;
use crate::study::row::Measurement;

/// How much longer than a Gaussian would need the flow is followed.
const PATIENCE: f64 = 1.5;
/// Halvings that locate the crossing in its step: 1e-12 of its length.
const HALVINGS: usize = 40;

pub(super) fn measured(bench: &Bench<'_>) -> Result<Measurement> {
    let target = variance_of_law(&bench.spec.prior);
    let start = start(bench.cell, &bench.sample.noisy)?;
    if variance(&start) <= target {
        let missing = "the tokens start with less variance than the prior; take more of them".to_owned();
        return Ok(Measurement::Missing { missing });
    }
    let (tau, beta) = (bench.noise.get(), bench.beta.get());
    let expected = 0.5 * tau + (tau / target).ln_1p() / (2.0 * beta);
    let run = Run::new(bench, PATIENCE * expected * beta)?;
    let mut crossing = Crossing { cloud: start.clone(), target, at: None };
    Flow::new(Schedule::constant(bench.beta), run.horizon)?.run_observed(
        &start,
        bench.drift,
        run.integrator.as_ref(),
        &mut crossing,
    )?;
    Ok(match crossing.at {
        Some(time) => Measurement::Number(time.to_score(bench.beta).get()),
        None => Measurement::Missing {
            missing: format!("not reached by score time {}", run.horizon.to_score(bench.beta).get()),
        },
    })
}

/// A longer run in the same steps.
struct Run {
    horizon: RawTime,
    integrator: Box<dyn Integrator>,
}

impl Run {
    fn new(bench: &Bench<'_>, raw_time: f64) -> Result<Self> {
        let setting = &bench.cell.setting;
        let Some(layers) = setting.layers else {
            let integrator = methods::integrator(bench.spec, bench.cell)?;
            return Ok(Self { horizon: RawTime::new(raw_time)?, integrator });
        };
        let step = setting.raw_horizon() / layers as f64;
        let count = (raw_time / step).ceil().max(1.0);
        Ok(Self { horizon: RawTime::new(count * step)?, integrator: methods::layered(count as usize)? })
    }
}

/// Looks for the first time at which the variance is no longer above the target.
struct Crossing {
    /// Carries the weights.
    cloud: Cloud,
    target: f64,
    at: Option<RawTime>,
}

impl Crossing {
    fn excess(&self, points: Vec<f64>) -> Result<f64> {
        Ok(variance(&self.cloud.moved_to(points)?) - self.target)
    }
}

impl StepObserver for Crossing {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        if self.at.is_some() || self.excess(step.end.points.to_vec())? > 0.0 {
            return Ok(());
        }
        let (mut above, mut below) = (step.start.raw_time.get(), step.end.raw_time.get());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (above + below);
            let excess = self.excess(step.points_at(RawTime::new(middle)?)?)?;
            if excess > 0.0 { above = middle } else { below = middle }
        }
        self.at = Some(RawTime::new(below)?);
        Ok(())
    }
}
