//! The tile kernel: kernel values and their sums over two tiles of points, four lanes at a time.
//!
//! ```text
//! w = 2^(−κ q),   q = |Δ|²,   Δ = z_j − z_i
//! κq = n + r,  n an integer,  |r| ≤ 1/2:    2^(−κq) = 2^(−n) · p(−r),   p the polynomial of degree 10
//! ```
//!
//! `Δ` comes from the coordinates themselves, so it carries one rounding however far the cloud lies from the origin;
//! `κ` enters as the factor of a fused multiply-add, so the points need not be scaled by an inexact number.
//! `p` is the minimax polynomial of `2^r` with `p(0) = 1` exactly: a point weighs itself with exactly one.
//!
//! Four rows meet one vector of columns: four independent chains of dependent operations, each split into the even and
//! the odd half of the polynomial, keep the multipliers busy; the distances of the next vector are started before the
//! polynomial of this one. The weights of four rows go to a small buffer, then each coordinate is summed in turn,
//! so that accumulators stay in registers in every dimension.

use super::simd::{LANES, Lanes};

/// Points in a tile.
pub(super) const TILE: usize = 64;

/// Rows that are worked on together.
pub(super) const ROWS: usize = 4;

/// Points in a quad: a vector of columns, or the rows that are worked on together.
pub(super) const QUAD: usize = 4;

/// Quads in a tile.
pub(super) const QUADS: usize = TILE / QUAD;

const _: () = assert!(LANES == QUAD && ROWS == QUAD && QUADS.is_multiple_of(LANES));

/// One attribute (a coordinate, a weight, a sum) of all points of a tile.
pub(super) type Lane = [f64; TILE];

/// One side (the low or the high one) of the boxes around all quads of a tile.
pub(super) type Sides = [f64; QUADS];

/// Exponents beyond this are taken as an exact zero: `2^−1000` is negligible against every mass that is kept.
pub(super) const LARGEST_EXPONENT: f64 = 1000.0;

/// `2^r = Σ c_k r^k` on `|r| ≤ 1/2`, relative error at most 2.3e-16: Remez exchange in 60 digits with `c_0 = 1` fixed, then
/// rounded to `f64`.
pub(super) const EXP2: [f64; 11] = [
    1.0,
    0.6931471805599492,
    0.240226506959091,
    0.05550410866448181,
    0.009618129107983106,
    0.0013333558225800855,
    0.0001540352999428165,
    1.5252659427374817e-05,
    1.321565357745193e-06,
    1.020832305530292e-07,
    7.0381825747354674e-09,
];

/// `1.5·2^52`: adding it to `x` leaves `round(x)` in the low bits of the sum.
pub(super) const ROUNDER: f64 = 6_755_399_441_055_744.0;

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

/// The constant dimension that stands for one known at run time only.
pub(super) const ANY: usize = 0;

/// The vectors of a lane.
#[inline(always)]
fn vectors(lane: &Lane) -> &[[f64; LANES]; QUADS] {
    lane.as_chunks().0.try_into().expect("a tile is a whole number of vectors")
}

/// The vectors of a lane, to be written.
#[inline(always)]
fn vectors_mut(lane: &mut Lane) -> &mut [[f64; LANES]; QUADS] {
    lane.as_chunks_mut().0.try_into().expect("a tile is a whole number of vectors")
}

/// The weights of four rows against a tile: as the rows sum them (`ω_j w`) and as the columns do (`ω_i w`).
struct Weights<V> {
    of_rows: [[V; ROWS]; QUADS],
    of_columns: [[V; ROWS]; QUADS],
}

/// The quads of columns that four rows are summed against.
struct Near {
    quads: [u8; QUADS],
    count: usize,
}

impl Near {
    /// The quad at a place of the list, or, where nothing is pruned, the place itself; after the last comes the first.
    #[inline(always)]
    fn quad<F: Flavour>(&self, place: usize) -> usize {
        if F::PRUNED { self.quads[place % QUADS] as usize % QUADS } else { place % QUADS }
    }

