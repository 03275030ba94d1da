//! Reproducible random numbers: a seed names two independent streams, one for clean points and one for their noise.
//!
//! Points are drawn one after the other, each stream for itself. So the first `N` points of a larger draw are the draw of
//! `N` points, and the clean points do not depend on whether noise was asked for.

use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::cloud::Cloud;
use crate::error::{Error, Result};
use crate::scale::NoiseVariance;

/// The generator of all random numbers in this crate: PCG XSL RR 128/64, the same on every platform.
pub type Generator = rand_pcg::Pcg64;

/// The stream of clean points that a seed names.
pub fn generator(seed: u64) -> Generator {
    Generator::seed_from_u64(seed)
}

/// The stream of noise that a seed names: seeded from the far end of the stream of clean points.
pub fn noise_generator(seed: u64) -> Generator {
    let mut far = generator(seed);
    far.advance(1 << 64);
    Generator::from_rng(&mut far)
}

/// A cloud of `n` rows, drawn one after the other.
pub(crate) fn draw_rows(
    n: usize,
    dimension: usize,
    mut draw: impl FnMut(&mut [f64]) -> Result<()>,
) -> Result<Cloud> {
    let mut points = Vec::new();
    let too_many = || Error::InvalidParameter {
        name: "number of points",
        value: n as f64,
        requirement: "small enough for them to fit in memory",
    };
    let length = n.checked_mul(dimension).ok_or_else(too_many)?;
    points.try_reserve_exact(length).map_err(|_| too_many())?;
    points.resize(length, 0.0);
    points.chunks_exact_mut(dimension).try_for_each(&mut draw)?;
    Cloud::named(points, dimension, "the sample")
}

/// A draw from `N(0, variance)`; nothing is drawn for a variance of zero.
pub(super) fn normal(variance: f64, generator: &mut Generator) -> f64 {
    if variance == 0.0 {
        return 0.0;
    }
    let standard: f64 = StandardNormal.sample(generator);
    variance.sqrt() * standard
}

/// Clean points `X_i` and what is observed of them, `Y_i = X_i + √τ ξ_i`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NoisySample {
    /// The points `X_i`.
    pub clean: Cloud,
    /// The tokens `Y_i`.
    pub noisy: Cloud,
}

impl NoisySample {
    /// Adds noise of variance `τ`, from the seed's stream of noise, to given clean points.
    pub fn of(clean: Cloud, noise: NoiseVariance, seed: u64) -> Result<Self> {
        let (std, mut generator) = (noise.get().sqrt(), noise_generator(seed));
        let mut observe = |x: &f64| -> f64 {
            let standard: f64 = StandardNormal.sample(&mut generator);
            x + std * standard
        };
        let noisy = clean.moved_to(clean.points().iter().map(&mut observe).collect())?;
        Ok(Self { clean, noisy })
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// Draws of 4000 pairs: a correlation beyond 5/√4000 would be five standard deviations.
    const DRAWS: usize = 4000;
    const SEEDS: [u64; 4] = [0, 1, 2, u64::MAX];

    #[test]
    fn streams_are_uncorrelated() {
        let streams = SEEDS.iter().flat_map(|&seed| [generator(seed), noise_generator(seed)]);
        let streams: Vec<Vec<f64>> =
            streams.map(|mut stream| (0..DRAWS).map(|_| stream.random::<f64>() - 0.5).collect()).collect();
        for (i, a) in streams.iter().enumerate() {
            for b in &streams[..i] {
                let correlation: f64 = a.iter().zip(b).map(|(a, b)| 12.0 * a * b).sum::<f64>() / DRAWS as f64;
                assert!(correlation.abs() < 5.0 / (DRAWS as f64).sqrt(), "{correlation}");
            }
        }
    }
}
