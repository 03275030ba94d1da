//! [`SideBySide`]: clouds that do not see each other, moved in one run.
//!
//! An adaptive integrator chooses its steps by the points that it moves. Two runs from neighbouring clouds may so take different steps, and the
//! difference of their ends is then one of two methods. Side by side they take the same ones.

use std::sync::{Mutex, PoisonError};

use crate::cloud::CloudView;
use crate::drift::{Drift, DriftField, Targets};
use crate::error::Result;
use crate::scale::Beta;

/// A drift of several clouds of as many points, one after the other, each moved by itself alone.
pub(super) struct SideBySide<'a> {
    drift: &'a dyn Drift,
    /// Points of each cloud.
    points: usize,
    /// What an evaluation for one of them leaves behind, for the next one to use again.
    room: Mutex<DriftField>,
}

impl<'a> SideBySide<'a> {
    /// The drift for clouds of so many points each.
    pub fn new(drift: &'a dyn Drift, points: usize) -> Self {
        Self { drift, points, room: Mutex::default() }
    }
}

impl Drift for SideBySide<'_> {
    fn evaluate(
        &self,
        clouds: CloudView,
        targets: Targets,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        let Targets::Sources = targets else { return self.drift.evaluate(clouds, targets, beta, field) };
        let d = clouds.dimension;
        field.reset(clouds.points.len() / d, d);
        let mut one = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        for start in (0..clouds.points.len() / d).step_by(self.points) {
            let rows = start..start + self.points;
            let weights = clouds.weights.map(|weights| &weights[rows.clone()]);
            let points = &clouds.points[rows.start * d..rows.end * d];
            self.drift.evaluate(CloudView { points, dimension: d, weights }, targets, beta, &mut one)?;
            field.velocity[rows.start * d..rows.end * d].copy_from_slice(&one.velocity);
            field.log_mass[rows.clone()].copy_from_slice(&one.log_mass);
            field.truncation[rows.clone()].copy_from_slice(&one.truncation);
            field.rounding[rows].copy_from_slice(&one.rounding);
            field.pairs += one.pairs;
        }
        Ok(())
    }
}
