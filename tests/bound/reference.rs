//! Reference solutions by Dormand–Prince 8(5,3) of `ode_solvers`, which shares no code with the crate's integrators.

use std::cell::RefCell;

use ebflow::drift::Dense;
use ebflow::{Beta, Cloud, CloudView, Drift, DriftField, Targets};
use ode_solvers::{DVector, Dop853, OutputType, System};

/// Tolerance of the reference.
pub const REFERENCE: f64 = 1e-13;

struct ParticleFlow<'a> {
    beta: Beta,
    cloud: &'a Cloud,
    field: RefCell<DriftField>,
}

impl System<f64, DVector<f64>> for ParticleFlow<'_> {
    fn system(&self, _: f64, points: &DVector<f64>, derivative: &mut DVector<f64>) {
        let field = &mut *self.field.borrow_mut();
        let sources = CloudView {
            points: points.as_slice(),
            dimension: self.cloud.dimension(),
            weights: self.cloud.weights(),
        };
        Dense.evaluate(sources, Targets::Sources, self.beta, field).unwrap();
        derivative.copy_from_slice(&field.velocity);
    }
}

/// The cloud at a raw time.
pub fn solve(cloud: &Cloud, beta: f64, horizon: f64) -> Cloud {
    let system = ParticleFlow { beta: Beta::new(beta).unwrap(), cloud, field: RefCell::default() };
    let start = DVector::from_column_slice(cloud.points());
    let mut solver = Dop853::new(system, 0.0, horizon, horizon, start, REFERENCE, REFERENCE);
    solver.set_output(OutputType::Sparse);
    solver.integrate().unwrap();
    cloud.moved_to(solver.y_out().last().unwrap().as_slice().to_vec()).unwrap()
}

/// Distances of particles from their partners.
pub fn distances(a: &Cloud, b: &Cloud) -> Vec<f64> {
    let distance =
        |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    a.rows().zip(b.rows()).map(distance).collect()
}
