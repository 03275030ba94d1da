//! Every claim gives the expected verdict with the parts that are shipped, and another with a faulty part.

mod kernel;
mod truncation;

use ebflow::claim::{Claim, Record};
use ebflow::study::Preset;

/// The evidence is what the card expects.
fn stands(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
}

/// A faulty part turns the verdict, by evidence rather than for want of it.
fn turns(claim: &dyn Claim) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(!record.rows.is_empty(), "{}: {:?}", record.card.id, record.verdict);
    assert!(!record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
}
