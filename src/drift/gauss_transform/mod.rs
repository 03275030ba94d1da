//! [`GaussTransform`]: the kernel sums in time proportional to the number of points, on the line and in the plane.
//!
//! # Formula
//! The drift is the gradient of a logarithm, so one scalar field suffices:
//!
//! ```text
//! v(x) = (1/β) ∇ log G(x),    G(x) = Σ_j ω_j exp(−β|x − z_j|²/2)
//! ```
//!
//! Space is divided into boxes about one kernel width wide, of which only the occupied ones exist. A box of sources is
//! replaced by its Chebyshev moments, moments are translated to a Chebyshev series in every box of targets within
//! reach, one axis at a time, and the series and its gradient are evaluated at the targets.
//!
//! Every target gets a bound of its own: the errors of the translations are summed with the masses that were really
//! there, and divided by the kernel mass that was found. Where that exceeds the tolerance (isolated points beside
//! heavy clusters, tails of weighted clouds, queries far from everything) the target is summed directly instead.
//!
//! # Paper
//! `prop:sc-barycentric-drift`

mod chebyshev;
mod data;
mod direct;
mod evaluate;
mod expansion;
mod grid;
mod keys;
mod logarithm;
mod moments;
mod neighbours;
mod plan;
mod pool;
mod series;
mod sorted;
mod transfer;
mod transform;
mod translate;

pub use plan::GaussCost;
pub(super) use plan::Plan;
pub(super) use pool::Pool;

use super::{Drift, DriftField, Targets, Tolerance};
use crate::cloud::CloudView;
use crate::error::{Error, Result};
use crate::scale::Beta;
use expansion::Goal;
use plan::Points;

/// Tightest tolerance in kernel widths: below it rounding is larger than truncation, and nothing is left to tune.
const TIGHTEST: f64 = 1e-14;
/// Loosest tolerance in kernel widths; a looser one is met all the same.
const LOOSEST: f64 = 0.1;
/// Truncation below rounding, in kernel widths: the rounding bounds of an expansion in the plane are somewhat larger.
const BELOW_ROUNDING: f64 = 1e-12;
/// Weights are taken to span no more than this; where they do, targets in the tails are summed directly.
const LOWEST_MASS: f64 = 1e-30;

/// The fast Gauss transform in one or two dimensions.
///
/// ```
/// use ebflow::drift::{Drift, DriftField, GaussTransform, Targets, Tolerance};
/// use ebflow::{Beta, Cloud};
/// let cloud = Cloud::new(vec![0.0, 0.1, 5.0], 1)?;
/// let mut field = DriftField::default();
/// let drift = GaussTransform { tolerance: Tolerance::new(1e-10)? };
/// drift.evaluate(cloud.view(), Targets::Sources, Beta::new(20.0)?, &mut field)?;
/// let attraction = 0.1 * (-0.1_f64).exp() / (1.0 + (-0.1_f64).exp());
/// assert!((field.velocity[0] - attraction).abs() <= field.truncation[0] + field.rounding[0]);
/// assert!(field.truncation.iter().all(|bound| *bound <= 1e-10));
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GaussTransform {
    /// Bound on the truncation error of every drift.
    pub tolerance: Tolerance,
}

impl GaussTransform {
    /// Whether the transform can keep to its tolerance with this kernel.
    pub fn is_possible(&self, beta: Beta) -> bool {
        self.widths(beta).is_ok()
    }

    /// The tolerance in kernel widths `1/√β`.
    fn widths(&self, beta: Beta) -> Result<f64> {
        if self.tolerance == Tolerance::BELOW_ROUNDING {
            return Ok(BELOW_ROUNDING);
        }
        let widths = self.tolerance.for_kernel(beta) * beta.get().sqrt();
        if widths >= TIGHTEST {
            return Ok(widths.min(LOOSEST));
        }
        Err(Error::InvalidParameter {
            name: "truncation tolerance ε of the Gauss transform",
            value: self.tolerance.get(),
            requirement: "at least 1e-14 kernel widths 1/√β (the blocks drift has no such limit)",
        })
    }

    /// What an evaluation would cost, from a sample of the sources.
    pub fn cost(&self, sources: CloudView<'_>, targets: Targets<'_>, beta: Beta) -> Result<GaussCost> {
        Ok(self.plan(sources, targets, beta)?.cost)
    }

    /// Order, box width and cost for a cloud.
    pub(super) fn plan(&self, sources: CloudView<'_>, targets: Targets<'_>, beta: Beta) -> Result<Plan> {
        let points = Points {
            sources: sources.points,
            targets: target_points(sources, targets).len() / sources.dimension,
            scale: beta.get().sqrt(),
        };
        let goal = self.goal(sources, beta)?;
        match sources.dimension {
            1 => Ok(Plan::new::<1>(points, goal)),
            2 => Ok(Plan::new::<2>(points, goal)),
            dimension => Err(Error::InvalidParameter {
                name: "dimension of a cloud for the Gauss transform",
                value: dimension as f64,
                requirement: "1 or 2 (use the blocks, kdtree or dense drift in higher dimensions)",
            }),
        }
    }

    /// Evaluates as planned.
    pub(super) fn follow(
        &self,
        plan: Plan,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        let (scale, goal) = (beta.get().sqrt(), self.goal(sources, beta)?);
        let task = transform::Task { sources, targets, scale, goal, plan };
        match sources.dimension {
            1 => task.run::<1>(field),
            _ => task.run::<2>(field),
        }
    }

    fn goal(&self, sources: CloudView<'_>, beta: Beta) -> Result<Goal> {
        let lightest = match sources.weights {
            None => 1.0 / sources.len() as f64,
            Some(weights) => weights.iter().filter(|w| **w > 0.0).fold(1.0, |a: f64, b| a.min(*b)),
        };
        Ok(Goal { tolerance: self.widths(beta)?, lowest_mass: lightest.max(LOWEST_MASS) })
    }
}

fn target_points<'a>(sources: CloudView<'a>, targets: Targets<'a>) -> &'a [f64] {
    match targets {
        Targets::Sources => sources.points,
        Targets::Points(points) => points,
    }
}

impl Drift for GaussTransform {
    fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()> {
        let plan = self.plan(cloud, targets, beta)?;
        self.follow(plan, cloud, targets, beta, field)
    }
}
