//! Stage 2: posterior means against a particle prior, and the energy landscape they descend.
//!
//! # Formula
//! With particles `z_j` of weight `ω_j`, noise variance `τ` and `β_c = 1/τ`,
//! ```text
//! m(q) = Σ_j ω_j e^{−|q−z_j|²/2τ} z_j / Σ_j ω_j e^{−|q−z_j|²/2τ}
//! E(q) = −τ ln Σ_j N ω_j e^{−|q−z_j|²/2τ},        m(q) = q − ∇E(q)
//! ```
//! (`Nω_j = 1` for equal weights, as printed). The kernel sum is the flow's, with another bandwidth and with queries
//! that are not particles; a query far from every particle is answered by its nearest ones.
//!
//! The same map against other particles gives the baselines: against the noisy tokens themselves it is the *one-shot*
//! estimator, and the refined particles taken as estimates are *Stage 1 only*.
//!
//! # Paper
//! `eq:stage2_cross_attn`, `eq:energy_DAM`, `eq:main-posterior-mean-map`

use crate::cloud::{Cloud, norm};
use crate::drift::{Drift, DriftField, Targets};
use crate::error::{Result, check_same_space};
use crate::scale::{Beta, NoiseVariance};

/// Posterior inference against a fixed particle prior.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::posterior::ParticlePrior;
/// use ebflow::{Cloud, NoiseVariance};
/// let particles = Cloud::new(vec![-1.0, 1.0], 1)?;
/// let prior = ParticlePrior::new(&particles, NoiseVariance::new(0.5)?)?;
/// let inference = prior.infer(&Cloud::new(vec![0.3, 1e9], 1)?, &Dense)?;
/// assert!((inference.mean.points()[0] - (0.6_f64).tanh()).abs() < 1e-15);
/// assert_eq!(inference.mean.points()[1], 1.0);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ParticlePrior<'a> {
    particles: &'a Cloud,
    noise: NoiseVariance,
    bandwidth: Beta,
}

/// What Stage 2 says about each query, one row or entry per query.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Inference {
    /// Posterior means `m(q)`, in the order of the queries.
    pub mean: Cloud,
    /// Energies `E(q)`.
    pub energy: Vec<f64>,
    /// Energy gradients `∇E(q) = q − m(q)`, row-major.
    pub gradient: Vec<f64>,
    /// Per query, a bound on what truncation and rounding of the kernel sum did to its mean.
    pub error: Vec<f64>,
}

impl<'a> ParticlePrior<'a> {
    /// The posterior under `particles` when observations carry noise of variance `noise`.
    pub fn new(particles: &'a Cloud, noise: NoiseVariance) -> Result<Self> {
        Ok(Self { particles, noise, bandwidth: Beta::of_posterior(noise)? })
    }

    /// Posterior mean, energy and gradient at every query.
    pub fn infer(&self, queries: &Cloud, drift: &dyn Drift) -> Result<Inference> {
        check_same_space(
            "the query set",
            queries.dimension(),
            "the particle set",
            self.particles.dimension(),
        )?;
        let mut field = DriftField::default();
        drift.evaluate(
            self.particles.view(),
            Targets::Points(queries.points()),
            self.bandwidth,
            &mut field,
        )?;
        let log_count = (self.particles.len() as f64).ln();
        let mean: Vec<f64> = queries.points().iter().zip(&field.velocity).map(|(q, v)| q + v).collect();
        let mean = Cloud::named(mean, queries.dimension(), "the set of posterior means")?;
        // The last addition rounds once more.
        let last = mean.rows().map(|m| f64::EPSILON * norm(m));
        let sums = field.truncation.iter().zip(&field.rounding);
        let error =
            sums.zip(last).map(|((truncation, rounding), last)| truncation + rounding + last).collect();
        let energy = field.log_mass.iter().map(|m| -self.noise.get() * (m + log_count)).collect();
        let gradient = field.velocity.iter().map(|v| -v).collect();
        Ok(Inference { mean, energy, gradient, error })
    }

