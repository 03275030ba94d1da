//! Evaluation of a local field at the targets of a box, with a certificate for each.
//!
//! # Formula
//! With `G` the kernel mass and `X = √β x`, `v = ∇_X G / (√β G)`. If the computed `G̃`, `∇̃` are off by at most `E` and
//! `E'`, and sources of mass `S` at distance `ρ ≥ 1` or more were dropped, then
//!
//! ```text
//! √β |v − ṽ| ≤ (E' + |ṽ| E + S e^{−ρ²/2} (ρ + |ṽ|)) / (G̃ − E)
//! ```

use super::account::Account;
use super::chebyshev;
use super::fused::{Arithmetic, Kernel, dispatch};
use super::grid::Centre;
use super::row::Row;
use super::transfer::{SLACK, UNIT};

/// Quantities that all targets share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// `√β`.
    pub scale: f64,
    /// Box width in units of `1/√β`.
    pub width: f64,
    /// Distance beyond which sources are dropped, in units of `1/√β`.
    pub cutoff: f64,
    /// Mass of all sources.
    pub total: f64,
    /// Logarithm of the mass unit's share of the whole.
    pub log_unit: f64,
}

/// Targets of one box.
pub(super) struct Tile<'a, const D: usize> {
    /// The box's centre.
    pub centre: [Centre; D],
    /// Their coordinates, one slice per axis.
    pub coordinates: [&'a [f64]; D],
    /// The box's local field.
    pub tensor: &'a [f64],
    /// What is known about it.
    pub account: &'a Account<D>,
    /// What all targets share.
    pub frame: Frame,
}

impl<const D: usize> Tile<'_, D> {
    /// Fills one row per target.
    pub fn fill<const P: usize>(&self, rows: &mut [Row<D>]) {
        dispatch(Fill::<D, P> { tile: self, errors: self.errors(), rows });
    }

    fn errors(&self) -> Errors {
        let Frame { cutoff, total, .. } = self.frame;
        let Account { near, value, .. } = self.account;
        // The masses were added up in different orders, so the difference is only known to a few roundings.
        let dropped = (total - near).max(0.0) + 64.0 * UNIT * total;
        Errors {
            dropped: dropped * (-0.5 * cutoff * cutoff).exp(),
            truncation: ErrorPair {
                value: value.truncation,
                slope: self.account.slope_norm(|b| b.truncation),
            },
            rounding: ErrorPair { value: value.rounding, slope: self.account.slope_norm(|b| b.rounding) },
            frame: self.frame,
        }
    }
}

/// Bounds on the errors of a field and of its gradient.
#[derive(Clone, Copy)]
struct ErrorPair {
    value: f64,
    slope: f64,
}

#[derive(Clone, Copy)]
struct Errors {
    dropped: f64,
    truncation: ErrorPair,
    rounding: ErrorPair,
    frame: Frame,
}

impl Errors {
    /// Turns a field and its gradient in units of `X` into a velocity with its bounds.
    #[inline(always)]
    fn row<const D: usize>(&self, field: Field<D>) -> Row<D> {
        let (inverse, width) = (1.0 / field.value, 1.0 / self.frame.scale);
        let (mut velocity, mut speed) = (field.slopes, 0.0);
        for v in &mut velocity {
            *v *= inverse;
            speed += *v * *v;
            *v *= width;
        }
        let speed = f64::sqrt(speed);
        let least = field.value - self.truncation.value - self.rounding.value;
        let kept = self.truncation.slope + speed * self.truncation.value;
        let dropped = self.dropped * (self.frame.cutoff + speed);
        let rounding = self.rounding.slope + speed * self.rounding.value;
        // A mass that may be zero, or is not a number, certifies nothing.
        let share = if least > 0.0 { width / least } else { f64::INFINITY };
        Row {
            velocity,
            log_mass: field.value.ln() + self.frame.log_unit,
            truncation: SLACK * (kept + dropped) * share,
            rounding: rounding * share + 8.0 * UNIT * speed * width,
        }
    }
}

/// Targets whose polynomials are tabulated together: enough to keep loops apart, few enough for the first cache.
const BATCH: usize = 16;

struct Fill<'a, const D: usize, const P: usize> {
    tile: &'a Tile<'a, D>,
    errors: Errors,
    rows: &'a mut [Row<D>],
}