    /// The length of the list, known at compile time where nothing is pruned.
    #[inline(always)]
    fn count<F: Flavour>(&self) -> usize {
        if F::PRUNED { self.count } else { QUADS }
    }
}

/// Sums over two tiles and returns the number of pairs of quads that took part.
#[inline(always)]
pub(super) fn sweep_lanes<V: Lanes, const D: usize, F: Flavour>(kernel: Kernel, tiles: Sweep<'_>) -> usize {
    let dimension = if D == ANY { tiles.dimension } else { D };
    let Sweep { rows, columns, row_boxes, column_boxes, limit_2, row_sums, column_sums, .. } = tiles;
    let nothing = [[V::splat(0.0); ROWS]; QUADS];
    let mut unused = [0.0; TILE];
    let mut weights = Weights { of_rows: nothing, of_columns: nothing };
    let mut near = Near { quads: [0; QUADS], count: QUADS };
    let mut pairs = 0;
    for strip in 0..QUADS {
        if F::PRUNED {
            find_near::<V>(dimension, strip, row_boxes, column_boxes, limit_2, &mut near);
            if near.count == 0 {
                continue;
            }
        }
        pairs += near.count::<F>();
        weigh::<V, F>(dimension, kernel, strip, rows, columns, &near, &mut weights);
        for k in 0..dimension {
            let column_sum = if F::TWO_SIDED { &mut column_sums[k] } else { &mut unused };
            add_differences::<V, F>(
                strip,
                &rows[k],
                &columns[k],
                &near,
                &weights,
                &mut row_sums[k],
                column_sum,
            );
        }
        let column_sum = if F::TWO_SIDED { &mut column_sums[dimension] } else { &mut unused };
        add_masses::<V, F>(strip, &near, &weights, &mut row_sums[dimension], column_sum);
    }
    pairs
}

/// Lists the quads of columns whose boxes are near the box of a strip of rows.
#[inline(always)]
fn find_near<V: Lanes>(
    dimension: usize,
    strip: usize,
    row_boxes: &[Sides],
    column_boxes: &[Sides],
    limit_2: f64,
    near: &mut Near,
) {
    near.count = 0;
    for group in 0..QUADS / LANES {
        let mut gap_2 = V::splat(0.0);
        for k in 0..dimension {
            let (row_low, row_high) =
                (V::splat(row_boxes[2 * k][strip]), V::splat(row_boxes[2 * k + 1][strip]));
            let low = V::load(&column_boxes[2 * k].as_chunks().0[group]);
            let high = V::load(&column_boxes[2 * k + 1].as_chunks().0[group]);
            let gap = low.sub(row_high).max(row_low.sub(high)).max(V::splat(0.0));
            gap_2 = gap.mul_add(gap, gap_2);
        }
        let bits = gap_2.at_most(V::splat(limit_2));
        for lane in 0..LANES {
            near.quads[near.count % QUADS] = (group * LANES + lane) as u8;
            near.count += (bits >> lane & 1) as usize;
        }
    }
}

/// The value of each of the four rows in all lanes.
#[inline(always)]
fn broadcast<V: Lanes>(lane: &Lane, strip: usize) -> [V; ROWS] {
    let [a, b, c, d] = vectors(lane)[strip];
    [V::splat(a), V::splat(b), V::splat(c), V::splat(d)]
}

