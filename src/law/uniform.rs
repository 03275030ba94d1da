//! The uniform law on an interval, with Gaussian noise folded in: `X = U + sZ`, `U` uniform on `[low, high]`.
//!
//! # Formula
//! The posterior of `U` given `y` is `N(y, s²)` seen through the window `[low, high]`, so its mass is the density of `y` (times
//! the width) and its mean is the posterior mean. Far out the mean is taken from the near end of the window, near the
//! centre from the centre, so that it is accurate relative to its distance from either.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;

use super::generator::{Generator, normal};
use super::line::{LineLaw, Shape, Slice, Symmetric, Tail, slice};
use super::window::Window;
use super::{Kind, Law};
use crate::error::{Error, Result};
use crate::numeric::quadrature::TWELVE;
use crate::numeric::tail;

/// Below this, `|y − centre| · half-width / s²`, the posterior is nearly symmetric and is measured from the centre.
const GENTLE_TILT: f64 = 1.0;
/// Standard deviations beyond which a smoothed corner is the corner itself.
const SHARP: f64 = 40.0;
/// Half-width, in noise standard deviations, up to which one panel resolves the window.
const NARROW: f64 = 1.0;

/// The uniform law on `[low, high]`, convolved with `N(0, s²)`.
///
/// ```
/// use ebflow::law::Uniform;
/// assert_eq!(Uniform::new(-1.0, 3.0)?.high(), 3.0);
/// assert!(Uniform::new(1.0, 1.0).is_err());
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uniform {
    low: f64,
    high: f64,
    smoothing: f64,
}

impl Uniform {
    /// The uniform law on `[low, high]`.
    pub fn new(low: f64, high: f64) -> Result<Self> {
        let width = high - low;
        if !(width > 0.0 && (width * width).is_normal()) {
            let problem = format!(
                "the interval is [{low}, {high}]; low must be below high, and the square of their distance must not overflow or vanish"
            );
            return Err(Error::InvalidLaw { kind: "uniform", problem });
        }
        Ok(Self { low, high, smoothing: 0.0 })
    }

    /// The left end.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The right end.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// The variance `s²` of the noise folded in, zero for the plain law.
    pub fn smoothing(&self) -> f64 {
        self.smoothing
    }

    fn plus(&self, noise: f64) -> Self {
        Self { smoothing: self.smoothing + noise, ..*self }
    }

    fn centre(&self) -> f64 {
        0.5 * self.low + 0.5 * self.high
    }

    fn width(&self) -> f64 {
        self.high - self.low
    }

    /// `N(y, s²)` seen through the interval, from the end nearer to `y`.
    fn window(&self, y: f64) -> Window {
        let s = self.smoothing.sqrt();
        let start = if y >= self.centre() { y - self.high } else { self.low - y };
        Window::new(start / s, self.width() / s)
    }

    /// `E[U | y]` for total noise `s²`.
    fn located(&self, y: f64) -> f64 {
        let s = self.smoothing.sqrt();
        let (half, offset) = (0.5 * self.width() / s, (y - self.centre()) / s);
        if offset.abs() * half <= GENTLE_TILT {
            let mean = if half <= NARROW { tilted_mean(offset, half) } else { wide_mean(offset.abs(), half) };
            return self.centre() + s * mean.copysign(offset);
        }
        let distance = s * self.window(y).mean();
        if offset > 0.0 { self.high - distance } else { self.low + distance }
    }
}

/// `∫ v e^{cv − v²/2} / ∫ e^{cv − v²/2}` over `[−h, h]`, by its odd and even parts.
fn tilted_mean(offset: f64, half: f64) -> f64 {
    let over = |part: fn(f64, f64) -> f64| {
        TWELVE.about(0.5 * half, 0.5 * half, |v| part(offset, v) * (-0.5 * v * v).exp())
    };
    over(|c, v| v * (c * v).sinh()) / over(|c, v| (c * v).cosh())
}

/// The same for a wide window: `c − (φ(h − c) − φ(h + c))/mass`, with the difference written so that it does not cancel.
fn wide_mean(offset: f64, half: f64) -> f64 {
    let mass = 1.0 - tail::upper(half - offset) - tail::upper(half + offset);
    offset - tail::density(half + offset) * (2.0 * half * offset).exp_m1() / mass
}

