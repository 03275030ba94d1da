//! `H^s` norms of smooth functions on the line that vanish at its ends.
//!
//! # Formula
//! ```text
//! f̂(k) = ∫ f e^{−ikx} dx,      ‖f‖²_{H^s} = (1/2π) ∫ (1 + k²)^s |f̂(k)|² dk,      over |k| ≤ k_max
//! ```
//! Both integrals are trapezoid sums; functions here are analytic in a strip, so that the first is exact up to rounding. Rounding of the values is white noise, which the weight enlarges;
//! the error bar counts it beside the difference of two grids.

use crate::measured::Measured;

/// Points on the line: of the answer, and of what judges it.
const POINTS: [usize; 2] = [1201, 1091];
/// Distance of wavenumbers.
const SPACING: f64 = 0.05;

/// A Fourier transform at equidistant wavenumbers from zero on.
#[derive(Debug, Clone)]
pub(super) struct Spectrum {
    /// `|f̂|²`.
    power: Vec<f64>,
}

impl Spectrum {
    /// Of a function on `[−reach, reach]`, by a sum over so many points.
    fn of(f: &dyn Fn(f64) -> f64, reach: f64, highest: f64, points: usize) -> Self {
        let step = 2.0 * reach / (points - 1) as f64;
        let values: Vec<[f64; 2]> =
            (0..points).map(|i| -reach + step * i as f64).map(|x| [x, step * f(x)]).collect();
        let count = (highest / SPACING).round() as usize;
        let power = |j: usize| {
            let k = SPACING * j as f64;
            let [mut real, mut imaginary] = [0.0; 2];
            for [x, value] in &values {
                let (sin, cos) = (k * x).sin_cos();
                real += value * cos;
                imaginary += value * sin;
            }
            real * real + imaginary * imaginary
        };
        Self { power: (0..=count).map(power).collect() }
    }

    /// The norm over a band of wavenumbers.
    fn norm(&self, order: f64, band: [f64; 2]) -> f64 {
        let [from, to] = band.map(|k| (k / SPACING).round() as usize);
        let term = |j: usize| {
            let (k, end) = (SPACING * j as f64, j == from || j == to);
            (1.0 + k * k).powf(order) * self.power[j] * if end { 0.5 } else { 1.0 }
        };
        ((from..=to).map(term).sum::<f64>() * SPACING / std::f64::consts::PI).sqrt()
    }
}

/// Where functions live, and which norm: an order, and a band of wavenumbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Norm {
    pub reach: f64,
    pub order: f64,
    pub band: [f64; 2],
}

impl Norm {
    /// Of a function whose values are rounded by so much.
    pub fn of(&self, f: &dyn Fn(f64) -> f64, rounding: f64) -> Measured {
        let [fine, coarse] = POINTS.map(|points| Spectrum::of(f, self.reach, self.band[1], points));
        let [value, other] = [&fine, &coarse].map(|spectrum| spectrum.norm(self.order, self.band));
        // What lies beyond the band, judged by its last tenth: spectra here fall at least geometrically.
        let last = fine.norm(self.order, [0.9 * self.band[1], self.band[1]]);
        let beyond = if value > 0.0 { last * last / value } else { 0.0 };
        Measured::of_two(value, other).widened(beyond + self.noise(rounding))
    }

    /// The norm of white noise of such a size on the finer grid.
    fn noise(&self, rounding: f64) -> f64 {
        let step = 2.0 * self.reach / (POINTS[0] - 1) as f64;
        let flat = Spectrum { power: vec![1.0; (self.band[1] / SPACING).round() as usize + 1] };
        rounding * (2.0 * self.reach * step).sqrt() * flat.norm(self.order, self.band)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `‖γ_v‖²_{H^5} = (1/2π)∫(1 + k²)^5 e^{−vk²}dk`, SciPy 1.17.1 `quad`, `v = 0.5`.
    const GAUSSIAN: f64 = 25.70308184527242;

    #[test]
    fn the_norm_of_a_gaussian() {
        let density = |x: f64| (-x * x).exp() / std::f64::consts::PI.sqrt();
        let found = Norm { reach: 7.0, order: 5.0, band: [0.0, 14.0] }.of(&density, f64::EPSILON);
        assert!((found.value / GAUSSIAN - 1.0).abs() < 1e-9, "{found:?}");
    }
}
