//! [`Snapshots`]: the observer that keeps the cloud at requested times.

use super::{Step, StepObserver};
use crate::error::Result;
use crate::scale::RawTime;

/// Positions at requested times, filled in as the run passes them.
pub(super) struct Snapshots<'a> {
    wanted: &'a [RawTime],
    /// Positions for each of `wanted`; empty until the run comes by.
    taken: Vec<Vec<f64>>,
}

impl<'a> Snapshots<'a> {
    /// Waits for the times `wanted`, in any order; those at zero are served from `start`.
    pub fn new(wanted: &'a [RawTime], start: &[f64]) -> Self {
        let at_once = |time: &RawTime| if time.get() == 0.0 { start.to_vec() } else { Vec::new() };
        Self { wanted, taken: wanted.iter().map(at_once).collect() }
    }

    /// Times and positions in the order of the requests, once the run is over.
    pub fn into_taken(self) -> impl Iterator<Item = (RawTime, Vec<f64>)> {
        self.wanted.iter().copied().zip(self.taken)
    }
}

impl StepObserver for Snapshots<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        for (time, positions) in self.wanted.iter().zip(&mut self.taken) {
            if positions.is_empty() && *time <= step.end.raw_time {
                *positions = step.points_at(*time)?;
            }
        }
        Ok(())
    }
}
