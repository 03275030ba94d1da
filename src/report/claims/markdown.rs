//! Evidence as a document.

use std::fmt::Write;

use super::cells::{RECORD_HEADER, ROW_HEADER, complaint, headline, record_cells, row_cells, verdict_sign};
use super::coverage::coverage;
use super::text::tally;
use crate::claim::{Evidence, Record, VerdictKind};

/// The whole document: an overview, what of the paper is covered, then every claim with its rows.
pub fn markdown(evidence: &Evidence) -> String {
    let preset = evidence.preset.name();
    let mut out = format!(
        "# What the paper claims, and what the evidence says\n\nThe paper is *Attention as In-Context Empirical Bayes: A Two-Stage View via \
         Particle Dynamics*. Written by `ebflow verify --preset {preset} --out DIR` from the rows in `claims.jsonl`; not to be edited by \
         hand. `METHODOLOGY.md` says how to read it.\n\n"
    );
    if let Some(provenance) = &evidence.provenance {
        let _ = writeln!(out, "Evidence: {provenance}.\n");
    }
    out += &overview(evidence);
    out += &coverage();
    evidence.records.iter().for_each(|record| section(record, &mut out));
    out
}

/// All verdicts in one table.
pub fn overview(evidence: &Evidence) -> String {
    let mut out = format!("{}.\n\n", tally(evidence));
    table(&RECORD_HEADER, evidence.records.iter().map(record_cells), &mut out);
    for record in evidence.records.iter().filter(|record| !record.is_expected()) {
        let _ = writeln!(out, "\n**{}**: {}", record.card.id, complaint(record));
    }
    out
}

fn section(record: &Record, out: &mut String) {
    let (card, kind) = (record.card, record.verdict.kind());
    let _ = writeln!(out, "\n## {}\n\n{}\n", card.id, card.statement);
    let _ = writeln!(
        out,
        "Paper: {} (`{}`). Verdict: {} **{}**.",
        card.number(),
        card.label,
        verdict_sign(kind),
        record.verdict.words()
    );
    if let Some(headline) = headline(record) {
        let _ = writeln!(out, "In a word: {headline}.");
    }
    if !card.ours.is_empty() {
        let _ = writeln!(out, "Beyond the paper: {}.", card.ours);
    }
    match (kind, record.verdict.remark()) {
        (VerdictKind::FailsAsPrinted, Some(remark)) => {
            let _ = writeln!(out, "What holds instead: {remark}. Tested in: {}.", card.regime);
        }
        (VerdictKind::Inconclusive, Some(remark)) => {
            let _ = writeln!(out, "Reason: {remark}.");
        }
        (VerdictKind::HoldsWithin, _) => {
            let _ = writeln!(out, "Holds in: {}.", card.regime);
        }
        _ => {
            let _ = writeln!(out, "Tested in: {}.", card.regime);
        }
    }
    out.push('\n');
    table(&ROW_HEADER, record.rows.iter().map(row_cells), out);
}

fn table<const N: usize>(header: &[&str; N], rows: impl Iterator<Item = [String; N]>, out: &mut String) {
    let _ = writeln!(out, "| {} |\n|{}", header.join(" | "), "---|".repeat(N));
    for row in rows {
        // A bar would end the cell.
        let _ = writeln!(out, "| {} |", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
}
