//! [`Size`]: finite samples beside their exact partners.
//!
//! # Formula
//! A sample follows the flow; its partners start at the same points and follow the characteristics of the law, which
//! are linear for a Gaussian one: along the axis `q_i` they keep `λ_i(t)/λ_i(0)` of their variance. The gap `G_N` of
//! the total variances vanishes but for sampling, and for a bias: every particle is its own nearest neighbour, which
//! shifts it by `1/N`, and in the tail, where less than one neighbour is expected, particles do not move at all, which
//! shifts it by `ln N/N`. With `G_{N/2}` and `G_{N/4}` the means over the halves and the quarters of the same sample,
//! ```text
//! G = 4 G_N − 4 G_{N/2} + G_{N/4},       G' = (8 G_N − 6 G_{N/2} + G_{N/4})/3
//! ```
//! have no bias `1/N`; the first has none `ln N/N` either, the second none `1/N²` (Richardson). Either leaves alone
//! what is linear in the empirical law. The first is the answer, and how far the second is from it is the error bar for
//! the bias that is left. Seeds give the mean and its standard error.
//!
//! The cost is `N²` and the variance of `G` of order `1/N`: many small samples tell more than few large ones, as long
//! as the bias stays below their standard error.

use super::setting::Setting;
use crate::claim::Row;
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::flow::{Adaptive, Flow};
use crate::law::generator;
use crate::measured::Measured;
use crate::metric::{Confidence, Interval};
use crate::parallel;
use crate::scale::RawTime;
use nalgebra::DVector;

/// The first seed.
const SEED: u64 = 2_026;
/// Tolerances in time, far below the sampling error: that of the answer, and that of the run which judges it.
const TOLERANCES: [f64; 2] = [1e-5, 1e-4];

/// How much is sampled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub particles: usize,
    pub seeds: usize,
}

impl Size {
    /// The gap of particles and partners at a time, by which the closed form says that the partners keep these shares
    /// of their variances along the axes.
    pub fn gap(
        self,
        setting: &Setting,
        time: RawTime,
        kept: &DVector<f64>,
        drift: &dyn Drift,
    ) -> Result<Row> {
        let (flow, noisy) = (setting.flow()?, setting.prior()?.noisy(setting.noise()?));
        let follow = Flow::new(flow.beta(), time);
        let gap = |part: &Cloud, tolerance: f64| -> Result<f64> {
            let along = flow.eigenvectors().tr_mul(&(part.covariance() * flow.eigenvectors())).diagonal();
            let moved = follow
                .clone()
                .with_drift(drift)
                .with_integrator(Adaptive::new(0.0, tolerance)?)
                .run(part)?
                .end;
            Ok(moved.covariance().trace() - kept.dot(&along))
        };
        // Samples of this size are too small to be shared between threads.
        let of_seed = |seed: usize| -> Result<[Levels; 2]> {
            let sample = noisy.sample(self.particles, &mut generator(SEED + seed as u64))?;
            let at = |tolerance| Levels::of(&sample, |part| gap(part, tolerance));
            Ok([at(TOLERANCES[0])?, at(TOLERANCES[1])?])
        };
        let found = parallel::try_map(self.seeds, &of_seed)?;
        let case = format!("{}, N = {}", setting.name(), self.particles);
        let quantity = "total variance of the particles − that of their exact images";
        let measured = judged(&found)?;
        let scale = kept.dot(&flow.initial_eigenvalues());
        Ok(Row::equal(&case, quantity, measured, Measured::exact(0.0)).on_scale(scale))
    }
}

/// The mean over samples at two tolerances, with what both tolerances and both extrapolations say of its error.
fn judged(found: &[[Levels; 2]]) -> Result<Measured> {
    let mean =
        |number: &dyn Fn(&[Levels; 2]) -> f64| found.iter().map(number).sum::<f64>() / found.len() as f64;
    let values: Vec<f64> = found.iter().map(|[fine, _]| fine.without_logarithm()).collect();
    let time = mean(&|[fine, coarse]| (fine.without_logarithm() - coarse.without_logarithm()).abs());
    let bias = mean(&|[fine, _]| fine.without_logarithm() - fine.without_powers()).abs();
    let interval = Interval::of_mean(&values, Confidence::new(0.95)?)?;
    Ok(Measured::known_to(interval.estimate, time + bias).sampled_over(interval.standard_error, found.len()))
}

/// A number of a sample, and its means over halves and quarters.
struct Levels([f64; 3]);

impl Levels {
    fn of(sample: &Cloud, number: impl Fn(&Cloud) -> Result<f64>) -> Result<Self> {
        let mut means = [0.0; 3];
        for (mean, parts) in means.iter_mut().zip([1, 2, 4]) {
            for first in 0..parts {
                *mean += number(&part(sample, first, parts)?)? / parts as f64;
            }
        }
        Ok(Self(means))
    }

    /// Without bias in `1/N` and `ln N/N`.
    fn without_logarithm(&self) -> f64 {
        let [whole, half, quarter] = self.0;
        4.0 * whole - 4.0 * half + quarter
    }

    /// Without bias in `1/N` and `1/N²`.
    fn without_powers(&self) -> f64 {
        let [whole, half, quarter] = self.0;
        (8.0 * whole - 6.0 * half + quarter) / 3.0
    }
}

/// Every so many-th point from one on.
pub(in crate::claim) fn part(cloud: &Cloud, first: usize, step: usize) -> Result<Cloud> {
    let points = cloud.rows().skip(first).step_by(step).flatten().copied().collect();
    Cloud::new(points, cloud.dimension())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn biases_vanish_and_what_is_linear_stays() {
        let cloud = Cloud::new((0..64).map(|i| f64::from(i).sin()).collect(), 1).unwrap();
        let biased = |bias: fn(f64) -> f64| {
            Levels::of(&cloud, |part| Ok(part.mean()[0] + 3.0 / part.len() as f64 + bias(part.len() as f64)))
        };
        let logarithm = biased(|n| 5.0 * n.ln() / n).unwrap();
        let square = biased(|n| 7.0 / (n * n)).unwrap();
        let mean = cloud.mean()[0];
        assert!((logarithm.without_logarithm() - mean).abs() < 1e-14);
        assert!((square.without_powers() - mean).abs() < 1e-14);
        assert!((logarithm.without_powers() - mean).abs() > 0.01);
    }
}
