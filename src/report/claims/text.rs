//! Verdicts for a terminal.

use std::fmt::Write;

use super::cells::{complaint, headline, verdict_sign};
use crate::claim::{Claim, Evidence, LINE, Record, VerdictKind};

/// Before everything but the first line of a claim.
const INDENT: &str = "  ";

/// Three lines per claim: its verdict, what it says, and the row that answers a reader's question. Then what has to be said about
/// those that do not simply hold.
pub fn text(evidence: &Evidence) -> String {
    let mut out = String::new();
    evidence.records.iter().for_each(|record| out.push_str(&lines(record)));
    out.push('\n');
    for record in evidence.records.iter().filter(|record| record.is_expected()) {
        if let Some(remark) = record.verdict.remark() {
            let _ = writeln!(out, "{}:\n{}", record.card.id, wrapped(remark));
        }
    }
    for record in evidence.records.iter().filter(|record| !record.is_expected()) {
        let _ = writeln!(out, "UNEXPECTED {}:\n{}", record.card.id, wrapped(&complaint(record)));
    }
    let _ = writeln!(out, "{}", tally(evidence));
    out
}

/// A claim in three lines.
fn lines(record: &Record) -> String {
    let (card, verdict) = (record.card, &record.verdict);
    let name = format!("{}  {}", card.id, card.number());
    let verdict = format!("{} {}", verdict_sign(verdict.kind()), verdict.words());
    let gap = " ".repeat(LINE.saturating_sub(columns(&name) + columns(&verdict)).max(1));
    let shown = headline(record).unwrap_or_else(|| "no evidence".into());
    [format!("{name}{gap}{verdict}"), format!("{INDENT}{}", card.gist), format!("{INDENT}{shown}")]
        .map(|line| cut(&line) + "\n")
        .concat()
}

/// Columns that a text takes on a terminal: combining marks take none.
fn columns(text: &str) -> usize {
    text.chars().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).count()
}

/// What fits a line; the rest is in the report.
fn cut(line: &str) -> String {
    if columns(line) <= LINE {
        return line.into();
    }
    line.chars().take(LINE - 1).chain(['…']).collect()
}

/// Words on lines of a terminal, indented.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{INDENT}{word}")),
        }
    }
    lines.join("\n") + "\n"
}

/// `16 claims: 12 hold, 3 hold within a regime, 1 fails as printed; every verdict as expected`.
pub(super) fn tally(evidence: &Evidence) -> String {
    let records = &evidence.records;
    let count = |kind: VerdictKind| records.iter().filter(|record| record.verdict.kind() == kind).count();
    let parts = [
        (VerdictKind::Holds, ["holds", "hold"]),
        (VerdictKind::HoldsWithin, ["holds within a regime", "hold within a regime"]),
        (VerdictKind::FailsAsPrinted, ["fails as printed", "fail as printed"]),
        (VerdictKind::Inconclusive, ["is inconclusive", "are inconclusive"]),
    ];
    let parts: Vec<String> = parts
        .iter()
        .map(|(kind, words)| (count(*kind), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, [one, many])| format!("{count} {}", if count == 1 { one } else { many }))
        .collect();
    let surprises = records.iter().filter(|record| !record.is_expected()).count();
    let surprise = match surprises {
        0 => "every verdict as expected".to_owned(),
        1 => "one verdict not as expected".to_owned(),
        n => format!("{n} verdicts not as expected"),
    };
    let claims = if records.len() == 1 { "claim" } else { "claims" };
    format!("{} {claims}: {}; {surprise}", records.len(), parts.join(", "))
}

/// The register: ids, numbers, labels, statements.
pub fn list(register: &[&dyn Claim]) -> String {
    let mut out = String::new();
    for card in register.iter().map(|claim| claim.card()) {
        let _ = writeln!(
            out,
            "{}  [{}, {}]\n{}",
            card.id,
            card.number(),
            card.label,
            wrapped(card.statement).trim_end()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_wider_than_a_terminal() {
        let long = "x\u{303} and a word ".repeat(20);
        assert_eq!(columns("x\u{303}"), 1);
        assert!(wrapped(&long).lines().all(|line| columns(line) <= LINE && line.starts_with(INDENT)));
        assert_eq!(columns(&cut(&long)).max(LINE), LINE);
        assert_eq!(cut("short"), "short");
    }
}
