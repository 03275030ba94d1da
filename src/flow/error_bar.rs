//! [`ErrorBar`]: how far the end of a run may be from the exact flow of the same cloud.
//!
//! The *estimate* is the error itself as far as it can be computed cheaply, with its sign, beside the run: a path through the steps, its
//! defect, and the error that follows from it. The *bound* adds what the estimate may have missed; [`bound`](super::bound) derives it and says what
//! is proved and what is assumed.

use super::bound::{Bound, Refusal};
use crate::cloud::{Cloud, norm};

/// How far the end of a run may be from the exact flow of the same cloud.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorBar {
    /// The error as far as it can be computed, when asked for.
    pub estimate: Option<ErrorEstimate>,
    /// A bound, when asked for and found.
    pub bound: Option<Bound>,
    /// Why there is no bound although one was asked for.
    pub refusal: Option<Refusal>,
}

/// An estimate of the time-integration error: not a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorEstimate {
    /// The largest distance of a particle from where the flow would have taken it.
    pub max: f64,
    /// The weighted mean of those distances. Matching every particle with itself is a coupling, so this estimates an
    /// upper bound of `W1` between the computed and the exact empirical measure.
    pub mean: f64,
    /// Evaluations that the error bar took on top of [`Statistics::evaluations`](super::Statistics::evaluations); a Jacobian–vector
    /// product counts as one.
    pub evaluations: u64,
}

impl ErrorEstimate {
    /// From the error of every coordinate.
    pub(super) fn of(cloud: &Cloud, error: &[f64], evaluations: u64) -> Self {
        let distances: Vec<f64> = error.chunks_exact(cloud.dimension()).map(norm).collect();
        Self {
            max: distances.iter().copied().fold(0.0, f64::max),
            mean: distances.iter().enumerate().map(|(i, e)| cloud.weight(i) * e).sum(),
            evaluations,
        }
    }

    /// Compares a run with one whose error is expected to be `gain` times smaller: if `e = c` and `e' = c/gain`
    /// point the same way, the difference is `c (1 − 1/gain)`.
    pub(super) fn between(coarse: &Cloud, fine: &Cloud, gain: f64, evaluations: u64) -> Self {
        let scale = gain / (gain - 1.0);
        let error: Vec<f64> =
            coarse.points().iter().zip(fine.points()).map(|(a, b)| scale * (a - b)).collect();
        Self::of(coarse, &error, evaluations)
    }
}
