//! The truncated sum by neighbour search in a k-d tree: the plain form of truncation, one target and one neighbour at a time.
//!
//! # Formula
//! A target `x` has a reference source `m` at distance `ρ`: itself, or the nearest source. Its mass is at least `D_low = ω_m 2^(−κρ²)`, and sources beyond
//! `r_c` move its drift by at most
//!
//! ```text
//! |F − F^c| ≤ (Ω − Ω_kept) 2^(−κ r_c²)(r_c + |v^c|)/D^c,      r_c ≥ β^(−1/2),
//! ```
//!
//! where `Ω` is the total weight (`N` for equal weights). The cutoff is the smallest `r_c` that makes `Ω 2^(−κ r_c²)(r_c + V)/D_low` at most `ε`, with
//! `V = (log₂(Ω/D_low)/κ)^(1/2)` bounding every drift; the bound reported uses what was really left out.

use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;

use super::cutoff::{Budget, Cutoff, Omitted};
use super::kernel::TILE;
use super::order::{Depth, kd_order};
use super::outcome::Outcome;
use super::rounding::Arithmetic;
use super::units::{Units, largest_magnitude};
use super::{Drift, DriftField, Targets, Tolerance, check};
use crate::cloud::CloudView;
use crate::error::{Error, Result};
use crate::scale::Beta;

/// Terms summed up before they join the total: shorter chains of additions round less.
const BATCH: usize = 64;

/// No source is nearer than the reference: an exponent below this has lost all its digits to rounding.
const SMALLEST_EXPONENT: f64 = -1.0;

/// The sum over neighbours found in a k-d tree that is rebuilt for every evaluation. Simple and obviously right; [`Blocks`](super::Blocks) truncates
/// by the same rule and is faster.
///
/// ```
/// use ebflow::drift::{KdTree, Tolerance};
/// use ebflow::{Beta, Cloud, Drift, DriftField, Targets};
/// let cloud = Cloud::new((0..1000).map(|i| i as f64).collect(), 1)?;
/// let kdtree = KdTree { tolerance: Tolerance::new(1e-3)? };
/// let mut field = DriftField::default();
/// kdtree.evaluate(cloud.view(), Targets::Sources, Beta::new(0.1)?, &mut field)?;
/// assert!(field.pairs < 50_000);
/// assert!(field.truncation.iter().all(|bound| *bound <= 1e-3));
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct KdTree {
    /// Bound on the truncation error of every drift.
    pub tolerance: Tolerance,
}

impl Drift for KdTree {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        let request = Request { sources, targets, beta, tolerance: self.tolerance.for_kernel(beta) };
        match sources.dimension {
            1 => request.evaluate::<1>(field),
            2 => request.evaluate::<2>(field),
            3 => request.evaluate::<3>(field),
            4 => request.evaluate::<4>(field),
            5 => request.evaluate::<5>(field),
            6 => request.evaluate::<6>(field),
            7 => request.evaluate::<7>(field),
            8 => request.evaluate::<8>(field),
            more => Err(Error::InvalidParameter {
                name: "dimension for the kdtree drift",
                value: more as f64,
                requirement: "at most 8 (a k-d tree does not help beyond); use the blocks or the dense drift",
            }),
        }
    }
}

/// An evaluation before its dimension is a constant.
struct Request<'a> {
    sources: CloudView<'a>,
    targets: Targets<'a>,
    beta: Beta,
    tolerance: f64,
}

impl Request<'_> {
    fn evaluate<const D: usize>(&self, field: &mut DriftField) -> Result<()> {
        check(self.sources.points, D, "the cloud of sources")?;
        let points = match self.targets {
            Targets::Sources => self.sources.points,
            Targets::Points(points) => points,
        };
        check(points, D, "the set of targets")?;
        field.reset(points.len() / D, D);
        let search = Search::<D>::new(self, points)?;
        let mut rows: Vec<usize> = (0..points.len() / D).collect();
        kd_order(points, D, Depth::Tiles, &mut rows);
        let outcomes: Vec<Outcome> = rows.par_chunks(TILE).map(|rows| search.drift(points, rows)).collect();
        rows.chunks(TILE).zip(&outcomes).for_each(|(rows, outcome)| outcome.scatter(rows, field));
        Ok(())
    }
}

