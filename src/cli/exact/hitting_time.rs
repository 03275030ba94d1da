//! `ebflow exact hitting-time`: when a variance is reached.

use std::fmt;

use ebflow::exact::{Hitting, VarianceDescent};
use ebflow::{Beta, Result};
use serde::Serialize;

use crate::cli::noise::Noise;
use crate::cli::{Console, args, output};

/// When the variance of an isotropic Gaussian law reaches a target.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow exact hitting-time --noise-var 0.5 --beta 20 --prior-var 1")]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    noise: Noise,
    /// Inverse temperature β of the kernel.
    #[arg(long, value_name = "B", value_parser = args::beta, allow_negative_numbers = true)]
    beta: Beta,
    /// Variance of the clean prior; 0 is a Dirac prior.
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    prior_var: f64,
    /// Variance to reach; without it, the prior's.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    target: Option<f64>,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    initial_variance: f64,
    target: f64,
    score_time: Option<f64>,
    raw_time: Option<f64>,
    infinite: bool,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |t: Option<f64>| t.map_or_else(|| "infinite".into(), |t| t.to_string());
        output::line(f, "initial variance", self.initial_variance)?;
        output::line(f, "target variance", self.target)?;
        output::line(f, "score time", time(self.score_time))?;
        output::line(f, "raw time", time(self.raw_time))
    }
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let descent = VarianceDescent::of_prior(args.prior_var, args.noise.variance(), args.beta)?;
    let target = args.target.unwrap_or(args.prior_var);
    let score_time = match descent.hitting(target)? {
        Hitting::At(time) => Some(time),
        Hitting::Never => None,
    };
    let report = Report {
        initial_variance: descent.start(),
        target,
        score_time: score_time.map(|s| s.get()),
        raw_time: score_time.map(|s| s.to_raw(args.beta)).transpose()?.map(|t| t.get()),
        infinite: score_time.is_none(),
    };
    console.result(&report, args.json)
}
