//! What evidence says of claims, for people and for programs. All of it is a pure function of the evidence.
//!
//! | file | holds |
//! |---|---|
//! | [`text()`], [`list()`] | tables for a terminal |
//! | [`json()`], [`headings()`] | verdicts for other programs |
//! | [`junit()`] | verdicts as test cases |
//! | [`html()`] | a page of its own: verdicts, plots, every row |
//! | [`markdown()`], [`overview()`] | the same as a document, and its first table alone |
//! | `coverage` | the statements of the paper, and which claim judges each |
//! | `cells` | a row, a record as cells of any of these tables |
//! | `figure` | measured against predicted numbers, as a plot |

pub(super) mod cells;
mod coverage;
mod figure;
mod html;
mod json;
mod junit;
mod markdown;
mod text;

pub use html::html;
pub(super) use json::Decisive;
pub use json::{headings, json};
pub use junit::junit;
pub use markdown::{markdown, overview};
pub use text::{list, text};
