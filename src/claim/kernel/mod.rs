//! The kernel's identities: drifts, energies and posterior means are logarithmic derivatives of a smoothed law.
//!
//! # Symbols
//! `μ = Σ_j ω_j δ_{z_j}` a cloud, `G_β = N(0, I/β)`, `F(x)` the kernel barycentre at `x`, `F − x` the drift.
//!
//! | file | claim |
//! |---|---|
//! | `log_gradient` | `drift-is-log-gradient` |
//! | `energy` | `energy-gradient` |
//! | `tweedie` | `tweedie` |
//! | `gaussian_only` | `gaussian-kernel-only` |

mod energy;
mod gaussian_only;
mod log_gradient;
mod tweedie;

pub use energy::EnergyGradient;
pub use gaussian_only::{GaussianKernelOnly, Kernel};
pub use log_gradient::DriftIsLogGradient;
pub use tweedie::Tweedie;

use rand_distr::{Distribution, StandardNormal};

use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::generator;

/// `n` standard normal points in `R^d`, `spread` wide.
fn normal_points(n: usize, d: usize, spread: f64, seed: u64) -> Result<Cloud> {
    let mut generator = generator(seed);
    let mut draw = || -> f64 { StandardNormal.sample(&mut generator) };
    Cloud::new((0..n * d).map(|_| spread * draw()).collect(), d)
}

/// `ln Σ_j e^{x_j}`.
fn log_sum_exp(exponents: &[f64]) -> f64 {
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + exponents.iter().map(|x| (x - largest).exp()).sum::<f64>().ln()
}

/// `|x − z|²`.
fn distance_2(x: &[f64], z: &[f64]) -> f64 {
    x.iter().zip(z).map(|(x, z)| (x - z) * (x - z)).sum()
}

/// Euclidean length.
fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The radius of the smallest centred ball around a cloud.
fn radius(cloud: &Cloud) -> f64 {
    cloud.rows().map(length).fold(0.0, f64::max)
}
