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
use super::sources::Sources;
use super::tiled::Manner;
use super::{Drift, DriftField, Targets, Tolerance};
use crate::cloud::{CloudView, check_points};
use crate::error::{Error, Result};
use crate::scale::Beta;

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
        let manner = Manner::within(self.tolerance.for_kernel(beta));
        let search = Search::new(Sources::new(cloud, points, beta, manner)?, targets, cloud.len())?;
        let mut rows: Vec<usize> = (0..points.len() / d).collect();
        kd_order(points, d, Depth::Tiles, &mut rows);
        let outcomes: Vec<Outcome> = rows.par_chunks(TILE).map(|rows| search.drift(points, rows)).collect();
        rows.chunks(TILE).zip(&outcomes).for_each(|(rows, outcome)| outcome.scatter(rows, field));
        Ok(())
    }
}

/// Finds sources by where they are, in tile units.
trait Index: Send + Sync {
    /// The nearest source and its squared distance.
    fn nearest(&self, x: &[f64]) -> (usize, f64);
    /// Shows all sources within a radius to `visit`.
    fn within(&self, x: &[f64], radius_2: f64, visit: &mut dyn FnMut(usize));
}

impl<const D: usize> Index for ImmutableKdTree<f64, D> {
    fn nearest(&self, x: &[f64]) -> (usize, f64) {
        let nearest = self.query(&x.as_chunks().0[0]).nearest_one::<SquaredEuclidean<f64>>().execute();
        (nearest.item as usize, nearest.distance)
    }

    fn within(&self, x: &[f64], radius_2: f64, visit: &mut dyn FnMut(usize)) {
        let query = self.query(&x.as_chunks().0[0]);
        query.within::<SquaredEuclidean<f64>>(radius_2).unsorted().visit(|found| visit(found.item as usize));
    }
}

/// The tree over the tiles, for dimensions in which every k-d tree has to look at much of the cloud.
impl Index for Sources {
    fn nearest(&self, x: &[f64]) -> (usize, f64) {
        let mut best = (0, f64::INFINITY);
        self.tree.walk(|_, node| {
            let near = node.bounds.distance_2(x) < best.1;
            if near && node.is_leaf() {
                let distances_2 = self.distances_2(node.tiles.start, x);
                let places = node.tiles.start * TILE..;
                best = places.zip(distances_2).fold(best, |best, it| if it.1 < best.1 { it } else { best });
            }
            near
        });
        best
    }

    fn within(&self, x: &[f64], radius_2: f64, visit: &mut dyn FnMut(usize)) {
        self.tree.walk(|_, node| {
            let near = node.bounds.distance_2(x) <= radius_2;
            if near && node.is_leaf() {
                let places = (node.tiles.start * TILE..).zip(self.distances_2(node.tiles.start, x));
                places.filter(|it| it.1 <= radius_2).for_each(|it| visit(it.0));
            }
            near
        });
    }
}

impl Sources {
    /// Squared distances from a point to those of a tile.
    fn distances_2<'a>(&'a self, tile: usize, x: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let lanes = &self.tiles.lanes(tile)[..x.len()];
        let square = move |place: usize| lanes.iter().zip(x).map(|(lane, x)| (lane[place] - x).powi(2)).sum();
        (0..self.tiles.members(tile).len()).map(square)
    }
}

/// Makes the index of `D`-dimensional points.
fn kiddo<const D: usize>(points: &[f64]) -> Result<Option<Box<dyn Index>>> {
    match ImmutableKdTree::<f64, D>::new_from_slice(points.as_chunks().0) {
        Ok(tree) => Ok(Some(Box::new(tree))),
        Err(_) => Err(Error::InvalidParameter {
            name: "number of sources for the kdtree drift",
            value: (points.len() / D) as f64,
            requirement: "below 2^32; use the blocks or the dense drift",
        }),
    }
}

/// The sources of positive weight, by their places in the tiles, and where to look for them.
struct Search {
    sources: Sources,
    /// Row-major, in tile units.
    points: Vec<f64>,
    weights: Vec<f64>,
    /// None where the tree over the tiles serves.
    kiddo: Option<Box<dyn Index>>,
    /// For a self-drift: which source each target is, if it has weight.
    own: Option<Vec<Option<usize>>>,
}

/// The source that a target's exponents are measured from.
struct Reference<'a> {
    at: &'a [f64],
    weight: f64,
    /// `ρ²`
    distance_2: f64,
}

/// The sums of one target, relative to its reference.
#[derive(Clone, Copy, Default)]
struct Sums {
    moment: [f64; MOST],
    mass: f64,
    weight: f64,
    count: usize,
}

impl Search {
    fn new(sources: Sources, targets: Targets<'_>, rows: usize) -> Result<Self> {
        let (tiles, d) = (&sources.tiles, sources.tiles.dimension());
        let members = || (0..tiles.len()).flat_map(|tile| tiles.members(tile)).enumerate();
        let coordinates =
            |place: usize| tiles.lanes(place / TILE)[..d].iter().map(move |lane| lane[place % TILE]);
        let points: Vec<f64> = members().flat_map(|(place, _)| coordinates(place)).collect();
        let weights = members().map(|(place, _)| tiles.lanes(place / TILE)[d][place % TILE]).collect();
        let own = matches!(targets, Targets::Sources).then(|| {
            let mut own = vec![None; rows];
            members().for_each(|(place, &row)| own[row] = Some(place));
            own
        });
        let kiddo = match d {
            1 => kiddo::<1>(&points)?,
            2 => kiddo::<2>(&points)?,
            3 => kiddo::<3>(&points)?,
            _ => None,
        };
        Ok(Self { points, weights, kiddo, own, sources })
    }

