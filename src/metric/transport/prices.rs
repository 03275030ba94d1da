//! [`Prices`]: weights `v_j` on the points of a tree, and the search for the smallest `|x − y_j| − v_j`.
//!
//! # Formula
//! A node with box `B`, centre `c` and half widths `h` is skipped when a lower bound of its points exceeds what is
//! already known. Two bounds are used:
//! ```text
//! |x − y| − v(y) ≥ dist(x, B) − v_max
//! |x − y| − v(y) ≥ |c − x| − b − Σ_a |e_a − g_a| h_a,   e = (c − x)/|c − x|,   v(y) ≤ b + g·(y − c) on B
//! ```
//! The first is good near by. The second uses that optimal potentials have slope one along the rays of transport: where
//! the slope `g` points away from `x` it loses only the square of the box size over the distance, while the first
//! loses the box size itself and is useless between clouds that lie far apart.

use super::tree::{LEAF, Tree, distance};

/// A potential on the points of one side: its values, and at each point the direction in which it grows.
///
/// The slopes only steer the search. Wrong ones make it slow, not wrong.
#[derive(Debug, Clone, Default)]
pub(super) struct Dual {
    pub(super) values: Vec<f64>,
    /// Row-major, one unit vector (or zero) per point.
    pub(super) slopes: Vec<f64>,
}

impl Dual {
    /// Appends the value at `x` of a potential that there grows away from `origin`.
    pub(super) fn push<const D: usize>(&mut self, value: f64, x: &[f64], origin: &[f64]) {
        let length = distance::<D>(x, origin);
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        self.values.push(value);
        self.slopes.extend(x.iter().zip(origin).map(|(x, o)| (x - o) * scale));
    }

    /// Halfway between the smallest and the largest value.
    pub(super) fn middle(&self) -> f64 {
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        0.5 * (low + high)
    }

    /// The potential with a constant added.
    pub(super) fn shifted(mut self, by: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value += by);
        self
    }

    /// The potential with its sign changed.
    pub(super) fn negated(mut self) -> Self {
        self.values.iter_mut().chain(&mut self.slopes).for_each(|x| *x = -*x);
        self
    }
}

/// A point found by a search: `value = distance − weight`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Found {
    pub(super) index: usize,
    pub(super) value: f64,
    pub(super) distance: f64,
}

/// A tree whose points carry weights.
#[derive(Debug, Clone)]
pub(super) struct Prices<'a, const D: usize> {
    tree: &'a Tree<D>,
    /// One weight per point, `−∞` up to the end of the last leaf.
    weights: Vec<f64>,
    /// Per node: the slope `g`, the height `b`, and the largest weight.
    planes: Vec<f64>,
}

impl<'a, const D: usize> Prices<'a, D> {
    /// Attaches the values of a potential to the points of its tree.
    pub(super) fn new(tree: &'a Tree<D>, dual: &Dual) -> Self {
        let mut weights = dual.values.clone();
        weights.resize(tree.len().div_ceil(LEAF) * LEAF, f64::NEG_INFINITY);
        let mut prices = Self { tree, weights, planes: vec![] };
        prices.planes = vec![f64::NEG_INFINITY; tree.nodes() * prices.stride()];
        let first_leaf = tree.nodes() / 2;
        for node in (0..tree.nodes()).rev() {
            let plane = if node < first_leaf {
                prices.join_planes(node)
            } else {
                prices.leaf_plane(node - first_leaf, &dual.slopes)
            };
            let stride = prices.stride();
            prices.planes[node * stride..][..stride].copy_from_slice(&plane);
        }
        prices
    }

    #[inline(always)]
    fn stride(&self) -> usize {
        self.tree.dimension() + 2
    }

    #[inline(always)]
    fn plane(&self, node: usize) -> &[f64] {
        let stride = self.stride();
        &self.planes[node * stride..][..stride]
    }

