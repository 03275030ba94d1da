//! The bound at the size that matters: 5000 particles in the plane, `β = 20`, `τ = 1/2`.

use ebflow::drift::Dense;
use ebflow::flow::Flow;
use ebflow::{Adaptive, Beta, NoiseVariance};

use crate::problems::{Problem, Shape};

/// The bound in `W1` that is asked for.
const ASKED: f64 = 1e-4;

#[test]
fn five_thousand_particles_are_bounded_far_below_what_is_asked() {
    let problem = Problem {
        shape: Shape::Mixture,
        dimension: 2,
        particles: 5000,
        beta: 20.0,
        noise: 0.5,
        tolerance: 1e-6,
        seed: 1,
    };
    let horizon = NoiseVariance::new(problem.noise).unwrap().denoising_horizon();
    let flow = Flow::new(Beta::new(problem.beta).unwrap(), horizon).with_error_bound();
    let run = flow
        .with_drift(Dense)
        .with_integrator(Adaptive::new(problem.tolerance, problem.tolerance).unwrap())
        .run(&problem.cloud())
        .unwrap();
    let bound = run.error.bound.unwrap();
    println!("{:?} max {:e} W1 {:e} {:?}", run.statistics, bound.max, bound.w1, bound.budget);
    assert!(bound.w1 <= 0.1 * ASKED, "{:e}", bound.w1);
}
