//! The pricing searches: the smallest `|x − y_j| − v_j`, and for which queries it lies below their potential.

use super::cone::Region;
use super::prices::Prices;
use super::tree::{BLOCK, Block, LEAF};
use crate::simd::{Program, Vector, widest};

/// Nodes that a search may leave behind: one for each level of the tree, and there are fewer levels.
pub(super) const LEVELS: usize = 64;

/// A point found by a search: `value = distance − weight`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) index: usize,
    pub(super) value: f64,
    pub(super) distance: f64,
}

impl<const D: usize> Prices<'_, D> {
    /// Finds the `count` points of smallest `|x − y_j| − v_j` below `bound`, best first.
    pub(super) fn smallest(&self, x: &[f64], bound: f64, count: usize, found: &mut Vec<Found>) {
        widest(Smallest { prices: self, x, bound, count, found });
    }

    /// [`Prices::smallest`] inside a program.
    #[inline(always)]
    pub(super) fn smallest_by<V: Vector<Scalar = f64>>(
        &self,
        any: V,
        x: &[f64],
        bound: f64,
        count: usize,
        found: &mut Vec<Found>,
    ) {
        found.clear();
        let query = Region::point(x);
        let first_leaf = self.tree.nodes() / 2;
        let mut bound = bound;
        let mut pending = [(0_usize, f64::NEG_INFINITY); LEVELS];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (mut node, mut least) = pending[waiting];
            while least < bound && node < first_leaf {
                let (left, right) = (2 * node + 1, 2 * node + 2);
                let (at_left, at_right) = (self.least(left, &query, bound), self.least(right, &query, bound));
                let (near, far) = if at_right < at_left {
                    ((right, at_right), (left, at_left))
                } else {
                    ((left, at_left), (right, at_right))
                };
                if far.1 < bound {
                    pending[waiting] = far;
                    waiting += 1;
                }
                (node, least) = near;
            }
            if least < bound {
                bound = self.scan(any, node - first_leaf, x, bound, count, found);
            }
        }
    }

    /// Adds the points of a leaf that lie below the bound; returns the new bound.
    #[inline(always)]
    pub(super) fn scan<V: Vector<Scalar = f64>>(
        &self,
        any: V,
        leaf: usize,
        x: &[f64],
        mut bound: f64,
        count: usize,
        found: &mut Vec<Found>,
    ) -> f64 {
        let mut distances = [0.0; LEAF];
        for at in (0..LEAF).step_by(V::WIDTH) {
            self.tree.distances_2(any, leaf, at, x).sqrt().store(&mut distances[at..]);
        }
        for (k, &weight) in self.weights[leaf * LEAF..][..LEAF].iter().enumerate() {
            let value = distances[k] - weight;
            if value < bound {
                if found.len() == count {
                    found.pop();
                }
                let at = found.partition_point(|f| f.value <= value);
                found.insert(at, Found { index: leaf * LEAF + k, value, distance: distances[k] });
                if found.len() == count {
                    bound = found[count - 1].value;
                }
            }
        }
        bound
    }

    /// Finds for every query of a block the `count` points of smallest `|x_i − y_j| − v_j` below `u_i − tolerance`, best
    /// first; `queries` carry the `u_i`.
    pub(super) fn violations(
        &self,
        queries: &Self,
        block: &Block,
        tolerance: f64,
        count: usize,
        found: &mut [Vec<Found>; BLOCK],
    ) {
        widest(Violations { prices: self, queries, block, tolerance, count, found });
    }

    /// Whether a leaf holds a point with `|x − y_j| < bound + v_j`.
    #[inline(always)]
    pub(super) fn reaches<V: Vector<Scalar = f64>>(
        &self,
        any: V,
        leaf: usize,
        x: &[f64],
        bound: f64,
    ) -> bool {
        let (weights, bound) = (&self.weights[leaf * LEAF..][..LEAF], any.splat(bound));
        let mut largest = any.zero();
        for at in (0..LEAF).step_by(V::WIDTH) {
            let sum = bound.add(any.load(&weights[at..]));
            // A sum of two infinities is not a number, and the larger of that and something is something.
            largest = sum.mul(sum.abs()).sub(self.tree.distances_2(any, leaf, at, x)).max(largest);
        }
        largest.at_most(any.zero()) + 1 != 1 << V::WIDTH
    }
}

/// [`Prices::smallest`] with the vectors of the machine.
struct Smallest<'a, const D: usize> {
    prices: &'a Prices<'a, D>,
    x: &'a [f64],
    bound: f64,
    count: usize,
    found: &'a mut Vec<Found>,
}

impl<const D: usize> Program for Smallest<'_, D> {
    type Scalar = f64;
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) {
        self.prices.smallest_by(any, self.x, self.bound, self.count, self.found);
    }
}

/// [`Prices::violations`] with the vectors of the machine.
struct Violations<'a, const D: usize> {
    prices: &'a Prices<'a, D>,
    queries: &'a Prices<'a, D>,
    block: &'a Block,
    tolerance: f64,
    count: usize,
    found: &'a mut [Vec<Found>; BLOCK],
}

impl<const D: usize> Program for Violations<'_, D> {
    type Scalar = f64;
    type Output = ();

    /// Goes down both trees at once, level by level: one bound then settles many pairs of leaves.
    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(mut self, any: V) {
        self.found.iter_mut().for_each(Vec::clear);
        let (prices, queries) = (self.prices, self.queries);
        let mut bounds = self.bounds();
        let mut pending = vec![(self.block.node, 0)];
        while let Some((rows, node)) = pending.pop() {
            let cone = queries.cone(rows);
            if prices.least(node, &Region::node(&cone), -self.tolerance) >= -self.tolerance {
                continue;
            }
            let (of_rows, of_node) = (queries.tree.height(rows), prices.tree.height(node));
            if of_rows + of_node == 0 {
                self.scan(any, rows - queries.tree.nodes() / 2, node - prices.tree.nodes() / 2, &mut bounds);
                continue;
            }
            for &rows in halves(rows, of_rows >= of_node).iter().flatten() {
                let parts = halves(node, of_node >= of_rows);
                pending.extend(parts.iter().flatten().map(|&node| (rows, node)));
            }
        }
    }
}

