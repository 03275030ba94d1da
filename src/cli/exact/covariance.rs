//! `ebflow exact covariance`: the covariance flow of a Gaussian law.

use std::fmt;

use ebflow::exact::CovarianceFlow;
use ebflow::flow::Schedule;
use ebflow::law::Law;
use ebflow::{Error, Result};
use nalgebra::DMatrix;
use serde::Serialize;

use crate::cli::args::LawFlow;
use crate::cli::{Console, output};

/// Mean and covariance of a Gaussian law at a time of the mean-field flow.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow exact covariance --law '{ kind = \"gaussian\", mean = [0, 0], cov = [[1, 0.5], [0.5, 2]] }' --noise-var 0.5 --beta 20 --denoising")]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    flow: LawFlow,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    raw_time: f64,
    score_time: f64,
    mean: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    eigenvalues: Vec<f64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        output::line(f, "raw time", self.raw_time)?;
        output::line(f, "score time", self.score_time)?;
        output::line(f, "mean", format_args!("{:?}", self.mean))?;
        for (i, row) in self.covariance.iter().enumerate() {
            output::line(f, if i == 0 { "covariance" } else { "" }, format_args!("{row:?}"))?;
        }
        output::line(f, "eigenvalues", format_args!("{:?}", self.eigenvalues))
    }
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let law = Law::parse(&args.flow.law)?;
    let Law::Gaussian(gaussian) = &law else {
        return Err(Error::Unsupported {
            kind: law.kind_name(),
            capability: "a closed covariance flow",
            remedy: "give a gaussian law; other laws do not stay in their family along the flow",
        });
    };
    let time = args.flow.horizon.time(args.flow.noise.variance());
    let clock = Schedule::constant(args.flow.beta);
    let raw_time = clock.raw_time(time)?;
    let flow = CovarianceFlow::of_prior(
        law.mean(),
        gaussian.covariance().matrix(),
        args.flow.noise.variance(),
        args.flow.beta,
    )?;
    let report = Report {
        raw_time: raw_time.get(),
        score_time: clock.score_time(time)?.get(),
        mean: flow.mean().iter().copied().collect(),
        covariance: rows(&flow.covariance_at(time)),
        eigenvalues: flow.eigenvalues_at(time).iter().copied().collect(),
    };
    console.result(&report, args.json)
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
