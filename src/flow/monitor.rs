//! [`Monitor`]: what every run must obey, checked at every step for next to nothing.
//!
//! # Formula
//! With `F_i = z_i + v_i`, the mean `m` and the variance `V = Σ ω_i |z_i − m|²`, for every unit direction `u` and every particle:
//! ```text
//! support     u·F_i ≤ max_k u·z_k                       the weights a_ik are positive and sum to one
//! action      |v_i|² ≤ V + |z_i − m|²,   Σ ω_i |v_i|² ≤ 2V
//! hull        max_k u·z_k(t) does not grow              neither does max_k |z_k(t)|
//! ```
//! The first two are properties of the drift alone and hold up to rounding and the truncation of the kernel. The third holds for
//! layers up to rounding, and for other steps up to the tolerance they were accepted with. The directions are the axes and the diagonals
//! between neighbouring axes: the box, and its corners cut.
//!
//! # Paper
//! `lem:barycentric-action-estimate` (about the mean instead of the origin: the drift does not know where the origin is), remark
//! "Convex hull invariance"

use super::{Integrator, Moment, Schedule, Step, StepObserver};
use crate::cloud::{Cloud, norm};
use crate::error::{Error, Result};

/// Rounding of a kernel sum and of the drift's truncation, relative to the size of the cloud: what a property of the drift
/// may be missed by.
const DRIFT_SLACK: f64 = 1e-9;

/// Rounding of one step, relative to the size of the cloud.
const STEP_SLACK: f64 = 1e-14;

/// Watches a run and ends it when it breaks a law.
pub(super) struct Monitor<'a> {
    cloud: &'a Cloud,
    schedule: &'a Schedule,
    directions: Vec<Vec<f64>>,
    /// How far a step may leave the hull; unknown for integrators that do not say.
    step_error: Option<f64>,
    /// The extent at the end of the last step.
    extent: Extent,
    /// Where drifts and positions are measured against.
    size: f64,
}

/// How far a cloud reaches.
struct Extent {
    /// The smallest and the largest projection on every direction.
    ranges: Vec<(f64, f64)>,
    /// The largest distance from the origin.
    radius: f64,
}

/// What a law says about one particle.
struct Violation {
    particle: usize,
    by: f64,
    law: &'static str,
}

impl<'a> Monitor<'a> {
    /// Watches a run of an integrator that starts at `cloud`.
    pub fn new(cloud: &'a Cloud, schedule: &'a Schedule, integrator: &dyn Integrator) -> Self {
        let directions = directions(cloud.dimension());
        let extent = Extent::of(cloud.points(), &directions);
        let step_error = integrator.step_error(extent.radius, cloud.dimension());
        Self { cloud, schedule, directions, step_error, size: extent.size(), extent }
    }

    fn check_drift(&self, moment: Moment<'_>) -> Result<()> {
        let rate = self.schedule.at(moment.raw_time.get())?.rate;
        let velocity: Vec<f64> = moment.derivative.iter().map(|v| v / rate).collect();
        self.refuse(moment, self.barycentre_outside(moment.points, &velocity))?;
        self.refuse(moment, self.too_fast(moment.points, &velocity))
    }

    fn barycentre_outside(&self, points: &[f64], velocity: &[f64]) -> Option<Violation> {
        let target: Vec<f64> = points.iter().zip(velocity).map(|(z, v)| z + v).collect();
        let slack = DRIFT_SLACK * self.size;
        self.outside(&target, &self.extent, slack, "the barycentre that it moves to lies outside the convex hull")
    }

    fn too_fast(&self, points: &[f64], velocity: &[f64]) -> Option<Violation> {
        let d = self.cloud.dimension();
        let mean = mean(self.cloud, points);
        let offset = |z: &[f64]| norm(&z.iter().zip(&mean).map(|(z, m)| z - m).collect::<Vec<_>>());
        let offsets: Vec<f64> = points.chunks_exact(d).map(offset).collect();
        let variance: f64 = offsets.iter().enumerate().map(|(i, r)| self.cloud.weight(i) * r * r).sum();
        let limit = |r: f64| (variance + r * r).sqrt() + DRIFT_SLACK * self.size;
        let excess = velocity.chunks_exact(d).zip(offsets).map(|(v, r)| norm(v) - limit(r));
        worst(excess, "it moves faster than the action estimate allows")
    }

