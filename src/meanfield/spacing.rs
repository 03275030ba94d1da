//! How densely nodes lie along the line, and the coordinate in which they are equidistant.
//!
//! # Formula
//! A wanted spacing `s(x)` defines the coordinate `ξ` in which nodes are one apart,
//! ```text
//! ξ(x) = ∫ dx/s(x),     |s'| ≤ slope,     x̄ = x(ξ) * N(0, m²)
//! ```
//! The limit on `s'` makes spacings grow geometrically away from a place that needs small ones. The inverse `x(ξ)` is
//! mollified by a Gaussian of `m` nodes, so that `x̄` is an entire function and the trapezoid rule
//! `∫ g dx ≈ Σ_k g(x̄(k)) x̄'(k)` keeps its spectral convergence on graded nodes.

use crate::numeric::tail;

/// Width `m` of the mollifier in nodes. A trapezoid rule over a Gaussian of two spacings beside a place a million times denser errs by
/// `1e-8` at one node, `1e-13` at two, and by rounding at three, whatever the slope up to a half.
const MOLLIFIER: f64 = 3.0;

/// Samples of `x(ξ)` per node that are mollified.
const SAMPLES: usize = 2;

/// Beyond this many widths a mollified corner is the corner itself.
const REACH: f64 = 8.5;

/// A wanted spacing along an interval, linear between its knots.
#[derive(Debug, Clone)]
pub(super) struct Spacing {
    knots: Vec<Knot>,
}

/// The wanted spacing at a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    /// The place.
    pub at: f64,
    /// Spacing of the nodes there.
    pub size: f64,
}

#[derive(Debug, Clone, Copy)]
struct Knot {
    at: f64,
    size: f64,
    /// `ξ` from the first knot to this one.
    count: f64,
}

/// A node of a trapezoid rule: where it is, and how much of the line it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// `x̄(k)`.
    pub at: f64,
    /// `x̄'(k)`.
    pub width: f64,
}

impl Spacing {
    /// From wishes in increasing order, at least two; a wish gives way where a smaller one is near.
    pub fn new(mut wishes: Vec<Wish>, slope: f64) -> Self {
        for i in 1..wishes.len() {
            let reach = wishes[i - 1].size + slope * (wishes[i].at - wishes[i - 1].at);
            wishes[i].size = wishes[i].size.min(reach);
        }
        for i in (1..wishes.len()).rev() {
            let reach = wishes[i].size + slope * (wishes[i].at - wishes[i - 1].at);
            wishes[i - 1].size = wishes[i - 1].size.min(reach);
        }
        let mut count = 0.0;
        let mut knots = vec![Knot { at: wishes[0].at, size: wishes[0].size, count }];
        for pair in wishes.windows(2) {
            count += passage(pair[0], pair[1]);
            knots.push(Knot { at: pair[1].at, size: pair[1].size, count });
        }
        Self { knots }
    }

    /// `ξ` from one end to the other.
    pub fn count(&self) -> f64 {
        self.knots[self.knots.len() - 1].count
    }

    /// `x(ξ)`, before it is mollified.
    pub fn place(&self, count: f64) -> f64 {
        let after = self.knots.partition_point(|knot| knot.count <= count);
        let i = after.clamp(1, self.knots.len() - 1);
        let (left, right) = (self.knots[i - 1], self.knots[i]);
        let growth = (right.size - left.size) / (right.at - left.at);
        let steps = count - left.count;
        // s = s0 + growth·(x − x0) and dx/dξ = s give x − x0 = s0 (e^{growth·ξ} − 1)/growth.
        let exponent = growth * steps;
        let factor = if exponent == 0.0 { 1.0 } else { exponent.exp_m1() / exponent };
        left.at + left.size * steps * factor
    }

    /// Nodes one apart in the mollified coordinate, from one end to the other.
    pub fn places(&self) -> Vec<Place> {
        let nodes = self.count().floor() as usize + 1;
        let samples: Vec<f64> =
            (0..=SAMPLES * nodes).map(|i| self.place(i as f64 / SAMPLES as f64)).collect();
        let corners: Vec<f64> = (0..samples.len()).map(|i| corner(&samples, i)).collect();
        let mollifier = Mollifier::new();
        (0..nodes).map(|k| mollifier.place(&samples, &corners, k * SAMPLES)).collect()
    }
}

