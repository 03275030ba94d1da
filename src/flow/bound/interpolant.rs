//! [`Interpolation`]: what the values of a polynomial at Chebyshev's points say about all of a piece of time.
//!
//! # Formula
//! On `[−1, 1]`, with the points `x_k = −cos(πk/m)`, `k = 0 … m`, a polynomial `p` of degree `m` (a vector per particle) is
//! ```text
//! p = Σ_j l_j P_j,      l_j = (2j+1)/2 ∫ p P_j dx = Σ_k L_jk p(x_k),
//! ```
//! with Legendre's polynomials `P_j`. They are orthogonal and at most one, hence
//! ```text
//! mean |p|  ≤  (mean |p|²)^½ = (Σ_j |l_j|²/(2j+1))^½,      |p| ≤ Σ_j |l_j|,      |p| ≤ Λ max_k |p(x_k)|,
//! ```
//! with Lebesgue's constant `Λ ≤ 1 + (2/π) ln(m+1)` (Trefethen, *Approximation Theory and Approximation Practice*, theorem 15.2).
//!
//! # Rounding
//! `L` is computed by a quadrature rule that is exact up to rounding (a test proves what is left), and each `l_j` by a sum of `m + 1` terms; as `m ≤ 16` and `Σ_k |L_jk| ≤ (2j+1)Λ`, each is off by less than
//! `10⁻¹²` of the largest value. That value is at most `Σ_j |l_j| ≤ (m+1)(mean |p|²)^½` (Cauchy and Schwarz), so both sums are right to `(m+1)²·10⁻¹²` of themselves,
//! and [`UP`] covers it.

use std::f64::consts::PI;

use crate::cloud::norm;
use crate::numeric::quadrature::GaussRule;

/// More than what rounding takes away.
const UP: f64 = 1.0 + 1e-9;

/// The smallest and the largest order `m`. All are even, so that the middle of the piece is among the points; the path's velocity has degree 5.
pub(super) const ORDERS: std::ops::RangeInclusive<usize> = 6..=16;

/// The points of one order.
pub(super) struct Interpolation {
    /// `x_k`, with the ends and the middle exact.
    pub points: Vec<f64>,
    /// `L`, one row per `j`.
    transform: Vec<Vec<f64>>,
}

/// Bounds on the length of a vector that is a polynomial of time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// On its mean.
    pub mean: f64,
    /// On its largest value.
    pub largest: f64,
}

impl Interpolation {
    /// Points of order `m`.
    pub fn of_order(order: usize) -> Self {
        let point = |k: usize| if 2 * k == order { 0.0 } else { -(PI * k as f64 / order as f64).cos() };
        let points: Vec<f64> = (0..=order).map(point).collect();
        let rule = GaussRule::legendre(order + 1);
        let mut transform = vec![vec![0.0; order + 1]; order + 1];
        for node in rule.on(-1.0, 1.0) {
            let (legendre, lagrange) = (legendre(order, node.at), lagrange(&points, node.at));
            for (j, row) in transform.iter_mut().enumerate() {
                let scale = (j as f64 + 0.5) * node.weight * legendre[j];
                row.iter_mut().zip(&lagrange).for_each(|(entry, l)| *entry += scale * l);
            }
        }
        Self { points, transform }
    }

    /// A bound on Lebesgue's constant.
    pub fn lebesgue(&self) -> f64 {
        UP * (1.0 + 2.0 / PI * ((self.points.len()) as f64).ln())
    }

    /// The size of the polynomial that takes `values` at the points.
    pub fn size(&self, values: &[&[f64]]) -> Size {
        let (mut square, mut largest) = (0.0, 0.0);
        for (j, row) in self.transform.iter().enumerate() {
            let length_2 = self.length_2(row, values);
            square += length_2 / (2 * j + 1) as f64;
            largest += length_2.sqrt();
        }
        let greatest = values.iter().map(|value| norm(value)).fold(0.0, f64::max);
        Size { mean: UP * square.sqrt(), largest: UP * largest.min(self.lebesgue() * greatest) }
    }

    /// `|l_j|²`
    fn length_2(&self, row: &[f64], values: &[&[f64]]) -> f64 {
        let coordinate = |c: usize| row.iter().zip(values).map(|(l, value)| l * value[c]).sum::<f64>();
        (0..values[0].len()).map(|c| coordinate(c).powi(2)).sum()
    }
}

/// Legendre's polynomials up to a degree.
fn legendre(degree: usize, x: f64) -> Vec<f64> {
    let mut values = vec![1.0, x];
    for j in 1..degree {
        let j_ = j as f64;
        values.push(((2.0 * j_ + 1.0) * x * values[j] - j_ * values[j - 1]) / (j_ + 1.0));
    }
    values
}

