//! How far rounding can have moved a drift: constants, not orders of magnitude.
//!
//! # Formula
//! With `a_j = ω_j w_j / D` and `x_j = β|Δ_j|²/2`, a computed weight is `w_j(1 + θ_j)`. Roundings are of at most `u`, the unit roundoff; `k` of them in a row change a number by at most `(1+u)^k − 1`.
//! - The *exponent* is off by at most `c_x = d + 5` of them, relatively: two in `Δ²`, as `Δ` is off by one; `d` in a sum of `d` positive terms, each of which is a rounded product; two in `κ = (β/2)log₂e`; one in `κ|Δ|²` where no
//!   fused operation exists.
//! - The *weight* and its use: `c = 10`. The power of two is off by at most 7 of them (proved in `simd/tests.rs`), the product with `ω`, the product with `Δ` and `Δ` itself by one each.
//! - A term goes through at most `n` *additions*.
//!
//! So `|θ_j| ≤ t_j = e^y − 1` with `y = (1+10⁻⁶)u(c_x x_j + c + n)`. The computed `ṽ = Σ ω_j w_j(1+θ_j)Δ_j / Σ ω_j w_j(1+θ'_j)` obeys `ṽ − v = Σ a_j (θ_j Δ_j − θ'_j v)/(1 + Σ a_j θ'_j)`, hence
//!
//! ```text
//! |ṽ − v| ≤ (Σ a_j t_j |Δ_j| + Σ a_j t_j |ṽ|) / (1 − 2 Σ a_j t_j) + 2u|ṽ|
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
//! as `1 + e^(−2) < 1.1354`: the rest of `1.14` is more than `(e^y − 1)/y` and `1/(1 − 2Σ a_j t_j)`, as long as `u(c_x X + c + n) ≤ 10⁻⁴`, and than what rounds `X`, `r` and this formula.
//!
//! No term has a larger `|Δ_j|` than the diameter `δ` of the sources, so `r = min((2X/β)^(1/2), δ)` and `X = min(X, βδ²/2)` do as well: either the moments are those
//! above, or every single term obeys. A source that is alone has no error at all.
//!
//! For targets that are not sources the exponent is taken relative to a reference source `m`: with `a = z_j − m`, `b = x − m` it is `κ(|a|² − 2a·b)`, rounded
//! by at most `(d + 6)u` of `y_j = (β/2)(|a|² + 2|a||b|)`. As `|a| ≤ |Δ_j| + |b|`, and `|a|` is at most the diameter of the sources, the same moments bound it: with `s = min(r + |b|, δ)`,
//! `Σ a_j y_j |a_j| ≤ 1.1354 (β/2)s²(s + 2|b|)`, and `|Σ a_j a| ≤ (1.1354)^(1/2) s`. No single `y_j` of a weight that is not zero may be large, either. If `s = δ`, none exceeds `(β/2)δ(δ + 2|b|)`. Otherwise
//! those with `|a| < 4|b|` are at most 8 times `(β/2)s(s + 2|b|)`, as `s ≥ |b|`; of the others, `y_j` is at most three times the exponent itself, which is at most 1000 bits. Where
//! that is not small enough, only the diameter remains: computed or not, `v + b` lies in the hull of all `a`.
//!
//! *Lost* are weights beyond 1000 bits, taken to be zero, and what underflows: together less than `10⁻²⁹⁹Ω` beside `D`, none of it at a distance of more than `38 β^(−1/2)`, beyond which `|Δ|e^(−x)` is smaller than there.

use crate::scale::Beta;

/// Unit roundoff `2^−53`.
const UNIT: f64 = 0.5 * f64::EPSILON;

/// `1 + e^(−2)`, with room for what is derived above.
const TAIL: f64 = 1.14;

/// The same for a drift measured from a reference source, where `|Σ a_j a|` is itself bounded by a moment: `(1 + e^(−2)) + (1 + e^(−2))^(3/2)`.
const SHIFTED_TAIL: f64 = 2.36;

/// Relative errors of weights up to this are covered by the room in the constants: `8·5·10⁻⁴` moves `(e^y − 1)/y` by a fifth of a per cent.
const SMALL: f64 = 5e-4;

/// Weights that are lost, in units of all, and how far away they are at most, in units of the kernel's width.
const LOST: f64 = 1e-299;
const LOST_AWAY: f64 = 38.0;

/// Roundings of the exponent beyond one per coordinate: two in `Δ²`, two in `κ`, one in `κ|Δ|²` where no fused operation exists.
const EXPONENT: f64 = 5.0;

/// Roundings of a weight and its use: the power of two, products with a weight and with `Δ`, and `Δ`.
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
    /// The diameter `δ` of the sources.
    pub(super) diameter: f64,
}

/// What came out for a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    /// `|v|`
    pub(super) speed: f64,
    /// `ln(D/Ω)`
    pub(super) log_mass: f64,
    /// What was lost, relative to the mass: see [`lost`].
    pub(super) lost: f64,
}

/// What was lost, relative to a sum of weights `w` that makes up such a share of all.
pub(super) fn lost(share: f64) -> f64 {
    LOST / share
}

impl Arithmetic {
    /// Bound for a target that is a source.
    pub(super) fn bound(&self, found: Found) -> f64 {
        let widths = self.beta.get().sqrt() * self.diameter;
        let typical = (2.0 - found.log_mass).min(0.5 * widths * widths);
        let distance = (2.0 * (2.0 - found.log_mass) / self.beta.get()).sqrt().min(self.diameter);
        let per_weight = (self.dimension as f64 + EXPONENT) * typical + WEIGHT + self.additions as f64;
        let last = 2.01 * UNIT * found.speed + self.lost(found);
        if UNIT * per_weight > SMALL {
            2.0 * self.diameter + last
        } else {
            UNIT * TAIL * (distance + found.speed) * per_weight + last
        }
    }

    /// Bound for a target at distance `offset = |b|` from its reference source.
    pub(super) fn bound_from_reference(&self, found: Found, offset: f64) -> f64 {
        let typical = 2.0 - found.log_mass;
        let distance = (2.0 * typical / self.beta.get()).sqrt();
        let span = (distance + offset).min(self.diameter);
        let exponent = 0.5 * self.beta.get() * span * (span + 2.0 * offset);
        let per_weight = (self.dimension as f64 + EXPONENT + 1.0) * exponent + WEIGHT + self.additions as f64;
        let last = 2.01 * UNIT * (found.speed + offset) + self.lost(found);
        if UNIT * per_weight > SMALL {
            2.0 * self.diameter + last
        } else {
            UNIT * SHIFTED_TAIL * span * per_weight + last
        }
    }

    /// What lost weights may have done.
    fn lost(&self, found: Found) -> f64 {
        let away = self.diameter.min(LOST_AWAY / self.beta.get().sqrt());
        if self.diameter > 0.0 { 2.0 * found.lost * (away + found.speed) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_is_alone_has_no_error_and_near_sources_have_little() {
        let bound = |diameter: f64| {
            let arithmetic =
                Arithmetic { beta: Beta::new(5.0).unwrap(), dimension: 2, additions: 20, diameter };
            arithmetic.bound(Found { speed: 0.0, log_mass: 0.0, lost: lost(1.0) })
        };
        assert_eq!(bound(0.0), 0.0);
        let (near, far) = (bound(1e-6), bound(1e6));
        assert!(near < 2e-6 * far && near > 1e-6 * UNIT * 30.0, "{near:e} {far:e}");
    }
}
