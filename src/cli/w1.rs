//! `ebflow w1`: the Wasserstein distance between clouds, or of a cloud from a law.

use std::fmt;
use std::path::{Path, PathBuf};

use ebflow::error::check_same_space;
use ebflow::error::counted;
use ebflow::files;
use ebflow::law::Law;
use ebflow::metric::{
    Confidence, Distance, Interval, Method, SampledBracket, Sampling, distance, distance_to_law, line_floor,
    simulated_floor,
};
use ebflow::{Bracket, Cloud, Gauge, Result};
use serde::Serialize;

use super::args::{self, laws};
use super::output::{self, Console};
use super::watch::watched;

/// Confidence of all Monte Carlo intervals.
const CONFIDENCE: f64 = 0.95;
/// Fresh points of the law per point of the cloud, and samples, for a bracket.
const BRACKET: (usize, usize) = (8, 4);
/// The same for the noise floor, which is an estimate and needs less.
const FLOOR: (usize, usize) = (4, 6);
/// The floor draws from a stream of its own: its seed differs from the bracket's in every bit that a seed may have.
const FLOOR_STREAM: u64 = *args::SEEDS.end();

/// Wasserstein distance W1 between two clouds, or between a cloud and a law.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = concat!("Examples:
  ebflow w1 particles.npy clean.npy
  ebflow w1 particles.npy --law '{ kind = \"gaussian\", mean = 0, std = 1 }'\n\n", laws!()))]
#[command(group = clap::ArgGroup::new("other").required(true).args(["b", "law"]))]
pub struct Args {
    /// A cloud, shape (N, d).
    #[arg(value_name = "A.npy")]
    a: PathBuf,
    /// Another cloud, shape (M, d).
    #[arg(value_name = "B.npy")]
    b: Option<PathBuf>,
    /// A law (TOML file or inline table) in place of the second cloud.
    #[arg(long, value_name = "LAW")]
    law: Option<String>,
    /// Probability weights of the first cloud, shape (N,).
    #[arg(long, value_name = "W.npy")]
    weights_a: Option<PathBuf>,
    /// Probability weights of the second cloud, shape (M,).
    #[arg(long, value_name = "W.npy", conflicts_with = "law")]
    weights_b: Option<PathBuf>,
    /// Seed of the points drawn from the law, where any are needed.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(args::SEEDS))]
    seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    w1: f64,
    lower: f64,
    upper: f64,
    method: Method,
    n: usize,
    d: usize,
    /// Points of the second cloud.
    m: Option<usize>,
    /// Kind of the law.
    law: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise_floor: Option<FloorReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    monte_carlo: Option<MonteCarlo>,
}

/// What as many independent points of the law would show on average.
#[derive(Serialize)]
struct FloorReport {
    value: f64,
    /// Null when the value is exact.
    standard_error: Option<f64>,
    points: usize,
    seed: Option<u64>,
}

/// Where a bracket comes from.
#[derive(Serialize)]
struct MonteCarlo {
    confidence: f64,
    seed: u64,
    #[serde(flatten)]
    bracket: BracketReport,
}

#[derive(Serialize)]
struct BracketReport {
    replicates: usize,
    fresh: usize,
    /// A potential on fresh points.
    dual: Interval,
    /// Transport to fresh samples.
    primal: Interval,
    /// The best slice, without Monte Carlo error.
    sliced: f64,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let a = weighted(&args.a, args.weights_a.as_deref())?;
    let report =
        watched("measuring the distance", &Gauge::default(), console, || match (&args.b, &args.law) {
            (Some(path), _) => against_cloud(&a, args, path),
            (None, law) => against_law(&a, args.seed, law.as_deref().unwrap_or_default()),
        })?;
    console.result(&report, args.json)
}

fn weighted(path: &Path, weights: Option<&Path>) -> Result<Cloud> {
    let cloud = files::read_cloud(path)?;
    match weights {
        None => Ok(cloud),
        Some(path) => cloud.with_named_weights(files::read_weights(path)?, &path.display().to_string()),
    }
}

fn against_cloud(a: &Cloud, args: &Args, path: &Path) -> Result<Report> {
    let b = weighted(path, args.weights_b.as_deref())?;
    check_same_space(path.display().to_string(), b.dimension(), args.a.display().to_string(), a.dimension())?;
    Ok(Report { m: Some(b.len()), ..Report::new(a, distance(a, &b)?) })
}

