//! Direct sums for the targets that expansions do not serve: sparse ones, far ones, and those whose certificate failed.
//!
//! # Formula
//! With a reference source `z*` near the target `x`, `y = √β(x − z*)`, `δ_j = √β(z_j − z*)`:
//!
//! ```text
//! q_j = Σ δ_j(δ_j/2 − y) = β(|x − z_j|² − |x − z*|²)/2,   W = Σ ω_j e^{−q_j}
//! √β v = Σ ω_j e^{−q_j} δ_j / W − y,                       ln Σ ω_j w_j = ln W − |y|²/2
//! ```
//!
//! so neither underflow nor the cancellation of two large distances spoils a far query.

use std::f64::consts::LOG2_E;
use std::ops::Range;
use std::sync::OnceLock;

use super::data::{Row, Sources};
use super::neighbours::{Choice, Neighbours};
use super::transfer::{SLACK, UNIT};
use crate::simd::{Program, Vector, widest};

/// Sources handled together.
const LANES: usize = 8;
/// Sources per lane whose terms are added up before the sums join the rest.
const DEPTH: usize = 64;
/// Roundings of a term besides those of its exponent: the exponential (7), `δ` (3), products with the weight and with `δ`; and as many to spare.
const TERM_ROUNDING: f64 = 16.0;
/// Roundings of an exponent, relative to the sum of its terms' absolute values: three in each of `δ` and `y` (a difference, a product, `√β`), one
/// in `δ/2 − y`, three in the sum of the products, two in the product with `log₂ e`.
const EXPONENT_ROUNDING: f64 = 12.0;
/// Relative errors of weights up to this make the sums' errors a thousandth larger than to first order, for which there is room.
const SMALL: f64 = 5e-4;
const ROOM: f64 = 1.01;
/// A target so far from its reference has no wrong exponent: where `|δ| ≤ 4|y|`, `η` is at most `24|y|²`, and elsewhere no more than a few times `q` itself.
const NEAR: f64 = 1e5;
/// What vanishes is at most so far away, or four times as far as the reference: elsewhere `q ≥ |δ|²/4`.
const VANISHED_AWAY: f64 = 60.0;
/// Exponents beyond this count as infinite, and below its negative as that.
const LARGEST: f64 = 693.0;

/// Moves towards the heaviest source: each leaves an error of a rounding of the last penalty, and where more are needed all
/// digits are lost.
const MOVES: usize = 4;
/// Penalties up to this size are exact enough to decide by: to a thousandth.
const DECIDED: f64 = 1e12;

/// Direct summation over chosen sources.
pub(super) struct Direct<'a, const D: usize> {
    /// The sources.
    pub sources: &'a Sources<D>,
    /// Which of them a target needs.
    pub neighbours: Neighbours<'a, D>,
    /// `√β`.
    pub scale: f64,
    /// Largest acceptable error of a velocity, in units of `1/√β`.
    pub tolerance: f64,
    /// True when every target is itself a source, and none weighs more than another.
    pub own_reference: bool,
    /// Logarithm of the mass unit's share of the whole.
    pub log_unit: f64,
    /// Logarithms of the weights, once they are needed.
    pub log_weights: OnceLock<Vec<f64>>,
}

/// Rows of a group of targets, and the kernel values they took.
pub(super) struct Rows<const D: usize> {
    /// One per target.
    pub rows: Vec<Row<D>>,
    /// Kernel values computed.
    pub pairs: u64,
}

