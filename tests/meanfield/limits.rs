//! Asked for more than `f64` can give, the reference says how far it can go.

use std::time::{Duration, Instant};

use ebflow::Cloud;
use ebflow::drift::Dense;
use ebflow::law::BayesOracle;

use super::{denoising, problem, raw};

/// A case at `βτ = 10` takes a tenth of this on an idle machine.
const WELL_UNDER: Duration = Duration::from_secs(1);

#[test]
fn a_moderate_case_is_quick() {
    let law = "{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }";
    let problem = problem(law, 0.5, 20.0).with_accuracy(1e-9).unwrap();
    let once = || {
        let start = Instant::now();
        problem.evolve(&[denoising(&problem)], &Dense).unwrap().states[0].w1_to_prior().unwrap();
        start.elapsed()
    };
    let fastest = (0..3).map(|_| once()).min().unwrap();
    println!("{fastest:?}");
    assert!(fastest < WELL_UNDER, "{fastest:?}");
}

/// Where there are no nodes, error bars say so: at the start the law is the noisy one, with known posterior means.
#[test]
fn queries_beyond_the_nodes_have_honest_error_bars() {
    for law in [
        "{ kind = 'laplace', mean = 0, scale = 1 }",
        "{ kind = 'gaussian', mean = 0, std = 1 }",
        "{ kind = 'uniform', low = -1, high = 1 }",
    ] {
        let problem = problem(law, 0.1, 10.0);
        let state = &problem.evolve(&[raw(0.0)], &Dense).unwrap().states[0];
        let queries = Cloud::new((0..40).map(|i| 1.25_f64.powi(i) - 1.0).collect(), 1).unwrap();
        let noisy = problem.law().noisy(problem.noise());
        for answer in state.posterior(&queries, &Dense).unwrap() {
            let exact = noisy.posterior_mean(&answer.query, problem.noise()).unwrap()[0];
            let error = (answer.mean.value[0] - exact).abs();
            assert!(answer.mean.error >= 0.1 * error, "{law}: {answer:?}, but {exact}");
        }
    }
}

#[test]
fn a_long_horizon_is_refused_with_a_limit() {
    let problem = problem("{ kind = 'gaussian', mean = 0, std = 1 }", 1.0, 200.0);
    let error = problem.evolve(&[denoising(&problem)], &Dense).unwrap_err();
    assert!(error.is_numerical());
    let text = error.to_string();
    println!("{text}");
    assert!(text.contains("f64 carries this flow to raw time") && text.contains("shorter horizon"), "{text}");
    let limit: f64 = text.split("βτ ≈ ").nth(1).unwrap().split('.').next().unwrap().parse().unwrap();
    assert!((40.0..=110.0).contains(&limit), "{text}");
}

#[test]
fn an_accuracy_beyond_rounding_is_refused() {
    let problem =
        problem("{ kind = 'gaussian', mean = 0, std = 1 }", 0.5, 80.0).with_accuracy(1e-13).unwrap();
    let error = problem.evolve(&[denoising(&problem)], &Dense).unwrap_err();
    assert!(error.is_numerical(), "{error}");
    assert!(problem.with_accuracy(0.0).is_err());
}

/// Without an accuracy asked for, digits are lost one by one, and the error bar says so.
#[test]
fn digits_are_lost_gradually() {
    let errors: Vec<f64> = [10.0, 40.0, 60.0]
        .iter()
        .map(|&beta| {
            let problem = problem("{ kind = 'gaussian', mean = 0, std = 1 }", 1.0, beta);
            problem.evolve(&[denoising(&problem)], &Dense).unwrap().error()
        })
        .collect();
    println!("errors at βτ = 10, 40, 60: {errors:?}");
    assert!(errors[0] < 1e-9 && errors[1] < 1e-8 && errors[2] < 1e-5);
    assert!(errors[0] < errors[1] && errors[1] < errors[2]);
}

#[test]
fn dimensions_without_a_factorisation_are_refused() {
    let law = "{ kind = 'mixture', weights = [0.5, 0.25, 0.25], means = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], std = 0.5 }";
    let text = problem(law, 0.5, 10.0).evolve(&[raw(1.0)], &Dense).unwrap_err().to_string();
    assert!(text.contains("more than two dimensions"), "{text}");
}