/// Lagrange's polynomials of some points.
fn lagrange(points: &[f64], x: f64) -> Vec<f64> {
    let others = |k: usize| points.iter().enumerate().filter(move |(j, _)| *j != k);
    let value = |k: usize| others(k).map(|(_, p)| (x - p) / (points[k] - p)).product();
    (0..points.len()).map(value).collect()
}

#[cfg(test)]
mod tests {
    use dashu_float::FBig;
    use dashu_float::round::mode::HalfEven;

    use super::*;

    /// Fine sums over a polynomial with random values, which the bounds exceed, and not by much.
    #[test]
    fn sizes_dominate_what_is_seen_everywhere() {
        const LOOKS: usize = 4000;
        for order in ORDERS.step_by(2) {
            let interpolation = Interpolation::of_order(order);
            assert_eq!(interpolation.points[order / 2], 0.0);
            assert_eq!((interpolation.points[0], interpolation.points[order]), (-1.0, 1.0));
            let values: Vec<[f64; 2]> =
                (0..=order).map(|k| [(1.3 * k as f64).sin(), (0.7 * (k * k) as f64).cos()]).collect();
            let size = interpolation.size(&values.iter().map(|v| &v[..]).collect::<Vec<_>>());
            let at = |i: usize| {
                let weights = lagrange(&interpolation.points, -1.0 + 2.0 * (i as f64 + 0.5) / LOOKS as f64);
                let sum = |c: usize| weights.iter().zip(&values).map(|(w, v)| w * v[c]).sum::<f64>();
                sum(0).hypot(sum(1))
            };
            let mean = (0..LOOKS).map(at).sum::<f64>() / LOOKS as f64;
            let largest = (0..LOOKS).map(at).fold(0.0, f64::max);
            assert!(mean <= size.mean && size.mean < 1.2 * mean, "{order}: {mean} {size:?}");
            assert!(largest <= size.largest && size.largest < 3.0 * largest, "{order}: {largest} {size:?}");
        }
    }

    /// The proof of what the page says about `L`: with `V_ki = P_i(x_k)` in multi-precision arithmetic, `R = LV − I` is what rounding left, and the exact `L* = V⁻¹` differs from `L` by `R L*`, row by row at most
    /// `Σ_i |R_ji| (2i+1)Λ`.
    #[test]
    fn the_transform_is_right_to_twelve_digits() {
        let precise = |x: f64| FBig::<HalfEven>::try_from(x).unwrap().with_precision(120).value();
        for order in ORDERS.step_by(2) {
            let interpolation = Interpolation::of_order(order);
            let legendre = |x: f64| {
                let mut values = vec![precise(1.0), precise(x)];
                for j in 1..order {
                    let (next, here) = (precise(2.0 * j as f64 + 1.0), precise(j as f64));
                    let value = next * precise(x) * &values[j] - here * &values[j - 1];
                    values.push(value / precise(j as f64 + 1.0));
                }
                values
            };
            let at_points: Vec<_> = interpolation.points.iter().map(|x| legendre(*x)).collect();
            for (j, row) in interpolation.transform.iter().enumerate() {
                let rest = |i: usize| {
                    let products = row.iter().zip(&at_points).map(|(l, values)| precise(*l) * &values[i]);
                    let sum = products.fold(precise(if i == j { -1.0 } else { 0.0 }), |sum, x| sum + x);
                    sum.to_f64().value().abs() * (2 * i + 1) as f64 * interpolation.lebesgue()
                };
                let apart: f64 = (0..=order).map(rest).sum();
                assert!(apart <= 1e-12, "order {order}, row {j}: {apart:e}");
            }
        }
    }

    #[test]
    fn what_is_constant_is_its_own_size() {
        for order in ORDERS.step_by(2) {
            let size = Interpolation::of_order(order).size(&vec![&[3.0, 4.0][..]; order + 1]);
            assert!((size.mean - 5.0).abs() < 1e-8 && (size.largest - 5.0).abs() < 1e-8, "{order}: {size:?}");
        }
    }

    #[test]
    fn lebesgue_constants_are_dominated() {
        for order in ORDERS.step_by(2) {
            let interpolation = Interpolation::of_order(order);
            let sum = |i: usize| {
                let weights = lagrange(&interpolation.points, -1.0 + i as f64 / 500.0);
                weights.iter().map(|w| w.abs()).sum::<f64>()
            };
            let largest = (0..=1000).map(sum).fold(0.0, f64::max);
            assert!(largest <= interpolation.lebesgue() && largest > 0.8 * interpolation.lebesgue());
        }
    }
}