impl<const D: usize, const P: usize> Kernel for Fill<'_, D, P> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arithmetic>(self) {
        let per_radius = 2.0 / self.tile.frame.width;
        let to_box = per_radius * self.tile.frame.scale;
        let (matrix, _) = self.tile.tensor.as_chunks::<P>();
        let mut basis = [[Basis::<P>::ZERO; BATCH]; D];
        for (batch, rows) in self.rows.chunks_mut(BATCH).enumerate() {
            for (axis, basis) in basis.iter_mut().enumerate() {
                let coordinates = &self.tile.coordinates[axis][batch * BATCH..][..rows.len()];
                for (basis, &x) in basis.iter_mut().zip(coordinates) {
                    basis.set::<A>(self.tile.centre[axis].to(x) * to_box);
                }
            }
            let mut fields = [Field { value: 0.0, slopes: [0.0; D] }; BATCH];
            evaluate::<A, D, P>(matrix, &basis, &mut fields[..rows.len()]);
            for (row, mut field) in rows.iter_mut().zip(fields) {
                for slope in &mut field.slopes {
                    *slope *= per_radius;
                }
                *row = self.errors.row(field);
            }
        }
    }
}

/// Polynomials and their slopes at one coordinate.
#[derive(Clone, Copy)]
struct Basis<const P: usize> {
    values: [f64; P],
    slopes: [f64; P],
}

impl<const P: usize> Basis<P> {
    const ZERO: Self = Self { values: [0.0; P], slopes: [0.0; P] };

    #[inline(always)]
    fn set<A: Arithmetic>(&mut self, t: f64) {
        self.values = chebyshev::values::<A, P>(t);
        self.slopes = chebyshev::slopes::<A, P>(t);
    }
}

/// A field and its derivatives along the axes.
#[derive(Clone, Copy)]
struct Field<const D: usize> {
    value: f64,
    slopes: [f64; D],
}

/// Evaluates the series with coefficients `matrix` at a batch of targets.
#[inline(always)]
fn evaluate<A: Arithmetic, const D: usize, const P: usize>(
    matrix: &[[f64; P]],
    basis: &[[Basis<P>; BATCH]; D],
    fields: &mut [Field<D>],
) {
    match D {
        1 => {
            for (field, basis) in fields.iter_mut().zip(&basis[0]) {
                field.value = dot::<A, P>(&matrix[0], &basis.values);
                field.slopes[0] = dot::<A, P>(&matrix[0], &basis.slopes);
            }
        }
        2 => {
            let mut planes = [Field { value: 0.0, slopes: [0.0; 2] }; BATCH];
            evaluate_plane::<A, P>(matrix, &basis[0], &basis[1], &mut planes[..fields.len()]);
            for (field, plane) in fields.iter_mut().zip(planes) {
                field.value = plane.value;
                field.slopes.copy_from_slice(&plane.slopes[..D]);
            }
        }
        _ => {
            for (degree, slab) in matrix.chunks_exact(P).enumerate() {
                let mut planes = [Field { value: 0.0, slopes: [0.0; 2] }; BATCH];
                evaluate_plane::<A, P>(slab, &basis[1], &basis[2], &mut planes[..fields.len()]);
                for ((field, plane), basis) in fields.iter_mut().zip(planes).zip(&basis[0]) {
                    let (value, slope) = (basis.values[degree], basis.slopes[degree]);
                    field.value = A::mul_add(value, plane.value, field.value);
                    field.slopes[0] = A::mul_add(slope, plane.value, field.slopes[0]);
                    field.slopes[1] = A::mul_add(value, plane.slopes[0], field.slopes[1]);
                    field.slopes[2] = A::mul_add(value, plane.slopes[1], field.slopes[2]);
                }
            }
        }
    }
}

/// Two axes: the first is contracted into a table, the last by scalar products.
#[inline(always)]
fn evaluate_plane<A: Arithmetic, const P: usize>(
    matrix: &[[f64; P]],
    first: &[Basis<P>; BATCH],
    last: &[Basis<P>; BATCH],
    fields: &mut [Field<2>],
) {
    let mut table = [[[0.0; P]; 2]; BATCH];
    for (table, first) in table.iter_mut().zip(first).take(fields.len()) {
        let mut sums = [[0.0; P]; 2];
        for (degree, row) in matrix.iter().enumerate().take(P) {
            let (value, slope) = (first.values[degree], first.slopes[degree]);
            for k in 0..P {
                sums[0][k] = A::mul_add(value, row[k], sums[0][k]);
                sums[1][k] = A::mul_add(slope, row[k], sums[1][k]);
            }
        }
        *table = sums;
    }
    for ((field, table), last) in fields.iter_mut().zip(&table).zip(last) {
        field.value = dot::<A, P>(&table[0], &last.values);
        field.slopes[0] = dot::<A, P>(&table[1], &last.values);
        field.slopes[1] = dot::<A, P>(&table[0], &last.slopes);
    }
}

#[inline(always)]
fn dot<A: Arithmetic, const P: usize>(a: &[f64; P], b: &[f64; P]) -> f64 {
    let mut sums = [0.0; 4];
    for four in 0..P / 4 {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let k = 4 * four + lane;
            *sum = A::mul_add(a[k], b[k], *sum);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}
