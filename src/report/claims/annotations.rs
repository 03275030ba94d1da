//! Complaints in the form in which GitHub shows them beside a run.
//!
//! # Formula
//! `::error title=TITLE::MESSAGE`, with `%`, line ends and, in the title, `:` and `,` escaped.

use super::cells::complaint;
use super::moved::{Comparison, sentence};
use crate::claim::{Evidence, Record};

/// One line per verdict that was not expected.
pub fn of_evidence(evidence: &Evidence) -> String {
    let unexpected = evidence.records.iter().filter(|record| !record.is_expected());
    unexpected.map(|record: &Record| annotation(record.card.id, &complaint(record))).collect()
}

/// One line per change, and per verdict that was not expected.
pub fn of_comparison(comparison: &Comparison<'_>) -> String {
    let changes = comparison.changes.iter();
    let changes: String = changes.map(|change| annotation(change.claim, &sentence(&change.what))).collect();
    changes + &of_evidence(comparison.found)
}

fn annotation(title: &str, message: &str) -> String {
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let title = escaped(title).replace(':', "%3A").replace(',', "%2C");
    format!("::error title={title}::{}\n", escaped(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_an_annotation_is_escaped() {
        assert_eq!(
            annotation("a: b, c", "50 %\nof it: yes"),
            "::error title=a%3A b%2C c::50 %25%0Aof it: yes\n"
        );
    }
}
