//! The flow expanded in `1/β`: what the kernel changes, and what becomes of it at the denoising time.
//!
//! # Symbols
//! `t` is score time here, `T0 = τ/2`; `g_t = μ * γ_{τ−2t}`; `N_β(f) = −∇·(f∇log(G_β*f))`; `Q[f] = ∇·(f∇(Δf/f))`; `E_β` what is left of `N_β` beyond the first order,
//! times `β²`.
//!
//! | file | claim |
//! |---|---|
//! | `operator` | `kernel-expansion` |
//! | `first_order` | `first-order-correction` |
//! | `profile` | mixtures on the line with their derivatives |
//! | `sobolev` | `H^s` norms by Fourier sums |

mod first_order;
mod operator;
mod profile;
mod sobolev;

pub use first_order::FirstOrderCorrection;
pub use operator::KernelExpansion;
pub use profile::Derivatives;
