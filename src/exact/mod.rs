//! Closed forms against which everything else is checked.
//!
//! | file | holds | paper |
//! |---|---|---|
//! | [`covariance`] | the covariance flow of a Gaussian law, its characteristics, its layer recursion | `lem:gaussian-invariance-covariance` |
//! | `covariance_ode` | the same eigenvalues by integrating their ODE | `eq:eigenvalue-ode` |
//! | [`hitting`] | the time at which the variance reaches a target | `thm:gaussiandenoise` |

pub mod covariance;
mod covariance_ode;
pub mod hitting;
mod omega;

pub use covariance::CovarianceFlow;
pub use hitting::{Hitting, VarianceDescent};
