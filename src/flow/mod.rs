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
//! | `monitor` | what every run must obey, checked along the way |
//! | `frame` | coordinates in which a cloud is about the origin |
//! | `halved` | the better run that an error is estimated by |
//!
//! They meet in [`Flow`]: a schedule, a horizon, a drift, an integrator, and what is wanted along the way.
//!
//! # Paper
//! `eq:z_dynamics_discrete_N_flow`, `upd:discr`, `alg:two_stage_multilayer_attn`

mod adaptive;
pub mod bound;
mod clock;
mod error_bar;
pub mod events;
mod field;
mod frame;
mod halved;
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
pub use error_bar::{ErrorBar, ErrorEstimate, Quality};
pub use events::{AxisVariance, Crossing, Direction, DistanceTo, Event, Observable, Passages, TotalVariance};
pub use field::Field;
pub use integrator::{IntegrationEnd, Integrator};
pub use layers::Layers;
pub use schedule::{Rates, Schedule};
pub use step::{Moment, Step, StepObserver};
pub use time::Time;
pub use trajectory::{Snapshot, Statistics, Trajectory};

use std::ops::Range;
use std::sync::Arc;

use crate::cloud::{Cloud, norm};
use crate::drift::{Auto, Drift};
use crate::error::{Error, Result};
use crate::gauge::Gauge;
use crate::scale::RawTime;
use bound::Certifier;
use error_bar::Lengths;
use frame::{Frame, Outside};
use halved::Halved;
use monitor::Monitor;
use snapshots::Snapshots;

/// A snapshot this little beyond the horizon, relatively, is one at the horizon: converting between the clocks rounds.
const SAME_TIME: f64 = 4.0 * f64::EPSILON;

/// The share of the work of a run whose error is estimated that is the run itself: the other one takes two steps for one.
const RUN_ITSELF: f64 = 1.0 / 3.0;

/// The absolute tolerance of the finer run along which a bound is looked for that does not close along the run itself, in units of the kernel's width.
const FINER: f64 = 1e-9;

/// A flow up to a horizon: what moves the particles, who follows them, and what is wanted along the way. It can be run on any cloud.
///
/// Unless said otherwise, kernel sums are evaluated by [`Auto`] and time is integrated by [`Adaptive`] with tolerances of `1e-8`.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::flow::{Adaptive, Flow};
/// use ebflow::{Beta, Cloud, NoiseVariance, RawTime};
/// let cloud = Cloud::new(vec![-1.2, -0.9, 0.8, 1.1], 1)?;
/// let noise = NoiseVariance::new(0.1)?;
/// let trajectory = Flow::new(Beta::new(20.0)?, noise.denoising_horizon())
///     .with_drift(Dense)
///     .with_integrator(Adaptive::new(1e-6, 1e-6)?)
///     .with_snapshots([RawTime::new(0.5)?])
///     .with_error_estimate()
///     .run(&cloud)?;
/// assert_eq!(trajectory.raw_time.get(), 1.0); // βτ/2
/// assert_eq!(trajectory.snapshots[0].cloud.len(), 4);
/// assert!(trajectory.error.estimate.unwrap().max < 1e-5);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Clone)]
pub struct Flow<'a> {
    schedule: Schedule,
    horizon: Time,
    drift: Arc<dyn Drift + 'a>,
    integrator: Arc<dyn Integrator + 'a>,
    snapshots: Vec<Time>,
    estimated: bool,
    bounded: bool,
    token_errors: Vec<f64>,
    events: Vec<Event>,
    gauge: Gauge,
}

impl<'a> Flow<'a> {
    /// The flow of a schedule, or of one inverse temperature, up to a horizon in either clock.
    pub fn new(schedule: impl Into<Schedule>, horizon: impl Into<Time>) -> Self {
        Self {
            schedule: schedule.into(),
            horizon: horizon.into(),
            drift: Arc::new(Auto::default()),
            integrator: Arc::new(Adaptive::default()),
            snapshots: Vec::new(),
            estimated: false,
            bounded: false,
            token_errors: vec![0.0],
            events: Vec::new(),
            gauge: Gauge::default(),
        }
    }

    /// The same flow up to another horizon.
    pub fn up_to(self, horizon: impl Into<Time>) -> Self {
        Self { horizon: horizon.into(), ..self }
    }

    /// Evaluates kernel sums this way.
    pub fn with_drift(self, drift: impl Drift + 'a) -> Self {
        self.with_shared_drift(Arc::new(drift))
    }

    pub(crate) fn with_shared_drift(self, drift: Arc<dyn Drift + 'a>) -> Self {
        Self { drift, ..self }
    }

