//! [`Cone`]: an upper bound of a potential over the box of a node.
//!
//! # Formula
//! For a box with centre `c`, half widths `h` and `r = |h|`, and an apex `a` wherever it may lie,
//! ```text
//! v(y) ≤ |y − a| − m   on the box,
//! |x − y| − v(y) ≥ m + |x − c| − |a − c| − Σ_k |e_k − g_k| h_k − κ,   e = (c − x)/|c − x|,  g = (c − a)/|c − a|
//! κ = min(r²/2|a − c|, |x − a| r²/√3s²),   s the distance from the box to the segment between a and x
//! ```
//! Optimal potentials have slope one along the rays of transport, so the point at the other end of a ray makes a
//! good apex. The sum is what `|x − y| − |a − y|` changes by to first order; `κ` bounds the second order in two
//! ways. The distance from `x` is convex and that from `a` bends by at most `r²/2|a − c|`: good for rays that
//! leave the box side by side. And the second derivative of `|y|` changes by at most `2/√3|y|²` per unit of
//! length, so that both distances bend alike when `a` is near `x`: good for rays that meet, as they do where
//! points have collapsed onto clusters.
//!
//! For a box of queries in place of `x` there is a second cone, above their own potential, with a `κ` of its own;
//! their centre takes the place of `x`. As `|x − y|` is convex in both, the first part of both serves as it is.
//! Otherwise the product of the two radii over the distance of the boxes joins in, a bound of what `|x − y|` changes
//! by beyond its changes in `x` and in `y` alone, which leaves to either box its better part.
//!
//! Centres never appear by themselves, only their differences: far from the origin they need not be
//! floating-point numbers.

/// Above `1/√3`.
const ALIKE: f64 = 0.58;

/// The box of a node, the cone above the potential on it, and the largest value there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cone<'a> {
    pub(super) low: &'a [f64],
    pub(super) high: &'a [f64],
    pub(super) apex: &'a [f64],
    /// `m`.
    pub(super) depth: f64,
    pub(super) largest: f64,
    /// `|a − c|`.
    pub(super) reach: f64,
    /// `1/2|a − c|`.
    pub(super) steepness: f64,
    /// `r`.
    pub(super) radius: f64,
}

/// Where queries lie: at a point, or in a box with a cone above their own potential.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region<'a> {
    low: &'a [f64],
    high: &'a [f64],
    cone: Option<&'a Cone<'a>>,
}

/// How far apart two boxes are, squared.
struct Gap {
    to_box_2: f64,
    /// Twice the distance of the centres.
    to_centre_2: f64,
    /// Both diagonals together.
    size_2: f64,
}

impl<'a> Region<'a> {
    /// A single query without a potential.
    #[inline(always)]
    pub(super) fn point(x: &'a [f64]) -> Self {
        Self { low: x, high: x, cone: None }
    }

    /// The points of a node with their prices.
    #[inline(always)]
    pub(super) fn node(cone: &'a Cone<'a>) -> Self {
        Self { low: cone.low, high: cone.high, cone: Some(cone) }
    }
}

