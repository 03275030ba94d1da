//! Solving a transport problem between two sides: coarse to fine, with arcs priced in over all pairs.

use super::basis::Basis;
use super::prices::Prices;
use super::side::Side;
use super::simplex::Simplex;
use super::start::{Arc, Start, duals};
use super::tree::BLOCK;

/// Sides of at most so many points are not coarsened; between two such sides all pairs are arcs.
const SMALL: usize = 128;

/// Violated arcs that a row may add per round.
const ARCS_PER_ROW: usize = 4;

/// Violated arcs among which a row chooses: some go to other rows of its block.
const CANDIDATES: usize = 8;

/// Arcs that violate dual feasibility by less are not added. In units of the extent, which lies in `[1/2, 1)`.
const PRICING_TOLERANCE: f64 = 2e-14;

/// Arcs whose reduced cost is above minus this do not enter: below what pricing adds, well above the rounding
/// that potentials pile up.
const PIVOT_TOLERANCE: f64 = 1e-14;

/// The tolerance of the first round, if reduced costs are not all smaller, and by how much that of the next ones falls.
/// While arcs are missing that will be priced in, finer pivots would be in vain.
const FIRST_TOLERANCE: f64 = 1e-9;
const STEP: f64 = 100.0;

/// Pricing ends when pivots could gain no more than this part of the cost, the rounding in it.
const ROUNDING: f64 = 1e-15;

/// Rounds after which pricing stops. Far more than ever needed; bounds the time should rounding keep it from
/// settling, and the certificate says what was reached.
const ROUNDS: usize = 1000;

/// What solving took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effort {
    /// Pivots of the simplex, over all levels.
    pub pivots: usize,
    /// Rounds in which all pairs were priced, over all levels.
    pub rounds: usize,
    /// Arcs offered on the finest level.
    pub arcs: usize,
}

/// An optimal basis and what it took to find.
#[derive(Debug, Clone)]
pub(super) struct Solution {
    pub(super) basis: Basis,
    pub(super) effort: Effort,
}

/// Solves between two sides in coordinates of extent `[1/2, 1)` along the widest axis.
pub(super) fn solve<const D: usize>(sources: &Side<D>, targets: &Side<D>) -> Solution {
    let mut effort = Effort::default();
    let start = if sources.len() <= SMALL && targets.len() <= SMALL {
        Start::dense(sources, targets)
    } else {
        let (coarse_sources, coarse_targets) = (sources.coarsened(SMALL), targets.coarsened(SMALL));
        let coarse = solve(&coarse_sources.side, &coarse_targets.side);
        effort = coarse.effort;
        Start::refined([sources, targets], [&coarse_sources, &coarse_targets], &coarse.basis)
    };
    // Prices are the values of a 1-Lipschitz function up to sign, so `u_i + v_j ≥ −|x_i − y_j|`: with a penalty
    // of four diameters the way through the root costs more than any arc. Only targets pay it, and once all of
    // them are served no potential carries it, nor its rounding.
    let penalty = 4.0 * (sources.tree.dimension() as f64).sqrt();
    let basis = Basis::greedy(&sources.masses, &targets.masses, &start, penalty);
    let mut simplex = Simplex::new(basis);
    simplex.offer(&start.arcs);
    let (mut violated, mut tolerance) =
        (vec![], start.upper_quartile().clamp(PIVOT_TOLERANCE, FIRST_TOLERANCE));
    drop(start);
    for _ in 0..ROUNDS {
        simplex.optimise(tolerance);
        tolerance = (tolerance / STEP).max(PIVOT_TOLERANCE);
        effort.rounds += 1;
        let gain = price(sources, targets, &simplex.basis, &mut violated);
        if violated.is_empty() || gain <= ROUNDING * simplex.basis.cost() {
            break;
        }
        simplex.offer(&violated);
    }
    effort.pivots += simplex.pivots;
    effort.arcs = simplex.offered();
    Solution { basis: simplex.basis, effort }
}

