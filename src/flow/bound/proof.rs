//! [`Proof`]: takes the bound over a step, piece by piece.
//!
//! # Formula
//! On a piece of length `h` with middle `c`, with `ṽ` the drift as computed and `I` interpolation at its `m + 1` Chebyshev points,
//! ```text
//! ρ = dẑ/dt − v(ẑ) = I(dẑ/dt − ṽ(ẑ)) + I(ṽ(ẑ) − v(ẑ)) + (I v(ẑ) − v(ẑ)),
//! ```
//! because `dẑ/dt` is a polynomial of degree `5 ≤ m`. The first term is a polynomial whose values at the points are known (`interpolant.rs`), the second
//! is at most `Λ` times what the drift certifies at the points, the third is at most `4 M_i ϱ^{−m}/(ϱ−1)` (`ellipse.rs`). So `|ρ_i|` is bounded at every time of
//! the piece, for every particle.
//!
//! The drift is evaluated at *rounded* positions `ẑ + u`. With the comparison system's own bounds on the Jacobian, that moves `v_i` by at
//! most `max(μ_i, 1)|u_i| + Σ_k κ_ik |u_k|` at each point, and `Λ` times as much between them.
//!
//! The order `m` is the smallest for which the remainders do not exceed what is known of the defect. A piece is halved where some row does not close, where the remainders
//! dominate at the largest order, and where the comparison system does not close.

use rayon::prelude::*;

use super::comparison::{Comparison, Stretch};
use super::curve::{Curve, CurveRounding};
use super::ellipse::{Ellipse, UNSHRINKING, next_reach};
use super::enclosure::Enclosure;
use super::interpolant::{Interpolation, ORDERS};
use super::refusal::Refusal;
use super::rounding::UP;
use super::sample::{Sample, Scaled};
use super::sources::{Forcing, PerSource};
use crate::cloud::{Cloud, norm};
use crate::error::Result;
use crate::flow::Field;
use crate::scale::Beta;

/// The longest piece, in raw time, over which one bound of the Jacobian holds.
const LONGEST_PIECE: f64 = 0.16;

/// How often a piece is halved, at most.
const HALVINGS: usize = 6;

/// The first radius that is tried for ellipses, in raw time; it is adapted from piece to piece.
const FIRST_REACH: f64 = 0.4;

/// The largest radius in units of the piece, and the smallest: an ellipse must be longer than its piece.
const LONGEST_REACH: f64 = 12.0;
const LEAST_REACH: f64 = 0.55;

/// What the remainders may be beside the defect, in the mean. The order is even, so that most of the time they are far less.
const REMAINDERS: f64 = 1.0;

/// Bounds a run, step by step.
pub(super) struct Proof<'a> {
    cloud: &'a Cloud,
    beta: Beta,
    comparison: Comparison<'a>,
    refusal: Option<Refusal>,
    interpolations: Vec<Interpolation>,
    /// The radius that is tried next.
    reach: f64,
    /// The mean defect on the last piece.
    typical: Option<f64>,
    /// The path and the drift at the end of the last piece.
    last: Option<Sample>,
}

/// The step that is looked at.
pub(super) struct Look<'s, 'f> {
    pub field: &'s mut Field<'f>,
    pub curve: &'s Curve,
    /// When it begins.
    pub from: f64,
    /// Rounding of the path, including that of the points at which the drift is known at the ends.
    pub rounding: CurveRounding,
    /// The path and the drift at its end.
    pub end: &'s Sample,
}

/// A part of a step, in units of it.
#[derive(Clone, Copy)]
struct Piece {
    from: f64,
    to: f64,
}

impl Piece {
    fn at(self, x: f64) -> f64 {
        0.5 * (self.from + self.to) + 0.5 * (self.to - self.from) * x
    }

    fn halves(self) -> [Self; 2] {
        let middle = self.at(0.0);
        [Self { to: middle, ..self }, Self { from: middle, ..self }]
    }
}

impl Look<'_, '_> {
    fn sample(&mut self, theta: f64) -> Result<Sample> {
        if theta == 1.0 {
            return Ok(self.end.clone());
        }
        let points = self.curve.at(theta);
        let mut drift = vec![0.0; points.len()];
        self.field.evaluate(self.from + theta * self.curve.duration, &points, &mut drift)?;
        Ok(Sample::new(points, self.curve.velocity(theta), self.field.last()))
    }

    fn length(&self, piece: Piece) -> f64 {
        (piece.to - piece.from) * self.curve.duration
    }
}

