//! [`Sample`]: the path and the drift at one moment.

use super::rounding::UP;
use crate::drift::DriftField;

/// The path and the drift at one moment, per particle or per coordinate.
#[derive(Clone)]
pub(super) struct Sample {
    /// Where the drift was evaluated: the path, rounded.
    pub points: Vec<f64>,
    /// The path's velocity.
    pub motion: Vec<f64>,
    /// The drift, and what it says of itself.
    pub drift: Vec<f64>,
    pub log_mass: Vec<f64>,
    pub truncation: Vec<f64>,
    pub rounding: Vec<f64>,
}

impl Sample {
    /// From what the last evaluation, at `points`, left behind.
    pub fn new(points: Vec<f64>, motion: Vec<f64>, last: &DriftField) -> Self {
        Self {
            points,
            motion,
            drift: last.velocity.clone(),
            log_mass: last.log_mass.clone(),
            truncation: last.truncation.clone(),
            rounding: last.rounding.clone(),
        }
    }

    /// `dẑ/dt − ṽ(ẑ)`, per coordinate.
    pub fn defect(&self) -> Vec<f64> {
        self.motion.iter().zip(&self.drift).map(|(p, v)| p - v).collect()
    }

    /// What is known of it in units of `1/per_length`.
    pub fn scaled(&self, per_length: f64) -> Scaled {
        let scaled = |values: &[f64]| values.iter().map(|x| x * per_length).collect::<Vec<_>>();
        let certified = self.truncation.iter().zip(&self.rounding);
        Scaled {
            per_length,
            points: scaled(&self.points),
            motion: scaled(&self.motion),
            drift: scaled(&self.drift),
            drift_error: certified.map(|(t, r)| UP * per_length * (t + r)).collect(),
            log_mass: self.log_mass.clone(),
        }
    }
}

/// The same with lengths in other units.
pub(super) struct Scaled {
    pub per_length: f64,
    pub points: Vec<f64>,
    pub motion: Vec<f64>,
    pub drift: Vec<f64>,
    /// How far the drift may be from the exact one.
    pub drift_error: Vec<f64>,
    pub log_mass: Vec<f64>,
}
