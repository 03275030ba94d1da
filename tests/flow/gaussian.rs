//! The mean field of a Gaussian law, where everything is known.
//!
//! `eq:covariance-ode`: `λ̇ = −2λ/(1 + βλ)`, so `λ(t) = W(βλ₀ e^{βλ₀ − 2t})/β` with Lambert's `W`; a layer maps
//! `λ ← λ (1 − η/(1 + βλ))²`.

use ebflow::{Adaptive, Cloud, Layers};

use crate::doubles::{MeanFieldGaussian, cloud, flow};

fn variance(cloud: &Cloud) -> f64 {
    cloud.covariance()[(0, 0)]
}

/// Positions `m ± √λ`: mean `m` and variance `λ`.
fn pair(variance: f64) -> Cloud {
    cloud(&[0.25 - variance.sqrt(), 0.25 + variance.sqrt()], 1)
}

/// A layer is a handful of operations.
const ROUNDOFF: f64 = 1e-14;

#[test]
fn a_layer_maps_the_variance_as_the_recursion_says() {
    for (beta, start) in [(0.1, 2.0), (1.0, 1.0), (20.0, 0.51), (400.0, 1e-3)] {
        for step in [0.01, 0.3, 0.999] {
            let run = flow(beta, step)
                .with_drift(MeanFieldGaussian)
                .with_integrator(Layers::new(1).unwrap())
                .run(&pair(start))
                .unwrap();
            let expected = start * (1.0 - step / (1.0 + beta * start)).powi(2);
            assert!((variance(&run.end) / expected - 1.0).abs() < ROUNDOFF, "{beta} {start} {step}");
        }
    }
}

#[test]
fn many_layers_iterate_the_recursion() {
    let (beta, horizon, count) = (20.0, 5.0, 200);
    let mut expected = 0.51;
    for _ in 0..count {
        expected *= (1.0 - horizon / count as f64 / (1.0 + beta * expected)).powi(2);
    }
    let run = flow(beta, horizon)
        .with_drift(MeanFieldGaussian)
        .with_integrator(Layers::new(count).unwrap())
        .run(&pair(0.51))
        .unwrap();
    assert!((variance(&run.end) / expected - 1.0).abs() < count as f64 * ROUNDOFF);
}

#[test]
fn the_adaptive_flow_follows_lambert() {
    const TOLERANCE: f64 = 1e-11;
    for (beta, start, horizon) in [(1.0, 1.0, 0.7), (20.0, 0.51, 5.0), (20.0, 2.0, 30.0), (0.1, 4.0, 2.0)] {
        let run = flow(beta, horizon)
            .with_drift(MeanFieldGaussian)
            .with_integrator(Adaptive::new(TOLERANCE, TOLERANCE).unwrap())
            .run(&pair(start))
            .unwrap();
        let argument = beta * start * (beta * start - 2.0 * horizon).exp();
        let expected = lambert_w::lambert_w0(argument) / beta;
        let (found, expected) = (variance(&run.end).sqrt(), expected.sqrt());
        assert!((found - expected).abs() < 10.0 * TOLERANCE, "{beta} {start} {horizon}: {found} {expected}");
    }
}
