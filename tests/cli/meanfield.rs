//! `ebflow meanfield`: values with their error bars, and the limits of `f64`.

use super::bench_of_files::{Workbench, number};

const NORMAL: &str = r#"'{ kind = "gaussian", mean = 0.3, std = 1 }'"#;
const MIXTURE: &str = r#"'{ kind = "mixture", weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }'"#;
const PLANE: &str = r#"'{ kind = "mixture", weights = [0.3, 0.7], means = [[-1, 2], [1, 2]], std = 0.5 }'"#;

/// `tests/reference/meanfield.py`: the mixture at `τ = 0.5`, `β = 20`.
const MEAN: f64 = 0.4022392123172708;
const VARIANCE: f64 = 1.1253703548597505;
const W1: f64 = 0.04181966969689556;
const POSTERIOR_AT_TWO: f64 = 1.3705297015829343;

/// What the table and the default accuracy leave.
const ACCURACY: f64 = 1e-9;

#[test]
fn a_gaussian_agrees_with_its_closed_form() {
    let bench = Workbench::new();
    let options = format!("--law {NORMAL} --noise-var 0.5 --beta 20 --denoising");
    let result = bench.json(&format!("meanfield {options} --query -2,0.3"));
    let exact = bench.json(&format!("exact covariance {options}"));
    let variance = number(&exact, "/covariance/0/0");
    let estimate = number(&result, "/error_estimate");
    assert!(estimate > 0.0 && estimate < ACCURACY);
    assert_eq!(number(&result, "/raw_time"), 5.0);
    assert!((number(&result, "/mean") - 0.3).abs() <= estimate);
    assert!((number(&result, "/variance") - variance).abs() <= estimate);
    let m = 0.3 - 2.3 * variance / (variance + 0.5);
    assert_eq!(number(&result, "/posterior/0/y"), -2.0);
    assert!((number(&result, "/posterior/0/m") - m).abs() <= estimate);
    assert!((number(&result, "/posterior/0/m_prior") - (0.3 - 2.3 / 1.5)).abs() < 1e-14);
    assert!(number(&result, "/nodes") > 50.0);
}

#[test]
fn a_mixture_agrees_with_values_computed_elsewhere() {
    let bench = Workbench::new();
    let line =
        format!("meanfield --law {MIXTURE} --noise-var 0.5 --beta 20 --score-time 0.25 --query 2 --energy");
    let result = bench.json(&line);
    for (pointer, exact) in
        [("/mean", MEAN), ("/variance", VARIANCE), ("/w1_to_prior", W1), ("/posterior/0/m", POSTERIOR_AT_TWO)]
    {
        assert!((number(&result, pointer) - exact).abs() < ACCURACY, "{pointer} of {result}");
    }
    assert!(number(&result, "/posterior/0/energy") > 0.0);
    let text = String::from_utf8(bench.run(&line).stdout).unwrap();
    for words in ["1.1253703", "0.0418196", "W1 to the prior", "Bayes", "energy", "nodes"] {
        assert!(text.contains(words), "no '{words}' in\n{text}");
    }
}

/// Means on a line: the other coordinate is Gaussian, and so is its posterior mean.
#[test]
fn in_the_plane_coordinates_are_lists_and_there_is_no_distance() {
    let bench = Workbench::new();
    let line = format!("meanfield --law {PLANE} --noise-var 0.5 --beta 20 --raw-time 5 --query 2,2,-1,0");
    let result = bench.json(&line);
    assert!((number(&result, "/mean/0") - MEAN).abs() < ACCURACY);
    assert!((number(&result, "/mean/1") - 2.0).abs() < ACCURACY);
    assert!((number(&result, "/variance/0") - VARIANCE).abs() < ACCURACY);
    assert!((number(&result, "/posterior/0/m/0") - POSTERIOR_AT_TWO).abs() < ACCURACY);
    assert!((number(&result, "/posterior/0/m/1") - 2.0).abs() < ACCURACY);
    assert_eq!(result["posterior"][1]["y"], serde_json::json!([-1.0, 0.0]));
    assert!(result["w1_to_prior"].is_null());
    assert!(result["w1_to_prior_missing"].as_str().unwrap().contains("line"));
    let text = String::from_utf8(bench.run(&line).stdout).unwrap();
    assert!(text.contains("W1 to the prior") && text.contains("line"), "{text}");
}

#[test]
fn truncation_to_a_ball_is_seen() {
    let bench = Workbench::new();
    let options = format!("meanfield --law {NORMAL} --noise-var 0.5 --beta 20 --raw-time 0");
    let (whole, ball) = (bench.json(&options), bench.json(&format!("{options} --radius 1")));
    assert!((number(&whole, "/variance") - 1.5).abs() < 1e-12);
    assert!(number(&ball, "/variance") < 1.0 / 3.0);
    let wide = bench.json(&format!("{options} --radius 30"));
    assert!((number(&wide, "/variance") - 1.5).abs() < 1e-12);
}

