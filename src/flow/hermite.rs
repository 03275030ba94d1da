//! [`Hermite`]: the quintic through three states and their derivatives.
//!
//! # Formula
//! With `θ = (t − t₀)/h`, nodes `θ_k ∈ {0, c, 1}` and their Lagrange polynomials `ℓ_k`,
//! ```text
//! z(θ) = Σ_k (1 − 2 ℓ_k'(θ_k)(θ − θ_k)) ℓ_k(θ)² z_k  +  h Σ_k (θ − θ_k) ℓ_k(θ)² ż_k
//! ```
//! The error is of order `h⁶`, as the local error of a fifth-order step is: with `c = 1/2` it is at most
//! `3.2·10⁻⁶ h⁶ |z⁽⁶⁾|`. A fifth-order pair's free interpolant is of order 4 only, and misses by several tolerances
//! between the steps.

use super::Moment;

/// The interpolant through three moments in order of time.
pub(super) struct Hermite<'a> {
    pub start: Moment<'a>,
    pub middle: Moment<'a>,
    pub end: Moment<'a>,
}

/// What multiplies a node's state and its derivative at one `θ`.
struct Weights {
    state: f64,
    derivative: f64,
}

impl Weights {
    /// From `ℓ_k(θ)`, `ℓ_k'(θ_k)` and `θ − θ_k`, for a step of length `h`.
    fn new(lagrange: f64, slope: f64, offset: f64, length: f64) -> Self {
        let square = lagrange * lagrange;
        Self { state: (1.0 - 2.0 * slope * offset) * square, derivative: length * offset * square }
    }
}

impl Hermite<'_> {
    /// The state at a raw time between the first and the last node.
    pub fn at(&self, time: f64) -> Vec<f64> {
        let begin = self.start.raw_time.get();
        let length = self.end.raw_time.get() - begin;
        let c = (self.middle.raw_time.get() - begin) / length;
        let theta = (time - begin) / length;
        let start = Weights::new((theta - c) * (theta - 1.0) / c, -(1.0 + c) / c, theta, length);
        let middle = Weights::new(
            theta * (theta - 1.0) / (c * (c - 1.0)),
            (2.0 * c - 1.0) / (c * (c - 1.0)),
            theta - c,
            length,
        );
        let end = Weights::new(theta * (theta - c) / (1.0 - c), (2.0 - c) / (1.0 - c), theta - 1.0, length);
        // The state weights sum to one: adding differences to the first state keeps small steps exact.
        let coordinate = |i: usize| {
            let origin = self.start.points[i];
            origin
                + middle.state * (self.middle.points[i] - origin)
                + end.state * (self.end.points[i] - origin)
                + start.derivative * self.start.derivative[i]
                + middle.derivative * self.middle.derivative[i]
                + end.derivative * self.end.derivative[i]
        };
        (0..self.start.points.len()).map(coordinate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::RawTime;

    /// Sums of six terms of size one.
    const ROUNDOFF: f64 = 1e-14;

    #[test]
    fn reproduces_quintics_for_any_middle() {
        let value = |t: f64| [1.0 + t - 2.0 * t.powi(2) + 0.5 * t.powi(5), 3.0 * t.powi(4) - t.powi(3)];
        let slope = |t: f64| [1.0 - 4.0 * t + 2.5 * t.powi(4), 12.0 * t.powi(3) - 3.0 * t.powi(2)];
        for middle in [0.5, 0.9, 0.45] {
            let times = [0.3, middle, 1.1];
            let (values, slopes) = (times.map(value), times.map(slope));
            let node = |k: usize| Moment {
                raw_time: RawTime::new(times[k]).unwrap(),
                points: &values[k],
                derivative: &slopes[k],
            };
            let hermite = Hermite { start: node(0), middle: node(1), end: node(2) };
            for time in [0.3, 0.41, 0.7, middle, 1.0, 1.1] {
                let (found, expected) = (hermite.at(time), value(time));
                assert!((found[0] - expected[0]).abs() < ROUNDOFF, "{found:?} {expected:?}");
                assert!((found[1] - expected[1]).abs() < ROUNDOFF, "{found:?} {expected:?}");
            }
        }
    }
}
