//! What became of a study's own statements, for a terminal, a page, other programs and continuous integration.

use std::fmt::Write;

use serde::Serialize;

use super::Material;
use super::claims::Decisive;
use super::claims::cells::{ROW_HEADER, comparison, margin, row_cells, verdict_sign};
use super::junit::{Case, document};
use super::page::{cells, header, rows};
use super::svg::escape;
use super::text::{fit_name, status};
use crate::claim::{Role, Row, VerdictKind};
use crate::error::counted;
use crate::study::{BandVerdict, CellRow, Fit, Statement};

/// Two lines per statement, and a third where there is something to say.
pub(super) fn text(statements: &[Statement]) -> String {
    let mut out = String::new();
    for statement in statements {
        let _ = writeln!(out, "{} {}: {}", sign(statement), statement.spec.id, verdict(statement));
        let _ = writeln!(out, "    {}", statement.spec.says);
        if let Some(row) = statement.decisive() {
            let _ = writeln!(out, "    {}: {}; margin {}", row.name(), comparison(row), margin(row));
        }
        if let Some(remark) = remark(statement) {
            let _ = writeln!(out, "    {remark}");
        }
    }
    out
}

/// What is to be said of an unexpected verdict.
pub(super) fn complaint(statement: &Statement) -> String {
    let row = statement.decisive().map(|row| format!("decided by {}: {}", row.name(), comparison(row)));
    [Some(verdict(statement)), remark(statement), row].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// A table of verdicts, and every row behind them.
pub(super) fn html(statements: &[Statement]) -> String {
    if statements.is_empty() {
        return String::new();
    }
    let names = header(&["verdict", "statement", "says", "tightest row", "margin"]);
    let overview: String = statements.iter().map(line).collect();
    let details: String = statements.iter().map(details).collect();
    format!(
        "<h2>Statements</h2>
<div class=\"scroll\"><table id=\"statements\">
{names}{overview}</table></div>
<p class=\"label\">Numbers stand with all that may be wrong with them, four standard errors of sampling included. Below a margin of zero \
         the rows contradict the statement.</p>
{details}"
    )
}

fn line(statement: &Statement) -> String {
    let row = statement.decisive();
    let tightest = row.map_or_else(
        || remark(statement).unwrap_or_default(),
        |row| format!("{}: {}", row.name(), comparison(row)),
    );
    let margin = row.map_or_else(|| "–".into(), margin);
    let rest = cells([statement.spec.id.clone(), statement.spec.says.clone(), tightest, margin]);
    let class = class(statement.verdict.kind());
    format!("<tr><td class=\"{class}\">{} {}</td>{rest}</tr>\n", sign(statement), escape(&verdict(statement)))
}

fn details(statement: &Statement) -> String {
    if statement.rows.is_empty() {
        return String::new();
    }
    format!(
        "<details{}><summary>{}: {}</summary>\n<div class=\"scroll\"><table class=\"rows\">\n{}{}</table></div></details>\n",
        if statement.is_expected() { "" } else { " open" },
        escape(&statement.spec.id),
        counted(statement.rows.len(), "row"),
        header(&ROW_HEADER),
        rows(statement.rows.iter().map(row_cells)),
    )
}

fn class(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Holds => "good",
        VerdictKind::HoldsWithin | VerdictKind::Inconclusive => "open",
        VerdictKind::FailsAsPrinted => "bad",
    }
}

fn sign(statement: &Statement) -> &'static str {
    verdict_sign(statement.verdict.kind())
}

/// The verdict in words, and the expected one where that is another.
pub(super) fn verdict(statement: &Statement) -> String {
    let words = words(statement.verdict.kind());
    if statement.is_expected() {
        return words.into();
    }
    format!("{words} (expected: {})", self::words(statement.spec.expect))
}

/// As the claims' words, without the print.
pub(super) fn words(kind: VerdictKind) -> &'static str {
    if kind == VerdictKind::FailsAsPrinted { "fails" } else { kind.words() }
}

/// Where it holds, or why nothing can be said.
fn remark(statement: &Statement) -> Option<String> {
    let remark = statement.remark()?;
    match statement.verdict.kind() {
        VerdictKind::HoldsWithin => Some(format!("it holds where {remark}")),
        VerdictKind::Inconclusive => Some(remark.to_owned()),
        VerdictKind::Holds | VerdictKind::FailsAsPrinted => None,
    }
}

/// A statement for other programs. `measured`, `predicted` and `margin` are those of the row that decides; null where there is none or it is
/// not finite, and `remark` says why.
#[derive(Debug, Serialize)]
pub struct Entry<'a> {
    id: &'a str,
    says: &'a str,
    verdict: &'static str,
    expected: &'static str,
    as_expected: bool,
    #[serde(flatten)]
    decisive: Decisive,
    remark: Option<&'a str>,
    rows: &'a [Row],
}

pub(super) fn entry(statement: &Statement) -> Entry<'_> {
    Entry {
        id: &statement.spec.id,
        says: &statement.spec.says,
        verdict: statement.verdict.kind().key(),
        expected: statement.spec.expect.key(),
        as_expected: statement.is_expected(),
        decisive: Decisive::of(statement.decisive()),
        remark: statement.remark(),
        rows: &statement.rows,
    }
}

/// A study in JUnit's format: a test case for the cells, for every slope with a band, and for every statement.
pub fn junit(material: &Material<'_>) -> String {
    let summary = material.summary;
    let banded = summary.fits.iter().filter(|fit| fit.expect.is_some());
    let mut cases = vec![of_cells(material)];
    cases.extend(banded.map(of_fit));
    cases.extend(summary.statements.iter().map(of_statement));
    document("ebflow study", &escape(&summary.title), &cases)
}

fn of_cells(material: &Material<'_>) -> Case {
    let failed =
        |row: &CellRow| row.error().map(|error| format!("{}, seed {}: {error}", row.setting, row.seed));
    let whole = material.summary.failed == 0 && material.summary.finished == material.summary.cells;
    Case {
        name: "cells".into(),
        class: "cells".into(),
        elapsed: None,
        failure: (!whole).then(|| ("cells", status(material))),
        output: material.table.rows().filter_map(failed).collect(),
    }
}

fn of_fit(fit: &Fit) -> Case {
    let said = fit.refusal().unwrap_or(fit.verdict.words());
    Case {
        name: fit_name(fit),
        class: "slopes".into(),
        elapsed: None,
        failure: (fit.verdict == BandVerdict::Outside).then(|| ("outside", said.to_owned())),
        output: vec![said.to_owned()],
    }
}

fn of_statement(statement: &Statement) -> Case {
    let against = |row: &&Row| row.role != Role::Context && !row.agrees();
    Case {
        name: statement.spec.id.clone(),
        class: "statements".into(),
        elapsed: None,
        failure: (!statement.is_expected()).then(|| (statement.verdict.kind().key(), complaint(statement))),
        output: statement.rows.iter().filter(against).map(|row| row_cells(row).join(" ")).collect(),
    }
}
