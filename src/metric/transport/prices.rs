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

    /// The potential shifted so that its values lie evenly about zero.
    pub(super) fn centred(mut self) -> Self {
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.values.iter_mut().for_each(|value| *value -= 0.5 * (low + high));
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

    /// A lower bound of `|x − y_j| − v_j` over the points of a node; only the first bound when that reaches `enough`.
    #[inline(always)]
    fn least(&self, node: usize, x: &[f64], enough: f64) -> f64 {
        let d = self.tree.dimension();
        let (low, high) = self.tree.corners(node);
        let plane = self.plane(node);
        let mut sum = 0.0;
        for a in 0..d {
            let gap = (low[a] - x[a]).max(x[a] - high[a]).max(0.0);
            sum += gap * gap;
        }
        let by_box = sum.sqrt() - plane[d + 1];
        if by_box >= enough {
            return by_box;
        }
        let mut sum = 0.0;
        for a in 0..d {
            let gap = 0.5 * (low[a] + high[a]) - x[a];
            sum += gap * gap;
        }
        let away = sum.sqrt();
        let inverse = if away > 0.0 { 1.0 / away } else { 0.0 };
        let mut by_plane = away - plane[d];
        for a in 0..d {
            let gap = 0.5 * (low[a] + high[a]) - x[a];
            by_plane -= (gap * inverse - plane[a]).abs() * 0.5 * (high[a] - low[a]);
        }
        by_box.max(by_plane)
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
