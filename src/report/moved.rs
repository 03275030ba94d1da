//! What has changed since evidence was accepted: of claims, or of a study's rows.

use std::fmt::Write;

use serde::Serialize;

use super::claims::cells::complaint;
use super::junit::{Case, document};
use super::number::plain;
use super::statements;
use crate::claim::baseline::{Change, Difference, Side, Subject};
use crate::claim::{Evidence, Record, VerdictKind};
use crate::error::counted;
use crate::study::{BandVerdict, Fit, Spec, Statement, Summary};

/// Digits that tell numbers apart which are a few error bars from each other.
const DIGITS: usize = 10;
/// Lines of one kind about one subject that a terminal shows; all are in JSON and JUnit.
const MOST_LINES: usize = 20;

/// Evidence gathered again, beside what was accepted.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What differs from what was accepted.
    pub changes: Vec<Change>,
    /// Everything that was compared, changed or not.
    subjects: Vec<Subject>,
    /// Verdicts that are not the expected ones, with what is to be said of them.
    surprises: Vec<(Subject, String)>,
    /// Of which nothing was accepted, and which were not looked at.
    not_checked: Vec<&'static str>,
    /// How much was compared: `459 rows of 16 claims`.
    scope: String,
    /// The command that accepts the evidence as it is now.
    acceptance: String,
}

impl Comparison {
    /// Of claims, and the names of those of which nothing was accepted.
    pub fn of_claims(
        found: &Evidence,
        changes: Vec<Change>,
        not_checked: Vec<&'static str>,
        acceptance: String,
    ) -> Self {
        let subject = |record: &Record| Subject::Claim(record.card.id);
        let surprising = found.records.iter().filter(|record| !record.is_expected());
        let rows: usize = found.records.iter().map(|record| record.rows.len()).sum();
        Self {
            changes,
            subjects: found.records.iter().map(subject).collect(),
            surprises: surprising.map(|record| (subject(record), complaint(record))).collect(),
            not_checked,
            scope: format!("{} of {}", counted(rows, "row"), counted(found.records.len(), "claim")),
            acceptance,
        }
    }

    /// Of a study.
    pub fn of_study(spec: &Spec, found: &Summary, changes: Vec<Change>, acceptance: String) -> Self {
        let statement = |statement: &Statement| Subject::Statement(statement.spec.id.clone());
        let quantities = spec.quantities.iter().map(|quantity| Subject::Quantity(quantity.key()));
        let surprising = found.statements.iter().filter(|statement| !statement.is_expected());
        let outside = found.fits.iter().filter(|fit| fit.verdict == BandVerdict::Outside);
        let slope = |fit: &Fit| {
            (Subject::Quantity(fit.quantity.key()), format!("the slope {}", BandVerdict::Outside.words()))
        };
        Self {
            changes,
            subjects: quantities.chain(found.statements.iter().map(statement)).collect(),
            surprises: surprising
                .map(|found| (statement(found), statements::complaint(found)))
                .chain(outside.map(slope))
                .collect(),
            not_checked: Vec::new(),
            scope: format!(
                "{} of {}",
                counted(spec.quantities.len() * found.cells, "number"),
                counted(found.cells, "cell")
            ),
            acceptance,
        }
    }

    /// True when nothing has changed and every verdict is the expected one.
    pub fn is_good(&self) -> bool {
        self.changes.is_empty() && self.surprises.is_empty()
    }
}

/// One line per change, then one that counts them.
pub fn moved(comparison: &Comparison) -> String {
    let Comparison { changes, not_checked, scope, acceptance, .. } = comparison;
    let mut out = String::new();
    for Lines { name, about, lines, .. } in groups(comparison) {
        for line in lines.iter().take(MOST_LINES) {
            let _ = writeln!(out, "{name}: {line}");
        }
        if lines.len() > MOST_LINES {
            let _ = writeln!(out, "{name}: and {} more {about}", lines.len() - MOST_LINES);
        }
    }
    if !not_checked.is_empty() {
        let _ = writeln!(out, "not checked, because nothing was accepted: {}", not_checked.join(", "));
    }
    let _ = match changes.len() {
        0 => writeln!(out, "nothing moved: {scope} are within their error bars"),
        n => {
            let changes = counted(n, "change");
            writeln!(out, "{changes} among {scope}; to accept, run `{acceptance}`")
        }
    };
    out
}

/// What is to be said of one subject, all of one kind.
pub(super) struct Lines<'a> {
    pub name: &'a str,
    subject: &'a Subject,
    /// What the lines are about, in the plural.
    pub about: &'static str,
    pub lines: Vec<String>,
}

