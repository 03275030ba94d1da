//! What has changed since evidence was accepted.

use std::fmt::Write;

use serde::Serialize;

use crate::claim::baseline::{Change, Difference, Side};
use crate::report::number::plain;

/// Digits that tell numbers apart which are a few error bars from each other.
const DIGITS: usize = 10;

/// One line per change.
pub fn moved(changes: &[Change]) -> String {
    let mut out = String::new();
    for change in changes {
        let _ = writeln!(out, "{}: {}", change.claim, sentence(&change.what));
    }
    out
}

/// What is different, in words.
pub(super) fn sentence(difference: &Difference) -> String {
    match difference {
        Difference::Moved { row, side, old, new, bars } => {
            let bars = if bars.is_finite() {
                format!("by {} error bars", plain(*bars, 3))
            } else {
                "beyond any error bar".into()
            };
            format!(
                "{row}: the {} number moved {bars}, from {} to {}",
                side_word(*side),
                digits(*old),
                digits(*new)
            )
        }
        Difference::Widened { row, side, old, new } => format!(
            "{row}: the error bar of the {} number grew from {} to {}",
            side_word(*side),
            plain(*old, 3),
            plain(*new, 3)
        ),
        Difference::Missing { row } => format!("{row}: the row is gone"),
        Difference::Added { row } => format!("{row}: the row is new"),
        Difference::Verdict { old, new } => {
            format!("the verdict was '{}' and is '{}'", old.words(), new.words())
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
    if x.is_finite() { plain(x, DIGITS) } else { "what is not a number".into() }
}

/// The changes for other programs; bars are null where there is no error bar.
#[derive(Debug, Serialize)]
pub struct Document {
    unchanged: bool,
    changes: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    claim: &'static str,
    change: &'static str,
    row: Option<String>,
    side: Option<&'static str>,
    old: Option<f64>,
    new: Option<f64>,
    error_bars: Option<f64>,
    message: String,
}

/// The changes for other programs.
pub fn moved_json(changes: &[Change]) -> Document {
    Document { unchanged: changes.is_empty(), changes: changes.iter().map(entry).collect() }
}

fn entry(change: &Change) -> Entry {
    let plain = |kind, row: &str| Entry {
        claim: change.claim,
        change: kind,
        row: Some(row.to_owned()),
        side: None,
        old: None,
        new: None,
        error_bars: None,
        message: sentence(&change.what),
    };
    match &change.what {
        Difference::Moved { row, side, old, new, bars } => Entry {
            side: Some(side_word(*side)),
            old: Some(*old),
            new: Some(*new),
            error_bars: Some(*bars),
            ..plain("moved", row)
        },
        Difference::Widened { row, side, old, new } => {
            Entry { side: Some(side_word(*side)), old: Some(*old), new: Some(*new), ..plain("widened", row) }
        }
        Difference::Missing { row } => plain("missing", row),
        Difference::Added { row } => plain("added", row),
        Difference::Verdict { .. } => Entry { row: None, ..plain("verdict", "") },
    }
}
