//! [`Displacement`]: how far particles may be from where they should be, and what that does to quantities measured on them.
//!
//! # Formula
//! With `e_i` the distance of particle `i` from the place it stands for, `e = max_i e_i` and `ē = Σ_i ω_i e_i`,
//! ```text
//! W1, coupled distances          move by at most   ē
//! variance v per coordinate                        (2√(dv) e + e²)/d
//! posterior means                                  e (1 + D(D + Y)/τ) to first order
//! mean squares q of what is off by δ at most       2√q δ + δ²
//! ```
//! with `D` the diameter of the particles and `Y` the distance of the queries from them: `∂m = Σ_i a_i (∂z_i + (z_i − m) ⟨y − z_i, ∂z_i⟩/τ)` with
//! weights `a_i` that sum to one.

use crate::cloud::{Cloud, norm};
use crate::flow::Trajectory;
use crate::measured::Measured;
use crate::scale::NoiseVariance;

/// Roundings of a coordinate in one layer or one sum over coordinates.
const ROUNDOFF: f64 = 8.0 * f64::EPSILON;

/// Estimates of the flow's error are at least a third of it in all but a few of a thousand random problems: its own tests hold
/// them to that.
const ESTIMATED: f64 = 3.0;

/// How far particles may be from where they should be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Displacement {
    /// The worst particle.
    pub max: f64,
    /// The weighted mean.
    pub mean: f64,
}

impl Displacement {
    /// Of particles that stand for those of the exact flow: the bound if there is one, else the estimate, and never less than rounding.
    pub fn from_flow(run: &Trajectory) -> Self {
        let rounding = ROUNDOFF * extent(&run.end);
        let (max, mean) = match (&run.error.bound, &run.error.estimate) {
            (Some(bound), _) => (bound.max, bound.w1),
            (None, Some(estimate)) => (ESTIMATED * estimate.max, ESTIMATED * estimate.mean),
            (None, None) => (0.0, 0.0),
        };
        Self { max: max + rounding, mean: mean + rounding }
    }

    /// Of particles that a network made, which stand for themselves: rounding in every layer, enlarged by the flow as perturbations are
    /// at most, `e^{2t/e}`.
    pub fn from_layers(run: &Trajectory) -> Self {
        let growth = (2.0 * run.raw_time.get() / std::f64::consts::E).exp();
        let rounding = ROUNDOFF * growth * run.statistics.steps as f64 * extent(&run.end);
        Self { max: rounding, mean: rounding }
    }

    /// The mean variance of a coordinate.
    pub fn variance(self, cloud: &Cloud) -> Measured {
        let d = cloud.dimension() as f64;
        let trace = cloud.covariance().trace();
        Measured::known_to(trace / d, self.mean_square(trace) / d)
    }

    /// What it does to a mean square `q`.
    pub fn mean_square(self, q: f64) -> f64 {
        (2.0 * q.sqrt() + self.max) * self.max
    }

    /// What it does to the posterior means of queries.
    pub fn of_posterior(self, particles: &Cloud, queries: &Cloud, noise: NoiseVariance) -> Self {
        let (diameter, centre) = (2.0 * extent(particles), particles.mean());
        let reach = queries.rows().map(|y| distance(y, centre.as_slice())).fold(0.0, f64::max);
        let slope = 1.0 + diameter * (diameter + reach) / noise.get();
        Self { max: slope * self.max, mean: slope * self.max }
    }

    /// Both enlarged by what rounding and truncation did to each.
    pub fn widened(self, error: &[f64]) -> Self {
        let more = error.iter().copied().fold(0.0, f64::max);
        Self { max: self.max + more, mean: self.mean + more }
    }
}

/// The largest distance of a point from the mean.
pub(super) fn extent(cloud: &Cloud) -> f64 {
    let mean = cloud.mean();
    cloud.rows().map(|z| distance(z, mean.as_slice())).fold(0.0, f64::max)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::Dense;
    use crate::law::{Law, generator};
    use crate::metric::distance as w1;
    use crate::posterior::ParticlePrior;

    /// Kicks of random particles by their displacement change every quantity by no more than its bar.
    #[test]
    fn bars_cover_what_kicks_do() {
        let law = Law::parse("{ kind = 'mixture', means = [[-1, 0], [1, 0]], std = 0.3 }").unwrap();
        let mut stream = generator(3);
        let (cloud, queries) = (law.sample(60, &mut stream).unwrap(), law.sample(20, &mut stream).unwrap());
        let noise = NoiseVariance::new(0.2).unwrap();
        let means = |cloud: &Cloud| {
            ParticlePrior::new(cloud, noise).unwrap().infer(&queries, &Dense).unwrap().mean.into_points()
        };
        for (round, size) in [1e-2, 1e-4, 1e-7].into_iter().cycle().take(60).enumerate() {
            let kick = |(i, z): (usize, &f64)| z + size * ((i * (round + 3)) as f64).sin() / 2.0_f64.sqrt();
            let kicked = cloud.moved_to(cloud.points().iter().enumerate().map(kick).collect()).unwrap();
            let moved = Displacement { max: size, mean: size };
            let (a, b) = (moved.variance(&cloud), moved.variance(&kicked));
            assert!((a.value - b.value).abs() <= a.numerical, "{a:?} {b:?}");
            assert!(w1(&cloud, &kicked).unwrap().w1 <= moved.mean);
            let allowed = moved.of_posterior(&cloud, &queries, noise).max;
            for (a, b) in means(&cloud).chunks(2).zip(means(&kicked).chunks(2)) {
                assert!(distance(a, b) <= allowed, "{} {allowed}", distance(a, b));
            }
        }
    }
}
