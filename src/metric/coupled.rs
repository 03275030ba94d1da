//! The coupled distance: particles against their own exact partners.
//!
//! # Formula
//! `Σ_i ω_i |z_i − z̄_i|`, where `z̄_i` starts at the same point and moves along the exact characteristic of the mean field.
//! Matching each particle with its partner is a coupling, so this bounds `W1` between the two clouds from above. Both
//! clouds carry the same sampling noise, which therefore cancels: there is no floor to see through, and the distance
//! measures what the particle system itself does wrong.
//!
//! # Paper
//! `lem:gaussian-invariance-covariance`; the synchronous coupling of the propagation of chaos.

use crate::cloud::{Cloud, norm};
use crate::error::{Error, Result, check_same_space};
use crate::exact::CovarianceFlow;
use crate::scale::RawTime;

/// How far particles are from their partners.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CoupledDistance {
    /// `Σ_i ω_i |z_i − z̄_i|`, an upper bound of W1.
    pub mean: f64,
    /// `(Σ_i ω_i |z_i − z̄_i|²)^{1/2}`, an upper bound of W2.
    pub root_mean_square: f64,
    /// `max_i |z_i − z̄_i|`.
    pub max: f64,
}

/// The distance between clouds of equal weights whose points correspond by their order.
///
/// ```
/// use ebflow::Cloud;
/// use ebflow::metric::coupled;
/// let distance = coupled(&Cloud::new(vec![0.0, 1.0], 1)?, &Cloud::new(vec![1.0, 1.0], 1)?)?;
/// assert_eq!((distance.mean, distance.max), (0.5, 1.0));
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn coupled(particles: &Cloud, partners: &Cloud) -> Result<CoupledDistance> {
    check(particles, partners)?;
    let gaps = particles.rows().zip(partners.rows()).map(|(z, partner)| {
        let gap: Vec<f64> = z.iter().zip(partner).map(|(a, b)| a - b).collect();
        norm(&gap)
    });
    let gaps: Vec<f64> = gaps.collect();
    let max = gaps.iter().copied().fold(0.0, f64::max);
    let average = |f: &dyn Fn(f64) -> f64| -> f64 {
        gaps.iter().enumerate().map(|(i, gap)| particles.weight(i) * f(*gap)).sum()
    };
    // Squares are taken relative to the largest gap, so that they do not overflow.
    let square = |gap: f64| if max > 0.0 { (gap / max).powi(2) } else { 0.0 };
    Ok(CoupledDistance { mean: average(&|gap| gap), root_mean_square: max * average(&square).sqrt(), max })
}

/// The distance between the particles that `start` became and the exact characteristics of a Gaussian law.
pub fn coupled_to_gaussian(
    start: &Cloud,
    particles: &Cloud,
    flow: &CovarianceFlow,
    time: RawTime,
) -> Result<CoupledDistance> {
    coupled(particles, &flow.push(start, time)?)
}

fn check(particles: &Cloud, partners: &Cloud) -> Result<()> {
    check_same_space(
        "the cloud of partners",
        partners.dimension(),
        "the particle cloud",
        particles.dimension(),
    )?;
    if particles.len() != partners.len() {
        return Err(Error::LengthMismatch {
            what: "the cloud of partners".into(),
            other: "the particles".into(),
            expected: particles.len(),
            found: partners.len(),
        });
    }
    if particles.weights() != partners.weights() {
        return Err(Error::InvalidWeights {
            what: "the cloud of partners".into(),
            problem: "its weights differ from the particles'; partners carry the same weights".into(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use crate::drift::Dense;
    use crate::flow::{Adaptive, Flow};
    use crate::law::{Gaussian, Law};
    use crate::scale::{Beta, NoiseVariance};

    const SEED: u64 = 11;

    #[test]
    fn weights_count_and_must_agree() {
        let cloud = |points: Vec<f64>| Cloud::new(points, 2).unwrap();
        let weigh = |cloud: Cloud| cloud.with_weights(vec![0.75, 0.25]).unwrap();
        let (a, b) = (cloud(vec![0.0, 0.0, 0.0, 0.0]), cloud(vec![3.0, 4.0, 0.0, 1.0]));
        let distance = coupled(&weigh(a.clone()), &weigh(b.clone())).unwrap();
        assert_eq!((distance.mean, distance.max), (4.0, 5.0));
        assert!((distance.root_mean_square - 19.0_f64.sqrt()).abs() < 1e-15);
        assert!(coupled(&a, &weigh(b)).is_err());
        assert!(coupled(&a, &Cloud::new(vec![0.0; 3], 1).unwrap()).is_err());
        assert!(coupled(&a, &cloud(vec![0.0; 2])).is_err());
        assert_eq!(coupled(&a, &a).unwrap().mean, 0.0);
    }

    /// At β small against the cloud the flow is nearly mean-field, and the coupled distance falls like N^{−1/2}: far below
    /// the sampling floor of the same clouds.
    #[test]
    fn the_particle_flow_of_a_gaussian_stays_near_its_partners() {
        let (beta, noise) = (Beta::new(2.0).unwrap(), NoiseVariance::new(0.5).unwrap());
        let law = Law::Gaussian(Gaussian::isotropic(vec![0.0], 1.0).unwrap());
        let flow = CovarianceFlow::of_prior(DVector::zeros(1), DMatrix::identity(1, 1), noise, beta).unwrap();
        let horizon = noise.denoising_horizon();
        let distance = |n: usize| {
            let start = law.sample_noisy(n, noise, SEED).unwrap().noisy;
            let run = Flow::new(beta, horizon);
            let end = run
                .with_drift(Dense)
                .with_integrator(Adaptive::new(1e-8, 1e-8).unwrap())
                .run(&start)
                .unwrap()
                .end;
            coupled_to_gaussian(&start, &end, &flow, horizon.to_raw(beta).unwrap()).unwrap().mean
        };
        let (few, many) = (distance(125), distance(2000));
        let floor = 1.2884 * 1.5_f64.sqrt() / (2000.0_f64).sqrt();
        assert!(many < 0.5 * floor && many < 0.5 * few, "{few} {many} {floor}");
    }
}
