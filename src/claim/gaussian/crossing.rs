//! When a falling variance comes down to a target, from its values at three times nearby.
//!
//! # Formula
//! The times are those of the integrated variance ODE ([`falls_to`]), and a little before and after. Through them runs
//! the inverse parabola
//! ```text
//! t(v*) = Σ_i t_i l_i(v*),     l_i(v) = Π_{j≠i} (v − v_j)/(v_i − v_j)
//! ```
//! which is exact where a value is the target itself. Elsewhere it extrapolates, and how far it is from the chord says
//! how well. An error of the values `v_i` becomes one of the time by the slope of the chord and the weights `l_i`.

use super::descent::falls_to;
use super::setting::Setting;
use super::snapshot::MeanFieldSnapshot;
use crate::drift::Drift;
use crate::error::Result;
use crate::measured::Measured;
use crate::scale::{Beta, RawTime};

/// The times, relative to that of the ODE: close enough for a parabola, and far enough for a slope.
const AROUND: [f64; 3] = [0.98, 1.0, 1.02];

/// The score times at which the variance per axis of the mean field of an isotropic law comes down to targets.
pub(super) fn of_law(setting: &Setting, targets: &[f64], drift: &dyn Drift) -> Result<Vec<Measured>> {
    let (flow, beta) = (setting.flow()?, setting.beta()?);
    let start = setting.variances[0] + setting.noise;
    let mut times = Vec::new();
    for &target in targets {
        times.extend(around(start, beta, target)?);
    }
    let snapshots = MeanFieldSnapshot::taken(setting, &times, drift)?;
    let found = snapshots.chunks_exact(AROUND.len()).zip(targets).map(|(near, &target)| {
        let values: Vec<Measured> = near.iter().map(|snapshot| mean(&snapshot.variances(&flow))).collect();
        Ok(crossing(&times_of(near, beta)?, &values, target))
    });
    found.collect()
}

fn around(start: f64, beta: Beta, target: f64) -> Result<[RawTime; 3]> {
    let time = beta.get() * falls_to(start, beta.get(), target).value;
    let [before, at, after] = AROUND.map(|share| RawTime::new(share * time));
    Ok([before?, at?, after?])
}

fn times_of(snapshots: &[MeanFieldSnapshot], beta: Beta) -> Result<Vec<f64>> {
    snapshots.iter().map(|snapshot| Ok(snapshot.time.to_score(beta)?.get())).collect()
}

fn mean(values: &[Measured]) -> Measured {
    values.iter().copied().sum::<Measured>() / values.len() as f64
}

/// Where three values in time are a target.
fn crossing(times: &[f64], values: &[Measured], target: f64) -> Measured {
    let (&[a, b, c], &[u, v, w]) = (times, values) else {
        return Measured::UNKNOWN;
    };
    let weight = |own: Measured, others: [Measured; 2]| -> f64 {
        others.iter().map(|other| (target - other.value) / (own.value - other.value)).product()
    };
    let weights = [weight(u, [v, w]), weight(v, [u, w]), weight(w, [u, v])];
    let slope = (c - a) / (w.value - u.value);
    let chord = b + slope * (target - v.value);
    let value = weights[0] * a + weights[1] * b + weights[2] * c;
    let reach: f64 =
        weights.iter().zip([u, v, w]).map(|(weight, value)| weight.abs() * value.numerical).sum();
    Measured::of_two(value, chord).widened(slope.abs() * reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falling(times: [f64; 3]) -> Vec<Measured> {
        times.map(|t| Measured::known_to((-2.0 * t).exp(), 1e-12)).to_vec()
    }

    #[test]
    fn a_value_that_is_the_target_gives_its_time() {
        let times = [0.98, 1.0, 1.02];
        let found = crossing(&times, &falling(times), (-2.0_f64).exp());
        assert!((found.value - 1.0).abs() < 1e-14, "{found:?}");
        // 1e-12 over the speed 2e^{-2}.
        assert!(found.numerical > 3e-12 && found.numerical < 5e-12, "{found:?}");
    }

    #[test]
    fn what_is_extrapolated_lies_within_its_error() {
        let times = [0.98, 1.0, 1.02];
        for expected in [0.9_f64, 1.05, 1.3] {
            let found = crossing(&times, &falling(times), (-2.0 * expected).exp());
            assert!((found.value - expected).abs() <= found.numerical, "{found:?} is not {expected}");
            assert!(found.numerical < 0.1, "{found:?}");
        }
    }
}
