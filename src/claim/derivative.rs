//! Differentiation of a function that can only be evaluated, with an error bar.
//!
//! # Formula
//! Central differences with shrinking steps, extrapolated to step zero (Ridders):
//! ```text
//! A_i0 = (f(x + h_i) − f(x − h_i))/2h_i,      h_i = h c^{−i},      A_ij = (c^{2j} A_{i,j−1} − A_{i−1,j−1})/(c^{2j} − 1)
//! ```
//! An entry differs from the two that it was made from by more than it is off, unless these agree by accident. So its
//! error bar is the largest such difference of its own and of the entry before it, `A_{i−1,j}`, for accidents do not
//! come in pairs, plus what rounding of `f` can do to it; the entry with the narrowest bar is taken.

use crate::error::Result;

/// Steps shrink by this factor `c`.
const SHRINK: f64 = 1.6;
/// So many of them: the last is a three-thousandth of the first, for a logarithm of a sum may bend that sharply where
/// another term takes over.
const STEPS: usize = 18;
/// Evaluations of `f` are rounded by this much, relative to `1 + |f|`: the functions here are logarithms of sums, known
/// relatively.
const ROUNDOFF: f64 = 4.0 * f64::EPSILON;
/// Extrapolation adds up rounding errors of its entries with weights whose sum is at most `Π_j (c^{2j} + 1)/(c^{2j} − 1)`.
const AMPLIFICATION: f64 = 4.2;

/// A gradient, and how far off each component may be.
#[derive(Debug, Clone)]
pub(super) struct Gradient {
    pub(super) value: Vec<f64>,
    pub(super) error: f64,
}

/// `∇f(x)`, with `step` a length over which `f` changes smoothly.
pub(super) fn gradient(f: impl Fn(&[f64]) -> Result<f64>, x: &[f64], step: f64) -> Result<Gradient> {
    let mut gradient = Gradient { value: Vec::with_capacity(x.len()), error: 0.0 };
    for axis in 0..x.len() {
        let along = |offset: f64| {
            let mut moved = x.to_vec();
            moved[axis] += offset;
            // The offset that rounding left of the one asked for.
            Ok((moved[axis] - x[axis], f(&moved)?))
        };
        let (value, error) = derivative(along, step)?;
        gradient.value.push(value);
        gradient.error = gradient.error.max(error);
    }
    Ok(gradient)
}

/// An entry of the scheme, and its largest difference to the two that it was made from.
#[derive(Clone, Copy)]
struct Entry {
    value: f64,
    apart: f64,
}

/// `f'(0)` and its error bar, from pairs of argument and value.
fn derivative(f: impl Fn(f64) -> Result<(f64, f64)>, step: f64) -> Result<(f64, f64)> {
    let (mut best, mut error) = (f64::NAN, f64::INFINITY);
    let mut above: Vec<Entry> = Vec::new();
    for i in 0..STEPS {
        let ((right, after), (left, before)) = {
            let h = step / SHRINK.powi(i as i32);
            (f(h)?, f(-h)?)
        };
        let width = right - left;
        let rounding = AMPLIFICATION * ROUNDOFF * (1.0 + after.abs().max(before.abs())) / (0.5 * width);
        let mut row = vec![Entry { value: (after - before) / width, apart: f64::INFINITY }];
        for j in 1..=i {
            let (gain, [near, far]) = (SHRINK.powi(2 * j as i32), [row[j - 1].value, above[j - 1].value]);
            let value = (gain * near - far) / (gain - 1.0);
            let apart = (value - near).abs().max((value - far).abs());
            let uncertain = above.get(j).map_or(f64::INFINITY, |entry| entry.apart.max(apart)) + rounding;
            if uncertain < error {
                (best, error) = (value, uncertain);
            }
            row.push(Entry { value, apart });
        }
        above = row;
    }
    Ok((best, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_known_functions_lie_within_their_bars() {
        type Function = fn(f64) -> f64;
        let cases: [(Function, Function); 5] = [
            (f64::sin, f64::cos),
            (f64::exp, f64::exp),
            (f64::tanh, |x| 1.0 - x.tanh().powi(2)),
            (|x| -(x * x).ln_1p(), |x| -2.0 * x / (1.0 + x * x)),
            // The log mass of two points at distance two.
            (|x| (2.0 * x).cosh().ln() - x * x, |x| 2.0 * (2.0 * x).tanh() - 2.0 * x),
        ];
        for (f, exact) in cases {
            for i in -300..=300 {
                let x = 0.01 * f64::from(i);
                let found = gradient(|y| Ok(f(y[0])), &[x], 0.5).unwrap();
                let off = (found.value[0] - exact(x)).abs();
                assert!(off <= found.error && found.error < 1e-8, "{x}: {off} {}", found.error);
            }
        }
    }

    /// `ln(e^{kx} + e^{−kx})`, which bends within `1/k`, and where it bends.
    #[test]
    fn sharp_bends_lie_within_their_bars() {
        for k in [3.0, 10.0, 30.0, 100.0, 300.0] {
            for i in -1000..=1000 {
                let x = 0.003 * f64::from(i) / k;
                let f = |y: &[f64]| Ok((k * y[0]).abs() + (-2.0 * (k * y[0]).abs()).exp().ln_1p());
                let found = gradient(f, &[x], 0.5).unwrap();
                let off = (found.value[0] - k * (k * x).tanh()).abs();
                assert!(off <= found.error && found.error < 1e-8 * k, "{k} {x}: {off} {}", found.error);
            }
        }
    }

    #[test]
    fn a_kink_widens_the_bar() {
        assert!(gradient(|y| Ok((y[0] - 1e-4).abs()), &[0.0], 0.5).unwrap().error > 1e-5);
    }

    #[test]
    fn what_is_no_number_has_no_bar() {
        assert!(gradient(|_| Ok(f64::NAN), &[0.0], 0.5).unwrap().error.is_infinite());
    }
}