/// Finds arcs with `|x_i − y_j| < u_i + v_j` over all pairs, and returns a bound of what pivots could gain, zero if there
/// are none.
///
/// A target that has been found has its price lowered until the arc pays no more, so that rows which would all
/// find the same targets spread over many. Where a row has more arcs than it may add, its own price is lowered by what
/// the next one pays. All these prices are feasible to the tolerance, so pivots gain no more than mass times what they are
/// lower by.
fn price<const D: usize>(
    sources: &Side<D>,
    targets: &Side<D>,
    basis: &Basis,
    violated: &mut Vec<Arc>,
) -> f64 {
    violated.clear();
    let [source_dual, target_dual] = duals([sources, targets], basis);
    let rows = Prices::new(&sources.tree, &source_dual);
    let mut prices = Prices::new(&targets.tree, &target_dual);
    let mut found = [const { vec![] }; BLOCK];
    let mut gain = 0.0;
    for block in sources.tree.blocks() {
        prices.violations(&rows, &block, PRICING_TOLERANCE, CANDIDATES, &mut found);
        for (i, found) in block.points.zip(&found) {
            let potential = source_dual.values[i];
            let enough = violated.len() + ARCS_PER_ROW;
            // Those that the search left out pay no more than the last one it found.
            let mut left = found.get(CANDIDATES - 1).map_or(0.0, |last| potential - last.value);
            for f in found {
                // Other rows of the block may have lowered the price since.
                let excess = potential + prices.weights[f.index] - f.distance;
                if excess <= PRICING_TOLERANCE {
                    continue;
                }
                if violated.len() == enough {
                    left = potential - f.value;
                    break;
                }
                prices.lower(f.index, excess);
                gain += excess * targets.masses[f.index] as f64;
                violated.push(Arc { source: i as u32, target: f.index as u32, cost: f.distance });
            }
            gain += left * sources.masses[i] as f64;
        }
    }
    gain
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_pcg::Pcg64;

    use super::*;

    /// Seed of the clouds.
    const SEED: u64 = 5;

    /// Sums of some hundred terms in another order.
    const ROUNDOFF: f64 = 1e-13;

    fn side(count: usize, spread: f64, mass: i64, random: &mut Pcg64) -> Side<2> {
        let points: Vec<f64> = (0..2 * count)
            .map(|_| 0.5 + spread * Distribution::<f64>::sample(&StandardNormal, &mut *random))
            .collect();
        Side::new(&points, &vec![mass; count], 2)
    }

    #[test]
    fn pivots_gain_no_more_than_pricing_says() {
        let mut random = Pcg64::seed_from_u64(SEED);
        for spread in [0.1, 1e-3, 1e-9] {
            let (sources, targets) = (side(300, spread, 2, &mut random), side(200, 0.1, 3, &mut random));
            let optimum = solve(&sources, &targets).basis.cost();
            let all = Start::dense(&sources, &targets).arcs;
            let start = Start::unpriced(all.into_iter().step_by(7).collect(), [300, 200]);
            let mut simplex = Simplex::new(Basis::greedy(&sources.masses, &targets.masses, &start, 6.0));
            simplex.offer(&start.arcs);
            let (mut violated, mut ratios) = (vec![], vec![]);
            loop {
                simplex.optimise(PIVOT_TOLERANCE);
                let gain = price(&sources, &targets, &simplex.basis, &mut violated);
                let gained = simplex.basis.cost() - optimum;
                assert!(gained <= gain + ROUNDOFF * optimum, "{spread}: {gained} after {gain}");
                if violated.is_empty() {
                    break;
                }
                ratios.push(gain / gained);
                simplex.offer(&violated);
            }
            let sharpest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(ratios.len() > 2 && sharpest < 10.0, "{spread}: {ratios:?}, a test that cannot fail");
        }
    }
}
