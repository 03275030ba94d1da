//! Refinement until two resolutions agree, and the limits of `f64`.
//!
//! # Formula
//! The flow is anti-diffusive: a ripple of wavenumber `k` grows at the rate `(k²/β)e^{−k²/2β} ≤ 2/e` per raw time. Rounding errors
//! therefore grow up to
//! ```text
//! ε e^{2t/e},      that is ε e^{βτ/e} at the denoising horizon t = βτ/2,
//! ```
//! and no refinement helps against that. When a finer level does not bring two resolutions together, what is left is
//! rounding, and the answer is either the best level with its error, or how far the flow can be followed.

use super::MeanField;
use super::march::{Attempt, Breach, Level, Pair, march};
use super::quadrature::QuadratureCloud;
use super::source::{Need, Role, Source};
use super::state::Evolution;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::scale::RawTime;

/// Levels before the refinement is given up.
const MAX_LEVELS: usize = 7;
/// Accuracy that is aimed at when none is asked for, relative to the scale of the law.
const DEFAULT_ACCURACY: f64 = 1e-9;
/// Without an accuracy asked for, errors up to this are reported; beyond it there are no digits worth reporting.
const WORST_ACCURACY: f64 = 1e-3;
/// Rounding relative to the scale, before it has grown, with room for the number of operations.
const ROUNDING: f64 = 1e-15;
/// Time tolerance as a share of the accuracy.
const TIME_SHARE: f64 = 1.0 / 50.0;
/// The smallest time tolerance relative to the scale that step-size control can still see.
const SMALLEST_TOLERANCE: f64 = 1e-13;
/// A level helps if it brings the discrepancy down by this factor; rounding does not go away.
const PROGRESS: f64 = 0.25;
/// Levels in a row that may fail to help: before a level is fine enough, convergence may be slow.
const PATIENCE: usize = 2;

/// How close two resolutions must come, as lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Where refinement stops.
    wanted: f64,
    /// Where a level is given up.
    pub limit: f64,
    scale: f64,
    /// Whether the limit is one that was asked for.
    insisted: bool,
}

impl Goal {
    fn of(problem: &MeanField, horizon: RawTime, scale: f64) -> Self {
        let limit = problem.accuracy.unwrap_or(WORST_ACCURACY);
        let growth = (2.0 * horizon.get() / std::f64::consts::E).exp();
        let reachable = (ROUNDING * growth).clamp(DEFAULT_ACCURACY, WORST_ACCURACY);
        let wanted = problem.accuracy.unwrap_or(reachable);
        let insisted = problem.accuracy.is_some();
        Self { wanted: scale * wanted, limit: scale * limit, scale, insisted }
    }

    fn tolerance(&self) -> f64 {
        (TIME_SHARE * self.wanted).max(SMALLEST_TOLERANCE * self.scale)
    }
}

/// What a problem needs up to the last of some times.
fn prepared(problem: &MeanField, times: &[RawTime], drift: &dyn Drift) -> Result<(Goal, Source)> {
    let scale = problem.law.noisy(problem.noise).covariance().trace().sqrt();
    let horizon = times.iter().copied().fold(RawTime::new(0.0)?, |a, b| if b > a { b } else { a });
    let goal = Goal::of(problem, horizon, scale);
    let source = Source::new(problem, Need { accuracy: goal.wanted, scale, horizon }, drift)?;
    Ok((goal, source))
}

/// One resolution on its own at one time.
pub(super) fn solve_at(
    problem: &MeanField,
    resolution: f64,
    time: RawTime,
    drift: &dyn Drift,
) -> Result<QuadratureCloud> {
    let (goal, source) = prepared(problem, &[time], drift)?;
    let mut level = Level::new(source.grid(resolution, Role::Answer)?, &[], goal.tolerance())?;
    level.advance(time, problem.beta, drift)?;
    level.picture()
}

