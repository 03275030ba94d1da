//! Verdicts as test cases, which continuous integration shows everywhere.
//!
//! # Format
//! JUnit's XML: `testsuites` holds `testsuite`s of `testcase`s, each with a `failure` where it failed and with `system-out`.

use std::fmt::Write;

use super::cells::{complaint, row_cells};
use crate::claim::{Evidence, Record, Role, Row};
use crate::report::svg::escape;

/// A report in JUnit's format: a test case per claim, failed when its verdict is not the expected one.
pub fn junit(evidence: &Evidence) -> String {
    let records = &evidence.records;
    let failures = records.iter().filter(|record| !record.is_expected()).count();
    let counts = format!(r#"tests="{}" skipped="0" failures="{failures}" errors="0""#, records.len());
    let cases: String = records.iter().map(test_case).collect();
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="ebflow verify" {counts}>
  <testsuite name="claims" {counts}>
{cases}  </testsuite>
</testsuites>
"#
    )
}

fn test_case(record: &Record) -> String {
    let (name, label) = (escape(record.card.id), escape(record.card.label));
    let mut case = format!(r#"    <testcase name="{name}" classname="{label}""#);
    if let Some(elapsed) = record.elapsed {
        let _ = write!(case, r#" time="{:.3}""#, elapsed.as_secs_f64());
    }
    case.push_str(">\n");
    if !record.is_expected() {
        let (kind, message) = (record.verdict.kind().key(), escape(&complaint(record)));
        let _ = writeln!(case, r#"      <failure type="{kind}" message="{message}"/>"#);
    }
    let against = |row: &&Row| row.role != Role::Context && !row.agrees();
    let rows: Vec<String> = record.rows.iter().filter(against).map(|row| row_cells(row).join(" ")).collect();
    if !rows.is_empty() {
        let _ = writeln!(case, "      <system-out>{}</system-out>", escape(&rows.join("\n")));
    }
    case + "    </testcase>\n"
}
