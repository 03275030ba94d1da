//! The pricing searches: the smallest `|x − y_j| − v_j`, and for which queries it lies below their potential.

use super::cone::Region;
use super::prices::Prices;
use super::tree::{BLOCK, Block, LEAF};

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
                bound = self.scan(node - first_leaf, x, bound, count, found);
            }
        }
    }

    /// Adds the points of a leaf that lie below the bound; returns the new bound.
    #[inline(always)]
    pub(super) fn scan(
        &self,
        leaf: usize,
        x: &[f64],
        mut bound: f64,
        count: usize,
        found: &mut Vec<Found>,
    ) -> f64 {
        let mut distances = self.tree.leaf_distances_2(leaf, x);
        distances.iter_mut().for_each(|x| *x = x.sqrt());
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
        found.iter_mut().for_each(Vec::clear);
        let mut bounds = [f64::NEG_INFINITY; BLOCK];
        for (bound, index) in bounds.iter_mut().zip(block.points.clone()) {
            *bound = queries.weights[index] - tolerance;
        }
        self.near(queries, block, tolerance, |index, leaf| {
            let (x, at) = (queries.point(index), index - block.points.start);
            if self.reaches(leaf, x, bounds[at]) {
                bounds[at] = self.scan(leaf, x, bounds[at], count, &mut found[at]);
            }
        });
    }

    /// Shows every query of a block with all leaves that may hold a point with `|x_i − y_j| < u_i + v_j − tolerance`.
    ///
    /// Goes down both trees at once, level by level: one bound then settles many pairs of leaves.
    fn near(&self, queries: &Self, block: &Block, tolerance: f64, mut visit: impl FnMut(usize, usize)) {
        let mut pending = vec![(block.node, 0)];
        while let Some((rows, node)) = pending.pop() {
            let cone = queries.cone(rows);
            if self.least(node, &Region::node(&cone), -tolerance) >= -tolerance {
                continue;
            }
            let (of_rows, of_node) = (queries.tree.height(rows), self.tree.height(node));
            if of_rows + of_node == 0 {
                let (of_queries, leaf) = (rows - queries.tree.nodes() / 2, node - self.tree.nodes() / 2);
                queries.members(of_queries).for_each(|index| visit(index, leaf));
                continue;
            }
            for &rows in halves(rows, of_rows >= of_node).iter().flatten() {
                let parts = halves(node, of_node >= of_rows);
                pending.extend(parts.iter().flatten().map(|&node| (rows, node)));
            }
        }
    }

    /// Whether a leaf holds a point with `|x − y_j| < bound + v_j`.
    #[inline(always)]
    pub(super) fn reaches(&self, leaf: usize, x: &[f64], bound: f64) -> bool {
        let mut margins = self.tree.leaf_distances_2(leaf, x);
        for (margin, v) in margins.iter_mut().zip(&self.weights[leaf * LEAF..][..LEAF]) {
            let sum = bound + v;
            *margin = sum * sum.abs() - *margin;
        }
        // The largest, found by halves: a plain fold would not use the vector units.
        let mut half = LEAF / 2;
        while half > 0 {
            for k in 0..half {
                margins[k] = if margins[k + half] > margins[k] { margins[k + half] } else { margins[k] };
            }
            half /= 2;
        }
        margins[0] > 0.0
    }
}

/// Both children of a node, or the node itself.
fn halves(node: usize, split: bool) -> [Option<usize>; 2] {
    if split { [Some(2 * node + 2), Some(2 * node + 1)] } else { [Some(node), None] }
}

#[cfg(test)]
mod tests {
    use super::super::dual::Dual;
    use super::super::tree::{Tree, distance};
    use super::*;

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