impl<const D: usize> Direct<'_, D> {
    /// Rows of targets that lie close together; `index` is their box unless they have none.
    pub fn rows(&self, targets: &[[f64; D]], index: Option<[i32; D]>) -> Rows<D> {
        let near = index.map(|index| self.neighbours.within_reach(index));
        let mut pairs = 0;
        let mut all = None;
        let rows = targets.iter().map(|target| {
            if let Some(near) = near.as_ref().filter(|near| !near.ranges.is_empty()) {
                pairs += near.count();
                let row = self.row(target, near);
                if row.truncation * self.scale <= self.tolerance {
                    return row;
                }
            }
            let all = all.get_or_insert_with(|| self.neighbours.by_bounds(targets, self.tolerance));
            pairs += all.count();
            self.row(target, all)
        });
        Rows { rows: rows.collect(), pairs }
    }

    fn row(&self, target: &[f64; D], choice: &Choice) -> Row<D> {
        let reference = if self.own_reference { *target } else { self.reference(target, choice) };
        let scaled = |axis: usize| (target[axis] - reference[axis]) * self.scale;
        let offset: [f64; D] = std::array::from_fn(scaled);
        let sums = widest(Sum { direct: self, ranges: &choice.ranges, reference, offset });
        self.finish(&sums, offset, choice)
    }

    /// The source that weighs most at the target, or one that weighs nearly as much.
    fn reference(&self, target: &[f64; D], choice: &Choice) -> [f64; D] {
        let logs = self.sources.weights.as_ref().map(|weights| {
            self.log_weights.get_or_init(|| weights.iter().map(|w| w.ln()).collect()).as_slice()
        });
        let mut place = choice.ranges.first().map_or(0, |range| range.start);
        for _ in 0..MOVES {
            let from = self.sources.sorted.point(place);
            let found = widest(Heaviest { direct: self, ranges: &choice.ranges, target, from, logs });
            place = found.place.unwrap_or(place);
            if found.penalty.abs() <= DECIDED {
                break;
            }
        }
        self.sources.sorted.point(place)
    }

    fn finish(&self, sums: &Sums<D>, offset: [f64; D], choice: &Choice) -> Row<D> {
        let mean = sums.first.map(|first| first / sums.mass);
        let scaled: [f64; D] = std::array::from_fn(|axis| mean[axis] - offset[axis]);
        let (speed, shift, shove) = (norm(&scaled), norm(&mean), norm(&offset));
        let term = |first: f64, zeroth: f64| (first + shift * zeroth) / sums.mass;
        let per_term = TERM_ROUNDING + sums.additions as f64;
        let of_sums = per_term * term(sums.spread, sums.mass)
            + EXPONENT_ROUNDING * term(sums.strained_spread, sums.strain).max(sums.strain / sums.mass);
        let last = 8.0 * UNIT * (shift + shove);
        // The result is an average of the δ, so it cannot be off by more than their extent.
        let extent = 2.0 * sums.widest + last;
        let relative = UNIT * (per_term + EXPONENT_ROUNDING * sums.strain / sums.mass);
        let single = UNIT * EXPONENT_ROUNDING * sums.widest * (0.5 * sums.widest + shove);
        let small = relative <= SMALL && (single <= SMALL || shove <= NEAR);
        let rounding = if small { extent.min(ROOM * UNIT * of_sums + last) } else { extent };
        let log_mass = sums.mass.ln() - 0.5 * shove * shove;
        let away = sums.widest.max(4.0 * shove + VANISHED_AWAY);
        let underflow = self.sources.total / sums.mass * (1.0 - LARGEST).exp() * away;
        let width = 1.0 / self.scale;
        Row {
            velocity: scaled.map(|v| v * width),
            log_mass: log_mass + self.log_unit,
            truncation: SLACK * width * (choice.dropped.error(log_mass, speed) + underflow),
            rounding: SLACK * width * rounding,
        }
    }
}

fn norm<const D: usize>(v: &[f64; D]) -> f64 {
    crate::cloud::norm(v)
}

/// Sums over the sources, with `w = ω e^{−q}` and `η = Σ |δ|(|δ|/2 + |y|)` over the axes.
struct Sums<const D: usize> {
    /// `Σ w`.
    mass: f64,
    /// `Σ w δ`.
    first: [f64; D],
    /// `Σ w |δ|₁`.
    spread: f64,
    /// `Σ w η`.
    strain: f64,
    /// `Σ w η |δ|₁`.
    strained_spread: f64,
    /// The largest `|δ|₁`.
    widest: f64,
    /// Longest chain of additions.
    additions: usize,
}

