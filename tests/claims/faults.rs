//! What it means for a claim to stand, and to turn.

use ebflow::claim::{Claim, Record, Row};
use ebflow::study::Preset;

/// The evidence is what the card expects, and every row has a name of its own, by which it can be compared with accepted evidence.
pub fn stands(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
    let mut names: Vec<String> = record.rows.iter().map(Row::name).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}: {names:?}", record.card.id);
}

/// A faulty part turns the verdict, by evidence rather than for want of it.
pub fn turns(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(!record.rows.is_empty(), "{}: {:?}", record.card.id, record.verdict);
    assert!(!record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
}
