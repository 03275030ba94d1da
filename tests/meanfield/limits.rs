//! Asked for more than `f64` can give, the reference says how far it can go.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ebflow::cloud::CloudView;
use ebflow::drift::{Dense, Drift, DriftField, Targets};
use ebflow::law::BayesOracle;
use ebflow::{Beta, Cloud, Result};

use super::{denoising, problem, raw};

/// Ordered pairs of nodes that a case at `βτ = 10` may cost: a twentieth of a second at the rate of the kernel sums, 2e9 a second.
const QUICK: u64 = 100_000_000;

/// Counts the pairs that it sums over: cost that does not depend on what else the machine does.
#[derive(Default)]
struct Counting {
    pairs: AtomicU64,
}

impl Drift for Counting {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, beta, field)?;
        self.pairs.fetch_add(field.pairs, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn a_moderate_case_is_quick() {
    let law = "{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }";
    let problem = problem(law, 0.5, 20.0).with_accuracy(1e-9).unwrap();
    let (drift, start) = (Counting::default(), Instant::now());
    problem.evolve(&[denoising(&problem)], &drift).unwrap();
    let pairs = drift.pairs.into_inner();
    println!("{pairs} pairs in {:?}", start.elapsed());
    assert!(pairs < QUICK, "{pairs} pairs");
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
            let error = (answer.mean[0].value - exact).abs();
            assert!(answer.mean[0].numerical >= 0.1 * error, "{law}: {answer:?}, but {exact}");
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
