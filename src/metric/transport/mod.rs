//! Exact optimal transport between weighted clouds, certified from both sides.
//!
//! # Formula
//! ```text
//! W1(μ, ν) = min_π Σ π_ij |x_i − y_j| = max_f ∫ f d(μ − ν),    π a coupling, f 1-Lipschitz
//! ```
//! Any coupling gives an upper bound and any 1-Lipschitz function a lower one; [`wasserstein`] returns both,
//! and they agree to rounding. Memory grows linearly with the number of points.
//!
//! | step | where |
//! |---|---|
//! | integer masses with equal sums | `mass` |
//! | merge coincident points, cancel common mass, scale | `problem` |
//! | merge neighbours until all pairs fit, solve, refine | `side`, `solve` |
//! | first arcs and prices from the coarser solution | `start`, `transform` |
//! | primal network simplex on those arcs | `simplex`, `basis`, `lift`, `numbering` |
//! | all pairs priced by tree search, violated arcs added | `search`, `prices`, `cone`, `tree` |
//! | both bounds, independent of all of the above | `certificate`, `potential` |
//!
//! # Paper
//! `eq:sc-KR` is the duality; convergence is stated in this distance in
//! `thm:sc-exact-fixed-beta-poc-compact-support`, `thm:nc-admissible-particle-approximation`.

mod basis;
mod certificate;
mod cone;
mod dual;
mod lift;
mod mass;
mod numbering;
mod potential;
mod prices;
mod problem;
mod search;
mod side;
mod simplex;
mod solve;
mod start;
#[cfg(test)]
mod tests;
mod transform;
mod tree;

pub use potential::Potential;
pub use solve::Effort;

use crate::cloud::Cloud;
use crate::error::{Error, Result, check_same_space};
use certificate::Certificate;
use dual::Dual;
use problem::{Points, Problem};
use side::Side;

/// `W1` between two clouds with both bounds, the plan and the potential that prove them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Transport {
    /// The cost of the plan: `W1` up to rounding.
    pub distance: f64,
    /// No larger than `W1`: the potential's, rounding and rounded weights subtracted.
    pub lower: f64,
    /// No smaller than `W1`: the plan's, rounding and rounded weights added.
    pub upper: f64,
    /// The part of both bounds that is due to weights which had to be rounded to integers; zero for equal
    /// weights.
    pub weight_rounding: f64,
    /// What moves where. Mass that both clouds hold at the same place stays and is not listed.
    pub plan: Vec<Shipment>,
    /// The 1-Lipschitz function behind the lower bound, to be evaluated anywhere.
    pub potential: Potential,
    /// What it took.
    pub effort: Effort,
}

/// Mass that moves from a row of the first cloud to a row of the second; of coincident rows the first is named.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Shipment {
    /// Row of the first cloud.
    pub from: usize,
    /// Row of the second cloud.
    pub to: usize,
    /// Share of the whole mass, which is one.
    pub mass: f64,
}

impl Transport {
    /// `upper − lower`.
    pub fn gap(&self) -> f64 {
        self.upper - self.lower
    }
}

/// The Wasserstein distance `W1` between two clouds of the same dimension, exact to rounding.
///
/// ```
/// use ebflow::{Cloud, metric::transport};
/// let corners = Cloud::new(vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0], 2)?;
/// let centre = Cloud::new(vec![0.5, 0.5], 2)?;
/// let transport = transport::wasserstein(&corners, &centre)?;
/// assert!(transport.lower <= 0.5_f64.sqrt() && 0.5_f64.sqrt() <= transport.upper);
/// assert!(transport.gap() < 1e-11);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn wasserstein(first: &Cloud, second: &Cloud) -> Result<Transport> {
    check_same_space("the second cloud", second.dimension(), "the first", first.dimension())?;
    let problem = Problem::between(first, second);
    let transport = match problem.dimension {
        _ if problem.is_trivial() => stay(&problem),
        1 => transport::<1>(&problem),
        2 => transport::<2>(&problem),
        3 => transport::<3>(&problem),
        _ => transport::<0>(&problem),
    };
    if transport.upper.is_finite() { Ok(transport) } else { Err(too_far(transport.upper)) }
}

/// Equal clouds: nothing moves.
fn stay(problem: &Problem) -> Transport {
    Transport {
        distance: 0.0,
        lower: 0.0,
        upper: problem.weight_rounding,
        weight_rounding: problem.weight_rounding,
        plan: vec![],
        potential: potential(problem, vec![], Dual::default()),
        effort: Effort::default(),
    }
}

fn transport<const D: usize>(problem: &Problem) -> Transport {
    let side = |points: &Points| Side::<D>::new(&points.coordinates, &points.masses, problem.dimension);
    let (sources, targets) = (side(&problem.sources), side(&problem.targets));
    let solution = solve::solve(&sources, &targets);
    let [at_sources, heights] = start::duals([&sources, &targets], &solution.basis);
    let middle = heights.middle();
    let duals = [at_sources.shifted(middle), heights.shifted(-middle)];
    let bounds = Certificate::new([&sources, &targets], problem.total, &solution.basis, &duals);
    let moving = solution.basis.flows().filter(|flow| flow.mass > 0);
    let plan = moving.map(|flow| Shipment {
        from: problem.sources.rows[sources.rows[flow.source] as usize],
        to: problem.targets.rows[targets.rows[flow.target] as usize],
        mass: flow.mass as f64 / problem.total as f64,
    });
    let [_, heights] = duals;
    Transport {
        distance: problem.unit.restore(bounds.cost),
        lower: (problem.unit.restore(bounds.lower) - problem.weight_rounding).max(0.0),
        upper: problem.unit.restore(bounds.upper) + problem.weight_rounding,
        weight_rounding: problem.weight_rounding,
        plan: plan.collect(),
        potential: potential(problem, targets.tree.points().to_vec(), heights),
        effort: solution.effort,
    }
}

fn potential(problem: &Problem, anchors: Vec<f64>, heights: Dual) -> Potential {
    Potential { dimension: problem.dimension, unit: problem.unit, anchors, heights }
}

/// The error for distances that are no finite numbers although all coordinates are.
fn too_far(value: f64) -> Error {
    Error::InvalidParameter {
        name: "distance between the clouds",
        value,
        requirement: "a finite number (rescale the coordinates)",
    }
}