    fn left_hull(&self, points: &[f64], step_error: f64) -> Option<Violation> {
        let slack = step_error + STEP_SLACK * self.size;
        let outside = self.outside(points, &self.extent, slack, "it left the convex hull of the cloud");
        outside.or_else(|| {
            let beyond = points.chunks_exact(self.cloud.dimension()).map(|z| norm(z) - self.extent.radius - slack);
            worst(beyond, "it left the ball about the origin that held the cloud")
        })
    }

    fn outside(&self, points: &[f64], extent: &Extent, slack: f64, law: &'static str) -> Option<Violation> {
        let beyond = |z: &[f64]| {
            let directions = self.directions.iter().zip(&extent.ranges);
            directions.map(|(u, (low, high))| (project(u, z) - high).max(low - project(u, z))).fold(f64::MIN, f64::max)
        };
        worst(points.chunks_exact(self.cloud.dimension()).map(|z| beyond(z) - slack), law)
    }

    fn refuse(&self, moment: Moment<'_>, violation: Option<Violation>) -> Result<()> {
        match violation {
            None => Ok(()),
            Some(Violation { particle, by, law }) => Err(Error::Integration {
                what: "the particle flow",
                raw_time: moment.raw_time.get(),
                problem: format!(
                    "particle {particle} breaks a law of the flow by {by:.1e}: {law}; the drift or the integrator is wrong here, \
                     so use another"
                ),
            }),
        }
    }
}

impl StepObserver for Monitor<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        self.check_drift(step.start)?;
        if let Some(error) = self.step_error {
            self.refuse(step.end, self.left_hull(step.end.points, error))?;
        }
        self.extent = Extent::of(step.end.points, &self.directions);
        Ok(())
    }
}

impl Extent {
    fn of(points: &[f64], directions: &[Vec<f64>]) -> Self {
        let d = directions[0].len();
        let range = |u: &Vec<f64>| {
            let projections = points.chunks_exact(d).map(|z| project(u, z));
            projections.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
        };
        Self {
            ranges: directions.iter().map(range).collect(),
            radius: points.chunks_exact(d).map(norm).fold(0.0, f64::max),
        }
    }

    /// The largest magnitude of a position or of a difference between two, whichever matters for rounding.
    fn size(&self) -> f64 {
        2.0 * self.radius
    }
}

/// The axes, and the diagonals between neighbouring ones.
fn directions(dimension: usize) -> Vec<Vec<f64>> {
    let axis = |c: usize| -> Vec<f64> { (0..dimension).map(|k| f64::from(u8::from(k == c))).collect() };
    let diagonal = |c: usize| -> Vec<f64> {
        let next = (c + 1) % dimension;
        // In the plane the second diagonal is the other one.
        let sign = if next < c { -1.0 } else { 1.0 };
        let unit = 0.5_f64.sqrt();
        (0..dimension).map(|k| if k == c { unit } else if k == next { sign * unit } else { 0.0 }).collect()
    };
    let diagonals = if dimension > 1 { dimension } else { 0 };
    (0..dimension).map(axis).chain((0..diagonals).map(diagonal)).collect()
}

fn project(direction: &[f64], point: &[f64]) -> f64 {
    direction.iter().zip(point).map(|(u, z)| u * z).sum()
}

fn mean(cloud: &Cloud, points: &[f64]) -> Vec<f64> {
    let mut mean = vec![0.0; cloud.dimension()];
    for (i, z) in points.chunks_exact(cloud.dimension()).enumerate() {
        mean.iter_mut().zip(z).for_each(|(m, z)| *m += cloud.weight(i) * z);
    }
    mean
}

/// The particle with the largest excess, if it is positive.
fn worst(excess: impl Iterator<Item = f64>, law: &'static str) -> Option<Violation> {
    let largest = excess.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    largest.filter(|(_, by)| *by > 0.0).map(|(particle, by)| Violation { particle, by, law })
}
