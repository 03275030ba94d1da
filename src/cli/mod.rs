//! The command line: one file per verb. Only [`Console`] prints.
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
mod finite;
mod flow;
mod interruption;
mod meanfield;
mod merge;
mod noise;
mod output;
mod posterior;
mod progress;
mod provenance;
mod report;
mod run_report;
mod sample;
mod study;
mod verify;
mod w1;
mod watch;
mod wrap;

use std::ffi::OsString;

use clap::{Parser, Subcommand};
use ebflow::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

pub use interruption::Interruption;
pub use output::Console;

const ALL_WELL: u8 = 0;
const FAILED_CHECK: u8 = 1;
const BAD_INPUT: u8 = 2;
const NUMERICAL_FAILURE: u8 = 3;
pub const INTERRUPTED: u8 = 130;

/// Verified integration of the particle flow of Gaussian attention.
#[derive(Debug, Parser)]
#[command(name = "ebflow", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Serialize, Subcommand)]
#[serde(tag = "command", content = "inputs", rename_all = "lowercase")]
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

/// Parses a command line, runs the verb, and turns an error into a message and an exit code.
pub fn run(words: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> u8 {
    let done = match Cli::try_parse_from(words) {
        Ok(cli) => {
            console.request = cli.verb.request();
            cli.verb.run(console)
        }
        Err(refusal) => explained(&refusal, console),
    };
    done.unwrap_or_else(|error| {
        console.say(format_args!("error: {error}{}", remedy(&error)));
        if error.is_numerical() { NUMERICAL_FAILURE } else { BAD_INPUT }
    })
}

/// What can be done about an error on the command line, beside what the error itself says.
fn remedy(error: &Error) -> &'static str {
    match error {
        Error::UnknownClaim { .. } => "; `ebflow verify --list` names them all",
        Error::ReplacesInput { .. } => ", or say --overwrite-input if that is meant",
        Error::NoEvidence { .. } => " (by `ebflow bless` or `ebflow verify --out`)",
        Error::NoStudy { .. } => " (by `ebflow study`)",
        _ => "",
    }
}

/// Help and version are results; what was wrong with the command line is a message.
fn explained(refusal: &clap::Error, console: &mut Console<'_>) -> Result<u8> {
    let text = match console.has_colour() {
        true => refusal.render().ansi().to_string(),
        false => refusal.render().to_string(),
    };
    if refusal.use_stderr() {
        console.say(text.trim_end());
        return Ok(BAD_INPUT);
    }
    console.text(&format!("{}\n", text.trim_end())).map(|()| ALL_WELL)
}

impl Verb {
    /// The command and what it was given, for JSON; nothing where a path is no text, which JSON cannot hold.
    fn request(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(request)) => request,
            _ => Map::new(),
        }
    }

    fn run(&self, console: &mut Console<'_>) -> Result<u8> {
        ebflow::simd::instructions()?;
        let done = match self {
            Self::Verify(args) => return verify::run(args, console),
            Self::Check(args) => return check::run(args, console),
            Self::Bless(args) => return bless::run(args, console),
            Self::Study(args) => return study::run(args, console),
            Self::Merge(args) => return merge::run(args, console),
            Self::Report(args) => return report::run(args, console),
            Self::Sample(args) => sample::run(args, console),
            Self::Denoise(args) => denoise::run(args, console),
            Self::Flow(args) => flow::run(args, console),
            Self::Posterior(args) => posterior::run(args, console),
            Self::W1(args) => w1::run(args, console),
            Self::Meanfield(args) => meanfield::run(args, console),
            Self::Exact(args) => exact::run(args, console),
            Self::Completions(args) => completions::run(args, console),
        };
        done.map(|()| ALL_WELL)
    }
}
