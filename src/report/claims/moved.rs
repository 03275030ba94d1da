//! What has changed since evidence was accepted.

use std::fmt::Write;

use serde::Serialize;

use super::cells::complaint;
use crate::claim::baseline::{Change, Difference, Side};
use crate::claim::{Evidence, Record};
use crate::report::number::plain;

/// Digits that tell numbers apart which are a few error bars from each other.
const DIGITS: usize = 10;

/// Evidence gathered again, beside what was accepted.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    /// The evidence as it is now.
    pub found: &'a Evidence,
    /// What differs from what was accepted.
    pub changes: &'a [Change],
    /// Claims of which nothing was accepted, and which were not looked at.
    pub not_checked: &'a [&'static str],
    /// The command that accepts the evidence as it is now.
    pub acceptance: &'a str,
}

impl Comparison<'_> {
    /// True when nothing has changed and every verdict is the expected one.
    pub fn is_good(&self) -> bool {
        self.changes.is_empty() && self.found.is_expected()
    }

    fn surprises(&self) -> impl Iterator<Item = &Record> {
        self.found.records.iter().filter(|record| !record.is_expected())
    }
}

/// One line per change, then one that counts them.
pub fn moved(comparison: &Comparison<'_>) -> String {
    let Comparison { found, changes, not_checked, acceptance } = *comparison;
    let mut out = String::new();
    for change in changes {
        let _ = writeln!(out, "{}: {}", change.claim, sentence(&change.what));
    }
    for record in comparison.surprises() {
        let _ = writeln!(out, "{}: {}", record.card.id, complaint(record));
    }
    if !not_checked.is_empty() {
        let _ = writeln!(out, "not checked, because nothing was accepted: {}", not_checked.join(", "));
    }
    let rows: usize = found.records.iter().map(|record| record.rows.len()).sum();
    let claims = match found.records.len() {
        1 => "1 claim".to_owned(),
        n => format!("{n} claims"),
    };
    let _ = match changes.len() {
        0 => writeln!(out, "nothing moved: {rows} rows of {claims} are within their error bars"),
        n => writeln!(out, "{n} changes among {rows} rows of {claims}; to accept them, run `{acceptance}`"),
    };
    out
}

/// What is different, in words.
pub(super) fn sentence(difference: &Difference) -> String {
    match difference {
        Difference::Moved { row, side, old, new, bars } => {
            let bars = match bars.is_finite() {
                true => format!("by {} error bars", plain(*bars, 3)),
                false => "beyond any error bar".into(),
            };
            let (old, new) = (digits(*old), digits(*new));
            format!("{row}: the {} number moved {bars}, from {old} to {new}", side_word(*side))
        }
        Difference::Bar { row, side, old, new } => {
            let (old, new) = (digits(*old), digits(*new));
            format!("{row}: the error bar of the {} number was {old} and is {new}", side_word(*side))
        }
        Difference::Missing { row } => format!("{row}: the row is gone"),
        Difference::Added { row } => format!("{row}: the row is new"),
        Difference::Verdict { old, new, remark } => {
            let remark = remark.as_ref().map_or_else(String::new, |remark| format!(" ({remark})"));
            format!("the verdict was '{}' and is '{}'{remark}", old.words(), new.words())
        }
    }
}

fn side_word(side: Side) -> &'static str {
    match side {
        Side::Measured => "measured",
        Side::Predicted => "predicted",
    }
}

fn digits(x: f64) -> String {
    if x.is_finite() { plain(x, DIGITS) } else { "not finite".into() }
}

/// A comparison for other programs. A number that is not finite is null, and the message says so.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    unchanged: bool,
    as_expected: bool,
    not_checked: &'a [&'static str],
    changes: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    change: &'a Change,
    message: String,
}

/// A comparison for other programs.
pub fn moved_json<'a>(comparison: &Comparison<'a>) -> Document<'a> {
    let entry = |change: &'a Change| Entry { change, message: sentence(&change.what) };
    Document {
        unchanged: comparison.changes.is_empty(),
        as_expected: comparison.found.is_expected(),
        not_checked: comparison.not_checked,
        changes: comparison.changes.iter().map(entry).collect(),
    }
}
