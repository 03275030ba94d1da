//! Random problems: clouds, temperatures, horizons and tolerances from a seed.

use ebflow::Cloud;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// What a cloud is drawn from.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Gaussian,
    Mixture,
    Clusters,
}

/// One problem; `beta * noise` is twice the horizon in raw time.
#[derive(Debug, Clone, Copy)]
pub struct Problem {
    pub shape: Shape,
    pub dimension: usize,
    pub particles: usize,
    pub beta: f64,
    pub noise: f64,
    pub tolerance: f64,
    pub seed: u64,
}

impl Problem {
    /// The problem with a number: shapes, dimensions and tolerances in turn, the rest at random.
    pub fn numbered(number: usize) -> Self {
        let mut rng = Pcg64::seed_from_u64(number as u64);
        let shapes = [Shape::Gaussian, Shape::Mixture, Shape::Clusters];
        let beta = 2.0 * 50f64.powf(rng.random());
        let depth = 20.0 * rng.random::<f64>();
        Self {
            shape: shapes[number % 3],
            dimension: 1 + number / 3 % 3,
            particles: (50.0 * 10f64.powf(rng.random())) as usize,
            beta,
            noise: depth / beta,
            tolerance: 10f64.powf(-4.0 - 6.0 * rng.random::<f64>()),
            seed: rng.random(),
        }
    }

    pub fn horizon(&self) -> f64 {
        self.beta * self.noise / 2.0
    }

    pub fn cloud(&self) -> Cloud {
        let mut rng = Pcg64::seed_from_u64(self.seed);
        let centres: Vec<f64> = (0..4 * self.dimension).map(|_| StandardNormal.sample(&mut rng)).collect();
        let mut points = Vec::new();
        for i in 0..self.particles {
            for c in 0..self.dimension {
                let (x, noise): (f64, f64) =
                    (StandardNormal.sample(&mut rng), StandardNormal.sample(&mut rng));
                let clean = match self.shape {
                    Shape::Gaussian => x,
                    Shape::Mixture => 0.1 * x + if c > 0 { 0.0 } else { [-1.0, 1.0][i % 2] },
                    Shape::Clusters => 0.02 * x + centres[i % 4 * self.dimension + c],
                };
                points.push(clean + self.noise.sqrt() * noise);
            }
        }
        Cloud::new(points, self.dimension).unwrap()
    }
}
