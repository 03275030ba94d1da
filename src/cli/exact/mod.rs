//! `ebflow exact`: the closed forms.

mod covariance;
mod hitting_time;

use ebflow::Result;

use super::Console;

/// Closed-form references for Gaussian laws.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    form: Form,
}

#[derive(Debug, clap::Subcommand)]
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