/// Refines until two resolutions agree.
pub(super) fn evolve(problem: &MeanField, times: &[RawTime], drift: &dyn Drift) -> Result<Evolution> {
    let (goal, source) = prepared(problem, times, drift)?;
    let mut search = Search { goal, best: None, error: f64::INFINITY, breach: None, stalled: 0 };
    let ladder = source.ladder();
    let mut resolution = ladder.first;
    for _ in 0..MAX_LEVELS {
        let finer = resolution / ladder.ratio;
        let coarse = source.grid(resolution, Role::Judge);
        let grids = coarse.and_then(|coarse| Ok((coarse, source.grid(finer, Role::Answer)?)));
        let (coarse, fine) = match (grids, search.best.take()) {
            (Ok(grids), best) => {
                search.best = best;
                grids
            }
            (Err(_), Some(best)) => {
                search.best = Some(best);
                return search.give_up();
            }
            (Err(error), None) => return Err(error),
        };
        let pair = Pair::new(coarse, fine, goal.tolerance())?;
        let attempt = march(problem, pair, times, goal, drift)?;
        if let Some(outcome) = search.judge(attempt, finer) {
            return outcome;
        }
        resolution = finer;
    }
    search.give_up()
}

/// What the levels so far have shown.
struct Search {
    goal: Goal,
    best: Option<Evolution>,
    /// The error of the best, posterior means included.
    error: f64,
    breach: Option<Breach>,
    /// Levels in a row that did not help.
    stalled: usize,
}

impl Search {
    /// Takes in a level; returns the answer once a finer one could not better it.
    fn judge(&mut self, attempt: Attempt, resolution: f64) -> Option<Result<Evolution>> {
        if let Some(breach) = attempt.breach {
            if self.best.is_some() {
                return Some(self.give_up());
            }
            let ratio = self.breach.as_ref().and_then(|old| {
                let now = attempt.discrepancies.iter().find(|d| d.raw_time >= old.raw_time)?;
                Some(now.size / old.size)
            });
            self.breach = Some(breach);
            return ratio.is_some_and(|ratio| ratio > PROGRESS).then(|| self.give_up());
        }
        let (error, before) = (attempt.error, self.error);
        let found = Evolution { states: attempt.states, nodes: attempt.nodes, resolution };
        if error < before {
            (self.best, self.error) = (Some(found), error);
        }
        self.stalled = if error > PROGRESS * before { self.stalled + 1 } else { 0 };
        (error <= self.goal.wanted || self.stalled == PATIENCE).then(|| self.give_up())
    }

    /// The best there is, or why there is nothing.
    fn give_up(&mut self) -> Result<Evolution> {
        let Goal { limit, scale, insisted, .. } = self.goal;
        let reached = self.best.as_ref().and_then(|best| best.states.last()).map(|state| state.raw_time);
        if let Some(raw_time) = reached.filter(|_| insisted && self.error > limit) {
            return Err(Error::Integration {
                what: "the mean-field reference",
                raw_time: raw_time.get(),
                problem: format!(
                    "what was asked for is known to within {:.1e}, where {limit:.1e} is allowed, and finer nodes do not help. \
                     Ask for less accuracy, a shorter horizon or a smaller β, or for queries nearer to the law",
                    self.error
                ),
            });
        }
        self.best.take().ok_or_else(|| {
            let breach = self.breach.take().unwrap_or_default();
            Error::Integration {
                what: "the mean-field reference",
                raw_time: breach.raw_time,
                problem: format!(
                    "two resolutions differ by {:.1e}, where {limit:.1e} is allowed. Rounding errors grow up to e^(2t/e), \
                     which is e^(βτ/e) at the denoising horizon; at a relative accuracy of {:.0e} f64 carries this flow to \
                     raw time {:.2}, that is to βτ ≈ {:.0}. Ask for a shorter horizon, a smaller β, or less accuracy",
                    breach.size,
                    limit / scale,
                    breach.reached,
                    2.0 * breach.reached,
                ),
            }
        })
    }
}
