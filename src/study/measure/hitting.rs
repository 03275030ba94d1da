//! The score time at which the particles' variance is back at the prior's.
//!
//! The flow runs on beyond the denoising horizon, for the exact Gaussian hitting time `τ/2 + ln(1 + τ/v)/2β` of the prior's
//! variance `v` and half as long again; the first crossing is located on the path of the run itself. An [`Event`](crate::flow::Event) would give that of the exact flow instead,
//! also for a network of layers, whose own time is wanted here.

use super::bars::Displacement;
use super::{CellRun, displacement, methods, start, variance_of_law};
use crate::cloud::Cloud;
use crate::error::{Error, Result};
use crate::flow::{Flow, Integrator, Step, StepObserver};
use crate::measured::Measured;
use crate::numeric::root::bisect;
use crate::scale::RawTime;
use crate::study::row::Measurement;

/// How much longer than a Gaussian would need the flow is followed.
const PATIENCE: f64 = 1.5;

pub(super) fn measured(cell_run: &CellRun<'_>) -> Result<Measurement> {
    let target = variance_of_law(&cell_run.spec.prior);
    let start = start(cell_run.cell, &cell_run.sample.noisy)?;
    if variance(&start) <= target {
        let missing = "the tokens start with less variance than the prior; take more of them".to_owned();
        return Ok(Measurement::Missing { missing });
    }
    let (tau, beta) = (cell_run.noise.get(), cell_run.beta.get());
    let expected = 0.5 * tau + (tau / target).ln_1p() / (2.0 * beta);
    let run = Run::new(cell_run, PATIENCE * expected * beta)?;
    let mut search = Search { cloud: start.clone(), target, found: None };
    let flow = Flow::new(cell_run.beta, run.horizon);
    let flow = if cell_run.cell.setting.layers.is_some() { flow } else { flow.with_error_estimate() };
    let trajectory = flow
        .with_drift(cell_run.drift)
        .with_integrator(run.integrator.as_ref())
        .run_observed(&start, &mut search)?;
    Ok(match search.found {
        // Errors grow along the flow: that of the end covers the crossing.
        Some(crossing) => {
            Measurement::Number(crossing.time(displacement(cell_run.cell, &trajectory)) / cell_run.beta.get())
        }
        None => Measurement::Missing {
            missing: format!("not reached by score time {}", run.horizon.to_score(cell_run.beta)?.get()),
        },
    })
}

/// A longer run in the same steps.
struct Run {
    horizon: RawTime,
    integrator: Box<dyn Integrator>,
}

impl Run {
    fn new(cell_run: &CellRun<'_>, raw_time: f64) -> Result<Self> {
        let setting = &cell_run.cell.setting;
        let Some(layers) = setting.layers else {
            let integrator = methods::integrator(cell_run.spec, cell_run.cell)?;
            return Ok(Self { horizon: RawTime::new(raw_time)?, integrator });
        };
        let step = setting.raw_horizon() / layers as f64;
        let count = (raw_time / step).ceil().max(1.0);
        Ok(Self { horizon: RawTime::new(count * step)?, integrator: methods::layered(count as usize)? })
    }
}

/// Where the variance comes down to the target.
struct Crossing {
    /// Between which neighbouring times.
    raw: [f64; 2],
    /// The particles there.
    cloud: Cloud,
    /// How fast the variance falls over the step.
    speed: f64,
}

impl Crossing {
    /// The raw time: what displaced particles do to the variance shifts it by as much as the variance takes for that.
    fn time(&self, off: Displacement) -> Measured {
        let [above, below] = self.raw;
        Measured::known_to(below, below - above + off.variance(&self.cloud).numerical / self.speed)
    }
}

/// Looks for the first time at which the variance is no longer above the target.
struct Search {
    /// Carries the weights.
    cloud: Cloud,
    target: f64,
    found: Option<Crossing>,
}

impl Search {
    fn excess(&self, points: &[f64]) -> Result<f64> {
        Ok(variance(&self.cloud.moved_to(points.to_vec())?) - self.target)
    }
}

impl StepObserver for Search {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        if self.found.is_some() || self.excess(step.end.points)? > 0.0 {
            return Ok(());
        }
        let (from, to) = (step.start.raw_time.get(), step.end.raw_time.get());
        let at = |time: f64| step.points_at(RawTime::new(time)?);
        let raw = bisect(from, to, |time| Ok::<_, Error>(self.excess(&at(time)?)? > 0.0))?;
        let fallen = self.excess(step.start.points)? - self.excess(step.end.points)?;
        let cloud = self.cloud.moved_to(at(raw[1])?)?;
        self.found = Some(Crossing { raw, cloud, speed: fallen / (to - from) });
        Ok(())
    }
}

/// The mean variance of a coordinate.
fn variance(cloud: &Cloud) -> f64 {
    cloud.covariance().trace() / cloud.dimension() as f64
}
