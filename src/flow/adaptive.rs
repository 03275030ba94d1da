//! [`Adaptive`]: the flow as an ODE, with steps as long as an error estimate allows.
//!
//! # Formula
//! Tsitouras' 5(4) Runge–Kutta pair, six evaluations a step. A step is accepted when its estimated error `e_i` satisfies
//! ```text
//! max_i |e_i| / √d ≤ atol + rtol·S
//! ```
//! for the *worst particle*: a mean over all particles would let single ones miss the tolerance by orders of magnitude. The flow does not know where
//! the origin is, so errors are not measured against coordinates but against the [`spread`] `S` of the cloud at the start. Between the steps the path is a quintic ([`hermite`](super::hermite)) through both ends and one more
//! state, half a step from the start; that half step (six evaluations) is only taken when somebody looks. Neither the
//! steps nor the end depend on what is looked at.
//!
//! The flow is not stiff (rates are at most 2 in raw time), so an explicit pair is the right kind.
//!
//! # Parts
//! The pair and its step-size control come from `diffsol`, which no other file names. What it lacks is here: the loop with
//! its cap, the guard against a right-hand side that fails, the path between the steps.
//!
//! # Paper
//! `eq:z_dynamics_discrete_N_flow`

use std::cell::{OnceCell, RefCell};

use diffsol::error::DiffsolError;
use diffsol::{
    ConstantOp, ExplicitRk, NalgebraContext, NalgebraMat, NalgebraVec, NonLinearOp, OdeBuilder, OdeEquations,
    OdeEquationsRef, OdeSolverMethod, OdeSolverProblem, OdeSolverState, OdeSolverStopReason, Op,
    UnitCallable, Vector, VectorCommon,
};

use super::field::check_finite;
use super::hermite::Hermite;
use super::{Field, IntegrationEnd, Integrator, Moment, Step, StepObserver};
use crate::cloud::{Cloud, norm};
use crate::error::{Error, Result};
use crate::scale::RawTime;

/// Steps before a run counts as stuck: a flow at tolerance 1e-12 takes about fifty per unit of raw time.
const MAX_STEPS: u64 = 100_000;

/// The next step is at most this many times the last; only a flow at rest comes near it.
const MAX_GROWTH: f64 = 5.0;

/// The solver's guess for the first step is this much too cautious for the flow.
const FIRST_STEP: f64 = 3.0;

/// Gains of the proportional–integral step-size control, in the solver's convention (it sees squared errors). They are low:
/// particles that leave a saddle make the error jump, and a control that follows every jump throws steps away and lets
/// the next ones through too long. Against the usual gains (0.5 and 0), over a dozen noisy mixtures of 1000 points, the
/// rejected steps at tolerance 1e-6 fall from five a run to less than one, and the typical error of the worst particle
/// from 3.5 (at 1e-3) and 2.0 (at 1e-6) tolerances to about one, for no more evaluations.
const INTEGRAL_GAIN: f64 = 0.2;
const PROPORTIONAL_GAIN: f64 = 0.1;

/// Calibration. Where errors hardly jump, at tight tolerances, such gains settle at a fifth of the permitted error. The
/// solver is therefore given more than the tolerance, from this tolerance downwards, by this power, and at most so much
/// more; for mixtures of 5000 points the worst particle's error is then one to three tolerances at 1e-3, 1e-6 and 1e-9.
const CALIBRATED: f64 = 1e-6;
const CALIBRATION_EXPONENT: f64 = 0.08;
const MAX_CALIBRATION: f64 = 2.0;

/// A step's error may be this many times what the solver takes it for: near the limit of stability, where outliers fall onto a cluster, it has been seen to be somewhat
/// larger, and nothing in the method says that it cannot be more.
const UNDERESTIMATED: f64 = 10.0;

/// The square of the inverse of this is not infinite, nor is the sum of a few of them.
const LEAST_SQUARABLE: f64 = 1e-153;

/// A time this close to the horizon, relatively, is the horizon but for rounding; the solver says so itself unless its
/// step-size control is out of order.
const SAME_TIME: f64 = 200.0 * f64::EPSILON;

/// Adaptive integration at given tolerances. Those of the [default](Adaptive::default) suit coordinates of order one; only the caller knows
/// the scale of the coordinates and what the result is for.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::flow::{Adaptive, Flow};
/// use ebflow::{Beta, Cloud, RawTime};
/// let cloud = Cloud::new(vec![-1.0, 1.0], 1)?;
/// let flow = Flow::new(Beta::new(1.0)?, RawTime::new(3.0)?);
/// let trajectory = flow.with_drift(Dense).with_integrator(Adaptive::new(1e-8, 1e-8)?).run(&cloud)?;
/// let [left, right] = trajectory.end.points() else { unreachable!() };
/// assert!(*right < 1.0 && (left + right).abs() < 1e-15);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adaptive {
    rtol: f64,
    atol: f64,
    max_steps: u64,
}

