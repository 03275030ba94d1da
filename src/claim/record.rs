//! [`Record`]: a claim with its evidence.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::Claim;
use super::card::Card;
use super::row::Row;
use super::verdict::{Verdict, decisive};
use crate::preset::Preset;

/// A claim, its evidence and what follows from it.
#[derive(Debug, Clone)]
pub struct Record {
    /// The claim.
    pub card: &'static Card,
    /// The evidence.
    pub rows: Vec<Row>,
    /// The judgement.
    pub verdict: Verdict,
    /// How long it took to gather the evidence; none for evidence that was read from a file.
    pub elapsed: Option<Duration>,
}

impl Record {
    /// Gathers evidence and judges it. What goes wrong on the way makes a claim inconclusive.
    pub fn gather(claim: &dyn Claim, preset: Preset) -> Self {
        let start = Instant::now();
        let record = match catch_unwind(AssertUnwindSafe(|| claim.gather(preset))) {
            Ok(Ok(rows)) => Self::new(claim.card(), rows),
            Ok(Err(error)) => Self::without_evidence(claim.card(), error.to_string()),
            Err(_) => Self::without_evidence(claim.card(), "the computation panicked".into()),
        };
        Self { elapsed: Some(start.elapsed()), ..record }
    }

    /// Judges evidence that was gathered before.
    pub fn new(card: &'static Card, rows: Vec<Row>) -> Self {
        let verdict = Verdict::of(card, &rows);
        Self { card, rows, verdict, elapsed: None }
    }

    /// A claim of which there is no evidence, for a reason.
    pub fn without_evidence(card: &'static Card, reason: String) -> Self {
        Self { card, rows: Vec::new(), verdict: Verdict::Inconclusive { reason }, elapsed: None }
    }

    /// True when the verdict is the expected one.
    pub fn is_expected(&self) -> bool {
        self.verdict.kind() == self.card.expected
    }

    /// The row that the card names, or else the one with the least margin.
    pub fn headline(&self) -> Option<&Row> {
        let named = self.rows.iter().find(|row| row.name() == self.card.headline.row);
        named.or_else(|| self.decisive())
    }

    /// The row with the least margin.
    pub fn decisive(&self) -> Option<&Row> {
        decisive(&self.rows)
    }
}
