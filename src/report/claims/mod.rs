//! What evidence says of claims, for people and for programs. All of it is a pure function of the evidence.
//!
//! | file | holds |
//! |---|---|
//! | [`text()`], [`list()`] | tables for a terminal |
//! | [`json()`], [`headings()`] | verdicts for other programs |
//! | [`junit()`] | verdicts as test cases |
//! | [`html()`] | a page of its own: verdicts, plots, every row |
//! | [`markdown()`], [`overview()`] | the same as a document, and its first table alone |
//! | [`moved()`], [`moved_json()`] | what has changed since evidence was accepted |
//! | [`annotations`] | complaints as GitHub shows them beside a run |
//! | `coverage` | the statements of the paper, and which claim judges each |
//! | `cells` | a row, a record as cells of any of these tables |
//! | `figure` | measured against predicted numbers, as a plot |

pub mod annotations;
pub(super) mod cells;
mod coverage;
mod figure;
mod html;
mod json;
mod junit;
mod markdown;
mod moved;
mod text;

pub use html::html;
pub use json::{headings, json};
pub use junit::junit;
pub use markdown::{markdown, overview};
pub use moved::{Comparison, moved, moved_json};
pub use text::{list, text};
