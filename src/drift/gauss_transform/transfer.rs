//! [`Transfer`]: how the moments of a box of sources become the local field in a box of targets, along one axis.
//!
//! # Formula
//! Boxes have half-width `r` and their centres lie `D` apart; `x, s ∈ [−1, 1]` are positions within them. From the
//! Hermite series of the Gaussian and `(cos α − cos γ)ⁿ` written as a product of cosines,
//!
//! ```text
//! exp(−(D + r(x − s))²/2) = Σ_{m,k} A_mk T_m(x) T_k(s)
//! A_mk = (−1)^m ε_m ε_k Σ_{n = m+k, m+k+2, …} (r/2)ⁿ/n! · He_n(D) e^{−D²/2} · C(n, (n−m−k)/2) C(n, (n−m+k)/2)
//! ```
//!
//! with `ε_0 = 1`, `ε_m = 2` otherwise. Replacing every term by its absolute value gives `A⁺_mk ≥ |A_mk|`, and with
//! `|T_m| ≤ 1`, `|T_m'| ≤ m²` every bound of the transform is a weighted sum of `A⁺`.

use crate::numeric::double_double::DoubleDouble;

/// Terms of the Hermite series; for `r ≤ 1.3` the rest is below 1e-30.
const TERMS: usize = 96;
/// Degrees beyond the order whose coefficients are summed one by one; the rest is bounded on a Bernstein ellipse.
const MARGIN: usize = 8;
/// Box numbers are rounded, so positions may leave `[−1, 1]` by 1e-6; this covers the growth of `T_m` and `T_m'` there.
const OVERHANG: f64 = 1.01;
/// Certificates are computed in floating point too; their relative error is far below this.
pub(super) const SLACK: f64 = 1.0 + 1e-9;
/// Error of the coefficients of a transfer against `A⁺`, in units of rounding: a term is the product of five numbers, each rounded once, by four products; they are added up in twice the precision, and the
/// sum is rounded. Hermite's numbers are off by a bit more, which is counted in `A⁺`.
const COEFFICIENT_ROUNDING: f64 = 12.0;
/// Roundings of products and of last digits on the way through a translation and an evaluation, where nothing is fused.
const PRODUCT_ROUNDING: f64 = 6.0;
/// Twice the precision: what sums, products, roots and quotients of pairs of doubles are off by, relatively, and exponentials.
const PAIR: f64 = 7.9e-31;
const PAIR_EXPONENTIAL: f64 = 8.1e-28;
/// Unit roundoff of `f64`.
pub(super) const UNIT: f64 = f64::EPSILON / 2.0;

/// Bounds for one axis and one offset, as factors of the source mass.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bounds {
    /// On the kernel and everything summed on the way to it.
    pub value: Bound,
    /// On its derivative with respect to the target, per unit of `x·√β`.
    pub slope: Bound,
}

/// A size, and how much of it truncation and rounding may have moved.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bound {
    /// Sum of the absolute values of all terms.
    pub size: f64,
    /// What was left out.
    pub truncation: f64,
    /// What rounding may have done.
    pub rounding: f64,
}

/// The coefficients `A_mk` for one offset between boxes, without those that do not matter.
#[derive(Debug, Clone)]
pub(super) struct Transfer {
    /// `A_mk`, row-major, `order²` of them.
    pub coefficients: Vec<f64>,
    /// For the row pair `(2i, 2i+1)`: how many leading coefficients matter.
    pub lengths: Vec<usize>,
    /// What the omission and the arithmetic cost.
    pub bounds: Bounds,
}

/// What a [`Transfer`] is built from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Geometry {
    /// Number of Chebyshev polynomials per axis.
    pub order: usize,
    /// Box width in units of `1/√β`.
    pub width: f64,
    /// Offset between the boxes, target minus source, in boxes.
    pub offset: i32,
    /// Terms whose contribution stays below this may be left out.
    pub negligible: f64,
    /// Number of offsets that are added up along an axis.
    pub offsets: usize,
}

impl Transfer {
    /// The transfers for `offset` and `−offset`: `A_mk(−D) = (−1)^{m+k} A_mk(D)`.
    pub fn pair(geometry: Geometry) -> [Self; 2] {
        let series = Series::new(geometry);
        let order = geometry.order;
        let lengths: Vec<usize> = (0..order / 2).map(|pair| series.length(pair, geometry)).collect();
        let bounds = series.bounds(geometry, &lengths);
        let ahead: Vec<f64> =
            (0..order * order).map(|i| series.signed[i / order * series.count + i % order]).collect();
        let sign = |i: usize| if (i / order + i % order).is_multiple_of(2) { 1.0 } else { -1.0 };
        let behind = ahead.iter().enumerate().map(|(i, a)| sign(i) * a).collect();
        let transfer = |coefficients| Self { coefficients, lengths: lengths.clone(), bounds };
        [transfer(ahead), transfer(behind)]
    }
}

