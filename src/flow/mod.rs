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
//! | [`Trajectory`] | end, snapshots, statistics of a run |
//! | [`ErrorBar`], [`bound`] | how far the end may be from the exact flow |
//! | [`events`] | when an observable crosses a level |
//! | `monitor` | laws that every run must obey, checked along the way |
//!
//! They meet in [`Flow`]: a schedule, a horizon, and what is wanted along the way.
//!
//! # Paper
//! `eq:z_dynamics_discrete_N_flow`, `upd:discr`, `alg:two_stage_multilayer_attn`

mod adaptive;
pub mod bound;
mod clock;
mod error_bar;
pub mod events;
mod field;
mod hermite;
pub mod integrator;
mod layers;
mod monitor;
mod schedule;
mod snapshots;
mod step;
mod time;
mod trajectory;

pub use adaptive::Adaptive;
pub use bound::{Bound, Budget, Refusal};
pub use error_bar::{ErrorBar, ErrorEstimate};
pub use events::{AxisVariance, Crossing, Direction, Distance, Event, Observable, Passages, TotalVariance};
pub use field::Field;
pub use integrator::{Arrival, Integrator, Refinement};
pub use layers::Layers;
pub use schedule::{Pace, Schedule};
pub use step::{Moment, Step, StepObserver};
pub use time::Time;
pub use trajectory::{Snapshot, Statistics, Trajectory};

use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::scale::{Beta, RawTime};
use bound::Certifier;
use monitor::Monitor;
use snapshots::Snapshots;

/// A snapshot this little beyond the horizon, relatively, is one at the horizon: converting between the clocks rounds.
const SAME_TIME: f64 = 4.0 * f64::EPSILON;

/// A drift that visits at least this share of all pairs is worth watching for an estimate alone.
const MOST_PAIRS: f64 = 0.25;

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
    bound: bool,
    events: Vec<Event>,
}

