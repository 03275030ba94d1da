//! Clouds for the tests, by shape and seed.

use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_pcg::Pcg64Mcg;

use crate::cloud::Cloud;

/// What a cloud looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// Noise of total variance ½ around (±1, 0, …).
    Mixture,
    /// Tight clusters of very different sizes.
    Clustered,
    /// Few distinct points, each many times.
    Coincident,
    /// All points on a slanted line.
    Line,
    /// A Gaussian with one point a million away.
    Outlier,
    /// A Gaussian a thousand away from the origin.
    Offset,
}

pub(super) const SHAPES: [Shape; 6] =
    [Shape::Mixture, Shape::Clustered, Shape::Coincident, Shape::Line, Shape::Outlier, Shape::Offset];

/// How the points are weighted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Weighting {
    Equal,
    /// Like quadrature nodes of a Gaussian: over twenty orders of magnitude, falling with the distance from the first point.
    Quadrature,
    /// Log-uniform over thirty orders, with no relation to the positions.
    Wild,
}

pub(super) fn cloud(shape: Shape, weighting: Weighting, n: usize, d: usize, seed: u64) -> Cloud {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut normal = || rng.sample::<f64, _>(StandardNormal);
    let mut points = Vec::with_capacity(n * d);
    for i in 0..n {
        let (cluster, along) = ((i * i + i / 3) % 7, normal());
        for k in 0..d {
            let noise = normal();
            points.push(match shape {
                Shape::Mixture if k == 0 => 0.7 * noise + if i % 2 == 0 { 1.0 } else { -1.0 },
                Shape::Mixture => 0.7 * noise,
                Shape::Clustered => 0.02 * noise * cluster as f64 + ((cluster * (k + 2)) % 5) as f64,
                Shape::Coincident => ((cluster * (k + 3)) % 4) as f64 * 0.3,
                Shape::Line => along * (1.0 + k as f64) + 0.5,
                Shape::Outlier if i == n / 2 => 1e6,
                Shape::Outlier => noise,
                Shape::Offset => noise + 1e3,
            });
        }
    }
    let cloud = Cloud::new(points, d).expect("finite points");
    match weighting {
        Weighting::Equal => cloud,
        Weighting::Quadrature => {
            let first = cloud.points()[..d].to_vec();
            let square = |row: &[f64]| row.iter().zip(&first).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            let weights = cloud.rows().map(|row| (-5.0 * square(row)).max(-90.0).exp()).collect();
            weighted(cloud, weights)
        }
        Weighting::Wild => {
            let weights = (0..n).map(|_| 10.0_f64.powf(-30.0 * rng.random::<f64>())).collect();
            weighted(cloud, weights)
        }
    }
}

fn weighted(cloud: Cloud, mut weights: Vec<f64>) -> Cloud {
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
    cloud.with_weights(weights).expect("a probability vector")
}
