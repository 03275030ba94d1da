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

use super::cutoff::{Budget, Cutoff, Omitted};
use super::kernel::{Lane, TILE, ZERO};
use super::order::{Depth, kd_order};
use super::outcome::Outcome;
use super::rounding::{Found, lost};
use super::sources::Sources;
use super::tiled::Truncation;
use super::tiles::Tiles;
use super::{Drift, DriftField, Targets, Tolerance};
use crate::cloud::{CloudView, check_points};
use crate::error::{Error, Result};
use crate::parallel;
use crate::scale::Beta;
use crate::simd::{Instructions, PowersOfTwo};
use kiddo::{ImmutableKdTree, SquaredEuclidean};

/// Terms summed up before they join the total: shorter chains of additions round less.
const BATCH: usize = 64;

/// Dimensions that the drift serves.
const MOST: usize = 8;

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
    fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()> {
        let d = cloud.dimension;
        if d > MOST {
            return Err(Error::InvalidParameter {
                name: "dimension for the kdtree drift",
                value: d as f64,
                requirement: "at most 8 (a k-d tree does not help beyond); use the blocks or the dense drift",
            });
        }
        check_points(cloud.points, d, "the cloud of sources")?;
        let points = match targets {
            Targets::Sources => cloud.points,
            Targets::Points(points) => points,
        };
        check_points(points, d, "the set of targets")?;
        field.reset(points.len() / d, d);
        let truncation = Truncation::within(self.tolerance.for_kernel(beta));
        let sources = Sources::new(cloud, points, beta, truncation)?;
        let mut rows: Vec<usize> = (0..points.len() / d).collect();
        kd_order(points, d, Depth::Tiles, &mut rows);
        let own = matches!(targets, Targets::Sources).then(|| places(&sources.tiles, cloud.len()));
        let request = Request { sources, points, rows, own };
        let outcomes = match d {
            1 => request.outcomes::<ImmutableKdTree<f64, 1>, 1>()?,
            2 => request.outcomes::<ImmutableKdTree<f64, 2>, 2>()?,
            3 => request.outcomes::<ImmutableKdTree<f64, 3>, 3>()?,
            _ => request.outcomes::<TileTree, MOST>()?,
        };
        request.rows.chunks(TILE).zip(&outcomes).for_each(|(rows, outcome)| outcome.scatter(rows, field));
        Ok(())
    }
}

/// Where each row of the cloud stands among the sources, if it has weight.
fn places(tiles: &Tiles, rows: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; rows];
    let members = (0..tiles.len()).flat_map(|tile| tiles.members(tile));
    members.enumerate().for_each(|(place, &row)| places[row] = Some(place));
    places
}

/// An evaluation before its dimension is a constant.
struct Request<'a> {
    sources: Sources,
    /// The targets, row by row.
    points: &'a [f64],
    /// Their rows in the order of a tree.
    rows: Vec<usize>,
    /// For a self-drift: which source each target is, if it has weight.
    own: Option<Vec<Option<usize>>>,
}

impl Request<'_> {
    fn outcomes<I: Index<D>, const D: usize>(&self) -> Result<Vec<Outcome>> {
        let search = Search::<I, D>::new(self)?;
        let tiles: Vec<&[usize]> = self.rows.chunks(TILE).collect();
        Ok(parallel::map(tiles.len(), &|tile| search.drift(tiles[tile])))
    }
}

/// Finds sources by where they are, in tile units. Points have `D` coordinates; those beyond the cloud's dimension are zero.
trait Index<const D: usize>: Sized + Sync {
    fn new(points: &[[f64; D]], sources: &Sources) -> Result<Self>;
    /// The nearest source and its squared distance.
    fn nearest(&self, x: &[f64; D], sources: &Sources) -> (usize, f64);
    /// Shows all sources within a radius to `visit`.
    fn within(&self, x: &[f64; D], radius_2: f64, sources: &Sources, visit: impl FnMut(usize));
}

impl<const D: usize> Index<D> for ImmutableKdTree<f64, D> {
    fn new(points: &[[f64; D]], _: &Sources) -> Result<Self> {
        Self::new_from_slice(points).map_err(|_| Error::InvalidParameter {
            name: "number of sources for the kdtree drift",
            value: points.len() as f64,
            requirement: "below 2^32; use the blocks or the dense drift",
        })
    }

    fn nearest(&self, x: &[f64; D], _: &Sources) -> (usize, f64) {
        let nearest = self.query(x).nearest_one::<SquaredEuclidean<f64>>().execute();
        (nearest.item as usize, nearest.distance)
    }

    fn within(&self, x: &[f64; D], radius_2: f64, _: &Sources, mut visit: impl FnMut(usize)) {
        let query = self.query(x);
        query.within::<SquaredEuclidean<f64>>(radius_2).unsorted().visit(|found| visit(found.item as usize));
    }
}

