//! [`Trajectory`]: what a run leaves behind, with its error bar.

use crate::cloud::{Cloud, norm};
use crate::scale::{RawTime, ScoreTime};

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Trajectory {
    /// The cloud at the horizon.
    pub end: Cloud,
    /// The horizon in the raw clock.
    pub raw_time: RawTime,
    /// The horizon in the score clock.
    pub score_time: ScoreTime,
    /// The cloud at the requested times, in the order of the requests.
    pub snapshots: Vec<Snapshot>,
    /// What the run cost.
    pub statistics: Statistics,
    /// How far `end` may be from the exact flow.
    pub error: ErrorBar,
}

/// The cloud on its way.
#[derive(Debug, Clone)]
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

/// How far the end of a run may be from the exact flow of the same cloud.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorBar {
    /// Measured against a finer run, when one was asked for.
    pub estimate: Option<ErrorEstimate>,
}

/// An estimate of the time-integration error from a second, finer run: not a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorEstimate {
    /// The largest distance of a particle from where the flow would have taken it.
    pub max: f64,
    /// The weighted mean of those distances. Matching every particle with itself is a coupling, so this estimates an
    /// upper bound of `W1` between the computed and the exact empirical measure.
    pub mean: f64,
    /// Evaluations that the finer run took on top of [`Statistics::evaluations`].
    pub evaluations: u64,
}

impl ErrorEstimate {
    /// Compares a run with one whose error is expected to be `gain` times smaller: if `e = c` and `e' = c/gain`
    /// point the same way, the difference is `c (1 − 1/gain)`.
    pub(super) fn between(coarse: &Cloud, fine: &Cloud, gain: f64, evaluations: u64) -> Self {
        let scale = gain / (gain - 1.0);
        let distance = |(a, b): (&[f64], &[f64])| {
            let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            scale * norm(&difference)
        };
        let distances: Vec<f64> = coarse.rows().zip(fine.rows()).map(distance).collect();
        Self {
            max: distances.iter().copied().fold(0.0, f64::max),
            mean: distances.iter().enumerate().map(|(i, e)| coarse.weight(i) * e).sum(),
            evaluations,
        }
    }
}
