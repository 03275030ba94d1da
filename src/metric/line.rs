//! `W1` on the line: exact, interval by interval, between a cloud and a law or between two clouds.
//!
//! # Formula
//! On the line `W1(μ, ν) = ∫ |F_μ − F_ν|`. Between neighbouring points of a cloud its distribution function is a constant `c`,
//! and the law's `F` crosses it at most once, so with `L(x) = E(x − X)₊` and `U(x) = E(X − x)₊`
//! ```text
//! W1 = L(x_1) + Σ_i |∫_{x_i}^{x_{i+1}} (F − c_i)| + U(x_n),
//! ∫_a^b (F − c) = L(b) − L(a) − c(b − a) = (1 − c)(b − a) − (U(a) − U(b)),
//! ```
//! an interval with a crossing being cut there first. Of the two forms the one with the smaller means is used. On intervals
//! far narrower than the law is smooth, the means would cancel; there the corrected trapezoid
//! `(b − a)(F(a) + F(b) − 2c)/2 − (b − a)²(f(b) − f(a))/12` is exact to rounding.
//!
//! The result is the same for any number of threads.

use rayon::prelude::*;

use crate::cloud::Cloud;
use crate::error::{Error, Result, check_same_space};
use crate::law::{Level, LineLaw, Split};

/// Intervals per task; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 4096;
/// Width, relative to the law's smoothness `s`, below which the trapezoid is exact: its relative error is at most
/// `sup|φ'''|/720 · (width/s)⁴ < 1e-17`.
const NARROW: f64 = 1.0 / 4096.0;
/// How exactly a crossing is located, relative to the interval: the error of the integral is its square.
const CROSSING: f64 = 1e-9;

/// A sum that carries its rounding error along.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let sum = self.value + term;
        let larger_first = self.value.abs() >= term.abs();
        self.lost += if larger_first { (self.value - sum) + term } else { (term - sum) + self.value };
        self.value = sum;
    }

    fn get(self) -> f64 {
        self.value + self.lost
    }

    /// The sum as a distance.
    fn distance(self) -> Result<f64> {
        let value = self.get();
        if value.is_finite() {
            return Ok(value);
        }
        let (name, requirement) = ("distance W1", "a finite number; coordinates this far apart overflow");
        Err(Error::InvalidParameter { name, value, requirement })
    }
}

/// A point of a cloud on the line.
#[derive(Debug, Clone, Copy)]
struct Step {
    at: f64,
    weight: f64,
}

impl Step {
    fn negated(self) -> Self {
        Self { weight: -self.weight, ..self }
    }
}

/// A place where the cloud or the law may change, and the cloud's distribution function from there on.
#[derive(Debug, Clone, Copy)]
struct Knot {
    at: f64,
    level: Level,
}

/// The points of a cloud in increasing order, those of weight zero left out.
fn steps(cloud: &Cloud, name: &str) -> Result<Vec<Step>> {
    check_same_space(name, cloud.dimension(), "the line", 1)?;
    let points = cloud.points().iter().enumerate().map(|(i, &at)| Step { at, weight: cloud.weight(i) });
    let mut steps: Vec<Step> = points.filter(|step| step.weight > 0.0).collect();
    steps.par_sort_unstable_by(|a, b| a.at.total_cmp(&b.at).then(a.weight.total_cmp(&b.weight)));
    Ok(steps)
}

/// The points of a cloud with its distribution function behind each of them, from both sides.
fn staircase(cloud: &Cloud) -> Result<Vec<Knot>> {
    if cloud.weights().is_none() && cloud.dimension() == 1 {
        let mut points = cloud.points().to_vec();
        points.par_sort_unstable_by(f64::total_cmp);
        let n = points.len();
        let level =
            |i: usize| Level { below: (i + 1) as f64 / n as f64, above: (n - i - 1) as f64 / n as f64 };
        return Ok(points.into_iter().enumerate().map(|(i, at)| Knot { at, level: level(i) }).collect());
    }
    let steps = steps(cloud, "the cloud")?;
    let mut below = Sum::default();
    let mut knots: Vec<Knot> = steps
        .iter()
        .map(|step| {
            below.add(step.weight);
            Knot { at: step.at, level: Level { below: below.get(), above: 0.0 } }
        })
        .collect();
    let mut above = Sum::default();
    for (knot, step) in knots.iter_mut().zip(&steps).rev() {
        knot.level.above = above.get();
        above.add(step.weight);
    }
    Ok(knots)
}