impl<const D: usize> Violations<'_, D> {
    /// What values have to lie below, for every query of the block.
    fn bounds(&self) -> [f64; BLOCK] {
        let mut bounds = [f64::NEG_INFINITY; BLOCK];
        for (bound, index) in bounds.iter_mut().zip(self.block.points.clone()) {
            *bound = self.queries.weights[index] - self.tolerance;
        }
        bounds
    }

    /// Shows all queries of a leaf the points of another leaf.
    #[inline(always)]
    fn scan<V: Vector<Scalar = f64>>(
        &mut self,
        any: V,
        of_queries: usize,
        leaf: usize,
        bounds: &mut [f64; BLOCK],
    ) {
        for index in self.queries.members(of_queries) {
            let (x, at) = (self.queries.point(index), index - self.block.points.start);
            if self.prices.reaches(any, leaf, x, bounds[at]) {
                bounds[at] = self.prices.scan(any, leaf, x, bounds[at], self.count, &mut self.found[at]);
            }
        }
    }
}

/// Both children of a node, or the node itself.
#[inline(always)]
fn halves(node: usize, split: bool) -> [Option<usize>; 2] {
    if split { [Some(2 * node + 2), Some(2 * node + 1)] } else { [Some(node), None] }
}

#[cfg(test)]
mod tests {
    use super::super::dual::Dual;
    use super::super::tree::{Tree, distance};
    use super::*;
    use crate::simd::Instructions;

    /// Seed of the random trees.
    const SEED: u64 = 77;

    fn random(count: usize, spread: f64, seed: u64) -> Vec<f64> {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        (0..count).map(|_| spread * (random.random::<f64>() - 0.5)).collect()
    }

    /// A tree with random prices; the origins are random and thus mostly wrong.
    fn priced<const D: usize>(count: usize, seed: u64) -> (Tree<D>, Dual) {
        let (tree, _) = Tree::build(&random(count * D, 1.0, seed), D);
        let directions = random(count * D, 1.0, seed + 1);
        let mut dual = Dual::default();
        for (value, direction) in random(count, 0.7, seed + 2).iter().zip(directions.chunks(D)) {
            dual.push(*value, direction);
        }
        (tree, dual)
    }

    fn brute_force<const D: usize>(tree: &Tree<D>, dual: &Dual, x: &[f64]) -> Vec<f64> {
        let value = |j: usize| distance::<D>(x, tree.point(j)) - dual.values[j];
        let mut values: Vec<f64> = (0..tree.len()).map(value).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    fn check<const D: usize>() {
        for (count, seed) in [(1, 1), (7, 2), (8, 3), (9, 4), (300, 5), (1001, 6)] {
            let (tree, dual) = priced::<D>(count, SEED * seed);
            let prices = Prices::new(&tree, &dual);
            let mut found = vec![];
            for scale in [1.0, 10.0, 1e3] {
                for x in random(40 * D, scale, SEED + seed).chunks(D) {
                    prices.smallest(x, f64::INFINITY, 5, &mut found);
                    let values: Vec<f64> = found.iter().map(|f| f.value).collect();
                    assert_eq!(values, brute_force(&tree, &dual, x)[..count.min(5)]);
                }
            }
        }
    }

    #[test]
    fn finds_what_brute_force_finds() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<5>();
    }

    #[test]
    fn finds_the_same_with_any_vectors() {
        let ((tree, dual), (queries, offsets)) = (priced::<3>(700, SEED), priced::<3>(200, SEED + 9));
        let (prices, rows) = (Prices::new(&tree, &dual), Prices::new(&queries, &offsets));
        let [mut widest, mut other] = [const { [const { vec![] }; BLOCK] }; 2];
        for (block, instructions) in
            queries.blocks().flat_map(|b| Instructions::all().into_iter().map(move |i| (b.clone(), i)))
        {
            prices.violations(&rows, &block, 0.0, 4, &mut widest);
            let (prices, queries, block) = (&prices, &rows, &block);
            let search = Violations { prices, queries, block, tolerance: 0.0, count: 4, found: &mut other };
            instructions.run(search);
            assert_eq!(widest, other, "{}", instructions.name());
        }
    }

    #[test]
    fn finds_exactly_the_violations() {
        let ((tree, dual), (queries, offsets)) = (priced::<2>(500, SEED), priced::<2>(90, SEED + 9));
        let offsets = offsets.shifted(-0.35);
        let (prices, rows) = (Prices::new(&tree, &dual), Prices::new(&queries, &offsets));
        let mut found = [const { vec![] }; BLOCK];
        let mut with_any = 0;
        for block in queries.blocks() {
            prices.violations(&rows, &block, 0.0, 3, &mut found);
            for (index, found) in block.points.zip(&found) {
                let mut expected = brute_force(&tree, &dual, queries.point(index));
                expected.retain(|&value| value < offsets.values[index]);
                expected.truncate(3);
                assert!(found.iter().map(|f| f.value).eq(expected), "query {index}");
                with_any += usize::from(!found.is_empty());
            }
        }
        assert!(with_any > 10 && with_any < 80, "{with_any} of 90: a test that cannot fail");
    }
}
