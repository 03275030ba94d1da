//! The tile kernel: kernel values and their sums over two tiles of points, four rows and a vector of columns at a time.
//!
//! ```text
//! w = 2^(−κ q),   q = |Δ|²,   Δ = z_j − z_i
//! ```
//!
//! `Δ` comes from the coordinates themselves, so it carries one rounding however far the cloud lies from the origin.
//!
//! Four rows meet one vector of columns: four independent chains of dependent operations, each split into the even and
//! the odd half of the polynomial, keep the multipliers busy. The weights of four rows go to a small buffer, then each coordinate is summed in turn,
//! so that accumulators stay in registers in every dimension.

use std::marker::PhantomData;

use crate::simd::{BLOCK, Block, Instructions, LARGEST_EXPONENT, Plain, Program, Vector};

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

/// The Gaussian as the tiles see it: `2^(−κ q)`, and zero beyond the exponent [`LARGEST_EXPONENT`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    /// `κ = (β/2)·log₂ e` in the units of the tiles.
    pub(super) sharpness: f64,
}

/// What a sweep over two tiles computes.
pub(super) trait Flavour {
    /// Points carry weights, in the attribute behind their coordinates.
    const WEIGHTED: bool;
    /// Some exponents may lie beyond [`LARGEST_EXPONENT`]: padded tiles, far points.
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

/// Vector `j` of a lane; after the last comes the first.
#[inline(always)]
fn vector<V: Vector<Scalar = f64>>(any: V, lane: &Lane, j: usize) -> V {
    any.load(&lane[j % (TILE / V::WIDTH) * V::WIDTH..])
}

/// Vector `j` of a lane, to be written.
#[inline(always)]
fn vector_mut<V: Vector<Scalar = f64>>(lane: &mut Lane, j: usize) -> &mut [f64] {
    &mut lane[j % (TILE / V::WIDTH) * V::WIDTH..]
}

/// The weights of four rows against a tile: as the rows sum them (`ω_j w`) and as the columns do (`ω_i w`).
struct Weights {
    of_rows: Strip,
    of_columns: Strip,
}

/// Four vectors, one for each row, for every vector of columns.
#[repr(align(64))]
struct Strip([f64; TILE * ROWS]);

impl Strip {
    #[inline(always)]
    fn get<V: Vector<Scalar = f64>>(&self, any: V, place: usize, row: usize) -> V {
        any.load(&self.0[(place % (TILE / V::WIDTH) * ROWS + row % ROWS) * V::WIDTH..])
    }

    #[inline(always)]
    fn set<V: Vector<Scalar = f64>>(&mut self, place: usize, row: usize, value: V) {
        value.store(&mut self.0[(place % (TILE / V::WIDTH) * ROWS + row % ROWS) * V::WIDTH..]);
    }
}

/// The vectors of columns that four rows are summed against.
struct Near {
    vectors: [u8; QUADS],
    count: usize,
}

impl Near {
    /// The vector at a place of the list, or, where nothing is pruned, the place itself.
    #[inline(always)]
    fn vector<F: Flavour>(&self, place: usize) -> usize {
        if F::PRUNED { self.vectors[place % QUADS] as usize } else { place }
    }

    /// The length of the list, known at compile time where nothing is pruned.
    #[inline(always)]
    fn count<V: Vector, F: Flavour>(&self) -> usize {
        if F::PRUNED { self.count } else { TILE / V::WIDTH }
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
        let [of_rows, of_columns] = [const { Strip([0.0; TILE * ROWS]) }; 2];
        let mut weights = Weights { of_rows, of_columns };
        let mut near = Near { vectors: [0; QUADS], count: 0 };
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

impl Near {
    /// Lists the vectors of columns that have a quad whose box is near the box of a strip of rows.
    #[inline(always)]
    fn find<V: Vector<Scalar = f64>>(
        &mut self,
        any: V,
        dimension: usize,
        strip: usize,
        [row_boxes, column_boxes]: [&[Sides]; 2],
        limit_2: f64,
    ) {
        let mut quads = 0;
        for group in (0..QUADS).step_by(V::WIDTH) {
            let mut gap_2 = any.zero();
            for k in 0..dimension {
                let (row_low, row_high) = (row_boxes[2 * k][strip], row_boxes[2 * k + 1][strip]);
                let low = any.load(&column_boxes[2 * k][group..]);
                let high = any.load(&column_boxes[2 * k + 1][group..]);
                let gap = low.sub(any.splat(row_high)).max(any.splat(row_low).sub(high)).max(any.zero());
                gap_2 = gap.mul_add(gap, gap_2);
            }
            quads |= gap_2.at_most(any.splat(limit_2)) << group;
        }
        self.count = 0;
        let width = V::WIDTH / QUAD;
        for j in 0..TILE / V::WIDTH {
            self.vectors[self.count % QUADS] = j as u8;
            self.count += usize::from(quads >> (j * width) & ((1 << width) - 1) != 0);
        }
    }
}

/// Four rows of a tile and the columns they meet.
struct FourRows<'a, V> {
    any: V,
    dimension: usize,
    /// The first of them.
    first: usize,
    rows: &'a [Lane],
    columns: &'a [Lane],
    near: &'a Near,
}

impl<V: Vector<Scalar = f64>> FourRows<'_, V> {
    /// An attribute of row `i`, in all places.
    #[inline(always)]
    fn own(&self, lane: &Lane, i: usize) -> V {
        self.any.splat(lane[self.first % TILE + i % ROWS])
    }

    /// An attribute of all four.
    #[inline(always)]
    fn every(&self, lane: &Lane) -> [V; ROWS] {
        [self.own(lane, 0), self.own(lane, 1), self.own(lane, 2), self.own(lane, 3)]
    }

