//! Verdicts for other programs.

use serde::Serialize;

use crate::claim::{Card, Claim, Evidence, Record, Row};
use crate::preset::Preset;

/// The verdicts of a run.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    preset: Preset,
    as_expected: bool,
    claims: Vec<Entry<'a>>,
}

/// One claim. `measured`, `predicted` and `margin` are those of the row that decides; they are null where there is none
/// or it is not finite, and
/// `remark` says why.
#[derive(Debug, Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    card: Heading,
    verdict: &'static str,
    expected: &'static str,
    measured: Option<f64>,
    measured_error: Option<f64>,
    predicted: Option<f64>,
    predicted_error: Option<f64>,
    margin: Option<f64>,
    decided_by: Option<String>,
    regime: &'static str,
    remark: Option<&'a str>,
    seconds: Option<f64>,
    rows: &'a [Row],
}

/// What is known of a claim before any evidence.
#[derive(Debug, Serialize)]
pub struct Heading {
    id: &'static str,
    label: &'static str,
    statement: &'static str,
}

impl Heading {
    fn of(card: &'static Card) -> Self {
        Self { id: card.id, label: card.label, statement: card.statement }
    }
}

/// The verdicts of a run.
pub fn json(evidence: &Evidence) -> Document<'_> {
    let claims = evidence.records.iter().map(entry).collect();
    Document { preset: evidence.preset, as_expected: evidence.is_expected(), claims }
}

/// The register without verdicts.
pub fn headings(register: &[&dyn Claim]) -> Vec<Heading> {
    register.iter().map(|claim| Heading::of(claim.card())).collect()
}

fn entry(record: &Record) -> Entry<'_> {
    let row = record.decisive();
    Entry {
        card: Heading::of(record.card),
        verdict: record.verdict.kind().key(),
        expected: record.card.expected.key(),
        measured: row.map(|row| row.measured.value),
        measured_error: row.map(|row| row.measured.allowance()),
        predicted: row.map(|row| row.predicted.value),
        predicted_error: row.map(|row| row.predicted.allowance()),
        margin: row.map(Row::margin),
        decided_by: row.map(Row::name),
        regime: record.card.regime,
        remark: record.verdict.remark(),
        seconds: record.elapsed.map(|elapsed| elapsed.as_secs_f64()),
        rows: &record.rows,
    }
}
