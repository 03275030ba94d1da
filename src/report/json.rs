//! `summary.json`: means, intervals, fits and verdicts for other programs.

use serde::Serialize;

use super::Material;
use crate::study::{RunRecord, Summary};

/// Version of the fields that other programs may rely on.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    #[serde(flatten)]
    summary: &'a Summary,
    runs: &'a [RunRecord],
}

/// The summary as one JSON object.
pub fn json(material: &Material<'_>) -> String {
    let document = Document { schema: SCHEMA, summary: material.summary, runs: material.runs };
    // Keys are strings throughout, and a number that is not finite is written as null.
    let mut text = serde_json::to_string_pretty(&document).expect("a summary is plain data");
    text.push('\n');
    text
}
