//! [`DoubleDouble`]: numbers of about 31 digits, as unevaluated sums of two doubles.
//!
//! Sums and products are right to `2^−100`, relatively (Joldes, Muller and Popescu, *Tight and rigorous error bounds for basic building blocks of double-word arithmetic*, ACM TOMS 44 (2017)), roots and
//! quotients to `2^−98`, exponentials to `2^−90`. Nothing here depends on whether the machine fuses: [`f64::mul_add`] always does.

use std::ops::{Add, Mul, Neg, Sub};

/// An unevaluated sum `high + low`, `|low| ≤ ulp(high)/2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DoubleDouble {
    pub high: f64,
    pub low: f64,
}

/// `ln 2` to 32 digits: its nearest double and the rest.
const LN_2: DoubleDouble = DoubleDouble { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };

impl DoubleDouble {
    pub fn new(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    /// Knuth's exact sum of two doubles.
    pub fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let shadow = high - a;
        Self { high, low: (a - (high - shadow)) + (b - shadow) }
    }

    /// The exact product of two doubles.
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self { high, low: a.mul_add(b, -high) }
    }

    /// Division by a double.
    pub fn over(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        Self::sum(high, ((-high).mul_add(divisor, self.high) + self.low) / divisor)
    }

    /// The quotient of two.
    #[cfg(test)]
    pub fn divided_by(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::new(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::new(second);
        Self::sum(first, second) + Self::new(rest.high / other.high)
    }

    /// The root of a positive double: one step of Newton's from the nearest one.
    pub fn root(of: f64) -> Self {
        let high = of.sqrt();
        Self::sum(high, (-high).mul_add(high, of) / (2.0 * high))
    }

    /// `e^x` for `x ≤ 0`, zero below the range of doubles: Taylor's series at `x/2^12` after removing multiples of `ln 2`, then repeated squaring.
    pub fn exp(self) -> Self {
        if self.high < -740.0 {
            return Self::new(0.0);
        }
        let n = (self.high / LN_2.high).round();
        let r = (self - LN_2 * Self::new(n)) * Self::new(1.0 / 4096.0);
        // e^r − 1 keeps its digits through the squarings: (1 + s)² − 1 = 2s + s².
        let mut minus_one = Self::new(0.0);
        for k in (1..=8).rev() {
            minus_one = r.over(f64::from(k)) * (Self::new(1.0) + minus_one);
        }
        for _ in 0..12 {
            minus_one = minus_one + minus_one + minus_one * minus_one;
        }
        let power = 2.0_f64.powi(n as i32 / 2);
        (minus_one + Self::new(1.0)) * Self::new(power) * Self::new(2.0_f64.powi(n as i32 - n as i32 / 2))
    }

    /// The nearest double.
    pub fn get(self) -> f64 {
        self.high + self.low
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        let low = Self::sum(self.low, other.low);
        let first = Self::sum(high.high, high.low + low.high);
        Self::sum(first.high, first.low + low.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_has_thirty_digits() {
        // mpmath, 50 digits: exp(-0.3), exp(-20.7), exp(-600.125), split into a double and the rest.
        let cases = [
            (-0.3, 0.740_818_220_681_717_9, -1.805_530_505_953e-18),
            (-20.7, 1.023_538_597_759_416_2e-9, -6.484_174_939_174_867e-26),
            (-600.125, 2.338_966_748_647_192_6e-261, 9.928_074_524_308_686e-278),
        ];
        for (x, high, low) in cases {
            let e = DoubleDouble::new(x).exp();
            let error = ((e.high - high) + (e.low - low)).abs() / high;
            assert!(error < 1e-28, "exp({x}) = {} + {}: relative error {error}", e.high, e.low);
        }
    }

    #[test]
    fn roots_square_to_what_they_are_of() {
        for of in [2.0, 3.0, 95.0, 1e-7, 1e200] {
            let root = DoubleDouble::root(of);
            let rest = root * root - DoubleDouble::new(of);
            assert!(rest.get().abs() <= of * 2f64.powi(-97), "{of}: {rest:?}");
        }
    }
}
