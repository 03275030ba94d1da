//! [`MeasuredHitting`]: a hitting time measured on particles, beside the closed forms it should agree with.
//!
//! # Formula
//! With the sample's variance per axis `v̂0 = (1/d) Σ ω_i |z_i − m|²` and the law's `v0`,
//! ```text
//! measured:    the first t with (1/d) Σ ω_i |z_i(t) − m(t)|² = v*
//! for_sample:  T from v̂0          mean_field:  T from v0 = τ_a² + σ²
//! sampling:    T'(v0) sd(v̂0),     T'(v) = 1/2 + 1/(2βv),    sd(v̂0)² = (1/N) Var(|z − m|²/d)
//! ```
//! in score time. The closed form is one for Gaussian laws, and a sample has no Gaussian shape. Taking `T` from the sample's own variance removes
//! what the fluctuation of that variance does to the time, most of the sampling error; what the rest of the sample's shape does remains, and a bias of order `1/N`, since every
//! particle is its own nearest neighbour. How large both are is estimated from the sample itself, by a jackknife: with
//! `D = measured − for_sample`, and `D_g` the same after leaving out every `G`-th particle,
//! ```text
//! shape_error = ((G−1)/G Σ_g (D_g − D̄)²)^{1/2},      shape_bias = (G − 1)(D̄ − D)
//! ```
//!
//! # Paper
//! `thm:gaussiandenoise`

use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::exact::{Hitting, VarianceDescent};
use crate::flow::{Event, Flow, Integrator, TotalVariance};
use crate::scale::{Beta, ScoreTime};

/// The flow is followed for this many times the time that the closed form gives for the sample.
const PATIENCE: f64 = 1.5;

/// Parts `G` that are left out in turn.
const GROUPS: usize = 8;

/// A hitting time on particles, in score time, and what it is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct MeasuredHitting {
    /// When the particles reach the target.
    pub measured: ScoreTime,
    /// Numerical error bar of that.
    pub error: f64,
    /// The closed form for a Gaussian law with the sample's own initial variance.
    pub for_sample: ScoreTime,
    /// Standard error of `measured − for_sample`: what the shape of the sample, other than its variance, does to the time.
    pub shape_error: f64,
    /// Systematic part of `measured − for_sample` in a sample of this size.
    pub shape_bias: f64,
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
        if cloud.len() < 2 * GROUPS {
            let problem = format!(
                "it takes {} particles to judge a hitting time, and there are {}",
                2 * GROUPS,
                cloud.len()
            );
            return Err(Error::Fit { problem });
        }
        let beta = descent.beta();
        let measurement = Measurement { beta, target, resolution, drift, integrator };
        let found = measurement.of(cloud, true)?;
        let parts: Vec<f64> = (0..GROUPS)
            .map(|group| Ok(measurement.of(&without(cloud, group)?, false)?.difference()))
            .collect::<Result<_>>()?;
        let groups = GROUPS as f64;
        let mean = parts.iter().sum::<f64>() / groups;
        let spread: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
        Ok(Self {
            measured: found.time,
            error: found.error,
            for_sample: found.closed_form,
            shape_error: ((groups - 1.0) / groups * spread).sqrt(),
            shape_bias: (groups - 1.0) * (mean - found.difference()),
            mean_field: at(descent.hitting(target)?, target)?,
            sampling_error: sampling_error(cloud, descent.start(), beta),
        })
    }
}

/// How a hitting time is measured.
struct Measurement<'a> {
    beta: Beta,
    target: f64,
    resolution: f64,
    drift: &'a dyn Drift,
    integrator: &'a dyn Integrator,
}

/// One measured time beside the closed form for its sample.
struct Found {
    time: ScoreTime,
    error: f64,
    closed_form: ScoreTime,
}

impl Found {
    fn difference(&self) -> f64 {
        self.time.get() - self.closed_form.get()
    }
}

impl Measurement<'_> {
    fn of(&self, cloud: &Cloud, bounded: bool) -> Result<Found> {
        let d = cloud.dimension() as f64;
        let start = cloud.covariance().trace() / d;
        let closed_form =
            at(VarianceDescent::from_start(start, self.beta)?.hitting(self.target)?, self.target)?;
        let horizon = ScoreTime::new(PATIENCE * closed_form.get())?;
        let flow = Flow::new(self.beta, horizon).with_event(Event::new(
            TotalVariance,
            d * self.target,
            self.resolution,
        )?);
        let flow = if bounded { flow.with_error_bound() } else { flow };
        let trajectory = flow.with_drift(self.drift).with_integrator(self.integrator).run(cloud)?;
        let Some(crossing) = trajectory.events[0].crossings.first() else {
            return Err(Error::Integration {
                what: "the variance of the particles",
                raw_time: trajectory.raw_time.get(),
                problem: format!(
                    "it has not come down to {}; choose a target above the spacing of the particles",
                    self.target
                ),
            });
        };
        let error = crossing.error / self.beta.get();
        Ok(Found { time: crossing.raw_time.to_score(self.beta)?, error, closed_form })
    }
}

/// The cloud without every [`GROUPS`]-th particle, from `group` on.
fn without(cloud: &Cloud, group: usize) -> Result<Cloud> {
    let kept = || (0..cloud.len()).filter(|i| i % GROUPS != group);
    let d = cloud.dimension();
    let points = kept().flat_map(|i| &cloud.points()[i * d..(i + 1) * d]).copied().collect();
    let rest = Cloud::new(points, d)?;
    match cloud.weights() {
        None => Ok(rest),
        Some(weights) => {
            let total: f64 = kept().map(|i| weights[i]).sum();
            rest.with_weights(kept().map(|i| weights[i] / total).collect())
        }
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
    let spread: f64 =
        squares.iter().enumerate().map(|(i, s)| (cloud.weight(i) * (s - average)).powi(2)).sum();
    (0.5 + 0.5 / (beta.get() * variance)) * spread.sqrt()
}
