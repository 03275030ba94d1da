//! Means over seeds, with their standard error and what the size of the sample does to them.
//!
//! # Formula
//! Let `q(N)` be the mean of a quantity over independent samples of size `N`; for `q(N/2)` each of them is cut into halves, so that most of the noise
//! of the difference cancels. Its bias `b(N) = q(N) − q(∞)` falls at least like `N^{−1/2}`, so
//! ```text
//! |b(N)| ≤ |q(N/2) − q(N)| / (√2 − 1)
//! ```
//! which is the numerical bar; where it falls like `1/N` the bar is twice as wide as it need be. The sampling bar is the standard error of `q(N)`
//! plus that of the bound on the bias, enlarged by Student's quantile for few seeds.

use std::f64::consts::SQRT_2;

use ebflow::{Cloud, Measured, Result};
use rayon::prelude::*;

/// Independent samples of most rows.
pub const SEEDS: u64 = 32;

/// `|b(N)|` over the difference of the two sizes.
const BIAS: f64 = 1.0 / (SQRT_2 - 1.0);

/// A quantity over seeds.
#[derive(Debug, Clone, Copy)]
pub struct Sampled {
    /// As an approximation of the limit `N → ∞`: with a bound on the bias.
    pub limit: Measured,
    /// As an expectation at this `N`.
    pub expectation: Measured,
}

/// Quantities of a sample.
pub type Quantities<'a> = dyn Fn(u64, &Cloud) -> Result<Vec<f64>> + Sync + 'a;

/// Quantities of samples that `draw` makes from seeds.
pub fn over_seeds(
    seeds: u64,
    draw: &(dyn Fn(u64) -> Result<Cloud> + Sync),
    of: &Quantities<'_>,
) -> Result<Vec<Sampled>> {
    let one = |seed: u64| {
        let sample = draw(seed)?;
        let (first, second) = halves(&sample)?;
        Ok([of(seed, &sample)?, of(seed, &first)?, of(seed, &second)?])
    };
    let rows: Vec<[Vec<f64>; 3]> = (0..seeds).into_par_iter().map(one).collect::<Result<_>>()?;
    let sampled = |k: usize| {
        let full: Vec<f64> = rows.iter().map(|[full, ..]| full[k]).collect();
        let apart: Vec<f64> = rows.iter().map(|[full, a, b]| 0.5 * (a[k] + b[k]) - full[k]).collect();
        let ((value, error), (difference, noise)) = (mean(&full), mean(&apart));
        let known = |bias: f64, error: f64| Measured::known_to(value, bias).sampled_over(error, full.len());
        Sampled {
            limit: known(BIAS * difference.abs(), error + BIAS * noise),
            expectation: known(0.0, error),
        }
    };
    Ok((0..rows[0][0].len()).map(sampled).collect())
}

fn halves(sample: &Cloud) -> Result<(Cloud, Cloud)> {
    let (d, points) = (sample.dimension(), sample.points());
    let (first, second) = points.split_at(sample.len() / 2 * d);
    Ok((Cloud::new(first.to_vec(), d)?, Cloud::new(second.to_vec(), d)?))
}

/// Mean and standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (square / (n * (n - 1.0))).sqrt())
}
