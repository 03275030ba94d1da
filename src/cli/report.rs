//! `ebflow report`: rebuild the report of a study, or of claims, from its rows.

use std::path::PathBuf;
use std::process::ExitCode;

use ebflow::Result;
use ebflow::claim::{Evidence, register};
use ebflow::report::{Material, csv, html, json, text};
use ebflow::study::{Completeness, Folder, RunOutcome, Shard, Summary, Table, Verdict};
use serde::Serialize;

use super::{FAILED_CHECK, NUMERICAL_FAILURE, output, verify};

/// Rebuild report.html and the other summaries of a folder from its rows.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder that `ebflow study`, `ebflow merge` or `ebflow verify --out` has written.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Fit rates even where cells are missing or failed.
    #[arg(long)]
    allow_incomplete: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    if args.folder.join(Evidence::FILE).is_file() {
        let evidence = Evidence::read(&args.folder, &register())?;
        verify::publish(&evidence, Some(&Folder::create(&args.folder)?), args.json)?;
        return Ok(verify::judged(&evidence));
    }
    let completeness = if args.allow_incomplete { Completeness::Waived } else { Completeness::Required };
    publish(&Folder::open(&args.folder)?, completeness, args.json)
}

/// Writes the report of a folder, prints its tables, and says whether all is as expected.
pub fn publish(folder: &Folder, completeness: Completeness, as_json: bool) -> Result<ExitCode> {
    let (spec, store, runs) = (folder.spec()?, folder.store()?, folder.runs());
    let table = Table::new(&spec, &store);
    let summary = Summary::new(&spec, &table, completeness)?;
    let material = Material { spec: &spec, table: &table, summary: &summary, runs: &runs };
    let summary_json = json(&material);
    folder.write("rows.csv", csv(&material)?.as_bytes())?;
    folder.write("summary.json", summary_json.as_bytes())?;
    folder.write("report.html", html(&material)?.as_bytes())?;
    if as_json {
        output::bytes(summary_json.as_bytes())?;
    } else {
        output::bytes(text(&material).as_bytes())?;
        eprintln!("report: {}", folder.path().join("report.html").display());
    }
    Ok(judged(&summary))
}

/// Failed cells are numerical failures; a slope outside its band is a failed check.
fn judged(summary: &Summary) -> ExitCode {
    if summary.failed > 0 {
        return ExitCode::from(NUMERICAL_FAILURE);
    }
    let outside = summary.fits.iter().any(|fit| fit.verdict == Verdict::Outside);
    if outside { ExitCode::from(FAILED_CHECK) } else { ExitCode::SUCCESS }
}

#[derive(Serialize)]
struct Part {
    shard: String,
    computed: usize,
    found: usize,
    folder: PathBuf,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        output::line(f, "part", &self.shard)?;
        output::line(f, "cells", format_args!("{} computed, {} found", self.computed, self.found))?;
        output::line(f, "rows in", self.folder.display())
    }
}

/// Says where the rows of a part are.
pub fn announce_part(folder: &Folder, shard: Shard, outcome: RunOutcome, as_json: bool) -> Result<()> {
    let RunOutcome { computed, found, .. } = outcome;
    let part = Part { shard: shard.to_string(), computed, found, folder: folder.path().into() };
    output::print(&part, as_json)
}
