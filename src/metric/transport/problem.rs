//! [`Problem`]: what is left of two clouds when coincident points are merged and common mass is cancelled.
//!
//! # Formula
//! For a metric cost `W1(μ, ν)` depends on `μ − ν` only: mass that both clouds hold at the same place stays
//! there. What remains lives in coordinates scaled by a power of two such that the widest axis spans `[1/2,
//! 1)`. Nothing is shifted: differences of the given coordinates are more accurate than differences of shifted
//! ones.

use std::cmp::Ordering;

use super::mass::Masses;
use crate::cloud::{Cloud, norm};

/// Points in scaled coordinates with the mass they send or receive.
#[derive(Debug, Clone, Default)]
pub(super) struct Points {
    pub(super) coordinates: Vec<f64>,
    pub(super) masses: Vec<i64>,
    /// For each the first row of its cloud at this place.
    pub(super) rows: Vec<usize>,
}

/// A power of two by which lengths were divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    exponent: i32,
}

/// Sources and targets without a common point.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) dimension: usize,
    pub(super) sources: Points,
    pub(super) targets: Points,
    /// Units of mass in each whole cloud.
    pub(super) total: i64,
    pub(super) unit: Unit,
    /// How far rounding of the weights may have moved the distance.
    pub(super) weight_rounding: f64,
}

impl Unit {
    /// The unit in which a positive length lies in `[1/2, 1)`.
    fn of(length: f64) -> Self {
        let exponent = |normal: f64| (normal.to_bits() >> 52) as i32 - 1022;
        let subnormal = length < f64::MIN_POSITIVE;
        Self { exponent: if subnormal { exponent(length * 2.0_f64.powi(60)) - 60 } else { exponent(length) } }
    }

    /// The unit of the widest extent of row-major points; one where all are the same.
    pub(super) fn spanning<'a>(points: impl Iterator<Item = &'a f64> + Clone, dimension: usize) -> Self {
        let widest = widths(points.clone(), dimension).into_iter().fold(0.0, f64::max);
        if widest.is_finite() {
            return if widest > 0.0 { Self::of(widest) } else { Self { exponent: 0 } };
        }
        let halves: Vec<f64> = points.map(|x| x / 2.0).collect();
        let widest = widths(halves.iter(), dimension).into_iter().fold(0.0, f64::max);
        Self { exponent: Self::of(widest).exponent + 1 }
    }

    /// A length in this unit.
    pub(super) fn scale(self, length: f64) -> f64 {
        times_power_of_two(length, -self.exponent)
    }

    /// A length given in this unit.
    pub(super) fn restore(self, length: f64) -> f64 {
        times_power_of_two(length, self.exponent)
    }
}

/// `x·2^k` in two steps, because `2^k` itself may be out of range.
fn times_power_of_two(x: f64, k: i32) -> f64 {
    x * 2.0_f64.powi(k / 2) * 2.0_f64.powi(k - k / 2)
}

impl Problem {
    /// Reduces two clouds of the same dimension.
    pub(super) fn between(first: &Cloud, second: &Cloud) -> Self {
        let dimension = first.dimension();
        let masses = Masses::of(first, second);
        let mut problem = Self {
            dimension,
            sources: Points::default(),
            targets: Points::default(),
            total: masses.total,
            unit: Unit { exponent: 0 },
            weight_rounding: 0.0,
        };
        if masses.rounding > 0.0 {
            let widths = widths(first.points().iter().chain(second.points()), dimension);
            problem.weight_rounding = masses.rounding * norm(&widths);
        }
        problem.cancel(first, second, &masses);
        if !problem.is_trivial() {
            problem.rescale();
        }
        problem
    }

    /// True when the clouds are the same measure.
    pub(super) fn is_trivial(&self) -> bool {
        self.sources.masses.is_empty()
    }

    /// Walks through all points in lexicographic order and keeps the net mass of each place.
    fn cancel(&mut self, first: &Cloud, second: &Cloud, masses: &Masses) {
        let clouds = [(first, &masses.first), (second, &masses.second)];
        let point =
            |(side, row): (usize, usize)| &clouds[side].0.points()[row * self.dimension..][..self.dimension];
        let mass = |(side, row): (usize, usize)| clouds[side].1[row];
        let rows = |side: usize| (0..clouds[side].0.len()).map(move |row| (side, row));
        let mut places: Vec<_> = rows(0).chain(rows(1)).filter(|&at| mass(at) > 0).collect();
        places.sort_unstable_by(|&a, &b| lexicographic(point(a), point(b)).then(a.cmp(&b)));
        let same = |a: &(usize, usize), b: &(usize, usize)| lexicographic(point(*a), point(*b)).is_eq();
        let (mut sources, mut targets) = (Points::default(), Points::default());
        for group in places.chunk_by(same) {
            let net: i64 = group.iter().map(|&at| if at.0 == 0 { mass(at) } else { -mass(at) }).sum();
            let kept = match net.cmp(&0) {
                Ordering::Greater => (&mut sources, 0),
                Ordering::Less => (&mut targets, 1),
                Ordering::Equal => continue,
            };
            if let Some(&at) = group.iter().find(|at| at.0 == kept.1) {
                kept.0.coordinates.extend(point(at));
                kept.0.masses.push(net.abs());
                kept.0.rows.push(at.1);
            }
        }
        (self.sources, self.targets) = (sources, targets);
    }

    /// Sources and targets have no point in common, so some extent is positive.
    fn rescale(&mut self) {
        let all = self.sources.coordinates.iter().chain(&self.targets.coordinates);
        self.unit = Unit::spanning(all, self.dimension);
        let all = self.sources.coordinates.iter_mut().chain(&mut self.targets.coordinates);
        all.for_each(|x| *x = self.unit.scale(*x));
    }
}

/// Compares points by their coordinates; `−0` equals `0`.
fn lexicographic(a: &[f64], b: &[f64]) -> Ordering {
    let differ = a.iter().zip(b).find(|(x, y)| x != y);
    differ.map_or(Ordering::Equal, |(x, y)| x.total_cmp(y))
}

/// The extent of row-major points along each axis.
fn widths<'a>(coordinates: impl Iterator<Item = &'a f64>, dimension: usize) -> Vec<f64> {
    let mut low = vec![f64::INFINITY; dimension];
    let mut high = vec![f64::NEG_INFINITY; dimension];
    for (at, &x) in coordinates.enumerate() {
        low[at % dimension] = low[at % dimension].min(x);
        high[at % dimension] = high[at % dimension].max(x);
    }
    high.iter().zip(&low).map(|(h, l)| h - l).collect()
}
