//! Clouds along the flow, with nobody who would end a run that breaks a law.

use crate::cloud::Cloud;
use crate::drift::{Drift, DriftField, Targets};
use crate::error::Result;
use crate::flow::{Field, Integrator, Schedule, Step, StepObserver};
use crate::law::Generator;
use crate::numeric::largest;
use crate::scale::{Beta, RawTime};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// The end of a stretch of a path.
pub(super) struct Leg {
    /// The cloud there.
    pub cloud: Cloud,
    /// Steps since the end of the stretch before.
    pub steps: u64,
}

/// Follows a cloud to increasing raw times.
pub(super) fn follow(
    start: &Cloud,
    drift: &dyn Drift,
    beta: Beta,
    times: &[f64],
    integrator: &dyn Integrator,
) -> Result<Vec<Leg>> {
    let schedule = Schedule::constant(beta);
    let mut legs: Vec<Leg> = Vec::with_capacity(times.len());
    let mut now = 0.0;
    for &time in times {
        let cloud = legs.last().map_or(start, |leg| &leg.cloud);
        let mut field = Field::new(drift, &schedule, cloud, RawTime::new(time - now)?);
        let end = integrator.integrate(&mut field, &mut Nobody)?;
        let leg = Leg { cloud: cloud.moved_to(end.points)?, steps: end.steps };
        legs.push(leg);
        now = time;
    }
    Ok(legs)
}

struct Nobody;

impl StepObserver for Nobody {
    fn accepted(&mut self, _step: &Step<'_>) -> Result<()> {
        Ok(())
    }
}

/// The drift of a cloud at its own points.
pub(super) fn self_drift(cloud: &Cloud, drift: &dyn Drift, beta: Beta) -> Result<DriftField> {
    let mut field = DriftField::default();
    drift.evaluate(cloud.view(), Targets::Sources, beta, &mut field)?;
    Ok(field)
}

/// What rounding and truncation may have done to each drift of a field, at most.
pub(super) fn certificate(field: &DriftField) -> f64 {
    largest(field.rounding.iter().zip(&field.truncation).map(|(r, t)| r + t))
}

/// A twin of a cloud: every coordinate is moved by a distance to a random side.
pub(super) fn kicked(cloud: &Cloud, by: f64, stream: &mut Generator) -> Result<Cloud> {
    let kick = |z: &f64| if stream.random::<bool>() { z + by } else { z - by };
    cloud.moved_to(cloud.points().iter().map(kick).collect())
}

/// Unit vectors: both of them on the line, else `count` seeded ones.
pub(super) fn directions(dimension: usize, count: usize, generator: &mut Generator) -> Vec<Vec<f64>> {
    if dimension == 1 {
        return vec![vec![1.0], vec![-1.0]];
    }
    let mut direction = || {
        let draw: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(generator)).collect();
        let length = dot(&draw, &draw).sqrt();
        draw.into_iter().map(|x| x / length).collect()
    };
    (0..count).map(|_| direction()).collect()
}

/// `a·b`
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `Σ ω_i a_i·b_i`, for coordinates of the particles of a cloud.
pub(super) fn inner(cloud: &Cloud, a: &[f64], b: &[f64]) -> f64 {
    let d = cloud.dimension();
    let pairs = a.chunks_exact(d).zip(b.chunks_exact(d)).enumerate();
    pairs.map(|(i, (a, b))| cloud.weight(i) * dot(a, b)).sum()
}
