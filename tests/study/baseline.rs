//! Accepted rows of a study: nothing moves that should not, whatever the threads and instructions, and what moves is named.

use ebflow::claim::baseline::{Change, Difference};
use ebflow::drift::Dense;
use ebflow::study::baseline::{Accepted, compare};
use ebflow::study::{CellRow, Filled, Outcome, Spec, StudyFolder, Table, measure, measure_with};
use ebflow::{Beta, CloudView, Drift, DriftField, Provenance, Result, Targets};

use crate::bench::{Bench, SMALL, stderr};

/// Five hundred cells of every kind of number: distances, a mean square, a hitting time, a curve over depth.
const MANY: &str = r#"
title = "Five hundred cells"
quantities = ["coupled", "w1_prior", "w1_floor", "gap_two_stage", "hitting_time", "error_bound", "variance_path"]
[prior]
kind = "gaussian"
mean = 0
std = 1
[noise]
variance = 0.5
[flow]
rtol = 1e-10
atol = 1e-10
[sweep]
n = [40, 60, 80, 100, 120]
beta = [1, 2, 4, 8]
seeds = 25
[measure]
depths = 5
[[statement]]
id = "chaos"
says = "Particles and mean field come together as N grows."
slope_of = "coupled"
against = "n"
relation = "at_most"
to = 0
"#;

/// The kernel `e^{−cβ|x|²/2}` with a factor that should not be there.
struct Factor(f64);

impl Drift for Factor {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, Beta::new(self.0 * beta.get())?, field)
    }
}

fn provenance() -> Provenance {
    Provenance { version: "0".into(), commit: "0".into(), machine: "none".into() }
}

/// The rows of a study with a drift of one's own; the study's where none is given.
fn table(spec: &Spec, drift: Option<&dyn Drift>) -> Table {
    let filled = |cell| {
        let values = drift.map_or_else(|| measure(spec, &cell), |drift| measure_with(spec, &cell, drift));
        let outcome = match values {
            Ok(values) => Outcome::Values(Box::new(values)),
            Err(error) => Outcome::Error(error.to_string()),
        };
        Filled { row: Some(CellRow::new(cell.key(spec), &cell, outcome)), cell }
    };
    Table { cells: spec.cells().into_iter().map(filled).collect() }
}

fn check(bench: &Bench, options: &[&str], variables: &[(&str, &str)]) {
    let words: Vec<&str> = ["check", "."].iter().chain(options).copied().collect();
    let output = bench.command(&words).envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{options:?} {variables:?}\n{text}\n{}", stderr(&output));
    assert!(text.contains("nothing moved: 3500 numbers of 500 cells"), "{text}");
}

#[test]
fn five_hundred_cells_stay_where_they_are_on_any_threads_and_instructions() {
    let bench = Bench::with(MANY);
    bench.good(&["bless", ".", "--threads", "1"]);
    let rows = || {
        let text = std::fs::read_to_string(bench.path("accepted.jsonl")).unwrap();
        text.split_once('\n').unwrap().1.to_owned()
    };
    let accepted = rows();
    for threads in ["1", "2", "4"] {
        check(&bench, &["--threads", threads], &[]);
    }
    check(&bench, &[], &[("EBFLOW_PORTABLE", "1")]);
    check(&bench, &[], &[("EBFLOW_SIMD", "avx2")]);
    bench.good(&["bless", ".", "--threads", "4"]);
    assert!(rows() == accepted, "the same to the bit");
}

