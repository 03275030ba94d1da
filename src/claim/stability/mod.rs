//! Stability about the Gaussian flow, and of the posterior mean.
//!
//! # Symbols
//! `g_t = N(m, Γ_t)` the Gaussian flow with eigenvalues `λ_i(t)` of `Γ_t`, `λ₊` the largest at the start; `r_t(x) = |Γ_t^{−1/2}(x − m)|`;
//! `D_μ = G_β * μ`, `H_μ = ∇D_μ`, `X_μ = H_μ/βD_μ` the drift; `δ = W1(μ, g_t)`; `A_δ` the radius at which proofs cut.
//!
//! | file | claim |
//! |---|---|
//! | `convolution` | `convolution-bounds` |
//! | `cutoff`, `tails` | `cutoff-and-tails` |
//! | `logarithmic`, `perturbed` | `log-stability` |
//! | `affine` | `affine-stability` |
//! | `posterior` | `posterior-continuity` |
//! | `reference` | a Gaussian flow with its axes, and quadrature nodes of its laws |

mod affine;
mod convolution;
mod cutoff;
mod logarithmic;
mod perturbed;
mod posterior;
mod reference;
mod tails;

pub use affine::AffineStability;
pub use convolution::ConvolutionBounds;
pub use cutoff::CutoffAndTails;
pub use logarithmic::LogStability;
pub use posterior::PosteriorContinuity;
pub use reference::Reference;
