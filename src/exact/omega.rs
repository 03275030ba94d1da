//! The Wright omega function on the real line: the solution `x > 0` of `x + ln x = a + ln b`.
//!
//! It is Lambert's `W(b e^a)` without the exponential, which would overflow for `a > 709`. The flow of an eigenvalue is
//! `βλ(t) = ω(βλ0 − 2t + ln βλ0)`, and `βλ0 − 2t` cancels, so the argument is carried as an unevaluated sum.

use crate::numeric::sum::Sum;

/// The solution of `x + ln x = a + ln b` to full relative accuracy, zero where it underflows.
pub(super) fn wright_omega(a: Sum, b: f64) -> f64 {
    let c = a.plus(b.ln());
    if c.value() > 1.0 { above_one(c) } else { below_one(exponential(a, b)) }
}

/// `b e^a` without the digits that a logarithm of `b` would cost, and without an overflow half-way.
fn exponential(a: Sum, b: f64) -> f64 {
    let half = (a.total / 2.0).exp();
    half * (b * a.lost.exp()) * half
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
        wright_omega(Sum { total: c, lost: 0.0 }, 1.0)
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
