//! [`Dual`]: a potential on the points of one side.

/// A potential on the points of one side: its values, and for each point a place away from which it grows.
///
/// The origins only steer the search. Wrong ones make it slow, not wrong.
#[derive(Debug, Clone, Default)]
pub(super) struct Dual {
    pub(super) values: Vec<f64>,
    /// Row-major, one place per point: the other end of its ray of transport.
    pub(super) origins: Vec<f64>,
}

impl Dual {
    /// Appends the value at a point of a potential that there grows away from `origin`.
    pub(super) fn push(&mut self, value: f64, origin: &[f64]) {
        self.values.push(value);
        self.origins.extend_from_slice(origin);
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
