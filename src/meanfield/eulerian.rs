//! A second discretisation that shares nothing with the first: the density on a fixed grid, no particles.
//!
//! # Formula
//! The continuity equation in raw time on a grid of spacing `h`,
//! ```text
//! ∂_t f = −∂_x (f v),    v = G_β*(x f)/(G_β*f) − x,
//! ```
//! with the convolutions by the trapezoid rule on the grid itself and `∂_x` exact for functions band-limited to the grid,
//! `(∂_x g)_i = Σ_{j≠i} (−1)^{i−j} g_j / ((i−j)h)`; classical Runge–Kutta in time. It agrees with the flow of quadrature nodes only
//! if both solve the same equation.
//!
//! # Paper
//! `eq:nc-noncompact-continuity-equation`

use crate::error::{Error, Result};
use crate::law::LineLaw;
use crate::scale::{Beta, RawTime};

/// Beyond this many kernel widths the kernel is below rounding.
const KERNEL_REACH: f64 = 9.0;
/// The velocity is not wanted where `G_β*f` has sunk to this share of its maximum: there `f` itself is rounding.
const LOW_MASS: f64 = 1e-14;

/// A density on a fixed grid.
///
/// ```
/// use ebflow::law::Law;
/// use ebflow::meanfield::Eulerian;
/// use ebflow::{Beta, RawTime};
/// let noisy = Law::parse("{ kind = 'gaussian', mean = 0, std = 1.5 }")?.on_line()?;
/// let mut density = Eulerian::new(&noisy, Beta::new(4.0)?, 12.0, 0.1)?;
/// let before = density.moment(2);
/// density.advance(RawTime::new(0.5)?, 50)?;
/// assert!((density.moment(0) - 1.0).abs() < 1e-12 && density.moment(2) < before);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Eulerian {
    points: Vec<f64>,
    density: Vec<f64>,
    spacing: f64,
    /// `e^{−β(kh)²/2}` for `k = 0, 1, …`.
    kernel: Vec<f64>,
    /// The share of its maximum below which `G_β*f` gives no velocity.
    low_mass: f64,
}

impl Eulerian {
    /// The density of a law on the grid `−reach, −reach + spacing, …, reach`, outside of which it must be negligible.
    pub fn new(law: &LineLaw, beta: Beta, reach: f64, spacing: f64) -> Result<Self> {
        let positive = |name, value: f64| {
            let valid = value > 0.0 && value.is_finite();
            let requirement = "a positive finite number";
            if valid { Ok(()) } else { Err(Error::InvalidParameter { name, value, requirement }) }
        };
        positive("reach of the grid", reach)?;
        positive("spacing of the grid", spacing)?;
        let half = (reach / spacing).ceil() as i64;
        let points: Vec<f64> = (-half..=half).map(|k| k as f64 * spacing).collect();
        let density = points.iter().map(|&x| law.split(x).density).collect();
        let band = (KERNEL_REACH / (beta.get().sqrt() * spacing)).ceil() as usize;
        let weight = |k: usize| (-0.5 * beta.get() * (k as f64 * spacing).powi(2)).exp();
        Ok(Self { points, density, spacing, kernel: (0..=band).map(weight).collect(), low_mass: LOW_MASS })
    }

    /// Takes no velocity where `G_β*f` has sunk to this share of its maximum, by default 1e-14. The law draws together, and rounding stays behind where it was: on
    /// long ways it is rounding that moves there, and a larger share is needed.
    pub fn with_low_mass(self, share: f64) -> Self {
        Self { low_mass: share, ..self }
    }

    /// The grid.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Values of `f_t` at the nodes of the grid.
    pub fn density(&self) -> &[f64] {
        &self.density
    }

    /// `∫ x^power f dx`.
    pub fn moment(&self, power: i32) -> f64 {
        self.integral(|x| x.powi(power))
    }