    /// Follows the flow in time this way: [`Layers`], or [`Adaptive`] with other tolerances.
    pub fn with_integrator(self, integrator: impl Integrator + 'a) -> Self {
        Self { integrator: Arc::new(integrator), ..self }
    }

    /// Asks for the cloud at more times, in any order and in either clock, none beyond the horizon. They are as accurate
    /// as the end: exact steps and layers where they coincide, else the integrator's path between its steps.
    pub fn with_snapshots<T: Into<Time>>(mut self, times: impl IntoIterator<Item = T>) -> Self {
        self.snapshots.extend(times.into_iter().map(Into::into));
        self
    }

    /// Asks for an estimate of the error at the end.
    pub fn with_error_estimate(self) -> Self {
        Self { estimated: true, ..self }
    }

    /// Asks for a [`bound`] on the error at the end. It takes no second run; ask for an estimate, too, to see how much the bound gives away.
    pub fn with_error_bound(self) -> Self {
        Self { bounded: true, ..self }
    }

    /// Asks for a [`bound`] on the distance to the end of *every* flow whose tokens lie within some radius of the given ones: one radius for each, or
    /// one for all.
    ///
    /// ```
    /// use ebflow::{Beta, Cloud, Flow, RawTime};
    /// let tokens = Cloud::new(vec![-1.2, -0.9, 0.8, 1.1], 1)?;
    /// let flow = Flow::new(Beta::new(20.0)?, RawTime::new(1.0)?);
    /// let bound = flow.with_token_errors([1e-6]).run(&tokens)?.error.bound.unwrap();
    /// assert!(bound.max > 1e-6 && bound.budget.tokens > 0.9 * bound.w1);
    /// # Ok::<(), ebflow::Error>(())
    /// ```
    pub fn with_token_errors(self, radii: impl Into<Vec<f64>>) -> Self {
        Self { bounded: true, token_errors: radii.into(), ..self }
    }

    /// Asks when an observable crosses a level. The crossings are those of the flow, also for a network that only approximates it.
    pub fn with_event(mut self, event: Event) -> Self {
        self.events.push(event);
        self
    }

    /// Shows on a gauge how far the latest run is; runs that errors are estimated by count as parts of it.
    pub fn with_gauge(self, gauge: &Gauge) -> Self {
        Self { gauge: gauge.clone(), ..self }
    }

    /// Follows the flow from `cloud` to the horizon.
    pub fn run(&self, cloud: &Cloud) -> Result<Trajectory> {
        self.run_observed(cloud, &mut Unobserved)
    }

    /// As [`Flow::run`], with somebody watching the steps.
    pub fn run_observed(&self, cloud: &Cloud, observer: &mut dyn StepObserver) -> Result<Trajectory> {
        self.check_events()?;
        self.check_token_errors(cloud)?;
        let horizon = self.schedule.raw_time(self.horizon)?;
        let (frame, snapshots) = (Frame::of(cloud)?, self.snapshot_times(horizon)?);
        Problem { flow: self, cloud, frame, horizon, snapshots }.solve(observer)
    }

    fn check_events(&self) -> Result<()> {
        if self.events.is_empty() || self.schedule.constant_beta().is_some() {
            return Ok(());
        }
        Err(Error::InvalidParameter {
            name: "inverse temperature β(0) of a schedule that varies",
            value: self.schedule.at(0.0)?.beta.get(),
            requirement: "the same at all times when events are asked for; use a constant schedule",
        })
    }

    fn check_token_errors(&self, cloud: &Cloud) -> Result<()> {
        let radii = &self.token_errors;
        if radii.len() != 1 && radii.len() != cloud.len() {
            return Err(Error::LengthMismatch {
                what: "the errors of the tokens".into(),
                other: "the tokens".into(),
                expected: cloud.len(),
                found: radii.len(),
            });
        }
        match radii.iter().find(|radius| !(radius.is_finite() && **radius >= 0.0)) {
            None => Ok(()),
            Some(&value) => Err(Error::InvalidParameter {
                name: "error of a token",
                value,
                requirement: "finite and not negative",
            }),
        }
    }

    fn snapshot_times(&self, horizon: RawTime) -> Result<Vec<RawTime>> {
        let raw = |time: &Time| {
            let time = self.schedule.raw_time(*time)?;
            if time.get() > horizon.get() * (1.0 + SAME_TIME) {
                return Err(Error::InvalidParameter {
                    name: "raw time of a snapshot",
                    value: time.get(),
                    requirement: "not beyond the horizon of the flow",
                });
            }
            Ok(if time < horizon { time } else { horizon })
        };
        self.snapshots.iter().map(raw).collect()
    }
}

/// A flow from one cloud, its times in the raw clock.
struct Problem<'a> {
    flow: &'a Flow<'a>,
    cloud: &'a Cloud,
    frame: Frame<'a>,
    horizon: RawTime,
    snapshots: Vec<RawTime>,
}

