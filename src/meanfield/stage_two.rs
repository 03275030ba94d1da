//! Stage 2 against the map of labels to positions, where the nodes themselves are too far apart for it.
//!
//! # Formula
//! Nodes resolve the flow's kernel, of variance `1/β`, and the noisy law. Stage 2 sums with a kernel of variance `τ`, and where
//! `√τ` is below the spacing of the nodes that sum has nothing to do with the integral. The map `u ↦ (x, z)` is known between the
//! nodes, so the integral can be had:
//! ```text
//! m(y) = ∫ z k f0(x) x' du / ∫ k f0(x) x' du,      k = e^{−(y−z)²/2τ},
//! ```
//! cell by cell, about the place where the integrand is largest.

use super::image::{Cell, Image};

/// A trapezoid rule of spacing `h` misses a kernel of variance `τ` by `e^{−2π²τ/h²}`: below rounding up to this `h/√τ`.
const RESOLVED: f64 = 0.7;

/// Terms smaller than the largest by this factor, as a logarithm, do not count.
const NEGLIGIBLE: f64 = 45.0;

/// How much larger, as a logarithm, a density may be within a cell than at its ends.
const WITHIN_CELL: f64 = 5.0;

/// Widths of the kernel, about where the integrand is largest, at which cells are cut.
const CUTS: [f64; 7] = [-10.0, -5.0, -2.0, 0.0, 2.0, 5.0, 10.0];

/// Local tolerance relative to the largest term.
const TOLERANCE: f64 = 4e-15;

/// What Stage 2 says at one query.
pub(super) struct StageTwo {
    pub mean: f64,
    /// `ln E e^{−(y−Z)²/2τ}`.
    pub log_mass: f64,
}

/// A term of the sum that stands for the integral.
#[derive(Clone, Copy)]
struct Term {
    at: f64,
    /// Its logarithm.
    log: f64,
}

/// A kernel about a query.
#[derive(Clone, Copy)]
pub(super) struct Query {
    pub y: f64,
    pub variance: f64,
}

impl Query {
    fn exponent(&self, z: f64) -> f64 {
        (self.y - z).powi(2) / (2.0 * self.variance)
    }

    /// The smallest exponent within a cell.
    fn least(&self, cell: &Cell) -> f64 {
        self.exponent(self.y.clamp(cell.left.position, cell.right.position))
    }
}

impl Image<'_> {
    /// Stage 2 at a query, unless the nodes are dense enough for a plain sum over them.
    pub fn stage_two(&self, query: Query) -> Option<StageTwo> {
        let top = self.largest(query);
        let counts = |cell: &&Cell| {
            let [left, right] = [cell.left, cell.right].map(|end| self.density_of(end.label));
            let mass = left.max(right) * (cell.right.label - cell.left.label);
            mass.ln() + WITHIN_CELL - query.least(cell) > top.log - NEGLIGIBLE
        };
        let cells: Vec<&Cell> = self.cells.iter().filter(counts).collect();
        let width = query.variance.sqrt();
        let resolved = |cell: &&Cell| cell.right.position - cell.left.position <= RESOLVED * width;
        if cells.iter().all(resolved) {
            return None;
        }
        let mut knots: Vec<f64> =
            [query.y, top.at].iter().flat_map(|z| CUTS.map(|k| z + k * width)).collect();
        knots.sort_by(f64::total_cmp);
        let integral = |of: &dyn Fn(f64) -> f64| -> f64 {
            cells.iter().map(|cell| self.integral(cell, &knots, query, top, of)).sum()
        };
        let mass = integral(&|_| 1.0);
        let moment = integral(&|z| (z - top.at) / width);
        Some(StageTwo { mean: top.at + width * moment / mass, log_mass: top.log + mass.ln() })
    }

    /// The largest term among the nodes and the place of the query itself.
    fn largest(&self, query: Query) -> Term {
        let nodes = self.cells.iter().flat_map(|cell| {
            let width = cell.right.label - cell.left.label;
            [cell.left, cell.right].map(|end| Term {
                at: end.position,
                log: (self.density_of(end.label) * width).ln() - query.exponent(end.position),
            })
        });
        let own = Term { at: query.y, log: (self.density(query.y) * query.variance.sqrt()).ln() };
        nodes.fold(own, |best, term| if term.log > best.log { term } else { best })
    }

    /// `∫ g(z) k f0(x) x' du` over a cell, in units of the largest term.
    fn integral(&self, cell: &Cell, knots: &[f64], query: Query, top: Term, g: &dyn Fn(f64) -> f64) -> f64 {
        let integrand = |u: f64| {
            let at = self.sample(cell, u);
            let kernel = (-query.exponent(at.position) - top.log).exp();
            g(at.position) * kernel * self.density_of(at.label) * at.label_slope
        };
        self.adaptive(cell, knots, TOLERANCE, integrand)
    }
}
