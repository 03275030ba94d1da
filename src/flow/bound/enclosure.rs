//! [`Enclosure`]: bounds on the Jacobian that hold for every configuration in the tube, over a stretch of time.
//!
//! # Formula
//! Lengths are in units of the kernel's width `β^{−1/2}`. About the middle `s` of the stretch, with half-length `η`, a configuration
//! of the tube at time `s + τ` has the differences `z_i − z_k = δ + ξ`, where `δ = ẑ_i(s) − ẑ_k(s)` and `Δ` is the difference of the path's
//! velocities at `s`:
//! ```text
//! ξ = τΔ + ζ,   |ζ| ≤ ρ_i + ρ_k =: ρ,      |δ·ξ| ≤ η|δ·Δ| + |δ|ρ =: x,      |ξ| ≤ η|Δ| + ρ =: Ξ      (all zero for k = i)
//! ```
//! `ρ_i` is the tube's radius plus what the path strays from its tangent. Hence, with the weights `a_ik` and the drift `v_i` at `s`,
//! ```text
//! kernel values      e^{−|δ|²/2 − x − Ξ²/2} ≤ e^{−|δ+ξ|²/2} ≤ e^{−|δ|²/2 + x}
//! their sums         e^{−X} ≤ D_i/D_i(s) ≤ e^{Y},      X = Σ_k a_ik (x + Ξ²/2)  (Jensen),   e^Y = Σ_k a_ik e^x
//! weights            a ≤ a_ik e^{x+X},    |a − a_ik| ≤ a_ik e^x (e^X x + Ξ²/2 + max(e^X X, Y))
//! drift              |v − v_i| ≤ ψ = Σ_k |a − a_ik| |δ+v_i| + Σ_k a Ξ
//! blocks             κ_ik ≤ a_ik e^{x+X} (σ_ik + |δ+v_i|Ξ + (Ξ+ψ)(|δ|+Ξ)),      σ_ik = ‖I − (δ+v_i)δᵀ‖
//! logarithmic norm   μ_i ≤ e^X (λ_max(Σ_k a_ik e^x (δ+v_i)(δ+v_i)ᵀ) + Σ_k a_ik e^x (2|δ+v_i|Ξ + Ξ²) + a_ii) − 1
//! ```
//! The drift's line uses that the changes of the weights sum to zero, so that `v` may be taken about `F_i`; the last one, that a second moment
//! about any point exceeds the covariance. In two dimensions or more `σ = (√U + √(U + 4(1+s)))/2` with `U = |δ+v|²|δ|²`,
//! `s = −(δ+v)·δ`; on the line `σ = |1+s|`.
//!
//! # Rounding
//! Every term is positive and only an upper bound is wanted, so the sums over pairs are taken in single precision unless the cloud is too
//! wide for that. They are sums about the *rounded* positions and velocities: how far rounding moves a particle is computed and added to `ρ_i`, and
//! what that does to the drift at `s` to its error. With `ε` the largest move and `M = 2.28 (2 − ln D_i)`, which exceeds `Σ_k a_ik |δ|²` (as in
//! the rounding bound of the drifts), the mass changes by a factor of at most `e^{2ε√M}` and the drift by `2ε(1 + 4M)`. What is left are relative roundings
//! of positive sums; an allowance covers them, and what underflows. The mass at `s` is that of the drift. A truncated sum makes it too small, which
//! makes the weights too large; a compressed one is certified to change it by no more, relatively, than the drift in units of the kernel's width.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::ellipse::{Ellipse, Modulus, UNSHRINKING};
use super::pairs::{Column, Influx, PairSums, Pairs, Side};
use super::sample::Scaled;
use crate::simd::Real;

/// Rounding of sums in single precision, kernel values included, relative to their size.
const SINGLE_ROUNDING: f64 = 1e-3;

/// What every further column adds to that: eight partial sums, each of which rounds once per eight columns.
const SINGLE_ADDITION: f64 = 1e-8;

/// The widest cloud, in units of the kernel's width, whose positions are fine in single precision.
const WIDEST_SINGLE: f64 = 500.0;

/// The lightest positive weight, and the smallest mass (its logarithm), that singles can cope with: they are added to exponents, whose rounding grows with them.
const LIGHTEST_SINGLE: f64 = 1e-20;
const FAINTEST_SINGLE: f64 = -60.0;

/// Rounding in double precision, where singles do not do.
const DOUBLE_ROUNDING: f64 = 1e-9;

