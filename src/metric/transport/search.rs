//! The pricing searches: the smallest `|x − y_j| − v_j`, and which queries have one below their potential.

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

    /// `min_j |x − y_j| − v_j`.
    pub(super) fn value(&self, x: &[f64]) -> f64 {
        let mut found = Vec::with_capacity(2);
        self.smallest(x, f64::INFINITY, 1, &mut found);
        found.first().map_or(f64::NEG_INFINITY, |best| best.value)
    }

    /// Which queries of a block have a point with `|x_i − y_j| < u_i + v_j − tolerance`; `queries` carry the
    /// `u_i`.
    ///
    /// Goes down both trees at once, level by level: one bound then settles many pairs of leaves.
    pub(super) fn violated(&self, queries: &Self, block: &Block, tolerance: f64) -> [bool; BLOCK] {
        let mut violated = [false; BLOCK];
        let mut pending = vec![(block.node, 0)];
        while let Some((rows, node)) = pending.pop() {
            let cone = queries.cone(rows);
            if self.least(node, &Region::node(&cone), -tolerance) >= -tolerance {
                continue;
            }
            let (of_rows, of_node) = (queries.tree.height(rows), self.tree.height(node));
            if of_rows + of_node == 0 {
                let leaves = (rows - queries.tree.nodes() / 2, node - self.tree.nodes() / 2);
                let flags = &mut violated[leaves.0 * LEAF - block.points.start..][..LEAF];
                for (flag, index) in flags.iter_mut().zip(queries.members(leaves.0)) {
                    *flag |= self.reaches(leaves.1, queries.point(index), queries.weights[index] - tolerance);
                }
                continue;
            }
            for &rows in halves(rows, of_rows >= of_node).iter().flatten() {
                let parts = halves(node, of_node >= of_rows);
                pending.extend(parts.iter().flatten().map(|&node| (rows, node)));
            }
        }
        violated
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
    fn flags_exactly_the_violated_queries() {
        let ((tree, dual), (queries, offsets)) = (priced::<2>(500, SEED), priced::<2>(90, SEED + 9));
        let offsets = offsets.shifted(-0.35);
        let (prices, rows) = (Prices::new(&tree, &dual), Prices::new(&queries, &offsets));
        let mut flagged = 0;
        for block in queries.blocks() {
            for (k, &flag) in prices.violated(&rows, &block, 0.0).iter().enumerate() {
                let index = block.points.start + k;
                let expected = index < queries.len()
                    && brute_force(&tree, &dual, queries.point(index))[0] < offsets.values[index];
                assert_eq!(flag, expected, "query {index}");
                flagged += usize::from(flag);
            }
        }
        assert!(flagged > 10 && flagged < 80, "{flagged} of 90: a test that cannot fail");
    }
}