struct Sum<'a, const D: usize> {
    direct: &'a Direct<'a, D>,
    ranges: &'a [Range<usize>],
    reference: [f64; D],
    offset: [f64; D],
}

impl<const D: usize> Program for Sum<'_, D> {
    type Scalar = f64;
    type Output = Sums<D>;

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) -> Sums<D> {
        let mut sums = Sums {
            mass: 0.0,
            first: [0.0; D],
            spread: 0.0,
            strain: 0.0,
            strained_spread: 0.0,
            widest: 0.0,
            additions: DEPTH + LANES,
        };
        for range in self.ranges {
            for start in range.clone().step_by(LANES * DEPTH) {
                let mut block = LaneSums::<D>::default();
                let end = (start + LANES * DEPTH).min(range.end);
                for lane in (start..end).step_by(LANES) {
                    block.add(any, &self.load(lane, (end - lane).min(LANES)), &self.offset);
                }
                block.join(&mut sums);
            }
        }
        sums
    }
}

/// Eight sources: `δ` per axis, and weights; those beyond the end weigh nothing.
struct Lanes<const D: usize> {
    deltas: [[f64; LANES]; D],
    weights: [f64; LANES],
}

impl<const D: usize> Sum<'_, D> {
    #[inline(always)]
    fn load(&self, start: usize, count: usize) -> Lanes<D> {
        let sources = self.direct.sources;
        let mut lanes = Lanes { deltas: [[0.0; LANES]; D], weights: [0.0; LANES] };
        for axis in 0..D {
            let coordinates = &sources.sorted.coordinates[axis][start..start + count];
            let (reference, scale) = (self.reference[axis], self.direct.scale);
            let deltas = &mut lanes.deltas[axis];
            match <&[f64; LANES]>::try_from(coordinates) {
                Ok(full) => {
                    for i in 0..LANES {
                        deltas[i] = (full[i] - reference) * scale;
                    }
                }
                Err(_) => {
                    for (delta, z) in deltas.iter_mut().zip(coordinates) {
                        *delta = (z - reference) * scale;
                    }
                }
            }
        }
        match &sources.weights {
            Some(weights) => lanes.weights[..count].copy_from_slice(&weights[start..start + count]),
            None => lanes.weights[..count].fill(1.0),
        }
        lanes
    }
}

/// `e^{−q}`; zero for `q >` [`LARGEST`] and for what is not a number.
#[inline(always)]
fn decays<V: Vector<Scalar = f64>>(any: V, q: &[f64; LANES]) -> [f64; LANES] {
    let mut decays = [0.0; LANES];
    for at in (0..LANES).step_by(V::WIDTH) {
        let q = any.load(&q[at..]);
        let [power] = V::exp2_minus(any.splat(LOG2_E), [q.max(any.splat(-LARGEST))]);
        power.where_at_most(q, any.splat(LARGEST)).store(&mut decays[at..]);
    }
    decays
}

/// [`Sums`], one per lane.
struct LaneSums<const D: usize> {
    mass: [f64; LANES],
    first: [[f64; LANES]; D],
    spread: [f64; LANES],
    strain: [f64; LANES],
    strained_spread: [f64; LANES],
    widest: [f64; LANES],
}

impl<const D: usize> Default for LaneSums<D> {
    #[inline(always)]
    fn default() -> Self {
        let zero = [0.0; LANES];
        Self { mass: zero, first: [zero; D], spread: zero, strain: zero, strained_spread: zero, widest: zero }
    }
}

