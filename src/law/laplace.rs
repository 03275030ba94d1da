//! The Laplace law on the line, with Gaussian noise folded in: `X = m + bL + sZ`, `L` of density `e^{−|x|}/2`.
//!
//! # Formula
//! With `ζ = |x − m|/s`, `p = s/b`, `φ` the normal density and `R_n` the tail ratios of [`tail`], the density is
//! `φ(ζ)(R_0(p − ζ) + R_0(p + ζ))/2b`, and for noise alone (`s² = τ`) the posterior mean is
//! ```text
//! E[X | y] = m ± s (R_1(p − ζ) − R_1(p + ζ)) / (R_0(p − ζ) + R_0(p + ζ)).
//! ```
//! The smoothed density solves `f − b²f'' = N(m, s²)`, which gives the distribution function and its integral without
//! further special functions.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand_distr::{Distribution, Exp1};

use super::generator::{Generator, normal};
use super::line::{LineLaw, LocationScale, Shape, Symmetric, Tail};
use super::{Kind, Law};
use crate::error::{Error, Result};
use crate::numeric::quadrature::TWELVE;
use crate::numeric::tail;

/// Beyond this ratio `s/b` the Laplace part changes nothing any more; the cap keeps products finite.
const LARGEST_RATIO: f64 = 1e100;
/// Share of `1 + p` below which `ζ` is small: `R_1(p − ζ) − R_1(p + ζ)` would cancel, but a panel resolves it.
const SMALL_OFFSET: f64 = 0.25;

/// The Laplace law of mean `m` and scale `b` (variance `2b²`), convolved with `N(0, s²)`.
///
/// ```
/// use ebflow::law::Laplace;
/// assert_eq!(Laplace::new(0.0, 1.0)?.parameters().scale, 1.0);
/// assert!(Laplace::new(0.0, -1.0).is_err());
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Laplace {
    at: LocationScale,
}

/// The two exponential branches of the smoothed density, `f = scale · (near + far)/2b`.
struct Branches {
    scale: f64,
    log_scale: f64,
    near: f64,
    far: f64,
    /// `ζ` and `p`.
    offset: f64,
    ratio: f64,
}

impl Laplace {
    /// The law of density `exp(−|x − mean|/scale)/(2 scale)`.
    pub fn new(mean: f64, scale: f64) -> Result<Self> {
        let invalid = |problem| Err(Error::InvalidLaw { kind: "laplace", problem });
        if !mean.is_finite() {
            return invalid(format!("the mean is {mean}; it must be finite"));
        }
        if !(scale > 0.0 && (scale * scale).is_normal()) {
            return invalid(format!(
                "the scale is {scale}; it must be positive, and its square must not overflow or vanish"
            ));
        }
        Ok(Self { at: LocationScale { mean, scale, smoothing: 0.0 } })
    }

    /// `m`, `b` and `s²`; `b` is the mean of `|X − m|` without noise.
    pub fn parameters(&self) -> LocationScale {
        self.at
    }

    fn plus(&self, noise: f64) -> Self {
        Self { at: self.at.plus(noise) }
    }

    /// The branches at distance `z ≥ 0` from the mean, for `s > 0`.
    fn branches(&self, z: f64) -> Branches {
        let s = self.at.smoothing.sqrt();
        let (offset, ratio) = (z / s, (s / self.at.scale).min(LARGEST_RATIO));
        let (inner, outer) = (ratio - offset, ratio + offset);
        if inner >= 0.0 {
            let (scale, log_scale) = (tail::density(offset), tail::log_density(offset));
            return Branches {
                scale,
                log_scale,
                near: tail::mills(inner),
                far: tail::mills(outer),
                offset,
                ratio,
            };
        }
        // In units of φ(ζ)/φ(p − ζ) = exp(p²/2 − z/b), where the near branch is a probability.
        let log_scale = -(z / self.at.scale) * (1.0 - 0.5 * (ratio / offset));
        let far = tail::density(inner) * tail::mills(outer);
        Branches { scale: log_scale.exp(), log_scale, near: tail::upper(inner), far, offset, ratio }
    }

