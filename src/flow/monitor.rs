//! [`Monitor`]: what every run must obey, checked at every step for next to nothing.
//!
//! # Formula
//! With `F_i = z_i + v_i`, the mean `m` and the variance `V = Σ ω_i |z_i − m|²`, for every unit direction `u` and every particle:
//! ```text
//! support     u·F_i ≤ max_k u·z_k                       the weights a_ik are positive and sum to one
//! action      |v_i|² ≤ Σ_k ω_k |z_k − z_i|² = V + |z_i − m|²,   hence Σ ω_i |v_i|² ≤ 2V
//! hull        max_k u·z_k(t) does not grow              neither does max_k |z_k(t)|
//! ```
//! The first two are properties of the drift alone and hold up to rounding and the truncation of the kernel. The third holds for
//! layers up to rounding, and for other steps up to the tolerance they were accepted with. The directions are the axes and the diagonals
//! between neighbouring axes: the box, and its corners cut.
//!
//! # Paper
//! `lem:barycentric-action-estimate` (about the mean instead of the origin: the drift does not know where the origin is), remark
//! "Convex hull invariance"

use std::ops::Range;

use rayon::prelude::*;

use super::{Integrator, Moment, Schedule, Step, StepObserver};
use crate::cloud::{Cloud, norm};
use crate::error::{Error, Result};

/// Rounding of a kernel sum and of the drift's truncation, relative to the size of the cloud: what a property of the drift
/// may be missed by.
const DRIFT_SLACK: f64 = 1e-9;

/// Rounding of one step, relative to the size of the cloud.
const STEP_SLACK: f64 = 1e-14;

/// Particles that one thread looks at together.
const CHUNK: usize = 8192;

const OUTSIDE: &str = "the barycentre that it moves to lies outside the convex hull";
const TOO_FAST: &str = "it moves faster than the action estimate allows";
const LEFT_HULL: &str = "it left the convex hull of the cloud";
const LEFT_BALL: &str = "it left the ball about the origin that held the cloud";

/// Watches a run and ends it when it breaks a law.
pub(super) struct Monitor<'a> {
    cloud: &'a Cloud,
    schedule: &'a Schedule,
    directions: Vec<Vec<f64>>,
    /// How far a step may leave the hull; unknown for integrators that do not say.
    step_error: Option<f64>,
    /// The extent at the end of the last step.
    extent: Extent,
    /// What rounding is relative to: the largest difference between two positions, or magnitude of one.
    size: f64,
    /// About where the cloud is, so that its moments do not cancel.
    centre: Vec<f64>,
}

/// How far a cloud reaches.
struct Extent {
    /// The smallest and the largest projection on every direction.
    ranges: Vec<(f64, f64)>,
    /// The largest distance from the origin.
    radius: f64,
}

/// The first two moments of a cloud about a centre `c`.
struct Moments {
    /// `Σ ω_i (z_i − c)`
    mean: Vec<f64>,
    /// `Σ ω_i |z_i − c|²`
    square: f64,
}

/// A particle and by how much it breaks a law.
#[derive(Clone, Copy)]
struct Excess {
    particle: usize,
    by: f64,
}

impl<'a> Monitor<'a> {
    /// Watches a run of an integrator that starts at `cloud`.
    pub fn new(cloud: &'a Cloud, schedule: &'a Schedule, integrator: &dyn Integrator) -> Self {
        let directions = directions(cloud.dimension());
        let extent = Extent::of(cloud.points(), &directions);
        let step_error = integrator.step_error(cloud);
        let centre = cloud.points()[..cloud.dimension()].to_vec();
        let centre = Moments::of(cloud, cloud.points(), &centre)
            .mean
            .iter()
            .zip(&centre)
            .map(|(m, c)| m + c)
            .collect();
        Self { cloud, schedule, directions, step_error, size: 2.0 * extent.radius, extent, centre }
    }

    /// Support and action at the start of a step.
    fn check_drift(&self, moment: Moment<'_>) -> Result<()> {
        let rate = self.schedule.at(moment.raw_time.get())?.rate;
        let slack = DRIFT_SLACK * self.size;
        let Moments { mean, square } = Moments::of(self.cloud, moment.points, &self.centre);
        let breaches = |i: usize| {
            let (z, v) = (self.row(moment.points, i), self.row(moment.derivative, i));
            let outside = self.beyond(&self.extent, |u| project(u, z) + project(u, v) / rate);
            // The mean square distance of all particles from this one.
            let mut distance_2 = square;
            for c in 0..z.len() {
                let y = z[c] - self.centre[c];
                distance_2 += (y - 2.0 * mean[c]) * y;
            }
            // Squares of extreme coordinates overflow, and then limit nothing.
            let limit = if square.is_finite() { distance_2.max(0.0).sqrt() } else { f64::INFINITY };
            [outside - slack, norm(v) / rate - limit - slack]
        };
        self.refuse(moment, [OUTSIDE, TOO_FAST], worst(self.cloud.len(), breaches))
    }

