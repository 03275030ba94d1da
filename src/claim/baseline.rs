//! Evidence compared with evidence that was accepted before: of claims, and (`study::baseline`) of studies.
//!
//! # Formula
//! A number has moved when `|new − old|` exceeds the sum of both numerical error bars: discretisation, truncation and
//! rounding. Sampling errors do not count, because a rerun draws the same samples. An error bar of either kind that is
//! much wider or narrower is a change of its own: a wider one would hide moves, and a narrower one has lost a source of
//! error.

use serde::Serialize;

use super::record::Record;
use super::row::Row;
use super::verdict::VerdictKind;
use crate::measured::Measured;

/// A bar so many times wider has lost a digit of what was known, and one so many times narrower claims another.
/// Rounding and other instructions change a bar by less.
const ANOTHER_DIGIT: f64 = 10.0;

/// A difference between accepted and new evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// What it is about.
    #[serde(flatten)]
    pub subject: Subject,
    /// How new evidence can disagree with accepted evidence.
    #[serde(flatten)]
    pub what: Difference,
}

/// What a change is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A claim, by the name of its card.
    Claim(&'static str),
    /// What a study measures, by its key.
    Quantity(&'static str),
    /// What a study states of its numbers, by its id.
    Statement(String),
}

impl Subject {
    /// By which its readers know it.
    pub fn name(&self) -> &str {
        match self {
            Self::Claim(name) | Self::Quantity(name) => name,
            Self::Statement(name) => name,
        }
    }
}

/// How new evidence can disagree with accepted evidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Difference {
    /// A number is elsewhere.
    Moved {
        /// The row's setting and quantity.
        row: String,
        /// Which of its two numbers.
        side: Side,
        /// The accepted number.
        old: f64,
        /// The new number.
        new: f64,
        /// How far it moved, in error bars.
        #[serde(rename = "error_bars")]
        bars: f64,
    },
    /// A number is known less well, or better.
    Bar {
        /// The row's setting and quantity.
        row: String,
        /// Which of its two numbers.
        side: Side,
        /// The accepted error bar.
        old: f64,
        /// The new error bar.
        new: f64,
    },
    /// A row is gone.
    Missing {
        /// Its setting and quantity.
        row: String,
    },
    /// A row is new.
    Added {
        /// Its setting and quantity.
        row: String,
    },
    /// The verdict is another.
    Verdict {
        /// The accepted one.
        old: VerdictKind,
        /// The new one.
        new: VerdictKind,
        /// What is to be said about the new one.
        remark: Option<String>,
    },
}

/// The numbers of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The number found.
    Measured,
    /// The number it is compared with.
    Predicted,
}

/// What differs between accepted and new evidence of the same claims, in their order.
pub fn compare(old: &[Record], new: &[Record]) -> Vec<Change> {
    new.iter()
        .flat_map(|record| compare_claim(old.iter().find(|o| o.card.id == record.card.id), record))
        .collect()
}

fn compare_claim(old: Option<&Record>, new: &Record) -> Vec<Change> {
    let accepted: &[Row] = old.map_or(&[], |record| &record.rows);
    let mut differences = Vec::new();
    if let Some(old) = old.filter(|old| old.verdict.kind() != new.verdict.kind()) {
        let remark = new.verdict.remark().map(str::to_owned);
        differences.push(Difference::Verdict { old: old.verdict.kind(), new: new.verdict.kind(), remark });
    }
    for row in &new.rows {
        match accepted.iter().find(|old| same(old, row)) {
            Some(old) => differences.extend(moved(old, row)),
            None => differences.push(Difference::Added { row: row.name() }),
        }
    }
    let gone = accepted.iter().filter(|old| !new.rows.iter().any(|row| same(old, row)));
    differences.extend(gone.map(|row| Difference::Missing { row: row.name() }));
    differences.into_iter().map(|what| Change { subject: Subject::Claim(new.card.id), what }).collect()
}

/// True when two rows are about the same thing.
fn same(a: &Row, b: &Row) -> bool {
    a.role == b.role && a.relation == b.relation && a.case == b.case && a.quantity == b.quantity
}

