//! `ebflow exact`: the closed forms.

mod covariance;
mod hitting_time;

use ebflow::Result;
use serde::Serialize;

use super::Console;

/// Closed-form references for Gaussian laws.
#[derive(Debug, Serialize, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    #[serde(flatten)]
    form: Form,
}

#[derive(Debug, Serialize, clap::Subcommand)]
#[serde(tag = "form", rename_all = "kebab-case")]
enum Form {
    Covariance(covariance::Args),
    HittingTime(hitting_time::Args),
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    match &args.form {
        Form::Covariance(args) => covariance::run(args, console),
        Form::HittingTime(args) => hitting_time::run(args, console),
    }
}
