//! [`Certificate`]: both bounds of a distance, with the rounding of their evaluation added.
//!
//! # Formula
//! ```text
//! upper = Σ π_ij |x_i − y_j|,     lower = Σ a_i f(x_i) − Σ b_j f(y_j),     f 1-Lipschitz
//! ```
//! Neither trusts the simplex: any coupling bounds from above, any 1-Lipschitz function from below.

use super::basis::Basis;
use super::dual::Dual;
use super::prices::Prices;
use super::side::Side;
use super::start::transform;
use super::sum::Sum;
use super::tree::distance;

/// Scaled lengths whose squares underflow are known to this accuracy.
const UNDERFLOW: f64 = 1e-150;

/// Bounds in scaled units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Certificate {
    pub(super) cost: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl Certificate {
    /// Bounds from a coupling and from the heights of a potential on the targets.
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

        let prices = Prices::new(&targets.tree, &duals[1]);
        let mut dual = Sum::default();
        let at_sources = transform(&sources.tree, &prices, 1, |i| duals[0].values[i], |_, _| ());
        let at_targets = transform(&targets.tree, &prices, 1, |j| -duals[1].values[j], |_, _| ());
        for (side, f, sign) in [(sources, at_sources, 1.0), (targets, at_targets, -1.0)] {
            side.masses.iter().zip(f.values).for_each(|(&mass, f)| dual.add(sign * share(mass) * f));
        }

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
