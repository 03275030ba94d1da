//! [`Certificate`]: both bounds of a distance, with the rounding of their evaluation added.
//!
//! # Formula
//! ```text
//! upper = Σ π_ij |x_i − y_j|,     lower = Σ a_i f(x_i) − Σ b_j f(y_j),     f 1-Lipschitz
//! ```
//! Neither trusts the simplex: any coupling bounds from above, any 1-Lipschitz function from below. That function
//! is `f(x) = min_j |x − y_j| − v_j`. Hence `f(y_j) ≤ −v_j`; and `f(x_i) ≥ u_i − ε` unless a search over all pairs
//! finds one with `|x_i − y_j| < u_i + v_j − ε`; the least is `f(x_i)` then.

use super::basis::Basis;
use super::dual::Dual;
use super::prices::Prices;
use super::side::Side;
use super::tree::{BLOCK, distance};
use crate::numeric::sum::Sum;

/// Scaled lengths whose squares underflow are known to this accuracy.
const UNDERFLOW: f64 = 1e-150;

/// `ε` in units of the extent: what the simplex leaves violated, and rounding adds to that.
const TOLERANCE: f64 = 1e-14;

/// Bounds in scaled units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Certificate {
    pub(super) cost: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl Certificate {
    /// Bounds from a coupling and from the heights of a potential on the targets, given with its values on the
    /// sources.
    pub(super) fn new<const D: usize>(
        sides: [&Side<D>; 2],
        total: i64,
        basis: &Basis,
        duals: &[Dual; 2],
    ) -> Self {
        let [sources, targets] = sides;
        let share = |mass: i64| mass as f64 / total as f64;
        let shipped = basis.flows().map(|flow| {
            let (x, y) = (sources.tree.point(flow.source), targets.tree.point(flow.target));
            share(flow.mass) * distance::<D>(x, y)
        });
        let cost = shipped.collect::<Sum>().value();

        let rows = Prices::new(&sources.tree, &duals[0]);
        let prices = Prices::new(&targets.tree, &duals[1]);
        let (mut dual, mut found) = (Sum::default(), [const { vec![] }; BLOCK]);
        for block in sources.tree.blocks() {
            prices.violations(&rows, &block, TOLERANCE, 1, &mut found);
            for (i, found) in block.points.zip(&found) {
                let f = found.first().map_or(duals[0].values[i] - TOLERANCE, |least| least.value);
                dual.add(share(sources.masses[i]) * f);
            }
        }
        targets.masses.iter().zip(&duals[1].values).for_each(|(&mass, v)| dual.add(share(mass) * v));

        let moved = share(sources.masses.iter().sum());
        let d = sources.tree.dimension() as f64;
        let relative = (d + 8.0) * f64::EPSILON;
        // A value of `f` is at most 3/2·√d; so many roundings enter it, those of the bounds that pruned the
        // search included.
        let per_value = (4.0 * d + 20.0) * f64::EPSILON * d.sqrt();
        Self {
            cost,
            lower: (dual.value() - moved * (2.0 * per_value + UNDERFLOW)).max(0.0),
            upper: cost * (1.0 + relative) + moved * UNDERFLOW,
        }
    }
}
