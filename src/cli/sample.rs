//! `ebflow sample`: tokens from a law, clean or noisy.

use std::fmt;
use std::path::{Path, PathBuf};

use ebflow::files;
use ebflow::law::{Law, generator};
use ebflow::{NoiseVariance, Result};
use serde::Serialize;

use super::args::{self, Outputs, laws};
use super::noise::deviation;
use super::output::{self, Console};

/// Draw tokens from a law.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = concat!("Example:
  ebflow sample '{ kind = \"laplace\", mean = 0, scale = 1 }' --n 1000 --noise-var 0.5 --out noisy.npy --clean clean.npy\n\n", laws!()))]
pub struct Args {
    /// The law: a TOML file or an inline table.
    law: String,
    /// How many points. With the same seed, fewer points are the first of more.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    /// Variance of Gaussian noise to add.
    #[arg(long, value_name = "V", value_parser = args::noise_variance, allow_negative_numbers = true, group = "noise")]
    noise_var: Option<NoiseVariance>,
    /// Standard deviation σ of the noise, instead of its variance.
    #[arg(long, value_name = "S", value_parser = deviation, allow_negative_numbers = true, group = "noise")]
    #[serde(skip)]
    noise_std: Option<NoiseVariance>,
    /// Seed of the random numbers.
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = clap::value_parser!(u64).range(args::SEEDS))]
    seed: u64,
    /// Where the points go, shape (N, d).
    #[arg(long, value_name = "X.npy")]
    out: PathBuf,
    /// Where the points go as they were before the noise.
    #[arg(long, value_name = "C.npy", requires = "noise")]
    clean: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    outputs: Outputs,
}

#[derive(Serialize)]
struct Report {
    law: &'static str,
    n: usize,
    d: usize,
    seed: u64,
    noise_var: Option<f64>,
    out: PathBuf,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        output::line(f, "points", format_args!("{} in dimension {}", self.n, self.d))?;
        output::line(f, "law", self.law)?;
        match self.noise_var {
            Some(variance) => output::line(f, "noise variance", variance)?,
            None => output::line(f, "noise variance", "none added")?,
        }
        output::line(f, "seed", self.seed)?;
        output::line(f, "written to", self.out.display())
    }
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<()> {
    let law = Law::parse(&args.law)?;
    args.outputs.check(std::iter::once(&args.out).chain(&args.clean), [Path::new(&args.law)])?;
    let (n, noise) = (args.n as usize, args.noise_var.or(args.noise_std));
    let points = match noise {
        None => law.sample(n, &mut generator(args.seed))?,
        Some(noise) => {
            let sample = law.sample_noisy(n, noise, args.seed)?;
            if let Some(path) = &args.clean {
                files::write_table(path, sample.clean.points(), law.dimension())?;
            }
            sample.noisy
        }
    };
    files::write_table(&args.out, points.points(), law.dimension())?;
    let report = Report {
        law: law.kind_name(),
        n,
        d: law.dimension(),
        seed: args.seed,
        noise_var: noise.map(NoiseVariance::get),
        out: args.out.clone(),
    };
    console.result(&report, args.outputs.json)
}
