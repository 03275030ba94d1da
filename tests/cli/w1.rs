//! `ebflow w1`: exact where it can be, bracketed where it cannot, and clear about bad input.

use super::bench_of_files::{Workbench, number};

const NORMAL: &str = r#"'{ kind = "gaussian", mean = 0, std = 1 }'"#;
const PLANE: &str = r#"'{ kind = "gaussian", mean = [0, 0], std = 1 }'"#;

#[test]
fn clouds_on_the_line_are_compared_exactly() {
    let bench = Workbench::new();
    bench.write("a.npy", "(2,)", &[0.0, 1.0]);
    bench.write("b.npy", "(3, 1)", &[3.0, 1.0, 2.0]);
    let result = bench.json("w1 a.npy b.npy");
    for field in ["/w1", "/lower", "/upper"] {
        assert!((number(&result, field) - 1.5).abs() < 1e-15);
    }
    assert_eq!(result["method"], "line");
    assert_eq!((&result["n"], &result["m"], &result["d"]), (&2.into(), &3.into(), &1.into()));
    assert!(result.get("noise_floor").is_none() && result.get("monte_carlo").is_none());
}

#[test]
fn clouds_in_space_are_transported_with_their_weights() {
    let bench = Workbench::new();
    bench.write("a.npy", "(1, 2)", &[0.0, 0.0]);
    bench.write("b.npy", "(2, 2)", &[3.0, 4.0, 0.0, 1.0]);
    bench.write("w.npy", "(2,)", &[0.25, 0.75]);
    let equal = bench.json("w1 a.npy b.npy");
    assert_eq!((number(&equal, "/w1"), equal["method"].as_str()), (3.0, Some("transport")));
    let weighted = bench.json("w1 a.npy b.npy --weights-b w.npy");
    assert!((number(&weighted, "/w1") - 2.0).abs() < 1e-14);
    let swapped = bench.json("w1 b.npy a.npy --weights-a w.npy");
    assert!((number(&swapped, "/w1") - 2.0).abs() < 1e-14);
    assert!(number(&weighted, "/lower") <= 2.0 && 2.0 <= number(&weighted, "/upper"));
}

/// `E|Z|` for one point at the centre; the floor of one point is `2/√π`.
#[test]
fn a_law_on_the_line_is_exact_and_comes_with_its_noise_floor() {
    let bench = Workbench::new();
    bench.write("a.npy", "(1,)", &[0.0]);
    let result = bench.json(&format!("w1 a.npy --law {NORMAL}"));
    let pi = std::f64::consts::PI;
    assert!((number(&result, "/w1") - (2.0 / pi).sqrt()).abs() < 1e-15);
    assert_eq!(result["method"], "line");
    assert!((number(&result, "/noise_floor/value") - 2.0 / pi.sqrt()).abs() < 1e-9);
    assert!(result["noise_floor"]["standard_error"].is_null());
    let text = String::from_utf8(bench.run(&format!("w1 a.npy --law {NORMAL}")).stdout).unwrap();
    assert!(text.contains("0.797884") && text.contains("noise floor"), "{text}");
}

#[test]
fn a_law_in_the_plane_is_bracketed_and_reproducible() {
    let bench = Workbench::new();
    bench.json(&format!("sample {PLANE} --n 100 --seed 5 --out a.npy"));
    let result = bench.json(&format!("w1 a.npy --law {PLANE} --seed 1"));
    let [w1, lower, upper] = ["/w1", "/lower", "/upper"].map(|field| number(&result, field));
    assert!(0.15 < lower && lower <= w1 && w1 <= upper && upper < 0.6, "{result}");
    assert_eq!(result["method"], "bracket");
    assert_eq!(result["monte_carlo"]["seed"], 1);
    assert_eq!(result["monte_carlo"]["fresh"], 1000);
    // Programs that know no integers but those of a double read the same seed.
    assert!(result["noise_floor"]["seed"].as_u64().unwrap() < 1 << 53, "{result}");
    // The cloud is such a sample itself: 60 of them scatter by 0.036 about a mean of 0.31, and the floor by 0.01.
    let floor = number(&result, "/noise_floor/value");
    assert!((w1 - floor).abs() < 5.0 * 0.037, "{result}");
    assert!(number(&result, "/noise_floor/standard_error") < 0.2 * floor);
    assert_eq!(result, bench.json(&format!("w1 a.npy --law {PLANE} --seed 1")));
    let other = bench.json(&format!("w1 a.npy --law {PLANE} --seed 2"));
    assert!(number(&other, "/lower") <= upper && lower <= number(&other, "/upper"), "{result} {other}");
    let text = String::from_utf8(bench.run(&format!("w1 a.npy --law {PLANE} --seed 1")).stdout).unwrap();
    assert!(
        text.contains("between") && text.contains("Monte Carlo") && text.contains("noise floor"),
        "{text}"
    );
}

