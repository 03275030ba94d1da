//! The verbs doing their job.

use super::bench_of_files::{Workbench, number};

const MIXTURE: &str = r#"'{ kind = "mixture", weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }'"#;

#[test]
fn hitting_time_is_printed_to_full_precision_in_both_clocks() {
    let bench = Workbench::new();
    let result = bench.json("exact hitting-time --noise-var 0.25 --prior-var 1 --beta 20");
    let exact = 0.125 + 1.25_f64.ln() / 40.0;
    assert_eq!(number(&result, "/score_time"), exact);
    assert_eq!(number(&result, "/raw_time"), exact * 20.0);
    assert_eq!(result["infinite"], false);
    let text =
        String::from_utf8(bench.run("exact hitting-time --noise-var 0.25 --prior-var 1 --beta 20").stdout);
    assert!(text.unwrap().contains(&exact.to_string()));
}

#[test]
fn a_dirac_prior_takes_for_ever_and_json_says_so() {
    let bench = Workbench::new();
    let result = bench.json("exact hitting-time --noise-var 0.25 --prior-var 0 --beta 20");
    assert!(result["score_time"].is_null() && result["raw_time"].is_null());
    assert_eq!(result["infinite"], true);
    let kernel_width =
        bench.json("exact hitting-time --noise-var 0.25 --prior-var 0 --beta 20 --target 0.05");
    assert!(number(&kernel_width, "/score_time") > 0.0);
}

/// `W(βτ)/β` with `mpmath` at 60 digits: the root of `λ + ln(λ)/β = ln(τ)/β`.
#[test]
fn the_horizon_of_a_dirac_prior_keeps_its_digits_at_any_temperature() {
    let bench = Workbench::new();
    let law = r#"'{ kind = "gaussian", mean = 0, cov = 0 }'"#;
    for (beta, exact) in
        [("1e8", 1.5333937303602976e-7), ("1e16", 3.2988526718159833e-15), ("1e300", 6.838910543266386e-298)]
    {
        let line = format!("exact covariance --law {law} --noise-var 0.7 --beta {beta} --denoising");
        let result = bench.json(&line);
        assert!((number(&result, "/eigenvalues/0") / exact - 1.0).abs() < 1e-13, "{result}");
        assert_eq!(number(&result, "/score_time"), 0.35);
    }
}

#[test]
fn covariance_flow_is_printed_with_its_eigenvalues() {
    let bench = Workbench::new();
    let law = r#"'{ kind = "gaussian", mean = [1, -2], cov = [[1, 1], [1, 1]] }'"#;
    let result = bench.json(&format!("exact covariance --law {law} --noise-var 0.5 --beta 20 --denoising"));
    assert_eq!(number(&result, "/raw_time"), 5.0);
    assert_eq!(number(&result, "/score_time"), 0.25);
    assert_eq!(number(&result, "/mean/1"), -2.0);
    // The implicit equation λ + ln(λ)/β = s + ln(s + τ)/β at the horizon, for s = 2 and s = 0.
    for (index, s) in [(0, 2.0_f64), (1, 0.0)] {
        let l = number(&result, &format!("/eigenvalues/{index}"));
        let residual = l + l.ln() / 20.0 - s - (s + 0.5).ln() / 20.0;
        assert!(residual.abs() < 1e-14, "{residual}");
    }
}