/// What may underflow in a million columns, or be lost where `δ + v` cancels, relative to the largest entry of a column and to one.
pub(super) const UNDERFLOW: f64 = 1e-20;
const CANCELLED: f64 = 1e-6;

/// `2(1 + e^{−2})`, rounded up: `Σ a |δ|²` is at most this times `2 − ln D`.
const SECOND_MOMENT: f64 = 2.28;

/// What is known of the path about one moment; lengths in units of `β^{−1/2}`, rows like the cloud's.
pub(super) struct Enclosure<'a> {
    pub dimension: usize,
    /// Probability weights, or none for equal ones.
    pub weights: Option<&'a [f64]>,
    /// Positions `ẑ(s)`.
    pub points: &'a [f64],
    /// The path's velocity at `s`.
    pub motion: &'a [f64],
    /// The drift `v` at `s`.
    pub drift: &'a [f64],
    /// How far `drift` may be from the exact one.
    pub drift_error: &'a [f64],
    /// `ln Σ_k ω_k w_ik` at `s`.
    pub log_mass: &'a [f64],
    /// `ρ_i`.
    pub radius: &'a [f64],
    /// `η`, in raw time.
    pub half_length: f64,
}

/// Radii, errors of the drift and relative rounding of sums, when positions, velocities and drifts are rounded.
struct Rounded {
    radius: Vec<f64>,
    drift_error: Vec<f64>,
    allowance: f64,
}

/// One row of the comparison system.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// `μ_i`.
    pub rate: f64,
    /// `Σ_{k≠i} κ_ik x_k` for each of the columns `x`.
    pub influx: Vec<f64>,
}

impl<'a> Enclosure<'a> {
    /// About the middle of a piece of time, with radii and half-length.
    pub fn about(
        middle: &'a Scaled,
        weights: Option<&'a [f64]>,
        radius: &'a [f64],
        half_length: f64,
    ) -> Self {
        Self {
            dimension: middle.points.len() / radius.len(),
            weights,
            points: &middle.points,
            motion: &middle.motion,
            drift: &middle.drift,
            drift_error: &middle.drift_error,
            log_mass: &middle.log_mass,
            radius,
            half_length,
        }
    }
}