/// Verdicts first, for they decide; then numbers, then rows that came and went, then error bars. Those of one subject stand together.
pub(super) fn groups(comparison: &Comparison) -> Vec<Lines<'_>> {
    let unexpected = comparison.surprises.iter().map(|(subject, line)| (subject, VERDICTS, line.clone()));
    let changed =
        comparison.changes.iter().map(|change| (&change.subject, about(&change.what), sentence(change)));
    let all: Vec<_> = unexpected.chain(changed).collect();
    let mut groups: Vec<Lines<'_>> = Vec::new();
    for kind in KINDS {
        for (subject, about, line) in all.iter().filter(|(_, about, _)| *about == kind) {
            match groups.iter_mut().find(|group| group.subject == *subject && group.about == *about) {
                Some(group) => group.lines.push(line.clone()),
                None => {
                    groups.push(Lines { name: subject.name(), subject, about, lines: vec![line.clone()] })
                }
            }
        }
    }
    groups
}

const VERDICTS: &str = "verdicts";
const KINDS: [&str; 4] = [VERDICTS, "numbers", "rows", "error bars"];

fn about(difference: &Difference) -> &'static str {
    match difference {
        Difference::Verdict { .. } => VERDICTS,
        Difference::Moved { .. } => KINDS[1],
        Difference::Missing { .. } | Difference::Added { .. } => KINDS[2],
        Difference::Bar { .. } => KINDS[3],
    }
}

/// What is different, in words.
fn sentence(change: &Change) -> String {
    // What a study measures is all that its rows have; a claim's rows have a prediction beside it.
    let the_number = |side: Side| match (&change.subject, side) {
        (Subject::Quantity(_), _) => "the number",
        (_, Side::Measured) => "the measured number",
        (_, Side::Predicted) => "the predicted number",
    };
    match &change.what {
        Difference::Moved { row, side, old, new, bars } => {
            let bars = match bars.is_finite() {
                true => format!("by {} error bars", plain(*bars, 3)),
                false => "beyond any error bar".into(),
            };
            format!("{row}: {} moved {bars}, from {} to {}", the_number(*side), digits(*old), digits(*new))
        }
        Difference::Bar { row, side, old, new } => {
            format!(
                "{row}: the error bar of {} was {} and is {}",
                the_number(*side),
                digits(*old),
                digits(*new)
            )
        }
        Difference::Missing { row } => format!("{row}: the row is gone"),
        Difference::Added { row } => format!("{row}: the row is new"),
        Difference::Verdict { old, new, remark } => {
            let remark = remark.as_ref().map_or_else(String::new, |remark| format!(" ({remark})"));
            let words = |kind: &VerdictKind| match change.subject {
                Subject::Statement(_) => statements::words(*kind),
                _ => kind.words(),
            };
            format!("the verdict was '{}' and is '{}'{remark}", words(old), words(new))
        }
    }
}

fn digits(x: f64) -> String {
    if x.is_finite() { plain(x, DIGITS) } else { "not finite".into() }
}

/// A comparison for other programs. A number that is not finite is null, and the message says so.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    unchanged: bool,
    as_expected: bool,
    not_checked: &'a [&'static str],
    changes: Vec<Entry<'a>>,
}

#[derive(Debug, Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    change: &'a Change,
    message: String,
}

/// A comparison for other programs.
pub fn moved_json(comparison: &Comparison) -> Document<'_> {
    let entry = |change| Entry { change, message: sentence(change) };
    Document {
        unchanged: comparison.changes.is_empty(),
        as_expected: comparison.surprises.is_empty(),
        not_checked: &comparison.not_checked,
        changes: comparison.changes.iter().map(entry).collect(),
    }
}

/// A comparison in JUnit's format: a test case for everything that was compared, failed where something is to be said of it.
pub fn moved_junit(comparison: &Comparison) -> String {
    let groups = groups(comparison);
    let case = |subject: &Subject| {
        let own: Vec<&Lines<'_>> = groups.iter().filter(|group| group.subject == subject).collect();
        let counts = || own.iter().map(|group| format!("{} {}", group.lines.len(), group.about));
        let class = match subject {
            Subject::Claim(_) => "claims",
            Subject::Quantity(_) => "quantities",
            Subject::Statement(_) => "statements",
        };
        Case {
            name: subject.name().into(),
            class: class.into(),
            elapsed: None,
            failure: (!own.is_empty()).then(|| ("moved", counts().collect::<Vec<_>>().join(", "))),
            output: own.iter().flat_map(|group| group.lines.iter().cloned()).collect(),
        }
    };
    let cases: Vec<Case> = comparison.subjects.iter().map(case).collect();
    document("ebflow check", "accepted numbers", &cases)
}