impl Problem<'_> {
    fn solve(&self, observer: &mut dyn StepObserver) -> Result<Trajectory> {
        let (schedule, integrator) = (&self.flow.schedule, self.flow.integrator.as_ref());
        let reference = self.reference()?;
        let mut certifier = self.certifier().map(|certifier| certifier.looking_for(&self.flow.events));
        let mut watch = Watch {
            monitor: Monitor::new(self.cloud, schedule, integrator),
            snapshots: Snapshots::new(&self.snapshots, self.cloud.points()),
            ends: Vec::new(),
            certifier: certifier.as_mut().filter(|_| reference.is_none()),
            observer,
        };
        let alone = if self.flow.estimated || reference.is_some() { RUN_ITSELF } else { 1.0 };
        let run = self.integrate(integrator, &mut watch, 0.0..alone)?;
        let (snapshots, ends) = (self.collect(watch.snapshots)?, watch.ends);
        let better = match (&reference, &mut certifier) {
            (Some(reference), Some(certifier)) => {
                Some(self.integrate(reference.as_ref(), certifier, alone..1.0)?)
            }
            (Some(reference), None) => {
                Some(self.integrate(reference.as_ref(), &mut Unobserved, alone..1.0)?)
            }
            (None, _) if self.flow.estimated => {
                Some(self.integrate(&Halved { ends }, &mut Unobserved, alone..1.0)?)
            }
            (None, _) => None,
        };
        self.flow.gauge.show(1.0);
        let watched = better.as_ref().filter(|_| reference.is_some()).unwrap_or(&run);
        let spent = certifier.as_ref().map_or(0, Certifier::evaluations);
        let estimate = better.as_ref().filter(|_| self.flow.estimated);
        let estimate = estimate.map(|better| self.estimate(&run, better, spent)).transpose()?;
        let (bound, refusal) = match self.bound(certifier.as_ref(), &run.end, &watched.end) {
            (None, Some(refusal)) => self.bound_along_finer(&run.end, refusal)?,
            found => found,
        };
        let events = certifier.map_or(Ok(Vec::new()), Certifier::into_passages)?;
        Ok(Trajectory {
            snapshots,
            end: run.end,
            raw_time: self.horizon,
            score_time: schedule.score_time(self.horizon)?,
            events,
            statistics: run.statistics,
            error: ErrorBar { estimate, bound, refusal },
        })
    }

    /// Integrates about the origin, unless there is no time to go; the gauge goes through some of its shares.
    fn integrate(
        &self,
        integrator: &dyn Integrator,
        observer: &mut dyn StepObserver,
        shares: Range<f64>,
    ) -> Result<Run> {
        if self.horizon.get() == 0.0 {
            return Ok(Run { end: self.cloud.clone(), statistics: Statistics::default(), rounding: 0.0 });
        }
        let (drift, schedule) = (self.flow.drift.as_ref(), &self.flow.schedule);
        let mut field = Field::new(drift, schedule, self.frame.centred(), self.horizon);
        let mut shown = Shown { gauge: &self.flow.gauge, shares, horizon: self.horizon, observer };
        let mut outside = Outside { frame: &self.frame, observer: &mut shown };
        let IntegrationEnd { points, steps, rejected } = integrator.integrate(&mut field, &mut outside)?;
        let (evaluations, pairs) = (field.evaluations(), field.pairs());
        let statistics = Statistics { steps, rejected, evaluations, pairs };
        let rounding = self.rounding(&field, steps);
        Ok(Run { end: self.cloud.moved_to(self.frame.outside(points))?, statistics, rounding })
    }

    /// What the roundings of a run may have done to any particle (see [`error_bar`]).
    fn rounding(&self, field: &Field<'_>, steps: u64) -> f64 {
        let reach = |cloud: &Cloud| cloud.rows().map(norm).fold(0.0, f64::max);
        let drift = field.last().rounding.iter().copied().fold(0.0, f64::max);
        let positions = reach(self.cloud) + (steps + 2) as f64 * reach(self.frame.centred());
        0.5 * f64::EPSILON * positions + self.horizon.get() * drift
    }

    /// The integrator that the flow's own is judged by, if it asks for one and is to be judged.
    fn reference(&self) -> Result<Option<Box<dyn Integrator>>> {
        if !(self.flow.estimated || self.flow.bounded) && self.flow.events.is_empty() {
            return Ok(None);
        }
        let beta = self.flow.schedule.at(0.0)?.beta;
        Ok(self.flow.integrator.reference_integrator(beta, self.horizon))
    }

    /// Who watches a run for a bound and for events, where the schedule lets him.
    fn certifier(&self) -> Option<Certifier<'_>> {
        if !self.flow.bounded && self.flow.events.is_empty() {
            return None;
        }
        let beta = self.flow.schedule.constant_beta()?;
        let field = Field::new(self.flow.drift.as_ref(), &self.flow.schedule, self.cloud, self.horizon);
        let radius = |i: usize| self.flow.token_errors[i % self.flow.token_errors.len()];
        let tokens = self.flow.bounded.then(|| (0..self.cloud.len()).map(radius).collect());
        Some(Certifier::new(field, beta, tokens))
    }

    /// The error of a run, from a better one; `spent` evaluations were made for other error bars.
    fn estimate(&self, run: &Run, better: &Run, spent: u64) -> Result<ErrorEstimate> {
        let kernel = self.flow.schedule.at(0.0)?.beta.get().powf(-0.5);
        let lengths = Lengths { rounding: run.rounding.max(better.rounding), kernel };
        let evaluations = better.statistics.evaluations + spent;
        Ok(ErrorEstimate::between(&run.end, &better.end, &lengths, evaluations))
    }

    /// What a certifier that watched a run to `watched` says about one that ended at `end`, if it is asked.
    fn bound(
        &self,
        certifier: Option<&Certifier<'_>>,
        end: &Cloud,
        watched: &Cloud,
    ) -> (Option<Bound>, Option<Refusal>) {
        if !self.flow.bounded {
            return (None, None);
        }
        match certifier.map(|certifier| certifier.bound(end, &certifier.error_of(end, watched))) {
            None => (None, Some(Refusal::VaryingSchedule)),
            Some(Ok(bound)) => (Some(bound), None),
            Some(Err(refusal)) => (None, Some(refusal)),
        }
    }

    /// The bound along a finer run with untruncated kernel sums, for one along which it did not close: what lies between the two is known. If that is no
    /// remedy, the refusal stays.
    fn bound_along_finer(&self, end: &Cloud, refusal: Refusal) -> Result<(Option<Bound>, Option<Refusal>)> {
        if !refusal.is_a_matter_of_accuracy() {
            return Ok((None, Some(refusal)));
        }
        let flow = self.flow.clone().with_drift(Auto::default());
        let (frame, snapshots) = (Frame::of(self.cloud)?, Vec::new());
        let finer = Problem { flow: &flow, cloud: self.cloud, frame, horizon: self.horizon, snapshots };
        let kernel = flow.schedule.at(0.0)?.beta.get().powf(-0.5);
        let mut certifier = finer.certifier();
        let run = match (Adaptive::new(0.0, FINER * kernel), &mut certifier) {
            (Ok(integrator), Some(certifier)) => finer.integrate(&integrator, certifier, 1.0..1.0),
            _ => return Ok((None, Some(refusal))),
        };
        match run {
            Ok(run) => Ok(finer.bound(certifier.as_ref(), end, &run.end)),
            Err(error) if error.is_numerical() => Ok((None, Some(refusal))),
            Err(error) => Err(error),
        }
    }

    fn collect(&self, snapshots: Snapshots<'_>) -> Result<Vec<Snapshot>> {
        let snapshot = |(raw_time, points): (RawTime, Vec<f64>)| {
            let score_time = self.flow.schedule.score_time(raw_time)?;
            Ok(Snapshot { raw_time, score_time, cloud: self.cloud.moved_to(points)? })
        };
        snapshots.into_taken().map(snapshot).collect()
    }
}

/// One pass from the start to the horizon.
struct Run {
    end: Cloud,
    statistics: Statistics,
    /// What rounding may have done to any particle.
    rounding: f64,
}

/// The snapshots of a flow, and whoever else looks on.
struct Watch<'a, 'c> {
    monitor: Monitor<'a>,
    snapshots: Snapshots<'a>,
    /// When the steps ended.
    ends: Vec<f64>,
    certifier: Option<&'a mut Certifier<'c>>,
    observer: &'a mut dyn StepObserver,
}

impl StepObserver for Watch<'_, '_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        self.monitor.accepted(step)?;
        self.snapshots.accepted(step)?;
        self.ends.push(step.end.raw_time.get());
        if let Some(certifier) = &mut self.certifier {
            certifier.accepted(step)?;
        }
        self.observer.accepted(step)
    }
}

/// An observer of a run that a gauge shows.
struct Shown<'a> {
    gauge: &'a Gauge,
    shares: Range<f64>,
    horizon: RawTime,
    observer: &'a mut dyn StepObserver,
}

impl StepObserver for Shown<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        let done = step.end.raw_time.get() / self.horizon.get();
        self.gauge.show(self.shares.start + done * (self.shares.end - self.shares.start));
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