/// The sources of positive weight, in tile units, and their tree.
struct Search<const D: usize> {
    tree: ImmutableKdTree<f64, D>,
    points: Vec<[f64; D]>,
    weights: Option<Vec<f64>>,
    /// For a self-drift: which source each target is, if it has weight.
    own: Option<Vec<Option<usize>>>,
    units: Units,
    beta: Beta,
    tolerance: f64,
    total: f64,
    diameter: f64,
}

/// The source that a target's exponents are measured from.
struct Reference<const D: usize> {
    at: [f64; D],
    weight: f64,
    /// `ρ²`
    distance_2: f64,
}

impl<const D: usize> Reference<D> {
    /// `x − m`
    fn offset(&self, target: &[f64; D]) -> [f64; D] {
        std::array::from_fn(|k| target[k] - self.at[k])
    }
}

/// The sums of one target, relative to its reference.
#[derive(Clone, Copy)]
struct Sums<const D: usize> {
    moment: [f64; D],
    mass: f64,
    weight: f64,
    count: usize,
}

impl<const D: usize> Search<D> {
    fn new(request: &Request<'_>, targets: &[f64]) -> Result<Self> {
        let cloud = request.sources;
        let units =
            Units::new(request.beta, largest_magnitude(cloud.points).max(largest_magnitude(targets)))?;
        let weight = |i: usize| cloud.weights.map_or(1.0, |weights| weights[i]);
        let members: Vec<usize> = (0..cloud.len()).filter(|&i| weight(i) > 0.0).collect();
        if members.is_empty() {
            return Err(Error::Empty { what: "the set of sources of positive weight".into() });
        }
        let points: Vec<[f64; D]> = members.iter().map(|&i| scaled(cloud.points, i, units)).collect();
        let tree = ImmutableKdTree::new_from_slice(&points).map_err(|_| Error::InvalidParameter {
            name: "number of sources for the kdtree drift",
            value: points.len() as f64,
            requirement: "below 2^32; use the blocks or the dense drift",
        })?;
        let own = matches!(request.targets, Targets::Sources).then(|| {
            let mut own = vec![None; cloud.len()];
            members.iter().enumerate().for_each(|(place, &i)| own[i] = Some(place));
            own
        });
        let weights = cloud.weights.map(|weights| members.iter().map(|&i| weights[i]).collect::<Vec<f64>>());
        Ok(Self {
            total: weights.as_ref().map_or(points.len() as f64, |weights| weights.iter().sum()),
            diameter: diagonal(&points) * units.length,
            tree,
            points,
            weights,
            own,
            units,
            beta: request.beta,
            tolerance: request.tolerance * units.per_length,
        })
    }

