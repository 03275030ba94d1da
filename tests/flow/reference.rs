//! Reference solutions that share no integrator with the crate: Dormand–Prince 8(5,3) of `ode_solvers`, and a classical
//! fixed-step Runge–Kutta rule to check that one by.

use std::cell::RefCell;

use ebflow::drift::Dense;
use ebflow::{Beta, Cloud, CloudView, Drift, DriftField, Targets};
use ode_solvers::{DVector, Dop853, OutputType, System};

use crate::doubles::{max_distance, noisy_mixture};

/// Tolerance of the reference: three digits below the tightest tolerance that it judges, with two to spare because
/// its error norm is a mean over the particles.
const REFERENCE: f64 = 1e-13;

/// `dz/dt = v_β(z)`.
struct ParticleFlow {
    beta: Beta,
    dimension: usize,
    field: RefCell<DriftField>,
}

impl ParticleFlow {
    fn new(beta: f64, cloud: &Cloud) -> Self {
        Self { beta: Beta::new(beta).unwrap(), dimension: cloud.dimension(), field: RefCell::default() }
    }

    fn velocity(&self, points: &[f64]) -> Vec<f64> {
        let field = &mut *self.field.borrow_mut();
        let sources = CloudView { points, dimension: self.dimension, weights: None };
        Dense.evaluate(sources, Targets::Sources, self.beta, field).unwrap();
        field.velocity.clone()
    }
}

impl System<f64, DVector<f64>> for ParticleFlow {
    fn system(&self, _: f64, points: &DVector<f64>, derivative: &mut DVector<f64>) {
        derivative.copy_from_slice(&self.velocity(points.as_slice()));
    }
}

/// The cloud at increasing raw times, for equal weights and `η = 1`.
pub fn solve(cloud: &Cloud, beta: f64, times: &[f64]) -> Vec<Cloud> {
    let (mut time, mut points) = (0.0, DVector::from_column_slice(cloud.points()));
    let mut clouds = Vec::new();
    for &next in times {
        let system = ParticleFlow::new(beta, cloud);
        let mut solver = Dop853::new(system, time, next, next - time, points, REFERENCE, REFERENCE);
        solver.set_output(OutputType::Sparse);
        solver.integrate().unwrap();
        (time, points) = (next, solver.y_out().last().unwrap().clone());
        clouds.push(cloud.moved_to(points.as_slice().to_vec()).unwrap());
    }
    clouds
}

/// The classical fourth-order rule with equal steps.
fn runge_kutta(cloud: &Cloud, beta: f64, horizon: f64, steps: usize) -> Cloud {
    let system = ParticleFlow::new(beta, cloud);
    let h = horizon / steps as f64;
    let ahead =
        |z: &[f64], h: f64, v: &[f64]| -> Vec<f64> { z.iter().zip(v).map(|(z, v)| z + h * v).collect() };
    let mut z = cloud.points().to_vec();
    for _ in 0..steps {
        let a = system.velocity(&z);
        let b = system.velocity(&ahead(&z, h / 2.0, &a));
        let c = system.velocity(&ahead(&z, h / 2.0, &b));
        let d = system.velocity(&ahead(&z, h, &c));
        for i in 0..z.len() {
            z[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
        }
    }
    cloud.moved_to(z).unwrap()
}

#[test]
fn the_two_references_agree() {
    const SEED: u64 = 41;
    let cloud = noisy_mixture(60, SEED);
    let expected = &solve(&cloud, 20.0, &[5.0])[0];
    let coarse = max_distance(&runge_kutta(&cloud, 20.0, 5.0, 300), expected);
    let fine = max_distance(&runge_kutta(&cloud, 20.0, 5.0, 600), expected);
    assert!(fine < 1e-10, "{fine}");
    assert!((coarse / fine).log2() > 3.5, "fourth order: {coarse} → {fine}");
}
