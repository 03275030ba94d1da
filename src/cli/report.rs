//! `ebflow report`: rebuild the report of a study, or of claims, from its rows.

use std::path::PathBuf;

use ebflow::Result;
use ebflow::claim::{Evidence, register};
use ebflow::files::Folder;
use ebflow::report::{Material, annotations, claims, csv, document, html, json, junit, latex, text};
use ebflow::study::{BandVerdict, RunOutcome, Shard, Store, StudyFolder, Summary, Table};
use serde::Serialize;

use super::args::Reporting;
use super::evidence::{folder_for_report, refuse_study, tell_github};
use super::{ALL_WELL, Console, FAILED_CHECK, NUMERICAL_FAILURE, finite, output, verify};

/// Columns of a table on the page of a job.
const PAGE: usize = 120;

/// Rebuild report.html and the other summaries of a folder from its rows.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Examples:
  ebflow report particles
  ebflow report particles --out pages")]
pub struct Args {
    /// Folder that `ebflow study`, `ebflow merge` or `ebflow verify --out` has written.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write the report and the summaries here, and nothing to DIR.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    reporting: Reporting,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<u8> {
    args.reporting.check()?;
    if args.folder.join(Evidence::FILE).is_file() {
        refuse_study(&args.folder)?;
        let evidence = Evidence::read(&args.folder, &register())?;
        verify::publish(&evidence, Some(&args.pages()?), args.reporting.json, console)?;
        args.reporting.write_junit(|| claims::junit(&evidence))?;
        return Ok(verify::judged(&evidence));
    }
    let folder = StudyFolder::open(&args.folder)?;
    publish(&folder, &args.pages()?, &args.reporting, console)
}

impl Args {
    /// Where the report goes.
    fn pages(&self) -> Result<Folder> {
        self.out.as_deref().map_or_else(|| Ok(Folder::at(&self.folder)), folder_for_report)
    }
}

/// Writes the report of a folder's rows, prints its tables, and says whether all is as expected.
pub fn publish(
    folder: &StudyFolder,
    pages: &Folder,
    reporting: &Reporting,
    console: &mut Console<'_>,
) -> Result<u8> {
    let (spec, store, runs) = (folder.spec()?, folder.rows()?, folder.runs());
    announce_torn_line(&store, console);
    let table = Table::new(&spec, &store);
    let summary = Summary::new(&spec, &table, reporting.completeness())?;
    finite::check(&summary)?;
    let material = Material { spec: &spec, table: &table, summary: &summary, runs: &runs };
    pages.write("rows.csv", csv(&material)?.as_bytes())?;
    pages.write("summary.json", json(&material).as_bytes())?;
    pages.write("report.html", html(&material).as_bytes())?;
    reporting.write_junit(|| junit(&material))?;
    reporting.write_latex(|| latex(&material))?;
    let shown = format!("### {}\n\n```text\n{}```\n", summary.title, text(&material, PAGE));
    tell_github(&annotations::of_statements(&summary), &shown, console);
    if reporting.json {
        console.json(&document(&material))?;
    } else {
        console.prose(&text(&material, console.columns))?;
        console.say(format_args!("report: {}", pages.path().join("report.html").display()));
    }
    Ok(judged(&summary))
}

/// Says that the last line of a store is not whole.
pub fn announce_torn_line(store: &Store, console: &mut Console<'_>) {
    if let Some(torn) = store.torn_line() {
        console.say(format_args!("warning: {torn}"));
    }
}

/// Failed cells are numerical failures; a slope outside its band and an unexpected verdict are failed checks.
pub fn judged(summary: &Summary) -> u8 {
    if summary.failed > 0 {
        return NUMERICAL_FAILURE;
    }
    let outside = summary.fits.iter().any(|fit| fit.verdict == BandVerdict::Outside);
    let unexpected = summary.statements.iter().any(|statement| !statement.is_expected());
    if outside || unexpected { FAILED_CHECK } else { ALL_WELL }
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
pub fn announce_part(
    folder: &StudyFolder,
    shard: Shard,
    outcome: RunOutcome,
    as_json: bool,
    console: &mut Console<'_>,
) -> Result<()> {
    let RunOutcome { computed, found, .. } = outcome;
    let part = Part { shard: shard.to_string(), computed, found, folder: folder.files().path().into() };
    console.result(&part, as_json)
}
