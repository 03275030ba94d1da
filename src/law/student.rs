//! Student's t on the line, with Gaussian noise folded in: `X = m + bT + sZ`, `T` of `ν` degrees of freedom.
//!
//! # Formula
//! `T` is a normal law whose precision is random: given `λ ~ Gamma(ν/2, ν/2)`, `X ~ N(m, v(λ))` with `v = b²/λ + s²`. With `u = ln λ`, every
//! expectation is one integral over the whole line of an analytic function that falls off exponentially,
//! ```text
//! E g = ∫ E[g(X) | v(e^u)] e^{(ν/2)(u − e^u)} du / ∫ e^{(ν/2)(u − e^u)} du,
//! E[X | y] = m + (y − m) E[(v − τ)/v · N(y; m, v)] / E N(y; m, v)
//! ```
//! so that the trapezoid rule gives it to all digits, as a sum of positive terms: densities, tails and posterior means are accurate relative to
//! themselves however far out. A spacing `h` leaves `e^{−π²/h}` for small `ν` and `e^{−4π²/(h²ν)}` for large ones.

use nalgebra::{DMatrix, DVector};
use rand_distr::{Distribution, StudentT};

use super::generator::{Generator, normal};
use super::line::{LineLaw, LocationScale, Normal, Shape, Symmetric, Tail};
use super::{Kind, Law};
use crate::error::{Error, Result};

/// With this many degrees of freedom or fewer there is no variance.
const NO_VARIANCE: f64 = 2.0;
/// With more it is a normal law for every purpose.
const NORMAL: f64 = 1e6;
/// The spacing of nodes in `u`, and as a share of the standard deviation of `u`.
const SPACING: f64 = 0.25;
const SPACING_SHARE: f64 = 0.6;
/// Logarithms this far below the largest one add nothing.
const NEGLIGIBLE: f64 = 40.0;
/// Terms below this share of a sum add nothing to it.
const NEGLIGIBLE_SHARE: f64 = 1e-18;
/// Precisions below `e^{−700}` leave the doubles.
const SMALLEST_LOG: f64 = -700.0;

/// Student's law of `ν` degrees of freedom, centre `m` and scale `b`, convolved with `N(0, s²)`.
///
/// ```
/// use ebflow::law::Student;
/// assert_eq!(Student::new(5.0, 0.0, 1.0)?.degrees_of_freedom(), 5.0);
/// assert!(Student::new(2.0, 0.0, 1.0).is_err());           // no variance
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Student {
    freedom: f64,
    at: LocationScale,
    /// `ln Σ_k e^{(ν/2)(u_k − e^{u_k} + 1)}`.
    log_norm: f64,
}

/// A normal law among those that are mixed.
#[derive(Debug, Clone, Copy)]
struct Node {
    u: f64,
    log_weight: f64,
    variance: f64,
}

/// Terms `ln w_k N(distance; 0, v_k)` with their `v_k`, and the largest of them.
struct Terms {
    largest: f64,
    each: Vec<(f64, f64)>,
}

impl Terms {
    /// `Σ g(v_k) e^{term}` in units of the largest term.
    fn sum(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.each.iter().map(|(variance, log)| of(*variance) * (log - self.largest).exp()).sum()
    }
}

impl Student {
    /// The law of `mean + scale·T`.
    pub fn new(freedom: f64, mean: f64, scale: f64) -> Result<Self> {
        let invalid = |problem| Err(Error::InvalidLaw { kind: "student", problem });
        if !(freedom > NO_VARIANCE && freedom <= NORMAL) {
            return invalid(format!(
                "df is {freedom}; it must be above 2 (with fewer there is no variance) and at most 1e6 (with more, take a gaussian)"
            ));
        }
        if !mean.is_finite() {
            return invalid(format!("the mean is {mean}; it must be finite"));
        }
        if !(scale > 0.0 && (scale * scale * freedom / (freedom - NO_VARIANCE)).is_normal()) {
            return invalid(format!(
                "the scale is {scale}; it must be positive, and the variance must not overflow or vanish"
            ));
        }
        let plain = Self { freedom, at: LocationScale { mean, scale, smoothing: 0.0 }, log_norm: 0.0 };
        let largest = plain.nodes().map(|node| node.log_weight).take_while(|log| *log > -4.0 * NEGLIGIBLE);
        let sum: f64 = largest.map(f64::exp).sum();
        Ok(Self { log_norm: sum.ln(), ..plain })
    }

