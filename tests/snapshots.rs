//! Snapshots of whole runs beside their analytic values. They guard against change; the proofs are elsewhere.

mod common;

use common::{Tolerance, with_tolerance};
use ebflow::drift::Dense;
use ebflow::exact::CovarianceFlow;
use ebflow::law::Law;
use ebflow::metric::line::w1_to_law;
use ebflow::{Adaptive, Beta, Flow, Layers, NoiseVariance, Schedule};
use serde_json::{Value, json};

const SEED: u64 = 17;
/// Runs at tolerance 1e-9 repeat to about this on other machines.
const SOLVER: Tolerance = Tolerance { relative: 1e-7, absolute: 1e-9 };

/// A Gaussian sample on the line, followed by the flow and by layers, beside the closed form.
fn gaussian_run(n: usize, beta: f64) -> Value {
    let law = Law::parse("{ kind = 'gaussian', mean = 0.5, std = 1 }").unwrap();
    let (noise, beta) = (NoiseVariance::new(0.25).unwrap(), Beta::new(beta).unwrap());
    let tokens = law.sample_noisy(n, noise, SEED).unwrap().noisy;
    let exact = CovarianceFlow::of_prior(law.mean(), law.covariance(), noise, beta).unwrap();
    let flow = Flow::new(Schedule::constant(beta), noise.denoising_horizon()).unwrap();
    let adaptive = flow.run(&tokens, &Dense, &Adaptive::new(1e-9, 1e-9).unwrap()).unwrap();
    let layers = flow.run(&tokens, &Dense, &Layers::new(200).unwrap()).unwrap();
    let prior = law.on_line().unwrap();
    json!({
        "steps": adaptive.statistics.steps,
        "exact_variance": exact.eigenvalues_at(adaptive.raw_time)[0],
        "variance": adaptive.end.covariance()[(0, 0)],
        "layers_variance": layers.end.covariance()[(0, 0)],
        "w1_to_prior_before": w1_to_law(&tokens, &prior).unwrap(),
        "w1_to_prior_after": w1_to_law(&adaptive.end, &prior).unwrap(),
    })
}

#[test]
fn gaussian_denoising() {
    let runs: Vec<Value> = [(200, 5.0), (400, 20.0)].map(|(n, beta)| gaussian_run(n, beta)).into();
    with_tolerance(SOLVER, &[], || insta::assert_json_snapshot!(runs));
}
