//! The drift of a cloud at its own points.

use super::DriftField;
use super::cutoff::{Budget, Cutoff};
use super::kernel::{Flavour, Lane, Own, Pair, QUAD, Sweep, sweep, sweep_once, sweep_seldom};
use super::outcome::Outcome;
use super::partners::{Load, Partners};
use super::rounding::{Arithmetic, Found, lost};
use super::sources::Sources;
use super::sweep::{TilePair, TileSum, add_pairs, own_sums};
use crate::parallel;
use crate::simd::LARGEST_EXPONENT;

/// A point whose mass is smaller is summed again relative to its heaviest neighbour: [`LARGEST_EXPONENT`] was not negligible for it.
const LOW_MASS: f64 = 2.4e-181;

/// Evaluates the drift at all points of positive weight and returns those whose masses are too small for plain sums.
pub(super) fn self_drift(sources: &Sources, field: &mut DriftField) -> Vec<usize> {
    let tiles = &sources.tiles;
    let kernel = KernelSum { sources };
    let mut sums = own_sums(&kernel, tiles.len());
    let mass_deficit: Vec<f64> = (0..tiles.len()).map(|tile| kernel.mass_deficit(tile, &sums)).collect();
    let largest_deficit = mass_deficit.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let cutoff = Cutoff::new(Budget {
        sharpness: sources.units.sharpness,
        tolerance: sources.tolerance,
        tiles: tiles.len(),
        total: sources.total(),
        heaviest: sources.tree.root().heaviest,
        largest_deficit,
    });
    let partners = Partners::new(&sources.tree, cutoff, sources.units.sharpness, mass_deficit);
    let swept = add_pairs(&kernel, &partners, &mut field.workspace, &mut sums);
    let arithmetic = sources.arithmetic(swept.additions);
    let outcome = |tile: usize| {
        let sums = &sums[tile * kernel.lanes()..][..kernel.lanes()];
        finish(sources, arithmetic, tile, sums, &swept.loads[tile])
    };
    let outcomes = parallel::map(tiles.len(), &outcome);
    field.pairs += swept.pairs;
    let mut low_mass = Vec::new();
    for (tile, outcome) in outcomes.iter().enumerate() {
        let members = tiles.members(tile);
        outcome.scatter(members, field);
        let masses = &sums[tile * kernel.lanes() + tiles.dimension()];
        low_mass.extend(
            members
                .iter()
                .zip(masses.iter())
                .filter(|(_, mass)| **mass < LOW_MASS)
                .map(|(&member, _)| member),
        );
    }
    low_mass
}

/// The sums behind the drift: `Σ ω_j w_ij Δ_ij` and `Σ ω_j w_ij`.
struct KernelSum<'a> {
    sources: &'a Sources,
}

impl KernelSum<'_> {
    /// `−log₂` of the smallest mass that a tile's points get from their own tile.
    fn mass_deficit(&self, tile: usize, sums: &[Lane]) -> f64 {
        let tiles = &self.sources.tiles;
        let masses = &sums[tile * self.lanes() + tiles.dimension()][..tiles.members(tile).len()];
        -masses.iter().copied().fold(f64::INFINITY, f64::min).log2()
    }

    /// Two tiles as the kernel wants them.
    fn sweep<'s>(
        &'s self,
        row: usize,
        column: usize,
        limit_2: Option<f64>,
        row_sums: &'s mut [Lane],
        column_sums: &'s mut [Lane],
    ) -> Sweep<'s> {
        let tiles = &self.sources.tiles;
        Sweep {
            dimension: tiles.dimension(),
            rows: tiles.lanes(row),
            columns: tiles.lanes(column),
            row_boxes: tiles.boxes(row),
            column_boxes: tiles.boxes(column),
            limit_2: limit_2.unwrap_or(f64::INFINITY),
            row_sums,
            column_sums,
        }
    }

    fn run<F: Flavour>(&self, tiles: Sweep<'_>) -> usize {
        sweep::<F>(self.sources.instructions, self.sources.kernel(), tiles)
    }

    fn run_weighted<F: Flavour>(&self, tiles: Sweep<'_>) -> usize {
        sweep_seldom::<F>(self.sources.instructions, self.sources.kernel(), tiles)
    }

    fn run_own<F: Flavour>(&self, tiles: Sweep<'_>) {
        sweep_once::<F>(self.sources.instructions, self.sources.kernel(), tiles);
    }

    /// May exponents of this pair lie beyond what the plain kernel can represent?
    fn is_far(&self, row: usize, column: usize) -> bool {
        let Sources { tiles, tree, units, .. } = self.sources;
        tiles.is_padded(row)
            || tiles.is_padded(column)
            || units.sharpness * tree.leaf(row).bounds.reach_2(&tree.leaf(column).bounds) > LARGEST_EXPONENT
    }
}

impl TileSum for KernelSum<'_> {
    fn lanes(&self) -> usize {
        self.sources.tiles.dimension() + 1
    }

    fn own(&self, tile: usize, sums: &mut [Lane]) {
        let sweep = self.sweep(tile, tile, None, sums, &mut []);
        if self.sources.weighted {
            self.run_own::<Own<true>>(sweep);
        } else {
            self.run_own::<Own<false>>(sweep);
        }
    }

    fn pair(&self, pair: TilePair, row_sums: &mut [Lane], column_sums: &mut [Lane]) -> u64 {
        let TilePair { row, column, limit_2 } = pair;
        let sweep = self.sweep(row, column, limit_2, row_sums, column_sums);
        let quads = match (self.sources.weighted, self.is_far(row, column), limit_2.is_some()) {
            (false, false, false) => self.run::<Pair<false, false, false>>(sweep),
            (false, false, true) => self.run::<Pair<false, false, true>>(sweep),
            (false, true, false) => self.run::<Pair<false, true, false>>(sweep),
            (false, true, true) => self.run::<Pair<false, true, true>>(sweep),
            (true, _, false) => self.run_weighted::<Pair<true, true, false>>(sweep),
            (true, false, true) => self.run_weighted::<Pair<true, false, true>>(sweep),
            (true, true, true) => self.run_weighted::<Pair<true, true, true>>(sweep),
        };
        let Sources { tiles, .. } = self.sources;
        let points = tiles.members(row).len() * tiles.members(column).len();
        2 * points.min(quads * QUAD * QUAD) as u64
    }
}

/// Turns the sums of a tile into drifts with their bounds.
fn finish(sources: &Sources, arithmetic: Arithmetic, tile: usize, sums: &[Lane], load: &Load) -> Outcome {
    let Sources { tiles, units, norm, .. } = sources;
    let dimension = tiles.dimension();
    let mut outcome = Outcome::new(dimension);
    let count = tiles.members(tile).len();
    let total = sources.total();
    let (moments, masses) = (&sums[..dimension], &sums[dimension][..count]);
    for (place, &mass) in masses.iter().enumerate() {
        for (velocity, moment) in outcome.velocity.iter_mut().zip(moments) {
            velocity[place] = moment[place] / mass * units.length;
        }
        let speed = outcome.speed(place);
        outcome.log_mass[place] = (mass / norm).ln();
        outcome.truncation[place] = load.omitted.bound(speed * units.per_length, mass) * units.length;
        let found = Found { speed, log_mass: mass.ln() - total.ln(), lost: lost(mass / total) };
        outcome.rounding[place] = arithmetic.bound(found);
    }
    outcome.pairs = (count * count) as u64;
    outcome
}
