//! [`Time`]: a time that carries its clock along.

use crate::scale::{RawTime, ScoreTime};

/// A horizon or a moment, in whichever clock the caller thinks in. Which raw time a score time is depends on the
/// [`Schedule`](super::Schedule), so a bare number is never enough.
///
/// ```
/// use ebflow::flow::{Schedule, Time};
/// use ebflow::{Beta, ScoreTime};
/// let schedule = Schedule::constant(Beta::new(20.0)?);
/// let horizon = Time::from(ScoreTime::new(0.25)?);
/// assert_eq!(schedule.raw_time(horizon)?.get(), 5.0);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Time {
    /// In the clock `t` of `dz/dt = η(t) v_{β(t)}(z)`.
    Raw(RawTime),
    /// In the clock `s = ∫ η/β dt`.
    Score(ScoreTime),
}

impl From<RawTime> for Time {
    fn from(time: RawTime) -> Self {
        Self::Raw(time)
    }
}

impl From<ScoreTime> for Time {
    fn from(time: ScoreTime) -> Self {
        Self::Score(time)
    }
}
