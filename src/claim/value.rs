//! [`Value`]: a number with its error bar.

use serde::{Deserialize, Deserializer, Serialize};

/// Rounding of a closed form of a dozen operations, relatively.
const ROUNDOFF: f64 = 32.0 * f64::EPSILON;

/// Sampling errors count this many times. Over the few hundred sampled rows of the register a true statement then exceeds its bar once in
/// some fifty choices of seeds, and seeds are fixed.
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
fn null_is_nan<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<f64, D::Error> {
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

    /// How far from the truth it is believed to be at most.
    pub fn allowance(&self) -> f64 {
        self.numerical + STANDARD_ERRORS * self.sampling
    }

    /// True when number and error bar are finite.
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.numerical.is_finite() && self.sampling.is_finite()
    }
}
