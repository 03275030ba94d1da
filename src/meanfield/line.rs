//! Quadrature nodes on the line: the labels `x_j` of characteristics, with weights `ω_j ≈ f0(x_j) Δx_j`.
//!
//! # Formula
//! ```text
//! ∫ g(z_t(x)) f0(x) dx ≈ Σ_j ω_j g(z_t(x_j))
//! ```
//! A noisy law `f0 = γ_τ * P0` is entire whatever the kinks of `P0`, so on the whole line the trapezoid rule in a smooth
//! coordinate ([`Spacing`]) converges spectrally. Only truncation to a ball leaves an edge: then `[−R, R]` is covered by
//! Gauss–Legendre panels.
//!
//! The nodes remember how they are connected, so that what the flow made of them is a map `x ↦ z_t(x)` and not only a cloud:
//! along a [`Segment`] both `x` and `z` are smooth functions of a parameter.

use std::convert::Infallible;
use std::ops::Range;

use super::spacing::Spacing;
use crate::law::LineLaw;
use crate::numeric::quadrature::SIXTEEN;
use crate::numeric::root::{bisect, double};

/// Nodes of a panel: degree 31, which resolves a kernel over about eight nodes of the trapezoid rule.
pub(super) const PANEL_NODES: usize = 16;

/// Nodes of the trapezoid rule that a panel replaces.
const PANEL_SPAN: f64 = 8.0;

/// Nodes on the line.
#[derive(Debug, Clone)]
pub(super) struct LineGrid {
    /// The law of the labels.
    pub base: LineLaw,
    /// Labels, increasing.
    pub labels: Vec<f64>,
    /// Probability weights.
    pub weights: Vec<f64>,
    /// Runs of connected nodes, in order.
    pub segments: Vec<Segment>,
    /// How far the weights were from summing to one: mass left out, and the error of the rule for `f0` itself.
    pub missing: f64,
}

/// A run of nodes along which labels and positions are smooth functions of a parameter.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// Which nodes.
    pub nodes: Range<usize>,
    /// How they are spread.
    pub kind: SegmentKind,
}

/// What the parameter of a segment is.
#[derive(Debug, Clone, Copy)]
pub(super) enum SegmentKind {
    /// The index of the node.
    Trapezoid,
    /// The label, over all of a panel.
    Panel {
        /// Left end.
        low: f64,
        /// Right end.
        high: f64,
    },
}

/// Where a law lives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Left end.
    pub low: f64,
    /// Right end.
    pub high: f64,
}

/// The interval outside of which a law leaves less than `mass` on either side.
pub(super) fn extent(law: &LineLaw, centre: f64, scale: f64, mass: f64) -> Extent {
    let tail = |x: f64, side: f64| if side < 0.0 { law.split(x).below } else { law.split(x).above };
    let end = |side: f64| {
        let inside = |reach: f64| Ok::<_, Infallible>(tail(centre + side * reach, side) >= mass);
        let Ok([inner, outer]) = double(scale, inside);
        let Ok([_, reach]) = bisect(inner, outer, inside);
        centre + side * reach
    };
    Extent { low: end(-1.0), high: end(1.0) }
}

impl LineGrid {
    /// Trapezoid nodes; those lighter than `cut` are left out.
    pub fn trapezoid(base: LineLaw, spacing: &Spacing, cut: f64) -> Self {
        let mut grid = Self::empty(base);
        let mut connected = false;
        for place in spacing.places() {
            let weight = grid.base.split(place.at).density * place.width;
            if weight < cut {
                connected = false;
                continue;
            }
            let at = grid.labels.len();
            match grid.segments.last_mut() {
                Some(segment) if connected => segment.nodes.end = at + 1,
                _ => grid.segments.push(Segment { nodes: at..at + 1, kind: SegmentKind::Trapezoid }),
            }
            connected = true;
            grid.push(place.at, weight);
        }
        grid.normalised()
    }

