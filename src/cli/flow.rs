//! `ebflow flow`: Stage 1 on its own.

use std::path::PathBuf;

use ebflow::files::npy;
use ebflow::flow::Flow;
use ebflow::{Beta, Cloud, Result};
use serde::Serialize;

use super::Console;
use super::args::{self, FlowOptions, Horizon, Outputs};
use super::run_report::RunReport;

/// Move a cloud along the flow (Stage 1).
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow flow noisy.npy --noise-var 0.5 --beta 20 --out particles.npy --bound")]
pub struct Args {
    /// Points to move, shape (N, d).
    tokens: PathBuf,
    /// Inverse temperature β of the kernel.
    #[arg(long, value_name = "B", value_parser = args::beta, allow_negative_numbers = true)]
    beta: Beta,
    #[command(flatten)]
    #[serde(flatten)]
    horizon: Horizon,
    /// Where the moved points go.
    #[arg(long, value_name = "Z.npy")]
    out: PathBuf,
    /// Probability weights of the points, shape (N,).
    #[arg(long, value_name = "W.npy")]
    weights: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    options: FlowOptions,
    /// Bound the error, besides estimating it.
    #[arg(long)]
    bound: bool,
    #[command(flatten)]
    #[serde(flatten)]
    outputs: Outputs,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let tokens = weighted_tokens(args)?;
    let weights = args.weights.as_deref();
    args.outputs.check([&args.out], std::iter::once(args.tokens.as_path()).chain(weights))?;
    let start = args.options.radius.map(|radius| tokens.truncated_to(radius)).transpose()?;
    let flow = Flow::new(args.beta, args.horizon.time());
    let flow = if args.bound { flow.with_error_bound() } else { flow.with_error_estimate() };
    let (drift, integrator) = (args.options.drift()?, args.options.integrator()?);
    let trajectory = args.options.on_threads(|| {
        flow.with_drift(drift.as_ref())
            .with_integrator(integrator.as_ref())
            .run(start.as_ref().unwrap_or(&tokens))
    })?;
    let run = RunReport::new(&tokens, &trajectory, args.options.drift).with_file("particles", &args.out);
    let report = console.rendered(&run, args.outputs.json)?;
    npy::write_table(&args.out, trajectory.end.points(), tokens.dimension())?;
    console.text(&report)
}

fn weighted_tokens(args: &Args) -> Result<Cloud> {
    let tokens = npy::read_cloud(&args.tokens)?;
    match &args.weights {
        None => Ok(tokens),
        Some(path) => tokens.with_named_weights(npy::read_vector(path)?, &path.display().to_string()),
    }
}
