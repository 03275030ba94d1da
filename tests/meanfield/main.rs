//! The mean-field reference against closed forms, independent computations, and itself.

#[path = "../common/mod.rs"]
mod common;
mod density;
mod gaussian;
mod limits;
mod product;
mod reference;
mod refinement;
mod truncation;

use ebflow::law::Law;
use ebflow::meanfield::MeanField;
use ebflow::{Beta, NoiseVariance, RawTime};

/// A problem from plain numbers.
fn problem(law: &str, noise: f64, beta: f64) -> MeanField {
    let (noise, beta) = (NoiseVariance::new(noise).unwrap(), Beta::new(beta).unwrap());
    MeanField::new(Law::parse(law).unwrap(), noise, beta)
}

/// The raw time `βτ/2`.
fn denoising(problem: &MeanField) -> RawTime {
    problem.noise().denoising_horizon().to_raw(problem.beta()).unwrap()
}

fn raw(time: f64) -> RawTime {
    RawTime::new(time).unwrap()
}
