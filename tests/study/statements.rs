//! Statements of a study: judged by rows whose answer is known, by a whole study, and refused with their place.

use std::collections::BTreeMap;

use ebflow::Measured;
use ebflow::claim::{Role, VerdictKind};
use ebflow::study::{
    Cell, CellRow, Completeness, Filled, Measurement, Outcome, Quantity, Spec, Statement, Summary, Table,
    Values,
};

use crate::bench::{Bench, SMALL, stderr};

/// The small study with a statement behind it.
fn with(statement: &str) -> String {
    format!("{SMALL}\n[[statement]]\nid = \"s\"\nsays = \"It is so.\"\n{statement}\n")
}

/// A table in which the coupled distance of every cell is what a function says, with a bar of a thousandth.
fn table(spec: &Spec, value: impl Fn(&Cell) -> f64) -> Table {
    let number = |value: f64| Measurement::Number(Measured::known_to(value, 1e-3 * value.abs()));
    let filled = |cell: Cell| {
        let quantities = BTreeMap::from([
            (Quantity::Coupled, number(value(&cell))),
            (Quantity::W1Prior, number(1.0)),
            (Quantity::W1ExactPrior, number(0.5)),
        ]);
        let values = Values { quantities, evaluations: 1, cloud: None };
        let row = CellRow::new(cell.key(spec), &cell, Outcome::Values(Box::new(values)));
        Filled { cell, row: Some(row) }
    };
    Table { cells: spec.cells().into_iter().map(filled).collect() }
}

fn judged(statement: &str, value: impl Fn(&Cell) -> f64) -> Statement {
    let spec = Spec::parse("study.toml", &with(statement)).unwrap();
    let summary = Summary::new(&spec, &table(&spec, value), Completeness::Required).unwrap();
    summary.statements.into_iter().next().unwrap()
}

fn verdict(statement: &str, value: impl Fn(&Cell) -> f64) -> VerdictKind {
    judged(statement, value).verdict.kind()
}

/// `3 N^{-1/2}`, a little different for every seed, and the same for every β.
fn falls(cell: &Cell) -> f64 {
    3.0 * (1.0 + 1e-3 * cell.seed as f64) * (cell.setting.n as f64).powf(-0.5)
}

#[test]
fn means_are_compared_with_formulas_within_their_bars() {
    let equal = |to: &str| format!("quantity = \"coupled\"\nrelation = \"equal\"\nto = {to}");
    assert_eq!(verdict(&equal("\"3.006*n^(-1/2)\""), falls), VerdictKind::Holds);
    assert_eq!(verdict(&equal("\"3.1*n^(-1/2)\""), falls), VerdictKind::FailsAsPrinted);
    assert_eq!(verdict(&equal("\"3.006*w1_prior*n^(-1/2)\""), falls), VerdictKind::Holds);
    let most = |to: &str| format!("quantity = \"coupled\"\nrelation = \"at_most\"\nto = {to}");
    assert_eq!(verdict(&most("1"), falls), VerdictKind::Holds);
    assert_eq!(verdict(&most("0.5"), falls), VerdictKind::FailsAsPrinted, "three of four sizes are above");
    let least = "quantity = \"coupled\"\nrelation = \"at_least\"\nto = \"w1_exact_prior/3\"";
    assert_eq!(verdict(least, falls), VerdictKind::Holds);
    let found = judged(&equal("\"3.006*n^(-1/2)\""), falls);
    assert_eq!(found.rows.len(), 8, "a row for every setting");
    assert!(found.rows.iter().all(|row| row.role == Role::Stated && row.margin() > 0.0));
}

/// Seeds differ by a hundredth, and both quantities with them: compared seed by seed, a difference of two hundredths shows.
#[test]
fn quantities_are_compared_with_one_another_seed_by_seed() {
    let noisy = |cell: &Cell| 1.0 + 0.01 * ((cell.seed * 3) % 5) as f64;
    let equal = |to: &str| format!("quantity = \"coupled\"\nrelation = \"equal\"\nto = \"{to}\"");
    assert_eq!(verdict(&equal("2*coupled/2"), noisy), VerdictKind::Holds);
    assert_eq!(verdict(&equal("1.02*coupled"), noisy), VerdictKind::FailsAsPrinted);
    assert_eq!(verdict(&equal("1.03"), noisy), VerdictKind::Inconclusive, "the seeds hide it");
}

#[test]
fn where_and_beyond_say_which_rows_count() {
    let only_small = |cell: &Cell| if cell.setting.beta < 3.0 { 1.0 } else { 2.0 };
    let one = "quantity = \"coupled\"\nrelation = \"equal\"\nto = 1";
    assert_eq!(verdict(one, only_small), VerdictKind::FailsAsPrinted);
    let within = format!("{one}\nwhere = \"beta*tau <= 0.5\"");
    assert_eq!(verdict(&within, only_small), VerdictKind::Holds);
    assert_eq!(judged(&within, only_small).rows.len(), 4);
    let beyond = format!("{one}\nbeyond = \"beta > 3\"\nexpect = \"holds_within\"");
    let found = judged(&beyond, only_small);
    assert!(found.verdict.kind() == VerdictKind::HoldsWithin && found.is_expected());
    assert_eq!(found.rows.iter().filter(|row| row.role == Role::Beyond).count(), 4);
}

