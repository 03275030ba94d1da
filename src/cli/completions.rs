//! `ebflow completions SHELL`: completion scripts.

use clap::CommandFactory;
use clap_complete::Shell;
use ebflow::Result;
use serde::Serialize;

use super::{Cli, Console};

/// Print a completion script for a shell.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow completions bash > ebflow.bash")]
pub struct Args {
    /// The shell to complete for.
    #[serde(skip)]
    shell: Shell,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "ebflow", &mut script);
    console.text(&String::from_utf8_lossy(&script))
}
