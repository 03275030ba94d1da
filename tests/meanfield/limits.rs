//! Asked for more than `f64` can give, the reference says how far it can go.

use ebflow::drift::Dense;

use super::{denoising, problem};

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
    let text = problem(law, 0.5, 10.0).evolve(&[super::raw(1.0)], &Dense).unwrap_err().to_string();
    assert!(text.contains("more than two dimensions"), "{text}");
}