/// `A_mk` and `A⁺_mk` for `m, k` below `count`.
struct Series {
    count: usize,
    signed: Vec<f64>,
    absolute: Vec<f64>,
}

impl Series {
    fn new(geometry: Geometry) -> Self {
        let count = geometry.order + MARGIN;
        let hermite = hermite_terms(geometry.distance(), geometry.radius());
        let inverse = inverse_factorials();
        let mut series = Self { count, signed: vec![0.0; count * count], absolute: vec![0.0; count * count] };
        for m in 0..count {
            for k in 0..=m {
                let doubled = if m == 0 { 1.0 } else { 2.0 } * if k == 0 { 1.0 } else { 2.0 };
                let (mut sum, mut size) = (DoubleDouble::new(0.0), 0.0);
                for n in (m + k..TERMS).step_by(2) {
                    let (j, l) = ((n - m - k) / 2, (n - m + k) / 2);
                    let ratio = (inverse[j] * inverse[n - j]) * (inverse[l] * inverse[n - l]);
                    let term = hermite[n].value * ratio;
                    sum = sum + DoubleDouble::new(term);
                    size += term.abs() + hermite[n].doubt * ratio / UNIT;
                }
                let sum = sum.get();
                let sign = |degree: usize| if degree.is_multiple_of(2) { doubled } else { -doubled };
                series.signed[m * count + k] = sign(m) * sum;
                series.signed[k * count + m] = sign(k) * sum;
                series.absolute[m * count + k] = doubled * size;
                series.absolute[k * count + m] = doubled * size;
            }
        }
        series
    }

    /// How many leading coefficients of rows `2·pair` and `2·pair + 1` exceed the negligible.
    fn length(&self, pair: usize, geometry: Geometry) -> usize {
        let matters = |&k: &usize| {
            (2 * pair..2 * pair + 2).any(|m| {
                self.absolute[m * self.count + k] * slope_weight(m, geometry.radius()).max(1.0)
                    > geometry.negligible
            })
        };
        (0..geometry.order).rev().find(matters).map_or(0, |k| k + 1)
    }

    fn bounds(&self, geometry: Geometry, lengths: &[usize]) -> Bounds {
        let mut bounds = geometry.remainder();
        let sums = (2 * geometry.order + geometry.offsets) as f64 + COEFFICIENT_ROUNDING + PRODUCT_ROUNDING;
        for m in 0..self.count {
            for k in 0..self.count {
                let size = OVERHANG * self.absolute[m * self.count + k];
                let slope = size * slope_weight(m, geometry.radius());
                let recurrences = target_rounding(m) + source_rounding(k);
                let kept = m < geometry.order && lengths[m / 2] > k;
                bounds.value.add(size, kept, UNIT * (sums + recurrences));
                bounds.slope.add(slope, kept, UNIT * (sums + recurrences));
            }
        }
        bounds.value.rounding += geometry.position_rounding(1);
        bounds.slope.rounding += geometry.position_rounding(2);
        bounds
    }
}

impl Bound {
    fn add(&mut self, size: f64, kept: bool, rounding: f64) {
        self.size += size;
        if kept {
            self.rounding += rounding * size;
        } else {
            self.truncation += size;
        }
    }
}

impl Geometry {
    fn radius(self) -> f64 {
        0.5 * self.width
    }

    fn distance(self) -> f64 {
        f64::from(self.offset) * self.width
    }

    /// Degrees and Hermite terms beyond those summed: on the ellipse with axes `(ρ ± 1/ρ)/2` the kernel stays below
    /// `exp((rρ/2)²/2)`, so degree `m` is below `2ρ^{−m}` times that, on either side.
    fn remainder(self) -> Bounds {
        let degree = (self.order + MARGIN) as f64;
        let stretch = 2.0 * degree.sqrt() / self.radius();
        let largest = (0.5 * degree - degree * stretch.ln()).exp();
        let geometric = 1.0 / (1.0 - 1.0 / stretch);
        let ellipse = 8.0 * largest * geometric.powi(3);
        let taylor = 2.0 * (2.0 * self.radius()).powi(TERMS as i32) * inverse_sqrt_factorial(TERMS);
        let bound = |factor: f64| {
            let left_out = factor * (ellipse + taylor);
            Bound { size: left_out, truncation: left_out, rounding: 0.0 }
        };
        Bounds { value: bound(1.0), slope: bound((degree * degree).max(TERMS as f64) / self.radius()) }
    }

