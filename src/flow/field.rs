//! [`Field`]: the flow's right-hand side, guarded and counted.
//!
//! # Formula
//! ```text
//! dz_i/dt = η(t) v_i,    v_i = F_i − z_i at β(t)
//! ```
//! Everything an integrator learns about the dynamics goes through here, so that no drift can hand it a NaN, and
//! evaluations are counted once for all integrators.
//!
//! # Paper
//! `eq:z_dynamics_discrete_N_flow`

use super::Schedule;
use crate::cloud::{Cloud, CloudView};
use crate::drift::{Drift, DriftField, Targets};
use crate::error::{Error, Result};
use crate::scale::RawTime;

/// The right-hand side `η(t) v_{β(t)}(z)` for the weights of one cloud, and from where to when it is followed.
pub struct Field<'a> {
    drift: &'a dyn Drift,
    schedule: &'a Schedule,
    cloud: &'a Cloud,
    horizon: RawTime,
    scratch: DriftField,
    evaluations: u64,
    pairs: u64,
}

impl<'a> Field<'a> {
    /// The dynamics that move `cloud` until the horizon.
    pub fn new(drift: &'a dyn Drift, schedule: &'a Schedule, cloud: &'a Cloud, horizon: RawTime) -> Self {
        Self { drift, schedule, cloud, horizon, scratch: DriftField::default(), evaluations: 0, pairs: 0 }
    }

    /// The cloud where it starts.
    pub fn start(&self) -> &'a Cloud {
        self.cloud
    }

    /// How long it is followed.
    pub fn horizon(&self) -> RawTime {
        self.horizon
    }

    /// The schedule `β(t), η(t)`.
    pub fn schedule(&self) -> &'a Schedule {
        self.schedule
    }

    /// How often the drift was evaluated so far.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Kernel values computed so far, as ordered pairs.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// What the drift left behind at the last evaluation: its certificates, among others.
    pub(super) fn last(&self) -> &DriftField {
        &self.scratch
    }

    /// Writes `dz/dt` at the positions `points` into `derivative`, both row-major like the cloud. Succeeds only with
    /// finite numbers.
    pub fn evaluate(&mut self, raw_time: f64, points: &[f64], derivative: &mut [f64]) -> Result<()> {
        let rates = self.schedule.at(raw_time)?;
        let dimension = self.cloud.dimension();
        let sources = CloudView { points, dimension, weights: self.cloud.weights() };
        self.drift.evaluate(sources, Targets::Sources, rates.beta, &mut self.scratch)?;
        self.evaluations += 1;
        self.pairs += self.scratch.pairs;
        let velocity = &self.scratch.velocity;
        if velocity.len() != points.len() {
            return Err(Error::LengthMismatch {
                what: "the drift's result".into(),
                other: "the coordinates of the particles".into(),
                expected: points.len(),
                found: velocity.len(),
            });
        }
        derivative.iter_mut().zip(velocity).for_each(|(out, v)| *out = rates.rate * v);
        check_finite("the drift", raw_time, derivative, dimension)
    }
}

/// Refuses a NaN or an infinity, naming the particle.
pub(super) fn check_finite(what: &str, raw_time: f64, values: &[f64], dimension: usize) -> Result<()> {
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::Integration {
            what: "the particle flow",
            raw_time,
            problem: format!(
                "{what} of particle {} is {} in coordinate {}; rescale the coordinates if they are extreme, or use another drift",
                at / dimension,
                values[at],
                at % dimension
            ),
        }),
    }
}