#[inline(always)]
fn weigh<V: Lanes, F: Flavour>(
    dimension: usize,
    kernel: Kernel,
    strip: usize,
    rows: &[Lane],
    columns: &[Lane],
    near: &Near,
    weights: &mut Weights<V>,
) {
    let row_weights =
        if F::WEIGHTED && F::TWO_SIDED { broadcast(&rows[dimension], strip) } else { [V::splat(1.0); ROWS] };
    let mut next = exponents::<V, F>(dimension, strip, rows, columns, near.quad::<F>(0));
    for place in 0..near.count::<F>() {
        let now = next;
        next = exponents::<V, F>(dimension, strip, rows, columns, near.quad::<F>(place + 1));
        let plain = exp2_minus::<V, F>(kernel, now);
        weights.of_rows[place] = plain;
        if F::WEIGHTED {
            let weight = V::load(&vectors(&columns[dimension])[near.quad::<F>(place)]);
            for (i, of_row) in weights.of_rows[place].iter_mut().enumerate() {
                *of_row = plain[i].mul(weight);
                if F::SHIFTED {
                    *of_row = of_row.min(V::splat(vectors(&rows[2 * dimension])[strip][i]));
                }
            }
        }
        if F::WEIGHTED && F::TWO_SIDED {
            for (i, of_column) in weights.of_columns[place].iter_mut().enumerate() {
                *of_column = plain[i].mul(row_weights[i]);
            }
        }
    }
}

/// `|Δ|²` of four rows and a vector of columns, or its excess over the reference's.
#[inline(always)]
fn exponents<V: Lanes, F: Flavour>(
    dimension: usize,
    strip: usize,
    rows: &[Lane],
    columns: &[Lane],
    j: usize,
) -> [V; ROWS] {
    let mut squares = [V::splat(0.0); ROWS];
    for k in 0..dimension {
        let column = V::load(&vectors(&columns[k])[j]);
        let row = broadcast::<V>(&rows[k], strip);
        for i in 0..ROWS {
            let difference = column.sub(row[i]);
            let other = if F::SHIFTED {
                difference.sub(V::splat(vectors(&rows[dimension + k])[strip][i]))
            } else {
                difference
            };
            squares[i] = if k == 0 { difference.mul(other) } else { difference.mul_add(other, squares[i]) };
        }
    }
    squares
}

/// `2^(−κ q)` for four vectors at once.
#[inline(always)]
fn exp2_minus<V: Lanes, F: Flavour>(kernel: Kernel, q: [V; ROWS]) -> [V; ROWS] {
    let sharpness = V::splat(kernel.sharpness);
    let rounder = V::splat(ROUNDER);
    let bound = V::splat(LARGEST_EXPONENT / kernel.sharpness);
    let mut q = q;
    if F::SHIFTED {
        for value in &mut q {
            *value = value.max(V::splat(0.0).sub(bound));
        }
    }
    let mut rounded = q;
    let mut r = q;
    let mut square = q;
    for i in 0..ROWS {
        rounded[i] = q[i].mul_sub_from(sharpness, rounder);
        r[i] = q[i].mul_sub_from(sharpness, rounder.sub(rounded[i]));
        square[i] = r[i].mul(r[i]);
    }
    let mut even = [V::splat(EXP2[10]); ROWS];
    let mut odd = [V::splat(EXP2[9]); ROWS];
    for k in (0..4).rev() {
        for i in 0..ROWS {
            even[i] = even[i].mul_add(square[i], V::splat(EXP2[2 * k + 2]));
            odd[i] = odd[i].mul_add(square[i], V::splat(EXP2[2 * k + 1]));
        }
    }
    let mut values = even;
    for i in 0..ROWS {
        values[i] = odd[i].mul_add(r[i], even[i].mul_add(square[i], V::splat(EXP2[0])));
        values[i] = values[i].scale(rounded[i].to_exponent());
        if F::FAR {
            values[i] = values[i].where_at_most(q[i], bound);
        }
    }
    values
}

