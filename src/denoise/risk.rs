//! How far estimates are from clean tokens that nobody knows: Stein's unbiased estimate.
//!
//! # Formula
//! For `y = x + N(0, τI)` and estimates `g(y)`, row `g_i` for token `i`,
//! ```text
//! E Σ_i |g_i − x_i|² = E Σ_i r_i,      r_i = −dτ + |g_i − y_i|² + 2τ b_i · ((∇g) b)_i
//! ```
//! with independent random signs `b` (Hutchinson). `g` is both stages: every token is a query and, by the particle that it becomes, a part of everyone's prior.
//! So `(∇g) b` is a difference of two runs, from the tokens and from the tokens moved by `εb`. All are made in the same steps
//! ([`SideBySide`](super::side_by_side)), so that what is differentiated is one smooth map; at `ε = 10⁻⁵ σ` neither curvature nor the rounding of kernel sums (`10⁻¹²`) is seen beside
//! the scatter of the `r_i`. That takes two runs with a fast sum, where the tangent flow `ṡ = J s` needs products with all pairs.
//!
//! One pair of runs has the risk at all depths; depth zero is the one-shot estimator.
//!
//! # Paper
//! Not in the paper. Stein 1981; the probes are Hutchinson's

use super::side_by_side::SideBySide;
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::flow::{Adaptive, Flow};
use crate::posterior::ParticlePrior;
use crate::scale::{Beta, NoiseVariance, ScoreTime};

/// By how much tokens are moved, in units of `σ`.
const SHIFT: f64 = 1e-5;

/// The least share of the extent of a cloud that tokens can be moved by and still be resolved.
const RESOLVED: f64 = 1e-12;

/// Tolerance of the runs: what it does to a risk is far below what sampling does.
const TOLERANCE: f64 = 1e-3;

/// Tokens, about the origin, of which the risk is wanted.
pub(super) struct Problem<'a> {
    pub tokens: Cloud,
    pub noise: NoiseVariance,
    pub drift: &'a dyn Drift,
}

/// The terms `r_i` at one depth.
pub(super) struct Terms {
    pub depth: ScoreTime,
    pub tokens: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// Moves the tokens to the origin, about which they are best resolved: risks do not depend on where they are.
    pub fn new(tokens: &Cloud, noise: NoiseVariance, drift: &'a dyn Drift) -> Result<Self> {
        let mean = tokens.mean();
        let centred: Vec<f64> =
            tokens.rows().flat_map(|row| row.iter().zip(mean.iter()).map(|(y, m)| y - m)).collect();
        let extent = centred.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
        if shift(noise) < RESOLVED * extent {
            return Err(Error::InvalidParameter {
                name: "noise variance",
                value: noise.get(),
                requirement: "larger beside the extent of the tokens, so that its effect can be resolved; choose β and the depth yourself",
            });
        }
        Ok(Self { tokens: tokens.moved_to(centred)?, noise, drift })
    }

    /// The terms of Stein's estimate at some depths, increasing, for one temperature: means over some sets of signs `b`.
    pub fn terms(&self, beta: Beta, depths: &[ScoreTime], signs: &[Vec<f64>]) -> Result<Vec<Terms>> {
        let mut clouds = vec![self.tokens.clone()];
        for signs in signs {
            let by = shift(self.noise);
            let moved = self.tokens.points().iter().zip(signs).map(|(y, b)| y + by * b).collect();
            clouds.push(self.tokens.moved_to(moved)?);
        }
        let snapshots = self.side_by_side(&clouds, beta, depths)?;
        depths.iter().zip(snapshots).map(|(depth, all)| self.terms_at(*depth, &clouds, &all)).collect()
    }

    /// The terms at one depth, from the particles of the tokens and of every cloud of moved ones.
    fn terms_at(&self, depth: ScoreTime, clouds: &[Cloud], particles: &[f64]) -> Result<Terms> {
        let estimates = |(cloud, particles): (&Cloud, &[f64])| -> Result<Vec<f64>> {
            let particles = cloud.moved_to(particles.to_vec())?;
            Ok(ParticlePrior::new(&particles, self.noise)?.infer(cloud, self.drift)?.mean.into_points())
        };
        let (points, d) = (self.tokens.points(), self.tokens.dimension());
        let all: Vec<Vec<f64>> =
            clouds.iter().zip(particles.chunks(points.len())).map(estimates).collect::<Result<_>>()?;
        let (here, there) = (&all[0], &all[1..]);
        let term = |i: usize| {
            let of_token = i * d..(i + 1) * d;
            let residual: f64 = of_token.clone().map(|k| (here[k] - points[k]).powi(2)).sum();
            let answer = |(moved, there): (&Cloud, &Vec<f64>)| -> f64 {
                // The shift as it was made, rounding included.
                let shift = |k: usize| moved.points()[k] - points[k];
                of_token.clone().map(|k| (there[k] - here[k]) / shift(k)).sum()
            };
            let divergence = clouds[1..].iter().zip(there).map(answer).sum::<f64>() / there.len() as f64;
            residual - self.noise.get() * (d as f64 - 2.0 * divergence)
        };
        Ok(Terms { depth, tokens: (0..self.tokens.len()).map(term).collect() })
    }

    /// At every depth the particles of all clouds, one cloud after the other.
    fn side_by_side(&self, clouds: &[Cloud], beta: Beta, depths: &[ScoreTime]) -> Result<Vec<Vec<f64>>> {
        let points: Vec<&[f64]> = clouds.iter().map(Cloud::points).collect();
        let all = Cloud::new(points.concat(), self.tokens.dimension())?;
        let all = match self.tokens.weights() {
            None => all,
            Some(weights) => {
                let share = |weight: &f64| weight / clouds.len() as f64;
                all.with_weights(weights.iter().map(share).collect::<Vec<_>>().repeat(clouds.len()))?
            }
        };
        let Some(last) = depths.last() else { return Ok(Vec::new()) };
        let run = Flow::new(beta, *last)
            .with_drift(SideBySide::new(self.drift, self.tokens.len()))
            .with_integrator(Adaptive::new(TOLERANCE, TOLERANCE)?)
            .with_snapshots(depths.iter().copied())
            .run(&all)?;
        Ok(run.snapshots.into_iter().map(|snapshot| snapshot.cloud.into_points()).collect())
    }
}

fn shift(noise: NoiseVariance) -> f64 {
    SHIFT * noise.get().sqrt()
}
