//! A page of its own: verdicts, plots, every row.

use super::cells::{ROW_HEADER, headline, record_cells, row_cells, verdict_sign};
use super::figure::figure;
use super::text::tally;
use crate::claim::{Evidence, Record, VerdictKind};
use crate::report::page::{cells, header, page, rows};
use crate::report::svg::escape;

const TEMPLATE: &str = include_str!("page.html");

/// The page.
pub fn html(evidence: &Evidence) -> String {
    let parts = [
        ("tally", escape(&tally(evidence))),
        ("preset", evidence.preset.name().into()),
        (
            "provenance",
            evidence.provenance.as_ref().map_or_else(String::new, |p| escape(&format!("; gathered by {p}"))),
        ),
        ("overview", evidence.records.iter().map(overview).collect()),
        ("claims", evidence.records.iter().map(section).collect::<Vec<_>>().join("\n")),
    ];
    page(TEMPLATE, &parts)
}

/// How a page shows a verdict, and the verdict.
fn verdict(record: &Record) -> (&'static str, String) {
    let kind = record.verdict.kind();
    let class = match kind {
        VerdictKind::Holds => "good",
        VerdictKind::HoldsWithin | VerdictKind::Inconclusive => "open",
        VerdictKind::FailsAsPrinted => "bad",
    };
    (class, format!("{} {}", verdict_sign(kind), record.verdict.words()))
}

/// A claim as a row of the first table.
fn overview(record: &Record) -> String {
    let (class, verdict) = verdict(record);
    let expected = match record.is_expected() {
        true => String::new(),
        false => format!(" (expected: {})", record.card.expected.words()),
    };
    let id = record.card.id;
    let [_, number, _, found @ ..] = record_cells(record);
    format!(
        "<tr><td class=\"{class}\">{verdict}{expected}</td><td><a href=\"#{id}\">{id}</a></td>{}{}</tr>\n",
        cells([number]),
        cells(found)
    )
}

/// All about a claim.
fn section(record: &Record) -> String {
    let (card, (class, verdict)) = (record.card, verdict(record));
    let (id, label, statement) = (card.id, escape(card.label), escape(card.statement));
    let (number, headline) = (escape(&card.number()), escape(&headline(record).unwrap_or_default()));
    let ours = if card.ours.is_empty() { String::new() } else { format!("; {}", escape(card.ours)) };
    let remark = record.verdict.remark().map_or_else(String::new, |remark| format!(": {}", escape(remark)));
    // Where it was tested, unless the remark says so.
    let tested = match record.verdict.kind() {
        VerdictKind::HoldsWithin => String::new(),
        _ => format!(" <span class=\"label\">Tested in: {}.</span>", escape(card.regime)),
    };
    let figure = figure(record).map_or_else(String::new, |figure| figure + "\n");
    let open = if record.is_expected() { "" } else { " open" };
    format!(
        "
<h2 id=\"{id}\">{id}</h2>
<p>{statement} <span class=\"label\">Paper: {number}, <code>{label}</code>{ours}.</span></p>
<p><b>{headline}</b></p>
<p><span class=\"{class}\">{verdict}</span>{remark}.{tested}</p>
{figure}<details{open}><summary>{} rows</summary>
<div class=\"scroll\"><table class=\"rows\">
{}{}</table></div></details>",
        record.rows.len(),
        header(&ROW_HEADER),
        rows(record.rows.iter().map(row_cells)),
    )
}
