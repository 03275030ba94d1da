//! [`Curve`]: the path of a step as a polynomial in time.
//!
//! # Formula
//! With `θ = (t − t₀)/h`, per coordinate,
//! ```text
//! ẑ(θ) = origin + Σ_k c_k θᵏ,      k = 0 … 6
//! ```
//! The origin is the numerical solution itself, a number that `f64` holds exactly; what is added to it is small, so its rounding
//! is far below that of a position. Curves of consecutive steps meet up to that rounding.

use super::ellipse::UNSHRINKING;
use super::rounding::UP;
use crate::cloud::norm;

/// Coefficients of a curve: the quintic of a step, and the local error of degree 6.
pub(super) const TERMS: usize = 7;

/// State, velocity and acceleration at one end of a step.
#[derive(Clone, Copy)]
pub(in crate::flow) struct Anchor<'a> {
    pub points: &'a [f64],
    pub velocity: &'a [f64],
    pub acceleration: &'a [f64],
}

/// Bounds on rounding, per particle.
pub(in crate::flow) struct CurveRounding {
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
}

/// A polynomial path of all coordinates over one step.
pub(in crate::flow) struct Curve {
    origin: Vec<f64>,
    /// `terms[k]` holds the coefficients of `θᵏ`, row-major like the cloud.
    terms: [Vec<f64>; TERMS],
    /// Duration `h` of the step.
    pub duration: f64,
}

impl Curve {
    /// The quintic with the given state, velocity and acceleration at both ends.
    pub fn hermite(start: Anchor<'_>, end: Anchor<'_>, duration: f64) -> Self {
        let mut terms: [Vec<f64>; TERMS] = std::array::from_fn(|_| vec![0.0; start.points.len()]);
        let (h, h_2) = (duration, duration * duration);
        for (i, origin) in start.points.iter().enumerate() {
            let (first, second) = (h * start.velocity[i], h_2 * start.acceleration[i]);
            let moved = end.points[i] - origin - first - second / 2.0;
            let sped = h * end.velocity[i] - first - second;
            let bent = h_2 * end.acceleration[i] - second;
            terms[1][i] = first;
            terms[2][i] = second / 2.0;
            terms[3][i] = 10.0 * moved - 4.0 * sped + bent / 2.0;
            terms[4][i] = -15.0 * moved + 7.0 * sped - bent;
            terms[5][i] = 6.0 * moved - 3.0 * sped + bent / 2.0;
        }
        Self { origin: start.points.to_vec(), terms, duration }
    }

    /// Number of coordinates of all particles together.
    pub fn coordinates(&self) -> usize {
        self.origin.len()
    }

    /// Subtracts the polynomial with one coefficient vector per power, from the constant upwards.
    pub fn subtract(&mut self, powers: &[Vec<f64>]) {
        for (term, power) in self.terms.iter_mut().zip(powers) {
            term.iter_mut().zip(power).for_each(|(t, p)| *t -= p);
        }
    }

    /// The state at `θ`.
    pub fn at(&self, theta: f64) -> Vec<f64> {
        (0..self.origin.len()).map(|i| self.origin[i] + self.offset(i, theta)).collect()
    }

    /// What the curve adds to its origin.
    fn offset(&self, i: usize, theta: f64) -> f64 {
        self.terms.iter().rev().fold(0.0, |sum, term| sum * theta + term[i])
    }

    /// `dẑ/dt` at `θ`.
    pub fn velocity(&self, theta: f64) -> Vec<f64> {
        let slope = |i: usize| {
            let terms = self.terms.iter().enumerate().skip(1).rev();
            terms.fold(0.0, |sum, (k, term)| sum * theta + k as f64 * term[i]) / self.duration
        };
        (0..self.origin.len()).map(slope).collect()
    }

    /// How far each particle leaves its tangent at `θ` within `reach` (in units of the step) to either side, at most:
    /// the higher terms of the expansion about `θ`, each with its absolute value, and what rounding does to them: a coefficient goes through at most `2·6` operations, and the
    /// moduli of all that is added up on the way come to those of `Σ |c_k| (θ + reach)^k`. (That does not shrink with the reach: see `ellipse.rs`.)
    pub fn remainder(&self, theta: f64, reach: f64, dimension: usize) -> Vec<f64> {
        self.per_particle(dimension, |i| {
            let mut terms: [f64; TERMS] = std::array::from_fn(|k| self.terms[k][i]);
            shift_origin(&mut terms, theta);
            let bent = terms[2..].iter().rev().fold(0.0, |sum, c| sum * reach + c.abs()) * reach * reach;
            let size = self.terms.iter().rev().fold(0.0, |sum, term| sum * (theta + reach) + term[i].abs());
            bent + UNSHRINKING * (2 * TERMS) as f64 * f64::EPSILON * size
        })
    }

    /// How far rounding may move what [`Curve::at`] and [`Curve::velocity`] say, at any `θ` between 0 and 1: Horner's rule rounds twice per term, and `θ` itself
    /// is rounded up to four times, which counts as often as the degree says.
    pub fn rounding(&self, dimension: usize) -> CurveRounding {
        let unit = (3 * TERMS + 1) as f64 * f64::EPSILON;
        let size = |i: usize, factor: fn(usize) -> f64| {
            self.terms.iter().enumerate().map(|(k, term)| factor(k) * term[i].abs()).sum::<f64>()
        };
        let position = |i: usize| f64::EPSILON * self.origin[i].abs() + unit * size(i, |_| 1.0);
        let velocity = |i: usize| unit * size(i, |k| k as f64) / self.duration;
        CurveRounding {
            position: self.per_particle(dimension, position),
            velocity: self.per_particle(dimension, velocity),
        }
    }

    /// The Euclidean norm of something every coordinate has, rounded up.
    fn per_particle(&self, dimension: usize, of: impl Fn(usize) -> f64) -> Vec<f64> {
        let row = |p: usize| (p * dimension..(p + 1) * dimension).map(&of).collect::<Vec<_>>();
        (0..self.origin.len() / dimension).map(|p| UP * norm(&row(p))).collect()
    }

    /// By how much the curve misses `end`, per particle: rounding of its coefficients.
    pub fn gap(&self, end: &[f64], correction: &[f64], dimension: usize) -> Vec<f64> {
        let miss = |i: usize| self.offset(i, 1.0) - (end[i] - self.origin[i] - correction[i]);
        let size = |i: usize| self.terms.iter().map(|term| term[i].abs()).sum::<f64>();
        let reach = |i: usize| miss(i).abs() + (2 * TERMS) as f64 * f64::EPSILON * size(i);
        self.per_particle(dimension, reach)
    }
}

/// Rewrites a polynomial about another origin (repeated synthetic division).
fn shift_origin(terms: &mut [f64], origin: f64) {
    for lowest in 0..terms.len() {
        for k in (lowest..terms.len() - 1).rev() {
            terms[k] += origin * terms[k + 1];
        }
    }
}
