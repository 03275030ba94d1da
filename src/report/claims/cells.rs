//! Rows and records as cells of a table.

use crate::claim::{Record, Relation, Role, Row, VerdictKind};
use crate::measured::Measured;
use crate::report::number::{plain, with_error};

/// Columns of a table of rows.
pub(in crate::report) const ROW_HEADER: [&str; 7] =
    ["", "setting", "quantity", "measured", "", "predicted", "margin"];

/// Columns of a table of records.
pub(super) const RECORD_HEADER: [&str; 6] =
    ["claim", "paper", "verdict", "in a word", "tightest row", "margin"];

/// A number with an error bar below this share of it is shown without, to so many digits.
const KNOWN: f64 = 1e-13;
const DIGITS: usize = 8;

/// A row as cells: whether it agrees, what it is about, both numbers and how they should relate.
pub(in crate::report) fn row_cells(row: &Row) -> [String; 7] {
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

/// A record as cells: its verdict, the row that answers a reader's question, and the row that decides.
pub(super) fn record_cells(record: &Record) -> [String; 6] {
    let tightest = |row: &Row| format!("{}: {}", row.name(), comparison(row));
    let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "–".into());
    [
        record.card.id.into(),
        record.card.number(),
        format!("{} {}", verdict_sign(record.verdict.kind()), record.verdict.words()),
        or_dash(headline(record)),
        or_dash(record.decisive().map(tightest)),
        or_dash(record.decisive().map(margin)),
    ]
}

/// What a reader wants to know first, in words and numbers.
pub(super) fn headline(record: &Record) -> Option<String> {
    record.headline().map(|row| format!("{}: {}", caption(record, row), comparison(row)))
}

/// The card's words for its headline; the row's own where the evidence has no such row.
fn caption(record: &Record, row: &Row) -> String {
    let headline = &record.card.headline;
    if row.name() == headline.row { headline.says.into() } else { row.name() }
}

/// `0.998 ± 0.003 ≤ 2`; what is not judged stands side by side.
pub(in crate::report) fn comparison(row: &Row) -> String {
    let between = if row.role == Role::Context { "beside" } else { relation(row.relation) };
    format!("{} {between} {}", number(row.measured), number(row.predicted))
}

/// How the evidence disappoints: which verdict was expected, and the worst row.
pub(in crate::report) fn complaint(record: &Record) -> String {
    let expected = format!("{} (expected: {})", record.verdict.words(), record.card.expected.words());
    let remark = record.verdict.remark().map_or_else(String::new, |remark| format!("; {remark}"));
    let row = record.decisive().map_or_else(String::new, |row| {
        let [_, case, quantity, measured, relation, predicted, margin] = row_cells(row);
        format!("; decided by {case}: {quantity} {measured} {relation} {predicted}, margin {margin}")
    });
    format!("{expected}{remark}{row}")
}

/// A mark for a verdict.
pub(in crate::report) fn verdict_sign(kind: VerdictKind) -> &'static str {
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

pub(in crate::report) fn margin(row: &Row) -> String {
    let margin = row.margin();
    if margin.is_finite() { plain(margin, 2) } else { "none".into() }
}