    /// The weights of the four against all columns. The distances of the next vector are started before the polynomial of this one.
    #[inline(always)]
    fn weigh<const D: usize, F: Flavour>(&self, kernel: Kernel, weights: &mut Weights) {
        let (any, near, d) = (self.any, self.near, self.dimension);
        let row_weights = if F::WEIGHTED && F::TWO_SIDED { self.every(&self.rows[d]) } else { [any; ROWS] };
        let mut next = self.exponents::<D, F>(near.vector::<F>(0));
        for place in 0..near.count::<V, F>() {
            let now = next;
            next = self.exponents::<D, F>(near.vector::<F>(place + 1));
            let plain = values::<V, F>(any, kernel, now);
            for i in 0..ROWS {
                let mut of_row = plain[i];
                if F::WEIGHTED {
                    of_row = of_row.mul(vector(any, &self.columns[d], near.vector::<F>(place)));
                }
                if F::SHIFTED {
                    of_row = of_row.min(self.own(&self.rows[2 * d], i));
                }
                weights.of_rows.set(place, i, of_row);
                if F::WEIGHTED && F::TWO_SIDED {
                    weights.of_columns.set(place, i, plain[i].mul(row_weights[i]));
                }
            }
        }
    }

    /// `|Δ|²` of the four and a vector of columns, or its excess over the reference's.
    #[inline(always)]
    fn exponents<const D: usize, F: Flavour>(&self, j: usize) -> [V; ROWS] {
        let mut squares = [self.any.zero(); ROWS];
        for k in 0..D {
            self.add_squares::<F>(k, j, &mut squares);
        }
        for k in D..self.dimension {
            self.add_squares::<F>(k, j, &mut squares);
        }
        squares
    }

    /// Adds what one coordinate contributes to the exponents.
    #[inline(always)]
    fn add_squares<F: Flavour>(&self, k: usize, j: usize, squares: &mut [V; ROWS]) {
        let column = vector(self.any, &self.columns[k], j);
        let row = self.every(&self.rows[k]);
        for i in 0..ROWS {
            let difference = column.sub(row[i]);
            let mut other = difference;
            if F::SHIFTED {
                other = difference.sub(self.own(&self.rows[self.dimension + k], i));
            }
            squares[i] = if k == 0 { difference.mul(other) } else { difference.mul_add(other, squares[i]) };
        }
    }

    /// Adds `Σ w Δ_k` of one coordinate to the rows, and subtracts it from the columns.
    #[inline(always)]
    fn add_differences<F: Flavour>(
        &self,
        k: usize,
        weights: &Weights,
        row_sum: &mut Lane,
        column_sum: &mut Lane,
    ) {
        let (any, near) = (self.any, self.near);
        let row = self.every(&self.rows[k]);
        let mut sums = [any.zero(); ROWS];
        for place in 0..near.count::<V, F>() {
            let j = near.vector::<F>(place);
            let column = vector(any, &self.columns[k], j);
            let mut subtotal = any.zero();
            for i in 0..ROWS {
                let difference = column.sub(row[i]);
                let mut weight = weights.of_rows.get(any, place, i);
                sums[i] = weight.mul_add(difference, sums[i]);
                if F::TWO_SIDED {
                    if F::WEIGHTED {
                        weight = weights.of_columns.get(any, place, i);
                    }
                    subtotal =
                        if i == 0 { weight.mul(difference) } else { weight.mul_add(difference, subtotal) };
                }
            }
            if F::TWO_SIDED {
                vector(any, column_sum, j).sub(subtotal).store(vector_mut::<V>(column_sum, j));
            }
        }
        self.add_totals(sums, row_sum);
    }

    /// Adds `Σ w` to the rows and to the columns.
    #[inline(always)]
    fn add_masses<F: Flavour>(&self, weights: &Weights, row_sum: &mut Lane, column_sum: &mut Lane) {
        let (any, near) = (self.any, self.near);
        let mut sums = [any.zero(); ROWS];
        for place in 0..near.count::<V, F>() {
            let mut of_columns = [any; ROWS];
            for i in 0..ROWS {
                let weight = weights.of_rows.get(any, place, i);
                of_columns[i] = if F::WEIGHTED { weights.of_columns.get(any, place, i) } else { weight };
                sums[i] = sums[i].add(weight);
            }
            if F::TWO_SIDED {
                let ([a, b, c, d], j) = (of_columns, near.vector::<F>(place));
                vector(any, column_sum, j).add(a.add(b).add(c.add(d))).store(vector_mut::<V>(column_sum, j));
            }
        }
        self.add_totals(sums, row_sum);
    }

    /// Adds four vectors up and their totals to the four rows.
    #[inline(always)]
    fn add_totals(&self, sums: [V; ROWS], row_sum: &mut Lane) {
        let totals = V::sums(sums);
        for i in 0..ROWS {
            row_sum[self.first % TILE + i] += totals[i];
        }
    }
}

/// `2^(−κq)` for four vectors at once; an exact zero beyond [`LARGEST_EXPONENT`].
#[inline(always)]
fn values<V: Vector<Scalar = f64>, F: Flavour>(any: V, kernel: Kernel, mut q: [V; ROWS]) -> [V; ROWS] {
    let bound = LARGEST_EXPONENT / kernel.sharpness;
    if F::SHIFTED {
        for q in &mut q {
            *q = q.max(any.splat(-bound));
        }
    }
    let mut values = V::exp2_minus(any.splat(kernel.sharpness), q);
    if F::FAR {
        for i in 0..ROWS {
            values[i] = values[i].where_at_most(q[i], any.splat(bound));
        }
    }
    values
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
