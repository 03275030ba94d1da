//! Bad input gets exit code 2, a message with the remedy, and leaves no file behind.

use super::bench_of_files::Workbench;

/// A workbench with good tokens and every kind of bad file.
fn workbench() -> Workbench {
    let bench = Workbench::new();
    bench.write("good.npy", "(3, 2)", &[0.0, 0.0, 1.0, 0.5, -1.0, 0.25]);
    bench.write("line.npy", "(3,)", &[0.0, 1.0, 2.0]);
    bench.write("nan.npy", "(2, 2)", &[0.0, 1.0, f64::NAN, 2.0]);
    bench.write("inf.npy", "(2, 2)", &[0.0, 1.0, 2.0, f64::INFINITY]);
    bench.write("empty.npy", "(0, 2)", &[]);
    bench.write("cube.npy", "(1, 1, 2)", &[0.0, 1.0]);
    bench.write("scalar.npy", "()", &[1.0]);
    bench.write("short.npy", "(4, 2)", &[0.0, 1.0, 2.0]);
    bench.write("huge.npy", "(4611686018427387904, 4)", &[0.0]);
    bench.write_raw("int.npy", "<i8", false, "(2,)", &[0; 16]);
    bench.write_raw("object.npy", "|O", false, "(2,)", &[0; 16]);
    bench.write("weights_sum.npy", "(3,)", &[0.5, 0.5, 0.5]);
    bench.write("weights_negative.npy", "(3,)", &[1.5, -0.5, 0.0]);
    bench.write("weights_few.npy", "(2,)", &[0.5, 0.5]);
    std::fs::write(bench.path("text.npy"), "not an array").unwrap();
    std::fs::write(bench.path("zero_bytes.npy"), "").unwrap();
    bench
}

