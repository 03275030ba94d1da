//! `ebflow merge`: the parts of a study in one folder.

use std::path::PathBuf;

use ebflow::Result;
use ebflow::study::{Merged, StudyFolder, merge};
use serde::Serialize;

use super::args::Reporting;
use super::evidence::refuse_evidence;
use super::{Console, report};

/// Join the parts of a study that ran on several machines.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow merge part-1 part-2 --out whole")]
pub struct Args {
    /// Folders of the parts.
    #[arg(value_name = "DIR", required = true)]
    parts: Vec<PathBuf>,
    /// Folder of the whole study. Rows that are already there stay.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    reporting: Reporting,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<u8> {
    args.reporting.check()?;
    let parts = args.parts.iter().map(|path| StudyFolder::open(path)).collect::<Result<Vec<_>>>()?;
    refuse_evidence(&args.out)?;
    let out = StudyFolder::create(&args.out)?;
    out.files().sweep();
    let merged = merge(&parts, &out)?;
    for part in &merged.torn {
        console.say(format_args!("warning: {part}"));
    }
    let Merged { added, rows, missing, .. } = merged;
    console.say(format_args!("{added} rows added, {rows} in all, {missing} cells still missing"));
    report::publish(&out, out.files(), &args.reporting, console)
}
