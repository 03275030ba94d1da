//! Evidence compared with evidence that was accepted before.
//!
//! # Formula
//! A number has moved when `|new − old|` exceeds the sum of both numerical error bars: discretisation, truncation and rounding. Sampling errors do not
//! count, because a rerun draws the same samples.

use super::record::Record;
use super::row::Row;
use super::value::Value;
use super::verdict::VerdictKind;

/// A difference between accepted and new evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The claim.
    pub claim: &'static str,
    /// What is different.
    pub what: Difference,
}

/// What is different.
#[derive(Debug, Clone, PartialEq)]
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
        bars: f64,
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
    },
}

/// The numbers of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        differences.push(Difference::Verdict { old: old.verdict.kind(), new: new.verdict.kind() });
    }
    for row in &new.rows {
        match accepted.iter().find(|old| same(old, row)) {
            Some(old) => differences.extend(moved(old, row)),
            None => differences.push(Difference::Added { row: row.name() }),
        }
    }
    let gone = accepted.iter().filter(|old| !new.rows.iter().any(|row| same(old, row)));
    differences.extend(gone.map(|row| Difference::Missing { row: row.name() }));
    differences.into_iter().map(|what| Change { claim: new.card.id, what }).collect()
}

/// True when two rows are about the same thing.
fn same(a: &Row, b: &Row) -> bool {
    a.role == b.role && a.relation == b.relation && a.case == b.case && a.quantity == b.quantity
}

fn moved(old: &Row, new: &Row) -> Vec<Difference> {
    let sides =
        [(Side::Measured, old.measured, new.measured), (Side::Predicted, old.predicted, new.predicted)];
    let difference = |(side, old, now): (Side, Value, Value)| {
        let bars = error_bars_between(old, now);
        // What is not a number has moved too.
        let still = bars <= 1.0;
        (!still).then(|| Difference::Moved { row: new.name(), side, old: old.value, new: now.value, bars })
    };
    sides.into_iter().filter_map(difference).collect()
}

fn error_bars_between(old: Value, new: Value) -> f64 {
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
            Value { value: measured, numerical: bar, sampling: 0.0 },
            // Wide enough for small moves to leave the verdict alone.
            Value::known_to(1.0, 0.02),
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
    fn rows_and_verdicts_that_change_are_seen() {
        let (old, new) = ([record(vec![row("a", 1.0, 1e-3)])], [record(vec![row("b", 1.5, 1e-3)])]);
        let kinds: Vec<Difference> = compare(&old, &new).into_iter().map(|change| change.what).collect();
        assert_eq!(
            kinds,
            [
                Difference::Verdict { old: VerdictKind::Holds, new: VerdictKind::FailsAsPrinted },
                Difference::Added { row: "case: b".into() },
                Difference::Missing { row: "case: a".into() },
            ]
        );
        assert_eq!(compare(&old, &old), []);
        assert_eq!(compare(&[], &old).len(), 1, "a claim that was never accepted is new");
    }
}
