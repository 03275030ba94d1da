//! Complaints in the form in which GitHub shows them beside a run.
//!
//! # Formula
//! `::error title=TITLE::MESSAGE`, with `%`, line ends and, in the title, `:` and `,` escaped.

use super::claims::cells::complaint;
use super::moved::{Comparison, Lines, groups};
use super::statements;
use crate::claim::{Evidence, Record};
use crate::study::Summary;

/// Lines of one annotation.
const MOST_LINES: usize = 8;

/// One line per verdict that was not expected.
pub fn of_evidence(evidence: &Evidence) -> String {
    let unexpected = evidence.records.iter().filter(|record| !record.is_expected());
    unexpected.map(|record: &Record| annotation(record.card.id, &complaint(record))).collect()
}

/// One line per statement of a study whose verdict was not expected.
pub fn of_statements(summary: &Summary) -> String {
    let unexpected = summary.statements.iter().filter(|statement| !statement.is_expected());
    unexpected.map(|found| annotation(&found.spec.id, &statements::complaint(found))).collect()
}

/// One annotation per subject and kind of change: of many, GitHub shows the first ten.
pub fn of_comparison(comparison: &Comparison) -> String {
    let shown = |Lines { name, about, lines, .. }: Lines<'_>| {
        let more = lines.len().saturating_sub(MOST_LINES);
        let title =
            if lines.len() > 1 { format!("{name}, {} {about}", lines.len()) } else { name.to_owned() };
        let rest = (more > 0).then(|| format!("and {more} more"));
        let shown: Vec<String> = lines.into_iter().take(MOST_LINES).chain(rest).collect();
        annotation(&title, &shown.join("\n"))
    };
    groups(comparison).into_iter().map(shown).collect()
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
