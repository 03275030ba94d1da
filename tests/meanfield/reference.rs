//! Values computed elsewhere: `tests/reference/meanfield.py`.

use ebflow::Cloud;
use ebflow::drift::Dense;

use super::{denoising, problem};

const TABLE: &str = include_str!("../reference/meanfield.tsv");

/// The reference agrees with itself to this at two spacings; its `W1` integrals are good to about the same.
const DIGITS: f64 = 4e-9;

#[test]
fn mixtures_agree_with_eighty_bit_floats() {
    for row in TABLE.lines() {
        let fields: Vec<&str> = row.split('\t').collect();
        let number = |i: usize| -> f64 { fields[i].parse().unwrap() };
        let problem = problem(fields[0], number(1), number(2));
        let state = &problem.evolve(&[denoising(&problem)], &Dense).unwrap().states[0];
        let close = |what: &str, found: f64, i: usize| {
            assert!((found - number(i)).abs() < DIGITS, "{row}: {what} {found} is not {}", number(i));
        };
        close("mean", state.mean().value[0], 3);
        close("variance", state.covariance().value[(0, 0)], 4);
        close("W1", state.w1_to_prior().unwrap().value, 5);
        let queries = Cloud::new(vec![-1.0, 0.2, 2.0], 1).unwrap();
        for (k, answer) in state.posterior(&queries, &Dense).unwrap().iter().enumerate() {
            close("posterior mean", answer.mean.value[0], 6 + k);
        }
    }
}
