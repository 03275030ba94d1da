//! [`Step`]: one accepted step of an integrator, as observers see it.

use crate::error::{Error, Result};
use crate::scale::RawTime;

/// The numerical solution between two consecutive times. Together the steps of a run form a continuous path `Z̃(t)`
/// from the start to the horizon; states and derivatives are those of `Z̃`, row-major like the cloud.
pub struct Step<'a> {
    /// The step at its beginning.
    pub start: Moment<'a>,
    /// Time, points and derivative where it ends.
    pub end: Moment<'a>,
    between: &'a Path<'a>,
}

/// The path within a step: the state at a raw time.
type Path<'a> = dyn Fn(f64) -> Result<Vec<f64>> + 'a;

/// The numerical solution at one time.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// When.
    pub raw_time: RawTime,
    /// Where the particles are, `Z̃`.
    pub points: &'a [f64],
    /// How they move, `dZ̃/dt` seen from inside the step.
    pub derivative: &'a [f64],
}

impl<'a> Step<'a> {
    /// A step from its two ends and the path in between, which gives the state at a raw time.
    pub fn new(start: Moment<'a>, end: Moment<'a>, between: &'a Path<'a>) -> Self {
        Self { start, end, between }
    }

    /// `Z̃(t)` at a time within the step. Asking may cost evaluations of the drift, once per step.
    pub fn points_at(&self, raw_time: RawTime) -> Result<Vec<f64>> {
        if raw_time == self.start.raw_time {
            return Ok(self.start.points.to_vec());
        }
        if raw_time == self.end.raw_time {
            return Ok(self.end.points.to_vec());
        }
        if raw_time < self.start.raw_time || raw_time > self.end.raw_time {
            return Err(Error::InvalidParameter {
                name: "raw time asked of a step",
                value: raw_time.get(),
                requirement: "within the step",
            });
        }
        self.between(raw_time.get())
    }

    /// The path strictly inside the step.
    pub(super) fn between(&self, raw_time: f64) -> Result<Vec<f64>> {
        (self.between)(raw_time)
    }
}

/// Watches a run. Watching never changes the path.
pub trait StepObserver {
    /// Called once for every accepted step, in order of time. An error ends the run.
    fn accepted(&mut self, step: &Step<'_>) -> Result<()>;
}
