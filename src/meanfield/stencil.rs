//! Polynomial interpolation along a segment of nodes.
//!
//! # Formula
//! Barycentric form over the nodes `u_j` of a stencil,
//! ```text
//! p(u) = Σ_j w_j v_j/(u − u_j) / Σ_j w_j/(u − u_j)
//! ```
//! with `w_j = (−1)^j C(n−1, j)` for equidistant nodes, of which some around `u` are used, and
//! `w_j = (−1)^j √((1 − t_j²) g_j)` for the nodes `t_j` and weights `g_j` of a Gauss–Legendre panel.

use std::ops::Range;
use std::sync::LazyLock;

use super::line::{LineGrid, PANEL_NODES, Segment, SegmentKind};
use crate::numeric::quadrature::SIXTEEN;

/// Equidistant nodes that an interpolation uses: enough for rounding at two nodes per kernel width or more.
const STENCIL: usize = 24;

/// Equidistant nodes that it uses at the ends of a segment.
const SMALLEST_STENCIL: usize = 6;

static PANEL_WEIGHTS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let pairs = SIXTEEN.nodes.iter().zip(&SIXTEEN.weights).enumerate();
    pairs.map(|(j, (t, g))| alternate(j) * ((1.0 - t * t) * g).sqrt()).collect()
});

fn alternate(j: usize) -> f64 {
    if j.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// Label and position at a parameter, with their derivatives by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub parameter: f64,
    pub label: f64,
    pub position: f64,
    pub label_slope: f64,
    pub position_slope: f64,
}

/// The parameters at which a segment has its nodes, and its ends where those are not nodes.
pub(super) fn breaks(grid: &LineGrid, segment: &Segment) -> Vec<f64> {
    match segment.kind {
        SegmentKind::Trapezoid => segment.nodes.clone().map(|i| i as f64).collect(),
        SegmentKind::Panel { low, high } => {
            let inner = grid.labels[segment.nodes.clone()].iter().copied();
            std::iter::once(low).chain(inner).chain(std::iter::once(high)).collect()
        }
    }
}

/// Interpolates labels and positions at the parameter `u` of a segment.
pub(super) fn sample(grid: &LineGrid, positions: &[f64], segment: &Segment, u: f64) -> Sample {
    let mut parameters = [0.0; STENCIL];
    let (nodes, weights) = match segment.kind {
        SegmentKind::Panel { .. } => {
            parameters[..PANEL_NODES].copy_from_slice(&grid.labels[segment.nodes.clone()]);
            (segment.nodes.clone(), PANEL_WEIGHTS.as_slice())
        }
        SegmentKind::Trapezoid => {
            let nodes = around(&segment.nodes, u);
            parameters.iter_mut().zip(nodes.clone()).for_each(|(p, i)| *p = i as f64);
            let weights = BINOMIALS[nodes.len()].as_slice();
            (nodes, weights)
        }
    };
    let stencil = Stencil { parameters: &parameters[..nodes.len()], weights };
    stencil.sample(&grid.labels[nodes.clone()], &positions[nodes], u)
}

/// The nodes of a segment around `u`, as many on both sides: one-sided stencils would amplify rounding errors. Towards the ends of a
/// segment, where there is hardly any mass, they are fewer.
fn around(segment: &Range<usize>, u: f64) -> Range<usize> {
    let after = (u.floor() as usize + 1).min(segment.end);
    let half = (after - segment.start).min(segment.end - after).clamp(SMALLEST_STENCIL / 2, STENCIL / 2);
    let count = (2 * half).min(segment.len());
    let start = after.saturating_sub(half).clamp(segment.start, segment.end - count);
    start..start + count
}

/// `(−1)^j C(n−1, j)` for stencils of `n` nodes.
static BINOMIALS: LazyLock<Vec<Vec<f64>>> = LazyLock::new(|| {
    let row = |n: usize| {
        let mut value = 1.0;
        let next = |j: usize| {
            let current = alternate(j) * value;
            value *= (n as f64 - 1.0 - j as f64) / (j as f64 + 1.0);
            current
        };
        (0..n).map(next).collect()
    };
    (0..=STENCIL).map(row).collect()
});

/// The nodes of one interpolation and their barycentric weights.
struct Stencil<'a> {
    parameters: &'a [f64],
    weights: &'a [f64],
}