#[test]
fn a_sampled_mixture_is_denoised_almost_as_well_as_by_bayes() {
    let bench = Workbench::new();
    bench.json(&format!(
        "sample {MIXTURE} --n 2000 --noise-var 0.5 --seed 1 --out noisy.npy --clean clean.npy"
    ));
    let result = bench.json(&format!(
        "denoise noisy.npy --noise-var 0.5 --beta 20 --out est.npy --particles z.npy --law {MIXTURE} --clean clean.npy"
    ));
    assert_eq!(bench.files(), ["clean.npy", "est.npy", "noisy.npy", "z.npy"]);
    assert_eq!(result["n"], 2000);
    assert_eq!(result["d"], 2);
    assert_eq!(result["kept"], 2000);
    assert_eq!(number(&result, "/raw_time"), 5.0);
    assert!(number(&result, "/error/estimate") < 1e-6);
    let mse = |name: &str| {
        let scores = result["estimators"].as_array().unwrap();
        number(scores.iter().find(|s| s["estimator"] == name).unwrap(), "/mse_to_clean")
    };
    // E|noise|² = dτ = 1, with a standard error of dτ√(2/d)/√N = 0.022; nothing beats Bayes, and depth helps.
    assert!((mse("noisy tokens") - 1.0).abs() < 0.1);
    let order = ["Bayes", "two stages", "one-shot", "noisy tokens"].map(mse);
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn denoising_is_flow_then_posterior() {
    let bench = Workbench::new();
    bench.json(&format!("sample {MIXTURE} --n 300 --noise-var 0.5 --seed 3 --out noisy.npy"));
    bench.json("denoise noisy.npy --noise-var 0.5 --beta 20 --out whole.npy --particles z.npy");
    bench.json("flow noisy.npy --beta 20 --noise-var 0.5 --out z2.npy");
    bench.json("posterior z2.npy noisy.npy --noise-var 0.5 --out parts.npy --energy e.npy");
    assert_eq!(bench.read("z.npy"), bench.read("z2.npy"));
    assert_eq!(bench.read("whole.npy"), bench.read("parts.npy"));
    assert_eq!(bench.read("e.npy").len(), 300);
}

#[test]
fn the_two_clocks_name_the_same_flow() {
    let bench = Workbench::new();
    bench.write("x.npy", "(4,)", &[0.0, 0.3, 1.0, -0.4]);
    let raw = bench.json("flow x.npy --beta 4 --raw-time 1 --out raw.npy");
    let score = bench.json("flow x.npy --beta 4 --score-time 0.25 --out score.npy");
    let noise = bench.json("flow x.npy --beta 4 --noise-var 0.5 --out noise.npy");
    assert_eq!(raw["score_time"], score["score_time"]);
    assert_eq!(noise["raw_time"], score["raw_time"]);
    assert_eq!(bench.read("raw.npy"), bench.read("score.npy"));
    assert_eq!(bench.read("raw.npy"), bench.read("noise.npy"));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let bench = Workbench::new();
    bench.json(&format!("sample {MIXTURE} --n 700 --noise-var 0.5 --seed 2 --out noisy.npy"));
    for threads in [1, 2, 3, 8] {
        bench.json(&format!(
            "denoise noisy.npy --noise-var 0.5 --beta 20 --threads {threads} --out est{threads}.npy"
        ));
        assert_eq!(bench.read("est1.npy"), bench.read(&format!("est{threads}.npy")));
    }
}

#[test]
fn extremes_work() {
    let bench = Workbench::new();
    bench.write("one.npy", "(1, 2)", &[0.25, -3.0]);
    bench.write("same.npy", "(3, 2)", &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    bench.write("huge.npy", "(3, 1)", &[1e150, -1e150, 0.0]);
    bench.write("some.npy", "(3, 1)", &[1.0, -1.0, 0.0]);
    for name in ["one", "same", "huge"] {
        bench.json(&format!("denoise {name}.npy --noise-var 0.5 --beta 20 --out est.npy"));
        assert_eq!(bench.read("est.npy"), bench.read(&format!("{name}.npy")), "{name} is a fixed point");
    }
    bench.json("flow some.npy --beta 20 --raw-time 0 --out still.npy");
    assert_eq!(bench.read("still.npy"), bench.read("some.npy"));
}

#[test]
fn float32_fortran_order_and_big_endian_are_read() {
    let bench = Workbench::new();
    let values = [1.0_f32, 2.0, 3.0, -4.0, 5.0, 6.0];
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    bench.write_raw("f4.npy", "<f4", true, "(2, 3)", &data);
    bench.json("flow f4.npy --beta 1 --raw-time 0 --out same.npy");
    assert_eq!(bench.read("same.npy"), [1.0, 3.0, 5.0, 2.0, -4.0, 6.0]);
    let data: Vec<u8> = [7.0_f64, 8.0].iter().flat_map(|v| v.to_be_bytes()).collect();
    bench.write_raw("big.npy", ">f8", false, "(2,)", &data);
    bench.json("flow big.npy --beta 1 --raw-time 0 --out big_same.npy");
    assert_eq!(bench.read("big_same.npy"), [7.0, 8.0]);
}

#[test]
fn a_radius_confines_the_particles_but_not_the_estimates() {
    let bench = Workbench::new();
    bench.write("x.npy", "(4,)", &[0.0, 0.5, -0.5, 9.0]);
    let result =
        bench.json("denoise x.npy --noise-var 0.5 --beta 2 --radius 1 --out est.npy --particles z.npy");
    assert_eq!(result["kept"], 3);
    assert_eq!(bench.read("z.npy").len(), 3);
    assert_eq!(bench.read("est.npy").len(), 4);
}

#[test]
fn sampling_is_reproducible_and_nested() {
    let bench = Workbench::new();
    bench.json(&format!("sample {MIXTURE} --n 50 --noise-var 0.5 --seed 9 --out a.npy --clean ca.npy"));
    bench.json(&format!("sample {MIXTURE} --n 20 --noise-var 0.5 --seed 9 --out b.npy --clean cb.npy"));
    bench.json(&format!("sample {MIXTURE} --n 20 --seed 9 --out c.npy"));
    assert_eq!(bench.read("a.npy")[..40], bench.read("b.npy")[..]);
    assert_eq!(bench.read("cb.npy"), bench.read("c.npy"), "the clean draw does not depend on the noise");
}

#[test]
fn completions_mention_every_verb() {
    let bench = Workbench::new();
    let script = String::from_utf8(bench.run("completions bash").stdout).unwrap();
    for verb in ["sample", "denoise", "flow", "posterior", "exact"] {
        assert!(script.contains(verb));
    }
}
