//! `ebflow denoise`: both stages, and how good the result is where the truth is known.

mod report;
mod truth;

use std::path::{Path, PathBuf};

use ebflow::denoise::{Denoised, Denoiser, Neighbours, Tuner, Tuning};
use ebflow::drift::Drift;
use ebflow::files::{self, write};
use ebflow::flow::{Flow, Integrator};
use ebflow::posterior::ParticlePrior;
use ebflow::report::Denoising;
use ebflow::{Beta, Cloud, Error, Gauge, Result, ScoreTime};
use serde::Serialize;

use self::report::{Report, Seen};
use self::truth::{Score, Truth};
use super::Console;
use super::args::{self, Choice, FlowOptions, Outputs, laws, read_tokens};
use super::noise::Noise;
use super::watch::{forecast, watched};

/// Denoise tokens: refine them into a particle prior, then average it for each token.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = concat!("Examples:
  ebflow denoise noisy.npy --noise-var 0.5 --out estimates.npy
  ebflow denoise noisy.npy --noise-var 0.5 --beta 20 --out estimates.npy\n\n", laws!()))]
pub struct Args {
    /// Noisy tokens, shape (N, d).
    tokens: PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    noise: Noise,
    /// Inverse temperature β of the kernel; auto: the one of least estimated risk.
    #[arg(long, value_name = "B|auto", value_parser = args::beta_or_auto, default_value = "auto", allow_negative_numbers = true)]
    beta: Choice<Beta>,
    /// Depth of Stage 1 in units of the denoising horizon τ/2; auto: that of least estimated risk [default: 1, or auto if β is].
    #[arg(long, value_name = "M|auto", value_parser = args::depth_or_auto, allow_negative_numbers = true)]
    depth: Option<Choice<f64>>,
    /// Seed of the random signs by which risks are estimated.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(args::SEEDS), default_value_t = 0)]
    seed: u64,
    /// Where the estimates go.
    #[arg(long, value_name = "EST.npy")]
    out: PathBuf,
    /// Where the refined particles go.
    #[arg(long, value_name = "Z.npy")]
    particles: Option<PathBuf>,
    /// Where the posterior standard deviations go, one for each coordinate of each token.
    #[arg(long, value_name = "SD.npy")]
    sd: Option<PathBuf>,
    /// Where a page goes that shows the tokens on their way, and the risks that were estimated.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
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

/// What was chosen, computed and compared.
struct Outcome {
    tuning: Option<Tuning>,
    denoised: Denoised,
    deviations: Option<Vec<f64>>,
    seen: Seen,
    scores: Vec<Score>,
}

impl Args {
    /// Where arrays go.
    fn arrays(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.out).chain(&self.particles).chain(&self.sd)
    }

    /// The inverse temperature and the depth, as given or as chosen for the tokens.
    fn choose(&self, tokens: &Cloud, drift: &dyn Drift) -> Result<(Beta, ScoreTime, Option<Tuning>)> {
        let usual = if self.beta.is_auto() { Choice::Auto } else { Choice::Given(1.0) };
        let depth = match self.depth.unwrap_or(usual) {
            Choice::Auto => None,
            Choice::Given(multiple) => Some(self.depth_of(multiple)?),
        };
        if let (Choice::Given(beta), Some(depth)) = (self.beta, depth) {
            return Ok((beta, depth, None));
        }
        if let Some(radius) = self.options.radius {
            return Err(Error::InvalidParameter {
                name: "option --radius",
                value: radius.get(),
                requirement: "left out where β or the depth is chosen by its risk; give --beta and --depth with it",
            });
        }
        let tuner = Tuner::new(self.noise.variance()).with_beta(self.beta.given()).with_depth(depth);
        let tuning = tuner.with_drift(drift).with_seed(self.seed).tune(tokens)?;
        Ok((tuning.beta, tuning.depth, Some(tuning)))
    }

    fn depth_of(&self, multiple: f64) -> Result<ScoreTime> {
        ScoreTime::new(multiple * self.noise.variance().denoising_horizon().get())
    }