/// The tree over the tiles, for dimensions in which every k-d tree has to look at much of the cloud.
struct TileTree;

impl Index<MOST> for TileTree {
    fn new(_: &[[f64; MOST]], _: &Sources) -> Result<Self> {
        Ok(Self)
    }

    fn nearest(&self, x: &[f64; MOST], sources: &Sources) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        sources.tree.walk(|_, node| {
            let near = node.bounds.distance_2(x) < best.1;
            if near && node.is_leaf() {
                let (first, count) = (node.tiles.start * TILE, node.points);
                let distances_2 = distances_2(&sources.tiles, node.tiles.start, x);
                let places = (first..).zip(&distances_2[..count]);
                best = places.fold(best, |best, (place, &it)| if it < best.1 { (place, it) } else { best });
            }
            near
        });
        best
    }

    fn within(&self, x: &[f64; MOST], radius_2: f64, sources: &Sources, mut visit: impl FnMut(usize)) {
        sources.tree.walk(|_, node| {
            let near = node.bounds.distance_2(x) <= radius_2;
            if near && node.is_leaf() {
                let (first, count) = (node.tiles.start * TILE, node.points);
                let distances_2 = distances_2(&sources.tiles, node.tiles.start, x);
                let places = (first..).zip(&distances_2[..count]);
                places.filter(|it| *it.1 <= radius_2).for_each(|it| visit(it.0));
            }
            near
        });
    }
}

/// Squared distances from a point to those of a tile.
fn distances_2(tiles: &Tiles, tile: usize, x: &[f64; MOST]) -> Lane {
    let mut distances_2 = ZERO;
    for (lane, x) in tiles.lanes(tile)[..tiles.dimension()].iter().zip(x) {
        distances_2.iter_mut().zip(lane.iter()).for_each(|(distance_2, z)| *distance_2 += (z - x).powi(2));
    }
    distances_2
}

/// The sources of positive weight, by their places in the tiles, and where to look for them.
struct Search<'a, I, const D: usize> {
    request: &'a Request<'a>,
    index: I,
    /// In tile units.
    points: Vec<[f64; D]>,
    weights: Vec<f64>,
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
struct Sums<const D: usize> {
    moment: [f64; D],
    mass: f64,
    weight: f64,
    count: usize,
}

impl<'a, I: Index<D>, const D: usize> Search<'a, I, D> {
    fn new(request: &'a Request<'a>) -> Result<Self> {
        let (sources, tiles, d) =
            (&request.sources, &request.sources.tiles, request.sources.tiles.dimension());
        let places =
            || (0..tiles.len()).flat_map(|tile| (0..tiles.members(tile).len()).map(move |k| (tile, k)));
        let point = |(tile, place): (usize, usize)| {
            std::array::from_fn(|k| if k < d { tiles.lanes(tile)[k][place] } else { 0.0 })
        };
        let points: Vec<[f64; D]> = places().map(point).collect();
        let weights = places().map(|(tile, place)| tiles.lanes(tile)[d][place]).collect();
        Ok(Self { request, index: I::new(&points, sources)?, points, weights })
    }

    fn reference(&self, target: &[f64; D], row: usize) -> Reference<D> {
        match self.request.own.as_ref().and_then(|own| own[row]) {
            Some(source) => Reference { at: *target, weight: self.weights[source], distance_2: 0.0 },
            None => {
                let (source, distance_2) = self.index.nearest(target, &self.request.sources);
                Reference { at: self.points[source], weight: self.weights[source], distance_2 }
            }
        }
    }

    /// A target in tile units.
    fn target(&self, row: usize) -> [f64; D] {
        let Request { sources, points, .. } = self.request;
        let d = sources.tiles.dimension();
        std::array::from_fn(|k| if k < d { points[row * d + k] * sources.units.per_length } else { 0.0 })
    }

    fn drift(&self, rows: &[usize]) -> Outcome {
        let mut outcome = Outcome::new(self.request.sources.tiles.dimension());
        let mut batch = Batch::empty();
        for (place, &row) in rows.iter().enumerate() {
            let target = self.target(row);
            self.drift_of(&target, &self.reference(&target, row), place, &mut batch, &mut outcome);
        }
        outcome
    }

