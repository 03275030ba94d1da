//! What `--dry-run` prints: the cells and what they will cost.

use std::fmt;

use ebflow::study::{Cell, Setting, Shard, Spec, cost_in_seconds};
use serde::Serialize;

use crate::cli::output;

#[derive(Serialize)]
pub struct Plan {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    quantities: Vec<&'static str>,
    /// Estimated seconds of all cells on one thread.
    seconds: f64,
    cells: Vec<PlannedCell>,
}

#[derive(Serialize)]
struct PlannedCell {
    key: String,
    #[serde(flatten)]
    setting: Setting,
    seed: u64,
    seconds: f64,
}

impl Plan {
    pub fn new(spec: &Spec, cells: &[Cell], shard: Option<Shard>) -> Self {
        let planned = |cell: &Cell| PlannedCell {
            key: cell.key(spec).to_string(),
            setting: cell.setting,
            seed: cell.seed,
            seconds: cost_in_seconds(spec, cell),
        };
        let cells: Vec<PlannedCell> = cells.iter().map(planned).collect();
        Self {
            title: spec.title.clone(),
            shard: shard.map(|shard| shard.to_string()),
            quantities: spec.quantities.iter().map(|quantity| quantity.key()).collect(),
            seconds: cells.iter().map(|cell| cell.seconds).sum(),
            cells,
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        output::line(f, "study", &self.title)?;
        if let Some(shard) = &self.shard {
            output::line(f, "part", shard)?;
        }
        output::line(f, "quantities", self.quantities.join(", "))?;
        output::line(
            f,
            "cells",
            format_args!("{}, about {:.1} s on one thread", self.cells.len(), self.seconds),
        )?;
        for cell in &self.cells {
            writeln!(f, "{}  {:>9.4} s  {}, seed {}", cell.key, cell.seconds, cell.setting, cell.seed)?;
        }
        Ok(())
    }
}
