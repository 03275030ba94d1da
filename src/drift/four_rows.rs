//! Four rows of a tile against the columns of another: the arithmetic of a sweep.
//!
//! Four rows meet one vector of columns: four independent chains of dependent operations, each split into the even and
//! the odd half of the polynomial, keep the multipliers busy. The weights of four rows go to a small buffer, then each coordinate is summed in turn,
//! so that accumulators stay in registers in every dimension.

use super::kernel::{Flavour, Kernel, Lane, QUAD, QUADS, ROWS, Sides, TILE};
use crate::simd::{LARGEST_EXPONENT, Vector};

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
pub(super) struct Weights {
    of_rows: Strip,
    of_columns: Strip,
}

impl Weights {
    pub(super) const ZERO: Self =
        Self { of_rows: Strip([0.0; TILE * ROWS]), of_columns: Strip([0.0; TILE * ROWS]) };
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
pub(super) struct Near {
    vectors: [u8; QUADS],
    pub(super) count: usize,
}

impl Near {
    pub(super) const NONE: Self = Self { vectors: [0; QUADS], count: 0 };

    /// The vector at a place of the list, or, where nothing is pruned, the place itself.
    #[inline(always)]
    fn vector<F: Flavour>(&self, place: usize) -> usize {
        if F::PRUNED { self.vectors[place % QUADS] as usize } else { place }
    }

    /// The length of the list, known at compile time where nothing is pruned.
    #[inline(always)]
    pub(super) fn count<V: Vector, F: Flavour>(&self) -> usize {
        if F::PRUNED { self.count } else { TILE / V::WIDTH }
    }

    /// Lists the vectors of columns that have a quad whose box is near the box of a strip of rows.
    #[inline(always)]
    pub(super) fn find<V: Vector<Scalar = f64>>(
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
pub(super) struct FourRows<'a, V> {
    pub(super) any: V,
    pub(super) dimension: usize,
    /// The first of them.
    pub(super) first: usize,
    pub(super) rows: &'a [Lane],
    pub(super) columns: &'a [Lane],
    pub(super) near: &'a Near,
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
    pub(super) fn weigh<const D: usize, F: Flavour>(&self, kernel: Kernel, weights: &mut Weights) {
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
    pub(super) fn add_differences<F: Flavour>(
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
    pub(super) fn add_masses<F: Flavour>(
        &self,
        weights: &Weights,
        row_sum: &mut Lane,
        column_sum: &mut Lane,
    ) {
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
