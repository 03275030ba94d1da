//! Refinement until two resolutions agree, and the limits of `f64`.
//!
//! # Formula
//! The flow is anti-diffusive: a ripple of wavenumber `k` grows at the rate `(k²/β)e^{−k²/2β} ≤ 2/e` per raw time. Rounding errors
//! therefore grow up to
//! ```text
//! ε e^{2t/e},      that is ε e^{βτ/e} at the denoising horizon
//! ```
//! and no refinement helps against that.

use super::evolution::{Evolution, State};
use super::grading::{Grading, Setting};
use super::line::{Extent, extent};
use super::march::Pair;
use super::plane::PlaneGrid;
use super::quadrature::Grid;
use super::MeanField;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::law::Law;
use crate::scale::RawTime;

/// Resolution of the first coarse level.
const FIRST_RESOLUTION: f64 = 0.6;
/// How much finer the next level is.
const REFINEMENT: f64 = 1.4;
/// Levels before the refinement is given up.
const MAX_LEVELS: usize = 7;
/// Accuracy that is aimed at when none is asked for, relative to the scale of the law.
const DEFAULT_ACCURACY: f64 = 1e-9;
/// Without an accuracy asked for, errors up to this are reported; beyond there are no digits worth reporting.
const WORST_ACCURACY: f64 = 1e-3;
/// Rounding per unit of scale before it has grown.
const ROUNDING: f64 = 1e-15;
/// Time tolerance as a share of the accuracy.
const TIME_SHARE: f64 = 1.0 / 200.0;
/// Time tolerance relative to the scale that step-size control can still see.
const SMALLEST_TOLERANCE: f64 = 1e-13;
/// Mass beyond the ends of the line, and weight of the lightest nodes.
const LINE_CUT: f64 = 1e-26;
/// The same in the plane, where nodes are dear.
const PLANE_CUT: f64 = 1e-20;
/// Share of the accuracy that unresolved cells may spend.
const CELL_SHARE: f64 = 0.01;
/// Longest raw time between comparisons of the two resolutions.
const LONGEST_LEG: f64 = 1.0;
/// A level helps if it brings the discrepancy down by this factor; rounding does not go away.
const PROGRESS: f64 = 0.25;

/// The largest growth of a perturbation by raw time `t`.
fn growth(raw_time: f64) -> f64 {
    (2.0 * raw_time / std::f64::consts::E).exp()
}

/// Grids of one problem at any resolution.
enum Source {
    Line(Grading),
    Plane { law: Law, radius: Option<crate::scale::BallRadius>, finest: f64 },
}

impl Source {
    fn grid(&self, resolution: f64) -> Result<Grid> {
        Ok(match self {
            Self::Line(grading) => Grid::Line(grading.grid(resolution)?),
            Self::Plane { law, radius: None, finest } => {
                Grid::Plane(PlaneGrid::tensor(law, resolution * finest, PLANE_CUT)?)
            }
            Self::Plane { law, radius: Some(radius), finest } => {
                Grid::Plane(PlaneGrid::rings(law, *radius, resolution * finest, PLANE_CUT)?)
            }
        })
    }
}

/// The smallest variance of a Gaussian factor of a noisy law.
fn narrowest(noisy: &Law) -> f64 {
    match noisy {
        Law::Gaussian(law) => law.covariance().variances().min(),
        Law::Mixture(law) => {
            let each = law.components().iter().map(|component| component.covariance().variances().min());
            each.fold(f64::INFINITY, f64::min)
        }
        Law::Laplace(law) => law.smoothing(),
        Law::Uniform(law) => law.smoothing(),
        Law::Atoms(_) => 0.0,
    }
}

fn line_source(
    problem: &MeanField,
    noisy: &Law,
    scale: f64,
    allowance: f64,
    horizon: RawTime,
    drift: &dyn Drift,
) -> Result<Source> {
    let line = noisy.on_line()?;
    let mut ends = extent(&line, noisy.mean()[0], scale, LINE_CUT);
    let base = match problem.radius {
        Some(radius) => {
            ends = Extent { low: ends.low.max(-radius.get()), high: ends.high.min(radius.get()) };
            line.truncated(radius)?
        }
        None => line,
    };
    let mut grading = Grading::new(Setting {
        base,
        extent: ends,
        beta: problem.beta,
        narrowest: narrowest(noisy),
        scale,
        allowance,
        cut: LINE_CUT * 1e-4,
    });
    grading.fit(horizon, drift)?;
    Ok(Source::Line(grading))
}