    /// `∫ g f dx`.
    pub fn integral(&self, g: impl Fn(f64) -> f64) -> f64 {
        let pairs = self.points.iter().zip(&self.density);
        self.spacing * pairs.map(|(&x, f)| g(x) * f).sum::<f64>()
    }

    /// Follows the continuity equation for some raw time, in equal steps.
    pub fn advance(&mut self, by: RawTime, steps: usize) -> Result<()> {
        let step = by.get() / steps as f64;
        for taken in 0..steps {
            let shifted = |slope: &[f64], share: f64| -> Vec<f64> {
                self.density.iter().zip(slope).map(|(f, s)| f + share * step * s).collect()
            };
            let first = self.slope(&self.density);
            let second = self.slope(&shifted(&first, 0.5));
            let third = self.slope(&shifted(&second, 0.5));
            let fourth = self.slope(&shifted(&third, 1.0));
            for (i, f) in self.density.iter_mut().enumerate() {
                *f += step / 6.0 * (first[i] + 2.0 * (second[i] + third[i]) + fourth[i]);
            }
            if self.density.iter().any(|f| !f.is_finite()) {
                return Err(Error::Integration {
                    what: "the density on a grid",
                    raw_time: step * taken as f64,
                    problem: "it is no longer finite; take shorter steps or a finer grid".into(),
                });
            }
        }
        Ok(())
    }

    /// `−∂_x (f v)`.
    fn slope(&self, density: &[f64]) -> Vec<f64> {
        let flux = self.flux(density);
        let count = flux.len();
        let inverse: Vec<f64> = (0..count)
            .map(|k| if k == 0 { 0.0 } else { (1.0 - 2.0 * (k % 2) as f64) / (k as f64 * self.spacing) })
            .collect();
        let derivative = |i: usize| {
            let left: f64 = (0..i).map(|j| inverse[i - j] * flux[j]).sum();
            let right: f64 = (i + 1..count).map(|j| inverse[j - i] * flux[j]).sum();
            right - left
        };
        (0..count).map(derivative).collect()
    }

    /// `f v` on the grid.
    fn flux(&self, density: &[f64]) -> Vec<f64> {
        let mut mass = vec![0.0; density.len()];
        let mut moment = vec![0.0; density.len()];
        for i in 0..density.len() {
            let near = i.saturating_sub(self.kernel.len() - 1)..(i + self.kernel.len()).min(density.len());
            for j in near {
                let weight = self.kernel[i.abs_diff(j)] * density[j];
                mass[i] += weight;
                moment[i] += weight * (self.points[j] - self.points[i]);
            }
        }
        let low_mass = self.low_mass * mass.iter().copied().fold(0.0, f64::max);
        let each = density.iter().zip(mass).zip(moment);
        each.map(|((f, mass), moment)| f * moment / (mass.max(0.0) + low_mass)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::CovarianceFlow;
    use crate::law::Law;
    use nalgebra::{DMatrix, DVector};

    /// Runge–Kutta at 80 steps per unit of raw time.
    const ACCURACY: f64 = 1e-9;

    #[test]
    fn a_gaussian_stays_gaussian() {
        let (beta, time) = (Beta::new(10.0).unwrap(), RawTime::new(2.0).unwrap());
        let noisy = Law::parse("{ kind = 'gaussian', mean = 0.25, std = 1.2 }").unwrap();
        let mut grid = Eulerian::new(&noisy.on_line().unwrap(), beta, 9.0, 0.1).unwrap();
        grid.advance(time, 160).unwrap();
        let mean = DVector::from_element(1, 0.25);
        let flow = CovarianceFlow::of_noisy(mean, DMatrix::from_element(1, 1, 1.44), beta).unwrap();
        let variance = flow.eigenvalues_at(time)[0];
        for (x, f) in grid.points().iter().zip(grid.density()) {
            let exact =
                (-0.5 * (x - 0.25_f64).powi(2) / variance).exp() / (std::f64::consts::TAU * variance).sqrt();
            assert!((f - exact).abs() < ACCURACY, "f({x}) = {f}, not {exact}");
        }
    }
}
