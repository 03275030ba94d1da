//! Random flows, most of them unkind: ties, saddles, isolated particles, weights over many decades, clouds far from the origin.
//!
//! Their reference shares no code with the crate: a plain double loop for the drift, and Dormand–Prince 8(5,3) of `ode_solvers`.

use ebflow::drift::{Named, Tolerance};
use ebflow::flow::Integrator;
use ebflow::{Adaptive, Cloud, Drift, Layers};
use ode_solvers::{DVector, Dop853, OutputType, System};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// Tolerance of the reference, relative to the cloud and per step.
const REFERENCE: f64 = 1e-14;

const MOST_PARTICLES: f64 = 300.0;

/// What a cloud looks like.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Gaussian,
    Clusters,
    /// Coordinates on a coarse grid: many particles coincide.
    Ties,
    /// Two clusters that mirror each other, and particles about half-way between them.
    Saddle,
    /// A few particles far from all others.
    Outliers,
    /// So sparse that nearly every particle is alone.
    Sparse,
}

const SHAPES: [Shape; 6] =
    [Shape::Gaussian, Shape::Clusters, Shape::Ties, Shape::Saddle, Shape::Outliers, Shape::Sparse];

/// Random numbers of one problem.
struct Dice(Pcg64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0.random()
    }

    fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Uniform in its logarithm.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.0.random_range(0..count) == 0
    }
}

/// One flow and how it is to be followed.
#[derive(Debug, Clone)]
pub struct Problem {
    shape: Shape,
    /// Where the cloud is when it is about the origin.
    centred: Vec<f64>,
    weights: Option<Vec<f64>>,
    pub dimension: usize,
    pub offset: Vec<f64>,
    pub beta: f64,
    pub horizon: f64,
    pub tolerance: f64,
    pub absolute: f64,
    pub layers: Option<usize>,
    pub drift: Named,
}

impl Problem {
    /// The problem with a number.
    pub fn numbered(seed: u64, number: u64) -> Self {
        let mut dice = Dice(Pcg64::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(number)));
        let shape = SHAPES[number as usize % SHAPES.len()];
        let dimension = 1 + (number as usize / SHAPES.len()) % 4;
        let particles = dice.between(1.0, MOST_PARTICLES + 1.0) as usize;
        let beta = dice.between(0.3, 300.0);
        let size = dice.between(0.3, if matches!(shape, Shape::Sparse) { 100.0 } else { 10.0 }) / beta.sqrt();
        let offset = if dice.one_in(3) { dice.between(1.0, 1e8) } else { 0.0 };
        let offset: Vec<f64> = (0..dimension).map(|_| (offset * dice.normal()).clamp(-1e8, 1e8)).collect();
        let mut centred: Vec<f64> = (0..particles * dimension).map(|_| size * dice.normal()).collect();
        arrange(shape, &mut centred, (dimension, size), &mut dice);
        // Positions that the offset leaves representable, so that subtracting it again is exact.
        for (i, z) in centred.iter_mut().enumerate() {
            let o = offset[i % dimension];
            if o != 0.0 {
                *z = (*z + o) - o;
            }
        }
        let weights = if dice.one_in(2) { Some(weights(particles, &mut dice)) } else { None };
        let horizon = dice.between(0.1, 15.0) / 2.0;
        let tolerance = dice.between(1e-10, 1e-2);
        let absolute = if dice.one_in(2) { tolerance } else { tolerance * size };
        let layers = dice.one_in(4).then(|| 1 + (horizon * dice.between(2.0, 50.0)) as usize);
        let able: Vec<Named> = Named::ALL
            .into_iter()
            .filter(|named| named.most_dimensions().is_none_or(|most| dimension <= most))
            .collect();
        let drift = able[dice.0.random_range(0..able.len())];
        Self { shape, centred, weights, dimension, offset, beta, horizon, tolerance, absolute, layers, drift }
    }

    pub fn cloud(&self) -> Cloud {
        let shifted = |(i, z): (usize, &f64)| z + self.offset[i % self.dimension];
        let points = self.centred.iter().enumerate().map(shifted).collect();
        let cloud = Cloud::new(points, self.dimension).unwrap();
        match &self.weights {
            Some(weights) => cloud.with_weights(weights.clone()).unwrap(),
            None => cloud,
        }
    }

    pub fn integrator(&self) -> Box<dyn Integrator> {
        match self.layers {
            Some(count) => Box::new(Layers::new(count).unwrap()),
            None => Box::new(Adaptive::new(self.tolerance, self.absolute).unwrap()),
        }
    }

    pub fn drift(&self) -> Box<dyn Drift> {
        self.drift.drift(Tolerance::default())
    }

    /// Where the flow takes the particles, about the origin; none where the reference cannot be as accurate as it is asked to be.
    pub fn exact(&self) -> Option<Vec<f64>> {
        self.solved_to(REFERENCE)
    }

    /// The same, and how far it may be off: what a tolerance ten times as large changes, and some roundings of the largest coordinate.
    #[allow(dead_code)] // bounds are judged by it, estimates are not
    pub fn exact_and_known(&self) -> Option<(Vec<f64>, f64)> {
        let (exact, other) = (self.exact()?, self.solved_to(10.0 * REFERENCE)?);
        let apart = exact.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let reach = self.centred.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
        let dimensions = (self.dimension as f64).sqrt();
        Some((exact, dimensions * (apart + 16.0 * f64::EPSILON * reach)))
    }

    fn solved_to(&self, tolerance: f64) -> Option<Vec<f64>> {
        let plain = Plain { dimension: self.dimension, beta: self.beta, weights: self.weights.clone() };
        let start = DVector::from_column_slice(&self.centred);
        let size = self.centred.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
        let width = self.beta.powf(-0.5).min(size.max(f64::MIN_POSITIVE));
        let mut solver =
            Dop853::new(plain, 0.0, self.horizon, self.horizon, start, tolerance, tolerance * width);
        solver.set_output(OutputType::Sparse);
        solver.integrate().ok()?;
        Some(solver.y_out().last()?.as_slice().to_vec())
    }

    /// Distances of particles from where the flow takes them.
    pub fn errors(&self, end: &Cloud, exact: &[f64]) -> Vec<f64> {
        let row = |(i, z): (usize, &[f64])| {
            let apart =
                z.iter().enumerate().map(|(c, z)| (z - self.offset[c]) - exact[i * self.dimension + c]);
            apart.map(|x| x * x).sum::<f64>().sqrt()
        };
        end.rows().enumerate().map(row).collect()
    }

    pub fn summary(&self) -> String {
        format!(
            "{:?} n {} d {} β {:.2} βτ {:.2} rtol {:.0e} atol {:.0e} {:?} {} weights {} offset {:.0e}",
            self.shape,
            self.centred.len() / self.dimension,
            self.dimension,
            self.beta,
            2.0 * self.horizon,
            self.tolerance,
            self.absolute,
            self.layers,
            self.drift.name(),
            self.weights.as_ref().map_or(1.0, |w| w.iter().copied().fold(1.0, f64::min)),
            self.offset.iter().fold(0.0_f64, |m, o| m.max(o.abs())),
        )
    }
}

