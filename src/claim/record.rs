//! [`Record`]: a claim with its evidence, and the lines of JSON that keep it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Claim;
use super::card::Card;
use super::row::Row;
use super::verdict::{Verdict, decisive};
use crate::error::{Error, Result};
use crate::study::Preset;

/// A claim, its evidence and what follows from it.
#[derive(Debug, Clone)]
pub struct Record {
    /// The claim.
    pub card: &'static Card,
    /// The evidence.
    pub rows: Vec<Row>,
    /// The judgement.
    pub verdict: Verdict,
}

impl Record {
    /// Gathers evidence and judges it. What goes wrong on the way makes a claim inconclusive.
    pub fn gather(claim: &dyn Claim, preset: Preset) -> Self {
        match claim.gather(preset) {
            Ok(rows) => Self::new(claim.card(), rows),
            Err(error) => {
                let verdict = Verdict::Inconclusive { reason: error.to_string() };
                Self { card: claim.card(), rows: Vec::new(), verdict }
            }
        }
    }

    /// Judges evidence that was gathered before.
    pub fn new(card: &'static Card, rows: Vec<Row>) -> Self {
        let verdict = Verdict::of(card, &rows);
        Self { card, rows, verdict }
    }

    /// True when the verdict is the expected one.
    pub fn is_expected(&self) -> bool {
        self.verdict.kind() == self.card.expected
    }

    /// The row with the least margin.
    pub fn decisive(&self) -> Option<&Row> {
        decisive(&self.rows)
    }
}

/// One line of a file of evidence.
#[derive(Serialize, Deserialize)]
struct Line<R> {
    claim: String,
    #[serde(flatten)]
    row: R,
}

/// The evidence of claims as lines of JSON, in order. Verdicts are not kept: they follow from the evidence.
pub fn to_lines<'a>(records: impl IntoIterator<Item = &'a Record>) -> String {
    let mut text = String::new();
    for record in records {
        for row in &record.rows {
            let line = Line { claim: record.card.id.into(), row };
            text += &serde_json::to_string(&line).expect("a row is plain data");
            text.push('\n');
        }
    }
    text
}

/// Reads what [`to_lines`] wrote: the evidence of the given claims, those without any included.
pub fn from_lines(text: &str, file: &Path, cards: &[&'static Card]) -> Result<Vec<Record>> {
    let mut rows: Vec<Vec<Row>> = vec![Vec::new(); cards.len()];
    for (number, line) in text.lines().enumerate() {
        let line: Line<Row> = serde_json::from_str(line).map_err(|error| Error::Store {
            path: file.into(),
            problem: format!("line {} is not evidence of a claim ({error}); write the file anew", number + 1),
        })?;
        if let Some(at) = cards.iter().position(|card| card.id == line.claim) {
            rows[at].push(line.row);
        }
    }
    Ok(cards.iter().zip(rows).map(|(card, rows)| Record::new(card, rows)).collect())
}
