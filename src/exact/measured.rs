//! [`MeasuredHitting`]: a hitting time measured on particles, beside the closed forms it should agree with.
//!
//! # Formula
//! With the sample's variance per axis `v̂0 = (1/d) Σ ω_i |z_i − m|²` and the law's `v0`,
//! ```text
//! measured:    the first t with (1/d) Σ ω_i |z_i(t) − m(t)|² = v*
//! for_sample:  T from v̂0          mean_field:  T from v0 = τ_a² + σ²
//! sampling:    T'(v0) sd(v̂0),     T'(v) = 1/2 + 1/(2βv),    sd(v̂0)² = (1/N) Var(|z − m|²/d)
//! ```
//! in score time. The first closed form takes out what the sample's variance itself does to the time. What the rest of its shape does
//! remains, and is smaller than the sampling error by about the same factor as it is harder to name.
//!
//! # Paper
//! `thm:gaussiandenoise`

use super::{Hitting, VarianceDescent};
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::flow::{Event, Flow, Integrator, Schedule, TotalVariance};
use crate::scale::{Beta, ScoreTime};

/// The flow is followed for this many times the time that the closed form gives for the sample.
const PATIENCE: f64 = 1.5;

/// A hitting time on particles, in score time, and what it is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredHitting {
    /// When the particles reach the target.
    pub measured: ScoreTime,
    /// Numerical error bar of that.
    pub error: f64,
    /// The closed form for a Gaussian law with the sample's own initial variance.
    pub for_sample: ScoreTime,
    /// The closed form for the law that was sampled.
    pub mean_field: ScoreTime,
    /// Standard deviation of the time over samples of this size.
    pub sampling_error: f64,
}

impl MeasuredHitting {
    /// Follows `cloud`, a sample of the isotropic Gaussian law that `descent` starts from, until its variance per axis is `target`; crossings
    /// are told apart down to `resolution` in raw time.
    pub fn new(
        cloud: &Cloud,
        descent: VarianceDescent,
        target: f64,
        resolution: f64,
        (drift, integrator): (&dyn Drift, &dyn Integrator),
    ) -> Result<Self> {
        let (beta, d) = (descent.beta(), cloud.dimension() as f64);
        let start = cloud.covariance().trace() / d;
        let for_sample = at(VarianceDescent::from_start(start, beta)?.hitting(target)?, target)?;
        let mean_field = at(descent.hitting(target)?, target)?;
        let horizon = ScoreTime::new(PATIENCE * for_sample.get())?;
        let flow = Flow::new(Schedule::constant(beta), horizon)?
            .with_event(Event::new(TotalVariance, d * target, resolution)?)?
            .with_error_bound();
        let trajectory = flow.run(cloud, drift, integrator)?;
        let Some(crossing) = trajectory.events[0].crossings.first() else {
            return Err(Error::Integration {
                what: "the variance of the particles",
                raw_time: trajectory.raw_time.get(),
                problem: format!("it has not come down to {target}; choose a target above the spacing of the particles"),
            });
        };
        Ok(Self {
            measured: crossing.raw_time.to_score(beta),
            error: crossing.error / beta.get(),
            for_sample,
            mean_field,
            sampling_error: sampling_error(cloud, descent.start(), beta),
        })
    }
}

/// A time that is finite because the target is positive.
fn at(hitting: Hitting, target: f64) -> Result<ScoreTime> {
    match hitting {
        Hitting::At(time) => Ok(time),
        Hitting::Never => Err(Error::InvalidParameter {
            name: "target variance",
            value: target,
            requirement: "positive: particles do not reach a variance of zero",
        }),
    }
}

fn sampling_error(cloud: &Cloud, variance: f64, beta: Beta) -> f64 {
    let (mean, d) = (cloud.mean(), cloud.dimension() as f64);
    let square = |row: &[f64]| row.iter().zip(mean.iter()).map(|(z, m)| (z - m).powi(2)).sum::<f64>() / d;
    let squares: Vec<f64> = cloud.rows().map(square).collect();
    let average: f64 = squares.iter().enumerate().map(|(i, s)| cloud.weight(i) * s).sum();
    let spread: f64 = squares.iter().enumerate().map(|(i, s)| (cloud.weight(i) * (s - average)).powi(2)).sum();
    (0.5 + 0.5 / (beta.get() * variance)) * spread.sqrt()
}
