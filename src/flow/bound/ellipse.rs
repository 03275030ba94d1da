//! [`Ellipse`]: how far the drift along the path may be from the polynomial through its values at some points of a piece of time.
//!
//! # Formula
//! Lengths are in units of the kernel's width. On a step the path `ẑ` is a polynomial in time, so `t ↦ v_i(ẑ(t))` is analytic wherever its
//! denominator `D_i` does not vanish. Let `c` be the middle of a piece of length `h`, and let time be complex, `t = c + s`, `|s| ≤ r`. With `δ = ẑ_i(c) − ẑ_k(c)`, `Δ` the
//! difference of the path's velocities at `c`, and `ε_i` the sum of the moduli of all terms of `ẑ_i` beyond the linear one at `|s| = r`,
//! ```text
//! ẑ_i − ẑ_k = δ + ξ,      |ξ| ≤ r|Δ| + ε_i + ε_k =: b      (zero for k = i),
//! ½ (δ+ξ)·(δ+ξ) = ½|δ|² + φ,      |φ| ≤ r|δ·Δ| + |δ|(ε_i+ε_k) + b²/2 =: θ,
//! ```
//! as `ξ·ξ`, without complex conjugation, is at most `|ξ|²`. With the weights `a_ik` at `c`,
//! ```text
//! |D_i(t)/D_i(c)| ≥ Re Σ_k a_ik e^{−φ} ≥ Σ_k a_ik g(θ) =: G_i,      g(θ) = e^{−θ} for θ ≤ 1,   0 for θ ≤ 3/2,   −e^θ beyond,
//! v_i(ẑ(t)) − v_i = −Σ_k a_ik (e^{−φ} (δ + ξ + v_i) − (δ + v_i)) D_i(c)/D_i(t),      as Σ_k a_ik (δ + v_i) = 0,
//! |v_i(ẑ(t)) − v_i| ≤ Σ_k a_ik (θ e^θ |δ + v_i| + e^θ b) / G_i =: M_i,      as |e^{−φ} − 1| ≤ e^θ − 1 ≤ θ e^θ.
//! ```
//! The first line's `g`: on the circle `φ = θe^{iψ}` the real part is `e^{−θ cos ψ} cos(θ sin ψ)`. For `θ ≤ 1` the derivative of its logarithm, `θ (sin ψ − cos ψ tan(θ sin ψ))`, has
//! the sign of `ψ`, because `tan(θ sin ψ) ≤ tan ψ` up to a right angle and `cos ψ ≤ 0` beyond; so the smallest value is that at `ψ = 0`. For `θ < π/2` the cosine is positive.
//! What rounding and truncation leave of `Σ_k a_ik (δ + ṽ_i)`, with the drift `ṽ_i` as computed, is at most the drift's certificate; it is added to the numerator.
//!
//! So `v_i∘ẑ − v_i` is bounded by `M_i` inside the ellipse with foci at the ends of the piece whose half-axes add up to `ϱh/2`, where
//! `(ϱ + 1/ϱ) h/4 = r`, and by Bernstein's theorem (Trefethen, *Approximation Theory and Approximation Practice*, theorem 8.2, for every component along a
//! fixed direction) its interpolant at `m + 1` Chebyshev points misses it, on the whole piece, by at most
//! ```text
//! 4 M_i ϱ^{−m} / (ϱ − 1).
//! ```
//! One radius `r` is tried for all rows. Rows whose `G_i` is too small are looked at again with `r/2`, then with `r/4`, each for itself; the terms
//! in `ε` are of second order and more, so they shrink at least by a factor 4 and 16. (What rounding of the path adds to `ε` does not shrink, and is counted sixteenfold.)

use super::enclosure::{Enclosure, UNDERFLOW};
use super::pairs::{FARTHEST, Swing};

/// Denominators may shrink to this share. Below it a smaller ellipse gives more.
const LEAST_DENOMINATOR: f64 = 0.1;

/// Radii that are tried, in units of the first.
pub(super) const SHRINKS: [f64; 3] = [1.0, 0.5, 0.25];

/// What does not shrink with the radius is counted with this factor: `1/SHRINKS²` of the last.
pub(super) const UNSHRINKING: f64 = 16.0;

/// More than the rounding of the remainder's own formula: some forty operations.
const UP: f64 = 1.0 + 1e-12;

/// What is known of one particle's drift in complex time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ellipse {
    /// `r`, in raw time.
    pub reach: f64,
    /// `M_i`
    pub modulus: f64,
}

impl Ellipse {
    /// The largest ellipse that closes, for a row whose sums within `reach` are given by `swing` for a factor on it.
    pub fn of_row(reach: f64, least: f64, swing: impl Fn(f64) -> Modulus) -> Option<Self> {
        let tried = SHRINKS.iter().filter(|shrink| **shrink * reach > least);
        let mut found = tried.map(|shrink| (shrink * reach, swing(*shrink)));
        found.find_map(|(reach, modulus)| modulus.closed().map(|modulus| Self { reach, modulus }))
    }

    /// How far the interpolant of order `m` may miss the drift on a piece of length `h`.
    pub fn remainder(&self, order: usize, length: f64) -> f64 {
        let ratio = 2.0 * self.reach / length;
        // A smaller ϱ only makes it larger.
        let rho = (ratio + ((ratio - 1.0) * (ratio + 1.0)).sqrt()) / UP;
        UP * 4.0 * self.modulus * rho.powi(-(order as i32)) / (rho - 1.0)
    }
}

/// The fraction behind `M_i`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modulus {
    pub numerator: f64,
    /// `G_i`
    pub denominator: f64,
}

impl Modulus {
    /// With all that rounding may have done to the sums, relatively, and what weights of `particles` that were taken to be larger than they are may have added to what is kept.
    pub fn new(swing: Swing, allowance: f64, particles: usize, drift_error: f64) -> Self {
        let added = particles as f64 * (-FARTHEST).exp2();
        Self {
            numerator: allowance * swing.moved + drift_error + UNDERFLOW,
            denominator: swing.kept / allowance - allowance * (swing.lost + added),
        }
    }

    fn closed(self) -> Option<f64> {
        let modulus = UP * self.numerator / self.denominator;
        (self.denominator >= LEAST_DENOMINATOR && modulus.is_finite()).then_some(modulus)
    }
}

/// The radius for the next piece: larger unless more than one row in a hundred had to try again.
pub(super) fn next_reach(reach: f64, found: &[Option<Ellipse>]) -> f64 {
    let again = found.iter().filter(|row| row.is_none_or(|row| row.reach < reach)).count();
    if 100 * again > found.len() { 0.8 * reach } else { 1.15 * reach }
}

impl Enclosure<'_> {
    /// The ellipses of all rows; here `radius` is `ε` and `half_length` is `r`. None may be as small as `least`.
    pub fn ellipses(&self, least: f64) -> Vec<Option<Ellipse>> {
        if self.fits_singles() { self.ellipses_in::<f32>(least) } else { self.ellipses_in::<f64>(least) }
    }
}
