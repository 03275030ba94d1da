//! The flow of a cloud in time: a network of layers, or an adaptive ODE.
//!
//! # Formula
//! ```text
//! dz_i/dt = η(t) v_i,    v_i = F_i − z_i at β(t),    t ∈ [0, T]
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`Time`], [`Schedule`] | the two clocks, and `β(t), η(t)` that relate them |
//! | [`Field`] | the right-hand side: a drift and a schedule, guarded and counted |
//! | [`Integrator`] | what follows a field in time: [`Layers`], [`Adaptive`]; how to add one is told [there](integrator) |
//! | [`Step`], [`StepObserver`] | one accepted step with its path in between, and who may watch |
//! | [`Trajectory`] | end, snapshots, statistics and error bar of a run |
//!
//! They meet in [`Flow`]: a schedule, a horizon, and what is wanted along the way.
//!
//! # Paper
//! `eq:z_dynamics_discrete_N_flow`, `upd:discr`, `alg:two_stage_multilayer_attn`

mod adaptive;
mod clock;
mod field;
mod hermite;
pub mod integrator;
mod layers;
mod schedule;
mod snapshots;
mod step;
mod time;
mod trajectory;

pub use adaptive::Adaptive;
pub use field::Field;
pub use integrator::{Arrival, Integrator, Refinement};
pub use layers::Layers;
pub use schedule::{Pace, Schedule};
pub use step::{Moment, Step, StepObserver};
pub use time::Time;
pub use trajectory::{ErrorBar, ErrorEstimate, Snapshot, Statistics, Trajectory};

use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::scale::RawTime;
use snapshots::Snapshots;

/// A snapshot this little beyond the horizon, relatively, is one at the horizon: converting between the clocks rounds.
const SAME_TIME: f64 = 4.0 * f64::EPSILON;

/// A flow up to a horizon. It can be run on any cloud, with any drift and integrator.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::flow::{Adaptive, Flow, Schedule};
/// use ebflow::{Beta, Cloud, NoiseVariance, RawTime};
/// let cloud = Cloud::new(vec![-1.2, -0.9, 0.8, 1.1], 1)?;
/// let noise = NoiseVariance::new(0.1)?;
/// let flow = Flow::new(Schedule::constant(Beta::new(20.0)?), noise.denoising_horizon())?
///     .with_snapshots([RawTime::new(0.5)?])?
///     .with_error_estimate();
/// let trajectory = flow.run(&cloud, &Dense, &Adaptive::new(1e-6, 1e-6)?)?;
/// assert_eq!(trajectory.raw_time.get(), 1.0); // βτ/2
/// assert_eq!(trajectory.snapshots[0].cloud.len(), 4);
/// assert!(trajectory.error.estimate.unwrap().max < 1e-5);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Flow {
    schedule: Schedule,
    horizon: RawTime,
    snapshots: Vec<RawTime>,
    estimate: bool,
}

impl Flow {
    /// The flow of a schedule up to a horizon in either clock.
    pub fn new(schedule: Schedule, horizon: impl Into<Time>) -> Result<Self> {
        let horizon = schedule.raw_time(horizon.into())?;
        Ok(Self { schedule, horizon, snapshots: Vec::new(), estimate: false })
    }

    /// Asks for the cloud at more times, in any order and in either clock, none beyond the horizon. They are as accurate
    /// as the end: exact steps and layers where they coincide, else the integrator's path between its steps.
    pub fn with_snapshots<T: Into<Time>>(mut self, times: impl IntoIterator<Item = T>) -> Result<Self> {
        for time in times {
            let time = self.schedule.raw_time(time.into())?;
            if time.get() > self.horizon.get() * (1.0 + SAME_TIME) {
                return Err(Error::InvalidParameter {
                    name: "raw time of a snapshot",
                    value: time.get(),
                    requirement: "not beyond the horizon of the flow",
                });
            }
            self.snapshots.push(if time < self.horizon { time } else { self.horizon });
        }
        Ok(self)
    }

    /// Asks for an estimate of the error at the end, by a second run with [`Integrator::refined`].
    pub fn with_error_estimate(self) -> Self {
        Self { estimate: true, ..self }
    }

    /// Follows the flow from `cloud` to the horizon.
    pub fn run(&self, cloud: &Cloud, drift: &dyn Drift, integrator: &dyn Integrator) -> Result<Trajectory> {
        self.run_observed(cloud, drift, integrator, &mut Unobserved)
    }

    /// As [`Flow::run`], with somebody watching the steps.
    pub fn run_observed(
        &self,
        cloud: &Cloud,
        drift: &dyn Drift,
        integrator: &dyn Integrator,
        observer: &mut dyn StepObserver,
    ) -> Result<Trajectory> {
        let mut watch = Watch { snapshots: Snapshots::new(&self.snapshots, cloud.points()), observer };
        let journey = self.travel(cloud, drift, integrator, &mut watch)?;
        let estimate = self.estimate.then(|| self.estimate(&journey.end, cloud, drift, integrator));
        Ok(Trajectory {
            snapshots: self.collect(watch.snapshots, cloud)?,
            end: journey.end,
            raw_time: self.horizon,
            score_time: self.schedule.score_time(self.horizon)?,
            statistics: journey.statistics,
            error: ErrorBar { estimate: estimate.transpose()? },
        })
    }

    /// Integrates, unless there is no time to go.
    fn travel(
        &self,
        cloud: &Cloud,
        drift: &dyn Drift,
        integrator: &dyn Integrator,
        observer: &mut dyn StepObserver,
    ) -> Result<Journey> {
        if self.horizon.get() == 0.0 {
            return Ok(Journey { end: cloud.clone(), statistics: Statistics::default() });
        }
        let mut field = Field::new(drift, &self.schedule, cloud);
        let Arrival { points, steps, rejected } = integrator.integrate(&mut field, self.horizon, observer)?;
        let (evaluations, pairs) = (field.evaluations(), field.pairs());
        let statistics = Statistics { steps, rejected, evaluations, pairs };
        Ok(Journey { end: cloud.moved_to(points)?, statistics })
    }

    fn estimate(
        &self,
        end: &Cloud,
        cloud: &Cloud,
        drift: &dyn Drift,
        integrator: &dyn Integrator,
    ) -> Result<ErrorEstimate> {
        let finer = integrator.refined();
        let journey = self.travel(cloud, drift, finer.integrator.as_ref(), &mut Unobserved)?;
        Ok(ErrorEstimate::between(end, &journey.end, finer.gain, journey.statistics.evaluations))
    }

    fn collect(&self, snapshots: Snapshots<'_>, cloud: &Cloud) -> Result<Vec<Snapshot>> {
        let snapshot = |(raw_time, points): (RawTime, Vec<f64>)| {
            let score_time = self.schedule.score_time(raw_time)?;
            Ok(Snapshot { raw_time, score_time, cloud: cloud.moved_to(points)? })
        };
        snapshots.into_taken().map(snapshot).collect()
    }
}

/// One pass from the start to the horizon.
struct Journey {
    end: Cloud,
    statistics: Statistics,
}

/// The snapshots of a flow, and whoever else looks on.
struct Watch<'a> {
    snapshots: Snapshots<'a>,
    observer: &'a mut dyn StepObserver,
}

impl StepObserver for Watch<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        self.snapshots.accepted(step)?;
        self.observer.accepted(step)
    }
}

/// Nobody.
struct Unobserved;

impl StepObserver for Unobserved {
    fn accepted(&mut self, _step: &Step<'_>) -> Result<()> {
        Ok(())
    }
}
