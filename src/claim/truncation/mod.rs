//! Truncation to a ball: what it costs, how much it keeps, and how large the ball must be.
//!
//! # Symbols
//! `B_R` the closed ball about the origin, `p_R = μ(B_R)`, `q_R = 1 − p_R`, `μ^[R]` the law conditioned on the ball, `A_R = ∫_{|x|>R} |x| dμ`,
//! `I_R = ∫_{B_R} |x| dμ`.
//!
//! | file | claim |
//! |---|---|
//! | `hard` | `hard-truncation` |
//! | `flows` | `truncated-flows` |
//! | `retained` | `retained-fraction` |
//! | `tail`, `radius` | `gaussian-tail` |
//! | `moments`, `norm_tail` | exact `q_R`, `A_R`, `I_R`, tails of `|Y|` |
//! | `integrals` | `A_R` and `W1` by quadrature |

mod flows;
mod hard;
mod integrals;
mod moments;
mod norm_tail;
mod radius;
mod retained;
mod tail;

pub use flows::TruncatedFlows;
pub use hard::HardTruncation;
pub(super) use norm_tail::norm_tail;
pub use retained::RetainedFraction;
pub use tail::GaussianTail;
