//! [`Trajectory`]: what a run leaves behind, with its error bar.

use super::{ErrorBar, Passages};
use crate::cloud::Cloud;
use crate::scale::{RawTime, ScoreTime};

/// The result of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Trajectory {
    /// The cloud at the horizon.
    pub end: Cloud,
    /// The horizon in the raw clock.
    pub raw_time: RawTime,
    /// The horizon in the score clock.
    pub score_time: ScoreTime,
    /// The cloud at the requested times, in the order of the requests.
    pub snapshots: Vec<Snapshot>,
    /// What became of the events asked for, in their order.
    pub events: Vec<Passages>,
    /// What the run cost.
    pub statistics: Statistics,
    /// How far `end` may be from the exact flow.
    pub error: ErrorBar,
}

/// The cloud on its way.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Snapshot {
    /// When, in the raw clock.
    pub raw_time: RawTime,
    /// When, in the score clock.
    pub score_time: ScoreTime,
    /// Where.
    pub cloud: Cloud,
}

/// What a run cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Steps taken; layers, for a network.
    pub steps: u64,
    /// Steps tried and thrown away.
    pub rejected: u64,
    /// Evaluations of the drift, those for snapshots between the steps included.
    pub evaluations: u64,
    /// Kernel values computed, as ordered pairs.
    pub pairs: u64,
}
