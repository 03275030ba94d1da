//! Events: the times at which an observable of the flow crosses a level.
//!
//! # Formula
//! For an observable `g` and a level `c`, the zeros of `f(t) = g(z(t)) − c`. They are looked for on the corrected path `ẑ` of each step, a
//! polynomial in time, together with how far `ẑ` may be from the exact flow `z` (see [`bound`](super::bound)). A stretch of time is set aside as
//! free of crossings only when `f` keeps its sign throughout: `|f|` at its middle exceeds all that the motion of the particles meanwhile *and* the
//! uncertainty about their positions can do to `g`. What cannot be set aside is cut in halves until it is shorter than the resolution
//! asked for, or the uncertainty outweighs the motion. A stretch that is left over and has different sides at its ends holds a
//! crossing, whose error bar reaches to the farther end; the others are reported as [`Passages::unresolved`]. Two crossings within a step are
//! therefore never missed silently.
//!
//! With a bound on the run the error bar is a bound ([`Crossing::proved`]); otherwise the size of the estimated error stands in for
//! the uncertainty, and the bar is an estimate.

mod observable;
mod search;

pub use observable::{AxisVariance, DistanceTo, Expansion, Motion, Observable, TotalVariance};
pub(super) use search::{Passage, Search};

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::scale::RawTime;

/// An observable, a level, and how finely to look.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::flow::{Adaptive, Event, Flow, TotalVariance};
/// use ebflow::{Beta, Cloud, RawTime};
/// let cloud = Cloud::new(vec![-1.0, -0.2, 0.3, 1.0], 1)?;
/// let flow = Flow::new(Beta::new(1.0)?, RawTime::new(2.0)?)
///     .with_event(Event::new(TotalVariance, 0.2, 1e-9)?);
/// let trajectory = flow.with_drift(Dense).with_integrator(Adaptive::new(1e-8, 1e-8)?).run(&cloud)?;
/// let [passage] = trajectory.events[0].crossings[..] else { unreachable!() };
/// assert!(passage.error < 1e-6 && passage.raw_time.get() < 2.0);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Event {
    observable: Arc<dyn Observable>,
    level: f64,
    resolution: f64,
}

impl Event {
    /// Looks for crossings of `level`, and tells apart those that are farther from each other than `resolution` in raw time.
    pub fn new(observable: impl Observable + 'static, level: f64, resolution: f64) -> Result<Self> {
        if !level.is_finite() {
            return Err(Error::InvalidParameter {
                name: "level of an event",
                value: level,
                requirement: "a finite number",
            });
        }
        if !(resolution > 0.0 && resolution.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "resolution of an event",
                value: resolution,
                requirement: "a positive finite number (in raw time)",
            });
        }
        Ok(Self { observable: Arc::new(observable), level, resolution })
    }
}

/// What became of an event in a run.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Passages {
    /// When the level was crossed for certain, in order of time.
    pub crossings: Vec<Crossing>,
    /// Stretches of raw time within which the observable comes so close to the level, without leaving on the other side, that crossings can
    /// neither be ruled out nor told apart; also those at either end of the run.
    pub unresolved: Vec<(f64, f64)>,
}

/// A passage of an observable through its level.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Crossing {
    /// When.
    pub raw_time: RawTime,
    /// How far off that may be, in raw time.
    pub error: f64,
    /// Whether `error` is a bound: one was asked for, and not refused until then.
    pub proved: bool,
    /// Which way.
    pub direction: Direction,
}

/// Which way a level is crossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From below.
    Rising,
    /// From above.
    Falling,
}