impl Flow {
    /// The flow of a schedule up to a horizon in either clock.
    pub fn new(schedule: Schedule, horizon: impl Into<Time>) -> Result<Self> {
        let horizon = schedule.raw_time(horizon.into())?;
        Ok(Self {
            schedule,
            horizon,
            snapshots: Vec::new(),
            estimate: false,
            bound: false,
            events: Vec::new(),
        })
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

    /// Asks for an estimate of the error at the end.
    pub fn with_error_estimate(self) -> Self {
        Self { estimate: true, ..self }
    }

    /// Asks for a [`bound`] on the error at the end, and for the estimate that comes with it.
    pub fn with_error_bound(self) -> Self {
        Self { estimate: true, bound: true, ..self }
    }

    /// Asks when an observable crosses a level. The crossings are those of the flow, also for a network that only approximates it.
    pub fn with_event(mut self, event: Event) -> Result<Self> {
        if self.schedule.constant_beta().is_none() {
            return Err(Error::InvalidParameter {
                name: "inverse temperature β(0) of a schedule that varies",
                value: self.schedule.at(0.0)?.beta.get(),
                requirement: "the same at all times when events are asked for; use a constant schedule",
            });
        }
        self.events.push(event);
        Ok(self)
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
        let beta = self.watched_beta(cloud, drift)?;
        let judge = beta.and_then(|beta| integrator.judged_by(beta, self.horizon));
        let own = beta.filter(|_| judge.is_none());
        let mut certifier = own.map(|beta| self.certifier(cloud, drift, beta));
        let mut watch = Watch {
            monitor: Monitor::new(cloud, &self.schedule, integrator),
            snapshots: Snapshots::new(&self.snapshots, cloud.points()),
            certifier: certifier.as_mut(),
            observer,
        };
        let journey = self.travel(cloud, drift, integrator, &mut watch)?;
        let snapshots = self.collect(watch.snapshots, cloud)?;
        let judgement = match (certifier, beta.zip(judge)) {
            (Some(certifier), _) => self.judge(certifier, &journey.end, &journey.end, 0)?,
            (None, Some((beta, judge))) => {
                let mut certifier = self.certifier(cloud, drift, beta);
                let watched = self.travel(cloud, drift, judge.as_ref(), &mut certifier)?;
                self.judge(certifier, &journey.end, &watched.end, watched.statistics.evaluations)?
            }
            (None, None) => self.judge_by_refinement(&journey.end, cloud, drift, integrator)?,
        };
        Ok(Trajectory {
            snapshots,
            end: journey.end,
            raw_time: self.horizon,
            score_time: self.schedule.score_time(self.horizon)?,
            events: judgement.events,
            statistics: journey.statistics,
            error: judgement.error,
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

    /// The inverse temperature, if a run has to be watched and can be. Watching sums over all pairs, once a step: for an estimate alone
    /// that is too much beside a drift that visits few of them, and a finer run is cheaper.
    fn watched_beta(&self, cloud: &Cloud, drift: &dyn Drift) -> Result<Option<Beta>> {
        let beta = self.schedule.constant_beta();
        if self.bound || !self.events.is_empty() {
            return Ok(beta);
        }
        if !self.estimate || beta.is_none() {
            return Ok(None);
        }
        let mut field = Field::new(drift, &self.schedule, cloud);
        field.evaluate(0.0, cloud.points(), &mut vec![0.0; cloud.points().len()])?;
        let all = (cloud.len() as f64).powi(2);
        Ok(beta.filter(|_| field.pairs() as f64 >= MOST_PAIRS * all))
    }

    fn certifier<'a>(&'a self, cloud: &'a Cloud, drift: &'a dyn Drift, beta: Beta) -> Certifier<'a> {
        Certifier::new(Field::new(drift, &self.schedule, cloud), beta, self.bound).looking_for(&self.events)
    }

    /// What a certifier that watched a run to `watched` says about one that ended at `end`; `spent` evaluations were made to get to `watched`
    /// for no other purpose.
    fn judge(&self, certifier: Certifier<'_>, end: &Cloud, watched: &Cloud, spent: u64) -> Result<Judgement> {
        let error = certifier.error_of(end, watched);
        let evaluations = spent + certifier.evaluations();
        let estimate = self.estimate.then(|| ErrorEstimate::of(end, &error, evaluations));
        let (bound, refusal) = match self.bound.then(|| certifier.bound(end, &error)) {
            None => (None, None),
            Some(Ok(bound)) => (Some(bound), None),
            Some(Err(refusal)) => (None, Some(refusal)),
        };
        Ok(Judgement { error: ErrorBar { estimate, bound, refusal }, events: certifier.into_passages()? })
    }

    /// Estimates the error of a run that was not watched by a finer one, if an estimate is wanted.
    fn judge_by_refinement(
        &self,
        end: &Cloud,
        cloud: &Cloud,
        drift: &dyn Drift,
        integrator: &dyn Integrator,
    ) -> Result<Judgement> {
        if !self.estimate {
            return Ok(Judgement::default());
        }
        let finer = integrator.refined();
        let journey = self.travel(cloud, drift, finer.integrator.as_ref(), &mut Unobserved)?;
        let estimate = ErrorEstimate::between(end, &journey.end, finer.gain, journey.statistics.evaluations);
        let refusal = self.bound.then_some(Refusal::VaryingSchedule);
        Ok(Judgement {
            error: ErrorBar { estimate: Some(estimate), bound: None, refusal },
            events: Vec::new(),
        })
    }

    fn collect(&self, snapshots: Snapshots<'_>, cloud: &Cloud) -> Result<Vec<Snapshot>> {
        let snapshot = |(raw_time, points): (RawTime, Vec<f64>)| {
            let score_time = self.schedule.score_time(raw_time)?;
            Ok(Snapshot { raw_time, score_time, cloud: cloud.moved_to(points)? })
        };
        snapshots.into_taken().map(snapshot).collect()
    }
}

/// What is known about a run beside its end.
#[derive(Default)]
struct Judgement {
    error: ErrorBar,
    events: Vec<Passages>,
}

/// One pass from the start to the horizon.
struct Journey {
    end: Cloud,
    statistics: Statistics,
}

/// The snapshots of a flow, and whoever else looks on.
struct Watch<'a, 'c> {
    monitor: Monitor<'a>,
    snapshots: Snapshots<'a>,
    certifier: Option<&'a mut Certifier<'c>>,
    observer: &'a mut dyn StepObserver,
}

impl StepObserver for Watch<'_, '_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        self.monitor.accepted(step)?;
        self.snapshots.accepted(step)?;
        if let Some(certifier) = &mut self.certifier {
            certifier.accepted(step)?;
        }
        self.observer.accepted(step)
    }
}

/// Nobody.
pub(crate) struct Unobserved;

impl StepObserver for Unobserved {
    fn accepted(&mut self, _step: &Step<'_>) -> Result<()> {
        Ok(())
    }
}
