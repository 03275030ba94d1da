//! The Wright omega function on the real line: the solution `x > 0` of `x + ln x = a + ln b`.
//!
//! It is Lambert's `W(b e^a)` without the exponential, which would overflow for `a > 709`. The flow of an eigenvalue is
//! `βλ(t) = ω(βλ0 − 2t + ln βλ0)`, and `βλ0 − 2t` cancels, so the argument is carried as an unevaluated sum.

/// An unevaluated sum `high + low` with `|low|` below an ulp of `high`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// `Σ a·b` rounded once, whatever cancels: products are exact with their rounding errors, and as many passes of exact additions
    /// as there are terms leave nothing but the sum.
    pub(super) fn of_products(factors: [(f64, f64); 3]) -> Self {
        let [x, y, z] = factors.map(|(a, b)| a * b);
        let [p, q, r] = factors.map(|(a, b)| a.mul_add(b, -(a * b)));
        let mut terms = [p, q, r, x, y, z];
        for _ in 0..terms.len() {
            for k in 1..terms.len() {
                let sum = Self { high: terms[k], low: 0.0 }.plus(terms[k - 1]);
                (terms[k], terms[k - 1]) = (sum.high, sum.low);
            }
        }
        Self { high: terms[5], low: terms[4] }
    }

    /// Adds one number, keeping the rounding error.
    fn plus(self, b: f64) -> Self {
        let high = self.high + b;
        let shadow = high - self.high;
        let error = (self.high - (high - shadow)) + (b - shadow);
        Self { high, low: self.low + error }
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

/// The solution of `x + ln x = a + ln b` to full relative accuracy, zero where it underflows.
pub(super) fn wright_omega(a: Sum, b: f64) -> f64 {
    let c = a.plus(b.ln());
    if c.value() > 1.0 { above_one(c) } else { below_one(exponential(a, b)) }
}

/// `b e^a` without the digits that a logarithm of `b` would cost, and without an overflow half-way.
fn exponential(a: Sum, b: f64) -> f64 {
    let half = (a.high / 2.0).exp();
    half * (b * a.low.exp()) * half
}

/// Newton's method on `x + ln x − c`, for `x > 1`, where the logarithm is the smaller term.
fn above_one(c: Sum) -> f64 {
    let log = c.value().ln();
    let start = c.value() - log + log / c.value();
    newton(start, |x| c.plus(-x).plus(-x.ln()).value() * (x / (1.0 + x)))
}

/// Newton's method on `x − E e^{−x}` with `E = e^c ≤ e`, for `x ≤ 1`, where a logarithm would lose digits.
fn below_one(exponential: f64) -> f64 {
    newton(exponential / (1.0 + exponential), |x| {
        let image = exponential * (-x).exp();
        (image - x) / (1.0 + image)
    })
}

/// Repeats `x ← x + correction(x)` until it stands still; quadratic convergence needs about five steps.
fn newton(start: f64, correction: impl Fn(f64) -> f64) -> f64 {
    const MAX_STEPS: usize = 20;
    let mut x = start;
    for _ in 0..MAX_STEPS {
        let step = correction(x);
        x += step;
        if step.abs() <= f64::EPSILON * x {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mpmath.lambertw(mpmath.exp(c))` at 50 digits.
    const REFERENCE: [(f64, f64); 9] = [
        (-700.0, 9.859_676_543_759_77e-305),
        (-40.0, 4.248354255291589e-18),
        (-3.5, 0.029324711813756823),
        (0.0, 0.567_143_290_409_783_8),
        (1.0, 1.0),
        (2.0, 1.5571455989976114),
        (30.0, 26.714782920381054),
        (1000.0, 993.0991694723891),
        (1000000.0, 999_986.184_503_257_6),
    ];

    fn omega(c: f64) -> f64 {
        wright_omega(Sum { high: c, low: 0.0 }, 1.0)
    }

    #[test]
    fn sums_of_products_are_rounded_once() {
        // (1 + 2⁻⁵²)(1 − 2⁻⁵²) − 1 = −2⁻¹⁰⁴, and what is beside 10³⁰⁰ is kept when 10³⁰⁰ goes.
        let u = f64::EPSILON;
        assert_eq!(Sum::of_products([(1.0 + u, 1.0 - u), (0.0, 0.0), (-1.0, 1.0)]).value(), -u * u);
        assert_eq!(Sum::of_products([(1e300, 1.0), (3.0, 0.1), (-1e300, 1.0)]).value(), 3.0 * 0.1);
    }

    #[test]
    fn agrees_with_fifty_digits() {
        for (c, expected) in REFERENCE {
            let found = omega(c);
            let error = (found / expected - 1.0).abs();
            assert!(error <= 4.0 * f64::EPSILON, "c = {c}: {found} against {expected}");
        }
    }

    #[test]
    fn agrees_with_lambert_w_where_the_exponential_fits() {
        for k in -300..=300 {
            let c = k as f64;
            let found = omega(c);
            let expected = lambert_w::lambert_w0(c.exp());
            assert!((found / expected - 1.0).abs() < 1e-13, "c = {c}");
        }
    }

    #[test]
    fn underflow_is_zero_not_nan() {
        assert_eq!(omega(-1e6), 0.0);
    }
}
