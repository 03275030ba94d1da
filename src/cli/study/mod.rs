//! `ebflow study`: a convergence study, resumable at any moment.

mod plan;
mod progress;
pub mod provenance;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ebflow::study::{
    Cell, Completeness, Folder, Preset, RunOptions, RunOutcome, Shard, Spec, Store, run as run_cells,
};
use ebflow::{Error, Result};

use super::report;
use super::{BAD_INPUT, INTERRUPTED, output};
use progress::Progress;
use provenance::Stopwatch;

/// Run a convergence study, or what is missing of it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The study (see validation/studies).
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Which variant: the study as it stands, or with its table [quick] laid over it.
    #[arg(long, value_enum, default_value = "full")]
    preset: PresetName,
    /// Override a key, such as sweep.n=[100,200].
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder of rows and report [default: the file's name without its ending]. An earlier run there is resumed.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run only part I of N, split by cost; join the parts with `ebflow merge`.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Threads to use [default: all cores]. Rows do not depend on it.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print the cells and what they will cost, and run none.
    #[arg(long)]
    dry_run: bool,
    /// Stop at the first cell that fails.
    #[arg(long)]
    fail_fast: bool,
    /// Fit rates even where cells are missing or failed.
    #[arg(long)]
    allow_incomplete: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum PresetName {
    /// The study as it stands.
    Full,
    /// A small variant, for checks.
    Quick,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let Some(spec) = read(args)? else { return Ok(ExitCode::from(BAD_INPUT)) };
    let cells = args.shard.map_or_else(|| spec.cells(), |shard| shard.cells(&spec));
    if args.dry_run {
        return output::print(&plan::Plan::new(&spec, &cells, args.shard), args.json)
            .map(|()| ExitCode::SUCCESS);
    }
    let folder = Folder::create(&args.out.clone().unwrap_or_else(|| default_folder(args)))?;
    let mut store = folder.store()?;
    folder.write_spec(&spec)?;
    let outcome = compute(args, spec, &cells, &folder, &mut store)?;
    if outcome.interrupted {
        let done = outcome.computed + outcome.found;
        eprintln!("stopped after {done} of {} cells; run the same command again to go on", cells.len());
    }
    finish(args, &folder, outcome)
}

/// Reads the study; complaints about it go to stderr as they are, and give none.
fn read(args: &Args) -> Result<Option<Spec>> {
    let failed = |source| Error::Io { action: "read", path: args.file.clone(), source };
    let text = std::fs::read_to_string(&args.file).map_err(failed)?;
    let preset = match args.preset {
        PresetName::Full => Preset::Full,
        PresetName::Quick => Preset::Quick,
    };
    match Spec::read(&args.file.to_string_lossy(), &text, preset, &args.set) {
        Ok(spec) => Ok(Some(spec)),
        Err(error) => {
            eprintln!("{}", error.render(output::colour_on_stderr()));
            Ok(None)
        }
    }
}

/// The study's name, and its part.
fn default_folder(args: &Args) -> PathBuf {
    let mut name = args.file.file_stem().unwrap_or_default().to_os_string();
    if matches!(args.preset, PresetName::Quick) {
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
    folder: &Folder,
    store: &mut Store,
) -> Result<RunOutcome> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let options = RunOptions {
        jobs: args.jobs.map_or(cores, usize::from),
        fail_fast: args.fail_fast,
        interrupted: interruption()?,
    };
    let stopwatch = Stopwatch::start(options.jobs);
    if cells.iter().any(|cell| store.get(&cell.key(&spec)).is_none()) {
        folder.add_run(stopwatch.begun())?;
    }
    let progress = Progress::new(cells.len());
    let outcome =
        run_cells(&Arc::new(spec), cells, store, &options, &mut |finished| progress.show(finished))?;
    progress.end();
    if outcome.computed > 0 {
        folder.add_run(&stopwatch.ended(outcome.computed))?;
    }
    Ok(outcome)
}

/// A flag that Ctrl-C, or a polite request to end, sets.
fn interruption() -> Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    ctrlc::set_handler(move || raised.store(true, Ordering::Relaxed)).map_err(|error| Error::Io {
        action: "listen to signals in",
        path: "this process".into(),
        source: std::io::Error::other(error),
    })?;
    Ok(flag)
}

/// Writes the report of a whole study; a part of one is reported when it has been merged.
fn finish(args: &Args, folder: &Folder, outcome: RunOutcome) -> Result<ExitCode> {
    let completeness = if args.allow_incomplete { Completeness::Waived } else { Completeness::Required };
    let code = match args.shard {
        None => report::publish(folder, completeness, args.json)?,
        Some(shard) => {
            report::announce_part(folder, shard, outcome, args.json)?;
            ExitCode::SUCCESS
        }
    };
    Ok(if outcome.interrupted && !args.fail_fast { ExitCode::from(INTERRUPTED) } else { code })
}
