//! Arguments that several verbs share.

use std::path::{Path, PathBuf};

/// How laws are written, for the help of every verb that takes one.
macro_rules! laws {
    () => {
        "A law is a TOML file, or an inline table of one of these kinds:
  { kind = \"gaussian\", mean = [0, 0], std = 1 }
  { kind = \"gaussian\", mean = [0, 0], cov = [[1, 0.5], [0.5, 2]] }
  { kind = \"mixture\", weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }
  { kind = \"mixture\", means = [[-1, 0], [1, 0]], covs = [[[1, 0], [0, 2]], [[2, 0], [0, 1]]] }
  { kind = \"atoms\", points = [[-1, 0], [1, 0]], weights = [0.3, 0.7] }
  { kind = \"laplace\", mean = 0, scale = 1 }
  { kind = \"uniform\", low = [-1, 0], high = [1, 2] }
  { kind = \"student\", df = 5, mean = 0, scale = 1 }
Weights are equal where they are left out. Points and weights of atoms may come from files (.npy, .npz, .csv):
file = \"clean.npy\" in place of points, weights = \"weights.npy\". In more dimensions laplace has independent
coordinates, and uniform is a box; student is on the line only."
    };
}
pub(super) use laws;

use ebflow::drift::{Drift, Named, Tolerance};
use ebflow::files::{check_ending, check_outputs, read_cloud};
use ebflow::flow::{Adaptive, Integrator, Layers, Schedule, Time};
use ebflow::study::Completeness;
use ebflow::{BallRadius, Beta, Cloud, Error, NoiseVariance, Preset, RawTime, Result, ScoreTime};
use serde::Serialize;

use super::Console;
use super::evidence::{check_writable, write_file};
use super::noise::{Noise, deviation};

/// A parser for one of the checked quantities, whose message clap shows beside the option's name.
macro_rules! quantity_parser {
    ($name:ident, $type:ty) => {
        pub fn $name(text: &str) -> std::result::Result<$type, String> {
            let value = text.trim().parse().map_err(|_| format!("'{text}' is not a number"))?;
            <$type>::new(value).map_err(|e: Error| e.to_string())
        }
    };
}

quantity_parser!(beta, Beta);
quantity_parser!(noise_variance, NoiseVariance);
quantity_parser!(raw_time, RawTime);
quantity_parser!(score_time, ScoreTime);
quantity_parser!(ball_radius, BallRadius);
quantity_parser!(tolerance, Tolerance);

/// A number that is given, or left to the tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice<T> {
    /// What the tokens say.
    Auto,
    /// What the user says.
    Given(T),
}

impl<T: Copy> Choice<T> {
    /// True where it is left to the tokens.
    pub fn is_auto(&self) -> bool {
        matches!(self, Self::Auto)
    }

    /// The number, if there is one.
    pub fn given(&self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Given(value) => Some(*value),
        }
    }
}

impl<T: Serialize> Serialize for Choice<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str(AUTO),
            Self::Given(value) => value.serialize(serializer),
        }
    }
}

/// How to leave a number to the tokens.
const AUTO: &str = "auto";

/// `auto` or what some parser takes.
fn or_auto<T>(
    text: &str,
    parse: impl Fn(&str) -> std::result::Result<T, String>,
) -> std::result::Result<Choice<T>, String> {
    match text.trim() {
        AUTO => Ok(Choice::Auto),
        text => parse(text).map(Choice::Given).map_err(|problem| format!("{problem}; or say {AUTO}")),
    }
}

/// An inverse temperature, or `auto`.
pub fn beta_or_auto(text: &str) -> std::result::Result<Choice<Beta>, String> {
    or_auto(text, beta)
}

/// A depth in units of the denoising horizon, or `auto`.
pub fn depth_or_auto(text: &str) -> std::result::Result<Choice<f64>, String> {
    or_auto(text, |text| match text.parse::<f64>() {
        Ok(multiple) if multiple.is_finite() && multiple >= 0.0 => Ok(multiple),
        Ok(_) => Err("a depth is finite and not negative".into()),
        Err(_) => Err(format!("'{text}' is not a number")),
    })
}

/// Seeds as JSON's numbers hold them exactly.
pub const SEEDS: std::ops::RangeInclusive<u64> = 0..=(1 << 53) - 1;

/// A law, its noise, a temperature, and how far the flow goes.
#[derive(Debug, Serialize, clap::Args)]
pub struct LawFlow {
    /// The clean prior: a TOML file or an inline table.
    #[arg(long, value_name = "LAW")]
    pub law: String,
    #[command(flatten)]
    #[serde(flatten)]
    pub noise: Noise,
    /// Inverse temperature β of the kernel.
    #[arg(long, value_name = "B", value_parser = beta, allow_negative_numbers = true)]
    pub beta: Beta,
    #[command(flatten)]
    #[serde(flatten)]
    pub horizon: LawHorizon,
}

/// Reads tokens, and remarks upon an array that looks as if its columns were meant.
pub fn read_tokens(path: &Path, console: &mut Console<'_>) -> Result<Cloud> {
    let tokens = read_cloud(path)?;
    let (n, d) = (tokens.len(), tokens.dimension());
    if n < d {
        console.say(format_args!(
            "{}: {n} rows of {d} numbers are read as {n} tokens in dimension {d}; transpose the array if that is not meant",
            path.display()
        ));
    }
    Ok(tokens)
}

/// Results do not go where data come from, unless that is meant.
#[derive(Debug, Serialize, clap::Args)]
pub struct Outputs {
    /// Allow a result to replace a file that was read.
    #[arg(long)]
    overwrite_input: bool,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    pub json: bool,
}

impl Outputs {
    /// Refuses arrays that cannot be written, or that would replace an input.
    pub fn check<'a>(
        &self,
        arrays: impl IntoIterator<Item = &'a PathBuf>,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<()> {
        self.check_with_page(arrays, None, inputs)
    }

    /// The same for arrays and a page.
    pub fn check_with_page<'a>(
        &self,
        arrays: impl IntoIterator<Item = &'a PathBuf>,
        page: Option<&'a PathBuf>,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<()> {
        let mut outputs: Vec<&Path> = arrays.into_iter().map(PathBuf::as_path).collect();
        outputs.iter().try_for_each(|path| check_ending(path))?;
        outputs.extend(page.map(PathBuf::as_path));
        check_outputs(&outputs, &inputs.into_iter().collect::<Vec<_>>(), self.overwrite_input)
    }
}

/// What a study's summary does where rows are missing, and where its verdicts go.
#[derive(Debug, Serialize, clap::Args)]
pub struct Reporting {
    /// Fit rates even where cells are missing or failed.
    #[arg(long)]
    allow_incomplete: bool,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    pub json: bool,
    /// Write the verdicts as JUnit test cases.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the tables for a paper, in LaTeX.
    #[arg(long, value_name = "FILE")]
    pub latex: Option<PathBuf>,
}

impl Reporting {
    /// Refuses files that could not be written, before any work is done.
    pub fn check(&self) -> Result<()> {
        [&self.junit, &self.latex].into_iter().flatten().try_for_each(|path| check_writable(path))
    }

    /// Writes the tables where they were asked for.
    pub fn write_latex(&self, content: impl FnOnce() -> String) -> Result<()> {
        write_file(self.latex.as_deref(), content)
    }

    /// Writes the verdicts where they were asked for.
    pub fn write_junit(&self, content: impl FnOnce() -> String) -> Result<()> {
        write_file(self.junit.as_deref(), content)
    }

    /// Whether rates may be fitted where rows are missing.
    pub fn completeness(&self) -> Completeness {
        if self.allow_incomplete { Completeness::Waived } else { Completeness::Required }
    }
}

/// How far the flow runs.
#[derive(Debug, Serialize, clap::Args)]
#[group(required = true, multiple = false)]
pub struct Horizon {
    /// Horizon in raw depth time t.
    #[arg(long, value_name = "T", value_parser = raw_time, allow_negative_numbers = true)]
    raw_time: Option<RawTime>,
    /// Horizon in score time s = t/β.
    #[arg(long, value_name = "S", value_parser = score_time, allow_negative_numbers = true)]
    score_time: Option<ScoreTime>,
    /// Horizon that removes noise of this variance: score time V/2.
    #[arg(long, value_name = "V", value_parser = noise_variance, allow_negative_numbers = true)]
    noise_var: Option<NoiseVariance>,
    /// Horizon that removes noise of this standard deviation: score time S²/2.
    #[arg(long, value_name = "S", value_parser = deviation, allow_negative_numbers = true)]
    noise_std: Option<NoiseVariance>,
}

impl Horizon {
    /// The time asked for; clap has seen to it that there is exactly one.
    pub fn time(&self) -> Time {
        let raw = self.raw_time.map(Time::from);
        let score =
            self.score_time.or(self.noise_var.or(self.noise_std).map(NoiseVariance::denoising_horizon));
        raw.or(score.map(Time::from)).expect("clap requires one of the group")
    }
}

/// When to look at a law.
#[derive(Debug, Serialize, clap::Args)]
#[group(required = true, multiple = false)]
pub struct LawHorizon {
    /// At a raw depth time t.
    #[arg(long, value_name = "T", value_parser = raw_time, allow_negative_numbers = true)]
    raw_time: Option<RawTime>,
    /// At a score time s = t/β.
    #[arg(long, value_name = "S", value_parser = score_time, allow_negative_numbers = true)]
    score_time: Option<ScoreTime>,
    /// At the denoising horizon, score time V/2.
    #[arg(long)]
    denoising: bool,
}

impl LawHorizon {
    /// The time asked for, in the clock it was asked in: converting it would round it.
    pub fn time(&self, noise: NoiseVariance) -> Time {
        let score = self.score_time.unwrap_or(noise.denoising_horizon());
        self.raw_time.map_or(score.into(), Time::from)
    }

    /// The same time in the raw clock, where it must be finite too.
    pub fn raw_time(&self, noise: NoiseVariance, beta: Beta) -> Result<RawTime> {
        Schedule::constant(beta).raw_time(self.time(noise))
    }
}

/// How the flow is integrated and its kernel sums evaluated.
#[derive(Debug, Serialize, clap::Args)]
pub struct FlowOptions {
    /// Layers that divide the horizon evenly (Algorithm 1); without it, an adaptive integrator.
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["rtol", "atol"])]
    layers: Option<u32>,
    /// Relative tolerance of the adaptive integrator [default: 1e-8].
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    rtol: Option<f64>,
    /// Absolute tolerance of the adaptive integrator [default: 1e-8].
    #[arg(long, value_name = "Y", allow_negative_numbers = true)]
    atol: Option<f64>,
    /// Keep only the tokens within this radius of the origin as particles (Algorithm 3).
    #[arg(long, value_name = "R", value_parser = ball_radius, allow_negative_numbers = true)]
    pub radius: Option<BallRadius>,
    /// How kernel sums are evaluated.
    #[arg(long, value_parser = drift_name(), default_value = "auto")]
    pub drift: Named,
    /// Bound on how far truncating the kernel may move a drift [default: below rounding].
    #[arg(long, value_name = "E", value_parser = tolerance, allow_negative_numbers = true)]
    eps: Option<Tolerance>,
    #[command(flatten)]
    #[serde(flatten)]
    threads: Threads,
}