    /// Gauss–Legendre panels; those lighter than `cut` are left out.
    pub fn panels(base: LineLaw, spacing: &Spacing, cut: f64) -> Self {
        let mut grid = Self::empty(base);
        let count = (spacing.count() / PANEL_SPAN).ceil().max(1.0);
        let edge = |i: f64| spacing.place(spacing.count() * i / count);
        for i in 0..count as usize {
            grid.push_panel(edge(i as f64), edge(i as f64 + 1.0), cut);
        }
        grid.normalised()
    }

    fn push_panel(&mut self, low: f64, high: f64, cut: f64) {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let label = |t: &f64| middle + half * t;
        let weight = |(t, w): (&f64, &f64)| self.base.split(label(t)).density * half * w;
        let weights: Vec<f64> = SIXTEEN.nodes.iter().zip(&SIXTEEN.weights).map(weight).collect();
        if weights.iter().any(|&w| w < cut) {
            return;
        }
        let start = self.labels.len();
        let kind = SegmentKind::Panel { low, high };
        self.segments.push(Segment { nodes: start..start + PANEL_NODES, kind });
        SIXTEEN.nodes.iter().zip(weights).for_each(|(t, weight)| self.push(label(t), weight));
    }

    fn empty(base: LineLaw) -> Self {
        Self { base, labels: vec![], weights: vec![], segments: vec![], missing: 0.0 }
    }

    fn push(&mut self, label: f64, weight: f64) {
        self.labels.push(label);
        self.weights.push(weight);
    }

    fn normalised(mut self) -> Self {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= sum);
        self.missing = (1.0 - sum).abs();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::super::spacing::Wish;
    use super::*;
    use crate::law::Law;
    use crate::scale::{BallRadius, NoiseVariance};

    fn even(extent: Extent, size: f64) -> Spacing {
        Spacing::new([extent.low, extent.high].map(|at| Wish { at, size }).to_vec(), 0.3)
    }

    fn noisy(law: &str) -> LineLaw {
        Law::parse(law).unwrap().noisy(NoiseVariance::new(0.5).unwrap()).on_line().unwrap()
    }

    #[test]
    fn weights_integrate_every_kind_of_law() {
        for law in [
            r#"{ kind = "gaussian", mean = [3], std = 1 }"#,
            r#"{ kind = "laplace", mean = 0, scale = 1 }"#,
            r#"{ kind = "uniform", low = -1, high = 2 }"#,
            r#"{ kind = "atoms", points = [[-40], [40]], weights = [0.25, 0.75] }"#,
        ] {
            let base = noisy(law);
            let extent = extent(&base, 0.0, 1.0, 1e-26);
            let grid = LineGrid::trapezoid(base, &even(extent, 0.2), 1e-30);
            assert!(grid.missing < 1e-14, "{law}: {:e}", grid.missing);
        }
    }

    #[test]
    fn far_modes_are_separate_segments() {
        let base = noisy(r#"{ kind = "atoms", points = [[-40], [40]], weights = [0.25, 0.75] }"#);
        let extent = extent(&base, 0.0, 1.0, 1e-26);
        assert!(extent.low < -47.0 && extent.high > 47.0 && extent.high < 49.0, "{extent:?}");
        let grid = LineGrid::trapezoid(base, &even(extent, 0.2), 1e-30);
        assert_eq!(grid.segments.len(), 2);
        assert_eq!(grid.segments[1].nodes.end, grid.labels.len());
    }

    #[test]
    fn panels_integrate_a_truncated_law() {
        let base = noisy(r#"{ kind = "laplace", mean = 0, scale = 1 }"#);
        let base = base.truncated(BallRadius::new(2.0).unwrap()).unwrap();
        let grid = LineGrid::panels(base, &even(Extent { low: -2.0, high: 2.0 }, 0.2), 1e-30);
        assert!(grid.missing < 1e-14, "{:e}", grid.missing);
        assert_eq!(grid.labels.len(), grid.segments.len() * PANEL_NODES);
    }
}
