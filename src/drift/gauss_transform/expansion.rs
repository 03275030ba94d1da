//! [`Expansion`]: the order, the box width and the reach of a transform, and its transfers.
//!
//! # Formula
//! With boxes of half-width `r`, order `P` and offset `D`, the first omitted degree moves the slope by about
//! `2(r/2)^P/P! · |He_P(D)| e^{−D²/2} · P²/r`, and `|He_P(D)| e^{−D²/4} ≤ 1.09 √P!`. Asking that this stay below
//! `ε·max(φ, e^{−D²/2})`, where `φ` is the smallest kernel mass against the total (`1/N` for equal weights), gives
//!
//! ```text
//! (r/2)^P / r = ε √φ √P! / (2.18 P²) · e^{−5r²/2}
//! ```
//!
//! where the last factor, found by trial, stands for the degrees that follow in wide boxes.
//!
//! The width only has to be sensible: what the transform really leaves out is summed in the bounds of its [`Transfer`]s.

use super::transfer::{Geometry, Transfer};
use crate::parallel;

/// Orders on offer: low ones for many points in a box, high ones for few.
pub(super) const ORDERS: [usize; 4] = [8, 12, 16, 20];

/// Evaluates an expression with one of the [`ORDERS`] as a constant: what is built for a constant order is only what has to be.
macro_rules! with_order {
    ($order:expr, $constant:ident, $body:expr) => {
        match $order {
            8 => {
                const $constant: usize = 8;
                $body
            }
            12 => {
                const $constant: usize = 12;
                $body
            }
            16 => {
                const $constant: usize = 16;
                $body
            }
            _ => {
                const $constant: usize = 20;
                $body
            }
        }
    };
}
pub(super) use with_order;
/// In wider boxes the Hermite series of the transfers would need more terms.
const WIDEST: f64 = 2.6;
/// Rounding of a field in narrow boxes, in units of its size; in wide ones terms cancel, and it grows like `e^{2r²}`
/// along each axis.
const NARROW_ROUNDING: f64 = 3e-13;
/// Shares of the tolerance: expansions along each axis, coefficients left out of a transfer, kernels out of reach.
const EXPANSION_SHARE: f64 = 0.5;
const COEFFICIENT_SHARE: f64 = 0.2;
const REACH_SHARE: f64 = 0.1;

/// Rounding bounds up to this are accepted whatever the tolerance, in units of `1/√β`.
const ACCEPTED_ROUNDING: f64 = 9e-12;

/// What a transform has to achieve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Largest error of a velocity, in units of `1/√β`.
    pub tolerance: f64,
    /// Smallest kernel mass that a target may see and still be served, against the total mass.
    pub lowest_mass: f64,
}

/// The part of an expansion that costs nothing to know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Number of Chebyshev polynomials per axis.
    pub order: usize,
    /// Box width in units of `1/√β`.
    pub width: f64,
    /// Boxes farther apart than this along any axis do not interact.
    pub reach: i32,
}

impl Layout {
    /// The widest boxes with which an expansion of this order meets the goal.
    pub fn new<const D: usize>(order: usize, goal: Goal) -> Self {
        let (degree, factorial) = (order as f64, (1..=order).map(|k| k as f64).product::<f64>());
        let share = EXPANSION_SHARE * goal.tolerance * goal.lowest_mass.max(LOWEST_CONTRAST).sqrt();
        let level = share * factorial.sqrt() / (2.18 * degree * degree);
        let radius =
            (0..20).fold(0.5, |r: f64, _| 2.0 * (level * r * (-2.5 * r * r).exp()).powf(1.0 / degree));
        let rounding = (goal.acceptable_rounding() / NARROW_ROUNDING).ln();
        let width = (2.0 * radius).min((2.0 * rounding / D as f64).sqrt()).min(WIDEST);
        Self { order, width, reach: (goal.cutoff() / width).ceil() as i32 }
    }

    /// The distance, in units of `1/√β`, beyond which kernels may be dropped.
    pub fn cutoff(self) -> f64 {
        f64::from(self.reach) * self.width
    }
}

/// Expansions are not made for larger contrasts of mass within their reach; targets that need more are summed directly.
const LOWEST_CONTRAST: f64 = 1e-8;

impl Goal {
    /// Rounding bounds up to this are accepted, in units of `1/√β`.
    pub fn acceptable_rounding(self) -> f64 {
        self.tolerance.max(ACCEPTED_ROUNDING)
    }

    /// Where all of the mass, times its distance, no longer matters.
    fn cutoff(self) -> f64 {
        let level = |r: f64| (2.0 * (r / (REACH_SHARE * self.tolerance * self.lowest_mass)).ln()).sqrt();
        level(level(10.0))
    }
}

/// Transfers for every offset within reach.
#[derive(Debug)]
pub(super) struct Expansion {
    /// Order, width and reach.
    pub layout: Layout,
    /// By offset, from `−reach` to `reach`.
    transfers: Vec<Transfer>,
}

impl Expansion {
    /// Computes the transfers of a layout.
    pub fn new(layout: Layout, goal: Goal) -> Self {
        let geometry = |offset: i32| Geometry {
            order: layout.order,
            width: layout.width,
            offset,
            offsets: 2 * layout.reach as usize + 1,
            negligible: negligible(layout, goal, offset),
        };
        let pair = |offset: usize| Transfer::pair(geometry(offset as i32));
        let pairs = parallel::map(layout.reach as usize + 1, &pair);
        let (ahead, behind): (Vec<_>, Vec<_>) = pairs.into_iter().map(|[a, b]| (a, b)).unzip();
        let transfers = behind.into_iter().skip(1).rev().chain(ahead).collect();
        Self { layout, transfers }
    }

    /// The transfer from a source box to a target box `offset` boxes ahead of it.
    pub fn transfer(&self, offset: i32) -> &Transfer {
        &self.transfers[(offset + self.layout.reach) as usize]
    }
}

fn negligible(layout: Layout, goal: Goal, offset: i32) -> f64 {
    let distance = f64::from(offset) * layout.width;
    let kernel = (-0.5 * distance * distance).exp().max(goal.lowest_mass.max(LOWEST_CONTRAST));
    COEFFICIENT_SHARE * goal.tolerance * kernel / layout.order as f64
}
