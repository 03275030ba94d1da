//! What it means for a claim to stand, and to turn.

use ebflow::Preset;
use ebflow::claim::{Claim, Record, Role, Row, VerdictKind};

/// The evidence is what the card expects, and every row has a name of its own, by which it can be compared with
/// accepted evidence.
pub fn stands(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
    let mut names: Vec<String> = record.rows.iter().map(Row::name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}: {names:?}", record.card.id);
    let headline = record.card.headline.row;
    assert!(names.iter().any(|name| name == headline), "{}: no row is {headline}", record.card.id);
}

/// A faulty part turns the verdict, by a number that contradicts the statement or its correction.
pub fn turns(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(!record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
    let contradicts = |row: &Row| row.is_finite() && !row.agrees();
    let judged = |row: &&Row| matches!(row.role, Role::Stated | Role::Corrected);
    assert!(record.rows.iter().filter(judged).any(contradicts), "{}: {:?}", record.card.id, record.verdict);
}

/// A statement that fails as printed would hold with this part, and nothing contradicts it.
pub fn is_saved_by(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert_eq!(record.card.expected, VerdictKind::FailsAsPrinted);
    assert_eq!(record.verdict.kind(), VerdictKind::Holds, "{}: {:?}", record.card.id, record.verdict);
}

/// A part that gives no numbers decides nothing.
pub fn is_inconclusive(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert_eq!(record.verdict.kind(), VerdictKind::Inconclusive, "{}: {:?}", record.card.id, record.verdict);
    assert!(!record.rows.is_empty(), "{}: {:?}", record.card.id, record.verdict);
}

/// The printed quantities that the evidence contradicts, in the cases that a condition selects; the others agree.
pub fn contradicted(claim: &dyn Claim, wrong: &[&str], case: impl Fn(&str) -> bool) {
    let record = Record::gather(claim, Preset::Quick);
    for row in record.rows.iter().filter(|row| row.role == Role::Stated) {
        let expected = wrong.contains(&row.quantity.as_str()) && case(&row.case);
        assert!(row.is_finite() && row.agrees() != expected, "{row:?}");
    }
    for quantity in wrong {
        let found = record.rows.iter().any(|row| row.quantity == *quantity && !row.agrees());
        assert!(found, "{}: nothing contradicts {quantity}", record.card.id);
    }
}
