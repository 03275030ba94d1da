//! [`Up`]: numbers that are never too small.
//!
//! # Formula
//! IEEE 754 rounds every sum, product and quotient to a neighbour of the exact result, so the next larger double is not below it:
//! ```text
//! a + b ≤ next_up(fl(a + b)),      a b ≤ next_up(fl(a b)),
//! ```
//! and both grow with `a` and `b` where these are not negative. A formula of sums and products of such upper bounds is therefore an upper bound of its exact value.
//! Infinity stays infinite, and what is not a number stays that. The processor's rounding mode is never touched.

use std::iter::Sum;
use std::ops::{Add, Mul};

/// An upper bound of a number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub(super) struct Up(f64);

impl Up {
    pub const ZERO: Self = Self(0.0);
    pub const ONE: Self = Self(1.0);

    /// What is known to be exact, or an upper bound already.
    pub fn of(value: f64) -> Self {
        Self(value)
    }

    /// The bound.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Add for Up {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // Nothing is rounded where nothing is added: what is exactly zero stays so.
        if self.0 == 0.0 || other.0 == 0.0 {
            Self(self.0 + other.0)
        } else {
            Self((self.0 + other.0).next_up())
        }
    }
}

impl Mul for Up {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        if self.0 == 0.0 || other.0 == 0.0 { Self(product) } else { Self(product.next_up()) }
    }
}

impl Sum for Up {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::ZERO, Add::add)
    }
}

/// The largest argument of the functions below.
const LARGEST: f64 = 16.0;

/// Terms below this do not matter beside sums that are at least a third.
const SMALL: f64 = 1e-18;

/// An upper bound of `φ_p(x) = Σ_k x^k/(k+p)!`, that is `e^x`, `(e^x − 1)/x`, `(e^x − 1 − x)/x²` for `p = 0, 1, 2`; infinite beyond [`LARGEST`].
///
/// All grow with `x`, so `x` may itself be an upper bound. The sum stops before an even term `k ≥ 2x`: from there on each term is less than half the one before,
/// so that together they are less than twice the first of them. For negative
/// `x`, taken to be at least −1, the terms alternate and decrease, so that one even term more makes the sum an upper bound. Its negative terms are summed upwards as well, by less than a
/// hundred operations, and then reduced by more than these have added.
pub(super) fn phi(p: u32, x: f64) -> Up {
    if x > LARGEST || x.is_nan() {
        return Up(f64::INFINITY + x);
    }
    let size = Up(x.max(-1.0).abs());
    let mut term = Up((1..=p).fold(Up::ONE, |term, k| term * inverse(k)).0);
    let mut sums = [Up::ZERO; 2];
    let mut k = 0;
    while k % 2 == 1 || f64::from(k) < 2.0 * size.0 || term.0 > SMALL {
        sums[k as usize % 2] = sums[k as usize % 2] + term;
        k += 1;
        term = term * size * inverse(k + p);
    }
    let [even, odd] = sums;
    if x >= 0.0 {
        return even + odd + term + term;
    }
    Up(((even + term).0 - odd.0 * (1.0 - 1e-13)).next_up())
}

/// An upper bound of `e^x`: that of a fraction of `x`, squared over and over.
pub(super) fn exp(x: f64) -> Up {
    let halvings = (0..).take_while(|k| x * 0.5f64.powi(*k) > 1.0).take(11).count();
    (0..halvings).fold(phi(0, x * 0.5f64.powi(halvings as i32)), |power, _| power * power)
}

/// `1/k`
fn inverse(k: u32) -> Up {
    Up((1.0 / f64::from(k)).next_up())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mpmath` 1.3.0 at 40 digits: `x`, `e^x`, `(e^x − 1)/x`, `(e^x − 1 − x)/x²`, rounded to 20 digits.
    const VALUES: [(f64, [&str; 3]); 9] = [
        (0.0, ["1.0", "1.0", "0.5"]),
        (1e-300, ["1.0", "1.0", "0.5"]),
        (1e-9, ["1.0000000010000000005", "1.0000000005000000002", "0.50000000016666666671"]),
        (0.00099, ["1.0009904902117565328", "1.0004951633904371313", "0.50016504084558715935"]),
        (0.25, ["1.2840254166877414841", "1.1361016667509659363", "0.54440666700386374517"]),
        (1.7, ["5.4739473917271995177", "2.6317337598395291968", "0.95984338814089955261"]),
        (12.5, ["268337.28652087445696", "21466.902921669956557", "1717.2722337335965245"]),
        (-1e-7, ["0.999999900000005", "0.99999995000000166667", "0.49999998333333375"]),
        (-0.2, ["0.81873075307798184958", "0.90634623461009070179", "0.46826882694954646507"]),
    ];

    #[test]
    fn functions_of_the_exponential_are_rounded_up_and_by_little() {
        for (x, exact) in VALUES {
            for (p, exact) in exact.iter().enumerate() {
                let (bound, nearest) = (phi(p as u32, x).get(), exact.parse::<f64>().unwrap());
                // What exceeds the nearest double exceeds the exact value.
                let above = bound > nearest || (x == 0.0 && bound == nearest);
                assert!(above && bound <= nearest * (1.0 + 1e-12), "φ_{p}({x}) = {exact}: {bound}");
            }
        }
    }

    #[test]
    fn what_is_not_a_number_or_too_large_stays_so() {
        assert!(phi(1, f64::NAN).get().is_nan() && phi(2, 17.0).get() == f64::INFINITY);
        assert!((Up::of(f64::NAN) + Up::ONE).get().is_nan() && (Up::of(f64::NAN) * Up::ZERO).get().is_nan());
        assert_eq!((Up::of(f64::MAX) * Up::of(2.0)).get(), f64::INFINITY);
    }

    /// Rounding to nearest loses `2^−54` a thousand times over; rounding up cannot.
    #[test]
    fn a_sum_that_rounding_to_nearest_loses_is_kept() {
        let (one, small) = (1.0, 2f64.powi(-54));
        let plain = (0..1000).fold(one, |sum, _| sum + small);
        let up = (0..1000).fold(Up::of(one), |sum, _| sum + Up::of(small));
        let exact = one + 1000.0 * small;
        assert!(plain < exact && up.get() >= exact && up.get() < one + 2e-12);
    }

    #[test]
    fn zero_is_exact() {
        assert_eq!((Up::ZERO + Up::ZERO).get(), 0.0);
        assert_eq!((Up::ZERO * Up::of(3.0)).get(), 0.0);
        assert_eq!((Up::ZERO + Up::of(3.0)).get(), 3.0);
    }
}
