//! [`Cones`]: the lower envelope of cones above the points of a cloud, a 1-Lipschitz function.
//!
//! # Formula
//! ```text
//! f(x) = min_i |x − z_i| − v_i,     ∫ f d(P − μ) ≤ W1(μ, P)   for every choice of heights v_i
//! ```
//! For a discrete `μ` and any `P` the optimal potential has this form, and the left side is concave in `v`: the mean of
//! several choices of heights is at least as good as they are on average.

use rayon::prelude::*;

use crate::cloud::Cloud;
use crate::error::Result;
use crate::metric::transport::Potential;

/// Points per task; fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 64;
/// Cones that are compared side by side.
const LANES: usize = 8;

/// The envelope `f(x) = min_i |x − z_i| − v_i`.
#[derive(Debug, Clone)]
pub(crate) struct Cones {
    dimension: usize,
    heights: Vec<f64>,
    /// For each block of cones, one column of coordinates per axis, then their heights. Blocks are filled up with cones that
    /// are never the lowest.
    blocks: Vec<[f64; LANES]>,
}

impl Cones {
    /// The envelope that takes the values of a potential at the points of the cloud it belongs to.
    pub(crate) fn of_potential(potential: &Potential, cloud: &Cloud) -> Result<Self> {
        let heights: Vec<f64> = potential.values(cloud)?.into_iter().map(|value| -value).collect();
        Ok(Self::new(cloud, heights))
    }

    pub(crate) fn new(cloud: &Cloud, heights: Vec<f64>) -> Self {
        let d = cloud.dimension();
        let mut blocks = Vec::with_capacity(cloud.len().div_ceil(LANES) * (d + 1));
        for start in (0..cloud.len()).step_by(LANES) {
            let lane = |k: usize| (start + k < cloud.len()).then_some(start + k);
            for axis in 0..d {
                blocks.push(std::array::from_fn(|k| lane(k).map_or(0.0, |i| cloud.points()[i * d + axis])));
            }
            blocks.push(std::array::from_fn(|k| lane(k).map_or(f64::NEG_INFINITY, |i| heights[i])));
        }
        Self { dimension: d, heights, blocks }
    }

    /// The envelope whose heights are the mean of those of several over the same cloud, each taken relative to its mean.
    pub(crate) fn averaged(all: &[&Self], cloud: &Cloud) -> Self {
        let mut heights = vec![0.0; cloud.len()];
        for cones in all {
            let mean = cones.heights.iter().sum::<f64>() / cones.heights.len() as f64;
            let share = 1.0 / all.len() as f64;
            heights.iter_mut().zip(&cones.heights).for_each(|(sum, height)| *sum += share * (height - mean));
        }
        Self::new(cloud, heights)
    }

    /// `f` at every point of a cloud.
    pub(crate) fn values(&self, cloud: &Cloud) -> Vec<f64> {
        let d = self.dimension;
        let chunks = cloud.points().par_chunks(CHUNK * d);
        chunks.flat_map_iter(|points| points.chunks_exact(d).map(|x| self.at(x))).collect()
    }

    fn at(&self, x: &[f64]) -> f64 {
        let mut lowest = [f64::INFINITY; LANES];
        for block in self.blocks.chunks_exact(self.dimension + 1) {
            let mut squares = [0.0; LANES];
            for (column, x) in block.iter().zip(x) {
                for (square, z) in squares.iter_mut().zip(column) {
                    *square += (z - x) * (z - x);
                }
            }
            for k in 0..LANES {
                let value = squares[k].sqrt() - block[self.dimension][k];
                lowest[k] = if value < lowest[k] { value } else { lowest[k] };
            }
        }
        lowest.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// `Σ ω_i f(z_i)` over a cloud.
    pub(crate) fn mean(&self, cloud: &Cloud) -> f64 {
        self.values(cloud).iter().enumerate().map(|(i, value)| cloud.weight(i) * value).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Law, generator};
    use crate::metric::transport::wasserstein;

    const SEED: u64 = 8;

    fn clouds(d: usize) -> [Cloud; 2] {
        let mean = vec!["0"; d].join(", ");
        let law = Law::parse(&format!(r#"{{ kind = "gaussian", mean = [{mean}], std = 1 }}"#)).unwrap();
        let mut generator = generator(SEED);
        [37, 53].map(|n| law.sample(n, &mut generator).unwrap())
    }

    #[test]
    fn the_envelope_is_the_smallest_cone() {
        for d in [1, 2, 3, 5] {
            let [cloud, queries] = clouds(d);
            let heights: Vec<f64> = (0..cloud.len()).map(|i| (i as f64).sin()).collect();
            let values = Cones::new(&cloud, heights.clone()).values(&queries);
            for (x, value) in queries.rows().zip(values) {
                let cone = |(z, v): (&[f64], &f64)| {
                    x.iter().zip(z).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt() - v
                };
                let lowest = cloud.rows().zip(&heights).map(cone).fold(f64::INFINITY, f64::min);
                assert!((value - lowest).abs() < 1e-14);
            }
        }
    }

    /// Strong duality: on the sample it was fitted to, the envelope proves the distance itself.
    #[test]
    fn a_fitted_envelope_proves_its_distance() {
        let [cloud, sample] = clouds(2);
        let transport = wasserstein(&sample, &cloud).unwrap();
        let cones = Cones::of_potential(&transport.potential, &cloud).unwrap();
        let proved = cones.mean(&sample) - cones.mean(&cloud);
        assert!((proved - transport.distance).abs() < 1e-12, "{proved}, not {}", transport.distance);
        let averaged = Cones::averaged(&[&cones, &cones], &cloud);
        assert!((averaged.mean(&sample) - averaged.mean(&cloud) - proved).abs() < 1e-12);
    }
}
