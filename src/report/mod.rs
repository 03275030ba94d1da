//! Reports: what rows say, as text, CSV, JSON, SVG and HTML. All of it is a pure function of rows.
//!
//! | file | holds |
//! |---|---|
//! | [`text()`] | tables for a terminal |
//! | [`csv()`] | one line per cell |
//! | [`json()`] | means, intervals, fits and verdicts for other programs |
//! | [`junit()`] | verdicts as test cases |
//! | [`latex()`] | tables for a paper |
//! | [`html()`] | a page of its own: verdicts, plots, tables, provenance; light and dark, no network |
//! | [`Denoising`] | a page about one denoised cloud |
//! | [`moved()`], [`moved_json()`], [`moved_junit()`] | what has changed since numbers were accepted, of a study or of claims |
//! | [`annotations`] | complaints as GitHub shows them beside a run |
//! | [`reference()`], [`quantities()`] | what a study may say, in words |
//! | [`svg`] | the plots |
//! | [`claims`] | the same for evidence of claims, and as JUnit and Markdown |

pub mod annotations;
pub mod claims;
mod csv;
mod denoising;
mod figures;
mod html;
mod json;
mod junit;
mod latex;
mod moved;
mod number;
mod page;
mod reference;
mod statements;
pub mod svg;
mod text;

pub use csv::csv;
pub use denoising::Denoising;
pub use html::html;
pub use json::{document, json};
pub use latex::latex;
pub use moved::{Comparison, moved, moved_json, moved_junit};
pub use reference::{quantities, quantities_text, reference};
pub use statements::junit;
pub use text::text;

use crate::study::{RunRecord, Spec, Summary, Table};

/// Everything the report of a study is made from.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    /// The study.
    pub spec: &'a Spec,
    /// Its cells and rows.
    pub table: &'a Table,
    /// What the rows say.
    pub summary: &'a Summary,
    /// Who computed them.
    pub runs: &'a [RunRecord],
}
