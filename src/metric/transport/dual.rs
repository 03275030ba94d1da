//! [`Dual`]: a potential on the points of one side.

use super::tree::distance;

/// A potential on the points of one side: its values, and at each point the direction in which it grows.
///
/// The slopes only steer the search. Wrong ones make it slow, not wrong.
#[derive(Debug, Clone, Default)]
pub(super) struct Dual {
    pub(super) values: Vec<f64>,
    /// Row-major, one unit vector (or zero) per point.
    pub(super) slopes: Vec<f64>,
}

impl Dual {
    /// Appends the value at `x` of a potential that there grows away from `origin`.
    pub(super) fn push<const D: usize>(&mut self, value: f64, x: &[f64], origin: &[f64]) {
        let length = distance::<D>(x, origin);
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        self.values.push(value);
        self.slopes.extend(x.iter().zip(origin).map(|(x, o)| (x - o) * scale));
    }

    /// Halfway between the smallest and the largest value.
    pub(super) fn middle(&self) -> f64 {
        let low = self.values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        0.5 * (low + high)
    }

    /// The potential with a constant added.
    pub(super) fn shifted(mut self, by: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value += by);
        self
    }
}
