//! [`Measured`]: a number with its error bars; [`Bracket`]: two numbers that hold one between them.
//!
//! # Formula
//! A number `x` carries a *numerical* bar `ν` (discretisation, truncation, rounding: a bound or a measured estimate)
//! and one standard error of *sampling* `s`. Arithmetic is that of intervals in `ν`, with one rounding `ε|x|` for each
//! operation, and adds standard errors as if they were fully correlated, which is never too little:
//! ```text
//! a ± b:  ν_a + ν_b                      s_a + s_b
//! a · b:  |a|ν_b + |b|ν_a + ν_a ν_b      |a|s_b + |b|s_a
//! a / b:  (ν_a + |a/b| ν_b)/(|b| − ν_b)  (s_a + |a/b| s_b)/|b|
//! ```
//! A quotient whose divisor may be zero has an infinite bar.

use std::iter::Sum;
use std::ops::{Add, Div, Mul, Neg, Sub};

use serde::{Deserialize, Deserializer, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Rounding of a closed form of a dozen operations, relatively.
const ROUNDOFF: f64 = 32.0 * f64::EPSILON;

/// Sampling errors count this many times. A true statement then exceeds its bar with a probability of 6·10⁻⁵ per
/// sampled number, and seeds are fixed.
const STANDARD_ERRORS: f64 = 4.0;

/// A number, and how far from the truth it may be for two kinds of reasons.
///
/// ```
/// use ebflow::Measured;
/// let (a, b) = (Measured::known_to(2.0, 1e-9), Measured::known_to(4.0, 1e-9));
/// let share = a / b;
/// assert_eq!(share.value, 0.5);
/// assert!(share.numerical > 3.7e-10 && share.numerical < 3.8e-10);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
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
pub(crate) fn null_is_nan<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Measured {
    /// What cannot be said.
    pub const UNKNOWN: Self = Self { value: f64::NAN, numerical: f64::NAN, sampling: 0.0 };

    /// A closed form, or a constant: known up to rounding.
    pub fn exact(value: f64) -> Self {
        Self::known_to(value, 0.0)
    }

    /// Known up to `error`, and to rounding of the number itself.
    pub fn known_to(value: f64, error: f64) -> Self {
        Self { value, numerical: error + ROUNDOFF * value.abs(), sampling: 0.0 }
    }

    /// The finer of two resolutions, known up to their difference.
    pub fn of_two(fine: f64, coarse: f64) -> Self {
        Self::known_to(fine, (fine - coarse).abs())
    }

    /// The same with a numerical bar that is wider by so much.
    pub fn widened(self, by: f64) -> Self {
        Self { numerical: self.numerical + by, ..self }
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

    /// What becomes of it under a smooth function, given the value there and its slope: first order in the bars.
    pub fn through(self, value: f64, slope: f64) -> Self {
        let (numerical, sampling) = (slope.abs() * self.numerical, slope.abs() * self.sampling);
        Self { value, numerical: numerical + ROUNDOFF * value.abs(), sampling }
    }

    /// Its natural logarithm, first order in the bars.
    pub fn ln(self) -> Self {
        self.through(self.value.ln(), 1.0 / self.value)
    }

    /// Its modulus.
    pub fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }

    /// The larger of two; what is not a number counts as that.
    pub fn larger(self, other: Self) -> Self {
        if other.value <= self.value || self.value.is_nan() { self } else { other }
    }

    /// The largest of some numbers, unknown if there are none.
    pub fn largest(values: impl IntoIterator<Item = Self>) -> Self {
        values.into_iter().reduce(Self::larger).unwrap_or(Self::UNKNOWN)
    }

    /// How far from the truth it is believed to be at most.
    pub fn allowance(&self) -> f64 {
        self.numerical + STANDARD_ERRORS * self.sampling
    }

    /// The numerical bar as a share of the number.
    pub fn relative(&self) -> f64 {
        self.numerical / self.value.abs()
    }

    /// True when number and error bars are finite.
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.numerical.is_finite() && self.sampling.is_finite()
    }

    /// The value after an operation, with bars that do not yet count its rounding.
    fn rounded(value: f64, numerical: f64, sampling: f64) -> Self {
        Self { value, numerical: numerical + f64::EPSILON * value.abs(), sampling }
    }
}

impl Neg for Measured {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Add for Measured {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (numerical, sampling) = (self.numerical + other.numerical, self.sampling + other.sampling);
        Self::rounded(self.value + other.value, numerical, sampling)
    }
}

impl Sub for Measured {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Measured {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.value.abs(), other.value.abs());
        let numerical = a * other.numerical + b * self.numerical + self.numerical * other.numerical;
        Self::rounded(self.value * other.value, numerical, a * other.sampling + b * self.sampling)
    }
}