    /// `E[bL | y − m = z]` for `z ≥ 0` and total noise `s²`.
    fn shrunk(&self, z: f64) -> f64 {
        let branches = self.branches(z);
        self.at.smoothing.sqrt() * (branches.moment_difference() / (branches.near + branches.far))
    }
}

impl Branches {
    /// The near branch's first moment minus the far one's, in the units of the branches.
    fn moment_difference(&self) -> f64 {
        let (inner, outer) = (self.ratio - self.offset, self.ratio + self.offset);
        let unit = if inner >= 0.0 { 1.0 } else { tail::density(inner) };
        if self.offset <= SMALL_OFFSET * (1.0 + self.ratio) {
            return unit * drop_of_first(self.ratio, self.offset);
        }
        let near = if inner >= 0.0 { tail::mills_first(inner) } else { tail::upper_mean(inner) };
        near - unit * tail::mills_first(outer)
    }
}

/// `R_1(p − ζ) − R_1(p + ζ) = ∫ 2R_2` over the interval between them, for small `ζ`.
fn drop_of_first(ratio: f64, offset: f64) -> f64 {
    TWELVE.about(ratio, offset, |t| {
        2.0 * if t >= 0.0 { tail::mills_second(t) } else { tail::upper_square(t) / tail::density(t) }
    })
}

impl Kind for Laplace {
    fn name(&self) -> &'static str {
        "laplace"
    }

    fn dimension(&self) -> usize {
        1
    }

    fn mean_vector(&self) -> DVector<f64> {
        DVector::from_element(1, self.at.mean)
    }

    fn covariance_matrix(&self) -> DMatrix<f64> {
        DMatrix::from_element(1, 1, 2.0 * self.at.scale * self.at.scale + self.at.smoothing)
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let size: f64 = Exp1.sample(generator);
        let signed = if generator.random() { size } else { -size };
        out[0] = self.at.mean + self.at.scale * signed + normal(self.at.smoothing, generator);
    }

    fn noisy(&self, noise: f64) -> Law {
        Law::Laplace(self.plus(noise))
    }

    fn projection(&self, direction: &[f64]) -> Option<LineLaw> {
        let at = self.at.times(direction[0]);
        Some(LineLaw::of_shape(at.scale, at.mean, Shape::Laplace(Self { at })))
    }

    fn log_density(&self, x: &[f64]) -> Option<f64> {
        let z = (x[0] - self.at.mean).abs();
        let log_unit = -(2.0 * self.at.scale).ln();
        if self.at.smoothing == 0.0 {
            return Some(log_unit - z / self.at.scale);
        }
        let branches = self.branches(z);
        Some(log_unit + branches.log_scale + (branches.near + branches.far).ln())
    }

    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]) {
        let z = y[0] - self.at.mean;
        // Given the Laplace part, the smoothing and the new noise share what is left in proportion to their variances.
        let share = self.at.smoothing / (self.at.smoothing + noise);
        let part = self.plus(noise).shrunk(z.abs()).copysign(z);
        out[0] = self.at.mean + (part + share * (z - part));
    }
}

impl Symmetric for Laplace {
    fn centre(&self) -> f64 {
        self.at.mean
    }

    fn tail(&self, x: f64) -> Tail {
        let z = (x - self.at.mean).abs();
        if self.at.smoothing == 0.0 {
            let mass = 0.5 * (-z / self.at.scale).exp();
            return Tail { density: mass / self.at.scale, mass, mean: self.at.scale * mass };
        }
        let (s, branches) = (self.at.smoothing.sqrt(), self.branches(z));
        let Branches { scale, near, far, offset, .. } = branches;
        let density = 0.5 * scale * (near + far) / self.at.scale;
        Tail {
            density,
            mass: tail::upper(offset) + 0.5 * scale * (near - far),
            mean: s * tail::upper_mean(offset) + self.at.scale * (self.at.scale * density),
        }
    }

    fn resolution(&self) -> f64 {
        if self.at.smoothing == 0.0 { self.at.scale } else { self.at.smoothing.sqrt() }
    }

    fn spread(&self) -> f64 {
        self.at.spread()
    }
}
