//! Chebyshev series in one or two variables and their gradients, at a batch of positions in `[−1, 1]^D`.
//!
//! The innermost loops run over the positions, so that nothing has to be transposed or summed across a register.

use crate::simd::Vector;

/// Positions evaluated together.
pub(super) const BATCH: usize = 8;

/// One number per position.
type Lanes = [f64; BATCH];

/// A series and its derivatives along the axes, at every position of a batch.
pub(super) struct Fields<const D: usize> {
    /// Values.
    pub values: Lanes,
    /// Derivatives, by axis.
    pub slopes: [Lanes; D],
}

impl<const D: usize> Fields<D> {
    const ZERO: Self = Self { values: [0.0; BATCH], slopes: [[0.0; BATCH]; D] };
}

/// Evaluates the series whose coefficients are `matrix`, the last axis fastest.
#[inline(always)]
pub(super) fn evaluate<V: Vector<Scalar = f64>, const D: usize, const P: usize>(
    matrix: &[[f64; P]],
    positions: &[Lanes; D],
) -> Fields<D> {
    let first = Table::<P>::new::<V>(&positions[0]);
    let mut fields = Fields::ZERO;
    if D == 1 {
        for (degree, coefficient) in matrix[0].iter().enumerate() {
            add::<V>(*coefficient, &first.values[degree], &mut fields.values);
            add::<V>(*coefficient, &first.slopes[degree], &mut fields.slopes[0]);
        }
    } else {
        let plane = contract::<V, P>(matrix, &first, &Table::<P>::new::<V>(&positions[1]));
        fields.values = plane.values;
        fields.slopes.copy_from_slice(&plane.slopes[..D]);
    }
    fields
}

/// `T_k` and `T_k'` at every position of a batch.
struct Table<const P: usize> {
    values: [Lanes; P],
    slopes: [Lanes; P],
}

impl<const P: usize> Table<P> {
    /// From `f_{k+1} = 2t f_k − f_{k−1}`, which both `T_k` and `T_k'/k` satisfy.
    #[inline(always)]
    fn new<V: Vector<Scalar = f64>>(positions: &Lanes) -> Self {
        let mut table = Self { values: [[1.0; BATCH]; P], slopes: [[0.0; BATCH]; P] };
        let (mut before, mut current) = ([0.0; BATCH], [1.0; BATCH]);
        table.values[1] = *positions;
        table.slopes[1] = current;
        for degree in 2..P {
            for i in 0..BATCH {
                let twice = 2.0 * positions[i];
                let value = V::fused(twice, table.values[degree - 1][i], -table.values[degree - 2][i]);
                let slope = V::fused(twice, current[i], -before[i]);
                (before[i], current[i]) = (current[i], slope);
                table.values[degree][i] = value;
                table.slopes[degree][i] = slope * degree as f64;
            }
        }
        table
    }
}

/// Two axes: for two degrees of the last at a time, sums over the first stay in registers.
#[inline(always)]
fn contract<V: Vector<Scalar = f64>, const P: usize>(
    matrix: &[[f64; P]],
    first: &Table<P>,
    last: &Table<P>,
) -> Fields<2> {
    let mut fields = Fields::ZERO;
    for pair in 0..P / 2 {
        let mut values = [[0.0; BATCH]; 2];
        let mut slopes = [[0.0; BATCH]; 2];
        for (degree, row) in matrix.iter().enumerate().take(P) {
            for k in 0..2 {
                add::<V>(row[2 * pair + k], &first.values[degree], &mut values[k]);
                add::<V>(row[2 * pair + k], &first.slopes[degree], &mut slopes[k]);
            }
        }
        for k in 0..2 {
            add_product::<V>(&values[k], &last.values[2 * pair + k], &mut fields.values);
            add_product::<V>(&slopes[k], &last.values[2 * pair + k], &mut fields.slopes[0]);
            add_product::<V>(&values[k], &last.slopes[2 * pair + k], &mut fields.slopes[1]);
        }
    }
    fields
}

#[inline(always)]
fn add<V: Vector<Scalar = f64>>(factor: f64, lanes: &Lanes, sums: &mut Lanes) {
    for i in 0..BATCH {
        sums[i] = V::fused(factor, lanes[i], sums[i]);
    }
}

#[inline(always)]
fn add_product<V: Vector<Scalar = f64>>(a: &Lanes, b: &Lanes, sums: &mut Lanes) {
    for i in 0..BATCH {
        sums[i] = V::fused(a[i], b[i], sums[i]);
    }
}
