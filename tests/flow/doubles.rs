//! Clouds and stand-in drifts that the tests share.

use std::sync::atomic::{AtomicUsize, Ordering};

use ebflow::drift::Dense;
use ebflow::flow::{Flow, Integrator};
use ebflow::{Adaptive, Beta, Cloud, CloudView, Drift, DriftField, Error, Layers, RawTime, Result, Targets};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// Both integrators, at settings that tests of behaviour (not of accuracy) can share.
pub fn integrators() -> [Box<dyn Integrator>; 2] {
    [Box::new(Layers::new(40).unwrap()), Box::new(Adaptive::new(1e-8, 1e-8).unwrap())]
}

pub fn flow(beta: f64, raw_time: f64) -> Flow<'static> {
    Flow::new(Beta::new(beta).unwrap(), RawTime::new(raw_time).unwrap())
}

pub fn cloud(points: &[f64], dimension: usize) -> Cloud {
    Cloud::new(points.to_vec(), dimension).unwrap()
}

/// `n` draws from the even mixture of `N((±1, 0), 0.1² I)`, each with noise of variance 0.5 added.
pub fn noisy_mixture(n: usize, seed: u64) -> Cloud {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut gaussian = || StandardNormal.sample(&mut rng);
    let spread = (0.1_f64.powi(2) + 0.5).sqrt();
    let mut points = Vec::new();
    for i in 0..n {
        let centre = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let (x, y): (f64, f64) = (gaussian(), gaussian());
        points.extend([centre + spread * x, spread * y]);
    }
    Cloud::new(points, 2).unwrap()
}

/// Distances of particles from their partners.
pub fn distances(a: &Cloud, b: &Cloud) -> Vec<f64> {
    let distance =
        |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
    a.rows().zip(b.rows()).map(distance).collect()
}

pub fn max_distance(a: &Cloud, b: &Cloud) -> f64 {
    distances(a, b).into_iter().fold(0.0, f64::max)
}

/// The drift of the Gaussian law that has the cloud's own mean and covariance (`d = 1`): `v = −(x − m)/(1 + βλ)`.
pub struct MeanFieldGaussian;

impl Drift for MeanFieldGaussian {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        _: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        let equal = 1.0 / sources.len() as f64;
        let average = |f: &dyn Fn(f64) -> f64| -> f64 {
            let weight = |i: usize| sources.weights.map_or(equal, |w| w[i]);
            sources.points.iter().enumerate().map(|(i, x)| weight(i) * f(*x)).sum()
        };
        let mean = average(&|x| x);
        let variance = average(&|x| (x - mean).powi(2));
        field.reset(sources.len(), 1);
        let rate = 1.0 / (1.0 + beta.get() * variance);
        field.velocity.iter_mut().zip(sources.points).for_each(|(v, x)| *v = -rate * (x - mean));
        Ok(())
    }
}

/// How a [`Failing`] drift fails.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    Nan,
    Infinite,
    Refusal,
    WrongLength,
}

/// The dense drift, until it has been asked `good` times.
pub struct Failing {
    pub fault: Fault,
    pub good: usize,
    pub asked: AtomicUsize,
}

impl Failing {
    pub fn new(fault: Fault, good: usize) -> Self {
        Self { fault, good, asked: AtomicUsize::new(0) }
    }
}

impl Drift for Failing {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, beta, field)?;
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.good {
            return Ok(());
        }
        match self.fault {
            Fault::Nan => field.velocity[3] = f64::NAN,
            Fault::Infinite => field.velocity[3] = f64::NEG_INFINITY,
            Fault::WrongLength => field.velocity.truncate(1),
            Fault::Refusal => {
                let problem = "the stand-in gave up; nothing can be done".into();
                return Err(Error::Integration { what: "the stand-in drift", raw_time: 0.0, problem });
            }
        }
        Ok(())
    }
}
