//! Events: the times at which an observable of the flow crosses a level.
//!
//! # Formula
//! For an observable `g` and a level `c`, the zeros of `f(t) = g(ẑ(t)) − c` on the corrected path `ẑ` of each step (a polynomial in time, see
//! [`bound`](super::bound)). A stretch of time is set aside as free of crossings only when `f` provably keeps its sign on the path: `|f|` at its
//! middle exceeds all that the motion of the particles can do to `g` meanwhile. What cannot be set aside is cut in halves until it is
//! shorter than the resolution asked for. Two crossings within a step are therefore not missed, however close to each
//! other, down to that resolution; nearer than that, they show up as [`Passages::unresolved`].
//!
//! The error bar of a crossing is what the distance of the path to the exact flow can do to `g`, divided by the slope `|ġ|`: to first order
//! in that distance. With a bound on the run it is a bound; otherwise the size of the estimated error takes its place.

mod observable;
mod search;

pub use observable::{AxisVariance, Distance, Expansion, Observable, TotalVariance};
pub(super) use search::{Passage, Search};

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::scale::RawTime;

/// An observable, a level, and how finely to look.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::flow::{Adaptive, Event, Flow, Schedule, TotalVariance};
/// use ebflow::{Beta, Cloud, RawTime};
/// let cloud = Cloud::new(vec![-1.0, -0.2, 0.3, 1.0], 1)?;
/// let flow = Flow::new(Schedule::constant(Beta::new(1.0)?), RawTime::new(2.0)?)?
///     .with_event(Event::new(TotalVariance, 0.2, 1e-9)?)?;
/// let trajectory = flow.run(&cloud, &Dense, &Adaptive::new(1e-8, 1e-8)?)?;
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
pub struct Passages {
    /// The crossings, in order of time.
    pub crossings: Vec<Crossing>,
    /// Stretches of raw time, shorter than the resolution or nearly so, within which the observable came so close to the level without
    /// leaving on the other side that two crossings cannot be ruled out.
    pub unresolved: Vec<(f64, f64)>,
}

/// One crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// When.
    pub raw_time: RawTime,
    /// How far off that may be, in raw time.
    pub error: f64,
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