#[test]
fn a_kernel_that_is_wrong_by_a_millionth_is_reported_with_the_rows_it_moved() {
    let few = MANY.replace("seeds = 25", "seeds = 2");
    // Where the error of the flow is bounded, the drift is compared with the full sum: cells fail and say so.
    let spec = Spec::parse("study.toml", &few).unwrap();
    let right = Accepted::of(&table(&spec, None), provenance());
    let noticed = compare(&spec, &right, &table(&spec, Some(&Factor(1.0 + 1e-6)))).unwrap();
    let said = |change: &Change| matches!(&change.what, Difference::Missing { row } if row.contains("this drift is wrong"));
    let failed = noticed.iter().filter(|change| said(change)).count();
    assert!(failed >= 140, "{failed} of {}: {:?}", noticed.len(), noticed.first());
    // Elsewhere its numbers have moved.
    let bench = Bench::with(&few.replace("\"error_bound\", ", ""));
    let folder = StudyFolder::open(&bench.path(".")).unwrap();
    let spec = folder.spec().unwrap();
    let right = Accepted::of(&table(&spec, None), provenance());
    assert_eq!(compare(&spec, &right, &table(&spec, Some(&Factor(1.0)))).unwrap(), []);
    // Numbers that a faulty kernel made were accepted: the program itself finds them.
    Accepted::of(&table(&spec, Some(&Factor(1.0 + 1e-6))), provenance()).write(&folder).unwrap();
    let output = bench.run(&["check", ".", "--json", "--junit", "moved.xml"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let changes = json["changes"].as_array().unwrap();
    let moved = |quantity: &str| {
        changes.iter().filter(|c| c["change"] == "moved" && c["quantity"] == quantity).count()
    };
    // Tokens that start with less variance than the prior have no hitting time.
    let accepted = std::fs::read_to_string(bench.path("accepted.jsonl")).unwrap();
    let numbers = |quantity: &str| accepted.matches(&format!("\"{quantity}\":{{\"value\":")).count();
    assert!(numbers("coupled") == 40 && numbers("hitting_time") == 36);
    for quantity in ["coupled", "w1_prior", "hitting_time", "gap_two_stage"] {
        assert_eq!(moved(quantity), numbers(quantity), "{quantity}");
    }
    assert_eq!(moved("variance_path"), 40);
    assert_eq!(moved("w1_floor"), 0, "no flow is in it");
    let first = changes[0]["row"].as_str().unwrap();
    assert!(first.starts_with("N = 40, β = 1, τ = 0.5, seed 0"), "{first}");
    let junit = std::fs::read_to_string(bench.path("moved.xml")).unwrap();
    assert!(junit.contains(r#"<testcase name="coupled""#) && junit.contains("error bars, from"), "{junit}");
    let text = String::from_utf8(bench.run(&["check", "."]).stdout).unwrap();
    assert!(text.contains("coupled: N = 40") && text.contains("to accept, run `ebflow bless .`"), "{text}");
}

#[test]
fn cells_that_come_and_go_and_verdicts_that_turn_are_named() {
    let statement = "[[statement]]\nid = \"small\"\nsays = \"\"\nquantity = \"w1_exact_prior\"\nrelation = \"at_most\"\nto = 1\n";
    let bench = Bench::with(&format!("{SMALL}{statement}"));
    bench.good(&["bless", "."]);
    let study = std::fs::read_to_string(bench.path("study.toml")).unwrap();
    // Other cells, and a study that states something else: accepted numbers are judged by what is stated now.
    std::fs::write(
        bench.path("study.toml"),
        study.replace("160]", "320]").replace("to = 1\n", "to = 1e-9\n"),
    )
    .unwrap();
    let output = bench.command(&["check", "."]).env("GITHUB_ACTIONS", "true").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    for words in [
        "N = 320, β = 2, τ = 0.25, seed 0: the row is new",
        "seed 4: the row is gone",
        "small: fails (expected: holds)",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(stderr(&output).contains("::error title=small::fails (expected: holds)"), "{}", stderr(&output));
    // A number changed by hand turns the verdict that follows from it.
    std::fs::write(bench.path("study.toml"), &study).unwrap();
    let accepted = std::fs::read_to_string(bench.path("accepted.jsonl")).unwrap();
    let line = accepted.lines().nth(1).unwrap();
    let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
    row["values"]["quantities"]["w1_exact_prior"]["value"] = 50.0.into();
    std::fs::write(bench.path("accepted.jsonl"), accepted.replace(line, &row.to_string())).unwrap();
    let text = String::from_utf8(bench.run(&["check", "."]).stdout).unwrap();
    assert!(text.contains("small: the verdict was"), "{text}");
    assert!(text.contains("w1_exact_prior: N = 20, β = 2, τ = 0.25, seed 0: the number moved"), "{text}");
}

#[test]
fn what_cannot_be_checked_or_accepted_is_an_input_error() {
    let bench = Bench::with(SMALL);
    let output = bench.run(&["check", "."]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("ebflow bless"), "{}", stderr(&output));
    for damage in [
        "",
        "{}",
        "{\"schema\":9,\"provenance\":{\"version\":\"\",\"commit\":\"\",\"machine\":\"\"}}",
        "\u{0}",
    ] {
        std::fs::write(bench.path("accepted.jsonl"), damage).unwrap();
        let output = bench.run(&["check", "."]);
        assert_eq!(output.status.code(), Some(2), "{damage}");
        assert!(stderr(&output).contains("line 1"), "{}", stderr(&output));
    }
    bench.good(&["bless", "."]);
    let accepted = std::fs::read_to_string(bench.path("accepted.jsonl")).unwrap();
    std::fs::write(bench.path("accepted.jsonl"), &accepted[..accepted.len() - 20]).unwrap();
    let output = bench.run(&["check", "."]);
    assert!(stderr(&output).contains("line 41"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}