#[test]
fn slopes_and_changes_are_taken_seed_by_seed() {
    let slope = |to: &str| format!("slope_of = \"coupled\"\nagainst = \"n\"\nrelation = {to}");
    assert_eq!(verdict(&slope("\"equal\"\nto = -0.5"), falls), VerdictKind::Holds);
    assert_eq!(verdict(&slope("\"equal\"\nto = \"-1/2 - 0.1\""), falls), VerdictKind::FailsAsPrinted);
    assert_eq!(verdict(&slope("\"within\"\nto = [-0.6, -0.4]"), falls), VerdictKind::Holds);
    assert_eq!(verdict(&slope("\"within\"\nto = [-0.4, \"-0.3\"]"), falls), VerdictKind::FailsAsPrinted);
    let found = judged(&slope("\"equal\"\nto = -0.5"), falls);
    // Bars of a thousandth at four sizes in a ratio of 2: x − x̄ = (±1.5, ±0.5) ln 2, so 1e-3·4/(5 ln 2).
    let bar = 1e-3 * 4.0 / (5.0 * std::f64::consts::LN_2);
    assert_eq!(found.rows.len(), 2, "one for each β");
    assert!((found.rows[0].measured.numerical - bar).abs() < 1e-9, "{:?}", found.rows[0].measured);
    let decreasing = "quantity = \"coupled\"\nagainst = \"n\"\nrelation = \"decreasing\"";
    assert_eq!(verdict(decreasing, falls), VerdictKind::Holds);
    assert_eq!(verdict(decreasing, |cell| 1.0 / falls(cell)), VerdictKind::FailsAsPrinted);
    let flat = |cell: &Cell| 1.0 + 0.3 * ((cell.seed * 7 + cell.setting.n as u64 / 20) % 5) as f64;
    assert_eq!(verdict(decreasing, flat), VerdictKind::Inconclusive, "noise hides it");
}

#[test]
fn what_is_missing_or_known_from_one_seed_is_inconclusive() {
    let statement = "quantity = \"coupled\"\nrelation = \"at_most\"\nto = 1e9";
    let study = with(statement);
    let spec = Spec::parse("study.toml", &study).unwrap();
    let mut part = table(&spec, falls);
    part.cells[3].row = None;
    let summary = Summary::new(&spec, &part, Completeness::Waived).unwrap();
    assert!(summary.statements[0].verdict.remark().unwrap().contains("1 of 40 cells have no row"));
    let one_seed = study.replace("seeds = 5", "seeds = 1");
    let spec = Spec::parse("study.toml", &one_seed).unwrap();
    let summary = Summary::new(&spec, &table(&spec, falls), Completeness::Required).unwrap();
    assert!(summary.statements[0].verdict.remark().unwrap().contains("one seed"));
    // What all seeds share is known from one.
    let exact =
        one_seed.replace("quantity = \"coupled\"\nrelation", "quantity = \"w1_exact_prior\"\nrelation");
    let spec = Spec::parse("study.toml", &exact).unwrap();
    let summary = Summary::new(&spec, &table(&spec, falls), Completeness::Required).unwrap();
    assert_eq!(summary.statements[0].verdict.kind(), VerdictKind::Holds);
}

/// The statement of the hitting time: about particles with the noise that their tokens have, and about the exact solution with `τ`.
const HITTING: &str = r#"
title = "T*"
quantities = ["hitting_time", "excess_variance", "hitting_time_exact"]
[prior]
kind = "gaussian"
mean = 0
std = 1
[noise]
variance = 4
[flow]
beta = 0.1
rtol = 1e-6
atol = 1e-6
[sweep]
n = [800]
seeds = 40
[[statement]]
id = "particles"
says = "The variance of the particles is back at the prior's at T*."
quantity = "hitting_time"
relation = "equal"
to = "excess_variance/2 + 1/2/beta*ln(1 + excess_variance/prior_var)"
[[statement]]
id = "exact"
says = "So is that of the mean field."
quantity = "hitting_time_exact"
relation = "equal"
to = "tau/2 + 1/2/beta*ln(1 + tau/prior_var)"
"#;