#[test]
fn accuracy_is_paid_in_nodes() {
    let bench = Workbench::new();
    let options = format!("meanfield --law {MIXTURE} --noise-var 0.5 --beta 20 --denoising");
    let rough = bench.json(&format!("{options} --accuracy 1e-4"));
    let fine = bench.json(&format!("{options} --accuracy 1e-11"));
    assert!(number(&rough, "/nodes") < number(&fine, "/nodes"));
    assert!(number(&fine, "/errors/law") < 2e-11 && number(&rough, "/errors/law") < 2e-4);
}

#[test]
fn more_than_f64_can_give_fails_and_says_how_far_it_can_go() {
    let bench = Workbench::new();
    let output = bench.run(&format!("meanfield --law {NORMAL} --noise-var 1 --beta 200 --denoising"));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(output.stdout.is_empty());
    for words in ["f64 carries this flow to raw time", "βτ ≈", "shorter horizon"] {
        assert!(message.contains(words), "no '{words}' in\n{message}");
    }
}

/// What is wrong with a line, after law, noise and `β`, and words that its message must contain.
const BAD: &[(&str, &str, &[&str])] = &[
    (NORMAL, "--noise-var 0.5 --beta 20", &["--raw-time", "--score-time", "--denoising"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --raw-time 1 --denoising", &["cannot be used with"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --raw-time -1", &["raw time", "-1"]),
    (NORMAL, "--noise-var 0 --beta 20 --denoising", &["noise variance", "positive"]),
    (NORMAL, "--noise-var 0.5 --beta 0 --denoising", &["β", "positive"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --denoising --radius -1", &["radius", "-1"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --denoising --accuracy 0", &["accuracy", "positive"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --denoising --accuracy 1e-300", &["at least 1e-13", "it is 1e-300"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --denoising --query x", &["--query"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --denoising --query 1,nan", &["queries", "NaN"]),
    (NORMAL, "--noise-var 0.5 --beta 20 --denoising --energy", &["--query"]),
    (PLANE, "--noise-var 0.5 --beta 20 --denoising --query 1,2,3", &["queries", "2"]),
    ("'{ kind = \"gauss\" }'", "--noise-var 0.5 --beta 20 --denoising", &["gaussian", "mixture"]),
    (
        "'{ kind = \"mixture\", weights = [0.5, 0.5], means = [[0, 0, 0], [1, 0, 0]], covs = [[[1,0,0],[0,1,0],[0,0,1]], [[2,0,0],[0,2,0],[0,0,2]]] }'",
        "--noise-var 0.5 --beta 2 --raw-time 1",
        &["more than two dimensions"],
    ),
    (
        "'{ kind = \"gaussian\", mean = 50, std = 0.1 }'",
        "--noise-var 0.5 --beta 20 --denoising --radius 1",
        &["radius", "increase R"],
    ),
];

#[test]
fn bad_input_is_refused_with_the_remedy() {
    let bench = Workbench::new();
    for (law, options, expected) in BAD {
        let output = bench.run(&format!("meanfield --law {law} {options}"));
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{law} {options}\n{message}");
        for words in *expected {
            assert!(message.contains(words), "{law} {options}: no '{words}' in\n{message}");
        }
        assert!(output.stdout.is_empty(), "{options}");
    }
}

/// For a Gaussian the closest time is T*, at which the law is the prior: `βτ/2 + ln(1 + τ)/2` in the raw clock for a prior of variance one.
#[test]
fn the_closest_time_is_that_of_the_closed_form() {
    let bench = Workbench::new();
    let line = format!("meanfield --law {NORMAL} --noise-var 0.5 --beta 10 --closest");
    let json = bench.json(&format!("{line} --raw-time 4"));
    let at = |key: &str| number(&json, &format!("/closest/{key}"));
    let exact = 10.0 * 0.25 + 0.5 * 1.5_f64.ln();
    assert!((at("raw_time") - exact).abs() <= at("raw_time_error"), "{json} {exact}");
    assert!((at("score_time") - exact / 10.0).abs() <= at("score_time_error"), "{json}");
    assert!(at("raw_time_error") < 1e-3 && at("w1") <= at("w1_error") && at("w1_error") < 1e-6, "{json}");
    let early = bench.run(&format!("{line} --raw-time 2"));
    assert_eq!(early.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&early.stderr).contains("it still comes closer there"));
}
