//! `ebflow study`: a convergence study, resumable at any moment.

mod plan;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ebflow::report::{quantities, quantities_text, reference};
use ebflow::study::{
    Cell, Finished, RunOptions, RunOutcome, Shard, Spec, Store, StudyFolder, Table, run as run_cells,
};
use ebflow::{Error, Preset, Result};
use serde::Serialize;

use super::args::{Reporting, Threads, preset_name};
use super::evidence::refuse_evidence;
use super::progress::Progress;
use super::provenance::Stopwatch;
use super::{ALL_WELL, BAD_INPUT, Console, INTERRUPTED, report};

/// Run a convergence study, or what is missing of it.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Examples:
  ebflow study --quantities
  ebflow study validation/studies/particles.toml --preset quick --out particles")]
pub struct Args {
    /// The study (see validation/studies).
    #[arg(value_name = "FILE.toml", required_unless_present_any = ["quantities", "keys"])]
    file: Option<PathBuf>,
    /// Say what can be measured, what it needs and what it costs, and run nothing.
    #[arg(long, conflicts_with = "file")]
    quantities: bool,
    /// Print the reference of all keys of a study, in Markdown, and run nothing.
    #[arg(long, conflicts_with_all = ["file", "quantities", "json"])]
    keys: bool,
    /// Which variant: the study as it stands, or with its table [quick] laid over it.
    #[arg(long, value_parser = preset_name(), default_value = "full")]
    preset: Preset,
    /// Override a key, such as sweep.n=[100,200].
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder of rows and report [default: the file's name without its ending]. An earlier run there is resumed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run only part I of N, split by cost; join the parts with `ebflow merge`.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    #[serde(flatten)]
    threads: Threads,
    /// Print the cells and what they will cost, and run none.
    #[arg(long)]
    dry_run: bool,
    /// Stop at the first cell that fails.
    #[arg(long)]
    fail_fast: bool,
    #[command(flatten)]
    #[serde(flatten)]
    reporting: Reporting,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<u8> {
    if args.quantities {
        return listed(args, console).map(|()| ALL_WELL);
    }
    if args.keys {
        return console.text(&reference()).map(|()| ALL_WELL);
    }
    args.reporting.check()?;
    let Some(spec) = read(args, console)? else { return Ok(BAD_INPUT) };
    let cells = args.shard.map_or_else(|| spec.cells(), |shard| shard.cells(&spec));
    if args.dry_run {
        let plan = plan::Plan::new(&spec, &cells, args.shard);
        return console.result(&plan, args.reporting.json).map(|()| ALL_WELL);
    }
    let path = args.out.clone().unwrap_or_else(|| default_folder(args));
    refuse_evidence(&path)?;
    let folder = StudyFolder::create(&path)?;
    folder.files().sweep();
    let mut store = folder.store()?;
    report::announce_torn_line(&store, console);
    folder.write_spec(&spec)?;
    let outcome = compute(args, spec, &cells, &folder, &mut store, console)?;
    if outcome.interrupted {
        let done = outcome.computed + outcome.found;
        let total = cells.len();
        console
            .say(format_args!("stopped after {done} of {total} cells; run the same command again to go on"));
    }
    finish(args, &folder, outcome, console)
}

#[derive(Serialize)]
struct Listing<T> {
    quantities: T,
}

fn listed(args: &Args, console: &mut Console<'_>) -> Result<()> {
    match args.reporting.json {
        true => console.json(&Listing { quantities: quantities() }),
        false => console.prose(&quantities_text()),
    }
}

/// Reads the study; complaints about it go to stderr as they are, and give none.
fn read(args: &Args, console: &mut Console<'_>) -> Result<Option<Spec>> {
    let file = args.file.as_deref().unwrap_or(Path::new(""));
    let failed = |source| Error::Io { action: "read", path: file.into(), source };
    let text = std::fs::read_to_string(file).map_err(failed)?;
    match Spec::read(&file.to_string_lossy(), &text, args.preset, &args.set) {
        Ok(spec) => Ok(Some(spec)),
        Err(error) => {
            let complaints = error.render(console.has_colour());
            console.say(complaints);
            Ok(None)
        }
    }
}

/// The study's name, and its part.
fn default_folder(args: &Args) -> PathBuf {
    let mut name = args.file.as_deref().and_then(Path::file_stem).unwrap_or_default().to_os_string();
    if args.preset == Preset::Quick {
        name.push("-quick");
    }
    if let Some(shard) = args.shard {
        name.push(format!("-part-{}-of-{}", shard.index(), shard.count()));
    }
    Path::new(&name).into()
}

fn compute(
    args: &Args,
    spec: Spec,
    cells: &[Cell],
    folder: &StudyFolder,
    store: &mut Store,
    console: &mut Console<'_>,
) -> Result<RunOutcome> {
    let options = RunOptions {
        jobs: args.threads.count(),
        fail_fast: args.fail_fast,
        interrupted: console.interruption.awaited(),
    };
    let stopwatch = Stopwatch::start(options.jobs);
    if cells.iter().any(|cell| store.get(&cell.key(&spec)).is_none()) {
        folder.add_run(stopwatch.begun())?;
    }
    let progress = Progress::new(cells.len(), "cells", console);
    let mut watch = |finished: &Finished<'_>| show(&progress, finished, console);
    let outcome = run_cells(&Arc::new(spec), cells, store, &options, &mut watch)?;
    progress.end();
    if outcome.computed > 0 {
        folder.add_run(&stopwatch.ended(outcome.computed))?;
    }
    Ok(outcome)
}

/// The rows of a whole study, whatever its folder has of them; none when the run is interrupted.
pub fn computed_anew(spec: &Spec, threads: Threads, console: &mut Console<'_>) -> Result<Option<Table>> {
    let (cells, mut store) = (spec.cells(), Store::temporary()?);
    let interrupted = console.interruption.awaited();
    let options = RunOptions { jobs: threads.count(), fail_fast: false, interrupted };
    let progress = Progress::new(cells.len(), "cells", console);
    let mut watch = |finished: &Finished<'_>| show(&progress, finished, console);
    let outcome = run_cells(&Arc::new(spec.clone()), &cells, &mut store, &options, &mut watch)?;
    progress.end();
    if outcome.interrupted {
        let (done, total) = (outcome.computed, cells.len());
        console.say(format_args!("stopped after {done} of {total} cells; nothing is kept of them"));
        return Ok(None);
    }
    Ok(Some(Table::new(spec, &store)))
}

fn show(progress: &Progress, finished: &Finished<'_>, console: &mut Console<'_>) {
    let Finished { row, done, remaining, .. } = *finished;
    let state = row.error().map_or_else(|| "finished".to_owned(), |error| format!("failed ({error})"));
    let line = format!("{}, seed {}: {state}", row.setting, row.seed);
    if row.error().is_some() {
        progress.complain(&line);
    }
    progress.finished(done, &line, Some(remaining), console);
}

/// Writes the report of a whole study; a part of one is reported when it has been merged.
fn finish(args: &Args, folder: &StudyFolder, outcome: RunOutcome, console: &mut Console<'_>) -> Result<u8> {
    let code = match args.shard {
        None => report::publish(folder, folder.files(), &args.reporting, console)?,
        Some(shard) => {
            report::announce_part(folder, shard, outcome, args.reporting.json, console)?;
            ALL_WELL
        }
    };
    Ok(if outcome.interrupted && !args.fail_fast { INTERRUPTED } else { code })
}