    /// The mean slope of the leaf's points, and the lowest plane of that slope above their weights.
    fn leaf_plane(&self, leaf: usize, slopes: &[f64]) -> Vec<f64> {
        let (d, len) = (self.tree.dimension(), self.tree.len());
        let (from, to) = ((leaf * LEAF).min(len), ((leaf + 1) * LEAF).min(len));
        let mut plane = vec![0.0; d];
        for slope in slopes[from * d..to * d].chunks_exact(d) {
            plane.iter_mut().zip(slope).for_each(|(mean, s)| *mean += s / (to - from) as f64);
        }
        let (low, high) = self.tree.corners(self.tree.nodes() / 2 + leaf);
        let (mut height, mut largest) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for index in from..to {
            let y = self.tree.point(index);
            let rise: f64 = (0..d).map(|a| plane[a] * (y[a] - 0.5 * (low[a] + high[a]))).sum();
            height = height.max(self.weights[index] - rise);
            largest = largest.max(self.weights[index]);
        }
        plane.extend([self.rounded_up(height), largest]);
        plane
    }

    /// A height that is no lower than the exact one: slopes are at most one and coordinates differ by at most one.
    fn rounded_up(&self, height: f64) -> f64 {
        height + 2.0 * (self.tree.dimension() + 2) as f64 * f64::EPSILON * (1.0 + height.abs())
    }

    /// A plane above the planes of both children, on their boxes.
    fn join_planes(&self, node: usize) -> Vec<f64> {
        let d = self.tree.dimension();
        let children = [2 * node + 1, 2 * node + 2];
        let full = || children.into_iter().filter(|&child| self.plane(child)[d + 1] > f64::NEG_INFINITY);
        let mut joined = vec![0.0; d];
        for child in full() {
            let share = 1.0 / full().count() as f64;
            joined.iter_mut().zip(self.plane(child)).for_each(|(mean, slope)| *mean += slope * share);
        }
        let (low, high) = self.tree.corners(node);
        let (mut height, mut largest) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for child in full() {
            let plane = self.plane(child);
            let (child_low, child_high) = self.tree.corners(child);
            let mut rise = plane[d];
            for a in 0..d {
                let shift = 0.5 * (child_low[a] + child_high[a]) - 0.5 * (low[a] + high[a]);
                rise +=
                    (plane[a] - joined[a]).abs() * 0.5 * (child_high[a] - child_low[a]) - joined[a] * shift;
            }
            height = height.max(rise);
            largest = largest.max(plane[d + 1]);
        }
        joined.extend([self.rounded_up(height), largest]);
        joined
    }

    /// The point with this index.
    pub(super) fn point(&self, index: usize) -> &[f64] {
        self.tree.point(index)
    }

    /// Lowers the weight of one point. The bounds of its nodes stay valid, only less tight.
    pub(super) fn lower(&mut self, index: usize, by: f64) {
        self.weights[index] -= by;
    }

    /// A lower bound of `|x − y_j| − v_j` over the points of a node, or infinity if that is not below `bound`.
    #[inline(always)]
    fn least(&self, node: usize, x: &[f64], bound: f64) -> f64 {
        let d = self.tree.dimension();
        let (low, high) = self.tree.corners(node);
        let plane = self.plane(node);
        let (mut to_box_2, mut to_centre_2, mut size_2) = (0.0, 0.0, 0.0);
        for a in 0..d {
            let (below, above) = (low[a] - x[a], high[a] - x[a]);
            let gap = below.max(-above).max(0.0);
            to_box_2 += gap * gap;
            to_centre_2 += (below + above) * (below + above);
            size_2 += (above - below) * (above - below);
        }
        let largest = plane[d + 1];
        let needed = bound + largest;
        if needed <= 0.0 || to_box_2 >= needed * needed {
            return f64::INFINITY;
        }
        let by_box = to_box_2.sqrt() - largest;
        // Nearer than the box is wide the plane gains nothing.
        if to_box_2 < size_2 {
            return by_box;
        }
        let away = to_centre_2.sqrt();
        let mut twice = away - 2.0 * plane[d];
        for a in 0..d {
            let (below, above) = (low[a] - x[a], high[a] - x[a]);
            twice -= ((below + above) / away - plane[a]).abs() * (above - below);
        }
        by_box.max(0.5 * twice)
    }

