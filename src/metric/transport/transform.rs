//! The c-transform `min_j |x − y_j| − v_j` at all points of a tree.
//!
//! Neighbours search together or use what their neighbours found. Together pays where the points of a leaf are
//! close to each other against the length of their rays, as they are where points have collapsed onto clusters:
//! they then need nearly the same part of the other tree.

use super::cone::Region;
use super::dual::Dual;
use super::prices::Prices;
use super::search::{Found, LEVELS};
use super::tree::{LEAF, distance};
use crate::simd::{Program, Vector, widest};

/// Rays so many times longer than the radius of a leaf make its points search together.
const NARROW: f64 = 16.0;

/// Points that search together are shown so many at most: all prefer the same ones, and the choice among them is a
/// matter of pricing.
const FEW: usize = 3;

/// Looseness of the bound carried from one query to the next, in units of the extent: far above rounding.
const SLACK: f64 = 1e-12;

/// The c-transform at every query, showing the `count` best points of each, or a few where points search together, to
/// `visit`.
///
/// The queries carry guesses of the result and of where its rays come from. Wrong ones cost time.
pub(super) fn transform<const D: usize>(
    queries: &Prices<D>,
    prices: &Prices<D>,
    count: usize,
    mut visit: impl FnMut(usize, &Found),
) -> Dual {
    let mut dual = Dual::default();
    let mut found: [Vec<Found>; LEAF] = Default::default();
    for leaf in 0..queries.tree.len().div_ceil(LEAF) {
        widest(LeafTransform { queries, leaf, prices, count, found: &mut found });
        for (index, found) in queries.members(leaf).zip(&found) {
            found.iter().for_each(|f| visit(index, f));
            if let Some(best) = found.first() {
                dual.push(best.value, prices.point(best.index));
            }
        }
    }
    dual
}

/// The transform of one leaf with the vectors of the machine.
struct LeafTransform<'a, const D: usize> {
    queries: &'a Prices<'a, D>,
    leaf: usize,
    prices: &'a Prices<'a, D>,
    count: usize,
    found: &'a mut [Vec<Found>; LEAF],
}

impl<const D: usize> Program for LeafTransform<'_, D> {
    type Scalar = f64;
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) {
        let cone = self.queries.cone(self.queries.tree.nodes() / 2 + self.leaf);
        if NARROW * cone.radius < cone.reach {
            self.together(any, &Region::node(&cone));
        } else {
            self.one_by_one(any);
        }
    }
}

impl<const D: usize> LeafTransform<'_, D> {
    /// Every value moves by at most `|x − x'|` from one query to the next: the last search bounds the next one.
    #[inline(always)]
    fn one_by_one<V: Vector<Scalar = f64>>(self, any: V) {
        let Self { queries, leaf, prices, count, found } = self;
        let mut last: Option<(&[f64], f64)> = None;
        for (index, found) in queries.members(leaf).zip(found) {
            let x = queries.point(index);
            let bound = last.map_or(f64::INFINITY, |(y, value)| value + distance::<D>(x, y) + SLACK);
            prices.smallest_by(any, x, bound, count, found);
            last = found.last().map(|worst| (x, worst.value));
        }
    }

    /// One search for a whole leaf. A node is of use if it may hold a value that exceeds the guess of its query by
    /// less than the worst that any query has found.
    #[inline(always)]
    fn together<V: Vector<Scalar = f64>>(self, any: V, region: &Region<'_>) {
        let Self { queries, leaf, prices, count, found } = self;
        let count = count.min(FEW);
        found.iter_mut().for_each(Vec::clear);
        let first_leaf = prices.tree.nodes() / 2;
        let (mut bounds, mut excess) = ([f64::INFINITY; LEAF], f64::INFINITY);
        let mut pending = [(0_usize, f64::NEG_INFINITY); LEVELS];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (mut node, mut least) = pending[waiting];
            while least < excess && node < first_leaf {
                let [left, right] =
                    [2 * node + 1, 2 * node + 2].map(|child| (child, prices.least(child, region, excess)));
                let (near, far) = if right.1 < left.1 { (right, left) } else { (left, right) };
                if far.1 < excess {
                    pending[waiting] = far;
                    waiting += 1;
                }
                (node, least) = near;
            }
            if least < excess {
                excess = f64::NEG_INFINITY;
                for (k, index) in queries.members(leaf).enumerate() {
                    let x = queries.point(index);
                    if prices.reaches(any, node - first_leaf, x, bounds[k]) {
                        bounds[k] = prices.scan(any, node - first_leaf, x, bounds[k], count, &mut found[k]);
                    }
                    excess = excess.max(bounds[k] - queries.weights[index]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::super::tree::Tree;
    use super::*;

    /// Seed of the random trees.
    const SEED: u64 = 91;

    /// Points in boxes of this width around a few centres, with random values; all rays come from `origin`.
    fn priced(count: usize, width: f64, origin: [f64; 2], random: &mut Pcg64) -> (Tree<2>, Dual) {
        let mut number = || random.random::<f64>() - 0.5;
        let points: Vec<f64> = (0..2 * count).map(|at| (at / 2 % 3) as f64 + width * number()).collect();
        let (tree, _) = Tree::build(&points, 2);
        let mut dual = Dual::default();
        (0..count).for_each(|_| dual.push(width * number(), &origin));
        (tree, dual)
    }

    #[test]
    fn finds_what_brute_force_finds() {
        let mut random = Pcg64::seed_from_u64(SEED);
        for (count, width) in [(1, 1e-9), (50, 1e-9), (300, 1e-9), (300, 1e-3), (300, 1.0), (7, 1.0)] {
            let (tree, dual) = priced(count, 1.0, [0.1, 0.2], &mut random);
            let (query_tree, guess) = priced(200, width, [2.5, -1.0], &mut random);
            let (prices, queries) = (Prices::new(&tree, &dual), Prices::new(&query_tree, &guess));
            let mut shown = vec![vec![]; 200];
            let result = transform(&queries, &prices, 5, |index, found| shown[index].push(found.value));
            for (index, shown) in shown.iter().enumerate() {
                let value = |j: usize| distance::<2>(query_tree.point(index), tree.point(j)) - dual.values[j];
                let mut values: Vec<f64> = (0..count).map(value).collect();
                values.sort_by(f64::total_cmp);
                let expected = shown.len().max(FEW.min(count));
                assert_eq!(shown[..], values[..expected], "{count} points, queries of width {width}");
                assert!(shown.len() <= 5);
                assert_eq!(result.values[index], values[0]);
            }
        }
    }
}