/// Adds `Σ w Δ_k` of one coordinate to the rows, and subtracts it from the columns.
#[inline(always)]
fn add_differences<V: Lanes, F: Flavour>(
    strip: usize,
    row: &Lane,
    column: &Lane,
    near: &Near,
    weights: &Weights<V>,
    row_sum: &mut Lane,
    column_sum: &mut Lane,
) {
    let row = broadcast::<V>(row, strip);
    let mut sums = [V::splat(0.0); ROWS];
    for place in 0..near.count::<F>() {
        let j = near.quad::<F>(place);
        let column = V::load(&vectors(column)[j]);
        let mut subtotal = V::splat(0.0);
        for i in 0..ROWS {
            let difference = column.sub(row[i]);
            sums[i] = weights.of_rows[place][i].mul_add(difference, sums[i]);
            if F::TWO_SIDED {
                let weight =
                    if F::WEIGHTED { weights.of_columns[place][i] } else { weights.of_rows[place][i] };
                subtotal = if i == 0 { weight.mul(difference) } else { weight.mul_add(difference, subtotal) };
            }
        }
        if F::TWO_SIDED {
            let sum = &mut vectors_mut(column_sum)[j];
            V::load(sum).sub(subtotal).store(sum);
        }
    }
    let sum = &mut vectors_mut(row_sum)[strip];
    V::load(sum).add(V::sums(sums)).store(sum);
}

/// Adds `Σ w` to the rows and to the columns.
#[inline(always)]
fn add_masses<V: Lanes, F: Flavour>(
    strip: usize,
    near: &Near,
    weights: &Weights<V>,
    row_sum: &mut Lane,
    column_sum: &mut Lane,
) {
    let mut sums = [V::splat(0.0); ROWS];
    for place in 0..near.count::<F>() {
        let of_rows = weights.of_rows[place];
        for i in 0..ROWS {
            sums[i] = sums[i].add(of_rows[i]);
        }
        if F::TWO_SIDED {
            let [a, b, c, d] = if F::WEIGHTED { weights.of_columns[place] } else { of_rows };
            let sum = &mut vectors_mut(column_sum)[near.quad::<F>(place)];
            V::load(sum).add(a.add(b).add(c.add(d))).store(sum);
        }
    }
    let sum = &mut vectors_mut(row_sum)[strip];
    V::load(sum).add(V::sums(sums)).store(sum);
}

#[cfg(test)]
mod tests {
    use super::super::simd::{Instructions, sweep};
    use super::super::units::FAR_AWAY;
    use super::*;

    /// Seven units for the kernel (`rounding` counts them), one and a half for the reference.
    const ROUNDOFF: f64 = 8.5 * 0.5 * f64::EPSILON;

    /// `2^(−κz²)` for 64 values of `z`, as the columns of a sweep whose rows are all far away but one at the origin.
    fn kernel_values(instructions: Instructions, sharpness: f64, distances: Lane) -> Lane {
        let mut row = [FAR_AWAY; TILE];
        row[5] = 0.0;
        let weights = [1.0; TILE];
        let (mut row_sums, mut column_sums) = ([[0.0; TILE]; 2], [[0.0; TILE]; 2]);
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
        for instructions in [Instructions::detect(), Instructions::portable()] {
            for sharpness in [1.0, 1.7, 2.885_390_081_777_927, 3.999] {
                for block in 0..30 {
                    // Multiples of 1/128 have exact squares.
                    let distances: Lane = std::array::from_fn(|i| (block * TILE + i) as f64 / 128.0);
                    let values = kernel_values(instructions, sharpness, distances);
                    for (z, value) in distances.iter().zip(values) {
                        let q = z * z;
                        let exponent = sharpness * q;
                        let rest = sharpness.mul_add(q, -exponent);
                        let expected = (-exponent).exp2() * (1.0 - rest * std::f64::consts::LN_2);
                        // Without a fused operation the exponent is rounded once more.
                        let tolerance = ROUNDOFF
                            + if instructions == Instructions::portable() {
                                exponent * f64::EPSILON
                            } else {
                                0.0
                            };
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
        let mut distances = [0.0; TILE];
        distances[1] = 1e10;
        distances[2] = -FAR_AWAY;
        distances[3] = 32.0;
        let values = kernel_values(Instructions::detect(), 1.0, distances);
        assert_eq!(values[..4], [1.0, 0.0, 0.0, 0.0]);
    }
}
