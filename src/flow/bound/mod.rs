//! The a-posteriori error bound: how far the end of a run may be from the exact flow of the same cloud, per particle and in `W1`. This page states what is proved, and proves it.
//!
//! # Setting
//! `N` particles `z_i ∈ ℝᵈ` with weights `ω_i > 0` that sum to one move by `dz_i/dt = v_i(z)`, with
//! ```text
//! v_i = Σ_k a_ik (z_k − z_i),      a_ik = ω_k w_ik / D_i,      D_i = Σ_k ω_k w_ik,      w_ik = exp(−β|z_i − z_k|²/2).
//! ```
//! A run ends at `z̃`. It was observed step by step, and left behind a path `ẑ`, any path: continuous up to jumps `g_i` between steps, in every step a polynomial in time of degree six, and at the end
//! `ẑ = z̃ − δ` with a known `δ`. How `ẑ` was found does not matter below. (Through the ends of a step, with the drift there and its derivative `Jv` along itself, runs a quintic; what its defect at two points within the step
//! says of the run's error is taken off: `correction.rs`. So `ẑ` is much closer to the flow than the run is.) Lengths below are in units of the kernel's width `β^{−1/2}`.
//!
//! # Theorem
//! Let the tokens be known up to radii `r_i ≥ 0`. A *piece* is an interval of time `[s, s+ℓ]` within a step, with middle `c`. On every piece let there be numbers `R_i`, `M_i`, `μ_i`, `κ_ik ≥ 0`, `y_i ≥ 0` such that
//!
//! 1. (*modulus*) `|v_i(ẑ(t)) − v_i(ẑ(c))| ≤ M_i` for all complex `t` with `|t − c| ≤ R`, where `R > ℓ/2`;
//! 2. (*defect*) `ρ_i` is at least `|dẑ_i/dt − I|` on the piece, plus `4 M_i ϱ^{−m}/(ϱ − 1)`: here `I` is the polynomial through the values of `v_i(ẑ)` at the `m+1` Chebyshev points of the piece, and `(ϱ + 1/ϱ) ℓ/4 = R`;
//! 3. (*Jacobian*) `μ_i ≥ λ_max(J_ii)` and `κ_ik ≥ ‖J_ik‖` for all configurations whose `k`-th particle, for every `k`, is within `e_k + 2ℓy_k` of `ẑ_k(t)` at some common `t` of the piece;
//! 4. (*closure*) for some `α ≤ 2`, with `μ = max(μ_i, 0)`, `(e^{μℓ} e_i + ∫₀^ℓ e^{μ(ℓ−s)} (Σ_{k≠i} κ_ik (e_k + sαy_k) + ρ_i) ds − e_i)/ℓ ≤ αy_i`.
//!
//! Here `e_i = r_i` at the start, `e_i` grows by `g_i` at a jump, and from the start of a piece to its end it goes to
//! ```text
//! e_i  ↦  e^{μ_iℓ} e_i + ∫₀^ℓ e^{μ_i(ℓ−s)} (Σ_{k≠i} κ_ik (e_k + sαy_k) + ρ_i) ds.
//! ```
//! Then every flow `z` whose tokens lie within `r_i` of the given ones obeys, at the end, `|z̃_i − z_i| ≤ |δ_i| + e_i` for every particle, and `W1(z̃, z) ≤ Σ_i ω_i (|δ_i| + e_i)`.
//!
//! # Proof
//! *The defect.* `t ↦ v_i(ẑ(t))` is analytic where its denominator does not vanish, hence, by 1, in a neighbourhood of the ellipse with foci at the ends of the piece whose half-axes add up to `ϱℓ/2`: the ellipse lies within the circle of radius `R`. There
//! every component of `v_i(ẑ) − v_i(ẑ(c))` is at most `M_i`, so `I` misses `v_i(ẑ)` by no more than `4 M_i ϱ^{−m}/(ϱ−1)` on the piece (Bernstein; Trefethen, *Approximation Theory and Approximation Practice*, theorem 8.2, for the
//! component along the direction of the miss). As `m ≥ 5`, `dẑ_i/dt` is its own interpolant. So `|dẑ_i/dt − v_i(ẑ)| ≤ ρ_i` at every time of the piece, not only where it was looked at.
//!
//! *The comparison.* Let `E = ẑ − z`. Between `z` and `ẑ` there is a straight line, so
//! ```text
//! Ė_i = v_i(ẑ) − v_i(z) + (dẑ_i/dt − v_i(ẑ)) = Σ_k (∫₀¹ J_ik(z + θE) dθ) E_k + (dẑ_i/dt − v_i(ẑ)),
//! J_ii = Cov_i + (a_ii − 1) I,      J_ik = a_ik (I − (z_i − z_k + v_i)(z_i − z_k)ᵀ)      (k ≠ i),
//! ```
//! `Cov_i` the covariance of the weights `a_ik` about `z_i + v_i`. Multiply by `E_i/|E_i|`: `J_ii` is symmetric, so its mean over `θ` contributes at most `μ_i|E_i|`; the other blocks contribute at most their norms. As long as 3 applies,
//! `|E_i|` grows no faster than `μ_i|E_i| + Σ_{k≠i} κ_ik|E_k| + ρ_i`. This is a linear system with non-negative entries off the diagonal, so what solves it with `≥` and begins above stays above.
//!
//! *The tube.* Let `U_i(t)` be the left side of 4 with `s ≤ t` in place of `ℓ`, before `e_i` is taken off. It is convex, so by 4 `U_i(t) ≤ e_i + tαy_i` on the piece. Suppose `|E(t)|` left the tube `e + tαy` of 4 for the first time at some `t`.
//! Until then the configurations between `ẑ` and `z` are those of 3, so `|E|` obeys the system, whose right-hand side is at most that of `U`: `|E_i(t)| ≤ U_i(t) ≤ e_i + tαy_i`, and by continuity it has not left.
//! (Where `U` touches, take `ρ_i + ε` and let `ε → 0`.) With `μ_i` for its positive part the same argument gives the value at the end.
//!
//! *From particles to measures.* `|z̃_i − z_i| ≤ |z̃_i − ẑ_i| + |E_i|`. Matching every particle with itself is a coupling of the two empirical measures. ∎
//!
//! # How the numbers are found
//! - *Modulus*: one pass over all pairs, in complex time (`ellipse.rs`). One radius is tried for all rows; those that do not close try a half and a quarter of it.
//! - *Defect*: the drift is evaluated at the Chebyshev points. `dẑ_i/dt − I` is a polynomial whose values there are known, so its largest value and its mean are bounded (`interpolant.rs`; what drives `e` is the mean, as
//!   `∫ e^{μ(ℓ−s)} ρ ds ≤ max(1, e^{μℓ}) ℓ mean ρ`). What the drift certifies on truncation and rounding at the points counts times Lebesgue's constant (`proof.rs`).
//! - *Jacobian*: one pass over all pairs, or more: every weight, every drift and every block is enclosed about the middle of the piece (`enclosure.rs`).
//! - *Closure*: slopes are guessed from the piece before, and larger ones are tried where they do not close (`comparison.rs`). A piece on which nothing closes is halved, up to six times. Where that does not help, or the tube is
//!   as wide as half the kernel's width, the bounds feed on themselves: then the flow is followed once more in finer steps and with untruncated sums, the bound is
//!   looked for along that path, and its distance from the end of the run is part of `δ`; if even that does not close there is a [`Refusal`] with the time, the particle and the remedy.
//!
//! One number per particle, not one for the cloud: the largest row sum alone would give `e^{18}` where the system gives `e^5`.
//!
//! # Sources
//! The recursion is linear, so kinds of defect are propagated side by side, and the [`Budget`] is their shares:
//! - *integration*: `|dẑ/dt − I|` with the drift as computed, the remainder, and `δ` itself, as the run ends at `ẑ + δ`;
//! - *truncation*: what the drift certifies at the points on truncating or compressing the kernel sum;
//! - *rounding*: what it certifies on its rounding; rounding of the points where the drift was evaluated, carried through `J`; of the path's velocity; of its coefficients, as a jump;
//! - *tokens*: `e_i = r_i` at the start.
//!
//! # Rounding
//! All of this is computed in floating point, and none of it is allowed to round the bound down:
//! - the recursion rounds every operation up (`up.rs`);
//! - sums over pairs are taken in single precision where the cloud permits, about rounded positions whose displacement is part of the tube, and multiplied with what rounding may take from them, derived constant by constant (`rounding.rs`);
//! - the powers of two behind all weights are right to constants that tests prove: for doubles by multi-precision arithmetic, for singles by trying them all (`simd/tests.rs`);
//! - the drifts certify their own rounding by constants, not to first order (`drift/rounding.rs`, `gauss_transform/transfer.rs`, `gauss_transform/direct.rs`);
//! - formulas of a few dozen operations on numbers that are not negative are multiplied with more than these can take.
//!
//! An error in the drift's code cannot hide, either: at the end of every step the drift is compared with an independent full sum, and a run whose drift misses it by more than it certifies ends with an error.
//!
//! # What is assumed
//! IEEE 754 arithmetic in double and single precision; that the platform's elementary functions (`exp`, `ln`, `cos` …), where certificates use them, are right to nine digits; and that this code does what it says. A drift that is not one of this
//! crate's is taken at its word.
//!
//! *One temperature*: schedules that vary are refused.
//!
//! # Layers
//! A network is too coarse to be followed step by step: its path is a polygon whose defect is as large as its step. The distance between
//! the network and the flow is split at the end of an adaptive run: what lies between network and run is computed, what lies between
//! run and flow is bounded as above.
//!
//! # Cost
//! Per step, beside the run's own six evaluations: three evaluations of the drift, one Jacobian–vector product, and for each piece `m = 6 … 16` more evaluations (the
//! order follows from how small the defect is) and at least two passes over all pairs in single precision, one of them for the ellipses. The passes visit all pairs even if the drift does not. No more is kept than
//! a few numbers per particle and point of a piece.
//!
//! # Paper
//! `eq:z_dynamics_discrete_N_flow`; the bound itself is not in the paper.

mod audit;
mod certifier;
mod comparison;
mod correction;
mod curve;
mod eigenvalue;
mod ellipse;
mod enclosure;
mod interpolant;
mod nodes;
mod pairs;
mod proof;
mod refusal;
mod rounding;
mod sample;
mod sources;
#[cfg(test)]
mod tests;
mod up;

pub(super) use certifier::Certifier;
pub(super) use curve::Curve;
pub use refusal::Refusal;

/// A bound on the distance between the end of a run and the exact flow of the same cloud.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// No particle is farther from where the exact flow takes it.
    pub max: f64,
    /// The weighted mean of the particles' bounds, hence a bound on `W1` between the two empirical measures.
    pub w1: f64,
    /// A bound for each particle.
    pub per_particle: Vec<f64>,
    /// Where [`Bound::w1`] comes from.
    pub budget: Budget,
}

/// The shares of a bound in `W1`; they add up to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// The integrator's steps.
    pub integration: f64,
    /// Truncation or compression of the kernel sums.
    pub truncation: f64,
    /// Rounding.
    pub rounding: f64,
    /// Tokens that are only known within some radius.
    pub tokens: f64,
}
