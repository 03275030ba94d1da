//! The drift at points that are not sources: Stage 2, and sources of too low a mass for plain sums.
//!
//! # Formula
//! Far from every source all weights underflow. Therefore each target `x` gets a reference: the source `m` whose term `ω w` is the largest. With `a = z_j − m`
//! and `b = x − m`
//!
//! ```text
//! |x − z_j|² − |b|² = a·(a − 2b),      v = −b + Σ_j ω_j 2^(−κ a·(a−2b)) a / D̃,      ln D = ln D̃ − κ|b|² ln 2
//! ```
//!
//! The reference's own term is `ω_m`, so `D̃` never vanishes, and the difference of two large squared distances is never formed.

use super::DriftField;
use super::bounds::Bounds;
use super::cutoff::{Budget, Cutoff, Omitted};
use super::kernel::{Flavour, Lane, QUAD, Queries, Sides, Sweep, TILE, ZERO, sweep_seldom};
use super::order::kd_order;
use super::outcome::Outcome;
use super::reference::{Reference, heaviest_term};
use super::rounding::{Found, lost};
use super::sources::Sources;
use super::sweep::{BATCH, WITHIN_PAIR, add};
use super::tiles::{LIGHTEST, quad_boxes};
use super::tree::Node;
use crate::parallel;
use crate::simd::LARGEST_EXPONENT;

/// A share of the mass beside which what is beyond [`LARGEST_EXPONENT`] may matter.
const FAINT: f64 = 1e-250;

/// Evaluates the drift at the rows `members` of row-major `points`, and fills the same rows of the field.
pub(super) fn drift_at(sources: &Sources, points: &[f64], mut members: Vec<usize>, field: &mut DriftField) {
    kd_order(points, sources.tiles.dimension(), sources.depth, &mut members);
    let tiles: Vec<&[usize]> = members.chunks(TILE).collect();
    let drift = |tile: usize| TargetTile::new(sources, points, tiles[tile]).drift(sources);
    let outcomes = parallel::map(tiles.len(), &drift);
    tiles.iter().zip(&outcomes).for_each(|(members, outcome)| outcome.scatter(members, field));
}

/// Up to [`TILE`] targets with their references.
struct TargetTile {
    /// `d` coordinates of `m`, then `d` of `2(x − m)`, then twice the weight of `m`, as the kernel wants them.
    lanes: Vec<Lane>,
    references: Vec<Reference>,
    bounds: Bounds,
    /// Boxes around the quads of targets.
    boxes: Vec<Sides>,
}

/// What a tile of targets was summed against.
struct Summed {
    sums: Vec<Lane>,
    tiles: usize,
    pairs: u64,
    omitted: Omitted,
}

impl TargetTile {
    fn new(sources: &Sources, points: &[f64], members: &[usize]) -> Self {
        let d = sources.tiles.dimension();
        let mut lanes = vec![ZERO; 2 * d + 1];
        let mut targets = vec![ZERO; d];
        let mut references = Vec::with_capacity(members.len());
        let mut target = vec![0.0; d];
        for (place, &member) in members.iter().enumerate() {
            target.iter_mut().zip(&points[member * d..]).for_each(|(x, p)| *x = p * sources.units.per_length);
            let reference = heaviest_term(sources, &target);
            let source = sources.tiles.lanes(reference.tile);
            for k in 0..d {
                let m = source[k][reference.place];
                targets[k][place] = target[k];
                lanes[k][place] = m;
                lanes[d + k][place] = 2.0 * (target[k] - m);
            }
            lanes[2 * d][place] = 2.0 * source[d][reference.place];
            references.push(reference);
        }
        let bounds = Bounds::around(targets.iter().map(|lane| &lane[..members.len()]));
        let boxes = quad_boxes(&targets, members.len()).collect();
        Self { lanes, references, bounds, boxes }
    }

    fn drift(&self, sources: &Sources) -> Outcome {
        let deepest = largest(self.references.iter().map(|reference| reference.exponent));
        let summed = self.sum(sources, deepest);
        let mut outcome = Outcome::new(sources.tiles.dimension());
        for (place, reference) in self.references.iter().enumerate() {
            self.finish(sources, &summed, place, &mut outcome);
            let mass = summed.sums[sources.tiles.dimension()][place] * (deepest - reference.exponent).exp2();
            let speed = outcome.speed(place) * sources.units.per_length;
            outcome.truncation[place] = summed.omitted.bound(speed, mass) * sources.units.length;
        }
        outcome.pairs = summed.pairs;
        outcome
    }

