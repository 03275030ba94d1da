//! `ebflow flow`: Stage 1 on its own.

use std::path::{Path, PathBuf};

use ebflow::files::{self, npy};
use ebflow::flow::Flow;
use ebflow::{Beta, Cloud, Gauge, Result};
use serde::Serialize;

use super::Console;
use super::args::{self, FlowOptions, Horizon, Outputs, read_tokens};
use super::run_report::RunReport;
use super::watch::{forecast, watched};

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
    /// Bound the distance to every flow whose tokens lie within a radius R of these: a number, or a file of one for each token.
    #[arg(long, value_name = "R|R.npy", value_parser = token_error, allow_negative_numbers = true, conflicts_with = "radius")]
    token_error: Option<TokenError>,
    #[command(flatten)]
    #[serde(flatten)]
    outputs: Outputs,
}

/// How well tokens are known.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum TokenError {
    Number(f64),
    File(PathBuf),
}

fn token_error(text: &str) -> std::result::Result<TokenError, String> {
    match text.parse::<f64>() {
        Ok(radius) if radius.is_finite() && radius >= 0.0 => Ok(TokenError::Number(radius)),
        Ok(_) => Err("a radius is finite and not negative".into()),
        Err(_) => Ok(TokenError::File(text.into())),
    }
}

impl Args {
    /// The flow, and what is to be known of its error.
    fn flow(&self) -> Result<Flow<'static>> {
        let flow = Flow::new(self.beta, self.horizon.time()).with_error_estimate();
        Ok(match &self.token_error {
            Some(TokenError::Number(radius)) => flow.with_token_errors([*radius]),
            Some(TokenError::File(path)) => flow.with_token_errors(files::read_weights(path)?),
            None if self.bound => flow.with_error_bound(),
            None => flow,
        })
    }

    /// What is read.
    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let radii = match &self.token_error {
            Some(TokenError::File(path)) => Some(path.as_path()),
            _ => None,
        };
        [Some(self.tokens.as_path()), self.weights.as_deref(), radii].into_iter().flatten()
    }
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let tokens = weighted_tokens(args, console)?;
    args.outputs.check([&args.out], args.inputs())?;
    let start = args.options.radius.map(|radius| tokens.truncated_to(radius)).transpose()?;
    let flow = args.flow()?;
    let (drift, integrator) = (args.options.drift()?, args.options.integrator()?);
    let start = start.as_ref().unwrap_or(&tokens);
    let gauge = Gauge::default();
    let plain = Flow::new(args.beta, args.horizon.time()).with_drift(drift.as_ref());
    forecast(&plain.with_integrator(integrator.as_ref()), start, args.beta, drift.as_ref(), console)?;
    let flow = flow.with_drift(drift.as_ref()).with_integrator(integrator.as_ref()).with_gauge(&gauge);
    let trajectory =
        watched("moving the tokens", &gauge, console, || args.options.on_threads(|| flow.run(start)))?;
    if args.bound && args.token_error.is_none() && npy::is_single(&args.tokens) {
        suggest_token_error(&tokens, console);
    }
    let run = RunReport::new(&tokens, &trajectory, args.options.drift).with_file("particles", &args.out);
    let report = console.rendered(&run, args.outputs.json)?;
    files::write_table(&args.out, trajectory.end.points(), tokens.dimension())?;
    console.text(&report)
}

/// Says that the tokens were rounded, and by how much.
fn suggest_token_error(tokens: &Cloud, console: &mut Console<'_>) {
    let length = |row: &[f64]| row.iter().map(|z| z * z).sum::<f64>().sqrt();
    let radius = 0.5 * f64::from(f32::EPSILON) * tokens.rows().map(length).fold(0.0, f64::max);
    // Two digits, the last rounded up.
    let unit = 10f64.powf(radius.log10().floor() - 1.0);
    let rounded = (radius / unit).ceil() * unit;
    console.say(format_args!(
        "the tokens are single precision, so each may have been rounded by up to {rounded:.1e}; to bound the flow of what they were \
         rounded from, say --token-error {rounded:.1e}"
    ));
}

fn weighted_tokens(args: &Args, console: &mut Console<'_>) -> Result<Cloud> {
    let tokens = read_tokens(&args.tokens, console)?;
    match &args.weights {
        None => Ok(tokens),
        Some(path) => tokens.with_named_weights(files::read_weights(path)?, &path.display().to_string()),
    }
}