    /// `ν`.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.freedom
    }

    /// `m`, `b` and `s²`.
    pub fn parameters(&self) -> LocationScale {
        self.at
    }

    fn plus(&self, noise: f64) -> Self {
        Self { at: self.at.plus(noise), ..*self }
    }

    /// The normal laws from the narrowest one that matters, wider and wider.
    fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        let half = 0.5 * self.freedom;
        let spacing = SPACING.min(SPACING_SHARE / half.sqrt());
        let log_weight = move |u: f64| -half * (u.exp_m1() - u);
        let first = (0..).find(|k| log_weight(f64::from(*k) * spacing) < -2.0 * NEGLIGIBLE).unwrap_or(0);
        (0..).map(move |k| f64::from(first - k) * spacing).take_while(|u| *u > SMALLEST_LOG).map(move |u| {
            Node {
                u,
                log_weight: log_weight(u) - self.log_norm,
                variance: self.at.scale * self.at.scale * (-u).exp() + self.at.smoothing,
            }
        })
    }

    /// Where the terms of a density at a distance are largest, or to the right of it: beyond, they only fall.
    fn peak(&self, distance: f64) -> f64 {
        let z = distance / self.at.scale;
        ((self.freedom + 1.0) / (self.freedom + z * z)).ln()
    }

    /// The terms of a density at a distance that matter.
    fn terms(&self, distance: f64) -> Terms {
        let (peak, mut largest, mut terms) = (self.peak(distance), f64::NEG_INFINITY, Vec::new());
        for node in self.nodes() {
            let t = distance / node.variance.sqrt();
            let log = node.log_weight - 0.5 * t * t - 0.5 * (std::f64::consts::TAU * node.variance).ln();
            largest = largest.max(log);
            if node.u < peak && log < largest - NEGLIGIBLE {
                break;
            }
            terms.push((node.variance, log));
        }
        Terms { largest, each: terms }
    }
}

impl Kind for Student {
    fn name(&self) -> &'static str {
        "student"
    }

    fn dimension(&self) -> usize {
        1
    }

    fn mean_vector(&self) -> DVector<f64> {
        DVector::from_element(1, self.at.mean)
    }

    fn covariance_matrix(&self) -> DMatrix<f64> {
        let of_student = self.at.scale * self.at.scale * self.freedom / (self.freedom - NO_VARIANCE);
        DMatrix::from_element(1, 1, of_student + self.at.smoothing)
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        // The constructor has checked the degrees of freedom.
        let law = StudentT::new(self.freedom).expect("positive degrees of freedom");
        out[0] = self.at.mean + self.at.scale * law.sample(generator) + normal(self.at.smoothing, generator);
    }

    fn noisy(&self, noise: f64) -> Law {
        Law::Student(self.plus(noise))
    }

    fn projection(&self, direction: &[f64]) -> Option<LineLaw> {
        let at = self.at.times(direction[0]);
        Some(LineLaw::of_shape(at.scale, at.mean, Shape::Student(Self { at, ..*self })))
    }

    fn log_density(&self, x: &[f64]) -> Option<f64> {
        let terms = self.terms((x[0] - self.at.mean).abs());
        Some(terms.largest + terms.sum(|_| 1.0).ln())
    }

    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]) {
        let z = y[0] - self.at.mean;
        let terms = self.plus(noise).terms(z.abs());
        out[0] =
            self.at.mean + z * (terms.sum(|variance| (variance - noise) / variance) / terms.sum(|_| 1.0));
    }
}

impl Symmetric for Student {
    fn centre(&self) -> f64 {
        self.at.mean
    }

    fn tail(&self, x: f64) -> Tail {
        let distance = (x - self.at.mean).abs();
        let (peak, mut sum) = (self.peak(distance), Tail { density: 0.0, mass: 0.0, mean: 0.0 });
        for node in self.nodes() {
            let weight = node.log_weight.exp();
            let part = Normal { mean: 0.0, std: node.variance.sqrt() }.tail(distance);
            let terms = [weight * part.density, weight * part.mass, weight * part.mean];
            sum.density += terms[0];
            sum.mass += terms[1];
            sum.mean += terms[2];
            let sums = [sum.density, sum.mass, sum.mean];
            let done = terms.iter().zip(sums).all(|(term, sum)| *term <= NEGLIGIBLE_SHARE * sum);
            if node.u < peak && done {
                break;
            }
        }
        sum
    }

    fn resolution(&self) -> f64 {
        self.at.scale.hypot(self.at.smoothing.sqrt())
    }

    fn spread(&self) -> f64 {
        self.at.spread()
    }
}