/// Refines until two resolutions agree to the accuracy.
pub(super) fn evolve(problem: &MeanField, times: &[RawTime], drift: &dyn Drift) -> Result<Evolution> {
    let noisy = problem.law.noisy(problem.noise);
    let scale = noisy.covariance().trace().sqrt();
    let horizon = times.iter().copied().fold(RawTime::new(0.0)?, |a, b| if b > a { b } else { a });
    let reachable = (ROUNDING * growth(horizon.get())).min(WORST_ACCURACY);
    let accuracy = scale * problem.accuracy.unwrap_or(DEFAULT_ACCURACY.max(reachable));
    let source = match noisy.dimension() {
        1 => line_source(problem, &noisy, scale, CELL_SHARE * accuracy, horizon, drift)?,
        2 => Source::Plane {
            radius: problem.radius,
            finest: 1.0 / (problem.beta.get() + 1.0 / narrowest(&noisy)).sqrt(),
            law: noisy,
        },
        _ => {
            return Err(Error::Unsupported {
                kind: problem.law.kind_name(),
                capability: "the mean field in more than two dimensions",
                remedy: "it must factorise",
            });
        }
    };
    let mut resolution = FIRST_RESOLUTION;
    let mut last: Option<Breach> = None;
    for _ in 0..MAX_LEVELS {
        let finer = resolution / REFINEMENT;
        let tolerance = (TIME_SHARE * accuracy).max(SMALLEST_TOLERANCE * scale);
        let pair = Pair::new(source.grid(resolution)?, source.grid(finer)?, tolerance)?;
        let attempt = march(problem, pair, times, accuracy, drift)?;
        match attempt.breach {
            None => {
                let nodes = attempt.nodes;
                return Ok(Evolution { states: attempt.states, nodes, resolution: finer });
            }
            Some(breach) => {
                let before = last.as_ref().and_then(|old| {
                    attempt.discrepancies.iter().find(|d| d.time >= old.time).map(|d| d.size / old.discrepancy)
                });
                if before.is_some_and(|ratio| ratio > PROGRESS) {
                    return Err(limit(problem, &breach, accuracy / scale));
                }
                last = Some(breach);
            }
        }
        resolution = finer;
    }
    let breach = last.unwrap_or(Breach { reached: 0.0, time: 0.0, discrepancy: accuracy });
    Err(limit(problem, &breach, accuracy / scale))
}

fn limit(problem: &MeanField, breach: &Breach, accuracy: f64) -> Error {
    Error::Integration {
        what: "the mean-field reference",
        raw_time: breach.reached,
        problem: format!(
            "two resolutions differ by {:.1e} at raw time {:.2}, where an accuracy of {accuracy:.1e} is wanted. Rounding errors grow up to e^(2t/e), that is e^(βτ/e) at the denoising horizon; at this accuracy f64 carries the flow to raw time {:.2} (βτ ≈ {:.0} at β = {}). Ask for a shorter horizon, or for less accuracy",
            breach.discrepancy,
            breach.time,
            breach.reached,
            2.0 * breach.reached,
            problem.beta.get(),
        ),
    }
}

/// When two resolutions parted.
struct Breach {
    /// The last time at which they agreed.
    reached: f64,
    /// The time at which they did not.
    time: f64,
    discrepancy: f64,
}

struct Discrepancy {
    time: f64,
    size: f64,
}

struct Attempt {
    states: Vec<State>,
    discrepancies: Vec<Discrepancy>,
    breach: Option<Breach>,
    nodes: usize,
}

fn march(
    problem: &MeanField,
    mut pair: Pair,
    times: &[RawTime],
    accuracy: f64,
    drift: &dyn Drift,
) -> Result<Attempt> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].get().total_cmp(&times[b].get()));
    let mut states: Vec<Option<State>> = vec![None; times.len()];
    let mut discrepancies = vec![];
    let mut now = 0.0;
    let mut worst: f64 = 0.0;
    let nodes = pair.fine.picture()?.cloud().len();
    for i in order {
        let span = times[i].get() - now;
        let legs = (span / LONGEST_LEG).ceil();
        for leg in 0..legs as usize {
            let to = if leg + 1 == legs as usize { times[i].get() } else { now + span / legs };
            let reached = now;
            pair.advance(RawTime::new(to - now)?, problem.beta, drift)?;
            now = to;
            worst = worst.max(pair.discrepancy());
            discrepancies.push(Discrepancy { time: now, size: worst });
            if worst > accuracy {
                let breach = Some(Breach { reached, time: now, discrepancy: worst });
                return Ok(Attempt { states: vec![], discrepancies, breach, nodes });
            }
        }
        let raw_time = times[i];
        states[i] = Some(State {
            problem: problem.clone(),
            raw_time,
            score_time: raw_time.to_score(problem.beta),
            fine: pair.fine.picture()?,
            coarse: pair.coarse.picture()?,
            error: worst,
        });
    }
    Ok(Attempt { states: states.into_iter().flatten().collect(), discrepancies, breach: None, nodes })
}