impl Stencil<'_> {
    fn sample(&self, labels: &[f64], positions: &[f64], u: f64) -> Sample {
        if let Some(k) = self.parameters.iter().position(|&p| p == u) {
            let (label_slope, position_slope) = (self.slope_at(k, labels), self.slope_at(k, positions));
            return Sample {
                parameter: u,
                label: labels[k],
                position: positions[k],
                label_slope,
                position_slope,
            };
        }
        let mut shares = [0.0; STENCIL];
        let pairs = self.parameters.iter().zip(self.weights);
        shares.iter_mut().zip(pairs).for_each(|(share, (p, w))| *share = w / (u - p));
        let distance = |j: &usize| (self.parameters[*j] - u).abs();
        let nearest = (0..self.parameters.len()).min_by(|i, j| distance(i).total_cmp(&distance(j)));
        let nearest = nearest.unwrap_or(0);
        let (label, label_slope) = self.between(&shares, labels, u, nearest);
        let (position, position_slope) = self.between(&shares, positions, u, nearest);
        Sample { parameter: u, label, position, label_slope, position_slope }
    }

    /// Value and slope away from the nodes: relative to the value at the nearest one, so that differences do not cancel there.
    fn between(&self, shares: &[f64], values: &[f64], u: f64, nearest: usize) -> (f64, f64) {
        let base = values[nearest];
        let (mut total, mut rise) = (0.0, 0.0);
        for (share, v) in shares.iter().zip(values) {
            total += share;
            rise += share * (v - base);
        }
        rise /= total;
        let each = shares.iter().zip(values).zip(self.parameters);
        let slope: f64 = each.map(|((share, v), p)| share * (rise - (v - base)) / (u - p)).sum();
        (base + rise, slope / total)
    }

    /// Slope at node `k`.
    fn slope_at(&self, k: usize, values: &[f64]) -> f64 {
        let nodes = self.parameters.iter().zip(self.weights).zip(values).enumerate();
        let others = nodes.filter(|(j, _)| *j != k);
        let each = others.map(|(_, ((p, w), v))| w * (v - values[k]) / (self.parameters[k] - p));
        each.sum::<f64>() / self.weights[k]
    }
}

#[cfg(test)]
mod tests {
    use super::super::spacing::{Spacing, Wish};
    use super::*;
    use crate::law::Law;
    use crate::scale::BallRadius;

    /// Interpolation of an entire function at eight nodes per radian, and rounding.
    const ACCURACY: f64 = 1e-13;

    fn check(grid: &LineGrid, margin: usize) {
        let positions: Vec<f64> = grid.labels.iter().map(|x| x + 0.5 * x.sin()).collect();
        for segment in &grid.segments {
            let breaks = breaks(grid, segment);
            for pair in breaks[margin..breaks.len() - margin].windows(2) {
                for share in [0.0, 0.3, 1.0] {
                    let u = pair[0] + share * (pair[1] - pair[0]);
                    let found = sample(grid, &positions, segment, u);
                    let position = found.label + 0.5 * found.label.sin();
                    let slope = found.label_slope * (1.0 + 0.5 * found.label.cos());
                    assert!((found.position - position).abs() < ACCURACY, "{found:?}");
                    assert!((found.position_slope - slope).abs() < 1e2 * ACCURACY, "{found:?}");
                }
            }
        }
    }

    #[test]
    fn interpolates_smooth_maps() {
        let base = Law::parse(r#"{ kind = "gaussian", mean = [0], std = 1 }"#).unwrap().on_line().unwrap();
        let wishes = [-5.0, 5.0].map(|at| Wish { at, size: 0.1 }).to_vec();
        let spacing = Spacing::new(wishes, 0.3);
        // Short stencils at the ends have fewer digits, where there is hardly any mass.
        check(&LineGrid::trapezoid(base.clone(), &spacing, 0.0), STENCIL / 2);
        let truncated = base.truncated(BallRadius::new(5.0).unwrap()).unwrap();
        check(&LineGrid::panels(truncated, &spacing, 0.0), 0);
    }

    #[test]
    fn stencils_stay_within_their_segment() {
        assert_eq!(around(&(0..100), 50.5), 39..63);
        assert_eq!(around(&(0..100), 5.5), 0..12);
        assert_eq!(around(&(0..100), 0.5), 0..6);
        assert_eq!(around(&(0..100), 99.0), 94..100);
        assert_eq!(around(&(5..9), 7.0), 5..9);
    }
}
