//! The cloud that all benches use.

use ebflow::Cloud;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_pcg::Pcg64Mcg;

const SEED: u64 = 20;

/// Points around (±1, 0, …) with noise of variance ½ per coordinate, the noisy law of the figures.
pub fn mixture(n: usize, d: usize) -> Cloud {
    let mut rng = Pcg64Mcg::seed_from_u64(SEED);
    let noise = 0.5_f64.sqrt();
    let points = (0..n * d)
        .map(|at| {
            let centre = if at % d > 0 {
                0.0
            } else if rng.random::<bool>() {
                1.0
            } else {
                -1.0
            };
            centre + noise * rng.sample::<f64, _>(StandardNormal)
        })
        .collect();
    Cloud::new(points, d).expect("finite points")
}