/// Adds the law's atoms, so that its distribution function is continuous in between; the cloud's goes on as it was.
fn with_atoms(knots: Vec<Knot>, law: &LineLaw) -> Vec<Knot> {
    let mut pending = law.atoms().peekable();
    if pending.peek().is_none() {
        return knots;
    }
    let mut merged: Vec<Knot> = Vec::with_capacity(knots.len());
    for knot in knots {
        while let Some(atom) = pending.next_if(|atom| atom.at < knot.at) {
            if let Some(level) = merged.last().map(|last| last.level) {
                merged.push(Knot { at: atom.at, level });
            }
        }
        merged.push(knot);
    }
    merged
}

/// `W1` between a cloud on the line and a law, exactly.
///
/// The error is of the order of the rounding errors of `F` times the cloud's extent, plus those of `L` and `U`: about
/// `1e-15` of the scale of the two.
///
/// ```
/// use ebflow::Cloud;
/// use ebflow::law::Law;
/// use ebflow::metric::line;
/// let law = Law::parse(r#"{ kind = "uniform", low = 0, high = 1 }"#)?;
/// let middle = Cloud::new(vec![0.5], 1)?;
/// assert_eq!(line::w1_to_law(&middle, &law.on_line()?)?, 0.25);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn w1_to_law(cloud: &Cloud, law: &LineLaw) -> Result<f64> {
    let knots = with_atoms(staircase(cloud)?, law);
    let interval = AgainstLaw { law, narrow: NARROW * law.smoothness() };
    let (first, last) = (knots[0].at, knots[knots.len() - 1].at);
    let mut total = Sum::default();
    total.add(law.split(first).lower_mean);
    let starts: Vec<usize> = (0..knots.len() - 1).step_by(CHUNK).collect();
    let chunks: Vec<Sum> = starts
        .into_par_iter()
        .map(|at| interval.integral(&knots[at..knots.len().min(at + CHUNK + 1)]))
        .collect();
    for chunk in chunks {
        total.add(chunk.value);
        total.add(chunk.lost);
    }
    total.add(law.split(last).upper_mean);
    total.distance()
}

/// The law, with the width below which its distribution function is a cubic.
struct AgainstLaw<'a> {
    law: &'a LineLaw,
    narrow: f64,
}

impl AgainstLaw<'_> {
    /// `∫ |F − c|` from the first to the last of some knots.
    fn integral(&self, knots: &[Knot]) -> Sum {
        let mut sum = Sum::default();
        let mut left = self.law.split(knots[0].at);
        for pair in knots.windows(2) {
            if pair[1].at > pair[0].at {
                let right = self.law.split(pair[1].at);
                self.add_interval(&mut sum, &left, &right, pair[0].level);
                left = right;
            }
        }
        sum
    }

    /// Adds `∫ |F − c|` over one interval. Signs are kept where they are known, so that rounding errors may cancel.
    fn add_interval(&self, sum: &mut Sum, left: &Split, right: &Split, level: Level) {
        let (start, end) = (level.excess_after(left), level.excess_before(right));
        if start >= 0.0 {
            sum.add(self.gap(left, right, level));
        } else if end <= 0.0 {
            sum.add(-self.gap(left, right, level));
        } else {
            let width = right.at - left.at;
            let secant = left.at + width * (start / (start - end));
            let cut = self.law.crossing(left.at..right.at, secant, level, CROSSING * width);
            sum.add(-self.gap(left, &cut, level));
            sum.add(self.gap(&cut, right, level));
        }
    }

    /// `∫ (F − c)` over an interval inside which the law is smooth.
    fn gap(&self, left: &Split, right: &Split, level: Level) -> f64 {
        let width = right.at - left.at;
        if width <= self.narrow && self.law.holds(left.at) && self.law.holds(right.at) {
            let mean = 0.5 * (level.excess_after(left) + level.excess_before(right));
            return width * (mean - width * (right.density - left.density) / 12.0);
        }
        if right.lower_mean <= left.upper_mean {
            (right.lower_mean - left.lower_mean) - level.below * width
        } else {
            level.above * width - (left.upper_mean - right.upper_mean)
        }
    }
}

