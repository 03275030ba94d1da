//! The tile kernel: kernel values and their sums over two tiles of points, four rows and a vector of columns at a time.
//!
//! ```text
//! w = 2^(−κ q),   q = |Δ|²,   Δ = z_j − z_i
//! ```
//!
//! `Δ` comes from the coordinates themselves, so it carries one rounding however far the cloud lies from the origin.

use std::marker::PhantomData;

use super::four_rows::{FourRows, Near, Weights};
use crate::simd::{BLOCK, Block, Instructions, Plain, Program, Vector};

/// Points in a tile.
pub(super) const TILE: usize = BLOCK;

/// Rows that are worked on together.
pub(super) const ROWS: usize = 4;

/// Points in a quad: a vector of columns, or the rows that are worked on together.
pub(super) const QUAD: usize = 4;

/// Quads in a tile.
pub(super) const QUADS: usize = TILE / QUAD;

const _: () = assert!(ROWS == QUAD);

/// One attribute (a coordinate, a weight, a sum) of all points of a tile.
pub(super) type Lane = Block<f64>;

/// An attribute that is zero everywhere.
pub(super) const ZERO: Lane = Block([0.0; TILE]);

/// One side (the low or the high one) of the boxes around all quads of a tile.
pub(super) type Sides = [f64; QUADS];

/// The Gaussian as the tiles see it: `2^(−κ q)`, and zero beyond the exponent [`LARGEST_EXPONENT`](crate::simd::LARGEST_EXPONENT).
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    /// `κ = (β/2)·log₂ e` in the units of the tiles.
    pub(super) sharpness: f64,
}

/// What a sweep over two tiles computes.
pub(super) trait Flavour {
    /// Points carry weights, in the attribute behind their coordinates.
    const WEIGHTED: bool;
    /// Some exponents may lie beyond the largest that is taken: padded tiles, far points.
    const FAR: bool;
    /// Quads farther apart than [`Sweep::limit_2`] are left out.
    const PRUNED: bool;
    /// Columns collect sums as well, by the symmetry `w_ij = w_ji`.
    const TWO_SIDED: bool;
    /// Rows are targets `x` with a reference source `m`: the exponent is `|x − z_j|² − |x − m|²`, and `z_j − m` is summed. The rows' attributes
    /// are the coordinates of `m`, then those of `2(x − m)`, then twice the weight of `m`, which no term exceeds unless rounding has
    /// eaten all digits of the exponent.
    const SHIFTED: bool;
}

/// Two different tiles.
pub(super) struct Pair<const WEIGHTED: bool, const FAR: bool, const PRUNED: bool>;
/// A tile with itself.
pub(super) struct Own<const WEIGHTED: bool>;
/// Targets that are no sources.
pub(super) struct Queries<const PRUNED: bool>;

impl<const W: bool, const F: bool, const P: bool> Flavour for Pair<W, F, P> {
    const WEIGHTED: bool = W;
    const FAR: bool = F;
    const PRUNED: bool = P;
    const TWO_SIDED: bool = true;
    const SHIFTED: bool = false;
}

impl<const W: bool> Flavour for Own<W> {
    const WEIGHTED: bool = W;
    const FAR: bool = true;
    const PRUNED: bool = false;
    const TWO_SIDED: bool = false;
    const SHIFTED: bool = false;
}

impl<const P: bool> Flavour for Queries<P> {
    const WEIGHTED: bool = true;
    const FAR: bool = true;
    const PRUNED: bool = P;
    const TWO_SIDED: bool = false;
    const SHIFTED: bool = true;
}

/// The tiles of a sweep and where their sums go: `d` lanes of `Σ w Δ_k`, then one of `Σ w`, added to what is there.
pub(super) struct Sweep<'a> {
    /// Dimension `d`.
    pub(super) dimension: usize,
    /// Attributes of the rows.
    pub(super) rows: &'a [Lane],
    /// Attributes of the columns: `d` coordinates, then the weights.
    pub(super) columns: &'a [Lane],
    /// Boxes around the rows' quads, low and high side per coordinate; only for pruned flavours.
    pub(super) row_boxes: &'a [Sides],
    /// Boxes around the columns' quads; only for pruned flavours.
    pub(super) column_boxes: &'a [Sides],
    /// Squared distance from which pairs of quads are left out; only for pruned flavours.
    pub(super) limit_2: f64,
    /// Sums of the rows.
    pub(super) row_sums: &'a mut [Lane],
    /// Sums of the columns; empty for one-sided flavours.
    pub(super) column_sums: &'a mut [Lane],
}

/// Runs one sweep and returns the number of pairs of quads that it summed over.
///
/// A kernel for every dimension would be built for many seconds and gain little: there is one for each of the first four and one for
/// all others, which knows of the first four coordinates.
pub(super) fn sweep<F: Flavour>(instructions: Instructions, kernel: Kernel, tiles: Sweep<'_>) -> usize {
    match tiles.dimension {
        4 => instructions.run(TileProgram::<4, true, F>::new(kernel, tiles)),
        _ => sweep_seldom::<F>(instructions, kernel, tiles),
    }
}

