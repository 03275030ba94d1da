//! Values computed elsewhere: `tests/reference/meanfield.py`.

use ebflow::Cloud;
use ebflow::drift::Dense;

use super::{denoising, problem};

const TABLE: &str = include_str!("../reference/meanfield.tsv");

/// The table agrees with itself to `3e-12` on two sets of panels; the rest is the accuracy that is asked for by default.
const DIGITS: f64 = 1e-10;

#[test]
fn laws_agree_with_values_computed_elsewhere() {
    assert_eq!(TABLE.lines().count(), 10);
    for row in TABLE.lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let number = |i: usize| -> f64 { fields[i].parse().unwrap() };
        let problem = problem(fields[0], number(1), number(2));
        let state = &problem.evolve(&[denoising(&problem)], &Dense).unwrap().states[0];
        let close = |what: &str, found: f64, i: usize| {
            assert!((found - number(i)).abs() < DIGITS, "{row}: {what} {found} is not {}", number(i));
        };
        close("mean", state.mean()[0].value, 3);
        close("variance", state.covariance()[(0, 0)].value, 4);
        close("W1", state.w1_to_prior().unwrap().value, 5);
        let queries = Cloud::new(vec![-1.0, 0.2, 2.0], 1).unwrap();
        for (k, answer) in state.posterior(&queries, &Dense).unwrap().iter().enumerate() {
            close("posterior mean", answer.mean[0].value, 6 + k);
        }
    }
}
