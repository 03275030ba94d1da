//! Numerical methods that know nothing of flows or laws.
//!
//! | file | holds |
//! |---|---|
//! | [`quadrature`] | Gauss rules, in panels and adaptively |
//! | [`root`] | bisection, and Newton's method kept inside a bracket |
//! | [`sum`] | compensated sums |
//! | [`double_double`] | numbers of 31 digits |
//! | [`tail`] | tails of the standard normal law |
//! | [`binomial`] | tails and mean deviations of counts |

pub(crate) mod binomial;
pub(crate) mod double_double;
pub(crate) mod quadrature;
pub(crate) mod root;
pub(crate) mod sum;
pub(crate) mod tail;

/// The larger of two numbers; unlike `f64::max` it does not swallow a NaN.
#[cfg(feature = "study")]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b <= a || a.is_nan() { a } else { b }
}

/// The largest of some numbers, negative infinity if there are none; one that is not a number is the largest.
#[cfg(feature = "study")]
pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, larger)
}