#[test]
fn atoms_in_the_plane_need_no_samples() {
    let bench = Workbench::new();
    bench.write("a.npy", "(2, 2)", &[0.0, 0.0, 3.0, 4.0]);
    let law = r#"'{ kind = "atoms", points = [[0, 0], [3, 4]], weights = [0.25, 0.75] }'"#;
    let result = bench.json(&format!("w1 a.npy --law {law}"));
    assert!((number(&result, "/w1") - 1.25).abs() < 1e-14);
    assert_eq!(result["method"], "transport");
    assert!(number(&result, "/noise_floor/value") > 0.0);
}

/// Each line, and words its message must contain.
const BAD: &[(&str, &[&str])] = &[
    ("w1 good.npy empty.npy", &["empty.npy", "no points"]),
    ("w1 nan.npy good.npy", &["nan.npy", "NaN", "row 1"]),
    ("w1 good.npy line.npy", &["line.npy", "dimension 1", "good.npy", "dimension 2"]),
    ("w1 good.npy good.npy --weights-a negative.npy", &["negative.npy", "negative"]),
    ("w1 good.npy good.npy --weights-b zero.npy", &["zero.npy", "sum to 0", "divide"]),
    ("w1 good.npy good.npy --weights-b few.npy", &["few.npy", "2", "3"]),
    ("w1 good.npy good.npy --weights-a not_a_number.npy", &["not_a_number.npy", "NaN"]),
    ("w1 good.npy", &["B.npy", "--law"]),
    (
        "w1 good.npy good.npy --law '{ kind = \"gaussian\", mean = [0, 0], std = 1 }'",
        &["cannot be used with"],
    ),
    ("w1 good.npy --law '{ kind = \"gaussian\", mean = 0, std = 1 }'", &["dimension 2", "dimension 1"]),
    (
        "w1 good.npy --law '{ kind = \"gaussian\", mean = [0, 0], std = 1 }' --weights-b few.npy",
        &["cannot be used with"],
    ),
    ("w1 good.npy --law nowhere.toml", &["nowhere.toml"]),
    ("w1 missing.npy good.npy", &["missing.npy", "read"]),
];

#[test]
fn bad_input_is_refused_with_the_remedy() {
    let bench = Workbench::new();
    bench.write("good.npy", "(3, 2)", &[0.0, 0.0, 1.0, 0.5, -1.0, 0.25]);
    bench.write("line.npy", "(3,)", &[0.0, 1.0, 2.0]);
    bench.write("nan.npy", "(2, 2)", &[0.0, 1.0, f64::NAN, 2.0]);
    bench.write("empty.npy", "(0, 2)", &[]);
    bench.write("negative.npy", "(3,)", &[1.5, -0.5, 0.0]);
    bench.write("zero.npy", "(3,)", &[0.0, 0.0, 0.0]);
    bench.write("few.npy", "(2,)", &[0.5, 0.5]);
    bench.write("not_a_number.npy", "(3,)", &[0.5, f64::NAN, 0.5]);
    for (line, expected) in BAD {
        let output = bench.run(line);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}\n{message}");
        for words in *expected {
            assert!(message.contains(words), "{line}: no '{words}' in\n{message}");
        }
        assert!(output.stdout.is_empty(), "{line}");
    }
}