/// The same for flavours that are not summed with as often.
pub(super) fn sweep_seldom<F: Flavour>(
    instructions: Instructions,
    kernel: Kernel,
    tiles: Sweep<'_>,
) -> usize {
    match tiles.dimension {
        1 => instructions.run(TileProgram::<1, true, F>::new(kernel, tiles)),
        2 => instructions.run(TileProgram::<2, true, F>::new(kernel, tiles)),
        3 => instructions.run(TileProgram::<3, true, F>::new(kernel, tiles)),
        _ => instructions.run(TileProgram::<4, false, F>::new(kernel, tiles)),
    }
}

/// The same for the few pairs of a tile with itself.
pub(super) fn sweep_once<F: Flavour>(instructions: Instructions, kernel: Kernel, tiles: Sweep<'_>) {
    instructions.run(TileProgram::<0, false, F>::new(kernel, tiles));
}

/// A sweep in dimension `D`, or in at least so many.
struct TileProgram<'a, const D: usize, const EXACT: bool, F> {
    kernel: Kernel,
    tiles: Sweep<'a>,
    flavour: PhantomData<F>,
}

impl<'a, const D: usize, const EXACT: bool, F: Flavour> TileProgram<'a, D, EXACT, F> {
    fn new(kernel: Kernel, tiles: Sweep<'a>) -> Self {
        Self { kernel, tiles, flavour: PhantomData }
    }
}

impl<const D: usize, const EXACT: bool, F: Flavour> Program for TileProgram<'_, D, EXACT, F> {
    type Scalar = f64;
    type Output = usize;

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) -> usize {
        let Self { kernel, tiles, .. } = self;
        let dimension = if EXACT { D } else { tiles.dimension.max(D) };
        let Sweep { rows, columns, row_sums, column_sums, .. } = tiles;
        let mut unused = ZERO;
        let (mut weights, mut near) = (Weights::ZERO, Near::NONE);
        let mut pairs = 0;
        for strip in 0..QUADS {
            if F::PRUNED {
                near.find(any, dimension, strip, [tiles.row_boxes, tiles.column_boxes], tiles.limit_2);
                if near.count == 0 {
                    continue;
                }
            }
            pairs += near.count::<V, F>() * (V::WIDTH / QUAD);
            let four = FourRows { any, dimension, first: strip * QUAD, rows, columns, near: &near };
            four.weigh::<D, F>(kernel, &mut weights);
            for k in 0..dimension {
                let column_sum = if F::TWO_SIDED { &mut column_sums[k] } else { &mut unused };
                four.add_differences::<F>(k, &weights, &mut row_sums[k], column_sum);
            }
            let column_sum = if F::TWO_SIDED { &mut column_sums[dimension] } else { &mut unused };
            four.add_masses::<F>(&weights, &mut row_sums[dimension], column_sum);
        }
        pairs
    }

    fn portable(self) -> usize {
        TileProgram::<0, false, F>::new(self.kernel, self.tiles).run(Plain::<f64, 4>::default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::units::FAR_AWAY;
    use super::*;

    /// Seven units for the kernel (`rounding` counts them), one and a half for the reference.
    const ROUNDOFF: f64 = 8.5 * 0.5 * f64::EPSILON;

    /// `2^(−κz²)` for 64 values of `z`, as the columns of a sweep whose rows are all far away but one at the origin.
    fn kernel_values(instructions: Instructions, sharpness: f64, distances: Lane) -> Lane {
        let mut row = Block([FAR_AWAY; TILE]);
        row[5] = 0.0;
        let weights = Block([1.0; TILE]);
        let (mut row_sums, mut column_sums) = ([ZERO; 2], [ZERO; 2]);
        let pair = Sweep {
            dimension: 1,
            rows: &[row, weights],
            columns: &[distances, weights],
            row_boxes: &[],
            column_boxes: &[],
            limit_2: f64::INFINITY,
            row_sums: &mut row_sums,
            column_sums: &mut column_sums,
        };
        sweep::<Pair<false, true, false>>(instructions, Kernel { sharpness }, pair);
        column_sums[1]
    }

    #[test]
    fn the_exponential_is_accurate_to_a_few_units_in_the_last_place() {
        for instructions in Instructions::all() {
            for sharpness in [1.0, 1.7, 2.885_390_081_777_927, 3.999] {
                for block in 0..30 {
                    // Multiples of 1/128 have exact squares.
                    let distances: Lane = Block(std::array::from_fn(|i| (block * TILE + i) as f64 / 128.0));
                    let values = kernel_values(instructions, sharpness, distances);
                    for (z, value) in distances.iter().zip(*values) {
                        let q = z * z;
                        let exponent = sharpness * q;
                        let rest = sharpness.mul_add(q, -exponent);
                        let expected = (-exponent).exp2() * (1.0 - rest * std::f64::consts::LN_2);
                        // Without a fused operation the exponent is rounded once more.
                        let fused = instructions.name() != "portable" || cfg!(target_arch = "aarch64");
                        let tolerance = ROUNDOFF + if fused { 0.0 } else { exponent * f64::EPSILON };
                        assert!(
                            (value / expected - 1.0).abs() <= tolerance,
                            "2^−{exponent}: {value} instead of {expected}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_point_weighs_itself_with_one_and_far_points_with_zero() {
        let mut distances = ZERO;
        distances[1] = 1e10;
        distances[2] = -FAR_AWAY;
        distances[3] = 32.0;
        for instructions in Instructions::all() {
            let values = kernel_values(instructions, 1.0, distances);
            assert_eq!(values[..4], [1.0, 0.0, 0.0, 0.0]);
        }
    }
}
