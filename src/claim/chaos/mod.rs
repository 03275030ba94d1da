//! Whether particles are what their mean field says.
//!
//! # Symbols
//! `X_i` a particle, `X̄_i` its partner, which starts at the same point and follows the mean field `f_t`; `ν_N = E|X_i − X̄_i|`, `μ_N` and `μ̄_N` the
//! empirical laws of both.
//!
//! | file | claim |
//! |---|---|
//! | `propagation` | `propagation-of-chaos` |
//! | `partners` | particles, partners and the law, side by side |

mod partners;
mod propagation;

pub use propagation::PropagationOfChaos;
