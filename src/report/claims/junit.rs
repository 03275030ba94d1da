//! Verdicts as test cases, which continuous integration shows everywhere.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::cells::{complaint, row_cells};
use crate::claim::{Evidence, Record, Role, Row};
use crate::error::{Error, Result};

/// A report in JUnit's format: a test case per claim, failed when its verdict is not the expected one.
pub fn junit(evidence: &Evidence) -> Result<String> {
    let mut suite = TestSuite::new("claims");
    evidence.records.iter().for_each(|record| {
        suite.add_test_case(test_case(record));
    });
    let mut report = Report::new("ebflow verify");
    report.add_test_suite(suite);
    report.to_string().map_err(|error| Error::Io {
        action: "write",
        path: "the JUnit report".into(),
        source: std::io::Error::other(error),
    })
}

fn test_case(record: &Record) -> TestCase {
    let status = match record.is_expected() {
        true => TestCaseStatus::success(),
        false => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(record.verdict.kind().key()).set_message(complaint(record));
            status
        }
    };
    let mut case = TestCase::new(record.card.id, status);
    case.set_classname(record.card.label);
    if let Some(elapsed) = record.elapsed {
        case.set_time(elapsed);
    }
    let against = |row: &&Row| row.role != Role::Context && !row.agrees();
    let rows: Vec<String> = record.rows.iter().filter(against).map(|row| row_cells(row).join(" ")).collect();
    if !rows.is_empty() {
        case.set_system_out(rows.join("\n"));
    }
    case
}
