//! `ebflow denoise`: choices left to the tokens, files as people have them, what is said of a run.

use super::bench_of_files::{Workbench, number};

const LAW: &str = r#"'{ kind = "mixture", weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }'"#;

fn workbench() -> Workbench {
    let bench = Workbench::new();
    let line = format!("sample {LAW} --n 400 --noise-var 0.25 --seed 3 --out y.npy --clean x.npy");
    assert!(bench.run(&line).status.success());
    bench
}

#[test]
fn beta_and_depth_are_left_to_the_tokens() {
    let bench = workbench();
    let line = format!("denoise y.npy --noise-std 0.5 --out g.npy --clean x.npy --law {LAW}");
    let report = bench.json(&line);
    let (risk, error) = (number(&report, "/risk/estimate"), number(&report, "/risk/standard_error"));
    let curve = report.pointer("/risk/curve").unwrap().as_array().unwrap();
    assert!(curve.len() >= 30 && curve.iter().all(|tried| number(tried, "/standard_error") > 0.0));
    let (beta, raw_time) = (number(&report, "/beta"), number(&report, "/raw_time"));
    let is_chosen = |tried: &&serde_json::Value| {
        number(tried, "/beta") == beta && (number(tried, "/raw_time") - raw_time).abs() < 1e-9 * raw_time
    };
    assert!(curve.iter().any(|tried| is_chosen(&tried)));
    let estimators = report["estimators"].as_array().unwrap();
    let two = estimators.iter().find(|row| row["estimator"] == "two stages").unwrap();
    assert!((number(two, "/mse_to_clean") - risk).abs() < 4.0 * error);
    assert_eq!(number(two, "/mse_per_coordinate"), number(two, "/mse_to_clean") / 2.0);
    assert!(number(two, "/mse_to_bayes") < 0.02);
    assert!(number(&report, "/neighbours/median") > 1.0);
    assert_eq!(number(&report, "/neighbours/isolated"), 0.0);
    assert!(report["remark"].is_null());
    // The same choice by hand gives the same estimates.
    let depth = number(&report, "/score_time") / 0.125;
    let by_hand =
        bench.json(&format!("denoise y.npy --noise-var 0.25 --beta {beta} --depth {depth} --out h.npy"));
    assert!(by_hand.get("risk").is_none());
    assert_eq!(bench.read("g.npy"), bench.read("h.npy"));
    assert_eq!(
        report,
        bench
            .json(&format!("{line} --threads 1 --seed 0"))
            .as_object()
            .map(|again| {
                let mut again = again.clone();
                again["inputs"] = report["inputs"].clone();
                serde_json::Value::Object(again)
            })
            .unwrap()
    );
}

#[test]
fn the_depth_alone_can_be_left_to_the_tokens() {
    let bench = workbench();
    let report = bench.json("denoise y.npy --noise-var 0.25 --beta 20 --depth auto --out g.npy");
    assert!(report.get("beta").is_none());
    assert_eq!(number(&report, "/inputs/beta"), 20.0);
    let refused = bench.run("denoise y.npy --noise-var 0.25 --radius 2 --out g.npy");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("give --beta and --depth"));
}

#[test]
fn tokens_that_are_alone_are_remarked_upon() {
    let bench = workbench();
    let output = bench.run("denoise y.npy --noise-var 0.25 --beta 1e6 --out g.npy");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("100.0 % alone") && text.contains("a smaller β would help"), "{text}");
    let report = bench.json("denoise y.npy --noise-var 0.25 --beta 1e6 --out g.npy");
    assert!(number(&report, "/neighbours/isolated") > 0.9);
    assert!(report["remark"].as_str().unwrap().contains("Stage 1 cannot move them"));
}

#[test]
fn text_and_archives_are_read_and_text_is_written() {
    let bench = workbench();
    let tokens = bench.read("y.npy");
    let lines: Vec<String> = tokens.chunks(2).map(|row| format!("{:?};{:?}", row[0], row[1])).collect();
    std::fs::write(bench.path("y.csv"), format!("first;second\n{}\n", lines.join("\n"))).unwrap();
    let options = "--noise-var 0.25 --beta 10";
    bench.json(&format!("denoise y.npy {options} --out g.npy"));
    bench.json(&format!("denoise y.csv {options} --out g.csv --sd s.csv"));
    let text = std::fs::read_to_string(bench.path("g.csv")).unwrap();
    let numbers: Vec<f64> =
        text.lines().flat_map(|line| line.split(',')).map(|x| x.parse().unwrap()).collect();
    assert_eq!(numbers, bench.read("g.npy"));
    for name in ["g.txt", "g.npz", "g.html"] {
        let refused = bench.run(&format!("denoise y.csv {options} --out {name}"));
        assert_eq!(refused.status.code(), Some(2));
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(message.contains(".npy or .csv"), "{message}");
        assert!(!bench.path(name).exists());
    }
    std::fs::write(bench.path("wide.csv"), "1,2,3\n4,5,6\n").unwrap();
    let output = bench.run("flow wide.csv --beta 1 --raw-time 1 --out z.npy");
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 rows of 3 numbers"));
}

/// Python: the particle posterior's standard deviations from their definition.
#[test]
fn deviations_are_those_of_the_particle_posterior() {
    let bench = workbench();
    bench.json("denoise y.npy --noise-var 0.25 --beta 10 --out g.npy --particles z.npy --sd s.npy");
    let [y, g, z, s] = ["y.npy", "g.npy", "z.npy", "s.npy"].map(|name| bench.read(name));
    for i in (0..400).step_by(37) {
        let weight = |z: &[f64]| (-((y[2 * i] - z[0]).powi(2) + (y[2 * i + 1] - z[1]).powi(2)) / 0.5).exp();
        let mass: f64 = z.chunks(2).map(weight).sum();
        for c in 0..2 {
            let square = |z: &[f64]| weight(z) * (z[c] - g[2 * i + c]).powi(2);
            let variance = z.chunks(2).map(square).sum::<f64>() / mass;
            assert!((s[2 * i + c] - variance.sqrt()).abs() < 1e-7, "{i}, {c}");
        }
    }
}

#[test]
fn a_page_shows_risks_and_the_way_of_the_tokens() {
    let bench = workbench();
    bench.json("denoise y.npy --noise-var 0.25 --out g.npy --report page.html");
    let page = std::fs::read_to_string(bench.path("page.html")).unwrap();
    for part in ["Estimated risk", "tokens to particles", "tokens to estimates", "risk per token"] {
        assert!(page.contains(part), "{part}");
    }
    let same = bench.run("denoise y.npy --noise-var 0.25 --out g.npy --report g.npy");
    assert_eq!(same.status.code(), Some(2));
}