    /// Turns the sums of one target into its drift, its mass and the bound on rounding.
    fn finish(&self, sources: &Sources, summed: &Summed, place: usize, outcome: &mut Outcome) {
        let Sources { tiles, units, norm, .. } = sources;
        let d = tiles.dimension();
        let mass = summed.sums[d][place];
        let mut offset = 0.0_f64;
        for k in 0..d {
            let half = 0.5 * self.lanes[d + k][place];
            offset = offset.hypot(half);
            outcome.velocity[k][place] = (summed.sums[k][place] / mass - half) * units.length;
        }
        let log_mass = mass.ln() - self.references[place].exponent * std::f64::consts::LN_2;
        outcome.log_mass[place] = log_mass - norm.ln();
        let arithmetic = sources.arithmetic(WITHIN_PAIR + BATCH + summed.tiles.div_ceil(BATCH));
        let (speed, total) = (outcome.speed(place), sources.total());
        let lost = self.lost(sources, place, mass);
        let found = Found { speed, log_mass: log_mass - total.ln(), lost };
        outcome.rounding[place] = arithmetic.bound_from_reference(found, offset * units.length);
        if self.may_be_clamped(place, mass) {
            // Weights below any that references are compared by: all that is known is the hull.
            outcome.rounding[place] += 2.0 * arithmetic.diameter;
        }
    }

    /// May a term exceed twice that of the reference although no rounding is to blame? None did if their sum does not.
    fn may_be_clamped(&self, place: usize, mass: f64) -> bool {
        let twice = self.lanes[self.lanes.len() - 1][place];
        twice < LIGHTEST.exp2() && mass >= twice
    }

    /// What the kernel took to be zero, relative to the mass that it found. Beside very small masses it has to be looked for.
    fn lost(&self, sources: &Sources, place: usize, mass: f64) -> f64 {
        let share = mass / sources.total();
        if share > FAINT {
            return lost(share);
        }
        let tiles = &sources.tiles;
        let d = tiles.dimension();
        let of_tile = |tile: usize| {
            let lanes = tiles.lanes(tile);
            let excess = |j: usize| -> f64 {
                let along = |k: usize| {
                    let arm = lanes[k][j] - self.lanes[k][place];
                    arm * (arm - self.lanes[d + k][place])
                };
                sources.units.sharpness * (0..d).map(along).sum::<f64>()
            };
            let beyond = |j: usize| Some(excess(j)).filter(|e| *e > LARGEST_EXPONENT - 1.0);
            let term =
                |j: usize| beyond(j).map_or(0.0, |e| (lanes[d][j].log2() - mass.log2() - e + 1.0).exp2());
            (0..tiles.members(tile).len()).map(term).sum::<f64>()
        };
        let underflowing = tiles.len() as f64 * TILE as f64 * f64::from_bits(1) / mass;
        (0..tiles.len()).map(of_tile).sum::<f64>() + underflowing
    }

    /// Sums over all source tiles that are not left out; what is left out is counted relative to `2^−deepest`.
    fn sum(&self, sources: &Sources, deepest: f64) -> Summed {
        let d = sources.tiles.dimension();
        let cutoff = self.cutoff(sources);
        let mass_deficit = self.mass_deficit(sources);
        let mut batch = vec![ZERO; d + 1];
        let mut summed = Summed { sums: batch.clone(), tiles: 0, pairs: 0, omitted: Omitted::default() };
        sources.tree.walk(|_, node| {
            if !cutoff.is_infinite() {
                let gap_2 = self.bounds.gap_2(&node.bounds);
                if cutoff.leaves_out(gap_2, node.heaviest + mass_deficit) {
                    summed.omitted.add(node.mass, gap_2, sources.units.sharpness, deepest);
                    return false;
                }
            }
            if node.is_leaf() {
                let limit_2 = cutoff.limit_2(node.heaviest + mass_deficit);
                if self.bounds.reach_2(&node.bounds) > limit_2 {
                    summed.omitted.add(node.mass, limit_2, sources.units.sharpness, deepest);
                    summed.pairs += self.sweep::<Queries<true>>(sources, node, limit_2, &mut batch);
                } else {
                    summed.pairs += self.sweep::<Queries<false>>(sources, node, limit_2, &mut batch);
                }
                summed.tiles += 1;
                if summed.tiles.is_multiple_of(BATCH) {
                    add(&mut summed.sums, &batch);
                    batch.fill(ZERO);
                }
            }
            true
        });
        add(&mut summed.sums, &batch);
        summed
    }

    /// Sums over one tile and returns the number of kernel values computed.
    fn sweep<F: Flavour>(&self, sources: &Sources, node: &Node, limit_2: f64, sums: &mut [Lane]) -> u64 {
        let tile = node.tiles.start;
        let pair = Sweep {
            dimension: sources.tiles.dimension(),
            rows: &self.lanes,
            columns: sources.tiles.lanes(tile),
            row_boxes: &self.boxes,
            column_boxes: sources.tiles.boxes(tile),
            limit_2,
            row_sums: sums,
            column_sums: &mut [],
        };
        let quads = sweep_seldom::<F>(sources.instructions, sources.kernel(), pair);
        (quads * QUAD * QUAD).min(self.references.len() * node.points) as u64
    }

    fn cutoff(&self, sources: &Sources) -> Cutoff {
        Cutoff::new(Budget {
            sharpness: sources.units.sharpness,
            tolerance: sources.tolerance,
            tiles: sources.tiles.len(),
            total: sources.total(),
            heaviest: sources.tree.root().heaviest,
            largest_deficit: self.mass_deficit(sources),
        })
    }

    /// `−log₂` of the smallest mass that the references guarantee.
    fn mass_deficit(&self, sources: &Sources) -> f64 {
        sources.units.sharpness * largest(self.references.iter().map(|reference| reference.score))
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}
