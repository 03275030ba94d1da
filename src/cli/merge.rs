//! `ebflow merge`: the parts of a study in one folder.

use std::path::PathBuf;
use std::process::ExitCode;

use ebflow::Result;
use ebflow::study::{Completeness, Folder, merge};

use super::report;

/// Join the parts of a study that ran on several machines.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders of the parts.
    #[arg(value_name = "DIR", required = true)]
    parts: Vec<PathBuf>,
    /// Folder of the whole study. Rows that are already there stay.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Fit rates even where cells are missing or failed.
    #[arg(long)]
    allow_incomplete: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let parts = args.parts.iter().map(|path| Folder::open(path)).collect::<Result<Vec<_>>>()?;
    let out = Folder::create(&args.out)?;
    let merged = merge(&parts, &out)?;
    eprintln!("{} rows added, {} in all, {} cells still missing", merged.added, merged.rows, merged.missing);
    let completeness = if args.allow_incomplete { Completeness::Waived } else { Completeness::Required };
    report::publish(&out, completeness, args.json)
}