    /// Posterior standard deviations at every query, one for each coordinate, row-major.
    ///
    /// # Formula
    /// ```text
    /// s_c(q)² = Σ_j a_j (z_jc − c_c)² − (m_c(q) − c_c)²,      a_j ∝ ω_j e^{−|q−z_j|²/2τ}
    /// ```
    /// about the mean `c` of the particles. The first sum is the mass of a kernel sum with the weights `ω_j (z_jc − c_c)²`, so that every drift will do. The difference
    /// cancels: deviations are known to some `1e-7` of the extent of the particles, and smaller ones may come out as zero.
    ///
    /// ```
    /// use ebflow::drift::Dense;
    /// use ebflow::posterior::ParticlePrior;
    /// use ebflow::{Cloud, NoiseVariance};
    /// let particles = Cloud::new(vec![-1.0, 1.0], 1)?;
    /// let prior = ParticlePrior::new(&particles, NoiseVariance::new(0.5)?)?;
    /// let deviations = prior.deviations(&Cloud::new(vec![0.3], 1)?, &Dense)?;
    /// assert!((deviations[0] - 1.0 / (0.6_f64).cosh()).abs() < 1e-14);
    /// # Ok::<(), ebflow::Error>(())
    /// ```
    pub fn deviations(&self, queries: &Cloud, drift: &dyn Drift) -> Result<Vec<f64>> {
        let means = self.infer(queries, drift)?;
        let (d, centre) = (queries.dimension(), self.particles.mean());
        let log_mass = |cloud: &Cloud| -> Result<Vec<f64>> {
            let mut field = DriftField::default();
            drift.evaluate(cloud.view(), Targets::Points(queries.points()), self.bandwidth, &mut field)?;
            Ok(field.log_mass)
        };
        let all = log_mass(self.particles)?;
        let mut deviations = vec![0.0; queries.points().len()];
        for c in 0..d {
            let square = |(j, z): (usize, &[f64])| self.particles.weight(j) * (z[c] - centre[c]).powi(2);
            let squares: Vec<f64> = self.particles.rows().enumerate().map(square).collect();
            let variance: f64 = squares.iter().sum();
            if variance == 0.0 {
                continue;
            }
            let shares = squares.iter().map(|square| square / variance).collect();
            let weighted = self.particles.clone().with_weights(shares)?;
            for (i, (of_squares, of_all)) in log_mass(&weighted)?.iter().zip(&all).enumerate() {
                let k = i * d + c;
                let from_centre = means.mean.points()[k] - centre[c];
                deviations[k] =
                    ((of_squares - of_all).exp() * variance - from_centre.powi(2)).max(0.0).sqrt();
            }
        }
        Ok(deviations)
    }
}

/// The one-shot estimator: Stage 2 against the noisy tokens themselves, without any refinement.
pub fn one_shot(tokens: &Cloud, noise: NoiseVariance, drift: &dyn Drift) -> Result<Cloud> {
    Ok(ParticlePrior::new(tokens, noise)?.infer(tokens, drift)?.mean)
}

/// Mean squared error `(1/N) Σ_i |a_i − b_i|²` between two sets of as many estimates in the same space.
pub fn mean_squared_error(a: &Cloud, b: &Cloud) -> f64 {
    let total: f64 = a.points().iter().zip(b.points()).map(|(a, b)| (a - b) * (a - b)).sum();
    total / a.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::{Auto, Dense};

    fn prior_of(points: &[f64]) -> Cloud {
        Cloud::new(points.to_vec(), 2).unwrap()
    }

    #[test]
    fn the_gradient_is_the_derivative_of_the_energy() {
        let particles = prior_of(&[0.0, 0.0, 1.0, 0.5, -0.7, 0.2]);
        let prior = ParticlePrior::new(&particles, NoiseVariance::new(0.4).unwrap()).unwrap();
        let (q, h) = ([0.3, -0.2], 1e-5);
        let stencil = prior_of(&[q[0] + h, q[1], q[0] - h, q[1], q[0], q[1] + h, q[0], q[1] - h]);
        let energy = prior.infer(&stencil, &Dense).unwrap().energy;
        let gradient = prior.infer(&prior_of(&q), &Dense).unwrap().gradient;
        // Central differences: h²/6 of a third derivative of order one, plus rounding 1e-16/h.
        assert!(((energy[0] - energy[1]) / (2.0 * h) - gradient[0]).abs() < 1e-9);
        assert!(((energy[2] - energy[3]) / (2.0 * h) - gradient[1]).abs() < 1e-9);
    }

    #[test]
    fn errors_are_within_their_bounds_whatever_the_drift() {
        let at = |i: usize, step: f64| (i as f64 * step).sin();
        let particles = prior_of(&(0..3000).map(|i| at(i, 0.7) + 0.3 * at(i, 1.3)).collect::<Vec<_>>());
        let queries = prior_of(&(0..200).map(|i| 4.0 * at(i, 0.9)).collect::<Vec<_>>());
        let prior = ParticlePrior::new(&particles, NoiseVariance::new(0.05).unwrap()).unwrap();
        let [full, fast] =
            [&Dense as &dyn Drift, &Auto::default()].map(|drift| prior.infer(&queries, drift).unwrap());
        for (i, (a, b)) in full.mean.rows().zip(fast.mean.rows()).enumerate() {
            let apart = norm(&[a[0] - b[0], a[1] - b[1]]);
            assert!(apart <= full.error[i] + fast.error[i], "query {i}: {apart}");
            assert!(fast.error[i] < 1e-11, "query {i}: {}", fast.error[i]);
        }
    }

    #[test]
    fn the_energy_is_the_printed_one() {
        // mpmath, 30 digits: −(1/β_c) log Σ_j exp(−β_c |q − z_j|²/2), β_c = 4, at q = (0.5, 0.5).
        let particles = prior_of(&[0.0, 0.0, 1.0, 0.5, -0.7, 0.2]);
        let prior = ParticlePrior::new(&particles, NoiseVariance::new(0.25).unwrap()).unwrap();
        let energy = prior.infer(&prior_of(&[0.5, 0.5]), &Dense).unwrap().energy[0];
        assert!((energy - -0.005_268_541_916_900_848).abs() < 1e-15, "{energy}");
    }
}