impl Adaptive {
    /// The tolerances of those who name none.
    pub const TOLERANCE: f64 = 1e-8;

    /// Relative tolerance, in units of the cloud's spread (zero is allowed), and absolute tolerance.
    pub fn new(rtol: f64, atol: f64) -> Result<Self> {
        if !(rtol >= 0.0 && rtol.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "relative tolerance",
                value: rtol,
                requirement: "a finite number that is not negative",
            });
        }
        if !(atol > 0.0 && atol.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "absolute tolerance",
                value: atol,
                requirement: "a positive finite number (a cloud may have no extent)",
            });
        }
        Ok(Self { rtol, atol, max_steps: MAX_STEPS })
    }

    /// Changes the number of steps after which a run counts as stuck.
    pub fn with_max_steps(self, max_steps: u64) -> Self {
        Self { max_steps, ..self }
    }
}

impl Default for Adaptive {
    /// Both tolerances [`Adaptive::TOLERANCE`].
    fn default() -> Self {
        Self { rtol: Self::TOLERANCE, atol: Self::TOLERANCE, max_steps: MAX_STEPS }
    }
}

impl Integrator for Adaptive {
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        let (start, horizon) = (field.start(), field.horizon());
        let mut right_hand_side =
            |time: f64, points: &[f64], derivative: &mut [f64]| field.evaluate(time, points, derivative);
        let equations = Equations {
            right_hand_side: RefCell::new(&mut right_hand_side),
            start: start.points(),
            dimension: start.dimension(),
            context: NalgebraContext::with_nbatch(start.len()),
            failure: RefCell::new(None),
        };
        let problem = self.problem(self.permitted(start), equations)?;
        Run { settings: *self, solver: self.start(&problem, horizon)? }.follow_to(horizon, observer)
    }

    /// The tolerance that steps are accepted with, in Euclidean length, with room for what their errors are underestimated by.
    fn step_error(&self, cloud: &Cloud) -> Option<f64> {
        Some(UNDERESTIMATED * self.permitted(cloud) * (cloud.dimension() as f64).sqrt())
    }
}

impl Adaptive {
    /// How many tolerances the solver is given.
    fn calibration(&self) -> f64 {
        let tightness = CALIBRATED / self.rtol.max(self.atol);
        tightness.powf(CALIBRATION_EXPONENT).clamp(1.0, MAX_CALIBRATION)
    }

    /// The error that the solver is permitted in a coordinate. The solver squares coordinates in units of it.
    fn permitted(&self, cloud: &Cloud) -> f64 {
        let largest = cloud.points().iter().fold(0.0_f64, |most, z| most.max(z.abs()));
        (self.calibration() * (self.atol + self.rtol * spread(cloud))).max(largest * LEAST_SQUARABLE)
    }

    fn problem<'e>(
        &self,
        permitted: f64,
        equations: Equations<'e>,
    ) -> Result<OdeSolverProblem<Equations<'e>>> {
        let mut problem = OdeBuilder::<Matrix>::new()
            .context(equations.context)
            .rtol(0.0)
            .atol([permitted])
            .build_from_eqn(equations)
            .map_err(|error| self.stuck(0.0, &error))?;
        problem.ode_options.max_timestep_growth = Some(MAX_GROWTH);
        problem.ode_options.pi_control_integral = INTEGRAL_GAIN;
        problem.ode_options.pi_control_proportional = PROPORTIONAL_GAIN;
        Ok(problem)
    }

    /// A solver at time zero that will stop at the horizon. The first step is cut to the horizon beforehand: the solver
    /// takes a horizon far below its step for no horizon at all.
    fn start<'p, 'e>(
        &self,
        problem: &'p OdeSolverProblem<Equations<'e>>,
        horizon: RawTime,
    ) -> Result<Solver<'p, 'e>> {
        let mut solver = self.checked(0.0, problem, problem.tsit45())?;
        let first = (FIRST_STEP * solver.state().h).min(horizon.get());
        *solver.state_mut().h = first;
        self.checked(0.0, problem, solver.set_stop_time(horizon.get()))?;
        Ok(solver)
    }

    /// What the solver returned, unless the right-hand side has failed: the solver itself would not notice.
    fn checked<T>(
        &self,
        raw_time: f64,
        problem: &OdeSolverProblem<Equations<'_>>,
        result: std::result::Result<T, DiffsolError>,
    ) -> Result<T> {
        match problem.eqn.failure.take() {
            Some(failure) => Err(failure),
            None => result.map_err(|error| self.stuck(raw_time, &error)),
        }
    }

    fn stuck(&self, raw_time: f64, error: &DiffsolError) -> Error {
        let problem = format!(
            "no step is short enough ({error}); rtol = {:e} and atol = {:e} ask for more than f64 can give here, so loosen them",
            self.rtol, self.atol
        );
        Error::Integration { what: "the particle flow", raw_time, problem }
    }

    fn too_many_steps(&self, raw_time: f64, horizon: RawTime) -> Error {
        let remedy = if raw_time / self.max_steps as f64 > STABLE_STEP {
            "they are as long as stability lets them be, so looser tolerances would not help: shorten the horizon (perturbations die out at rates of \
             order one per raw time, so that by now hardly anything moves), or allow more steps"
                .to_owned()
        } else {
            format!("loosen rtol = {:e} and atol = {:e}, or allow more steps", self.rtol, self.atol)
        };
        let problem =
            format!("{} steps do not reach the horizon {}; {remedy}", self.max_steps, horizon.get());
        Error::Integration { what: "the particle flow", raw_time, problem }
    }
}