impl Kind for Uniform {
    fn name(&self) -> &'static str {
        "uniform"
    }

    fn dimension(&self) -> usize {
        1
    }

    fn mean_vector(&self) -> DVector<f64> {
        DVector::from_element(1, self.centre())
    }

    fn covariance_matrix(&self) -> DMatrix<f64> {
        DMatrix::from_element(1, 1, self.width() * self.width() / 12.0 + self.smoothing)
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let level: f64 = generator.random();
        out[0] = self.low + self.width() * level + normal(self.smoothing, generator);
    }

    fn noisy(&self, noise: f64) -> Law {
        Law::Uniform(self.plus(noise))
    }

    fn projection(&self, direction: &[f64]) -> Option<LineLaw> {
        let factor = direction[0];
        let (one, other) = (factor * self.low, factor * self.high);
        let shape =
            Self { low: one.min(other), high: one.max(other), smoothing: factor * factor * self.smoothing };
        Some(LineLaw::of_shape(shape.width(), Self::centre(&shape), Shape::Uniform(shape)))
    }

    fn log_density(&self, x: &[f64]) -> Option<f64> {
        let log_unit = -self.width().ln();
        if self.smoothing == 0.0 {
            let inside = (self.low..=self.high).contains(&x[0]);
            return Some(if inside { log_unit } else { f64::NEG_INFINITY });
        }
        let window = self.window(x[0]);
        Some(log_unit + window.log_scale + window.mass.ln())
    }

    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]) {
        // Given the uniform part, the smoothing and the new noise share what is left in proportion to their variances.
        let share = self.smoothing / (self.smoothing + noise);
        let part = self.plus(noise).located(y[0]);
        out[0] = part + share * (y[0] - part);
    }
}

/// `E(y + sZ)₊`.
fn ramp(y: f64, s: f64) -> f64 {
    if y > SHARP * s { y } else { s * tail::upper_mean(-y / s) }
}

/// `½E(y + sZ)₊²`.
fn bowl(y: f64, s: f64) -> f64 {
    if y > SHARP * s { 0.5 * (y * y + s * s) } else { s * s * tail::upper_square(-y / s) }
}

impl Uniform {
    /// The tail without noise: `near` is the distance to the end, negative beyond it.
    fn sharp_tail(&self, near: f64) -> Tail {
        let share = near.max(0.0) / self.width();
        let density = if near >= 0.0 { 1.0 / self.width() } else { 0.0 };
        Tail { density, mass: share, mean: 0.5 * near * share }
    }

    /// The tail as an average of normal tails, where their difference would cancel.
    fn averaged_tail(&self, middle: f64, half: f64, s: f64) -> Tail {
        let average = |f: fn(f64) -> f64| TWELVE.about(middle, half, f) / (2.0 * half);
        Tail {
            density: average(tail::density) / s,
            mass: average(tail::upper),
            mean: s * average(tail::upper_mean),
        }
    }
}

impl Symmetric for Uniform {
    fn centre(&self) -> f64 {
        Self::centre(self)
    }

    fn tail(&self, x: f64) -> Tail {
        let (near, far) = if x >= Self::centre(self) {
            (self.high - x, self.low - x)
        } else {
            (x - self.low, x - self.high)
        };
        if self.smoothing == 0.0 {
            return self.sharp_tail(near);
        }
        let (s, width) = (self.smoothing.sqrt(), self.width());
        let (middle, half) = (-0.5 * (near / s + far / s), 0.5 * width / s);
        if half <= NARROW && middle * half <= GENTLE_TILT {
            return self.averaged_tail(middle, half, s);
        }
        Tail {
            density: (tail::upper(-near / s) - tail::upper(-far / s)) / width,
            mass: (ramp(near, s) - ramp(far, s)) / width,
            mean: (bowl(near, s) - bowl(far, s)) / width,
        }
    }

    fn resolution(&self) -> f64 {
        self.smoothing.sqrt()
    }

    fn spread(&self) -> f64 {
        self.width() + self.smoothing.sqrt()
    }

    fn slice(&self, a: f64, b: f64) -> Slice {
        if self.smoothing > 0.0 {
            return slice(self, a, b);
        }
        let (from, to) = (a.max(self.low), b.min(self.high));
        let mass = (to - from).max(0.0) / self.width();
        let middle = 0.5 * from + 0.5 * to;
        Slice { mass, from_left: mass * (middle - a), from_right: mass * (b - middle) }
    }
}