    fn weight(&self, source: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[source])
    }

    fn reference(&self, target: &[f64; D], row: usize) -> Reference<D> {
        match self.own.as_ref().and_then(|own| own[row]) {
            Some(source) => Reference { at: *target, weight: self.weight(source), distance_2: 0.0 },
            None => {
                let nearest = self.tree.query(target).nearest_one::<SquaredEuclidean<f64>>().execute();
                let source = nearest.item as usize;
                Reference {
                    at: self.points[source],
                    weight: self.weight(source),
                    distance_2: nearest.distance,
                }
            }
        }
    }

    fn drift(&self, points: &[f64], rows: &[usize]) -> Outcome {
        let mut outcome = Outcome::new(D);
        for (place, &row) in rows.iter().enumerate() {
            let target = scaled(points, row, self.units);
            self.drift_of(&target, self.reference(&target, row), place, &mut outcome);
        }
        outcome
    }

    fn drift_of(&self, target: &[f64; D], reference: Reference<D>, place: usize, outcome: &mut Outcome) {
        let exponent = self.units.sharpness * reference.distance_2;
        let faintness = exponent - reference.weight.log2();
        let cutoff_2 = self.cutoff_2(faintness);
        let sums = self.sum(target, &reference, cutoff_2);
        let offset = reference.offset(target);
        for (velocity, (moment, offset)) in outcome.velocity.iter_mut().zip(sums.moment.iter().zip(offset)) {
            velocity[place] = (moment / sums.mass - offset) * self.units.length;
        }
        let speed = outcome.speed(place);
        let log_mass = sums.mass.ln() - exponent * std::f64::consts::LN_2;
        let norm = if self.weights.is_some() { 1.0 } else { self.total };
        outcome.log_mass[place] = log_mass - norm.ln();
        outcome.truncation[place] = self.left_out(&sums, cutoff_2, exponent, speed);
        let additions = BATCH + sums.count.div_ceil(BATCH);
        let arithmetic = Arithmetic { beta: self.beta, dimension: D, additions };
        let log_share = log_mass - self.total.ln();
        outcome.rounding[place] = if reference.distance_2 == 0.0 {
            arithmetic.bound(speed, log_share)
        } else {
            let offset = offset.iter().fold(0.0_f64, |norm, x| norm.hypot(*x)) * self.units.length;
            arithmetic.bound_from_reference(speed, log_share, offset, self.diameter)
        };
        outcome.pairs += sums.count as u64;
    }

    /// `r_c²` for a target whose mass is at least `2^−faintness`.
    fn cutoff_2(&self, faintness: f64) -> f64 {
        let (tiles, heaviest) = (1, self.total.log2());
        let Self { tolerance, total, .. } = *self;
        let budget = Budget {
            sharpness: self.units.sharpness,
            tolerance,
            tiles,
            total,
            heaviest,
            faintest: faintness,
        };
        Cutoff::new(budget).least_gap_2(heaviest + faintness)
    }

    /// Sums over all sources within the cutoff.
    fn sum(&self, target: &[f64; D], reference: &Reference<D>, cutoff_2: f64) -> Sums<D> {
        let doubled = reference.offset(target).map(|offset| 2.0 * offset);
        let nothing = Sums { moment: [0.0; D], mass: 0.0, weight: 0.0, count: 0 };
        let (mut total, mut batch) = (nothing, nothing);
        self.tree.query(target).within::<SquaredEuclidean<f64>>(cutoff_2).unsorted().visit(|neighbour| {
            let source = neighbour.item as usize;
            let arm: [f64; D] = std::array::from_fn(|k| self.points[source][k] - reference.at[k]);
            let excess: f64 = (0..D).map(|k| arm[k] * (arm[k] - doubled[k])).sum();
            let weight = self.weight(source);
            let exponent = (self.units.sharpness * excess).max(SMALLEST_EXPONENT);
            batch.add(weight, weight * (-exponent).exp2(), arm);
            if batch.count == BATCH {
                total.join(&batch);
                batch = nothing;
            }
        });
        total.join(&batch);
        total
    }

    /// The certificate, in the cloud's units.
    fn left_out(&self, sums: &Sums<D>, cutoff_2: f64, exponent: f64, speed: f64) -> f64 {
        if sums.count == self.points.len() {
            return 0.0;
        }
        // The difference of two rounded sums: never less than the true one.
        let rounding = f64::EPSILON * self.points.len() as f64 * self.total;
        let weight = if self.weights.is_some() {
            (self.total - sums.weight).max(0.0) + rounding
        } else {
            self.total - sums.weight
        };
        let mut omitted = Omitted::default();
        omitted.add(weight, cutoff_2, self.units.sharpness, exponent);
        omitted.bound(speed * self.units.per_length, sums.mass) * self.units.length
    }
}

impl<const D: usize> Sums<D> {
    fn add(&mut self, weight: f64, term: f64, arm: [f64; D]) {
        self.moment.iter_mut().zip(arm).for_each(|(moment, arm)| *moment += term * arm);
        self.mass += term;
        self.weight += weight;
        self.count += 1;
    }

    fn join(&mut self, other: &Self) {
        self.moment.iter_mut().zip(other.moment).for_each(|(moment, other)| *moment += other);
        self.mass += other.mass;
        self.weight += other.weight;
        self.count += other.count;
    }
}

/// A row of row-major points in tile units.
fn scaled<const D: usize>(points: &[f64], row: usize, units: Units) -> [f64; D] {
    std::array::from_fn(|k| points[row * D + k] * units.per_length)
}

/// Diagonal of the box around points.
fn diagonal<const D: usize>(points: &[[f64; D]]) -> f64 {
    let extent = |k: usize| {
        let low = points.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max);
        high - low
    };
    (0..D).map(extent).fold(0.0, f64::hypot)
}