/// Steps in raw time that are longer than this on the whole are limited by stability: rates of decay go up to one, and an explicit method of order five
/// takes steps of about three then.
const STABLE_STEP: f64 = 1.0;

/// How far particles are from each other: the distance from the median of all coordinates within which half the mass lies, per coordinate. Particles
/// far away do not change it. The mean distance stands in where half the mass is at one place.
fn spread(cloud: &Cloud) -> f64 {
    let column = |k: usize| cloud.rows().map(|row| row[k]).collect();
    let centre: Vec<f64> = (0..cloud.dimension()).map(|k| median(cloud, column(k))).collect();
    let distance = |row: &[f64]| norm(&row.iter().zip(&centre).map(|(z, c)| z - c).collect::<Vec<f64>>());
    let distances: Vec<f64> = cloud.rows().map(distance).collect();
    let mean = || distances.iter().enumerate().map(|(i, r)| cloud.weight(i) * r).sum();
    let typical = match median(cloud, distances.clone()) {
        0.0 => mean(),
        half => half,
    };
    typical / (cloud.dimension() as f64).sqrt()
}

/// The lower median of what every particle has one of, with the particles' weights.
fn median(cloud: &Cloud, values: Vec<f64>) -> f64 {
    let mut pairs: Vec<(f64, f64)> =
        values.into_iter().enumerate().map(|(i, value)| (value, cloud.weight(i))).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut below = 0.0;
    let middle = pairs.iter().find(|(_, weight)| {
        below += weight;
        below >= 0.5
    });
    middle.or(pairs.last()).map_or(0.0, |(value, _)| *value)
}

/// A run under way.
struct Run<'p, 'e> {
    settings: Adaptive,
    solver: Solver<'p, 'e>,
}

impl Run<'_, '_> {
    /// Steps to the horizon and shows every step to the observer.
    fn follow_to(mut self, horizon: RawTime, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        let mut start = Held::of(&self.solver, self.solver.state().t)?;
        while start.raw_time < horizon {
            if self.solver.get_statistics().number_of_steps as u64 >= self.settings.max_steps {
                return Err(self.settings.too_many_steps(start.raw_time.get(), horizon));
            }
            let end = self.step(start.raw_time, horizon)?;
            let path = Path { run: &self, start: &start, end: &end, middle: OnceCell::new() };
            observer.accepted(&Step::new(start.moment(), end.moment(), &|time| path.at(time)))?;
            start = end;
        }
        let statistics = self.solver.get_statistics();
        Ok(IntegrationEnd {
            points: start.points,
            steps: statistics.number_of_steps as u64,
            rejected: statistics.number_of_error_test_failures as u64,
        })
    }

    /// One accepted step.
    fn step(&mut self, from: RawTime, horizon: RawTime) -> Result<Held> {
        let outcome = self.solver.step();
        let reason = self.settings.checked(from.get(), self.solver.problem(), outcome)?;
        let (time, next) = (self.solver.state().t, self.solver.state().h);
        let left = horizon.get() - time;
        if reason == OdeSolverStopReason::TstopReached || left <= SAME_TIME * horizon.get() {
            return Held::of(&self.solver, horizon.get());
        }
        // Two steps in a row whose errors vanish (nothing moves) leave the control with 0/0.
        if !next.is_finite() {
            *self.solver.state_mut().h = left.min(MAX_GROWTH * (time - from.get()));
        }
        Held::of(&self.solver, time)
    }

