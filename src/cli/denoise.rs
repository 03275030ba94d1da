//! `ebflow denoise`: both stages, and how good the result is where the truth is known.

use std::fmt;
use std::path::{Path, PathBuf};

use ebflow::denoise::{Denoised, Denoiser};
use ebflow::error::check_same_space;
use ebflow::files::npy;
use ebflow::law::{BayesOracle, Law};
use ebflow::posterior::mean_squared_error;
use ebflow::{Beta, Cloud, Error, NoiseVariance, Result};
use serde::Serialize;

use super::Console;
use super::args::{self, FlowOptions, Outputs, laws};
use super::run_report::RunReport;

/// Denoise tokens: refine them into a particle prior, then average it for each token.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = concat!("Example:
  ebflow denoise noisy.npy --noise-var 0.5 --beta 20 --out estimates.npy\n\n", laws!()))]
pub struct Args {
    /// Noisy tokens, shape (N, d).
    tokens: PathBuf,
    /// Variance τ = σ² of the observation noise.
    #[arg(long, value_name = "V", value_parser = args::noise_variance, allow_negative_numbers = true)]
    noise_var: NoiseVariance,
    /// Inverse temperature β of the kernel.
    #[arg(long, value_name = "B", value_parser = args::beta, allow_negative_numbers = true)]
    beta: Beta,
    /// Where the estimates go.
    #[arg(long, value_name = "EST.npy")]
    out: PathBuf,
    /// Where the refined particles go.
    #[arg(long, value_name = "Z.npy")]
    particles: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    options: FlowOptions,
    /// Bound the error of Stage 1, besides estimating it.
    #[arg(long)]
    bound: bool,
    /// The true prior (TOML file or inline table): compare with its Bayes estimator.
    #[arg(long, value_name = "LAW")]
    law: Option<String>,
    /// The clean tokens, shape (N, d): print mean squared errors.
    #[arg(long, value_name = "C.npy")]
    clean: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    outputs: Outputs,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    run: RunReport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    estimators: Vec<Score>,
}

/// How good one estimator is, in mean squared error per token.
#[derive(Serialize)]
struct Score {
    estimator: &'static str,
    mse_to_clean: Option<f64>,
    mse_to_bayes: Option<f64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.run)?;
        if self.estimators.is_empty() {
            return Ok(());
        }
        let cell = |v: Option<f64>| v.map_or_else(|| "-".into(), |v| format!("{v:.6}"));
        writeln!(f, "\n{:<18} {:>14} {:>14}", "mean squared error", "to the truth", "to Bayes")?;
        for score in &self.estimators {
            let (clean, bayes) = (cell(score.mse_to_clean), cell(score.mse_to_bayes));
            writeln!(f, "{:<18} {clean:>14} {bayes:>14}", score.estimator)?;
        }
        Ok(())
    }
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let tokens = npy::read_cloud(&args.tokens)?;
    let truth = Truth::read(args, &tokens)?;
    let law = args.law.as_deref().map(Path::new);
    let inputs = std::iter::once(args.tokens.as_path()).chain(args.clean.as_deref()).chain(law);
    args.outputs.check(std::iter::once(&args.out).chain(&args.particles), inputs)?;
    let (drift, integrator) = (args.options.drift()?, args.options.integrator()?);
    let denoiser = Denoiser::new(args.noise_var, args.beta)
        .truncated_to(args.options.radius)
        .with_drift(drift.as_ref())
        .with_integrator(integrator.as_ref());
    let denoiser = if args.bound { denoiser.with_error_bound() } else { denoiser.with_error_estimate() };
    let (denoised, estimators) = args.options.on_threads(|| {
        let denoised = denoiser.denoise(&tokens)?;
        let scores = truth.scores(&tokens, &denoised, &denoiser)?;
        Ok((denoised, scores))
    })?;
    let run =
        RunReport::new(&tokens, &denoised.trajectory, args.options.drift).with_file("estimates", &args.out);
    let run = match &args.particles {
        Some(path) => run.with_file("particles", path),
        None => run,
    };
    let report = console.rendered(&Report { run, estimators }, args.outputs.json)?;
    npy::write_table(&args.out, denoised.inference.mean.points(), tokens.dimension())?;
    if let Some(path) = &args.particles {
        npy::write_table(path, denoised.trajectory.end.points(), tokens.dimension())?;
    }
    console.text(&report)
}

/// What is known of the truth: the clean tokens, the Bayes estimates, both or neither.
struct Truth {
    clean: Option<Cloud>,
    bayes: Option<Cloud>,
}

impl Truth {
    fn read(args: &Args, tokens: &Cloud) -> Result<Self> {
        let clean = args.clean.as_ref().map(|path| npy::read_cloud(path)).transpose()?;
        if let Some(cloud) = &clean {
            same_shape(cloud, tokens)?;
        }
        let law = args.law.as_ref().map(|text| Law::parse(text)).transpose()?;
        let bayes = law.map(|law| law.posterior_means(tokens, args.noise_var)).transpose()?;
        Ok(Self { clean, bayes })
    }

    fn scores(&self, tokens: &Cloud, denoised: &Denoised, denoiser: &Denoiser<'_>) -> Result<Vec<Score>> {
        if self.clean.is_none() && self.bayes.is_none() {
            return Ok(Vec::new());
        }
        let score = |estimator, estimates: &Cloud| Score {
            estimator,
            mse_to_clean: self.clean.as_ref().map(|clean| mean_squared_error(estimates, clean)),
            mse_to_bayes: self.bayes.as_ref().map(|bayes| mean_squared_error(estimates, bayes)),
        };
        let one_shot = denoiser.stage_two(tokens, tokens)?.mean;
        let mut scores = vec![score("noisy tokens", tokens), score("one-shot", &one_shot)];
        let particles = &denoised.trajectory.end;
        if particles.len() == tokens.len() {
            scores.push(score("Stage 1 only", particles));
        }
        scores.push(score("two stages", &denoised.inference.mean));
        scores.extend(self.bayes.as_ref().map(|bayes| score("Bayes", bayes)));
        Ok(scores)
    }
}

fn same_shape(clean: &Cloud, tokens: &Cloud) -> Result<()> {
    check_same_space(
        "the set of clean tokens",
        clean.dimension(),
        "the set of noisy tokens",
        tokens.dimension(),
    )?;
    if clean.len() != tokens.len() {
        return Err(Error::LengthMismatch {
            what: "the set of clean tokens".into(),
            other: "the noisy tokens".into(),
            expected: tokens.len(),
            found: clean.len(),
        });
    }
    Ok(())
}