fn moved(old: &Row, new: &Row) -> Vec<Difference> {
    let sides =
        [(Side::Measured, old.measured, new.measured), (Side::Predicted, old.predicted, new.predicted)];
    sides.into_iter().filter_map(|(side, old, now)| Difference::of(new.name(), side, old, now)).collect()
}

impl Difference {
    /// How a number differs from the accepted one, if it does.
    pub(crate) fn of(row: String, side: Side, old: Measured, now: Measured) -> Option<Self> {
        let bars = error_bars_between(old, now);
        // What is not a number has moved too.
        let still = bars <= 1.0;
        if !still {
            return Some(Self::Moved { row, side, old: old.value, new: now.value, bars });
        }
        let bars = [(old.numerical, now.numerical), (old.sampling, now.sampling)];
        let (old, new) = bars.into_iter().find(|(old, new)| differ_by_a_digit(*old, *new))?;
        Some(Self::Bar { row, side, old, new })
    }
}

fn differ_by_a_digit(old: f64, new: f64) -> bool {
    let within = |a: f64, b: f64| a <= ANOTHER_DIGIT * b;
    !(within(new, old) && within(old, new))
}

impl Difference {
    /// How a bound on an error differs from the accepted one, if it does: it is a bar itself, and has none.
    pub(crate) fn of_bounds(row: String, side: Side, old: f64, new: f64) -> Option<Self> {
        differ_by_a_digit(old, new).then_some(Self::Bar { row, side, old, new })
    }
}

/// How far apart two numbers are, in the bars of both together.
pub(crate) fn error_bars_between(old: Measured, new: Measured) -> f64 {
    if old.value == new.value {
        return 0.0;
    }
    (new.value - old.value).abs() / (old.numerical + new.numerical)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::register;

    fn record(rows: Vec<Row>) -> Record {
        Record::new(register()[0].card(), rows)
    }

    fn row(quantity: &str, measured: f64, bar: f64) -> Row {
        Row::equal(
            "case",
            quantity,
            Measured { value: measured, numerical: bar, sampling: 0.0 },
            // Wide enough for small moves to leave the verdict alone.
            Measured::known_to(1.0, 0.02),
        )
    }

    #[test]
    fn numbers_move_by_their_own_error_bars() {
        let changes = |new: f64, bar: f64| {
            compare(&[record(vec![row("a", 1.0, 1e-3)])], &[record(vec![row("a", new, bar)])])
        };
        assert_eq!(changes(1.0015, 1e-3), []);
        let [Change { what: Difference::Moved { side: Side::Measured, bars, .. }, .. }, ..] =
            &changes(1.01, 0.0)[..]
        else {
            panic!("a move of ten bars is seen")
        };
        assert!((bars - 10.0).abs() < 1e-9);
        assert!(!changes(f64::NAN, 1e-3).is_empty());
    }

    #[test]
    fn a_bar_that_changes_by_a_digit_is_seen_itself() {
        let changes = |new: f64, bar: f64| {
            compare(&[record(vec![row("a", 1.0, 1e-3)])], &[record(vec![row("a", new, bar)])])
        };
        for bar in [0.02, 1e-5] {
            let [Change { what: Difference::Bar { side: Side::Measured, .. }, .. }] = changes(1.0, bar)[..]
            else {
                panic!("{bar} is seen")
            };
        }
        assert_eq!(changes(1.01, 0.0095), [], "half a digit is not");
    }

    #[test]
    fn rows_and_verdicts_that_change_are_seen() {
        let (old, new) = ([record(vec![row("a", 1.0, 1e-3)])], [record(vec![row("b", 1.5, 1e-3)])]);
        let kinds: Vec<Difference> = compare(&old, &new).into_iter().map(|change| change.what).collect();
        assert_eq!(
            kinds,
            [
                Difference::Verdict {
                    old: VerdictKind::Holds,
                    new: VerdictKind::FailsAsPrinted,
                    remark: Some("none is known; see the rows that disagree".into()),
                },
                Difference::Added { row: "case: b".into() },
                Difference::Missing { row: "case: a".into() },
            ]
        );
        assert_eq!(compare(&old, &old), []);
        assert_eq!(compare(&[], &old).len(), 1, "a claim that was never accepted is new");
    }
}
