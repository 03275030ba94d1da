//! What it means for a claim to stand, and to turn.

use ebflow::claim::{Claim, Record};
use ebflow::study::Preset;

/// The evidence is what the card expects.
pub fn stands(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
}

/// A faulty part turns the verdict, by evidence rather than for want of it.
pub fn turns(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(!record.rows.is_empty(), "{}: {:?}", record.card.id, record.verdict);
    assert!(!record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
}