impl<'a> Proof<'a> {
    /// A start that is known up to `tokens`, one radius per particle.
    pub fn new(cloud: &'a Cloud, beta: Beta, tokens: Vec<f64>) -> Self {
        Self {
            cloud,
            beta,
            comparison: Comparison::new(beta, cloud.weights(), tokens),
            refusal: None,
            interpolations: ORDERS.step_by(2).map(Interpolation::of_order).collect(),
            reach: FIRST_REACH,
            typical: None,
            last: None,
        }
    }

    /// Why there is no bound, if so.
    pub fn refusal(&self) -> Option<&Refusal> {
        self.refusal.as_ref()
    }

    /// The bounds so far.
    pub fn comparison(&self) -> &Comparison<'a> {
        &self.comparison
    }

    /// Takes the bound over a step, at whose end the path jumps by `gap`.
    pub fn step(&mut self, mut look: Look<'_, '_>, gap: &[f64]) -> Result<()> {
        self.comparison.begin();
        self.begin(&look);
        let pieces = (look.curve.duration / LONGEST_PIECE).ceil().max(1.0) as usize;
        for k in 0..pieces {
            let [from, to] = [k, k + 1].map(|k| k as f64 / pieces as f64);
            self.piece(&mut look, Piece { from, to }, HALVINGS)?;
        }
        self.comparison.jump(gap);
        Ok(())
    }

    /// Keeps what is known of the drift where the last step ended, if this one begins there.
    fn begin(&mut self, look: &Look<'_, '_>) {
        let known = self.last.take().filter(|last| last.points == look.curve.at(0.0));
        self.last = known.map(|last| Sample { motion: look.curve.velocity(0.0), ..last });
    }

    /// Takes the bound over a piece, unless there is none any more.
    fn piece(&mut self, look: &mut Look<'_, '_>, piece: Piece, halvings: usize) -> Result<()> {
        if self.refusal.is_some() {
            return Ok(());
        }
        let middle = look.sample(piece.at(0.0))?;
        let scaled = middle.scaled(self.beta.get().sqrt());
        let ellipses = self.ellipses(look, piece, &scaled);
        let closed = match ellipses.iter().position(Option::is_none) {
            None => {
                let ellipses: Vec<Ellipse> = ellipses.into_iter().flatten().collect();
                self.close(look, piece, (middle, &scaled), &ellipses, halvings > 0)?
            }
            Some(particle) => Err(too_fast(look, piece, particle)),
        };
        match closed {
            Ok(()) => Ok(()),
            Err(_) if halvings > 0 => {
                piece.halves().into_iter().try_for_each(|half| self.piece(look, half, halvings - 1))
            }
            Err(refusal) => {
                self.refusal = Some(refusal);
                Ok(())
            }
        }
    }

    /// The ellipses of all rows about the middle of a piece.
    fn ellipses(&mut self, look: &Look<'_, '_>, piece: Piece, middle: &Scaled) -> Vec<Option<Ellipse>> {
        let length = look.length(piece);
        let reach = self.reach.clamp(2.0 * LEAST_REACH * length, LONGEST_REACH * length);
        let bent = look.curve.remainder(piece.at(0.0), reach / look.curve.duration, self.cloud.dimension());
        let rounding = look.rounding.position.iter().zip(&look.rounding.velocity);
        let rounding = rounding.map(|(position, velocity)| UNSHRINKING * (position + reach * velocity));
        let radius: Vec<f64> =
            bent.iter().zip(rounding).map(|(bent, still)| UP * middle.per_length * (bent + still)).collect();
        let enclosure = Enclosure::about(middle, self.cloud.weights(), &radius, reach);
        let ellipses = enclosure.ellipses(LEAST_REACH * length);
        self.reach = next_reach(reach, &ellipses);
        ellipses
    }

    /// Takes the bound over a piece on which all rows close, or says why it cannot; with `demanding`, also where the remainders would dominate.
    fn close(
        &mut self,
        look: &mut Look<'_, '_>,
        piece: Piece,
        (middle, scaled): (Sample, &Scaled),
        ellipses: &[Ellipse],
        demanding: bool,
    ) -> Result<std::result::Result<(), Refusal>> {
        let Choice { order, remainders, dominate } =
            self.order(look.length(piece), &middle, scaled, ellipses);
        if demanding && dominate {
            return Ok(Err(too_fast(look, piece, largest(&remainders))));
        }
        let mut samples = self.samples(look, piece, order, middle)?;
        let forcing = forcing(self.interpolation(order), &samples, &remainders, &look.rounding);
        let reach = 0.5 * (piece.to - piece.from);
        let outcome = self.comparison.advance(&Stretch {
            raw_time: look.from + piece.from * look.curve.duration,
            length: look.length(piece),
            middle: scaled,
            remainder: &look.curve.remainder(piece.at(0.0), reach, self.cloud.dimension()),
            forcing: &forcing,
        });
        self.typical = Some(self.mean(&forcing.mean.total()));
        self.last = if outcome.is_ok() { samples.pop() } else { Some(samples.swap_remove(0)) };
        Ok(outcome)
    }

    /// The smallest order for which the remainders do not dominate; the largest, if there is none.
    fn order(&self, length: f64, middle: &Sample, scaled: &Scaled, ellipses: &[Ellipse]) -> Choice {
        let at_middle =
            || -> Vec<f64> { middle.defect().chunks_exact(self.cloud.dimension()).map(norm).collect() };
        // Less than rounding does to the drift is as good as nothing.
        let least = f64::EPSILON / scaled.per_length;
        let typical = self.typical.unwrap_or_else(|| self.mean(&at_middle())).max(least);
        let choice = |order: usize| {
            let remainder = |ellipse: &Ellipse| ellipse.remainder(order, length) / scaled.per_length;
            let remainders: Vec<f64> = ellipses.iter().map(remainder).collect();
            Choice { order, dominate: self.mean(&remainders) > typical, remainders }
        };
        let small = |choice: &Choice| self.mean(&choice.remainders) <= REMAINDERS * typical;
        ORDERS.step_by(2).map(choice).find(small).unwrap_or_else(|| choice(*ORDERS.end()))
    }

    fn interpolation(&self, order: usize) -> &Interpolation {
        &self.interpolations[(order - ORDERS.start()) / 2]
    }

    /// The path and the drift at all points of a piece, those known already among them.
    fn samples(
        &mut self,
        look: &mut Look<'_, '_>,
        piece: Piece,
        order: usize,
        middle: Sample,
    ) -> Result<Vec<Sample>> {
        let points = self.interpolation(order).points.clone();
        let mut known = [self.last.take(), Some(middle)];
        let point = |(k, x): (usize, f64)| {
            let found = match 2 * k {
                0 => known[0].take(),
                twice if twice == order => known[1].take(),
                _ => None,
            };
            found.map_or_else(|| look.sample(piece.at(x)), Ok)
        };
        points.into_iter().enumerate().map(point).collect()
    }

    fn mean(&self, values: &[f64]) -> f64 {
        values.iter().enumerate().map(|(i, value)| self.cloud.weight(i) * value).sum()
    }
}