    /// Finds the `count` points of smallest `|x − y_j| − v_j` below `bound`, best first.
    pub(super) fn smallest(&self, x: &[f64], bound: f64, count: usize, found: &mut Vec<Found>) {
        found.clear();
        let first_leaf = self.tree.nodes() / 2;
        let mut bound = bound;
        // Each level leaves at most one sibling behind, and there are fewer than 64 levels.
        let mut pending = [(0_usize, f64::NEG_INFINITY); 64];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (mut node, mut least) = pending[waiting];
            while least < bound && node < first_leaf {
                let (left, right) = (2 * node + 1, 2 * node + 2);
                let (at_left, at_right) = (self.least(left, x, bound), self.least(right, x, bound));
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

    /// Which queries of a leaf have a point with `|x_i − y_j| < u_i + v_j − tolerance`; `queries` carry the `u_i`.
    pub(super) fn violated(&self, queries: &Self, leaf: usize, tolerance: f64) -> [bool; LEAF] {
        let first_leaf = self.tree.nodes() / 2;
        let queries_leaf = queries.tree.nodes() / 2 + leaf;
        let members = (queries.tree.len() - leaf * LEAF).min(LEAF);
        let mut violated = [false; LEAF];
        let mut pending = [0_usize; 64];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let node = pending[waiting];
            if self.is_clear(node, queries, queries_leaf, tolerance) {
                continue;
            }
            if node < first_leaf {
                pending[waiting] = 2 * node + 2;
                pending[waiting + 1] = 2 * node + 1;
                waiting += 2;
                continue;
            }
            let weights = &self.weights[(node - first_leaf) * LEAF..][..LEAF];
            for (k, violated) in violated.iter_mut().enumerate().take(members) {
                let (x, u) =
                    (queries.tree.point(leaf * LEAF + k), queries.weights[leaf * LEAF + k] - tolerance);
                let distances_2 = self.tree.leaf_distances_2(node - first_leaf, x);
                let hits = distances_2.iter().zip(weights).map(|(d_2, v)| {
                    let sum = (u + v).max(0.0);
                    *d_2 < sum * sum
                });
                *violated |= hits.fold(false, |any, hit| any | hit);
            }
        }
        violated
    }

    /// True when no pair between a node and a node of the queries can be violated.
    #[inline(always)]
    fn is_clear(&self, node: usize, queries: &Self, queries_node: usize, tolerance: f64) -> bool {
        let d = self.tree.dimension();
        let (low, high) = self.tree.corners(node);
        let (query_low, query_high) = queries.tree.corners(queries_node);
        let (plane, query_plane) = (self.plane(node), queries.plane(queries_node));
        let (mut to_box_2, mut to_centre_2, mut size_2) = (0.0, 0.0, 0.0);
        for a in 0..d {
            let (below, above) = (low[a] - query_high[a], high[a] - query_low[a]);
            let gap = below.max(-above).max(0.0);
            to_box_2 += gap * gap;
            to_centre_2 += (below + above) * (below + above);
            size_2 += (above - below) * (above - below);
        }
        let needed = plane[d + 1] + query_plane[d + 1] - tolerance;
        if needed <= 0.0 || to_box_2 >= needed * needed {
            return true;
        }
        if to_box_2 < size_2 {
            return false;
        }
        let away = to_centre_2.sqrt();
        let mut twice = away - 2.0 * (plane[d] + query_plane[d]);
        for a in 0..d {
            let direction = (low[a] - query_high[a] + high[a] - query_low[a]) / away;
            twice -= (direction - plane[a]).abs() * (high[a] - low[a]);
            twice -= (direction + query_plane[a]).abs() * (query_high[a] - query_low[a]);
        }
        0.5 * twice >= -tolerance
    }

    /// Adds the points of a leaf that lie below the bound; returns the new bound.
    #[inline(always)]
    fn scan(&self, leaf: usize, x: &[f64], mut bound: f64, count: usize, found: &mut Vec<Found>) -> f64 {
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
}