#[test]
fn the_hitting_time_is_judged_by_a_study_of_its_own() {
    let bench = Bench::with(HITTING);
    let text = bench.good(&["study", "study.toml", "--out", "right", "--junit", "right.xml"]);
    assert!(text.contains("✓ particles: holds") && text.contains("✓ exact: holds"), "{text}");
    let junit = std::fs::read_to_string(bench.path("right.xml")).unwrap();
    assert!(junit.contains(r#"tests="3" skipped="0" failures="0""#), "{junit}");
    let page = std::fs::read_to_string(bench.path("right").join("report.html")).unwrap();
    assert!(page.contains("id=\"statements\"") && page.contains("back at the prior"));
    // The rows are those of the right study: statements are no part of what determines them.
    for (half, wrong) in
        [("variance/2 +", "variance*0.51 +"), ("tau/2 +", "tau*0.51 +"), ("1/2/beta", "0.51/beta")]
    {
        std::fs::write(bench.path("study.toml"), HITTING.replace(half, wrong)).unwrap();
        let output = bench.run(&["study", "study.toml", "--out", "right", "--json", "--junit", "wrong.xml"]);
        assert_eq!(output.status.code(), Some(1), "{wrong}: {}", stderr(&output));
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let statements = json["statements"].as_array().unwrap();
        for (at, statement) in statements.iter().enumerate() {
            let touched = if at == 0 { !wrong.starts_with("tau") } else { !wrong.starts_with("variance") };
            let verdict = if touched { "fails_as_printed" } else { "holds" };
            assert_eq!(statement["verdict"], verdict, "{wrong}: {statement}");
            assert_eq!(statement["margin"].as_f64().unwrap() < 0.0, touched);
        }
        let junit = std::fs::read_to_string(bench.path("wrong.xml")).unwrap();
        assert!(junit.contains("expected: holds") && !junit.contains(r#"failures="0""#), "{junit}");
    }
}

/// A statement's lines, with a bar where the caret is (nowhere: at its head), and words of the message.
const MISTAKES: &[(&str, &str)] = &[
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = \"tau/2 + |lnn(2)\"", "did you mean `ln`?"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = \"2*|bta\"", "did you mean `beta`?"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = \"2 |beta\"", "an operator is missing"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = \"(2 + 1|\"", "not closed"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = \"|radius\"", "unknown name `radius`"),
    ("quantity = \"coupled\"\nrelation = \"equal\"", "say to what"),
    ("quantity = \"coupled\"\nrelation = |\"equals\"\nto = 1", "did you mean `equal`?"),
    ("quantity = |\"coupld\"\nrelation = \"equal\"\nto = 1", "did you mean `coupled`?"),
    ("quantity = |\"kept\"\nrelation = \"equal\"\nto = 1", "add \"kept\" to `quantities`"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = |true", "expected a number"),
    ("quantity = \"coupled\"\nrelation = \"within\"\nto = |1", "give two ends"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = 1\nwhere = \"beta|\"", "a comparison is missing"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = 1\nwhere = |\"beta > 99\"", "no setting"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = 1\nwhere = \"|coupled < 1\"", "unknown name"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = 1\nexpect = |\"true\"", "unknown verdict"),
    ("quantity = \"coupled\"\nrelation = \"equal\"\nto = 1\nagainst = |\"n\"", "no effect"),
    ("slope_of = \"coupled\"\nrelation = \"equal\"\nto = 1", "against which parameter"),
    ("slope_of = \"coupled\"\nagainst = |\"layers\"\nrelation = \"equal\"\nto = 1", "not swept"),
    ("slope_of = \"coupled\"\nagainst = |\"N\"\nrelation = \"equal\"\nto = 1", "unknown parameter"),
    ("quantity = \"coupled\"\nslope_of = |\"coupled\"\nrelation = \"equal\"\nto = 1", "beside `quantity`"),
    ("quantity = \"coupled\"\nrelation = \"decreasing\"", "against which parameter"),
    ("quantity = \"coupled\"\nagainst = \"n\"\nrelation = \"decreasing\"\nto = |1", "no effect"),
    ("|quantiy = \"coupled\"\nrelation = \"equal\"\nto = 1", "did you mean `quantity`?"),
];

/// Line and column of the bar, as a compiler counts them; of the table's head where there is none.
fn place(study: &str) -> String {
    let at = study.find('|').unwrap_or_else(|| study.rfind("[[statement]]").unwrap());
    let before = &study[..at];
    let line = before.matches('\n').count() + 1;
    format!("study.toml:{line}:{}", before.chars().rev().take_while(|c| *c != '\n').count() + 1)
}

#[test]
fn mistakes_in_statements_show_their_place_and_a_remedy() {
    for (statement, words) in MISTAKES {
        let marked = with(statement);
        let shown = Spec::parse("study.toml", &marked.replace('|', "")).unwrap_err().to_string();
        assert!(shown.contains(&place(&marked)), "{statement}: {}\n{shown}", place(&marked));
        assert!(shown.contains(words), "{statement}: {words}\n{shown}");
    }
    let twice = with("quantity = \"coupled\"\nrelation = \"at_most\"\nto = 1");
    let twice = format!(
        "{twice}[[statement]]\nid = \"s\"\nsays = \"\"\nquantity = \"coupled\"\nrelation = \"at_most\"\nto = 1\n"
    );
    assert!(Spec::parse("study.toml", &twice).unwrap_err().to_string().contains("its own id"));
}