/// Gives normally distributed points their shape.
fn arrange(shape: Shape, points: &mut [f64], (dimension, size): (usize, f64), dice: &mut Dice) {
    match shape {
        Shape::Gaussian | Shape::Sparse => {}
        Shape::Clusters => {
            let centres: Vec<f64> = (0..4 * dimension).map(|_| size * dice.normal()).collect();
            let spread = dice.between(1e-3, 0.5);
            for (i, z) in points.iter_mut().enumerate() {
                *z = centres[i % centres.len()] + spread * *z;
            }
        }
        Shape::Ties => points.iter_mut().for_each(|z| *z = (*z / size).round() * size),
        Shape::Saddle => {
            let (spread, near) = (dice.between(1e-3, 0.3), dice.between(1e-14, 1e-1));
            for (i, row) in points.chunks_exact_mut(dimension).enumerate() {
                let factor = if i % 3 == 2 { near } else { spread };
                row.iter_mut().for_each(|z| *z *= factor);
                row[0] += size * [1.0, -1.0, 0.0][i % 3];
            }
        }
        Shape::Outliers => {
            let far = dice.between(3.0, 1e5) * size;
            let direction: Vec<f64> = (0..dimension).map(|_| dice.normal()).collect();
            for row in points.chunks_exact_mut(dimension).step_by(7) {
                row.iter_mut().zip(&direction).for_each(|(z, u)| *z += far * u);
            }
        }
    }
}

/// Weights over some decades that sum to one.
fn weights(particles: usize, dice: &mut Dice) -> Vec<f64> {
    let least = dice.between(1e-20, 0.5);
    let raw: Vec<f64> = (0..particles).map(|_| dice.between(least, 1.0)).collect();
    let total: f64 = raw.iter().sum();
    raw.iter().map(|w| w / total).collect()
}

/// The flow by a plain double loop.
struct Plain {
    dimension: usize,
    beta: f64,
    weights: Option<Vec<f64>>,
}

impl System<f64, DVector<f64>> for Plain {
    fn system(&self, _: f64, points: &DVector<f64>, derivative: &mut DVector<f64>) {
        let d = self.dimension;
        let (points, derivative) = (points.as_slice(), derivative.as_mut_slice());
        for (z, v) in points.chunks_exact(d).zip(derivative.chunks_exact_mut(d)) {
            let mut mass = 0.0;
            v.fill(0.0);
            for (k, y) in points.chunks_exact(d).enumerate() {
                let square: f64 = z.iter().zip(y).map(|(z, y)| (y - z) * (y - z)).sum();
                let weight = self.weights.as_ref().map_or(1.0, |w| w[k]) * (-self.beta / 2.0 * square).exp();
                mass += weight;
                v.iter_mut().zip(z).zip(y).for_each(|((v, z), y)| *v += weight * (y - z));
            }
            v.iter_mut().for_each(|v| *v /= mass);
        }
    }
}
