//! Numbers of a sample and of its parts, so that few large samples tell how a number depends on their size.
//!
//! # Formula
//! A sample of `N` independent points falls into four samples of `N/4`, sixteen of `N/16` and so on, all independent of each other. With
//! `S_N` the number of the whole and `S_{N/4}` the mean over the quarters,
//! ```text
//! S_∞ = 2 S_N − S_{N/4}
//! ```
//! if `S_N − S_∞` falls like `N^{−1/2}`. Seeds give means and their standard errors, also of what is made from several sizes.

use super::gaussian::particles::part;
use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::generator;
use crate::measured::Measured;
use crate::metric::{Confidence, Interval};
use crate::parallel;

/// Parts that a sample falls into from one size to the next.
pub(super) const SHARE: usize = 4;

/// How much is sampled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Samples {
    /// Points of a whole sample.
    pub particles: usize,
    /// Sizes, from the whole down.
    pub sizes: usize,
    /// Independent whole samples.
    pub seeds: usize,
}

/// Means by size, of every seed.
#[derive(Debug, Clone)]
pub(super) struct Nested {
    samples: Samples,
    by_seed: Vec<Vec<f64>>,
}

impl Samples {
    /// A number of clouds, at all sizes and for all seeds.
    pub fn measure(
        self,
        seed: u64,
        draw: &(dyn Fn(&mut crate::law::Generator, usize) -> Result<Cloud> + Sync),
        number: &(dyn Fn(&Cloud) -> Result<f64> + Sync),
    ) -> Result<Nested> {
        let of_seed = |k: usize| -> Result<Vec<f64>> {
            let whole = draw(&mut generator(seed + k as u64), self.particles)?;
            let of_size = |size: usize| -> Result<f64> {
                let parts = SHARE.pow(size as u32);
                let values = (0..parts).map(|first| number(&part(&whole, first, parts)?));
                Ok(values.sum::<Result<f64>>()? / parts as f64)
            };
            (0..self.sizes).map(of_size).collect()
        };
        Ok(Nested { samples: self, by_seed: parallel::try_map(self.seeds, &of_seed)? })
    }
}

impl Nested {
    /// The number of every whole sample.
    pub fn whole(&self) -> impl Iterator<Item = f64> {
        self.by_seed.iter().map(|values| values[0])
    }

    /// The mean at a size.
    pub fn at(&self, size: usize) -> Result<Measured> {
        self.mean(|values| values[size])
    }

    /// The mean for the whole samples over that for their quarters.
    pub fn ratio(&self) -> Result<Measured> {
        Ok(self.at(0)? / self.at(1)?)
    }

    /// `2 S_N − S_{N/4}`.
    pub fn extrapolated(&self) -> Result<Measured> {
        self.mean(|values| 2.0 * values[0] - values[1])
    }

    /// `(4 S_N − S_{N/4})/3`, for what falls like `1/N`.
    pub fn without_bias(&self) -> Result<Measured> {
        self.mean(|values| (4.0 * values[0] - values[1]) / 3.0)
    }

    /// The slope of `ln S_N` in `ln N` between the smallest and the largest size.
    pub fn slope(&self) -> Result<Measured> {
        let last = self.samples.sizes - 1;
        let width = (last as f64) * (SHARE as f64).ln();
        Ok((self.at(0)? / self.at(last)?).ln() / width)
    }

    /// The mean over the seeds, with its standard error.
    fn mean(&self, number: impl Fn(&[f64]) -> f64) -> Result<Measured> {
        let values: Vec<f64> = self.by_seed.iter().map(|values| number(values)).collect();
        mean(&values)
    }
}

/// The mean over seeds, with its standard error.
pub(super) fn mean(values: &[f64]) -> Result<Measured> {
    let interval = Interval::of_mean(values, Confidence::new(0.95)?)?;
    Ok(Measured::exact(interval.estimate).sampled_over(interval.standard_error, values.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_apart() {
        let samples = Samples { particles: 64, sizes: 3, seeds: 4 };
        let draw = |_: &mut crate::law::Generator, n: usize| {
            Cloud::new((0..n).map(|i| (i as f64).sin()).collect(), 1)
        };
        let root = |cloud: &Cloud| Ok(3.0 + 2.0 / (cloud.len() as f64).sqrt());
        let nested = samples.measure(1, &draw, &root).unwrap();
        assert!((nested.at(2).unwrap().value - 4.0).abs() < 1e-14);
        assert!((nested.extrapolated().unwrap().value - 3.0).abs() < 1e-14);
        let falling = |cloud: &Cloud| Ok(1.0 / (cloud.len() as f64).sqrt());
        let nested = samples.measure(1, &draw, &falling).unwrap();
        assert!((nested.slope().unwrap().value + 0.5).abs() < 1e-14);
        assert!((nested.ratio().unwrap().value - 0.5).abs() < 1e-14);
    }
}
