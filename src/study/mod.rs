//! Convergence studies: one TOML file in, rows out.
//!
//! ```text
//! Spec ── cells ──► run ── rows ──► Store ──► Summary (means, intervals, fits, verdicts)
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`spec`] | a study as its file describes it, with complaints that show line and remedy |
//! | [`mod@quantity`], [`Axis`] | what can be measured, and what can be swept |
//! | [`Cell`], [`Key`] | one setting with one seed, and a hash of all that determines its row |
//! | [`CellRow`], [`Store`] | what a finished cell leaves behind, and the file that keeps it |
//! | [`run()`] | cells in parallel, resumable at any moment |
//! | [`Shard`], [`merge()`] | more than one machine |
//! | [`Summary`] | statistics over seeds, fits and verdicts |
//! | [`baseline`] | rows that were accepted, and what has moved since |
//! | [`Statement`] | what a study says of its own numbers, judged |

mod axis;
pub mod baseline;
mod cell;
mod cost;
mod fit;
mod folder;
mod formula;
mod measure;
mod merge;
pub mod quantity;
mod row;
mod runner;
mod shard;
pub mod spec;
mod statement;
mod store;
mod summary;

pub use axis::{Axis, Setting};
pub use cell::{Cell, Key};
pub use cost::{seconds as cost_in_seconds, words as cost_in_words};
pub use fit::{BandVerdict, Fit, FitOutcome, Fitted, Fixed, Line, PairedStep};
pub use folder::{RunEnd, RunRecord, StudyFolder};
pub(crate) use formula::FUNCTIONS;
pub use measure::{measure, measure_with};
pub use merge::{Merged, merge};
pub use quantity::Quantity;
pub use row::{CellRow, CloudPath, Measurement, Outcome, Values};
pub use runner::{Finished, RunOptions, RunOutcome, run};
pub use shard::Shard;
pub use spec::{
    Band, FitSpec, KEYS, MeasureSpec, MethodSpec, Model, PARAMETERS, Section, Spec, SpecError, StatementSpec,
    Sweep, Tolerances,
};
pub use statement::Statement;
pub use store::Store;
pub use summary::{Completeness, Filled, Group, PathStatistic, Statistic, Summary, Table};

/// Version of the numerics. It is part of every [`Key`]: raise it with every change that moves a result by a bit, and rows computed
/// before are computed anew.
pub const NUMERICS: u32 = 1;