    /// A step from `start` towards the middle of the step that ended at `end`; the run itself stays where it is.
    fn half_step(&self, start: &Held, end: RawTime) -> Result<Held> {
        let mut state = self.solver.state_clone();
        let begin = state.as_mut();
        begin.y.inner_mut().as_mut_slice().copy_from_slice(&start.points);
        begin.dy.inner_mut().as_mut_slice().copy_from_slice(&start.derivative);
        *begin.t = start.raw_time.get();
        *begin.h = (end.get() - start.raw_time.get()) / 2.0;
        let problem = self.solver.problem();
        let mut side = self.settings.checked(start.raw_time.get(), problem, problem.tsit45_solver(state))?;
        let outcome = side.step();
        self.settings.checked(start.raw_time.get(), problem, outcome)?;
        Held::of(&side, side.state().t)
    }
}

/// The path within a step; the middle is computed when it is first needed.
struct Path<'a, 'p, 'e> {
    run: &'a Run<'p, 'e>,
    start: &'a Held,
    end: &'a Held,
    middle: OnceCell<Held>,
}

impl Path<'_, '_, '_> {
    fn at(&self, time: f64) -> Result<Vec<f64>> {
        let middle = match self.middle.get() {
            Some(middle) => middle,
            None => {
                let half = self.run.half_step(self.start, self.end.raw_time)?;
                self.middle.get_or_init(|| half)
            }
        };
        let (start, middle, end) = (self.start.moment(), middle.moment(), self.end.moment());
        Ok(Hermite { start, middle, end }.at(time))
    }
}

/// A copy of the solver's state.
struct Held {
    raw_time: RawTime,
    points: Vec<f64>,
    derivative: Vec<f64>,
}

impl Held {
    /// Copies the state, which counts as that of `raw_time`, and refuses one that is not finite.
    fn of(solver: &Solver<'_, '_>, raw_time: f64) -> Result<Self> {
        let state = solver.state();
        let points = state.y.inner().as_slice().to_vec();
        check_finite("the position", raw_time, &points, state.y.len())?;
        let derivative = state.dy.inner().as_slice().to_vec();
        Ok(Self { raw_time: RawTime::new(raw_time)?, points, derivative })
    }

    fn moment(&self) -> Moment<'_> {
        Moment { raw_time: self.raw_time, points: &self.points, derivative: &self.derivative }
    }
}

type State = NalgebraVec<f64>;
type Matrix = NalgebraMat<f64>;
type Solver<'p, 'e> = ExplicitRk<'p, Equations<'e>>;
type RightHandSide<'e> = dyn FnMut(f64, &[f64], &mut [f64]) -> Result<()> + 'e;

/// The flow in the solver's terms: one batch lane per particle, whose worst lane decides about a step.
struct Equations<'e> {
    right_hand_side: RefCell<&'e mut RightHandSide<'e>>,
    start: &'e [f64],
    dimension: usize,
    context: NalgebraContext,
    /// The first failure of the right-hand side, until somebody asks.
    failure: RefCell<Option<Error>>,
}

impl NonLinearOp for Equations<'_> {
    /// The solver cannot be told of a failure, and accepts NaN without a word: a failure is kept aside, zeros stand in
    /// for the result, and nothing is evaluated any more.
    fn call_inplace(&self, points: &State, time: f64, derivative: &mut State) {
        let mut failure = self.failure.borrow_mut();
        let derivative = derivative.inner_mut().as_mut_slice();
        if failure.is_none() {
            let evaluate = &mut *self.right_hand_side.borrow_mut();
            *failure = evaluate(time, points.inner().as_slice(), derivative).err();
        }
        if failure.is_some() {
            derivative.fill(0.0);
        }
    }
}

impl ConstantOp for Equations<'_> {
    fn call_inplace(&self, _time: f64, points: &mut State) {
        points.inner_mut().as_mut_slice().copy_from_slice(self.start);
    }
}

impl Op for Equations<'_> {
    type T = f64;
    type V = State;
    type M = Matrix;
    type C = NalgebraContext;

    fn context(&self) -> &NalgebraContext {
        &self.context
    }

    fn nstates(&self) -> usize {
        self.dimension
    }

    fn nout(&self) -> usize {
        self.dimension
    }

    fn nparams(&self) -> usize {
        0
    }
}

impl<'r> OdeEquationsRef<'r> for Equations<'_> {
    type Rhs = &'r Self;
    type Init = &'r Self;
    type Mass = UnitCallable<Matrix>;
    type Root = UnitCallable<Matrix>;
    type Out = UnitCallable<Matrix>;
    type Reset = UnitCallable<Matrix>;
}

impl OdeEquations for Equations<'_> {
    fn rhs(&self) -> &Self {
        self
    }

    fn init(&self) -> &Self {
        self
    }

    fn mass(&self) -> Option<UnitCallable<Matrix>> {
        None
    }

    fn set_params(&mut self, _none: &State) {}

    fn get_params(&self, _none: &mut State) {}
}
