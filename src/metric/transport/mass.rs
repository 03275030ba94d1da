//! [`Masses`]: the weights of two clouds as integers with equal sums.
//!
//! # Formula
//! Equal weights `1/N` and `1/M` are exact in units of `1/lcm(N, M)`. Other weights are rounded to multiples of
//! `1/S = 2^−60`. If `n_i` replaces `x_i = S·w_i/Σw`, the cloud moves by at most
//! ```text
//! W1 ≤ ½ Σ_i |x_i − n_i|/S · diameter ≤ (Σ_i |x_i − round(x_i)| + |D|)/S · diameter
//! ```
//! where `D = S − Σ round(x_i)` is what rounding leaves over; the heaviest point takes it.

use crate::cloud::Cloud;
use crate::numeric::sum::Sum;

/// Units of mass when weights have to be rounded: flows and their sums fit into an `i64`.
const UNITS: i64 = 1 << 60;

/// Integer masses with a common sum.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Masses {
    pub(super) first: Vec<i64>,
    pub(super) second: Vec<i64>,
    pub(super) total: i64,
    /// Both clouds together move by at most this share of their diameter.
    pub(super) rounding: f64,
}

struct Rounded {
    masses: Vec<i64>,
    error: f64,
}

impl Masses {
    /// The masses of two clouds.
    pub(super) fn of(first: &Cloud, second: &Cloud) -> Self {
        let common = least_common_multiple(first.len() as i64, second.len() as i64);
        match common {
            Some(total) if is_uniform(first) && is_uniform(second) => Self {
                first: vec![total / first.len() as i64; first.len()],
                second: vec![total / second.len() as i64; second.len()],
                total,
                rounding: 0.0,
            },
            _ => {
                let (a, b) = (rounded(first), rounded(second));
                Self { first: a.masses, second: b.masses, total: UNITS, rounding: a.error + b.error }
            }
        }
    }
}

fn is_uniform(cloud: &Cloud) -> bool {
    cloud.weights().is_none_or(|weights| weights.iter().all(|w| *w == weights[0]))
}

fn least_common_multiple(a: i64, b: i64) -> Option<i64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b).filter(|&multiple| multiple <= UNITS)
}

fn rounded(cloud: &Cloud) -> Rounded {
    let weights = (0..cloud.len()).map(|i| cloud.weight(i));
    let sum = weights.clone().collect::<Sum>().value();
    let exact: Vec<f64> = weights.map(|weight| weight / sum * UNITS as f64).collect();
    // Weights that sum to one to the last digit are not divided at all, others twice rounded.
    let division = if sum == 1.0 { 0.0 } else { f64::EPSILON };
    let mut masses: Vec<i64> = exact.iter().map(|x| x.round() as i64).collect();
    let left_over = UNITS - masses.iter().sum::<i64>();
    let moved: Sum = exact.iter().map(|x| (x - x.round()).abs()).collect();
    if let Some(heaviest) = masses.iter_mut().max() {
        *heaviest += left_over;
    }
    Rounded { masses, error: (moved.value() + left_over.abs() as f64) / UNITS as f64 + division }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: usize) -> Cloud {
        Cloud::new((0..count).map(|i| i as f64).collect(), 1).unwrap()
    }

    #[test]
    fn equal_weights_are_exact() {
        let masses = Masses::of(&line(6), &line(4).with_weights(vec![0.25; 4]).unwrap());
        assert_eq!(masses, Masses { first: vec![2; 6], second: vec![3; 4], total: 12, rounding: 0.0 });
    }

    #[test]
    fn rounded_weights_have_equal_sums_and_a_small_error() {
        let weights: Vec<f64> = (0..1000).map(|i| (1.0 + i as f64).powi(-3)).collect();
        let sum: f64 = weights.iter().sum();
        let cloud = line(1000).with_weights(weights.iter().map(|w| w / sum).collect()).unwrap();
        let masses = Masses::of(&cloud, &line(7));
        assert_eq!(masses.first.iter().sum::<i64>(), UNITS);
        assert_eq!(masses.second.iter().sum::<i64>(), UNITS);
        assert!(masses.rounding < 1e-15, "{}", masses.rounding);
    }

    #[test]
    fn dyadic_weights_are_exact() {
        let cloud = line(3).with_weights(vec![0.5, 0.375, 0.125]).unwrap();
        assert_eq!(Masses::of(&cloud, &line(4)).rounding, 0.0);
    }
}
