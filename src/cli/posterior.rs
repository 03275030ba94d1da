//! `ebflow posterior`: Stage 2 on its own.

use std::fmt;
use std::path::PathBuf;

use ebflow::drift::Auto;
use ebflow::files::{self, npy};
use ebflow::posterior::ParticlePrior;
use ebflow::{Gauge, Result};
use serde::Serialize;

use super::args::Outputs;
use super::noise::Noise;
use super::output::{self, Console};
use super::watch::watched;

/// Posterior means of queries under a particle prior (Stage 2).
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow posterior particles.npy noisy.npy --noise-var 0.5 --out estimates.npy")]
pub struct Args {
    /// Particles that stand for the prior, shape (N, d).
    particles: PathBuf,
    /// Noisy observations, shape (M, d).
    queries: PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    noise: Noise,
    /// Where the posterior means go.
    #[arg(long, value_name = "M.npy")]
    out: PathBuf,
    /// Where the energies go, shape (M,).
    #[arg(long, value_name = "E.npy")]
    energy: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    outputs: Outputs,
}

#[derive(Serialize)]
struct Report {
    n: usize,
    d: usize,
    queries: usize,
    /// The largest error of a posterior mean that the kernel sum may have left.
    error: f64,
    out: PathBuf,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        output::line(f, "particles", format_args!("{} in dimension {}", self.n, self.d))?;
        output::line(f, "queries", self.queries)?;
        output::line(f, "kernel sum error", format_args!("at most {:.1e}", self.error))?;
        output::line(f, "posterior means", self.out.display())
    }
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let particles = files::read_cloud(&args.particles)?;
    let queries = files::read_cloud(&args.queries)?;
    args.outputs
        .check(std::iter::once(&args.out).chain(&args.energy), [args.particles.as_path(), &args.queries])?;
    let inference = watched("averaging particles", &Gauge::default(), console, || {
        ParticlePrior::new(&particles, args.noise.variance())?.infer(&queries, &Auto::default())
    })?;
    npy::check_finite("the kernel sum's error", &inference.error, 1)?;
    if args.energy.is_some() {
        npy::check_finite("the energy", &inference.energy, 1)?;
    }
    files::write_table(&args.out, inference.mean.points(), queries.dimension())?;
    if let Some(path) = &args.energy {
        files::write_vector(path, &inference.energy)?;
    }
    let report = Report {
        n: particles.len(),
        d: particles.dimension(),
        queries: queries.len(),
        error: inference.error.iter().copied().fold(0.0, f64::max),
        out: args.out.clone(),
    };
    console.result(&report, args.outputs.json)
}