fn against_law(a: &Cloud, seed: u64, text: &str) -> Result<Report> {
    let law = Law::parse(text)?;
    let sampling = sampling(BRACKET, seed)?;
    let distance = distance_to_law(a, &law, &sampling)?;
    let monte_carlo = distance.sampled.clone().map(|bracket| MonteCarlo {
        confidence: CONFIDENCE,
        seed,
        bracket: bracket.into(),
    });
    let noise_floor = Some(FloorReport::of(&law, effective_points(a), seed)?);
    Ok(Report { law: Some(law.kind_name()), noise_floor, monte_carlo, ..Report::new(a, distance) })
}

fn sampling((fresh_per_point, replicates): (usize, usize), seed: u64) -> Result<Sampling> {
    Ok(Sampling { fresh_per_point, replicates, confidence: Confidence::new(CONFIDENCE)?, seed })
}

/// `1/Σω²`: as many equal points scatter as much as weighted ones do.
fn effective_points(cloud: &Cloud) -> usize {
    let squares = |weights: &[f64]| weights.iter().map(|w| w * w).sum::<f64>();
    cloud.weights().map_or(cloud.len(), |weights| (1.0 / squares(weights)).round().max(1.0) as usize)
}

impl FloorReport {
    fn of(law: &Law, points: usize, seed: u64) -> Result<Self> {
        if law.dimension() == 1 {
            let value = line_floor(&law.on_line()?, points)?.value;
            return Ok(Self { value, standard_error: None, points, seed: None });
        }
        let seed = seed ^ FLOOR_STREAM;
        let floor = simulated_floor(law, points, &sampling(FLOOR, seed)?)?.estimate;
        let (value, standard_error) = (floor.estimate, Some(floor.standard_error));
        Ok(Self { value, standard_error, points, seed: Some(seed) })
    }
}

impl From<SampledBracket> for BracketReport {
    fn from(bracket: SampledBracket) -> Self {
        let SampledBracket { dual, primal, sliced, fresh, replicates, .. } = bracket;
        Self { replicates, fresh, dual, primal, sliced }
    }
}

impl Report {
    fn new(a: &Cloud, distance: Distance) -> Self {
        let Distance { w1, bracket: Bracket { lower, upper }, method, .. } = distance;
        let (n, d) = (a.len(), a.dimension());
        Self { w1, lower, upper, method, n, d, m: None, law: None, noise_floor: None, monte_carlo: None }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { w1, lower, upper, n, d, .. } = self;
        let other = match (self.m, self.law) {
            (Some(m), _) => counted(m, "point"),
            (None, law) => format!("a law of kind {}", law.unwrap_or_default()),
        };
        output::line(f, "compared", format_args!("{} with {other} in dimension {d}", counted(*n, "point")))?;
        match self.method {
            Method::Line => output::line(f, "W1", format_args!("{w1} (exact, on the line)"))?,
            Method::Transport => {
                output::line(f, "W1", format_args!("{w1} (exact transport, gap {:.1e})", upper - lower))?;
            }
            Method::Bracket => {
                let [w1, lower, upper] = [*w1, *lower, *upper].map(decimals);
                output::line(f, "W1", format_args!("about {w1}, between {lower} and {upper}"))?;
            }
        }
        if let Some(monte_carlo) = &self.monte_carlo {
            output::line(f, "Monte Carlo", monte_carlo)?;
        }
        self.noise_floor.as_ref().map_or(Ok(()), |floor| output::line(f, "noise floor", floor))
    }
}

/// Six decimals, or as many digits of a number that is large.
fn decimals(x: f64) -> String {
    if x.abs() < 1e7 { format!("{x:.6}") } else { format!("{x:.6e}") }
}

impl fmt::Display for MonteCarlo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BracketReport { replicates, fresh, dual, primal, sliced } = &self.bracket;
        write!(
            f,
            "{replicates} samples of {fresh} fresh points, seed {}; below {} ± {} (slice {}), above {} ± {}, bounds at {} %",
            self.seed,
            decimals(dual.estimate),
            decimals(dual.standard_error),
            decimals(*sliced),
            decimals(primal.estimate),
            decimals(primal.standard_error),
            100.0 * self.confidence
        )
    }
}

impl fmt::Display for FloorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6}", self.value)?;
        if let Some(error) = self.standard_error {
            write!(f, " ± {error:.6}")?;
        }
        write!(f, " expected of {} of the law", counted(self.points, "independent point"))
    }
}
