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
//! | [`Record`] | a claim with its rows, and the file format that keeps them |
//! | [`baseline`] | rows compared with rows that were accepted before |
//! | `derivative`, `residual`, `nodes` | differentiation with an error bar, violations of identities, quadrature |
//! | [`kernel`], [`truncation`] | the claims, one family a module |
//!
//! A claim takes what it tests (drift, closed form, law) as a field, so that anyone can hand it another and see the verdict turn; its
//! [`Default`] is what this crate ships. Tolerances are error bars of the evidence, never constants: see [`Value`] and [`Row`].

pub mod baseline;
mod card;
mod derivative;
pub mod kernel;
mod nodes;
mod record;
mod residual;
mod row;
pub mod truncation;
mod value;
mod verdict;

pub use card::{Axes, Card};
pub use record::{Record, from_lines, to_lines};
pub use row::{Place, Relation, Role, Row};
pub use value::Value;
pub use verdict::{Verdict, VerdictKind};

use crate::error::Result;
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
    vec![
        Box::new(kernel::DriftIsLogGradient::default()),
        Box::new(kernel::EnergyGradient::default()),
        Box::new(kernel::Tweedie::default()),
        Box::new(kernel::GaussianKernelOnly::default()),
        Box::new(truncation::HardTruncation::default()),
        Box::new(truncation::RetainedFraction::default()),
        Box::new(truncation::GaussianTail::default()),
    ]
}
