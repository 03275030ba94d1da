//! `ebflow meanfield`: the flow of infinitely many particles.

use std::fmt;

use ebflow::drift::Auto;
use ebflow::law::Law;
use ebflow::meanfield::{DenoisingTime, MeanField, PosteriorMean, State};
use ebflow::{BallRadius, Beta, Cloud, Error, Gauge, Measured, RawTime, Result};
use nalgebra::DMatrix;
use serde::Serialize;

use super::args::{self, LawFlow, laws};
use super::output::{self, Console};
use super::watch::watched;

/// The mean field, N = ∞: the law itself flows, without sampling noise.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = concat!("Example:
  ebflow meanfield --law '{ kind = \"gaussian\", mean = 0, std = 1 }' --noise-var 0.5 --beta 20 --denoising --query=-1,2\n\n", laws!()))]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    flow: LawFlow,
    /// Truncate the noisy law to the ball of this radius before the flow.
    #[arg(long, value_name = "R", value_parser = args::ball_radius, allow_negative_numbers = true)]
    radius: Option<BallRadius>,
    /// Noisy observations whose posterior means are wanted, d coordinates each.
    #[arg(long, value_name = "Y,…", value_delimiter = ',', allow_hyphen_values = true)]
    query: Vec<f64>,
    /// Print the energy at the queries too.
    #[arg(long, requires = "query")]
    energy: bool,
    /// Accuracy to insist on, relative to the noisy law's standard deviation; without it, as accurate as pays.
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    accuracy: Option<f64>,
    /// Find the time, up to the horizon, at which the law on the line is closest to its prior in W1.
    #[arg(long)]
    closest: bool,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    json: bool,
}

/// A number on the line, a list in more dimensions.
#[derive(Serialize)]
#[serde(untagged)]
enum Coordinates {
    Scalar(f64),
    Vector(Vec<f64>),
}

impl Coordinates {
    fn new(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        match values.as_slice() {
            [value] => Self::Scalar(*value),
            _ => Self::Vector(values),
        }
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(value) => write!(f, "{value:?}"),
            Self::Vector(values) => write!(f, "{values:?}"),
        }
    }
}

#[derive(Serialize)]
struct Report {
    raw_time: f64,
    score_time: f64,
    mean: Coordinates,
    /// Of each coordinate.
    variance: Coordinates,
    #[serde(skip_serializing_if = "Option::is_none")]
    covariance: Option<Vec<Vec<f64>>>,
    w1_to_prior: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w1_to_prior_missing: Option<String>,
    posterior: Vec<Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<Closest>,
    nodes: usize,
    error_estimate: f64,
    errors: Errors,
}

/// Where the law is closest to its prior, number by number with its bar.
#[derive(Serialize)]
struct Closest {
    raw_time: f64,
    raw_time_error: f64,
    score_time: f64,
    score_time_error: f64,
    w1: f64,
    w1_error: f64,
}

impl Closest {
    fn new(found: &DenoisingTime, beta: Beta) -> Self {
        let score_time = found.raw_time / beta.get();
        Self {
            raw_time: found.raw_time.value,
            raw_time_error: found.raw_time.numerical,
            score_time: score_time.value,
            score_time_error: score_time.numerical,
            w1: found.w1.value,
            w1_error: found.w1.numerical,
        }
    }
}

/// Stage 2 at one query.
#[derive(Serialize)]
struct Answer {
    y: Coordinates,
    m: Coordinates,
    m_prior: Coordinates,
    error: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    energy_error: Option<f64>,
}

/// Estimated errors, number by number.
#[derive(Serialize)]
struct Errors {
    /// W1 between the computed and the exact law.
    law: f64,
    mean: f64,
    variance: f64,
    w1_to_prior: Option<f64>,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let law = Law::parse(&args.flow.law)?;
    let queries = match args.query.as_slice() {
        [] => None,
        values => Some(Cloud::named(values.to_vec(), law.dimension(), "the list of queries")?),
    };
    let mut problem = MeanField::new(law, args.flow.noise.variance(), args.flow.beta);
    if let Some(radius) = args.radius {
        problem = problem.truncated_to(radius);
    }
    if let Some(accuracy) = args.accuracy {
        problem = problem.with_accuracy(accuracy)?;
    }
    if let Some(queries) = &queries {
        problem = problem.asked_at(queries.clone())?;
    }
    let time = args.flow.horizon.raw_time(args.flow.noise.variance(), args.flow.beta)?;
    let drift = Auto::default();
    let evolution =
        watched("following the mean field", &Gauge::default(), console, || problem.evolve(&[time], &drift))?;
    let state = &evolution.states[0];
    let posterior = queries.map_or_else(|| Ok(vec![]), |queries| state.posterior(&queries, &drift))?;
    let closest = if args.closest { Some(closest(&problem, time, &drift)?) } else { None };
    console
        .result(&Report { closest, ..Report::new(state, posterior, evolution.nodes, args.energy) }, args.json)
}

