//! The paper's statements, judged by evidence.
//!
//! ```text
//! Claim ── gather ──► rows (measured beside predicted, both with error bars) ──► Verdict
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`Card`], [`Headline`] | what a claim says about itself before any evidence, and the row that is shown first |
//! | [`paper`] | the statements of the paper by their printed numbers, and which claim judges each |
//! | [`Row`] | comparisons of two numbers with error bars |
//! | [`Verdict`] | what rows say of a statement |
//! | [`Record`] | a claim with its rows and what follows from them |
//! | [`Evidence`] | records of many claims, and the file that keeps them |
//! | [`gather`] | evidence of many claims in parallel |
//! | [`baseline`] | rows compared with rows that were accepted before |
//! | `derivative`, `residual`, `nodes`, `nested` | differentiation with an error bar, violations of identities, quadrature, samples and their parts |
//! | [`kernel`], [`confine`], [`truncation`], [`gaussian`], [`chaos`], [`recovery`], [`stability`], [`expansion`], [`network`] | the claims, one family a module |
//! | [`register()`] | all of them |
//!
//! A claim takes what it tests (drift, closed form, law) as a field, so that anyone can hand it another and see the
//! verdict turn; its [`Default`] is what this crate ships. Tolerances are error bars of the evidence, never constants:
//! see [`Measured`](crate::measured::Measured) and [`Row`].
//!
//! # Adding one
//! 1. A file in the module of its family: what is claimed, as formulas, where its error bars come from, and the paper's label.
//! 2. A [`Card`], with a line that fits a terminal, the row that a reader wants to see first, the verdict that its evidence gives and, if it fails, how bad that is; and a struct whose public fields are the parts that can be faulty; [`Default`] is what this crate ships.
//! 3. [`Claim::gather`]: rows from [`Row::equal`], [`Row::at_most`] or [`Row::at_least`]; their names are formulas or phrases that need no source. What is
//!    not part of the statement has another [`Role`]; quick evidence takes seconds.
//! 4. A line in `register.rs`, in the order of the paper's argument, and the statements that it judges in [`paper`].
//! 5. In `tests/claims`: the claim holds (or fails) as its card says, and every part, replaced by a faulty one, turns the verdict.
//! 6. `ebflow bless` accepts its evidence; `ebflow verify --preset full --out validation` writes its rows into CLAIMS.md.

pub mod baseline;
mod card;
pub mod chaos;
pub mod confine;
mod derivative;
mod evidence;
pub mod expansion;
mod gathering;
pub mod gaussian;
pub mod kernel;
mod nested;
pub mod network;
mod nodes;
pub mod paper;
mod record;
pub mod recovery;
mod register;
mod residual;
mod row;
pub mod stability;
pub mod truncation;
mod verdict;

pub use card::{Axes, Card, Headline, LINE, Severity};
pub use evidence::Evidence;
pub use gathering::gather;
pub use record::Record;
pub use register::{find, register};
pub use row::{Place, Relation, Role, Row};
pub use verdict::{Verdict, VerdictKind, decisive};

use crate::error::Result;
use crate::preset::Preset;

/// A statement that can be put to the test.
pub trait Claim: Send + Sync {
    /// What it says.
    fn card(&self) -> &'static Card;

    /// Gathers evidence, quickly or in full.
    fn gather(&self, preset: Preset) -> Result<Vec<Row>>;
}