impl<const D: usize> LaneSums<D> {
    #[inline(always)]
    fn add<V: Vector<Scalar = f64>>(&mut self, any: V, lanes: &Lanes<D>, offset: &[f64; D]) {
        let [mut exponents, mut strains, mut extents] = [[0.0; LANES]; 3];
        for (deltas, offset) in lanes.deltas.iter().zip(offset) {
            for i in 0..LANES {
                let delta = deltas[i];
                exponents[i] = V::fused(delta, V::fused(0.5, delta, -offset), exponents[i]);
                strains[i] = V::fused(delta.abs(), V::fused(0.5, delta.abs(), offset.abs()), strains[i]);
                extents[i] += delta.abs();
            }
        }
        let mut weights = decays(any, &exponents);
        for i in 0..LANES {
            weights[i] *= lanes.weights[i];
            // A term that vanished must not turn into 0·∞ where coordinates are huge.
            let counts = weights[i] > 0.0;
            let strain = if counts { strains[i] } else { 0.0 };
            let extent = if counts { extents[i] } else { 0.0 };
            self.mass[i] += weights[i];
            for axis in 0..D {
                let delta = if counts { lanes.deltas[axis][i] } else { 0.0 };
                self.first[axis][i] = V::fused(weights[i], delta, self.first[axis][i]);
            }
            self.spread[i] = V::fused(weights[i], extent, self.spread[i]);
            self.strain[i] = V::fused(weights[i], strain, self.strain[i]);
            self.strained_spread[i] = V::fused(weights[i] * strain, extent, self.strained_spread[i]);
            self.widest[i] = if extent > self.widest[i] { extent } else { self.widest[i] };
        }
    }

    #[inline(always)]
    fn join(&self, sums: &mut Sums<D>) {
        let total = |lanes: &[f64; LANES]| lanes.iter().sum::<f64>();
        sums.mass += total(&self.mass);
        (0..D).for_each(|axis| sums.first[axis] += total(&self.first[axis]));
        sums.spread += total(&self.spread);
        sums.strain += total(&self.strain);
        sums.strained_spread += total(&self.strained_spread);
        sums.widest = self.widest.iter().fold(sums.widest, |a, b| a.max(*b));
        sums.additions += 1;
    }
}

/// Finds the source with the largest `ln ω − β|x − z|²/2`. Far away all squares agree to the last digit, so they are compared
/// by their differences from that of some source `from`: with `δ = √β(z − from)` and `y = √β(x − from)` that is `δ(δ/2 − y)`.
struct Heaviest<'a, const D: usize> {
    direct: &'a Direct<'a, D>,
    ranges: &'a [Range<usize>],
    target: &'a [f64; D],
    from: [f64; D],
    logs: Option<&'a [f64]>,
}

/// A source and its `δ(δ/2 − y) − ln ω`; none where all are infinite.
struct Found {
    place: Option<usize>,
    penalty: f64,
}

impl<const D: usize> Program for Heaviest<'_, D> {
    type Scalar = f64;
    type Output = Found;

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, _: V) -> Found {
        let mut found = Found { place: None, penalty: f64::INFINITY };
        for range in self.ranges {
            for start in range.clone().step_by(DEPTH) {
                let mut penalties = [f64::INFINITY; DEPTH];
                let count = DEPTH.min(range.end - start);
                self.penalties::<V>(start, &mut penalties[..count]);
                let mut smallest = f64::INFINITY;
                for &penalty in &penalties {
                    smallest = if penalty < smallest { penalty } else { smallest };
                }
                if smallest < found.penalty {
                    let at = penalties.iter().position(|&p| p == smallest).unwrap_or(0);
                    found = Found { place: Some(start + at), penalty: smallest };
                }
            }
        }
        found
    }
}

impl<const D: usize> Heaviest<'_, D> {
    #[inline(always)]
    fn penalties<V: Vector<Scalar = f64>>(&self, start: usize, penalties: &mut [f64]) {
        penalties.fill(0.0);
        let scale = self.direct.scale;
        for axis in 0..D {
            let coordinates = &self.direct.sources.sorted.coordinates[axis][start..start + penalties.len()];
            let offset = (self.target[axis] - self.from[axis]) * scale;
            for (penalty, z) in penalties.iter_mut().zip(coordinates) {
                let delta = (z - self.from[axis]) * scale;
                *penalty = V::fused(delta, V::fused(0.5, delta, -offset), *penalty);
            }
        }
        if let Some(logs) = self.logs {
            let logs = &logs[start..start + penalties.len()];
            for (penalty, log) in penalties.iter_mut().zip(logs) {
                *penalty -= log;
            }
        }
    }
}
