//! The command line: one file per verb. Only this module prints.
//!
//! Results go to stdout, messages to stderr. Exit codes: 0 all well, 1 a check failed, 2 bad usage or input,
//! 3 a computation failed, 130 interrupted (and resumable).

mod args;
mod bless;
mod check;
mod completions;
mod denoise;
mod evidence;
mod exact;
mod flow;
mod meanfield;
mod merge;
mod output;
mod posterior;
mod report;
mod run_report;
mod sample;
mod study;
mod verify;
mod w1;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ebflow::Result;

const FAILED_CHECK: u8 = 1;
const BAD_INPUT: u8 = 2;
const NUMERICAL_FAILURE: u8 = 3;
const INTERRUPTED: u8 = 130;

/// Verified integration of the particle flow of Gaussian attention.
#[derive(Debug, Parser)]
#[command(name = "ebflow", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Verify(verify::Args),
    Check(check::Args),
    Bless(bless::Args),
    Sample(sample::Args),
    Denoise(denoise::Args),
    Flow(flow::Args),
    Posterior(posterior::Args),
    W1(w1::Args),
    Exact(exact::Args),
    Meanfield(meanfield::Args),
    Study(study::Args),
    Merge(merge::Args),
    Report(report::Args),
    Completions(completions::Args),
}

/// Parses the command line, runs the verb, and turns an error into a message and an exit code.
pub fn main() -> ExitCode {
    run(Cli::parse().verb).unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(if error.is_numerical() { NUMERICAL_FAILURE } else { BAD_INPUT })
    })
}

fn run(verb: Verb) -> Result<ExitCode> {
    ebflow::simd::instructions()?;
    let done = match verb {
        Verb::Verify(args) => return verify::run(&args),
        Verb::Check(args) => return check::run(&args),
        Verb::Bless(args) => return bless::run(&args),
        Verb::Study(args) => return study::run(&args),
        Verb::Merge(args) => return merge::run(&args),
        Verb::Report(args) => return report::run(&args),
        Verb::Sample(args) => sample::run(&args),
        Verb::Denoise(args) => denoise::run(&args),
        Verb::Flow(args) => flow::run(&args),
        Verb::Posterior(args) => posterior::run(&args),
        Verb::W1(args) => w1::run(&args),
        Verb::Meanfield(args) => meanfield::run(&args),
        Verb::Exact(args) => exact::run(&args),
        Verb::Completions(args) => completions::run(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}