/// `∫ dx/s` between neighbouring wishes.
fn passage(left: Wish, right: Wish) -> f64 {
    let ratio = right.size / left.size - 1.0;
    let slowdown = if ratio == 0.0 { 1.0 } else { ratio.ln_1p() / ratio };
    (right.at - left.at) / left.size * slowdown
}

/// The change of slope at sample `i`; none at the ends, beyond which the line goes on straight.
fn corner(samples: &[f64], i: usize) -> f64 {
    if i == 0 || i + 1 == samples.len() {
        return 0.0;
    }
    SAMPLES as f64 * ((samples[i + 1] - samples[i]) - (samples[i] - samples[i - 1]))
}

/// What a corner of unit change of slope, mollified, adds at the distances where samples can be.
struct Mollifier {
    height: Vec<f64>,
    slope: Vec<f64>,
}

impl Mollifier {
    /// `E(mZ − a)₊` and `P(mZ > a)` at the distances `a = i/SAMPLES`.
    fn new() -> Self {
        let count = (REACH * MOLLIFIER * SAMPLES as f64).ceil() as usize;
        let distances = || (0..=count).map(|i| i as f64 / (SAMPLES as f64 * MOLLIFIER));
        Self {
            height: distances().map(|t| MOLLIFIER * tail::upper_mean(t)).collect(),
            slope: distances().map(tail::upper).collect(),
        }
    }

    fn place(&self, samples: &[f64], corners: &[f64], i: usize) -> Place {
        let corner = |j: Option<usize>| j.and_then(|j| corners.get(j)).copied().unwrap_or(0.0);
        let (mut at, mut width) = (samples[i] + self.height[0] * corners[i], mean_slope(samples, i));
        for m in 1..self.height.len() {
            let (before, after) = (corner(i.checked_sub(m)), corner(Some(i + m)));
            at += self.height[m] * (before + after);
            width += self.slope[m] * (after - before);
        }
        Place { at, width }
    }
}

/// The mean of the slopes on both sides of sample `i`.
fn mean_slope(samples: &[f64], i: usize) -> f64 {
    let (left, right) = (i.saturating_sub(1), (i + 1).min(samples.len() - 1));
    SAMPLES as f64 * (samples[right] - samples[left]) / (right - left) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spacing 0.1, and a millionth of it at one place.
    fn uneven(slope: f64) -> Spacing {
        let size = |at: f64| if (at - 0.3).abs() < 0.01 { 1e-7 } else { 0.1 };
        let wishes = (0..=400).map(|i| -10.0 + 0.05 * f64::from(i));
        Spacing::new(wishes.map(|at| Wish { at, size: size(at) }).collect(), slope)
    }

    #[test]
    fn even_wishes_give_even_nodes() {
        let wishes = [-1.0, 1.0].map(|at| Wish { at, size: 0.125 }).to_vec();
        let places = Spacing::new(wishes, 0.3).places();
        assert_eq!(places.len(), 17);
        for (k, place) in places.iter().enumerate() {
            assert!((place.at - (-1.0 + 0.125 * k as f64)).abs() < 1e-15);
            assert!((place.width - 0.125).abs() < 1e-15);
        }
    }

    #[test]
    fn nodes_increase_and_are_as_wide_as_their_distance() {
        for pair in uneven(0.25).places().windows(2) {
            let distance = pair[1].at - pair[0].at;
            let mean = 0.5 * (pair[0].width + pair[1].width);
            assert!(distance > 0.0 && (distance / mean - 1.0).abs() < 0.05, "{pair:?}");
        }
    }

    /// Graded over six orders of magnitude, the trapezoid rule integrates a Gaussian of two base spacings to rounding.
    #[test]
    fn graded_nodes_keep_the_trapezoid_rule_spectral() {
        let density = |x: f64| (-0.5 * (x / 0.2).powi(2)).exp() / (std::f64::consts::TAU.sqrt() * 0.2);
        for slope in [0.5, 0.25, 0.125] {
            let places = uneven(slope).places();
            assert!(places.len() < 700);
            let mass: f64 = places.iter().map(|place| density(place.at) * place.width).sum();
            assert!((mass - 1.0).abs() < 1e-14, "slope {slope}: {:e}", mass - 1.0);
        }
    }
}
