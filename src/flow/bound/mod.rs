//! The a-posteriori error bound: how far the end of a run may be from the exact flow of the same cloud, per particle and in `W1`.
//!
//! A run leaves a path behind. How badly the path misses the differential equation can be computed; how much a miss can grow can be bounded,
//! because the Jacobian of the drift is known in closed form. This page derives the bound and says what is proved and what is assumed.
//!
//! # The path
//! Through the two ends of every step, the velocities `v` there and the accelerations `v̇ = J v` (one
//! [Jacobian–vector product](crate::drift::JacobianField)) runs a quintic `p`. Its defect `ṗ − v(p)`, sampled within the step, gives the error `δ`
//! of the run *with its sign*, to first order and a bit more. This `δ` is the [estimate](super::ErrorEstimate), and
//! ```text
//! ẑ = p − δ
//! ```
//! is a path much closer to the exact flow than the run itself. It is a polynomial of degree 6 in time on every step; its velocity at the ends of
//! a step is the drift there. Nothing below depends on how `δ` was found.
//!
//! # The defect
//! `ρ = dẑ/dt − v(ẑ)` says how badly `ẑ` misses the equation. With the exact flow `z` from the same start, and `E = ẑ − z`,
//! ```text
//! Ė_i = v_i(ẑ) − v_i(z) + ρ_i = Σ_k (∫₀¹ J_ik(z + θE) dθ) E_k + ρ_i.
//! ```
//! A step is cut into pieces. On a piece, `t ↦ v_i(ẑ(t))` is analytic in an ellipse around the piece on which it is bounded by a number `M_i` that a pass over
//! all pairs gives (`ellipse.rs`). By Bernstein's theorem it is therefore a polynomial up to `4 M_i ϱ^{−m}/(ϱ−1)`: the one through its values at `m + 1`
//! Chebyshev points of the piece. There the drift is evaluated. Since `dẑ/dt` is a polynomial as well, `|ρ_i|` and its mean are bounded over the whole
//! piece by what is known at the points (`interpolant.rs`), the remainder, and the certificates of the drift there (`proof.rs`).
//!
//! # The comparison system
//! In units of the kernel's width, with the weights `a_ik`, `δ = z_i − z_k`, and the covariance `Cov_i` of the weights about `F_i = z_i + v_i`,
//! ```text
//! J_ii = Cov_i + (a_ii − 1) I,      J_ik = a_ik (I − (δ + v_i) δᵀ)      (k ≠ i).
//! ```
//! Multiply `Ė_i` by `E_i/|E_i|`. `J_ii` is symmetric, so its mean over `θ` contributes at most `μ_i |E_i|`; the other blocks contribute at most
//! their norms. With `e_i = |E_i|`,
//! ```text
//! ė_i ≤ μ_i e_i + Σ_{k≠i} κ_ik e_k + |ρ_i|,      μ_i ≥ λ_max(J_ii),   κ_ik ≥ ‖J_ik‖,
//! ```
//! where `μ` and `κ` hold for every configuration between `ẑ` and `z`. This is a linear system with non-negative off-diagonal entries, so it is
//! monotone: whatever solves it with `≥` stays above `e`. One number per particle, not one for the cloud: the largest row sum alone would give
//! `e^{18}` where the system gives `e^5`.
//!
//! # The tube
//! `μ` and `κ` are needed on the tube `|y_i − ẑ_i| ≤ e_i`, whose radii are what is sought. On a piece of length `ℓ`,
//! 1. slopes `y` are guessed, and the tube is taken with the radii `e + 2ℓy`;
//! 2. `μ` and `κ` are bounded over all of that tube and over the whole piece: every weight `a_ik`, every drift, every block is enclosed around the middle
//!    of the piece (`enclosure.rs` has the inequalities);
//! 3. with these constants the system is solved from `e`; if the solution stays below `e + αℓy` for some `α ≤ 2`, then, by continuity, `e` cannot have left
//!    the tube, so the constants were valid and the solution is a bound (`comparison.rs`). Otherwise larger slopes are tried.
//!
//! Where no slopes do, or the tube becomes as wide as half the kernel's width, the bounds feed on themselves. Then there is no bound but
//! a [`Refusal`] with the time, the particle and the remedy.
//!
//! # Sources
//! Three kinds of defect enter the same system, and the tokens' own uncertainty as its start; since it is linear they are propagated side by side, and the
//! [`Budget`] is their shares:
//! - *integration*: `dẑ/dt − ṽ(ẑ)` with the drift `ṽ` as computed, the remainder of its interpolant, and the size of `δ` itself, as the run ends at `ẑ + δ`;
//! - *truncation*: what the drift certifies at the points of a piece on truncating or compressing the kernel sum, times Lebesgue's constant;
//! - *rounding*: what it certifies on its rounding, likewise; rounding of the points where the drift was evaluated, carried through `J`; of
//!   the path's velocity; of the coefficients, as a jump between steps;
//! - *tokens*: where every token is only known within a radius `r_i`, `e_i(0) = r_i`, and the bound holds for the flow of all such tokens at once.
//!
//! # From particles to measures
//! At the end, `|z̃_i − z_i| ≤ |δ_i| + e_i` for every particle. Matching each particle with itself is a coupling of the two empirical
//! measures, so the weighted mean of these numbers bounds `W1`.
//!
//! # Layers
//! A network is too coarse to be followed step by step: its path is a polygon whose defect is as large as its step. The distance between
//! the network and the flow is split at the end of an adaptive run: what lies between network and run is computed, what lies between
//! run and flow is bounded as above.
//!
//! # What is proved
//! In real arithmetic the numbers are upper bounds for every particle, whatever the integrator, however large the errors: the defect is bounded over
//! whole steps, not sampled. The drift's certificates and the roundings listed above are part of them. Sums
//! over pairs that only bound something are taken in single precision, about rounded positions whose displacement is part of the tube, and with an allowance for what
//! rounding does to positive sums. An error in the drift's code cannot hide, either: at the end of every step the drift is compared with an independent full sum, and
//! a run whose drift misses it by more than it certifies ends with an error.
//!
//! # What is assumed
//! - *Rounding of sums over pairs*: it is covered by a factor `1 + 1e-3` that was argued for, not derived constant by constant; likewise the drift's own rounding
//!   bounds, which are of first order in the unit roundoff, and for the Gauss transform rest on errors of its tables as measured. The recursion is rounded upwards at every operation.
//! - *One temperature*: schedules that vary are refused.
//!
//! # Cost
//! Per step, beside the run's own six evaluations: three evaluations of the drift, one Jacobian–vector product, and for each piece `m = 6 … 16` more evaluations (the
//! order follows from how small the defect is) and at least two passes over all pairs in single precision, one of them for the ellipses. The passes visit all pairs even if the drift does not.
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
#[cfg(test)]
mod precise;
mod proof;
mod refusal;
mod rounding;
mod sample;
mod sources;
#[cfg(test)]
mod terms;
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
