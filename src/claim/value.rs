//! [`Value`]: a number with its error bar.

use serde::{Deserialize, Deserializer, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Rounding of a closed form of a dozen operations, relatively.
const ROUNDOFF: f64 = 32.0 * f64::EPSILON;

/// Sampling errors count this many times. A true statement then exceeds its bar with a probability of 6·10⁻⁵ per
/// sampled row, of which the register has a few hundred, and seeds are fixed.
const STANDARD_ERRORS: f64 = 4.0;

/// A number, and how far from the truth it may be for two kinds of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// The number.
    #[serde(deserialize_with = "null_is_nan")]
    pub value: f64,
    /// What discretisation, truncation and rounding may have done to it. A rerun, on another machine too, stays within it.
    #[serde(deserialize_with = "null_is_nan")]
    pub numerical: f64,
    /// One standard error of sampling: what other seeds would have done to it. A rerun has the same seeds.
    #[serde(default, skip_serializing_if = "is_zero", deserialize_with = "null_is_nan")]
    pub sampling: f64,
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

/// JSON has no word for what is not finite; such numbers are written as null.
pub(super) fn null_is_nan<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Value {
    /// A closed form, or a constant of the paper: known up to rounding.
    pub fn exact(value: f64) -> Self {
        Self::known_to(value, 0.0)
    }

    /// Known up to `error`, and to rounding of the number itself.
    pub fn known_to(value: f64, error: f64) -> Self {
        Self { value, numerical: error + ROUNDOFF * value.abs(), sampling: 0.0 }
    }

    /// The same with a standard error of sampling.
    pub fn sampled(self, standard_error: f64) -> Self {
        Self { sampling: standard_error, ..self }
    }

    /// The same with a standard error that was estimated from so few seeds. It is enlarged until it exceeds its bar no
    /// more often than one that is known: by Student's quantile over the normal one. Infinite for a single seed, which
    /// tells nothing.
    pub fn sampled_over(self, standard_error: f64, seeds: usize) -> Self {
        let level = Normal::standard().cdf(STANDARD_ERRORS);
        let student =
            StudentsT::new(0.0, 1.0, seeds as f64 - 1.0).map_or(f64::INFINITY, |t| t.inverse_cdf(level));
        self.sampled(standard_error * student / STANDARD_ERRORS)
    }

    /// How far from the truth it is believed to be at most.
    pub fn allowance(&self) -> f64 {
        self.numerical + STANDARD_ERRORS * self.sampling
    }

    /// True when number and error bar are finite.
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.numerical.is_finite() && self.sampling.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seeds, and `scipy.stats.t.isf(scipy.stats.norm.sf(4), seeds - 1)` of SciPy 1.17.1.
    const QUANTILES: [(usize, f64); 4] =
        [(4, 32.616397028667386), (8, 8.466925103464442), (16, 5.4803760818702125), (64, 4.286747553613781)];

    #[test]
    fn few_seeds_widen_a_bar() {
        for (seeds, quantile) in QUANTILES {
            let allowance =
                Value { value: 1.0, numerical: 0.0, sampling: 0.0 }.sampled_over(1.0, seeds).allowance();
            assert!((allowance / quantile - 1.0).abs() < 1e-6, "{seeds}: {allowance} {quantile}");
        }
        assert!(!Value::exact(1.0).sampled_over(1.0, 1).is_finite());
    }
}
