//! The posterior of a weighted cloud.
//!
//! # Formula
//! `sup_u E[|⟨u,X⟩|³ e^{a|X|}] ≤ λ_max(E[|X| XXᵀ e^{a|X|}])`, which for an isotropic posterior is `1/d` of `E[|X|³ e^{a|X|}]`. Where noise is
//! so small that this says nothing, the convex hull does: `|m(c + h) − m(c)| ≤ max_j |z_j − m(c)|`.

use super::local::{LocalMean, Posterior, Tilt, largest_eigenvalue};
use crate::cloud::{Cloud, norm};
use crate::error::{Error, Result};
use crate::scale::NoiseVariance;

/// Norms beyond this have no squares.
const LARGEST: f64 = 1e150;

/// Points with the logarithms of their weights.
pub(super) struct ParticlePosterior<const D: usize> {
    points: Vec<[f64; D]>,
    log_weights: Vec<f64>,
    noise: f64,
    /// Largest norm of a point.
    extent: f64,
}

/// Weighted sums over all particles.
struct Moments<const D: usize> {
    mass: f64,
    covariance: [[f64; D]; D],
    second: [[f64; D]; D],
    third: [[f64; D]; D],
    /// `max_j |z_j − m|`.
    reach: f64,
}

impl<const D: usize> ParticlePosterior<D> {
    /// Particles of weight zero are left out.
    pub(super) fn new(cloud: &Cloud, noise: NoiseVariance) -> Result<Self> {
        let kept = cloud.rows().enumerate().filter(|(i, _)| cloud.weight(*i) > 0.0);
        let (mut points, mut log_weights) = (vec![], vec![]);
        for (i, row) in kept {
            points.push(std::array::from_fn(|axis| row[axis]));
            log_weights.push(cloud.weight(i).ln());
        }
        let extent = cloud.rows().map(norm).fold(0.0, f64::max);
        if extent > LARGEST {
            let requirement = "at most 1e150, so that its square is a number (rescale the coordinates)";
            return Err(Error::InvalidParameter { name: "norm of a particle", value: extent, requirement });
        }
        Ok(Self { points, log_weights, noise: noise.get(), extent })
    }

    /// `ln ω_j − |c − z_j|²/2τ` up to a common shift: the largest is zero.
    fn exponents(&self, centre: &[f64; D]) -> Vec<f64> {
        let square = |z: &[f64; D]| (0..D).map(|axis| (z[axis] - centre[axis]).powi(2)).sum();
        let mut all: Vec<f64> = self.points.iter().map(square).collect();
        // Taken from the nearest particle, the exponents of which one is finite whatever the noise.
        let nearest = all.iter().copied().fold(f64::INFINITY, f64::min);
        let scale = -0.5 / self.noise;
        for (x, log_weight) in all.iter_mut().zip(&self.log_weights) {
            *x = log_weight + scale * (*x - nearest);
        }
        let largest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        all.iter_mut().for_each(|x| *x -= largest);
        all
    }

    /// The posterior mean, as the centre plus the mean offset from it.
    fn mean(&self, centre: &[f64; D], exponents: &[f64]) -> [f64; D] {
        let (mut mass, mut sum) = (0.0, [0.0; D]);
        for (z, exponent) in self.points.iter().zip(exponents) {
            let w = exponent.exp();
            mass += w;
            for axis in 0..D {
                sum[axis] += w * (z[axis] - centre[axis]);
            }
        }
        std::array::from_fn(|axis| centre[axis] + sum[axis] / mass)
    }

    fn moments(&self, mean: &[f64; D], exponents: &[f64], rate: f64) -> Moments<D> {
        let zero = [[0.0; D]; D];
        let mut moments = Moments { mass: 0.0, covariance: zero, second: zero, third: zero, reach: 0.0 };
        for (z, exponent) in self.points.iter().zip(exponents) {
            let offset: [f64; D] = std::array::from_fn(|axis| z[axis] - mean[axis]);
            let length = offset.iter().map(|x| x * x).sum::<f64>().sqrt();
            // The tilt goes into the exponent: a particle whose weight underflows may still count under the tilt.
            let (w, tilted) = (exponent.exp(), (exponent + rate * length).exp());
            moments.mass += w;
            moments.reach = moments.reach.max(length);
            for i in 0..D {
                for j in 0..=i {
                    let product = offset[i] * offset[j];
                    moments.covariance[i][j] += w * product;
                    moments.second[i][j] += tilted * product;
                    moments.third[i][j] += tilted * length * product;
                }
            }
        }
        moments
    }
}

impl<const D: usize> Posterior<D> for ParticlePosterior<D> {
    fn near(&self, centre: &[f64; D], radius: f64) -> Result<LocalMean<D>> {
        let exponents = self.exponents(centre);
        let mean = self.mean(centre, &exponents);
        let rate = radius / self.noise;
        let moments = self.moments(&mean, &exponents, rate);
        let covariance = symmetric(&moments.covariance, moments.mass);
        let tilt = Tilt {
            rate,
            variance: largest_eigenvalue(&covariance),
            second: largest_eigenvalue(&symmetric(&moments.second, moments.mass)),
            third: largest_eigenvalue(&symmetric(&moments.third, moments.mass)),
        };
        // Sums of N terms are off by at most N rounding errors of the largest possible result.
        let rounding = (self.points.len() + 16) as f64 * f64::EPSILON * (norm(centre) + self.extent);
        let remainder = tilt.remainder();
        Ok(if remainder < moments.reach {
            let jacobian = covariance.map(|row| row.map(|x| x / self.noise));
            LocalMean { mean, jacobian, remainder: remainder + rounding }
        } else {
            LocalMean { mean, jacobian: [[0.0; D]; D], remainder: moments.reach + rounding }
        })
    }
}

/// A symmetric matrix from its lower triangle, divided by a number.
fn symmetric<const D: usize>(lower: &[[f64; D]; D], divisor: f64) -> [[f64; D]; D] {
    std::array::from_fn(|i| std::array::from_fn(|j| lower[i.max(j)][i.min(j)] / divisor))
}