/// How many threads work.
#[derive(Debug, Clone, Copy, Serialize, clap::Args)]
pub struct Threads {
    /// Threads to use [default: all cores]. Results do not depend on it.
    #[arg(long, visible_alias = "jobs", value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Threads {
    /// As many as asked for, else one for each core.
    pub fn count(self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }

    /// Runs a job on them.
    fn run<T: Send>(self, job: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        let count = self.count();
        match rayon::ThreadPoolBuilder::new().num_threads(count).build() {
            Ok(pool) => pool.install(job),
            Err(error) => Err(Error::Threads { count, problem: error.to_string() }),
        }
    }
}

/// A preset by its name, for clap.
pub fn preset_name() -> impl clap::builder::TypedValueParser<Value = Preset> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Preset::ALL.map(Preset::name))
        .map(|name| Preset::of(&name).expect("clap has checked the name"))
}

/// A drift by its name, for clap, which then lists the names.
pub fn drift_name() -> impl clap::builder::TypedValueParser<Value = Named> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Named::ALL.map(Named::name))
        .map(|name| Named::of(&name).expect("clap has checked the name"))
}

impl FlowOptions {
    /// Layers or the adaptive integrator.
    pub fn integrator(&self) -> Result<Box<dyn Integrator>> {
        Ok(match self.layers {
            Some(count) => Box::new(Layers::new(count as usize)?),
            None => Box::new(Adaptive::new(
                self.rtol.unwrap_or(Adaptive::TOLERANCE),
                self.atol.unwrap_or(Adaptive::TOLERANCE),
            )?),
        })
    }

    /// The drift by its name.
    pub fn drift(&self) -> Result<Box<dyn Drift>> {
        let tolerance = self.eps.unwrap_or_default();
        if let (Named::Dense, Some(eps)) = (self.drift, self.eps) {
            return Err(Error::InvalidParameter {
                name: "option --eps beside --drift dense",
                value: eps.get(),
                requirement: "left out: the full sum leaves nothing out; use --drift auto to gain speed from a tolerance",
            });
        }
        Ok(self.drift.drift(tolerance))
    }

    /// Runs a job on as many threads as asked for.
    pub fn on_threads<T: Send>(&self, job: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        self.threads.run(job)
    }
}
