//! `--bound` on the command line.

use super::bench_of_files::Workbench;

const CLUSTERS: &str =
    r#"'{ kind = "mixture", weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.02 }'"#;

fn tokens(noise: f64) -> Workbench {
    let bench = Workbench::new();
    bench.json(&format!("sample {CLUSTERS} --n 200 --noise-var {noise} --seed 4 --out x.npy"));
    bench
}

#[test]
fn a_bound_comes_with_its_budget() {
    let bench = tokens(0.2);
    for verb in [
        "flow x.npy --noise-var 0.2",
        "denoise x.npy --noise-var 0.2",
        "flow x.npy --noise-var 0.2 --layers 40",
    ] {
        let report = bench.json(&format!("{verb} --beta 20 --out y.npy --bound"));
        let number =
            |name: &str| report.pointer(&format!("/error/{name}")).and_then(serde_json::Value::as_f64);
        let [estimate, max, w1] = ["estimate", "bound_max", "bound_w1"].map(|name| number(name).unwrap());
        let parts = ["integration", "truncation", "rounding", "tokens"]
            .map(|name| number(&format!("budget/{name}")).unwrap());
        assert!(estimate <= max && w1 <= max, "{report}");
        assert!((parts.iter().sum::<f64>() / w1 - 1.0).abs() < 1e-12, "{report}");
        assert!(report["error"]["bound_missing"].is_null());
        assert_eq!(report["error"]["proved"], true);
        let text = bench.run(&format!("{verb} --beta 20 --out y.npy --bound")).stdout;
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("(proved bound)") && text.contains("kernel truncation"), "{text}");
    }
}

#[test]
fn uncertain_tokens_have_a_share_of_their_own() {
    let bench = tokens(0.2);
    bench.write("r.npy", "(200,)", &[1e-6; 200]);
    let verb = "flow x.npy --noise-var 0.2 --beta 20 --out y.npy";
    let error = |radii: &str| bench.json(&format!("{verb} --token-error {radii}"))["error"].clone();
    let (number, file) = (error("1e-6"), error("r.npy"));
    assert_eq!(number, file);
    let tokens = number["budget"]["tokens"].as_f64().unwrap();
    assert!(tokens >= 1e-7 && number["bound_w1"].as_f64().unwrap() > tokens);
    let text = String::from_utf8(bench.run(&format!("{verb} --token-error 1e-6")).stdout).unwrap();
    assert!(text.contains("uncertain tokens"), "{text}");
}

/// What was rounded to single precision is not known better than that.
#[test]
fn single_precision_suggests_the_radius_of_its_rounding() {
    let bench = Workbench::new();
    let data: Vec<u8> = [0.1_f32, -3.0, 0.5, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    bench.write_raw("x.npy", "<f4", false, "(2, 2)", &data);
    let said = |more: &str| {
        let output = bench.run(&format!("flow x.npy --raw-time 1 --beta 20 --out y.npy {more}"));
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    // |(0.1, −3)|·2^−24
    let asked = said("--bound");
    assert!(asked.contains("single precision") && asked.contains("--token-error 1.8e-7"), "{asked}");
    assert_eq!([said(""), said("--token-error 1e-6")], ["", ""]);
    bench.write("x.npy", "(2,)", &[0.1, 0.2]);
    assert_eq!(said("--bound"), "");
}

#[test]
fn without_the_option_there_is_an_estimate_only() {
    let bench = tokens(0.2);
    let report = bench.json("flow x.npy --noise-var 0.2 --beta 20 --out y.npy");
    let error = &report["error"];
    assert!(error["estimate"].as_f64().unwrap() < 1e-6);
    assert!(error["bound_max"].is_null() && error["bound_w1"].is_null() && error["budget"].is_null());
    assert_eq!(error["bound_missing"], "not asked for; use --bound");
    assert_eq!(error["proved"], false);
}

#[test]
fn where_there_is_no_bound_there_is_a_reason() {
    let bench = tokens(0.8);
    let verb = "flow x.npy --noise-var 0.8 --beta 50 --rtol 1e-3 --atol 1e-3 --out y.npy --token-error 0.06";
    let error = &bench.json(verb)["error"];
    assert!(error["estimate"].is_f64() && error["bound_max"].is_null() && error["bound_w1"].is_null());
    let reason = error["bound_missing"].as_str().unwrap();
    assert!(reason.contains("raw time") && reason.contains("shorten the horizon"), "{reason}");
    // Wherever the lines of the report are broken.
    let text = String::from_utf8(bench.run(verb).stdout).unwrap();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("no bound") && text.contains("shorten the horizon"), "{text}");
}

/// The audit's own sum must not be wrong where the weights span hundreds of decades.
#[test]
fn a_right_drift_is_not_accused_whatever_the_weights() {
    let bench = Workbench::new();
    bench.write("x.npy", "(2,)", &[0.0, 60.0]);
    bench.write("w.npy", "(2,)", &[1e-290, 1.0]);
    for drift in ["dense", "blocks", "kdtree", "gauss", "auto"] {
        bench.json(&format!(
            "flow x.npy --weights w.npy --beta 1 --raw-time 1 --drift {drift} --bound --out y.npy"
        ));
    }
}
