//! Statistics and fits from rows whose answer is known.

use std::collections::BTreeMap;

use ebflow::Measured;
use ebflow::study::{
    BandVerdict, Cell, CellRow, Completeness, Filled, FitOutcome, Measurement, Outcome, Quantity, Spec,
    Summary, Table, Values,
};

use crate::bench::SMALL;

/// A table in which every cell's coupled distance is what a function says.
fn table(spec: &Spec, value: impl Fn(&Cell) -> Option<f64>) -> Table {
    let filled = |cell: Cell| {
        let row = value(&cell).map(|value| {
            let quantities =
                BTreeMap::from([(Quantity::Coupled, Measurement::Number(Measured::exact(value)))]);
            let values = Values { quantities, evaluations: 1, cloud: None };
            CellRow::new(cell.key(spec), &cell, Outcome::Values(Box::new(values)))
        });
        Filled { cell, row }
    };
    Table { cells: spec.cells().into_iter().map(filled).collect() }
}

fn spec(expect: &str) -> Spec {
    Spec::parse("study.toml", &SMALL.replace("expect = [-2.0, 0.5]", expect)).unwrap()
}

/// A factor per seed that all sizes share.
fn factor(cell: &Cell) -> f64 {
    1.0 + 0.2 * cell.seed as f64
}

#[test]
fn exact_power_laws_are_recovered_and_shared_noise_drops_out() {
    let spec = spec("expect = [-0.51, -0.49]");
    let n = |cell: &Cell| cell.setting.n as f64;
    let table = table(&spec, |cell| Some(3.0 * factor(cell) * n(cell).powf(-0.5)));
    let summary = Summary::new(&spec, &table, Completeness::Required).unwrap();
    assert_eq!(summary.fits.len(), 2, "one for each β");
    for fit in &summary.fits {
        let found = fit.fitted().unwrap();
        assert!((found.slope.estimate + 0.5).abs() < 1e-12);
        assert!(found.by_seed && found.slope.standard_error < 1e-12, "the seeds' factors drop out");
        assert_eq!(fit.verdict, BandVerdict::Within);
        // The geometric mean of the factors: Python, prod([1, 1.2, 1.4, 1.6, 1.8]) ** 0.2 = 1.3690183...
        let mean = (1.0_f64 * 1.2 * 1.4 * 1.6 * 1.8).powf(0.2);
        assert!((found.line.at(80.0) - 3.0 * mean * 80f64.powf(-0.5)).abs() < 1e-12);
        for step in &found.steps {
            // Differences within seeds vary by the factor only, and less than unpaired ones.
            assert!(step.difference.standard_error < 0.5 * step.unpaired_standard_error);
        }
    }
    // Mean over the seeds: 1.4; standard deviation of 1, 1.2, 1.4, 1.6, 1.8 is √0.1.
    let statistic = summary.settings[0].quantities[&Quantity::Coupled];
    let scale = 3.0 * 20f64.powf(-0.5);
    assert!((statistic.mean.value / scale - 1.4).abs() < 1e-12);
    assert!((statistic.mean.sampling / scale - (0.1_f64 / 5.0).sqrt()).abs() < 1e-12);
}

#[test]
fn verdicts_follow_the_whole_interval() {
    let noisy = |cell: &Cell| {
        let wiggle = [0.9, 1.1, 1.0, 0.95, 1.05][(cell.seed as usize + cell.setting.n / 20) % 5];
        Some(wiggle * (cell.setting.n as f64).powf(-0.5))
    };
    let verdict = |expect: &str| {
        let spec = spec(expect);
        let summary = Summary::new(&spec, &table(&spec, noisy), Completeness::Required).unwrap();
        summary.fits[0].verdict
    };
    assert_eq!(verdict("expect = [-1.0, 0.0]"), BandVerdict::Within);
    assert_eq!(verdict("expect = [-0.5, -0.4999]"), BandVerdict::Undecided);
    assert_eq!(verdict("expect = [1.0, 2.0]"), BandVerdict::Outside);
    assert_eq!(verdict(""), BandVerdict::NoBand);
}

#[test]
fn a_floor_is_found_by_the_mixed_model() {
    let spec = spec("model = \"mixed\"\nexpect = [-1.05, -0.95]");
    let value = |cell: &Cell| Some(2.0 / cell.setting.n as f64 + 0.01 + 1e-9 * cell.seed as f64);
    let summary = Summary::new(&spec, &table(&spec, value), Completeness::Required).unwrap();
    let found = summary.fits[0].fitted().unwrap();
    assert!((found.slope.estimate + 1.0).abs() < 1e-4, "{found:?}");
    assert!((found.floor.unwrap().estimate - 0.01).abs() < 1e-6);
    assert_eq!(summary.fits[0].verdict, BandVerdict::Within);
}

#[test]
fn incomplete_sweeps_are_refused_unless_asked_for() {
    let spec = spec("");
    let missing = |cell: &Cell| (cell.seed != 3).then(|| (cell.setting.n as f64).powf(-0.5));
    let table = table(&spec, missing);
    let strict = Summary::new(&spec, &table, Completeness::Required).unwrap();
    let FitOutcome::Refused(reason) = &strict.fits[0].outcome else { panic!("fitted") };
    assert!(reason.contains("4 of 20 values are missing"), "{reason}");
    let lenient = Summary::new(&spec, &table, Completeness::Waived).unwrap();
    assert!((lenient.fits[0].fitted().unwrap().slope.estimate + 0.5).abs() < 1e-12);
}

#[test]
fn numbers_that_have_no_logarithm_are_refused_with_a_reason() {
    let spec = spec("");
    let summary = Summary::new(&spec, &table(&spec, |_| Some(0.0)), Completeness::Required).unwrap();
    let FitOutcome::Refused(reason) = &summary.fits[0].outcome else { panic!("fitted") };
    assert!(reason.contains("positive"), "{reason}");
}