    fn index(&self) -> &dyn Index {
        self.kiddo.as_deref().unwrap_or(&self.sources)
    }

    fn dimension(&self) -> usize {
        self.sources.tiles.dimension()
    }

    fn point(&self, source: usize) -> &[f64] {
        &self.points[source * self.dimension()..][..self.dimension()]
    }

    fn weight(&self, source: usize) -> f64 {
        self.weights[source]
    }

    fn reference<'a>(&'a self, target: &'a [f64], row: usize) -> Reference<'a> {
        match self.own.as_ref().and_then(|own| own[row]) {
            Some(source) => Reference { at: target, weight: self.weight(source), distance_2: 0.0 },
            None => {
                let (source, distance_2) = self.index().nearest(target);
                Reference { at: self.point(source), weight: self.weight(source), distance_2 }
            }
        }
    }

    fn drift(&self, points: &[f64], rows: &[usize]) -> Outcome {
        let (d, mut outcome) = (self.dimension(), Outcome::new(self.dimension()));
        for (place, &row) in rows.iter().enumerate() {
            let scaled = |x: &f64| x * self.sources.units.per_length;
            let target: Vec<f64> = points[row * d..][..d].iter().map(scaled).collect();
            self.drift_of(&target, &self.reference(&target, row), place, &mut outcome);
        }
        outcome
    }

    fn drift_of(&self, target: &[f64], reference: &Reference<'_>, place: usize, outcome: &mut Outcome) {
        let Sources { units, tree, norm, .. } = &self.sources;
        let exponent = units.sharpness * reference.distance_2;
        let cutoff_2 = self.cutoff_2(exponent - reference.weight.log2());
        let sums = self.sum(target, reference, cutoff_2);
        let offset = |k: usize| target[k] - reference.at[k];
        for (k, velocity) in outcome.velocity.iter_mut().enumerate() {
            velocity[place] = (sums.moment[k] / sums.mass - offset(k)) * units.length;
        }
        let speed = outcome.speed(place);
        let log_mass = sums.mass.ln() - exponent * std::f64::consts::LN_2;
        outcome.log_mass[place] = log_mass - norm.ln();
        outcome.truncation[place] = self.left_out(&sums, cutoff_2, exponent, speed);
        let arithmetic = self.sources.arithmetic(BATCH + sums.count.div_ceil(BATCH));
        let log_share = log_mass - self.sources.total().ln();
        let diameter = tree.root().bounds.diagonal() * units.length;
        outcome.rounding[place] = if reference.distance_2 == 0.0 {
            arithmetic.bound(speed, log_share, diameter)
        } else {
            let offset = (0..target.len()).fold(0.0_f64, |norm, k| norm.hypot(offset(k))) * units.length;
            arithmetic.bound_from_reference(speed, log_share, offset, diameter)
        };
        outcome.pairs += sums.count as u64;
    }

    /// `r_c²` for a target whose mass is at least `2^−faintness`.
    fn cutoff_2(&self, faintness: f64) -> f64 {
        let (total, heaviest) = (self.sources.total(), self.sources.total().log2());
        let Sources { tolerance, units, .. } = self.sources;
        let sharpness = units.sharpness;
        let budget = Budget { sharpness, tolerance, tiles: 1, total, heaviest, faintest: faintness };
        Cutoff::new(budget).least_gap_2(heaviest + faintness)
    }

    /// Sums over all sources within the cutoff.
    fn sum(&self, target: &[f64], reference: &Reference<'_>, cutoff_2: f64) -> Sums {
        let (mut total, mut batch) = (Sums::default(), Sums::default());
        self.index().within(target, cutoff_2, &mut |source| {
            let (mut arm, mut excess) = ([0.0; MOST], 0.0);
            for (k, (z, m)) in self.point(source).iter().zip(reference.at).enumerate() {
                arm[k] = z - m;
                excess += arm[k] * (arm[k] - 2.0 * (target[k] - m));
            }
            let weight = self.weight(source);
            let exponent = (self.sources.units.sharpness * excess).max(SMALLEST_EXPONENT);
            batch.add(weight, weight * (-exponent).exp2(), &arm[..target.len()]);
            if batch.count == BATCH {
                total.join(&batch);
                batch = Sums::default();
            }
        });
        total.join(&batch);
        total
    }

    /// The certificate, in the cloud's units.
    fn left_out(&self, sums: &Sums, cutoff_2: f64, exponent: f64, speed: f64) -> f64 {
        let Sources { units, weighted, .. } = &self.sources;
        let (count, total) = (self.points.len() / self.dimension(), self.sources.total());
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

impl Sums {
    fn add(&mut self, weight: f64, term: f64, arm: &[f64]) {
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
