//! Verdicts for a terminal.

use std::fmt::Write;

use super::cells::{complaint, record_cells};
use crate::claim::{Claim, Evidence, VerdictKind};

/// Two lines per claim: its verdict, and the row that decides it. Then what has to be said about those that do not simply hold.
pub fn text(evidence: &Evidence) -> String {
    let mut out = String::new();
    for record in &evidence.records {
        let [id, verdict, row, measured, predicted, margin] = record_cells(record);
        let _ = writeln!(out, "{id:<24}{verdict:<20} margin {margin}");
        let _ = writeln!(out, "    {row}: {measured} {predicted}");
    }
    out.push('\n');
    for record in evidence.records.iter().filter(|record| record.is_expected()) {
        if let Some(remark) = record.verdict.remark() {
            let _ = writeln!(out, "{} {}: {remark}\n", record.card.id, record.verdict.kind().words());
        }
    }
    for record in evidence.records.iter().filter(|record| !record.is_expected()) {
        let _ = writeln!(out, "UNEXPECTED {}: {}\n", record.card.id, complaint(record));
    }
    let _ = writeln!(out, "{}", tally(evidence));
    out
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

/// The register: ids, labels, statements.
pub fn list(register: &[&dyn Claim]) -> String {
    let mut out = String::new();
    for card in register.iter().map(|claim| claim.card()) {
        let _ = writeln!(out, "{}  [{}]\n    {}", card.id, card.label, card.statement);
    }
    out
}
