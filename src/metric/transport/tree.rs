//! [`Tree`]: a k-d tree that keeps its points in tree order.
//!
//! Leaf `l` holds the points `16l … 16l+15`, and the children of node `k` are `2k+1` and `2k+2`: no pointers,
//! neighbours in space are neighbours in memory, and four consecutive points form a cell of their own, which is
//! what coarsening merges.
//!
//! `D` is the dimension, or zero for one that is only known at run time.

use std::ops::Range;

use crate::simd::Vector;

/// Points per leaf: columns for the vector units, together about as dear to scan as one node is to bound.
pub(super) const LEAF: usize = 16;

/// Points per cell, the smallest groups that the order of the points respects.
pub(super) const CELL: usize = 4;

/// Most points of a block: enough for a search to settle many pairs of leaves at once, few enough for prices to be
/// lowered in between.
pub(super) const BLOCK: usize = 64;

/// A node and the points below it.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) node: usize,
    pub(super) points: Range<usize>,
}

/// A k-d tree over points in tree order.
#[derive(Debug, Clone)]
pub(super) struct Tree<const D: usize> {
    dimension: usize,
    points: Vec<f64>,
    /// The points once more, one column of `LEAF` coordinates per axis and leaf.
    columns: Vec<f64>,
    /// Low then high corner of the tight box of every node; empty nodes hold `+∞, −∞`.
    boxes: Vec<f64>,
}

impl<const D: usize> Tree<D> {
    /// Builds the tree over row-major points.
    /// Also returns their order: entry `k` names the row that became point `k`.
    pub(super) fn build(points: &[f64], dimension: usize) -> (Self, Vec<u32>) {
        let count = points.len() / dimension;
        let mut order: Vec<u32> = (0..count as u32).collect();
        let leaves = count.div_ceil(LEAF).next_power_of_two();
        arrange(points, dimension, &mut order, leaves * LEAF);
        let row = |&row: &u32| points[row as usize * dimension..][..dimension].iter().copied();
        let points = order.iter().flat_map(row).collect();
        let mut tree = Self { dimension, points, columns: vec![], boxes: vec![] };
        tree.columns = tree.leaf_columns();
        tree.boxes = tree.bound_boxes(leaves);
        (tree, order)
    }

    fn leaf_columns(&self) -> Vec<f64> {
        let d = self.dimension();
        let mut columns = vec![0.0; self.len().div_ceil(LEAF) * LEAF * d];
        for (index, point) in self.points.chunks_exact(d).enumerate() {
            for (axis, &x) in point.iter().enumerate() {
                columns[(index / LEAF * d + axis) * LEAF + index % LEAF] = x;
            }
        }
        columns
    }

