//! How far rounding can have moved a drift.
//!
//! # Formula
//! With `a_j = ω_j w_j / D` and `x_j = β|Δ_j|²/2`, a computed weight is `w_j(1 + θ_j)` with `|θ_j| ≤ u(c_x x_j + c)`, to first order in the unit roundoff `u`: every
//! rounding of the exponent is relative to it, everything else (polynomial, products, and the `n` additions that a term goes through at most) is
//! relative to the weight. The computed `v = Σ ω_j w_j Δ_j / D` therefore errs by at most
//!
//! ```text
//! Σ a_j (|Δ_j| + |v|) · u(c_x x_j + c + n) + 2u|v|
//! ```
//!
//! The moments `Σ a_j x_j^(p/2)` follow from the mass alone. Let `X = 2 − ln(D/Ω)`, `Ω` the total weight. Terms with `x_j ≤ X` contribute at most `X^(p/2)`; as
//! `x^(p/2)e^(−x)` decreases beyond `p/2`, the others contribute at most `(Ω/D) X^(p/2) e^(−X) = e^(−2) X^(p/2)` for `p ≤ 4`. So each moment is at most
//! `(1 + e^(−2)) X^(p/2)`, and with `r = (2X/β)^(1/2)`
//!
//! ```text
//! |error of v| ≤ 1.14·u·(r + |v|)(c_x X + c + n) + 2u|v|
//! ```
//!
//! No term has a larger `|Δ_j|` than the diameter `δ` of the sources, so `r = min((2X/β)^(1/2), δ)` and `X = min(X, βδ²/2)` do as well: either the moments are those
//! above, or every single term obeys. A source that is alone has no error at all.
//!
//! For targets that are not sources the exponent is taken relative to a reference source `m`: with `a = z_j − m`, `b = x − m` it is `κ(|a|² − 2a·b)`, rounded
//! by at most `(d + 6)u·κ(|a|² + 2|a||b|)`. As `|a| ≤ |Δ_j| + |b|`, and `|a|` is at most the diameter of the sources, the same moments bound it. Where the
//! exponents have lost too many digits for first-order terms, only the diameter remains: computed or not, `v + b` lies in the hull of all `a`.

use crate::scale::Beta;

/// Unit roundoff `2^−53`.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// `1 + e^(−2)`, with room for the rounding of the bound itself and for terms of second order.
const TAIL: f64 = 1.14;

/// The same for a drift measured from a reference source, where `|Σ a_j a|` is itself bounded by a moment: `(1 + e^(−2)) + (1 + e^(−2))^(3/2)`.
const SHIFTED_TAIL: f64 = 2.36;

/// Relative errors of weights up to this are covered by the first-order bound and the room in its constants.
const FIRST_ORDER: f64 = 1e-3;

/// Roundings of the exponent beyond one per coordinate: two in `Δ²`, two in `κ`, one in `κ|Δ|²` where no fused operation exists.
const EXPONENT: f64 = 5.0;

/// Roundings of a weight and its use: the polynomial's error (2u) and evaluation (4u), the rounded remainder (1u), products with a weight and with `Δ` (3u).
const WEIGHT: f64 = 10.0;

/// The arithmetic behind a sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arithmetic {
    /// `β`
    pub(super) beta: Beta,
    /// Dimension `d`.
    pub(super) dimension: usize,
    /// Additions `n` that a term goes through at most.
    pub(super) additions: usize,
}

impl Arithmetic {
    /// Bound for a target that is a source, of drift `speed = |v|` and `log_mass = ln(D/Ω)`; `diameter` is that of all sources.
    pub(super) fn bound(&self, speed: f64, log_mass: f64, diameter: f64) -> f64 {
        let widths = self.beta.get().sqrt() * diameter;
        let typical = (2.0 - log_mass).min(0.5 * widths * widths);
        let distance = (2.0 * (2.0 - log_mass) / self.beta.get()).sqrt().min(diameter);
        let per_weight = (self.dimension as f64 + EXPONENT) * typical + WEIGHT + self.additions as f64;
        UNIT * (TAIL * (distance + speed) * per_weight + 2.0 * speed)
    }

    /// Bound for a target at distance `offset = |b|` from its reference source; `diameter` is that of all sources.
    pub(super) fn bound_from_reference(&self, speed: f64, log_mass: f64, offset: f64, diameter: f64) -> f64 {
        let typical = 2.0 - log_mass;
        let distance = (2.0 * typical / self.beta.get()).sqrt();
        let span = (distance + offset).min(diameter);
        let exponent = 0.5 * self.beta.get() * span * (span + 2.0 * offset);
        let per_weight = (self.dimension as f64 + EXPONENT + 1.0) * exponent + WEIGHT + self.additions as f64;
        let last = 2.0 * UNIT * (speed + offset);
        if UNIT * per_weight > FIRST_ORDER {
            2.0 * diameter + last
        } else {
            UNIT * SHIFTED_TAIL * span * per_weight + last
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_is_alone_has_no_error_and_near_sources_have_little() {
        let arithmetic = Arithmetic { beta: Beta::new(5.0).unwrap(), dimension: 2, additions: 20 };
        assert_eq!(arithmetic.bound(0.0, 0.0, 0.0), 0.0);
        let (near, far) = (arithmetic.bound(0.0, 0.0, 1e-6), arithmetic.bound(0.0, 0.0, 1e6));
        assert!(near < 2e-6 * far && near > 1e-6 * UNIT * 30.0, "{near:e} {far:e}");
    }
}