/// The closest time, which must lie before the horizon.
fn closest(problem: &MeanField, horizon: RawTime, drift: &Auto) -> Result<Closest> {
    problem.law().on_line()?;
    match problem.denoising_time(horizon, drift)? {
        Some(found) => Ok(Closest::new(&found, problem.beta())),
        None => Err(Error::InvalidParameter {
            name: "raw time of the horizon",
            value: horizon.get(),
            requirement: "later than the time at which the law is closest to its prior (it still comes closer there)",
        }),
    }
}

impl Report {
    fn new(state: &State, posterior: Vec<PosteriorMean>, nodes: usize, energy: bool) -> Self {
        let (mean, covariance, w1) = (state.mean(), state.covariance(), state.w1_to_prior());
        let errors = Errors {
            law: state.error,
            mean: widest(mean.iter()),
            variance: widest(covariance.iter()),
            w1_to_prior: w1.as_ref().ok().map(|w1| w1.numerical),
        };
        let own = [errors.law, errors.mean, errors.variance, errors.w1_to_prior.unwrap_or(0.0)];
        let others =
            posterior.iter().flat_map(|p| [widest(&p.mean), if energy { p.energy.numerical } else { 0.0 }]);
        let error_estimate = own.into_iter().chain(others).fold(0.0, f64::max);
        Self {
            raw_time: state.raw_time.get(),
            score_time: state.score_time.get(),
            mean: Coordinates::new(mean.iter().map(|m| m.value)),
            variance: Coordinates::new(covariance.diagonal().iter().map(|v| v.value)),
            covariance: (covariance.nrows() > 1).then(|| rows(&covariance)),
            w1_to_prior_missing: w1.as_ref().err().map(ToString::to_string),
            w1_to_prior: w1.ok().map(|w1| w1.value),
            posterior: posterior.into_iter().map(|p| Answer::new(p, energy)).collect(),
            closest: None,
            nodes,
            error_estimate,
            errors,
        }
    }
}

impl Answer {
    fn new(answer: PosteriorMean, energy: bool) -> Self {
        Self {
            y: Coordinates::new(answer.query),
            error: widest(&answer.mean),
            m: Coordinates::new(answer.mean.iter().map(|m| m.value)),
            m_prior: Coordinates::new(answer.bayes),
            energy: energy.then_some(answer.energy.value),
            energy_error: energy.then_some(answer.energy.numerical),
        }
    }
}

fn rows(matrix: &DMatrix<Measured>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().map(|entry| entry.value).collect()).collect()
}

/// The widest of some bars.
fn widest<'a>(numbers: impl IntoIterator<Item = &'a Measured>) -> f64 {
    numbers.into_iter().map(|number| number.numerical).fold(0.0, f64::max)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Errors { law, mean, variance, w1_to_prior } = &self.errors;
        output::line(
            f,
            "horizon",
            format_args!("raw time {}, score time {}", self.raw_time, self.score_time),
        )?;
        output::line(f, "mean", format_args!("{} ± {mean:.1e}", self.mean))?;
        output::line(f, "variance", format_args!("{} ± {variance:.1e}", self.variance))?;
        if let (Some(w1), Some(error)) = (self.w1_to_prior, w1_to_prior) {
            output::line(f, "W1 to the prior", format_args!("{w1:?} ± {error:.1e}"))?;
        }
        if let Some(reason) = &self.w1_to_prior_missing {
            output::line(f, "W1 to the prior", format_args!("unknown: {reason}"))?;
        }
        if let Some(Closest { raw_time, raw_time_error, score_time, score_time_error, w1, w1_error }) =
            &self.closest
        {
            output::line(
                f,
                "closest",
                format_args!(
                    "W1 {w1:?} ± {w1_error:.1e} at raw time {raw_time:?} ± {raw_time_error:.1e}, score time {score_time:?} ± {score_time_error:.1e}"
                ),
            )?;
        }
        for answer in &self.posterior {
            let Answer { y, m, m_prior, error, .. } = answer;
            output::line(f, "posterior mean", format_args!("{m} ± {error:.1e} at {y}; Bayes {m_prior}"))?;
            if let (Some(energy), Some(error)) = (answer.energy, answer.energy_error) {
                output::line(f, "energy", format_args!("{energy:?} ± {error:.1e} at {y}"))?;
            }
        }
        output::line(f, "law", format_args!("{} nodes, W1 error {law:.1e}", self.nodes))
    }
}
