//! What `flow` and `denoise` say about a run.

use std::fmt;

use ebflow::Cloud;
use ebflow::flow::Trajectory;
use serde::Serialize;

use super::args::DriftName;
use super::output;

/// A run of Stage 1.
#[derive(Serialize)]
pub struct RunReport {
    n: usize,
    d: usize,
    kept: usize,
    raw_time: f64,
    score_time: f64,
    steps: u64,
    rejected: u64,
    evaluations: u64,
    pairs: u64,
    drift: &'static str,
    error: ErrorReport,
}

/// How far the particles may be from the exact flow of the same tokens.
#[derive(Serialize)]
struct ErrorReport {
    /// Largest error of a particle, estimated by a finer run.
    estimate: Option<f64>,
    /// Mean error of the particles, an estimate for W1.
    estimate_w1: Option<f64>,
}

impl RunReport {
    pub fn new(tokens: &Cloud, trajectory: &Trajectory, drift: DriftName) -> Self {
        let statistics = trajectory.statistics;
        let estimate = trajectory.error.estimate;
        Self {
            n: tokens.len(),
            d: tokens.dimension(),
            kept: trajectory.end.len(),
            raw_time: trajectory.raw_time.get(),
            score_time: trajectory.score_time.get(),
            steps: statistics.steps,
            rejected: statistics.rejected,
            evaluations: statistics.evaluations,
            pairs: statistics.pairs,
            drift: drift.name(),
            error: ErrorReport { estimate: estimate.map(|e| e.max), estimate_w1: estimate.map(|e| e.mean) },
        }
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        output::line(f, "tokens", format_args!("{} in dimension {}, {} kept", self.n, self.d, self.kept))?;
        output::line(
            f,
            "horizon",
            format_args!("raw time {}, score time {}", self.raw_time, self.score_time),
        )?;
        output::line(
            f,
            "work",
            format_args!(
                "{} steps ({} rejected), {} evaluations, {} drift",
                self.steps, self.rejected, self.evaluations, self.drift
            ),
        )?;
        match (self.error.estimate, self.error.estimate_w1) {
            (Some(max), Some(mean)) => output::line(
                f,
                "flow error",
                format_args!("{max:.1e} at the worst particle, {mean:.1e} in W1 (estimated by a finer run)"),
            ),
            _ => Ok(()),
        }
    }
}