impl Cone<'_> {
    /// A lower bound of `|x − y| − v(y) − u(x)` over the box and a region with the potential `u`, or infinity if
    /// that is not below `bound`.
    #[inline(always)]
    pub(super) fn least(&self, region: &Region<'_>, bound: f64) -> f64 {
        let gap = self.gap(region);
        let needed = bound + self.largest_sum(region);
        if needed <= 0.0 || gap.to_box_2 >= needed * needed {
            return f64::INFINITY;
        }
        self.evaluate(region, &gap, bound)
    }

    /// The depth of a cone with this apex that lies above this one on the box.
    pub(super) fn depth_below(&self, apex: &[f64]) -> f64 {
        let region = Region::point(apex);
        self.evaluate(&region, &self.gap(&region), f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn gap(&self, region: &Region<'_>) -> Gap {
        let (mut to_box_2, mut to_centre_2, mut size_2) = (0.0, 0.0, 0.0);
        for k in 0..self.low.len() {
            let (below, above) = (self.low[k] - region.high[k], self.high[k] - region.low[k]);
            let gap = below.max(-above).max(0.0);
            to_box_2 += gap * gap;
            to_centre_2 += (below + above) * (below + above);
            size_2 += (above - below) * (above - below);
        }
        Gap { to_box_2, to_centre_2, size_2 }
    }

    #[inline(always)]
    fn largest_sum(&self, region: &Region<'_>) -> f64 {
        self.largest + region.cone.map_or(0.0, |cone| cone.largest)
    }

    /// The better of both bounds; below `enough` it need not be the best.
    #[inline(always)]
    fn evaluate(&self, region: &Region<'_>, gap: &Gap, enough: f64) -> f64 {
        let to_box = gap.to_box_2.sqrt();
        let by_box = to_box - self.largest_sum(region);
        // Nearer than the boxes are wide the cones gain nothing.
        if gap.to_box_2 <= gap.size_2 {
            return by_box;
        }
        let least = self.first_order(region, 0.5 * gap.to_centre_2.sqrt());
        let mut bend = self.bend() + region.cone.map_or(0.0, Cone::bend);
        if least >= enough {
            let mut apart = self.bend().min(self.bend_alike(region, to_box));
            if let Some(other) = region.cone {
                apart += other.bend().min(other.bend_alike(&Region::node(self), to_box));
                apart += self.radius * other.radius / to_box;
            }
            bend = bend.min(apart);
        }
        by_box.max(least - bend)
    }

    /// The second bound without `κ`; `away` is the distance of the centres.
    #[inline(always)]
    fn first_order(&self, region: &Region<'_>, away: f64) -> f64 {
        let (mut tilt, half) = (0.0, 0.5 / away);
        for k in 0..self.low.len() {
            let along = ((self.low[k] - region.high[k]) + (self.high[k] - region.low[k])) * half;
            tilt += (along - self.slope(k)).abs() * (self.high[k] - self.low[k]);
            if let Some(other) = region.cone {
                tilt += (along + other.slope(k)).abs() * (other.high[k] - other.low[k]);
            }
        }
        let of_region = region.cone.map_or(0.0, |other| other.depth - other.reach);
        away - self.reach + self.depth + of_region - 0.5 * tilt
    }

    /// A component of `g`.
    #[inline(always)]
    fn slope(&self, k: usize) -> f64 {
        ((self.low[k] - self.apex[k]) + (self.high[k] - self.apex[k])) * self.steepness
    }

    /// The first part of `κ`.
    #[inline(always)]
    fn bend(&self) -> f64 {
        self.radius * self.radius * self.steepness
    }

    /// The second part of `κ`, with the centre of the region for `x`.
    #[inline(always)]
    fn bend_alike(&self, region: &Region<'_>, to_box: f64) -> f64 {
        let mut twice_2 = 0.0;
        for k in 0..self.low.len() {
            let twice = (region.low[k] - self.apex[k]) + (region.high[k] - self.apex[k]);
            twice_2 += twice * twice;
        }
        let aside = 0.5 * twice_2.sqrt();
        // Both ends of the segment are so far from the box, and no point of it is farther than `aside` from either.
        let clear = to_box.max(self.reach - self.radius) - aside;
        if clear > 0.0 { ALIKE * aside * (self.radius / clear).powi(2) } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::super::dual::Dual;
    use super::super::prices::Prices;
    use super::super::tree::{LEAF, Tree, distance};
    use super::*;

    /// Seed of all random clouds.
    const SEED: u64 = 31;

    /// Rounding of a distance, with room.
    const ROUNDOFF: f64 = 1e-14;

    /// A leaf around a centre, with the distances from an apex for its potential, and that apex for an origin.
    fn leaf(centre: f64, width: f64, apex: [f64; 2], random: &mut Pcg64) -> (Tree<2>, Dual) {
        let points: Vec<f64> =
            (0..2 * LEAF).map(|_| centre + width * (random.random::<f64>() - 0.5)).collect();
        let (tree, _) = Tree::build(&points, 2);
        let mut dual = Dual::default();
        (0..LEAF).for_each(|index| dual.push(distance::<2>(tree.point(index), &apex), &apex));
        (tree, dual)
    }

    fn smallest(here: (&Tree<2>, &Dual), there: (&Tree<2>, &Dual)) -> f64 {
        let pairs = (0..LEAF).flat_map(|i| (0..LEAF).map(move |j| (i, j)));
        let value = |(i, j): (usize, usize)| {
            distance::<2>(here.0.point(i), there.0.point(j)) - here.1.values[i] - there.1.values[j]
        };
        pairs.map(value).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn bounds_all_pairs_of_two_boxes() {
        let mut random = Pcg64::seed_from_u64(SEED);
        for instance in 0..2000 {
            let mut number = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
            let widths = [10.0_f64.powf(number(-9.0, 0.0)), 10.0_f64.powf(number(-9.0, 0.0))];
            let apexes = [[number(-1.0, 1.0), number(-1.0, 1.0)], [number(-1.0, 1.0), number(-1.0, 1.0)]];
            let centre = number(0.0, 2.0);
            let (tree, dual) = leaf(0.0, widths[0], apexes[0], &mut random);
            let (other_tree, other_dual) = leaf(centre, widths[1], apexes[1], &mut random);
            let (prices, queries) = (Prices::new(&tree, &dual), Prices::new(&other_tree, &other_dual));
            let exact = smallest((&tree, &dual), (&other_tree, &other_dual));
            let (cone, of_queries) = (prices.cone(0), queries.cone(0));
            let region = Region::node(&of_queries);
            let bound = cone.evaluate(&region, &cone.gap(&region), f64::NEG_INFINITY);
            assert!(bound <= exact + ROUNDOFF, "instance {instance}: {bound} above {exact}");
        }
    }

    #[test]
    fn sees_differences_within_a_cluster() {
        let mut random = Pcg64::seed_from_u64(SEED);
        let (apex, radius) = ([0.0, 0.0], 1e-9);
        let (tree, dual) = leaf(1.0, 0.2, apex, &mut random);
        let prices = Prices::new(&tree, &dual);
        for x in [[radius, 0.0], [0.0, -radius], [-radius, radius]] {
            let values = (0..LEAF).map(|j| distance::<2>(&x, tree.point(j)) - dual.values[j]);
            let exact = values.fold(f64::INFINITY, f64::min);
            let bound = prices.cone(0).depth_below(&x);
            assert!(bound <= exact + ROUNDOFF && bound > exact - 0.3 * radius, "{bound} for {exact}");
        }
    }
}