    /// Hull and ball at the end of a step.
    fn check_hull(&self, moment: Moment<'_>, step_error: f64) -> Result<()> {
        let slack = step_error + STEP_SLACK * self.size;
        let breaches = |i: usize| {
            let z = self.row(moment.points, i);
            [self.beyond(&self.extent, |u| project(u, z)) - slack, norm(z) - self.extent.radius - slack]
        };
        self.refuse(moment, [LEFT_HULL, LEFT_BALL], worst(self.cloud.len(), breaches))
    }

    fn row<'r>(&self, values: &'r [f64], i: usize) -> &'r [f64] {
        let d = self.cloud.dimension();
        &values[i * d..(i + 1) * d]
    }

    /// By how much projections leave the ranges of an extent, at most.
    fn beyond(&self, extent: &Extent, projection: impl Fn(&[f64]) -> f64) -> f64 {
        let directions = self.directions.iter().zip(&extent.ranges);
        directions.fold(f64::MIN, |most, (u, (low, high))| {
            let p = projection(u);
            most.max(p - high).max(low - p)
        })
    }

    fn refuse(&self, moment: Moment<'_>, laws: [&str; 2], found: [Excess; 2]) -> Result<()> {
        match laws.iter().zip(found).find(|(_, excess)| excess.by > 0.0) {
            None => Ok(()),
            Some((law, Excess { particle, by })) => Err(Error::Integration {
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
            self.check_hull(step.end, error)?;
        }
        self.extent = Extent::of(step.end.points, &self.directions);
        Ok(())
    }
}

impl Extent {
    fn of(points: &[f64], directions: &[Vec<f64>]) -> Self {
        let d = directions[0].len();
        let part = |range: Range<usize>| {
            let mut extent =
                Self { ranges: vec![(f64::INFINITY, f64::NEG_INFINITY); directions.len()], radius: 0.0 };
            for z in points[range.start * d..range.end * d].chunks_exact(d) {
                for (u, (low, high)) in directions.iter().zip(&mut extent.ranges) {
                    let p = project(u, z);
                    (*low, *high) = (low.min(p), high.max(p));
                }
                extent.radius = extent.radius.max(norm(z));
            }
            extent
        };
        let mut parts = in_chunks(points.len() / d, part).into_iter();
        let first = parts.next().unwrap_or(Self { ranges: Vec::new(), radius: 0.0 });
        parts.fold(first, |all, part| Self {
            ranges: all.ranges.iter().zip(&part.ranges).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect(),
            radius: all.radius.max(part.radius),
        })
    }
}

impl Moments {
    fn of(cloud: &Cloud, points: &[f64], centre: &[f64]) -> Self {
        let d = cloud.dimension();
        let part = |range: Range<usize>| {
            let mut moments = Self { mean: vec![0.0; d], square: 0.0 };
            for i in range {
                let weight = cloud.weight(i);
                for c in 0..d {
                    let y = points[i * d + c] - centre[c];
                    moments.mean[c] += weight * y;
                    moments.square += weight * y * y;
                }
            }
            moments
        };
        in_chunks(cloud.len(), part).into_iter().fold(
            Self { mean: vec![0.0; d], square: 0.0 },
            |mut all, part| {
                all.mean.iter_mut().zip(&part.mean).for_each(|(a, b)| *a += b);
                all.square += part.square;
                all
            },
        )
    }
}

/// The particles that break each of two laws most, or come nearest to it.
fn worst(particles: usize, breaches: impl Fn(usize) -> [f64; 2] + Sync) -> [Excess; 2] {
    let none = [Excess { particle: 0, by: f64::MIN }; 2];
    let larger = |most: Excess, other: Excess| if other.by > most.by { other } else { most };
    let join = |[a, b]: [Excess; 2], [c, d]: [Excess; 2]| [larger(a, c), larger(b, d)];
    let of = |particle: usize| breaches(particle).map(|by| Excess { particle, by });
    let part = |range: Range<usize>| range.map(of).fold(none, join);
    in_chunks(particles, part).into_iter().fold(none, join)
}

/// Something about each chunk of the particles, in their order.
fn in_chunks<T: Send>(particles: usize, part: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let chunk = |k: usize| part(k * CHUNK..particles.min((k + 1) * CHUNK));
    match particles.div_ceil(CHUNK) {
        // Not worth another thread's attention.
        1 => vec![chunk(0)],
        chunks => (0..chunks).into_par_iter().map(chunk).collect(),
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
        (0..dimension)
            .map(|k| {
                if k == c {
                    unit
                } else if k == next {
                    sign * unit
                } else {
                    0.0
                }
            })
            .collect()
    };
    let diagonals = if dimension > 1 { dimension } else { 0 };
    (0..dimension).map(axis).chain((0..diagonals).map(diagonal)).collect()
}

fn project(direction: &[f64], point: &[f64]) -> f64 {
    direction.iter().zip(point).map(|(u, z)| u * z).sum()
}