    fn drift_of(
        &self,
        target: &[f64; D],
        reference: &Reference<D>,
        place: usize,
        batch: &mut Batch<D>,
        outcome: &mut Outcome,
    ) {
        let sources = &self.request.sources;
        let Sources { units, norm, .. } = sources;
        let exponent = units.sharpness * reference.distance_2;
        let cutoff_2 = self.cutoff_2(exponent - reference.weight.log2());
        let sums = self.sum(target, reference, cutoff_2, batch);
        let offset = reference.offset(target);
        for (velocity, (moment, offset)) in outcome.velocity.iter_mut().zip(sums.moment.iter().zip(offset)) {
            velocity[place] = (moment / sums.mass - offset) * units.length;
        }
        let speed = outcome.speed(place);
        let log_mass = sums.mass.ln() - exponent * std::f64::consts::LN_2;
        outcome.log_mass[place] = log_mass - norm.ln();
        outcome.truncation[place] = self.left_out(&sums, cutoff_2, exponent, speed);
        let arithmetic = sources.arithmetic(BATCH + sums.count.div_ceil(BATCH));
        let total = sources.total();
        let found = Found { speed, log_mass: log_mass - total.ln(), lost: lost(sums.mass / total) };
        outcome.rounding[place] = if reference.distance_2 == 0.0 {
            arithmetic.bound(found)
        } else {
            let offset = offset.iter().fold(0.0_f64, |norm, x| norm.hypot(*x)) * units.length;
            arithmetic.bound_from_reference(found, offset)
        };
        outcome.pairs += sums.count as u64;
    }

    /// `r_c²` for a target whose mass is at least `2^−mass_deficit`.
    fn cutoff_2(&self, mass_deficit: f64) -> f64 {
        let sources = &self.request.sources;
        let (total, heaviest) = (sources.total(), sources.total().log2());
        let Sources { tolerance, units, .. } = *sources;
        let sharpness = units.sharpness;
        let budget =
            Budget { sharpness, tolerance, tiles: 1, total, heaviest, largest_deficit: mass_deficit };
        Cutoff::new(budget).least_gap_2(heaviest + mass_deficit)
    }

    /// Sums over all sources within the cutoff.
    fn sum(
        &self,
        target: &[f64; D],
        reference: &Reference<D>,
        cutoff_2: f64,
        batch: &mut Batch<D>,
    ) -> Sums<D> {
        let sources = &self.request.sources;
        let doubled = reference.offset(target).map(|offset| 2.0 * offset);
        let mut total = Sums { moment: [0.0; D], mass: 0.0, weight: 0.0, count: 0 };
        self.index.within(target, cutoff_2, sources, |source| {
            let arm: [f64; D] = std::array::from_fn(|k| self.points[source][k] - reference.at[k]);
            let excess: f64 = (0..D).map(|k| arm[k] * (arm[k] - doubled[k])).sum();
            batch.arms[batch.count] = arm;
            batch.weights[batch.count] = self.weights[source];
            batch.exponents[batch.count] = (sources.units.sharpness * excess).max(SMALLEST_EXPONENT);
            batch.count += 1;
            if batch.count == BATCH {
                total.join(batch, sources.instructions);
            }
        });
        total.join(batch, sources.instructions);
        total
    }

    /// The certificate, in the cloud's units.
    fn left_out(&self, sums: &Sums<D>, cutoff_2: f64, exponent: f64, speed: f64) -> f64 {
        let Sources { units, weighted, .. } = &self.request.sources;
        let (count, total) = (self.points.len(), self.request.sources.total());
        if sums.count == count {
            return 0.0;
        }
        // The difference of two rounded sums: never less than the true one.
        let rounding = f64::EPSILON * count as f64 * total;
        let weight = if *weighted { (total - sums.weight).max(0.0) + rounding } else { total - sums.weight };
        let mut omitted = Omitted::default();
        omitted.add(weight, cutoff_2, units.sharpness, exponent);
        omitted.bound(speed * units.per_length, sums.mass) * units.length
    }
}

/// Neighbours that were found and not summed up yet.
struct Batch<const D: usize> {
    /// `z − m`
    arms: [[f64; D]; BATCH],
    weights: [f64; BATCH],
    exponents: [f64; BATCH],
    count: usize,
}

impl<const D: usize> Batch<D> {
    fn empty() -> Self {
        Self { arms: [[0.0; D]; BATCH], weights: [0.0; BATCH], exponents: [0.0; BATCH], count: 0 }
    }
}

impl<const D: usize> Sums<D> {
    /// Adds a batch, and empties it.
    fn join(&mut self, batch: &mut Batch<D>, instructions: Instructions) {
        let count = std::mem::take(&mut batch.count);
        instructions.run(PowersOfTwo(&mut batch.exponents[..count.next_multiple_of(8)]));
        let (mut moment, mut mass, mut weights) = ([0.0; D], 0.0, 0.0);
        let neighbours = batch.arms[..count].iter().zip(&batch.weights).zip(&batch.exponents);
        for ((arm, weight), power) in neighbours {
            let term = weight * power;
            moment.iter_mut().zip(arm).for_each(|(moment, arm)| *moment += term * arm);
            mass += term;
            weights += weight;
        }
        self.moment.iter_mut().zip(moment).for_each(|(sum, moment)| *sum += moment);
        self.mass += mass;
        self.weight += weights;
        self.count += count;
    }
}
