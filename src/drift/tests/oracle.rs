//! The kernel sum in double-double arithmetic (about 31 digits), one pair at a time: what every drift is measured against.

use crate::cloud::CloudView;
use crate::numeric::double_double::DoubleDouble as Double;

/// The distance of a double from a number.
fn distance(from: Double, computed: f64) -> f64 {
    ((computed - from.high) - from.low).abs()
}

/// The true drift at one target.
#[derive(Debug)]
pub(super) struct Truth {
    pub(super) velocity: Vec<Double>,
    pub(super) log_mass: f64,
}

impl Truth {
    /// The Euclidean distance of a computed drift from the true one.
    pub(super) fn error(&self, computed: &[f64]) -> f64 {
        self.velocity.iter().zip(computed).fold(0.0_f64, |norm, (v, &c)| norm.hypot(distance(*v, c)))
    }
}

/// The full sum at `x`, relative to the largest term.
pub(super) fn truth(cloud: CloudView<'_>, x: &[f64], beta: f64) -> Truth {
    let d = cloud.dimension;
    let difference =
        |z: &[f64]| -> Vec<Double> { z.iter().zip(x).map(|(&z, &x)| Double::sum(z, -x)).collect() };
    let exponent = |delta: &[Double]| {
        delta.iter().fold(Double::new(0.0), |sum, &delta| sum + delta * delta) * Double::new(0.5 * beta)
    };
    let weight = |j: usize| cloud.weights.map_or(1.0, |weights| weights[j]);
    let rows = || cloud.points.chunks_exact(d).enumerate().filter(|(j, _)| weight(*j) > 0.0);
    let smallest = rows()
        .map(|(j, z)| (exponent(&difference(z)), weight(j)))
        .min_by(|a, b| (a.0.get() - a.1.ln()).total_cmp(&(b.0.get() - b.1.ln())))
        .expect("a cloud has sources of positive weight")
        .0;
    let mut mass = Double::new(0.0);
    let mut moment = vec![Double::new(0.0); d];
    for (j, z) in rows() {
        let delta = difference(z);
        let excess = exponent(&delta) - smallest;
        // A light source may be nearer than the heaviest term's: split the positive exponent off.
        let kernel =
            if excess.high <= 0.0 { Double::new(1.0).divided_by(excess.exp()) } else { (-excess).exp() };
        let term = kernel * Double::new(weight(j));
        mass = mass + term;
        moment.iter_mut().zip(&delta).for_each(|(moment, &delta)| *moment = *moment + term * delta);
    }
    let norm = if cloud.weights.is_some() { 1.0 } else { cloud.len() as f64 };
    Truth {
        velocity: moment.into_iter().map(|moment| moment.divided_by(mass)).collect(),
        log_mass: (mass.get() / norm).ln() - smallest.get(),
    }
}