/// Each line, and words its message must contain.
const CASES: &[(&str, &[&str])] = &[
    ("denoise nan.npy --noise-var 0.5 --beta 20 --out out.npy", &["nan.npy", "NaN", "row 1", "column 0"]),
    ("denoise inf.npy --noise-var 0.5 --beta 20 --out out.npy", &["inf.npy", "row 1", "column 1"]),
    ("denoise empty.npy --noise-var 0.5 --beta 20 --out out.npy", &["empty.npy", "no points"]),
    ("denoise cube.npy --noise-var 0.5 --beta 20 --out out.npy", &["cube.npy", "(N, d)", "reshape"]),
    ("denoise scalar.npy --noise-var 0.5 --beta 20 --out out.npy", &["scalar.npy", "(N, d)"]),
    (
        "denoise short.npy --noise-var 0.5 --beta 20 --out out.npy",
        &["short.npy", "truncated", "write it again"],
    ),
    ("denoise huge.npy --noise-var 0.5 --beta 20 --out out.npy", &["huge.npy", "truncated"]),
    ("denoise int.npy --noise-var 0.5 --beta 20 --out out.npy", &["int.npy", "i8", "astype(numpy.float64)"]),
    ("denoise object.npy --noise-var 0.5 --beta 20 --out out.npy", &["object.npy", "O", "float64"]),
    ("denoise text.npy --noise-var 0.5 --beta 20 --out out.npy", &["text.npy", "numpy.save"]),
    ("denoise zero_bytes.npy --noise-var 0.5 --beta 20 --out out.npy", &["zero_bytes.npy", "numpy.save"]),
    ("denoise missing.npy --noise-var 0.5 --beta 20 --out out.npy", &["missing.npy", "read"]),
    ("denoise good.npy --noise-var 0 --beta 20 --out out.npy", &["noise variance", "positive", "0"]),
    ("denoise good.npy --noise-var -1 --beta 20 --out out.npy", &["noise variance", "-1"]),
    ("denoise good.npy --noise-var NaN --beta 20 --out out.npy", &["noise variance", "NaN"]),
    ("denoise good.npy --noise-var 0.5 --beta 0 --out out.npy", &["β", "positive"]),
    ("denoise good.npy --noise-var 0.5 --beta -2 --out out.npy", &["β", "-2"]),
    ("denoise good.npy --noise-var 0.5 --beta nan --out out.npy", &["β", "NaN"]),
    ("denoise good.npy --noise-var 0.5 --beta x --out out.npy", &["'x'", "number"]),
    ("denoise good.npy --noise-var 0.5 --beta 20 --layers 5 --out out.npy", &["η = 1", "at least 6"]),
    ("denoise good.npy --noise-var 0.5 --beta 20 --layers 0 --out out.npy", &["--layers"]),
    ("denoise good.npy --noise-var 0.5 --beta 20 --radius 0.1 --out sub/out.npy", &["sub/out.npy", "write"]),
    ("denoise line.npy --noise-var 0.5 --beta 20 --out .", &["folder"]),
    (
        "denoise good.npy --noise-var 0.5 --beta 20 --out out.npy --particles out.npy",
        &["out.npy", "two results"],
    ),
    ("denoise good.npy --noise-var 0.5 --beta 20 --rtol 0 --atol 0 --out out.npy", &["tolerance"]),
    (
        "flow good.npy --beta 20 --raw-time 1 --drift dense --eps 1e-6 --out out.npy",
        &["--eps", "--drift auto"],
    ),
    (
        "flow good.npy --beta 20 --raw-time 1 --drift gauss --eps 1e-16 --out out.npy",
        &["Gauss transform", "blocks drift"],
    ),
    ("flow good.npy --beta 20 --raw-time 1 --eps 0 --out out.npy", &["tolerance", "positive"]),
    ("flow good.npy --beta 20 --out out.npy", &["--raw-time", "--score-time", "--noise-var"]),
    ("flow good.npy --beta 20 --raw-time 1 --score-time 2 --out out.npy", &["cannot be used with"]),
    ("flow good.npy --beta 20 --raw-time -1 --out out.npy", &["raw time", "-1"]),
    ("flow good.npy --beta 20 --raw-time inf --out out.npy", &["raw time", "finite"]),
    (
        "flow good.npy --beta 20 --raw-time 1 --weights weights_sum.npy --out out.npy",
        &["weights_sum.npy", "sum to 1.5", "divide"],
    ),
    (
        "flow good.npy --beta 20 --raw-time 1 --weights weights_negative.npy --out out.npy",
        &["weights_negative.npy", "negative"],
    ),
    (
        "flow good.npy --beta 20 --raw-time 1 --weights weights_few.npy --out out.npy",
        &["weights_few.npy", "2", "3"],
    ),
    ("flow line.npy --beta 20 --raw-time 1 --radius 0 --out out.npy", &["radius", "positive"]),
    (
        "posterior good.npy line.npy --noise-var 0.5 --out out.npy",
        &["query set", "dimension 1", "dimension 2"],
    ),
    ("posterior good.npy nan.npy --noise-var 0.5 --out out.npy", &["nan.npy", "NaN"]),
    ("exact hitting-time --noise-var 0.25 --beta 20 --prior-var -1", &["prior variance", "-1"]),
    ("exact hitting-time --noise-var 0.25 --beta 20 --prior-var 1 --target 2", &["target", "1.25", "below"]),
    (
        "exact covariance --law '{ kind = \"laplace\", mean = 0, scale = 1 }' --noise-var 1 --beta 2 --denoising",
        &["gaussian"],
    ),
    (
        "exact covariance --law '{ kind = \"atoms\", points = [0], weights = [1] }' --noise-var 1 --beta 2 --denoising",
        &["a law of kind atoms"],
    ),
    (
        "exact covariance --law '{ kind = \"gaussian\", mean = 0, std = 1 }' --noise-var 1e9 --beta 1e300 --denoising",
        &["raw time", "finite"],
    ),
    (
        "exact covariance --law '{ kind = \"gaussian\", mean = 0, std = 1 }' --noise-var 1 --beta 1e-300 --raw-time 1e10",
        &["score time", "finite"],
    ),
    ("sample '{ kind = \"gaussian\", mean = [0], std = -1 }' --n 10 --out out.npy", &["std", "-1"]),
    ("sample '{ kind = \"gauss\" }' --n 10 --out out.npy", &["gauss", "gaussian", "mixture"]),
    ("sample '{ kind = \"gaussian\", mean = [0], sd = 1 }' --n 10 --out out.npy", &["sd", "std"]),
    ("sample '{ kind = ' --n 10 --out out.npy", &["law"]),
    ("sample nowhere.toml --n 10 --out out.npy", &["nowhere.toml", "no such file"]),
    ("sample good.npy --n 10 --out out.npy", &["good.npy", "not text", "TOML"]),
    (
        "sample '{ kind = \"unheard\", df = 3 }' --n 10 --out out.npy",
        &["unknown kind of law `unheard`", "`gaussian`"],
    ),
    (
        "sample '{ kind = \"student\", df = 3, mean = [0, 0], scale = 1 }' --n 10 --out out.npy",
        &["several numbers", "on the line"],
    ),
    (
        "sample '{ kind = \"gaussian\", mean = 0, std = 1 }' --n 10 --seed 9007199254740992 --out out.npy",
        &["--seed"],
    ),
    (
        "denoise good.npy --noise-var 2 --beta 1 --layers 1 --out out.npy",
        &["step of 1 layer is", "at least 2 layers"],
    ),
    ("sample '{ kind = \"gaussian\", mean = [0], std = 1 }' --n 0 --out out.npy", &["--n"]),
];

#[test]
fn is_refused_with_the_remedy_and_no_file() {
    let bench = workbench();
    let before = bench.files();
    for (line, expected) in CASES {
        let output = bench.run(line);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}\n{message}");
        for words in *expected {
            assert!(message.contains(words), "{line}: no '{words}' in\n{message}");
        }
        assert!(output.stdout.is_empty(), "{line}");
        assert_eq!(bench.files(), before, "{line} left a file");
    }
}

#[test]
fn a_radius_that_leaves_no_token_says_what_would_do() {
    let bench = Workbench::new();
    bench.write("far.npy", "(2, 2)", &[3.0, 4.0, 6.0, 8.0]);
    let output = bench.run("denoise far.npy --noise-var 0.5 --beta 20 --radius 1 --out out.npy");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("distance 5") && message.contains("increase R or resample"), "{message}");
    assert_eq!(bench.files(), ["far.npy"]);
}

#[test]
fn unknown_instructions_are_named_with_those_that_are_known() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ebflow"));
    let output = command.args(["verify", "--list"]).env("EBFLOW_SIMD", "avx1024").output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("avx1024") && message.contains("avx2 or portable"), "{message}");
}
