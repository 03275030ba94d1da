//! Verdicts of claims as test cases.

use super::cells::{complaint, row_cells};
use crate::claim::{Evidence, Record, Role, Row};
use crate::report::junit::{Case, document};

/// A report in JUnit's format: a test case per claim, failed when its verdict is not the expected one.
pub fn junit(evidence: &Evidence) -> String {
    let cases: Vec<Case> = evidence.records.iter().map(case).collect();
    document("ebflow verify", "claims", &cases)
}

fn case(record: &Record) -> Case {
    let failure = || (record.verdict.kind().key(), complaint(record));
    let against = |row: &&Row| row.role != Role::Context && !row.agrees();
    Case {
        name: record.card.id.into(),
        class: record.card.label.into(),
        elapsed: record.elapsed,
        failure: (!record.is_expected()).then(failure),
        output: record.rows.iter().filter(against).map(|row| row_cells(row).join(" ")).collect(),
    }
}
