//! [`Slack`]: what rounding may do to the sums over pairs, constant by constant.
//!
//! # Formula
//! `u` is the unit roundoff of the numbers the sums are taken in, `e = 2u`; an operation `ab + c` that a machine does not fuse rounds twice. Positions, velocities and the drift are
//! taken as they are after rounding (`enclosure.rs` counts the displacement). Radii, lengths of time, logarithms of weights, and columns are rounded *up*. With `|·|` Euclidean in `d` dimensions,
//! computed numbers with a hat, and terms of second order left to constants that are larger than they have to be:
//!
//! - *Differences* `δ`, `Δ`: each coordinate to `u`. *Lengths* `|δ|`, `|Δ|`: to `(d+5)u/2`. *Inner products*: `δ·Δ` to `(d+3)u |δ||Δ|`. *Sums* `δ + v`: to `u(|δ| + |δ+v|)`.
//! - *Reach* `Ξ = η|Δ| + ρ`: its radii and `η` are larger by the factor `1 + (d+16)e = 1 + (2d+32)u`, so `Ξ̂ ≥ Ξ`.
//! - *Change* `x = η|δ·Δ| + |δ|ρ`: computed as `η|δ·Δ| + |δ|(ρ + (d+6)e Ξ)`. The last term exceeds what rounding takes from the inner product, and what it takes from the others is less than
//!   `(d/2+9)u` of them: `x̂ ≥ (1 + (d+20)u) x`.
//! - *Spread* `|δ+v|`: computed with `(d+6)e |δ|` added, hence at least `(1 − (d/2+5)u)|δ+v|`.
//! - *Exponent* `|δ|²/2 + ln D − ln ω − x`: `½` is replaced by `½ − (d+8)e`, so that what rounding takes is at most `u(4E + |ln D| + |ln D − ln ω|)`, `E` the largest exponent that is taken: one
//!   for the sum (the part in `x` is in the last line's room), one for the difference, two for the product with `log₂e`; one each for `ln D` and for its difference from `ln ω`.
//!   In complex time both signs of `θ` occur; there `θ` itself is computed with `(d+8)e|δ|²` added.
//! - *Weight*: the power of two to [`Real::POWER_ERROR`].
//! - *Block* `σ = (√U + √(U + 4(1+s)))/2`, `√U = |δ+v||δ|`, `s = −(δ+v)·δ`: the inner product is off by at most `(d+3)u√U + u|δ|²`, and
//!   `|δ|² ≤ 2√U + 4|v|²` (if `|δ| ≥ 2|v|` then `|δ+v| ≥ |δ|/2`). As `√U ≤ (1+U)/2`, all of it is less than `c(1 + U)` with `c = (4(d+16) + 8|v|²)e`: what is computed is the root of `4 + c − 4(δ+v)·δ + (1+c)Û`.
//!   On the line `|1+s| + c` does, up to a relative `15u`.
//! - *Products* of these in a term: together less than `(d+40)u` of it.
//! - *Additions*: a row has `n` columns, every lane of a vector at most `2n/W` roundings, `W` the shortest vector.
//!
//! Where all terms are positive, a computed sum is therefore at least `1 − loss` of the exact one, and at most `1/(1 − loss)` where it has to be small; see [`Slack::allowance`]. The second moments are not positive
//! entry by entry: what rounding does to an entry is at most `Σ w |B_r||B_c|`, times the same constants, hence to the largest eigenvalue no more than to the trace.

use crate::cloud::norm;
use crate::simd::{BLOCK, Real, Vector};

/// Roundings per dimension and besides, in units of `e`.
const OUTWARD: f64 = 16.0;
const INNER: f64 = 6.0;
const SQUARE: f64 = 8.0;

/// Roundings of products in a term.
const PRODUCTS: f64 = 40.0;

/// Uses of the largest exponent.
const EXPONENTS: f64 = 4.1;

/// Rounding of sums in one kind of number, in one dimension.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slack {
    /// `e`
    double_unit: f64,
    dimension: f64,
    /// What radii and lengths of time are multiplied with.
    pub outward: f64,
    /// What an inner product may be off by, relative to the product of the lengths, twice over.
    pub inner: f64,
    /// What half a squared distance may be off by, relative to the square.
    pub square: f64,
}

/// How large the logarithms in a sum are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Logarithms {
    /// `|ln D|`, of the row of least mass.
    pub mass: f64,
    /// `|ln ω|`, of the lightest column.
    pub weight: f64,
}

impl Slack {
    pub fn of<R: Real>(dimension: usize) -> Self {
        let (dimension, double_unit) = (dimension as f64, 2.0 * R::UNIT);
        Self {
            double_unit,
            dimension,
            outward: 1.0 + (dimension + OUTWARD) * double_unit,
            inner: (dimension + INNER) * double_unit,
            square: (dimension + SQUARE) * double_unit,
        }
    }

    /// `c` for a drift `v`.
    pub fn cancelled(&self, drift: &[f64]) -> f64 {
        let speed = norm(drift);
        (4.0 * (self.dimension + OUTWARD) + 8.0 * speed * speed) * self.double_unit
    }

    /// `1/(1 − loss)`: what a computed sum over `columns` of positive terms has to be multiplied with; infinite if nothing does.
    pub fn allowance<R: Real>(&self, columns: usize, logarithms: Logarithms) -> f64 {
        let exponent = EXPONENTS * R::LARGEST_EXPONENT.double() * std::f64::consts::LN_2;
        let exponent = exponent + 2.0 * logarithms.mass + 3.0 * logarithms.weight;
        let products = self.dimension + PRODUCTS;
        let loss = R::POWER_ERROR + R::UNIT * (exponent + products + additions::<R>(columns));
        if loss < 0.5 { UP / (1.0 - loss) } else { f64::INFINITY }
    }

    /// What rounding may do to the largest eigenvalue of a second moment, relative to its trace.
    pub fn moment<R: Real>(&self, columns: usize) -> f64 {
        UP * R::UNIT * (PRODUCTS + additions::<R>(columns))
    }
}

/// More than the rounding of a formula of a few dozen operations in doubles.
pub(super) const UP: f64 = 1.0 + 1e-12;

/// Roundings that a lane's sum goes through.
fn additions<R: Real>(columns: usize) -> f64 {
    (2 * columns.next_multiple_of(BLOCK) / R::Plain::WIDTH + BLOCK) as f64
}