/// `W1` between two clouds on the line, exactly: sizes and weights may differ.
///
/// ```
/// use ebflow::Cloud;
/// use ebflow::metric::line;
/// let (a, b) = (Cloud::new(vec![0.0, 1.0], 1)?, Cloud::new(vec![3.0, 1.0, 2.0], 1)?);
/// assert!((line::w1(&a, &b)? - 1.5).abs() < 1e-15);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn w1(a: &Cloud, b: &Cloud) -> Result<f64> {
    let (a, b) = (steps(a, "the first cloud")?, steps(b, "the second cloud")?);
    let (mut total, mut excess, mut previous) = (Sum::default(), Sum::default(), f64::NAN);
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    loop {
        let a_next = a.peek().map_or(f64::INFINITY, |step| step.at);
        let b_next = b.peek().map_or(f64::INFINITY, |step| step.at);
        let next = if a_next <= b_next { a.next() } else { b.next().map(Step::negated) };
        let Some(step) = next else { return total.distance() };
        if step.at > previous {
            let (gap, lost) = difference(step.at, previous);
            total.add(excess.get().abs() * gap);
            total.add(excess.get().abs() * lost);
        }
        excess.add(step.weight);
        previous = step.at;
    }
}

/// `a − b` as it is rounded, and what rounding took from it (Knuth).
fn difference(a: f64, b: f64) -> (f64, f64) {
    let rounded = a - b;
    let taken = a - rounded;
    (rounded, (a - (rounded + taken)) + (taken - b))
}

/// How far rounding can have moved [`w1`] between two clouds, a priori.
///
/// # Formula
/// `W1 = Σ_k |E_k| g_k` with the gaps `g_k` between neighbouring points and the excess `E_k = F_a − F_b` there; `R = Σ g_k` is the extent of both clouds, `u` the
/// unit roundoff and `n` the number of points. Every rounding that is made:
/// ```text
/// weights     F is off by at most ε at any place (see below)             ε_a R + ε_b R
/// excess      a compensated sum of 2n terms, then rounded to one double  u W1 + (2nu)² 2R
/// gaps        rounded, but what rounding took is added as well           2u² W1
/// products    rounded                                                    u W1 + n 2⁻¹⁰⁷⁴
/// sum         compensated, then rounded to one double                    u W1 + (2nu)² W1
/// ```
/// The compensated sum of `m` terms errs by at most `u|s| + (mu)² Σ|terms|` to this order (Neumaier; Higham, *Accuracy and Stability of Numerical Algorithms*, §4.3).
/// Equal weights `1/n` are all rounded alike, so `ε = |n·fl(1/n) − 1|`, which a fused operation computes exactly. Others were divided by their sum: with the
/// total `M` of what is stored, the common factor is off by `|M − 1|` and each by `u`, and two more `u` cover what is not seen of `M`.
pub(crate) fn rounding(a: &Cloud, b: &Cloud, w1: f64) -> f64 {
    let unit = 0.5 * f64::EPSILON;
    let points = || a.points().iter().chain(b.points());
    let (low, high) = points().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    let (extent, count) = (high - low, points().count() as f64);
    let second = (2.0 * count * unit).powi(2) * (2.0 * extent + w1);
    // The factor covers the rounding of this line itself.
    let first = (mass_error(a) + mass_error(b)) * extent + 3.0 * unit * w1;
    (first + second) * (1.0 + 16.0 * unit) + count * f64::from_bits(1)
}

/// By how much the distribution function of a cloud may be off anywhere, for the rounding of its weights.
fn mass_error(cloud: &Cloud) -> f64 {
    match cloud.weights() {
        None => (cloud.len() as f64).mul_add(cloud.weight(0), -1.0).abs(),
        Some(weights) => {
            let mut mass = Sum::default();
            weights.iter().for_each(|w| mass.add(*w));
            (mass.get() - 1.0).abs() + 2.0 * f64::EPSILON
        }
    }
}

#[cfg(test)]
mod tests;
