//! [`Prices`]: weights `v_j` on the points of a tree, and lower bounds of `|x − y_j| − v_j` over its nodes.
//!
//! # Formula
//! For a node with box `B` and largest weight `v_max`:
//! ```text
//! |x − y| − v(y) ≥ dist(x, B) − v_max
//! ```
//! is good near by. It loses the size of the box and is useless between clouds that lie far apart; there the cone
//! above the weights takes over.

use std::ops::Range;

use super::cone::{Cone, Region};
use super::dual::Dual;
use super::tree::{LEAF, Tree, distance};

/// Numbers per node beside its apex: depth, largest weight, reach, steepness, radius.
const SCALARS: usize = 5;

/// A tree whose points carry weights.
#[derive(Debug, Clone)]
pub(super) struct Prices<'a, const D: usize> {
    pub(super) tree: &'a Tree<D>,
    /// One weight per point, `−∞` up to the end of the last leaf.
    pub(super) weights: Vec<f64>,
    /// Apex and scalars of every node.
    cones: Vec<f64>,
}

impl<'a, const D: usize> Prices<'a, D> {
    /// Attaches the values of a potential to the points of its tree.
    pub(super) fn new(tree: &'a Tree<D>, dual: &Dual) -> Self {
        let mut weights = dual.values.clone();
        weights.resize(tree.len().div_ceil(LEAF) * LEAF, f64::NEG_INFINITY);
        let cones = vec![f64::NEG_INFINITY; tree.nodes() * (tree.dimension() + SCALARS)];
        let mut prices = Self { tree, weights, cones };
        let first_leaf = tree.nodes() / 2;
        for node in (0..tree.nodes()).rev() {
            if node < first_leaf {
                prices.join(node);
            } else {
                prices.cover_leaf(node, &dual.origins);
            }
        }
        prices
    }

    /// The cone above the weights of a node.
    #[inline(always)]
    pub(super) fn cone(&self, node: usize) -> Cone<'_> {
        let (low, high) = self.tree.corners(node);
        let stride = self.tree.dimension() + SCALARS;
        let (apex, scalars) = self.cones[node * stride..][..stride].split_at(self.tree.dimension());
        Cone {
            low,
            high,
            apex,
            depth: scalars[0],
            largest: scalars[1],
            reach: scalars[2],
            steepness: scalars[3],
            radius: scalars[4],
        }
    }

    /// The points of a leaf.
    #[inline(always)]
    pub(super) fn members(&self, leaf: usize) -> Range<usize> {
        (leaf * LEAF).min(self.tree.len())..((leaf + 1) * LEAF).min(self.tree.len())
    }

    /// Lays a cone above the points of a leaf. Its apex is the origin of the first: where rays from two clusters meet,
    /// a point between the clusters would suit neither.
    fn cover_leaf(&mut self, node: usize, origins: &[f64]) {
        let (d, points) = (self.tree.dimension(), self.members(node - self.tree.nodes() / 2));
        if points.is_empty() {
            return;
        }
        let apex = &origins[points.start * d..][..d];
        let (mut depth, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
        for index in points {
            depth = depth.min(distance::<D>(apex, self.tree.point(index)) - self.weights[index]);
            largest = largest.max(self.weights[index]);
        }
        self.set(node, apex, depth, largest);
    }

    /// Lays a cone above the cones of both children, with the apex of the first.
    fn join(&mut self, node: usize) {
        let [first, second] = [2 * node + 1, 2 * node + 2].map(|child| self.cone(child));
        if first.largest == f64::NEG_INFINITY {
            return;
        }
        let (apex, mut depth) = (first.apex.to_vec(), first.depth);
        if second.largest > f64::NEG_INFINITY {
            depth = depth.min(second.depth_below(&apex));
        }
        self.set(node, &apex, depth, first.largest.max(second.largest));
    }

    fn set(&mut self, node: usize, apex: &[f64], depth: f64, largest: f64) {
        let (low, high) = self.tree.corners(node);
        let d = self.tree.dimension();
        let (mut reach_2, mut size_2) = (0.0, 0.0);
        for k in 0..d {
            let twice = (low[k] - apex[k]) + (high[k] - apex[k]);
            reach_2 += twice * twice;
            size_2 += (high[k] - low[k]) * (high[k] - low[k]);
        }
        let (reach, radius) = (0.5 * reach_2.sqrt(), 0.5 * size_2.sqrt());
        let (apex_there, scalars) = self.cones[node * (d + SCALARS)..][..d + SCALARS].split_at_mut(d);
        apex_there.copy_from_slice(apex);
        scalars.copy_from_slice(&[rounded_down(depth, d), largest, reach, 0.5 / reach, radius]);
    }

    /// The point with this index.
    #[inline(always)]
    pub(super) fn point(&self, index: usize) -> &[f64] {
        self.tree.point(index)
    }

    /// Lowers the weight of one point. The bounds of its nodes stay valid, only less tight.
    pub(super) fn lower(&mut self, index: usize, by: f64) {
        self.weights[index] -= by;
    }

    /// A lower bound of `|x − y_j| − v_j − u(x)` over the points of a node and all `x` of a region, or infinity if
    /// that is not below `bound`.
    #[inline(always)]
    pub(super) fn least(&self, node: usize, region: &Region<'_>, bound: f64) -> f64 {
        self.cone(node).least(region, bound)
    }
}

/// A depth that is no larger than the exact one: coordinates differ by at most one or so.
fn rounded_down(depth: f64, dimension: usize) -> f64 {
    depth - 4.0 * (dimension + 2) as f64 * f64::EPSILON * (1.0 + depth.abs())
}