/// An order, and what it leaves.
struct Choice {
    order: usize,
    /// How far the interpolants may miss the drift, per particle.
    remainders: Vec<f64>,
    /// Whether that is, in the mean, more than the defect.
    dominate: bool,
}

fn too_fast(look: &Look<'_, '_>, piece: Piece, particle: usize) -> Refusal {
    Refusal::TooFast { raw_time: look.from + piece.from * look.curve.duration, particle }
}

/// Where the largest number is.
fn largest(values: &[f64]) -> usize {
    values.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i)
}

/// What drives the comparison system over a piece.
fn forcing(
    interpolation: &Interpolation,
    samples: &[Sample],
    remainders: &[f64],
    path: &CurveRounding,
) -> Forcing {
    let lebesgue = interpolation.lebesgue();
    let dimension = samples[0].points.len() / remainders.len();
    let defects: Vec<Vec<f64>> = samples.iter().map(Sample::defect).collect();
    let size = |(i, remainder): (usize, &f64)| {
        let own: Vec<&[f64]> =
            defects.iter().map(|defect| &defect[i * dimension..(i + 1) * dimension]).collect();
        let size = interpolation.size(&own);
        (UP * (size.mean + remainder), UP * (size.largest + remainder))
    };
    let (mean, largest) = remainders.par_iter().enumerate().map(size).unzip();
    let certified = |of: fn(&Sample) -> &[f64]| -> Vec<f64> {
        let largest = |i: usize| samples.iter().map(|s| of(s)[i]).fold(0.0, f64::max);
        (0..remainders.len()).map(|i| UP * lebesgue * largest(i)).collect()
    };
    let mut rounding = certified(|s| &s.rounding);
    rounding.iter_mut().zip(&path.velocity).for_each(|(r, v)| *r = UP * (*r + lebesgue * v));
    let truncation = certified(|s| &s.truncation);
    Forcing {
        mean: PerSource {
            integration: mean,
            truncation: truncation.clone(),
            rounding: rounding.clone(),
            tokens: vec![0.0; remainders.len()],
        },
        largest: PerSource {
            integration: largest,
            truncation,
            rounding,
            tokens: vec![0.0; remainders.len()],
        },
        position: path.position.iter().map(|u| UP * lebesgue * u).collect(),
    }
}

#[cfg(test)]
mod tests;
