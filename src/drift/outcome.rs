//! What the targets of one tile get, before it is put into the order of the cloud.

use super::DriftField;
use super::kernel::{Lane, ZERO};

/// Sums of squares in this range neither overflowed nor lost digits; others are rare and take the slow way.
const SQUARABLE: std::ops::Range<f64> = 1e-280..1e300;

/// Results of up to [`TILE`](super::kernel::TILE) targets, in units of the cloud.
#[derive(Debug)]
pub(super) struct Outcome {
    /// One lane per coordinate of `v`.
    pub(super) velocity: Vec<Lane>,
    pub(super) log_mass: Lane,
    pub(super) truncation: Lane,
    pub(super) rounding: Lane,
    /// Kernel values computed, counted as ordered pairs.
    pub(super) pairs: u64,
}

impl Outcome {
    /// Nothing yet.
    pub(super) fn new(dimension: usize) -> Self {
        Self { velocity: vec![ZERO; dimension], log_mass: ZERO, truncation: ZERO, rounding: ZERO, pairs: 0 }
    }

    /// Length of the drift of one target.
    pub(super) fn speed(&self, place: usize) -> f64 {
        let square: f64 = self.velocity.iter().map(|lane| lane[place] * lane[place]).sum();
        if SQUARABLE.contains(&square) {
            square.sqrt()
        } else {
            self.velocity.iter().fold(0.0_f64, |norm, lane| norm.hypot(lane[place]))
        }
    }

    /// Puts the results into the rows of the field that the targets belong to.
    pub(super) fn scatter(&self, members: &[usize], field: &mut DriftField) {
        let dimension = self.velocity.len();
        for (place, &member) in members.iter().enumerate() {
            for (k, lane) in self.velocity.iter().enumerate() {
                field.velocity[member * dimension + k] = lane[place];
            }
            field.log_mass[member] = self.log_mass[place];
            field.truncation[member] = self.truncation[place];
            field.rounding[member] = self.rounding[place];
        }
        field.pairs += self.pairs;
    }
}
