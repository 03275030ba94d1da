//! Moments of a cloud and of its drift.
//!
//! # Formula
//! ```text
//! M = Σ ω|z|²     V = Σ ω|z − m|²     A = Σ ω|v|²     P = 2 Σ ω z·v = dM/dt along the flow
//! ```
//! With `e_i` the certificate of `v_i`, rounding and truncation change `A` by at most `Σ ω (2|v_i| e_i + e_i²)` and `P`
//! by at most
//! `2 Σ ω |z_i| e_i`; sums of `N` terms of one sign err by at most `N` units of roundoff, relatively.

use super::path::{dot, self_drift};
use crate::cloud::Cloud;
use crate::drift::{Drift, DriftField};
use crate::error::Result;
use crate::measured::Measured;
use crate::numeric::largest;
use crate::scale::Beta;

/// The moments, with bounds on what rounding and truncation did to them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// `M`
    pub second: Measured,
    /// `V`
    pub variance: Measured,
    /// `A`
    pub action: Measured,
    /// `P`
    pub power: Measured,
}

impl Moments {
    /// Of a cloud under a drift.
    pub(super) fn of(cloud: &Cloud, drift: &dyn Drift, beta: Beta) -> Result<Self> {
        Ok(Self::with(cloud, &self_drift(cloud, drift, beta)?))
    }

    /// Of a cloud whose drift is known.
    pub(super) fn with(cloud: &Cloud, field: &DriftField) -> Self {
        let mean = cloud.mean();
        let d = cloud.dimension();
        let [mut second, mut variance, mut action, mut power] = [0.0_f64; 4];
        let [mut action_error, mut power_error, mut power_size] = [0.0_f64; 3];
        for (i, (z, v)) in cloud.rows().zip(field.velocity.chunks_exact(d)).enumerate() {
            let (weight, error) = (cloud.weight(i), field.rounding[i] + field.truncation[i]);
            let (square, speed_2) = (dot(z, z), dot(v, v));
            second += weight * square;
            variance += weight * z.iter().zip(mean.iter()).map(|(z, m)| (z - m) * (z - m)).sum::<f64>();
            action += weight * speed_2;
            action_error += weight * error * (2.0 * speed_2.sqrt() + error);
            power += 2.0 * weight * dot(z, v);
            power_error += 2.0 * weight * error * square.sqrt();
            power_size += 2.0 * weight * (square * speed_2).sqrt();
        }
        let relative = (cloud.len() + d) as f64 * f64::EPSILON;
        // The variance is of differences: their rounding is relative to the positions.
        let shift = 2.0 * relative * (variance * second).sqrt();
        Self {
            second: Measured::known_to(second, relative * second),
            variance: Measured::known_to(variance, relative * variance + shift),
            action: Measured::known_to(action, relative * action + action_error),
            power: Measured::known_to(power, relative * power_size + power_error),
        }
    }
}

/// The largest of some numbers, with the widest of their error bars: a maximum moves by no more than the number that moves most.
pub(super) fn maximum(values: &[Measured]) -> Measured {
    Measured {
        value: largest(values.iter().map(|value| value.value)),
        numerical: largest(values.iter().map(|value| value.numerical)),
        sampling: 0.0,
    }
}
