//! Networks as people build them: on spheres, with schedules, with finitely many tokens.
//!
//! # Symbols
//! `η` the step of a layer, `β(t), η(t)` schedules in depth, `∫η/β` the score time that they take; `ρ̄` the typical density of the noisy tokens, `n = Nρ̄/β^{d/2}` the tokens
//! that a kernel sees.
//!
//! | file | claim |
//! |---|---|
//! | `sphere` | `sphere-softmax` |
//! | `annealing` | `annealing` |
//! | `density` | `density-condition` |

mod annealing;
mod density;
mod sphere;

pub use annealing::Annealing;
pub use density::DensityCondition;
pub use sphere::SphereSoftmax;
