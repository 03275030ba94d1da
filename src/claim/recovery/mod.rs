//! Whether both stages recover the prior and the Bayes estimate.
//!
//! # Symbols
//! `m_ν(y)` the posterior mean against a law `ν`, `m_N` against `N` particles, `m_[R]` and `m_β` against the mean field from the law in a ball and from the
//! whole law.
//!
//! | file | claim |
//! |---|---|
//! | `sequential` | `sequential-recovery` |
//! | `beyond_gaussian` | `recovery-beyond-gaussian` |
//! | `denoising_time` | `denoising-time` |
//! | `one_shot` | `one-shot` |
//! | `clusters` | `posterior-sufficiency` |
//! | `estimator` | both stages, and the certified distance of what they infer |

mod beyond_gaussian;
mod clusters;
mod denoising_time;
mod estimator;
mod one_shot;
mod sequential;

pub use beyond_gaussian::RecoveryBeyondGaussian;
pub use clusters::PosteriorSufficiency;
pub use denoising_time::ClosestTime;
pub use one_shot::OneShot;
pub use sequential::SequentialRecovery;
