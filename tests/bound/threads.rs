//! The error bar does not depend on the number of threads, to the bit.

use ebflow::drift::{Blocks, Dense, GaussTransform, Tolerance};
use ebflow::flow::{Flow, Integrator};
use ebflow::{Adaptive, Beta, Drift, Layers, RawTime};

use crate::problems::{Problem, Shape};

#[test]
fn threads_change_nothing() {
    let problem = Problem {
        shape: Shape::Mixture,
        dimension: 2,
        particles: 300,
        beta: 10.0,
        noise: 0.2,
        tolerance: 1e-6,
        seed: 8,
    };
    let cloud = problem.cloud();
    let flow = Flow::new(Beta::new(10.0).unwrap(), RawTime::new(1.0).unwrap());
    let flow = flow.with_error_bound();
    let blocks = Blocks { tolerance: Tolerance::new(1e-9).unwrap() };
    let gauss = GaussTransform { tolerance: Tolerance::new(1e-9).unwrap() };
    let drifts: [&dyn Drift; 3] = [&Dense, &blocks, &gauss];
    let integrators: [&dyn Integrator; 2] = [&Adaptive::new(1e-6, 1e-6).unwrap(), &Layers::new(20).unwrap()];
    for drift in drifts {
        for integrator in integrators {
            let bar = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    flow.clone().with_drift(drift).with_integrator(integrator).run(&cloud).unwrap().error
                })
            };
            let one = bar(1);
            assert!(one.bound.is_some());
            assert!([2, 3, 7].into_iter().all(|threads| bar(threads) == one));
        }
    }
}
