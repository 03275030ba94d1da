//! Verdicts for other programs.

use serde::Serialize;

use crate::claim::{Card, Claim, Evidence, Record, Relation, Row, Severity};
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
    severity: Option<Severity>,
    expected: &'static str,
    #[serde(flatten)]
    decisive: Decisive,
    headline: Option<Headline>,
    regime: &'static str,
    remark: Option<&'a str>,
    seconds: Option<f64>,
    rows: &'a [Row],
}

/// The row that decides; all null where there is none.
#[derive(Debug, Serialize)]
pub struct Decisive {
    measured: Option<f64>,
    measured_error: Option<f64>,
    predicted: Option<f64>,
    predicted_error: Option<f64>,
    margin: Option<f64>,
    decided_by: Option<String>,
}

impl Decisive {
    pub fn of(row: Option<&Row>) -> Self {
        Self {
            measured: row.map(|row| row.measured.value),
            measured_error: row.map(|row| row.measured.allowance()),
            predicted: row.map(|row| row.predicted.value),
            predicted_error: row.map(|row| row.predicted.allowance()),
            margin: row.map(Row::margin),
            decided_by: row.map(Row::name),
        }
    }
}

/// The row that answers a reader's question.
#[derive(Debug, Serialize)]
struct Headline {
    says: &'static str,
    row: String,
    measured: f64,
    measured_error: f64,
    relation: Relation,
    predicted: f64,
    predicted_error: f64,
    margin: f64,
}

/// What is known of a claim before any evidence.
#[derive(Debug, Serialize)]
pub struct Heading {
    id: &'static str,
    number: String,
    label: &'static str,
    statement: &'static str,
    gist: &'static str,
}

impl Heading {
    fn of(card: &'static Card) -> Self {
        Self {
            id: card.id,
            number: card.number(),
            label: card.label,
            statement: card.statement,
            gist: card.gist,
        }
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
    Entry {
        card: Heading::of(record.card),
        verdict: record.verdict.kind().key(),
        severity: record.verdict.severity(),
        expected: record.card.expected.key(),
        decisive: Decisive::of(record.decisive()),
        headline: record.headline().map(|row| headline(record, row)),
        regime: record.card.regime,
        remark: record.verdict.remark(),
        seconds: record.elapsed.map(|elapsed| elapsed.as_secs_f64()),
        rows: &record.rows,
    }
}

fn headline(record: &Record, row: &Row) -> Headline {
    Headline {
        says: record.card.headline.says,
        row: row.name(),
        measured: row.measured.value,
        measured_error: row.measured.allowance(),
        relation: row.relation,
        predicted: row.predicted.value,
        predicted_error: row.predicted.allowance(),
        margin: row.margin(),
    }
}
