//! What `--help` shows can be typed as it stands, and every JSON object says what was asked.

use super::bench_of_files::{Workbench, number};

const VERBS: [&str; 15] = [
    "verify",
    "check",
    "bless",
    "sample",
    "denoise",
    "flow",
    "posterior",
    "w1",
    "exact covariance",
    "exact hitting-time",
    "meanfield",
    "study",
    "merge",
    "report",
    "completions",
];

/// Lines of a help text that begin with some word.
fn lines<'a>(help: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    help.lines().map(str::trim).filter(move |line| line.starts_with(word))
}

#[test]
fn every_verb_shows_an_example_of_itself() {
    let bench = Workbench::new();
    for verb in VERBS {
        let help = bench.run(&format!("{verb} --help"));
        assert_eq!(help.status.code(), Some(0));
        let text = String::from_utf8(help.stdout).unwrap();
        let start = format!("ebflow {verb}");
        assert!(lines(&text, &start).next().is_some(), "{verb} has no example\n{text}");
        // Nothing that takes minutes is run here.
        for example in lines(&text, &start).filter(|_| !["verify", "check", "bless"].contains(&verb)) {
            let words = example.trim_start_matches("ebflow ").split(" > ").next().unwrap();
            let output = bench.run(words);
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!message.contains("Usage:"), "{example}\n{message}");
        }
    }
}

#[test]
fn every_law_of_the_help_can_be_sampled() {
    let bench = Workbench::new();
    let help = String::from_utf8(bench.run("sample --help").stdout).unwrap();
    let laws: Vec<&str> = lines(&help, "{ kind").collect();
    assert_eq!(laws.len(), 8);
    for law in laws {
        let output = bench.run(&format!("sample '{law}' --n 3 --out x.npy"));
        assert_eq!(output.status.code(), Some(0), "{law}");
    }
}

#[test]
fn json_says_what_was_asked() {
    let bench = Workbench::new();
    let result = bench.json("exact hitting-time --noise-var 0.5 --beta 20 --prior-var 1");
    assert_eq!((&result["command"], &result["inputs"]["form"]), (&"exact".into(), &"hitting-time".into()));
    assert_eq!((number(&result, "/inputs/noise_var"), number(&result, "/inputs/beta")), (0.5, 20.0));
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
    bench.write("x.npy", "(3,)", &[-1.0, 0.0, 1.0]);
    let result = bench.json("denoise x.npy --noise-var 0.5 --beta 2 --layers 4 --out y.npy");
    let inputs = &result["inputs"];
    assert_eq!((&result["command"], &inputs["tokens"]), (&"denoise".into(), &"x.npy".into()));
    assert_eq!(
        (&inputs["out"], &inputs["layers"], &inputs["drift"]),
        (&"y.npy".into(), &4.into(), &"auto".into())
    );
    assert!(inputs["rtol"].is_null() && inputs.get("json").is_none());
}

/// The output is no terminal here, and has eighty columns.
#[test]
fn text_fits_eighty_columns() {
    let bench = Workbench::new();
    bench.write("x.npy", "(4, 2)", &[-1.0, 0.0, 1.0, 0.5, 0.25, 2.0, -0.5, 1.0]);
    for words in [
        "flow x.npy --noise-var 0.5 --beta 20 --out y.npy --bound",
        "w1 x.npy --law '{ kind = \"gaussian\", mean = [0, 0], std = 1 }'",
        "verify tweedie",
    ] {
        let text = String::from_utf8(bench.run(words).stdout).unwrap();
        // Accents take no column of their own.
        let columns = |line: &str| line.chars().filter(|c| !('\u{300}'..'\u{370}').contains(c)).count();
        let widest = text.lines().map(columns).max().unwrap();
        assert!(widest <= 80, "{widest} columns\n{text}");
    }
}