    fn bound_boxes(&self, leaves: usize) -> Vec<f64> {
        let d = self.dimension();
        let empty = [vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]].concat();
        let mut boxes = empty.repeat(2 * leaves - 1);
        let extend = |corners: &mut [f64], low: &[f64], high: &[f64]| {
            for axis in 0..d {
                corners[axis] = corners[axis].min(low[axis]);
                corners[d + axis] = corners[d + axis].max(high[axis]);
            }
        };
        for (index, point) in self.points.chunks_exact(d).enumerate() {
            extend(&mut boxes[2 * d * (leaves - 1 + index / LEAF)..], point, point);
        }
        for node in (1..2 * leaves - 1).rev() {
            let (before, from) = boxes.split_at_mut(2 * d * node);
            extend(&mut before[2 * d * ((node - 1) / 2)..], &from[..d], &from[d..2 * d]);
        }
        boxes
    }

    /// Dimension of the space; a constant wherever `D` is.
    #[inline(always)]
    pub(super) fn dimension(&self) -> usize {
        if D == 0 { self.dimension } else { D }
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.points.len() / self.dimension()
    }

    /// Number of nodes; the last `(nodes + 1) / 2` are the leaves.
    pub(super) fn nodes(&self) -> usize {
        self.boxes.len() / (2 * self.dimension())
    }

    /// How many levels a node is above the leaves.
    #[inline(always)]
    pub(super) fn height(&self, node: usize) -> u32 {
        (self.nodes() / 2 + 1).ilog2() - (node + 1).ilog2()
    }

    /// The whole tree in blocks, each of them the points below one node.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> {
        let height = self.height(0).min((BLOCK / LEAF).ilog2());
        let (first, size) = (((self.nodes() / 2 + 1) >> height) - 1, LEAF << height);
        let points = move |k: usize| k * size..((k + 1) * size).min(self.len());
        (0..self.len().div_ceil(size)).map(move |k| Block { node: first + k, points: points(k) })
    }

    /// Point `index` in tree order.
    #[inline(always)]
    pub(super) fn point(&self, index: usize) -> &[f64] {
        let d = self.dimension();
        &self.points[index * d..][..d]
    }

    /// All points in tree order.
    pub(super) fn points(&self) -> &[f64] {
        &self.points
    }

    /// Low and high corner of a node's box.
    #[inline(always)]
    pub(super) fn corners(&self, node: usize) -> (&[f64], &[f64]) {
        let d = self.dimension();
        self.boxes[2 * d * node..][..2 * d].split_at(d)
    }

    /// Squared distances from `x` to the points of a leaf from `at` on; those past the last point mean nothing. Nothing is fused, so that
    /// all machines find the same.
    #[inline(always)]
    pub(super) fn distances_2<V: Vector<Scalar = f64>>(
        &self,
        any: V,
        leaf: usize,
        at: usize,
        x: &[f64],
    ) -> V {
        let d = self.dimension();
        let mut sums = any.zero();
        let columns = &self.columns.as_chunks::<LEAF>().0[leaf * d..][..d];
        for (column, &x) in columns.iter().zip(x) {
            let gap = any.load(&column[at..]).sub(any.splat(x));
            sums = sums.add(gap.mul(gap));
        }
        sums
    }
}

/// Sorts rows into cells: each half of the capacity takes the points on one side of a cut across the widest
/// axis.
fn arrange(points: &[f64], dimension: usize, order: &mut [u32], capacity: usize) {
    if order.len() <= CELL {
        return;
    }
    let half = capacity / 2;
    if order.len() > half {
        let coordinate = |row: &u32, axis: usize| points[*row as usize * dimension + axis];
        let width = |axis: usize| {
            let values = order.iter().map(|row| coordinate(row, axis));
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            high - low
        };
        let axis = (0..dimension).map(|axis| (axis, width(axis))).max_by(|a, b| a.1.total_cmp(&b.1));
        let axis = axis.map_or(0, |(axis, _)| axis);
        order.select_nth_unstable_by(half, |a, b| {
            coordinate(a, axis).total_cmp(&coordinate(b, axis)).then(a.cmp(b))
        });
        let (left, right) = order.split_at_mut(half);
        arrange(points, dimension, left, half);
        arrange(points, dimension, right, half);
    } else {
        arrange(points, dimension, order, half);
    }
}

/// Euclidean distance of two points of scaled clouds: squares do not overflow and do not matter when they
/// underflow.
#[inline(always)]
pub(super) fn distance<const D: usize>(a: &[f64], b: &[f64]) -> f64 {
    let dimension = if D == 0 { a.len() } else { D };
    let mut sum = 0.0;
    for axis in 0..dimension {
        let gap = a[axis] - b[axis];
        sum += gap * gap;
    }
    sum.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_all_points_and_bounds_every_node() {
        for count in [1, 4, 5, 8, 9, 63, 64, 65, 1000] {
            let points: Vec<f64> = (0..2 * count).map(|k| (k as f64 * 1.7).sin().powi(3)).collect();
            let (tree, mut order) = Tree::<2>::build(&points, 2);
            for (index, &row) in order.iter().enumerate() {
                assert_eq!(tree.point(index), &points[2 * row as usize..][..2]);
                let mut node = tree.nodes() / 2 + index / LEAF;
                loop {
                    let (low, high) = tree.corners(node);
                    assert!((0..2).all(|a| (low[a]..=high[a]).contains(&tree.point(index)[a])));
                    if node == 0 {
                        break;
                    }
                    node = (node - 1) / 2;
                }
            }
            order.sort_unstable();
            assert!(order.iter().enumerate().all(|(k, &row)| k == row as usize));
        }
    }
}