    /// The denoiser for an inverse temperature and a depth.
    fn denoiser<'a>(
        &self,
        beta: Beta,
        depth: ScoreTime,
        drift: &'a dyn Drift,
        integrator: &'a dyn Integrator,
    ) -> Denoiser<'a> {
        let denoiser = Denoiser::new(self.noise.variance(), beta)
            .up_to(depth)
            .truncated_to(self.options.radius)
            .with_drift(drift)
            .with_integrator(integrator);
        let denoiser = match &self.report {
            None => denoiser,
            Some(_) => denoiser.with_snapshots((1..=FRAMES).map(|k| frame(depth, k))),
        };
        let denoiser = denoiser.with_error_estimate();
        if self.bound { denoiser.with_error_bound() } else { denoiser }
    }

    /// The page.
    fn page(&self, tokens: &Cloud, outcome: &Outcome, text: &str) -> Result<String> {
        let start = self.options.radius.map(|radius| tokens.truncated_to(radius)).transpose()?;
        let on_the_way = outcome.denoised.trajectory.snapshots.iter();
        let path: Vec<(ScoreTime, &Cloud)> =
            std::iter::once((ScoreTime::ZERO, start.as_ref().unwrap_or(tokens)))
                .chain(on_the_way.map(|snapshot| (snapshot.score_time, &snapshot.cloud)))
                .collect();
        let page = Denoising {
            title: &format!("Denoised: {}", self.tokens.display()),
            text,
            curve: outcome.tuning.as_ref().map_or(&[], |tuning| &tuning.curve),
            horizon: self.noise.variance().denoising_horizon(),
            path: &path,
            estimates: [tokens, &outcome.denoised.inference.mean],
        };
        Ok(page.html())
    }
}

/// Positions of the slider on the page, beside the start.
const FRAMES: u32 = 24;

/// The depth at one of them.
fn frame(depth: ScoreTime, k: u32) -> ScoreTime {
    let share = f64::from(k) / f64::from(FRAMES);
    if k == FRAMES { depth } else { ScoreTime::new(share * depth.get()).unwrap_or(depth) }
}

fn outcome(args: &Args, tokens: &Cloud, truth: &Truth, console: &mut Console<'_>) -> Result<Outcome> {
    let (drift, integrator) = (args.options.drift()?, args.options.integrator()?);
    let (drift, gauge) = (drift.as_ref(), Gauge::default());
    let (beta, depth, tuning) = watched("choosing β and depth", &gauge, console, || {
        args.options.on_threads(|| args.choose(tokens, drift))
    })?;
    let flow = Flow::new(beta, depth).with_drift(drift).with_integrator(integrator.as_ref());
    forecast(&flow, tokens, beta, drift, console)?;
    let denoiser = args.denoiser(beta, depth, drift, integrator.as_ref()).with_gauge(&gauge);
    let denoised =
        watched("denoising", &gauge, console, || args.options.on_threads(|| denoiser.denoise(tokens)))?;
    let particles = &denoised.trajectory.end;
    let (seen, deviations, scores) = args.options.on_threads(|| {
        let seen = Seen {
            start: Neighbours::of(tokens, beta, drift)?,
            end: Neighbours::of(particles, beta, drift)?,
        };
        let prior = ParticlePrior::new(particles, args.noise.variance())?;
        let deviations = args.sd.as_ref().map(|_| prior.deviations(tokens, drift)).transpose()?;
        Ok((seen, deviations, truth.scores(tokens, &denoised, &denoiser)?))
    })?;
    Ok(Outcome { tuning, denoised, deviations, seen, scores })
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let tokens = read_tokens(&args.tokens, console)?;
    let truth = Truth::read(args, &tokens)?;
    let law = args.law.as_deref().map(Path::new);
    let inputs = std::iter::once(args.tokens.as_path()).chain(args.clean.as_deref()).chain(law);
    args.outputs.check_with_page(args.arrays(), args.report.as_ref(), inputs)?;
    let outcome = outcome(args, &tokens, &truth, console)?;
    let report = Report::new(args, &tokens, &outcome);
    let shown = console.rendered(&report, args.outputs.json)?;
    let page = match &args.report {
        None => None,
        Some(path) => Some((path, args.page(&tokens, &outcome, &console.rendered(&report, false)?)?)),
    };
    let (d, denoised) = (tokens.dimension(), &outcome.denoised);
    files::write_table(&args.out, denoised.inference.mean.points(), d)?;
    if let Some(path) = &args.particles {
        files::write_table(path, denoised.trajectory.end.points(), d)?;
    }
    if let (Some(path), Some(deviations)) = (&args.sd, &outcome.deviations) {
        files::write_table(path, deviations, d)?;
    }
    if let Some((path, page)) = page {
        write(path, |file| file.write_all(page.as_bytes()))?;
    }
    console.text(&shown)
}
