//! What has changed since evidence was accepted.

use std::fmt::Write;

use serde::Serialize;

use super::cells::complaint;
use crate::claim::baseline::{Change, Difference, Side};
use crate::claim::{Evidence, Record};
use crate::error::counted;
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
    for group in groups(comparison) {
        group.lines.iter().for_each(|line| {
            let _ = writeln!(out, "{}: {line}", group.claim);
        });
    }
    if !not_checked.is_empty() {
        let _ = writeln!(out, "not checked, because nothing was accepted: {}", not_checked.join(", "));
    }
    let rows: usize = found.records.iter().map(|record| record.rows.len()).sum();
    let (rows, claims) = (counted(rows, "row"), counted(found.records.len(), "claim"));
    let _ = match changes.len() {
        0 => writeln!(out, "nothing moved: {rows} of {claims} are within their error bars"),
        n => {
            let changes = counted(n, "change");
            writeln!(out, "{changes} among {rows} of {claims}; to accept, run `{acceptance}`")
        }
    };
    out
}

/// What is to be said of one claim, all of one kind.
pub(super) struct Lines {
    pub claim: &'static str,
    /// What the lines are about, in the plural.
    pub about: &'static str,
    pub lines: Vec<String>,
}

/// Verdicts first, for they decide; then numbers, then rows that came and went, then error bars. Those of one claim stand
/// together.
pub(super) fn groups(comparison: &Comparison<'_>) -> Vec<Lines> {
    let unexpected = comparison.surprises().map(|record| (record.card.id, VERDICTS, complaint(record)));
    let changed =
        comparison.changes.iter().map(|change| (change.claim, about(&change.what), sentence(&change.what)));
    let all: Vec<_> = unexpected.chain(changed).collect();
    let mut groups: Vec<Lines> = Vec::new();
    for kind in KINDS {
        for (claim, about, line) in all.iter().filter(|(_, about, _)| *about == kind) {
            match groups.iter_mut().find(|group| group.claim == *claim && group.about == *about) {
                Some(group) => group.lines.push(line.clone()),
                None => groups.push(Lines { claim, about, lines: vec![line.clone()] }),
            }
        }
    }
    groups
}

const VERDICTS: &str = "verdicts";
const KINDS: [&str; 4] = [VERDICTS, "numbers", "rows", "error bars"];

fn about(difference: &Difference) -> &'static str {
    match difference {
        Difference::Verdict { .. } => VERDICTS,
        Difference::Moved { .. } => KINDS[1],
        Difference::Missing { .. } | Difference::Added { .. } => KINDS[2],
        Difference::Bar { .. } => KINDS[3],
    }
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
