//! The paper's statements, judged by evidence.
//!
//! ```text
//! Claim ── gather ──► rows (measured beside predicted, both with error bars) ──► Verdict
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`Card`] | what a claim says about itself before any evidence |
//! | [`Value`], [`Row`] | numbers with error bars, and comparisons of two of them |
//! | [`Verdict`] | what rows say of a statement |
//! | [`Record`] | a claim with its rows and what follows from them |
//! | [`Evidence`] | records of many claims, and the file that keeps them |
//! | [`gather`] | evidence of many claims in parallel |
//! | [`baseline`] | rows compared with rows that were accepted before |
//! | `derivative` | differentiation with an error bar |
//! | the others | the claims, one family a file |
//!
//! A claim takes what it tests (drift, closed form, law) as a field, so that anyone can hand it another and see the verdict turn; its
//! [`Default`] is what this crate ships. Tolerances are error bars of the evidence, never constants: see [`Value`] and [`Row`].

pub mod baseline;
mod card;
mod evidence;
mod gathering;
mod record;
mod row;
mod value;
mod verdict;

pub use card::{Axes, Card};
pub use evidence::Evidence;
pub use gathering::gather;
pub use record::Record;
pub use row::{Place, Relation, Role, Row};
pub use value::Value;
pub use verdict::{Verdict, VerdictKind};

use crate::error::{Error, Result};
use crate::study::Preset;

/// A statement that can be put to the test.
pub trait Claim: Send + Sync {
    /// What it says.
    fn card(&self) -> &'static Card;

    /// Gathers evidence, quickly or in full.
    fn gather(&self, preset: Preset) -> Result<Vec<Row>>;
}

/// All claims, in the order of the paper's argument.
pub fn register() -> Vec<Box<dyn Claim>> {
    vec![]
}

/// The claim of a register with this id.
pub fn find<'a>(register: &'a [Box<dyn Claim>], id: &str) -> Result<&'a dyn Claim> {
    let named = register.iter().find(|claim| claim.card().id == id);
    let nearest = || register.iter().min_by_key(|claim| strsim::damerau_levenshtein(id, claim.card().id));
    named.map(Box::as_ref).ok_or_else(|| Error::UnknownClaim {
        id: id.into(),
        nearest: nearest().map_or("none", |claim| claim.card().id),
    })
}
