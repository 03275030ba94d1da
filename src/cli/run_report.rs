//! What `flow` and `denoise` say about a run.

use std::fmt;
use std::path::{Path, PathBuf};

use ebflow::Cloud;
use ebflow::flow::{Bound, ErrorBar, Trajectory};
use serde::Serialize;

use super::output;
use ebflow::drift::Named;

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
    /// What was written where; JSON has it among the inputs.
    #[serde(skip)]
    files: Vec<(&'static str, PathBuf)>,
}

/// How far the particles may be from the exact flow of the same tokens. What was not asked for or not found is null.
#[derive(Serialize)]
struct ErrorReport {
    /// Largest error of a particle, estimated.
    estimate: Option<f64>,
    /// Mean error of the particles, an estimate for W1.
    estimate_w1: Option<f64>,
    /// What the estimates say, if not how large the error is.
    estimate_remark: Option<&'static str>,
    /// Whether the bound assumes nothing but the arithmetic of the machine; without a bound nothing is proved.
    proved: bool,
    /// Bound on the largest error of a particle.
    bound_max: Option<f64>,
    /// Bound on W1.
    bound_w1: Option<f64>,
    /// The shares of `bound_w1`.
    budget: Option<BudgetReport>,
    /// Why there is no bound.
    bound_missing: Option<String>,
    /// Whether a bound was asked for.
    #[serde(skip)]
    asked: bool,
}

#[derive(Serialize)]
struct BudgetReport {
    integration: f64,
    truncation: f64,
    rounding: f64,
    /// What is not known of the tokens.
    tokens: f64,
}

impl ErrorReport {
    fn new(error: &ErrorBar) -> Self {
        let missing = || match (&error.bound, &error.refusal) {
            (Some(_), _) => None,
            (None, Some(refusal)) => Some(refusal.to_string()),
            (None, None) => Some("not asked for; use --bound".into()),
        };
        let budget = |bound: &Bound| BudgetReport {
            integration: bound.budget.integration,
            truncation: bound.budget.truncation,
            rounding: bound.budget.rounding,
            tokens: bound.budget.tokens,
        };
        Self {
            estimate: error.estimate.map(|e| e.max),
            estimate_w1: error.estimate.map(|e| e.mean),
            estimate_remark: error.estimate.and_then(|e| e.quality.remark()),
            proved: error.bound.is_some(),
            bound_max: error.bound.as_ref().map(|b| b.max),
            bound_w1: error.bound.as_ref().map(|b| b.w1),
            budget: error.bound.as_ref().map(budget),
            bound_missing: missing(),
            asked: error.refusal.is_some(),
        }
    }
}

impl fmt::Display for ErrorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(max), Some(mean)) = (self.estimate, self.estimate_w1) {
            let value = format_args!("{max:.1e} at the worst particle, {mean:.1e} in W1 (estimate)");
            output::line(f, "flow error", value)?;
        }
        if let Some(remark) = self.estimate_remark {
            output::line(f, "", remark)?;
        }
        if let (Some(max), Some(w1)) = (self.bound_max, self.bound_w1) {
            let value = format_args!("{max:.1e} at the worst particle, {w1:.1e} in W1 (proved bound)");
            output::line(f, "", value)?;
        }
        if let Some(BudgetReport { integration, truncation, rounding, tokens }) = &self.budget {
            let value = format_args!(
                "{integration:.1e} steps, {truncation:.1e} kernel truncation, {rounding:.1e} rounding"
            );
            output::line(f, "bound in W1 from", value)?;
            if *tokens > 0.0 {
                output::line(f, "", format_args!("{tokens:.1e} uncertain tokens"))?;
            }
        }
        match (&self.bound_missing, self.asked) {
            (Some(reason), true) => output::line(f, "no bound", reason),
            _ => Ok(()),
        }
    }
}

impl RunReport {
    pub fn new(tokens: &Cloud, trajectory: &Trajectory, drift: Named) -> Self {
        let statistics = trajectory.statistics;
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
            error: ErrorReport::new(&trajectory.error),
            files: Vec::new(),
        }
    }

    /// With a result that goes to a file.
    pub fn with_file(mut self, what: &'static str, path: &Path) -> Self {
        self.files.push((what, path.into()));
        self
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
        write!(f, "{}", self.error)?;
        self.files.iter().try_for_each(|(what, path)| output::line(f, what, path.display()))
    }
}
