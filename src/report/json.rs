//! `summary.json`: means, intervals, fits and verdicts for other programs.

use serde::Serialize;

use super::Material;
use super::statements::{Entry, entry};
use crate::study::{RunRecord, Summary};

/// Version of the fields that other programs may rely on.
const SCHEMA: u32 = 1;

/// A summary and the runs that its rows come from.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    statements: Vec<Entry<'a>>,
    runs: &'a [RunRecord],
}

#[derive(Serialize)]
struct Versioned<'a> {
    schema: u32,
    #[serde(flatten)]
    document: Document<'a>,
}

/// The summary for whoever prints it.
pub fn document<'a>(material: &Material<'a>) -> Document<'a> {
    let statements = material.summary.statements.iter().map(entry).collect();
    Document { summary: material.summary, statements, runs: material.runs }
}

/// The summary as one JSON object.
pub fn json(material: &Material<'_>) -> String {
    let document = Versioned { schema: SCHEMA, document: document(material) };
    // Keys are strings throughout, and a number that is not finite is written as null.
    let mut text = serde_json::to_string_pretty(&document).expect("a summary is plain data");
    text.push('\n');
    text
}
