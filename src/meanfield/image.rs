//! The law of a flow on the line as the image of its labels: distribution function, density and `W1` without histograms.
//!
//! # Formula
//! Characteristics do not cross, so `z_t` is increasing and carries levels along:
//! ```text
//! F_t(z_t(x)) = F_0(x),     f_t(z_t(x)) = f_0(x) / ∂_x z_t(x),     W1(f, g) = ∫ |F_f(z) − F_g(z)| dz
//! ```
//! `F_0` is exact, so `F_t` is as accurate as the map: the distance of two images is free of the `O(h)` that separates a cloud of
//! spacing `h` from any smooth law.

use std::sync::LazyLock;

use super::gauss::GaussRule;
use super::line::LineGrid;
use super::stencil::{Sample, breaks, sample};
use crate::law::{Level, LineLaw};

/// Local tolerance of a `W1` integral relative to the scale of the laws: hundreds of intervals stay at rounding.
const W1_TOLERANCE: f64 = 1e-15;

/// Newton steps and halvings that invert the map within one cell.
const INVERSION_STEPS: usize = 80;

static RULE: LazyLock<GaussRule> = LazyLock::new(|| GaussRule::new(8));

/// A law on the line that can be compared with another.
pub(super) trait Distribution {
    /// `F(z)`, from both sides.
    fn level(&self, z: f64) -> Level;
    /// Places between which `F` is smooth, increasing.
    fn knots(&self) -> Vec<f64>;
    /// `E(z − X)₊`, asked at or below the first knot of either law.
    fn below(&self, z: f64) -> f64;
    /// `E(X − z)₊`, asked at or above the last knot of either law.
    fn above(&self, z: f64) -> f64;
}

impl Distribution for LineLaw {
    fn level(&self, z: f64) -> Level {
        let split = self.split(z);
        Level { below: split.below, above: split.above }
    }

    fn knots(&self) -> Vec<f64> {
        self.atoms().map(|atom| atom.at).collect()
    }

    fn below(&self, z: f64) -> f64 {
        self.split(z).lower_mean
    }

    fn above(&self, z: f64) -> f64 {
        self.split(z).upper_mean
    }
}

/// `W1(a, b)` for laws whose spread is of the order of `scale`.
pub(super) fn w1(a: &dyn Distribution, b: &dyn Distribution, scale: f64) -> f64 {
    let mut knots = a.knots();
    knots.extend(b.knots());
    knots.sort_by(f64::total_cmp);
    let (Some(&first), Some(&last)) = (knots.first(), knots.last()) else { return 0.0 };
    let gap = |z: f64| difference(a.level(z), b.level(z)).abs();
    let inner = knots.windows(2).filter(|pair| pair[1] > pair[0]);
    let integral: f64 = inner.map(|pair| RULE.adaptive(pair[0], pair[1], W1_TOLERANCE * scale, gap)).sum();
    integral + (a.below(first) - b.below(first)).abs() + (a.above(last) - b.above(last)).abs()
}

/// `F_a − F_b`, from the side on which it does not cancel.
fn difference(a: Level, b: Level) -> f64 {
    if a.below <= a.above { a.below - b.below } else { b.above - a.above }
}

/// The image of the labels of a grid under an increasing map.
pub(super) struct Image<'a> {
    grid: &'a LineGrid,
    positions: &'a [f64],
    cells: Vec<Cell>,
}

/// The map between two neighbouring nodes.
#[derive(Debug, Clone, Copy)]
struct Cell {
    segment: usize,
    /// Parameters of the ends.
    from: f64,
    to: f64,
    /// Positions of the ends.
    left: f64,
    right: f64,
}

impl<'a> Image<'a> {
    /// The map that takes every label of the grid to its position.
    pub fn new(grid: &'a LineGrid, positions: &'a [f64]) -> Self {
        let mut image = Self { grid, positions, cells: vec![] };
        let mut reached = f64::NEG_INFINITY;
        for (segment, run) in grid.segments.iter().enumerate() {
            let ends: Vec<(f64, f64)> = breaks(grid, run)
                .into_iter()
                .map(|u| {
                    // Rounding may swap positions that have run together.
                    reached = image.sample(segment, u).position.max(reached);
                    (u, reached)
                })
                .collect();
            let cell = |pair: &[(f64, f64)]| Cell {
                segment,
                from: pair[0].0,
                to: pair[1].0,
                left: pair[0].1,
                right: pair[1].1,
            };
            image.cells.extend(ends.windows(2).map(cell));
        }
        image
    }

    fn sample(&self, segment: usize, u: f64) -> Sample {
        sample(self.grid, self.positions, &self.grid.segments[segment], u)
    }

    /// The characteristic that arrives at `z`, if `z` is where nodes are.
    fn arrival(&self, z: f64) -> Option<Sample> {
        let cell = self.cells.get(self.cells.partition_point(|cell| cell.right < z))?;
        (z >= cell.left).then(|| self.invert(cell, z))
    }

    /// Newton's method kept inside the cell.
    fn invert(&self, cell: &Cell, z: f64) -> Sample {
        let (mut low, mut high) = (cell.from, cell.to);
        let share = (z - cell.left) / (cell.right - cell.left);
        let mut u = low + if share.is_finite() { share } else { 0.5 } * (high - low);
        let mut found = self.sample(cell.segment, u);
        for _ in 0..INVERSION_STEPS {
            let excess = found.position - z;
            if excess == 0.0 {
                break;
            }
            if excess < 0.0 {
                low = u
            } else {
                high = u
            }
            let newton = u - excess / found.position_slope;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - u).abs() <= f64::EPSILON * (1.0 + u.abs()) {
                break;
            }
            u = next;
            found = self.sample(cell.segment, u);
        }
        found
    }

    /// `f_t(z)`; zero where no characteristic of noticeable mass arrives.
    pub fn density(&self, z: f64) -> f64 {
        self.arrival(z).map_or(0.0, |at| {
            self.grid.base.split(at.label).density * (at.label_slope / at.position_slope).max(0.0)
        })
    }
}

impl Distribution for Image<'_> {
    fn level(&self, z: f64) -> Level {
        let next = self.cells.partition_point(|cell| cell.right < z);
        let Some(cell) = self.cells.get(next) else { return Level { below: 1.0, above: 0.0 } };
        if z < cell.left && next == 0 {
            return Level { below: 0.0, above: 1.0 };
        }
        let at = if z < cell.left { self.sample(cell.segment, cell.from) } else { self.invert(cell, z) };
        self.grid.base.level(at.label)
    }

    fn knots(&self) -> Vec<f64> {
        let first = self.cells.first().map(|cell| cell.left);
        first.into_iter().chain(self.cells.iter().map(|cell| cell.right)).collect()
    }

    fn below(&self, _: f64) -> f64 {
        0.0
    }

    fn above(&self, _: f64) -> f64 {
        0.0
    }
}
