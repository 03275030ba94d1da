//! Rows and records as cells of a table.

use crate::claim::{Record, Relation, Role, Row, VerdictKind};
use crate::measured::Measured;
use crate::report::number::{plain, with_error};

/// Columns of a table of rows.
pub(super) const ROW_HEADER: [&str; 7] = ["", "setting", "quantity", "measured", "", "predicted", "margin"];

/// Columns of a table of records.
pub(super) const RECORD_HEADER: [&str; 6] =
    ["claim", "verdict", "decided by", "measured", "predicted", "margin"];

/// A number with an error bar below this share of it is shown without, to so many digits.
const KNOWN: f64 = 1e-13;
const DIGITS: usize = 8;

/// A row as cells: whether it agrees, what it is about, both numbers and how they should relate.
pub(super) fn row_cells(row: &Row) -> [String; 7] {
    [
        sign(row).into(),
        row.case.clone(),
        match row.role {
            Role::Stated => row.quantity.clone(),
            Role::Corrected => format!("{} (corrected)", row.quantity),
            Role::Beyond => format!("{} (beyond the regime)", row.quantity),
            Role::Context => format!("{} (context)", row.quantity),
        },
        number(row.measured),
        // What is not judged stands side by side.
        if row.role == Role::Context { "compared with" } else { relation(row.relation) }.into(),
        number(row.predicted),
        if row.role == Role::Context { "–".into() } else { margin(row) },
    ]
}

/// A record as cells: its verdict, and the row that decides it.
pub(super) fn record_cells(record: &Record) -> [String; 6] {
    let decisive = record.decisive();
    let side = |of: fn(&Row) -> String| decisive.map_or_else(|| "–".into(), of);
    [
        record.card.id.into(),
        format!("{} {}", verdict_sign(record.verdict.kind()), record.verdict.kind().words()),
        side(Row::name),
        side(|row| number(row.measured)),
        side(|row| format!("{} {}", relation(row.relation), number(row.predicted))),
        side(margin),
    ]
}

/// How the evidence disappoints: which verdict was expected, and the worst row.
pub(super) fn complaint(record: &Record) -> String {
    let expected = format!("{} (expected: {})", record.verdict.kind().words(), record.card.expected.words());
    let remark = record.verdict.remark().map_or_else(String::new, |remark| format!("; {remark}"));
    let row = record.decisive().map_or_else(String::new, |row| {
        let [_, case, quantity, measured, relation, predicted, margin] = row_cells(row);
        format!("; decided by {case}: {quantity} {measured} {relation} {predicted}, margin {margin}")
    });
    format!("{expected}{remark}{row}")
}

/// A mark for a verdict.
pub(super) fn verdict_sign(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Holds => "✓",
        VerdictKind::HoldsWithin => "◐",
        VerdictKind::FailsAsPrinted => "✗",
        VerdictKind::Inconclusive => "?",
    }
}

fn sign(row: &Row) -> &'static str {
    match row.role {
        Role::Context => "·",
        _ if !row.is_finite() || row.is_blurred() => "?",
        _ if row.agrees() => "✓",
        _ => "✗",
    }
}

fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "=",
        Relation::AtMost => "≤",
        Relation::AtLeast => "≥",
    }
}

/// A number with all that may be wrong with it.
pub(super) fn number(value: Measured) -> String {
    if !value.is_finite() {
        return "not a finite number".into();
    }
    match value.allowance() <= KNOWN * value.value.abs() {
        true => plain(value.value, DIGITS),
        false => with_error(value.value, Some(value.allowance())),
    }
}

fn margin(row: &Row) -> String {
    let margin = row.margin();
    if margin.is_finite() { plain(margin, 2) } else { "none".into() }
}
