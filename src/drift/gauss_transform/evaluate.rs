//! Evaluation of a local field at the targets of a box, with a certificate for each.
//!
//! # Formula
//! With `G` the kernel mass and `X = √β x`, `v = ∇_X G / (√β G)`. If the computed `G̃`, `∇̃` are off by at most `E` and
//! `E'`, and sources of mass `S` at distance `ρ ≥ 1` or more were dropped, then
//!
//! ```text
//! √β |v − ṽ| ≤ (E' + |ṽ| E + S e^{−ρ²/2} (ρ + |ṽ|)) / (G̃ − E)
//! ```
//!
//! With `max(E, E')` in place of `E'` the same number bounds what is wrong with the mass, relatively.

use super::data::{Account, Row};
use super::expansion::with_order;
use super::grid::Centre;
use super::logarithm::ln;
use super::series::{self, BATCH, Fields};
use super::transfer::{SLACK, UNIT};
use crate::simd::{Program, Vector, widest};

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
    /// What rounding may have done to sums of masses.
    pub total_rounding: f64,
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
    pub fn fill(&self, order: usize, rows: &mut [f64]) {
        with_order!(order, P, widest(Fill::<D, P> { tile: self, errors: self.errors(), rows }));
    }

    fn errors(&self) -> Errors {
        let Frame { cutoff, total, total_rounding, .. } = self.frame;
        let Account { near, value, .. } = self.account;
        let dropped = (total - near).max(0.0) + total_rounding;
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

impl ErrorPair {
    #[inline(always)]
    fn of_drift(self, speed: f64) -> f64 {
        self.slope.max(self.value) + speed * self.value
    }
}

#[derive(Clone, Copy)]
struct Errors {
    dropped: f64,
    truncation: ErrorPair,
    rounding: ErrorPair,
    frame: Frame,
}

impl Errors {
    /// Turns fields and their gradients in units of `X` into velocities with their bounds.
    #[inline(always)]
    fn fill_rows<V: Vector<Scalar = f64>, const D: usize>(&self, fields: &Fields<D>, rows: &mut [f64]) {
        let width = 1.0 / self.frame.scale;
        let mut lanes = RowLanes::<D>::ZERO;
        for i in 0..BATCH {
            let (mass, inverse) = (fields.values[i], 1.0 / fields.values[i]);
            let mut square = 0.0;
            for axis in 0..D {
                let relative = fields.slopes[axis][i] * inverse;
                square = V::fused(relative, relative, square);
                lanes.velocity[axis][i] = relative * width;
            }
            let speed = square.sqrt();
            let least = mass - self.truncation.value - self.rounding.value;
            let kept = self.truncation.of_drift(speed);
            let dropped = self.dropped * (self.frame.cutoff + speed);
            let rounding = self.rounding.of_drift(speed);
            // A mass that may be zero, or is not a number, certifies nothing.
            let share = if least > 0.0 { width / least } else { f64::INFINITY };
            lanes.truncation[i] = SLACK * (kept + dropped) * share;
            lanes.rounding[i] = SLACK * rounding * share + 8.0 * UNIT * speed * width;
            lanes.log_mass[i] = ln::<V>(mass) + self.frame.log_unit;
        }
        for (i, row) in rows.chunks_exact_mut(Row::<D>::LENGTH).enumerate() {
            for (entry, lane) in row.iter_mut().zip(&lanes.velocity) {
                *entry = lane[i];
            }
            row[D] = lanes.log_mass[i];
            row[D + 1] = lanes.truncation[i];
            row[D + 2] = lanes.rounding[i];
        }
    }
}

/// Rows of a batch, transposed.
struct RowLanes<const D: usize> {
    velocity: [[f64; BATCH]; D],
    log_mass: [f64; BATCH],
    truncation: [f64; BATCH],
    rounding: [f64; BATCH],
}

impl<const D: usize> RowLanes<D> {
    const ZERO: Self = Self {
        velocity: [[0.0; BATCH]; D],
        log_mass: [0.0; BATCH],
        truncation: [0.0; BATCH],
        rounding: [0.0; BATCH],
    };
}

struct Fill<'a, const D: usize, const P: usize> {
    tile: &'a Tile<'a, D>,
    errors: Errors,
    rows: &'a mut [f64],
}

impl<const D: usize, const P: usize> Program for Fill<'_, D, P> {
    type Scalar = f64;
    type Output = ();

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, _: V) {
        let per_radius = 2.0 / self.tile.frame.width;
        let to_box = per_radius * self.tile.frame.scale;
        let (matrix, _) = self.tile.tensor.as_chunks::<P>();
        let mut positions = [[0.0; BATCH]; D];
        for (batch, rows) in self.rows.chunks_mut(BATCH * Row::<D>::LENGTH).enumerate() {
            let count = rows.len() / Row::<D>::LENGTH;
            for (axis, positions) in positions.iter_mut().enumerate() {
                let coordinates = &self.tile.coordinates[axis][batch * BATCH..][..count];
                for (position, &x) in positions.iter_mut().zip(coordinates) {
                    *position = self.tile.centre[axis].to(x) * to_box;
                }
            }
            let mut fields = series::evaluate::<V, D, P>(matrix, &positions);
            for slope in fields.slopes.as_flattened_mut() {
                *slope *= per_radius;
            }
            self.errors.fill_rows::<V, D>(&fields, rows);
        }
    }
}
