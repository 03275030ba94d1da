//! Errors of networks at doubling depths, and the limits they tend to.
//!
//! # Formula
//! With `e_L` an error, `a_L = L·e_L` and the local orders `p_L = log₂|e_L/e_2L|` have expansions in `1/L`, so
//! `2a_2L − a_L` and `2p_2L − p_L` are closer to their limits. Orders are extrapolated once; the distance from `p_2L`
//! is taken as the error. Constants are extrapolated twice and judged by the step before.

use std::f64::consts::LN_2;

use crate::error::Result;
use crate::measured::Measured;
use crate::metric::{Confidence, RateData, SizeSample, power_fit};
use crate::numeric::largest;

const CONFIDENCE: f64 = 0.95;

/// An error at a depth, with its bar.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// `L`
    pub depth: usize,
    /// `e_L`, with its sign where there is one.
    pub error: Measured,
}

/// The limit of `L·e_L`, extrapolated twice; depths double, and there are at least three.
pub(super) fn constant(gaps: &[Gap]) -> Measured {
    let scaled: Vec<f64> = gaps.iter().map(|gap| gap.depth as f64 * gap.error.value).collect();
    let once: Vec<f64> = scaled.windows(2).map(|pair| 2.0 * pair[1] - pair[0]).collect();
    let twice: Vec<f64> = once.windows(2).map(|pair| (4.0 * pair[1] - pair[0]) / 3.0).collect();
    let noise = largest(gaps.iter().map(|gap| gap.depth as f64 * gap.error.numerical));
    let (value, before) = (twice[twice.len() - 1], once[once.len() - 1]);
    // (8a_4L − 6a_2L + a_L)/3 adds up to five bars.
    Measured::known_to(value, (value - before).abs() + 5.0 * noise)
}

/// The limit of the local orders, extrapolated once.
pub(super) fn order(gaps: &[Gap]) -> Measured {
    let local = |pair: &[Gap]| (pair[0].error.value / pair[1].error.value).abs().log2();
    let local: Vec<f64> = gaps.windows(2).map(local).collect();
    let noise = largest(gaps.iter().map(|gap| gap.error.numerical / gap.error.value.abs()));
    let (last, before) = (local[local.len() - 1], local[local.len() - 2]);
    let limit = 2.0 * last - before;
    // Three orders of two errors each.
    Measured::known_to(limit, (limit - last).abs() + 6.0 * noise / LN_2)
}

/// The order of a power law through all depths, with the half-width of its interval. Its residuals are the next term of
/// the expansion, not noise, so the interval is too narrow.
pub(super) fn fitted(gaps: &[Gap]) -> Result<Measured> {
    let sample = |gap: &Gap| SizeSample { size: gap.depth as f64, values: vec![gap.error.value.abs()] };
    let fit = power_fit(&RateData::new(gaps.iter().map(sample).collect())?, Confidence::new(CONFIDENCE)?)?;
    Ok(Measured::known_to(-fit.slope.estimate, 0.5 * (fit.slope.upper - fit.slope.lower)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors `s(3/L + 2/L² + 5/L³)` at 25 to 800 layers.
    fn gaps(sign: f64) -> Vec<Gap> {
        let size = |l: f64| Measured::exact(sign * (3.0 / l + 2.0 / (l * l) + 5.0 / l.powi(3)));
        (0..6).map(|k| 25 << k).map(|depth: usize| Gap { depth, error: size(depth as f64) }).collect()
    }

    #[test]
    fn expansions_are_extrapolated_within_their_bars() {
        for sign in [1.0, -1.0] {
            let (constant, order) = (constant(&gaps(sign)), order(&gaps(sign)));
            assert!((constant.value - 3.0 * sign).abs() < 1e-9 && constant.numerical < 1e-4, "{constant:?}");
            // The term in 1/L² of the local orders, which one extrapolation leaves: −1.94e-5, by hand in Python.
            assert!((order.value - (1.0 - 1.941_617_793_566e-5)).abs() < 1e-11, "{order:?}");
            assert!((order.value - 1.0).abs() < order.numerical && order.numerical < 1e-2, "{order:?}");
            assert!(fitted(&gaps(sign)).unwrap().value > 1.0, "the next term bends the line");
        }
    }
}
