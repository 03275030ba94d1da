//! Claims about Gaussian laws, where everything is known in closed form.
//!
//! | file | holds | paper |
//! |---|---|---|
//! | [`CovarianceEquation`] | a Gaussian stays one; its covariance in closed form | `lem:gaussian-invariance-covariance` |
//! | [`RecoveryRate`] | at the horizon it tends to the prior: how fast | `lem:gaussian-recovery-condition` |
//! | [`HittingTime`] | when the variance reaches a target | `thm:gaussiandenoise` |
//! | [`DiracHittingTime`] | the same for a point mass | corollary to `thm:gaussiandenoise` |
//! | `plan` | which witnesses a closed form meets, and where | |
//! | `setting` | laws turned in space, with noise and `β` | |
//! | `nodes` | the mean field as quadrature nodes, in any dimension | |
//! | `snapshot` | what of a Gaussian law can be read off them | |
//! | `descent` | the variance ODE by a method of its own | `eq:eigenvalue-ode` |
//! | `crossing` | when a falling variance comes down to a target | |
//! | `particles` | finite samples, their bias removed | |

mod covariance;
mod crossing;
mod descent;
mod dirac;
mod hitting;
mod nodes;
pub(super) mod particles;
mod plan;
mod recovery;
pub(super) mod setting;
mod snapshot;

pub use covariance::{ClosedForm, CovarianceEquation};
pub use dirac::{DiracHittingTime, KernelWidthTime};
pub use hitting::{DenoisingTime, HittingTime, TargetTime};
pub use recovery::{RecoveryRate, TerminalTime};