    /// Positions are known to `8u` of a unit plus their distance; the kernel's first and second derivatives
    /// are at most `y e^{−y²/2}` and `(1 + y²) e^{−y²/2}`, with `y` between `D − 2r` and `D + 2r`.
    fn position_rounding(self, derivative: i32) -> f64 {
        let (far, near) = (self.distance() + self.width, (self.distance() - self.width).max(0.0));
        let growth = if derivative == 1 { far } else { 1.0 + far * far };
        8.0 * UNIT * (1.0 + far) * growth * (-0.5 * near * near).exp()
    }
}

/// `|d T_m/dX| ≤ m²/r` with `X = r x`.
fn slope_weight(degree: usize, radius: f64) -> f64 {
    (degree * degree) as f64 / radius
}

/// Error of `ω T_k` at a source (`chebyshev.rs`), in units of rounding, where nothing is fused. `T_2 = 2t² − 1` is off by 3, `T_3 = t(2T_2 − 1)` by 8, `T_4 = 2T_2² − 1` by 15, the product with `ω` adds one. From there on
/// `T_{k+4} = 2T_4 T_k − T_{k−4}`: with `j = k/4` steps, a wrong `T_4` is Chebyshev's recurrence at another place, which moves `T_j` by at most `15j²`; each step rounds by 3, which later ones make
/// `3(1 + 2 + … + j)`; and what the first four are off by, 9 and 16 at most, is multiplied by `j + 1` and `j`.
fn source_rounding(degree: usize) -> f64 {
    let j = degree.div_ceil(4) as f64;
    match degree {
        0 => 0.0,
        1 => 1.0,
        2 => 4.0,
        3 => 9.0,
        _ => 15.0 * j * j + 1.5 * j * (j + 1.0) + 9.0 * (j + 1.0) + 16.0 * j,
    }
}

/// Error of `T_m`, and of `T_m'/m²`, at a target (`series.rs`), in units of rounding, where nothing is fused: each step of `f_{k+1} = 2t f_k − f_{k−1}` rounds by `3|f|`, which later ones make `m − k` times as
/// much; `|T_k| ≤ 1`, and `T_m'/m = U_{m−1}` with `|U_k| ≤ k + 1`.
fn target_rounding(degree: usize) -> f64 {
    let m = degree as f64;
    1.5 * m * m + 1.0
}

/// A number, and how much of it is in doubt beside its own rounding.
#[derive(Debug, Clone, Copy, Default)]
struct Doubtful {
    value: f64,
    doubt: f64,
}

/// `He_n(D) e^{−D²/2} (r/2)ⁿ n!` for `n < TERMS`.
///
/// With `c_n = He_n e^{−D²/2}/√n!`, `c_{n+1} = (D c_n − √n c_{n−1})/√(n+1)`. What is wrong with two of them is passed on with at most these factors, however the signs are.
fn hermite_terms(distance: f64, radius: f64) -> [Doubtful; TERMS] {
    let mut terms = [Doubtful::default(); TERMS];
    let first = (DoubleDouble::product(distance, distance) * DoubleDouble::new(-0.5)).exp();
    let (mut previous, mut current) = (DoubleDouble::new(0.0), first);
    let (mut doubt_before, mut doubt) = (0.0, PAIR_EXPONENTIAL * first.get());
    let mut scale = DoubleDouble::new(1.0);
    for (n, term) in terms.iter_mut().enumerate() {
        let value = (current * scale).get();
        // The scale itself is a product of `3n` numbers.
        *term = Doubtful { value, doubt: doubt * scale.get() + 4.0 * n as f64 * PAIR * value.abs() };
        let (next, root) = (n as f64 + 1.0, DoubleDouble::root(n as f64 + 1.0));
        let ahead = current * DoubleDouble::new(distance);
        let back = if n == 0 { DoubleDouble::new(0.0) } else { previous * DoubleDouble::root(n as f64) };
        // Dividing by a root is multiplying with it and dividing by its square.
        let following = ((ahead - back) * root).over(next);
        let rounded = 8.0 * PAIR * (ahead.get().abs() + back.get().abs()) / next.sqrt();
        let passed_on = (distance.abs() * doubt + (n as f64).sqrt() * doubt_before) / next.sqrt();
        (doubt_before, doubt) = (doubt, (passed_on + rounded) * SLACK);
        (previous, current) = (current, following);
        scale = scale * DoubleDouble::new(0.5 * radius) * DoubleDouble::new(next) * root;
    }
    terms
}

