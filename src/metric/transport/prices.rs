//! [`Prices`]: weights `v_j` on the points of a tree, and lower bounds of `|x − y_j| − v_j` over its nodes.
//!
//! # Formula
//! For a node with box `B`, centre `c` and half widths `h`:
//! ```text
//! |x − y| − v(y) ≥ dist(x, B) − v_max
//! |x − y| − v(y) ≥ |c − x| − b − Σ_a |e_a − g_a| h_a,   e = (c − x)/|c − x|,   v(y) ≤ b + g·(y − c) on B
//! ```
//! The first is good near by. The second uses that optimal potentials have slope one along the rays of transport: where
//! the slope `g` points away from `x` it loses only the square of the box size over the distance, while the first
//! loses the box size itself and is useless between clouds that lie far apart. For a box of queries in place of `x`
//! their half widths and the plane above their own potential join in.
//!
//! The centre never appears by itself, only its differences: far from the origin it need not be a floating-point number.

use super::dual::Dual;
use super::tree::{LEAF, Tree};

/// A tree whose points carry weights.
#[derive(Debug, Clone)]
pub(super) struct Prices<'a, const D: usize> {
    pub(super) tree: &'a Tree<D>,
    /// One weight per point, `−∞` up to the end of the last leaf.
    pub(super) weights: Vec<f64>,
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
            let rise: f64 = (0..d).map(|a| plane[a] * 0.5 * ((y[a] - low[a]) + (y[a] - high[a]))).sum();
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
                let shift = 0.5 * ((child_low[a] - low[a]) + (child_high[a] - high[a]));
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

    /// A lower bound of `|x − y_j| − v_j − u(x)` over the points of a node and all `x` of a region, or infinity if that is
    /// not below `bound`.
    #[inline(always)]
    pub(super) fn least(&self, node: usize, region: &Region<'_>, bound: f64) -> f64 {
        let d = self.tree.dimension();
        let (low, high) = self.tree.corners(node);
        let plane = self.plane(node);
        let (mut to_box_2, mut to_centre_2, mut size_2) = (0.0, 0.0, 0.0);
        for a in 0..d {
            let (below, above) = (low[a] - region.high[a], high[a] - region.low[a]);
            let gap = below.max(-above).max(0.0);
            to_box_2 += gap * gap;
            to_centre_2 += (below + above) * (below + above);
            size_2 += (above - below) * (above - below);
        }
        let largest = plane[d + 1] + region.plane.map_or(0.0, |plane| plane[d + 1]);
        let needed = bound + largest;
        if needed <= 0.0 || to_box_2 >= needed * needed {
            return f64::INFINITY;
        }
        let by_box = to_box_2.sqrt() - largest;
        // Nearer than the boxes are wide the planes gain nothing.
        if to_box_2 <= size_2 {
            by_box
        } else {
            by_box.max(self.above_planes(node, region, to_centre_2.sqrt()))
        }
    }

    /// The second bound; `twice_away` is twice the distance of the centres.
    #[inline(always)]
    fn above_planes(&self, node: usize, region: &Region<'_>, twice_away: f64) -> f64 {
        let d = self.tree.dimension();
        let (low, high) = self.tree.corners(node);
        let plane = self.plane(node);
        let mut twice = twice_away - 2.0 * (plane[d] + region.plane.map_or(0.0, |plane| plane[d]));
        for a in 0..d {
            let direction = ((low[a] - region.high[a]) + (high[a] - region.low[a])) / twice_away;
            twice -= (direction - plane[a]).abs() * (high[a] - low[a]);
            if let Some(plane) = region.plane {
                twice -= (direction + plane[a]).abs() * (region.high[a] - region.low[a]);
            }
        }
        0.5 * twice
    }
}

/// Where queries lie: a point, or a box of points whose own potential `u` is below a plane.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region<'a> {
    low: &'a [f64],
    high: &'a [f64],
    plane: Option<&'a [f64]>,
}

impl<'a> Region<'a> {
    /// A single query without a potential.
    #[inline(always)]
    pub(super) fn point(x: &'a [f64]) -> Self {
        Self { low: x, high: x, plane: None }
    }

    /// The points of a node with their prices.
    #[inline(always)]
    pub(super) fn node<const D: usize>(prices: &'a Prices<'_, D>, node: usize) -> Self {
        let (low, high) = prices.tree.corners(node);
        Self { low, high, plane: Some(prices.plane(node)) }
    }
}
