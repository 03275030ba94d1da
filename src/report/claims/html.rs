//! A page of its own: verdicts, plots, every row.

use minijinja::value::Serde;
use serde::Serialize;

use super::cells::{ROW_HEADER, record_cells, row_cells, verdict_sign};
use super::figure::figure;
use super::text::tally;
use crate::claim::{Evidence, Record, VerdictKind};
use crate::error::Result;
use crate::report::html::rendered;

const TEMPLATE: &str = include_str!("page.html");

#[derive(Serialize)]
struct Page<'a> {
    tally: String,
    preset: &'static str,
    row_header: [&'static str; 7],
    claims: Vec<Section<'a>>,
}

#[derive(Serialize)]
struct Section<'a> {
    id: &'static str,
    label: &'static str,
    statement: &'static str,
    class: &'static str,
    verdict: String,
    surprise: Option<&'static str>,
    overview: Vec<String>,
    remark: Option<&'a str>,
    ours: &'static str,
    /// Where it was tested, unless the remark says so.
    tested: Option<&'static str>,
    figure: Option<String>,
    rows: Vec<[String; 7]>,
}

/// The page.
pub fn html(evidence: &Evidence) -> Result<String> {
    let page = Page {
        tally: tally(evidence),
        preset: evidence.preset.name(),
        row_header: ROW_HEADER,
        claims: evidence.records.iter().map(section).collect(),
    };
    rendered(TEMPLATE, Serde(page))
}

fn section(record: &Record) -> Section<'_> {
    let (card, kind) = (record.card, record.verdict.kind());
    let class = match kind {
        VerdictKind::Holds => "good",
        VerdictKind::HoldsWithin | VerdictKind::Inconclusive => "open",
        VerdictKind::FailsAsPrinted => "bad",
    };
    let [_, _, overview @ ..] = record_cells(record);
    Section {
        id: card.id,
        label: card.label,
        statement: card.statement,
        class,
        verdict: format!("{} {}", verdict_sign(kind), kind.words()),
        surprise: (!record.is_expected()).then(|| card.expected.words()),
        overview: overview.into(),
        remark: record.verdict.remark(),
        ours: card.ours,
        tested: (kind != VerdictKind::HoldsWithin).then_some(card.regime),
        figure: figure(record),
        rows: record.rows.iter().map(row_cells).collect(),
    }
}