/// `1/n!`, rounded once.
fn inverse_factorials() -> [f64; TERMS] {
    let mut inverse = DoubleDouble::new(1.0);
    std::array::from_fn(|n| {
        if n > 0 {
            inverse = inverse.over(n as f64);
        }
        inverse.get()
    })
}

fn inverse_sqrt_factorial(n: usize) -> f64 {
    (1..=n).map(|k| (k as f64).sqrt().recip()).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `A_mk` for width, offset, m, k: the Chebyshev coefficients as 64×64-point cosine sums in 50 digits (mpmath).
    const REFERENCE: [(f64, i32, usize, usize, f64); 8] = [
        (1.25, 0, 0, 0, 0.840_870_140_624_193_8),
        (1.25, 0, 3, 5, -0.000_037_047_258_509_769_84),
        (1.25, 2, 1, 0, -0.096_483_203_914_461_45),
        (1.25, 3, 7, 4, -5.844_135_326_447_465e-9),
        (0.75, 5, 15, 0, 2.040_253_424_174_913_3e-19),
        (0.75, 1, 2, 15, 1.959_829_715_369_137_4e-19),
        (2.0, 4, 19, 19, 4.348_679_396_433_78e-31),
        (0.75, 12, 0, 1, 1.531_144_229_998_319e-16),
    ];

    fn geometry(width: f64, offset: i32) -> Geometry {
        Geometry { order: 20, width, offset, negligible: 0.0, offsets: 25 }
    }

    #[test]
    fn coefficients_agree_with_fifty_digits() {
        for (width, offset, m, k, exact) in REFERENCE {
            let [ahead, behind] = Transfer::pair(geometry(width, offset));
            let error = (ahead.coefficients[m * 20 + k] / exact - 1.0).abs();
            assert!(error <= COEFFICIENT_ROUNDING * UNIT, "{width} {offset} {m} {k}: {error:e}");
            let sign = if (m + k) % 2 == 0 { 1.0 } else { -1.0 };
            assert_eq!(behind.coefficients[m * 20 + k], sign * ahead.coefficients[m * 20 + k]);
        }
    }

    /// Evaluates the kept part of a transfer and its slope in units of `1/√β`, at `(x, s)`.
    fn kept(transfer: &Transfer, order: usize, width: f64, x: f64, s: f64) -> (f64, f64) {
        let (a, b) = (x.acos(), s.acos());
        let (mut value, mut slope) = (0.0, 0.0);
        for m in 0..order {
            for k in 0..transfer.lengths[m / 2] {
                let (degree, source) = (m as f64, (k as f64 * b).cos());
                value += transfer.coefficients[m * order + k] * (degree * a).cos() * source;
                let derivative = degree * (degree * a).sin() / a.sin();
                slope += transfer.coefficients[m * order + k] * derivative * source * 2.0 / width;
            }
        }
        (value, slope)
    }

    #[test]
    fn what_is_left_out_stays_below_its_bound_and_comes_close() {
        let mut closest = f64::INFINITY;
        for (width, offset, negligible) in
            [(1.25, 0, 1e-9), (1.25, 2, 1e-9), (0.75, 5, 1e-12), (1.7, 1, 1e-7)]
        {
            let order = 12;
            let geometry = Geometry { order, width, offset, negligible, offsets: 25 };
            let [transfer, _] = Transfer::pair(geometry);
            let Bounds { value, slope } = transfer.bounds;
            let (mut worst_value, mut worst_slope) = (0.0_f64, 0.0_f64);
            for i in 1..100 {
                for j in 0..=100 {
                    let (x, s) = (f64::from(i) / 50.0 - 1.0, f64::from(j) / 50.0 - 1.0);
                    let y = f64::from(offset) * width + 0.5 * width * (x - s);
                    let exact = (-0.5 * y * y).exp();
                    let (near, steep) = kept(&transfer, order, width, x, s);
                    worst_value = worst_value.max((near - exact).abs());
                    worst_slope = worst_slope.max((steep + y * exact).abs());
                }
            }
            assert!(
                worst_value <= value.truncation + value.rounding,
                "{width} {offset}: {worst_value:e} {value:?}"
            );
            assert!(
                worst_slope <= slope.truncation + slope.rounding,
                "{width} {offset}: {worst_slope:e} {slope:?}"
            );
            closest = closest.min(value.truncation / worst_value);
        }
        assert!(closest < 20.0, "the bound exceeds the error {closest} times");
    }
}
