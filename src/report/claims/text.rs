//! Tables for a terminal.

use std::fmt::Write;

use super::cells::{RECORD_HEADER, complaint, record_cells};
use crate::claim::{Claim, Evidence, Record, VerdictKind};
use crate::report::text::aligned;
use comfy_table::CellAlignment::{Left, Right};

/// Verdicts as a table, then what has to be said about those that do not simply hold.
pub fn text(evidence: &Evidence) -> String {
    let header: Vec<String> = RECORD_HEADER.iter().copied().chain(["seconds"]).map(str::to_owned).collect();
    let line = |record: &Record| {
        let seconds = record.elapsed.map_or_else(|| "–".into(), |time| format!("{:.1}", time.as_secs_f64()));
        record_cells(record).into_iter().chain([seconds]).collect()
    };
    let mut out =
        aligned(&header, evidence.records.iter().map(line), &[Left, Left, Right, Right, Right, Right]);
    out.push('\n');
    for record in evidence.records.iter().filter(|record| record.is_expected()) {
        if let Some(remark) = record.verdict.remark() {
            let _ = writeln!(out, "{} {}: {remark}", record.card.id, record.verdict.kind().words());
        }
    }
    for record in evidence.records.iter().filter(|record| !record.is_expected()) {
        let _ = writeln!(out, "UNEXPECTED {}: {}", record.card.id, complaint(record));
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
