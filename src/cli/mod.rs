//! The command line: one file per verb. Only this module prints.
//!
//! Results go to stdout, messages to stderr. Exit codes: 0 all well, 2 bad usage or input, 3 a computation failed.

mod args;
mod completions;
mod denoise;
mod exact;
mod flow;
mod meanfield;
mod output;
mod posterior;
mod run_report;
mod sample;
mod w1;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ebflow::Result;

const BAD_INPUT: u8 = 2;
const NUMERICAL_FAILURE: u8 = 3;

/// Verified integration of the particle flow of Gaussian attention.
#[derive(Debug, Parser)]
#[command(name = "ebflow", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Sample(sample::Args),
    Denoise(denoise::Args),
    Flow(flow::Args),
    Posterior(posterior::Args),
    W1(w1::Args),
    Exact(exact::Args),
    Meanfield(meanfield::Args),
    Completions(completions::Args),
}

/// Parses the command line, runs the verb, and turns an error into a message and an exit code.
pub fn main() -> ExitCode {
    match run(Cli::parse().verb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(if error.is_numerical() { NUMERICAL_FAILURE } else { BAD_INPUT })
        }
    }
}

fn run(verb: Verb) -> Result<()> {
    match verb {
        Verb::Sample(args) => sample::run(&args),
        Verb::Denoise(args) => denoise::run(&args),
        Verb::Flow(args) => flow::run(&args),
        Verb::Posterior(args) => posterior::run(&args),
        Verb::W1(args) => w1::run(&args),
        Verb::Meanfield(args) => meanfield::run(&args),
        Verb::Exact(args) => exact::run(&args),
        Verb::Completions(args) => completions::run(&args),
    }
}