impl Enclosure<'_> {
    /// All rows; `columns` are the vectors that the off-diagonal part is applied to.
    pub fn rows(&self, columns: &[&[f64]]) -> Vec<Row> {
        if self.fits_singles() { self.rows_in::<f32>(columns) } else { self.rows_in::<f64>(columns) }
    }

    pub(super) fn fits_singles(&self) -> bool {
        let widest = self.points.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let lightest =
            self.weights.map_or(1.0, |w| w.iter().copied().filter(|w| *w > 0.0).fold(1.0, f64::min));
        widest <= WIDEST_SINGLE && lightest >= LIGHTEST_SINGLE && self.faintest() >= FAINTEST_SINGLE
    }

    fn faintest(&self) -> f64 {
        self.log_mass.iter().copied().fold(0.0, f64::min)
    }

    fn rows_in<R: Real>(&self, columns: &[&[f64]]) -> Vec<Row> {
        let Rounded { radius, drift_error, allowance } = self.rounded::<R>(1.0);
        let about = Enclosure { radius: &radius, drift_error: &drift_error, ..*self };
        about.rows_about::<R>(columns, allowance)
    }

    /// The same for [`Enclosure::ellipses`].
    pub(super) fn ellipses_in<R: Real>(&self, least: f64) -> Vec<Option<Ellipse>> {
        let Rounded { radius, drift_error, allowance } = self.rounded::<R>(UNSHRINKING);
        let about = Enclosure { radius: &radius, drift_error: &drift_error, ..*self };
        let pairs = Pairs::<R>::new(&about, std::iter::empty());
        let row = |i: usize| {
            let modulus = |shrink: f64| {
                let swing = pairs.swing(about.side(i), shrink);
                Modulus::new(swing, allowance + drift_error[i], drift_error.len(), drift_error[i])
            };
            Ellipse::of_row(self.half_length, least, modulus)
        };
        (0..self.radius.len()).into_par_iter().map(row).collect()
    }

    /// What rounding to `R` does to radii and drifts; its effect on radii is counted `times`.
    fn rounded<R: Real>(&self, times: f64) -> Rounded {
        let moved = self.shifts::<R>(self.points);
        let farthest = moved.iter().copied().fold(0.0, f64::max);
        let moment = SECOND_MOMENT * (2.0 - self.faintest());
        let add = |(a, b): (&f64, f64)| a + b;
        let tilted = self.shifts::<R>(self.motion).into_iter().map(|shift| self.half_length * shift);
        let blur = moved.into_iter().zip(tilted).map(|(moved, tilted)| times * (moved + tilted));
        let turned = self
            .shifts::<R>(self.drift)
            .into_iter()
            .map(|shift| shift + 2.2 * farthest * (1.0 + 4.0 * moment));
        let radius: Vec<f64> = self.radius.iter().zip(blur).map(add).collect();
        let drift_error: Vec<f64> = self.drift_error.iter().zip(turned).map(add).collect();
        let allowance = 1.0 + self.sum_rounding::<R>() + 2.2 * farthest * moment.sqrt();
        Rounded { radius, drift_error, allowance }
    }

    /// Rounding of positive sums, relative to them.
    fn sum_rounding<R: Real>(&self) -> f64 {
        if size_of::<R>() == size_of::<f32>() {
            SINGLE_ROUNDING + self.radius.len() as f64 * SINGLE_ADDITION
        } else {
            DOUBLE_ROUNDING
        }
    }

    /// How far rounding to `R` moves each row of `values`.
    fn shifts<R: Real>(&self, values: &[f64]) -> Vec<f64> {
        let square = |x: &f64| (x - R::of(*x).double()).powi(2);
        values.chunks_exact(self.dimension).map(|row| row.iter().map(square).sum::<f64>().sqrt()).collect()
    }

    /// The rows when positions, velocities and drifts are what `R` makes of them.
    fn rows_about<R: Real>(&self, columns: &[&[f64]], allowance: f64) -> Vec<Row> {
        let columns: Vec<Column<'_>> = columns.iter().map(|x| Column::new(x)).collect();
        // Nothing flows from a column of zeros.
        let pairs = Pairs::<R>::new(self, columns.iter().filter(|column| column.largest > 0.0));
        (0..self.radius.len())
            .into_par_iter()
            .map(|i| self.row(i, &pairs.row(self.side(i)), &columns, allowance + self.drift_error[i]))
            .collect()
    }

    /// What a row knows of its own particle.
    fn side(&self, i: usize) -> Side<'_> {
        let own = i * self.dimension..(i + 1) * self.dimension;
        Side {
            row: i,
            points: &self.points[own.clone()],
            motion: &self.motion[own.clone()],
            drift: &self.drift[own],
            radius: self.radius[i],
            half_length: self.half_length,
            log_mass: self.log_mass[i],
        }
    }

    fn row(&self, i: usize, sums: &PairSums, columns: &[Column<'_>], allowance: f64) -> Row {
        let up = |x: f64| allowance * x;
        let thinning = up(sums.change);
        let thinned = thinning.exp();
        let thickening = up(sums.mass).max(1.0).ln();
        let turning = up(thinned * sums.changed_spread
            + (thinned * thinning).max(thickening) * sums.spread
            + 0.5 * sums.reached_spread
            + thinned * sums.reach)
            + self.drift_error[i];
        let share = self.weights.map_or(1.0 / self.radius.len() as f64, |w| w[i]);
        let own = (share.ln() - self.log_mass[i]).exp();
        let moment = largest_eigenvalue(&sums.moment, self.dimension);
        let rate = thinned * (up(moment + sums.blur + own) + CANCELLED) - 1.0;
        let inflow = |x: &Influx| up(thinned * (x.plain + turning * x.turned)) + UNDERFLOW;
        let mut found = sums.influx.iter().map(inflow);
        let from = |column: &Column<'_>| {
            if column.largest > 0.0 { column.largest * found.next().unwrap_or(f64::NAN) } else { 0.0 }
        };
        let influx = columns.iter().map(from).collect();
        Row { rate, influx }
    }
}

/// The largest eigenvalue of a symmetric matrix given by its lower triangle, row by row.
fn largest_eigenvalue(lower: &[f64], dimension: usize) -> f64 {
    match dimension {
        1 => lower[0],
        2 => 0.5 * (lower[0] + lower[2]) + (0.5 * (lower[0] - lower[2])).hypot(lower[1]),
        _ => {
            let at = |r: usize, c: usize| lower[r.max(c) * (r.max(c) + 1) / 2 + r.min(c)];
            DMatrix::from_fn(dimension, dimension, at).symmetric_eigenvalues().max()
        }
    }
}
