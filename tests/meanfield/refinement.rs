//! Convergence under refinement: the tables are snapshots, the proof is that they converge.

use ebflow::Cloud;
use ebflow::drift::Dense;
use serde_json::{Value, json};

use super::common::{Tolerance, with_tolerance};
use super::{denoising, problem};

const RESOLUTIONS: [f64; 5] = [0.84, 0.6, 0.43, 0.31, 0.22];

/// Values move with rounding and the last digits of the exponential; changes between levels are errors themselves.
const VALUES: Tolerance = Tolerance { relative: 1e-8, absolute: 1e-9 };
const CHANGES: Tolerance = Tolerance { relative: 0.5, absolute: 1e-9 };

/// A law, its noise, `β`, and the digits that refinement must settle.
struct Case {
    name: &'static str,
    law: &'static str,
    noise: f64,
    beta: f64,
    digits: f64,
}

const CASES: [Case; 8] = [
    Case {
        name: "wide",
        law: "{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.5 }",
        noise: 0.5,
        beta: 20.0,
        digits: 1e-6,
    },
    Case {
        name: "wide_asymmetric",
        law: "{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }",
        noise: 0.5,
        beta: 20.0,
        digits: 1e-6,
    },
    Case {
        name: "narrow",
        law: "{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }",
        noise: 0.5,
        beta: 20.0,
        digits: 1e-4,
    },
    Case {
        name: "narrow_asymmetric",
        law: "{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.1 }",
        noise: 0.5,
        beta: 20.0,
        digits: 1e-4,
    },
    Case {
        name: "laplace",
        law: "{ kind = 'laplace', mean = 0, scale = 1 }",
        noise: 0.5,
        beta: 20.0,
        digits: 1e-6,
    },
    Case {
        name: "uniform",
        law: "{ kind = 'uniform', low = -1, high = 1 }",
        noise: 0.5,
        beta: 20.0,
        digits: 1e-6,
    },
    Case {
        name: "atoms",
        law: "{ kind = 'atoms', points = [-1, 1], weights = [0.5, 0.5] }",
        noise: 0.5,
        beta: 20.0,
        digits: 1e-4,
    },
    Case {
        name: "atoms_cold",
        law: "{ kind = 'atoms', points = [-1, 0.2, 1], weights = [0.3, 0.3, 0.4] }",
        noise: 0.1,
        beta: 100.0,
        digits: 1e-4,
    },
];

/// Mean, variance, `W1` to the prior and posterior means at one resolution, and the number of nodes.
fn row(case: &Case, resolution: f64) -> (usize, Vec<f64>) {
    let problem = problem(case.law, case.noise, case.beta);
    let law = problem.at_resolution(resolution, denoising(&problem), &Dense).unwrap();
    let queries = Cloud::new(vec![-1.0, 0.2, 2.0], 1).unwrap();
    let answers = law.posterior(&queries, problem.noise(), &Dense).unwrap();
    let mut values = vec![law.cloud().mean()[0], law.cloud().covariance()[(0, 0)]];
    values.push(law.w1_to(&problem.law().on_line().unwrap()).unwrap());
    values.extend(answers.iter().map(|answer| answer.mean[0]));
    (law.cloud().len(), values)
}

fn largest_change(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn table(case: &Case) -> Value {
    let rows: Vec<(usize, Vec<f64>)> = RESOLUTIONS.iter().map(|&c| row(case, c)).collect();
    let changes: Vec<f64> = rows.windows(2).map(|pair| largest_change(&pair[0].1, &pair[1].1)).collect();
    println!("{}: nodes {:?}, changes {changes:?}", case.name, rows.iter().map(|r| r.0).collect::<Vec<_>>());
    let last = changes[changes.len() - 1];
    assert!(last < case.digits, "{}: still changing by {last:e}", case.name);
    assert!(last < 0.1 * changes[0] || changes[0] < 1e-9, "{}: {changes:?}", case.name);
    let line = |(i, (_, values)): (usize, &(usize, Vec<f64>))| {
        json!({
            "resolution": RESOLUTIONS[i],
            "mean": values[0],
            "variance": values[1],
            "w1_to_prior": values[2],
            "posterior": values[3..],
        })
    };
    json!({ "law": case.law, "levels": rows.iter().enumerate().map(line).collect::<Vec<_>>(), "change": changes })
}

#[test]
fn refinement_settles_the_digits() {
    for case in &CASES {
        let table = table(case);
        with_tolerance(VALUES, &[("change", CHANGES)], || {
            insta::assert_json_snapshot!(case.name, table);
        });
    }
}