impl Div for Measured {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let (value, least) = (self.value / other.value, other.value.abs() - other.numerical);
        let share = |own: f64, of_divisor: f64| own + value.abs() * of_divisor;
        let numerical =
            if least > 0.0 { share(self.numerical, other.numerical) / least } else { f64::INFINITY };
        Self::rounded(value, numerical, share(self.sampling, other.sampling) / other.value.abs())
    }
}

/// Operations with a number that is taken as it is.
macro_rules! with_number {
    ($($operation:ident $method:ident),*) => {$(
        impl $operation<f64> for Measured {
            type Output = Self;
            fn $method(self, other: f64) -> Self {
                self.$method(Self { value: other, numerical: 0.0, sampling: 0.0 })
            }
        }
        impl $operation<Measured> for f64 {
            type Output = Measured;
            fn $method(self, other: Measured) -> Measured {
                Measured { value: self, numerical: 0.0, sampling: 0.0 }.$method(other)
            }
        }
    )*};
}
with_number!(Add add, Sub sub, Mul mul, Div div);

impl Sum for Measured {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self { value: 0.0, numerical: 0.0, sampling: 0.0 }, Add::add)
    }
}

/// Two numbers that hold the truth between them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bracket {
    /// No larger than the truth.
    pub lower: f64,
    /// No smaller than the truth.
    pub upper: f64,
}

impl Bracket {
    /// The point that is least wrong.
    pub fn middle(&self) -> f64 {
        self.lower + 0.5 * (self.upper - self.lower)
    }

    /// How far apart the ends are.
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }

    /// The middle, with half the width as its numerical bar.
    pub fn measured(&self) -> Measured {
        Measured::known_to(self.middle(), 0.5 * self.width())
    }

    /// The same with both ends moved outwards.
    pub fn widened(&self, by: f64) -> Self {
        Self { lower: self.lower - by, upper: self.upper + by }
    }

    /// Both ends times a positive factor.
    pub fn times(&self, factor: f64) -> Self {
        Self { lower: factor * self.lower, upper: factor * self.upper }
    }

    /// True when a number lies between the ends.
    pub fn holds(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }
}

impl From<Measured> for Bracket {
    /// Everything within the allowance.
    fn from(measured: Measured) -> Self {
        Self { lower: measured.value, upper: measured.value }.widened(measured.allowance())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Seeds, and `scipy.stats.t.isf(scipy.stats.norm.sf(4), seeds - 1)` of SciPy 1.17.1.
    const QUANTILES: [(usize, f64); 4] =
        [(4, 32.616397028667386), (8, 8.466925103464442), (16, 5.4803760818702125), (64, 4.286747553613781)];

    #[test]
    fn few_seeds_widen_a_bar() {
        for (seeds, quantile) in QUANTILES {
            let allowance =
                Measured { value: 1.0, numerical: 0.0, sampling: 0.0 }.sampled_over(1.0, seeds).allowance();
            assert!((allowance / quantile - 1.0).abs() < 1e-6, "{seeds}: {allowance} {quantile}");
        }
        assert!(!Measured::exact(1.0).sampled_over(1.0, 1).is_finite());
    }

    #[test]
    fn what_is_not_a_number_is_largest() {
        let [one, two] = [1.0, 2.0].map(Measured::exact);
        assert_eq!(Measured::largest([one, two, one]), two);
        assert!(Measured::largest([one, Measured::UNKNOWN, two]).value.is_nan());
        assert!(Measured::largest([]).value.is_nan());
    }

    #[test]
    fn a_divisor_that_may_be_zero_says_nothing() {
        let quotient = Measured::exact(1.0) / Measured::known_to(0.5, 0.6);
        assert_eq!(quotient.value, 2.0);
        assert!(quotient.numerical.is_infinite());
    }

    /// A number that is off by a share of its bar.
    fn moved(x: Measured, share: f64) -> f64 {
        x.value + share * x.numerical
    }

    proptest! {
        /// Whatever the true operands are within their bars, the true result is within the bar of the result.
        #[test]
        fn bars_cover_what_operands_may_be(
            a in -10.0..10.0_f64, b in -10.0..10.0_f64, wide in 0.0..2.0_f64, narrow in 0.0..1e-6_f64,
            s in -0.99..0.99_f64, t in -0.99..0.99_f64,
        ) {
            let (a, b) = (Measured::known_to(a, wide), Measured::known_to(b, narrow));
            let (x, y) = (moved(a, s), moved(b, t));
            for (result, truth) in [(a + b, x + y), (a - b, x - y), (a * b, x * y), (a / b, x / y), (2.0 * a, 2.0 * x), (a / 3.0, x / 3.0)] {
                prop_assert!((result.value - truth).abs() <= result.numerical, "{result:?} {truth}");
                prop_assert!(Bracket::from(result).holds(truth));
            }
        }
    }
}
