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
//! Every term is positive and only an upper bound is wanted, so the sums over pairs are taken in single precision, with an allowance
//! for it, unless the cloud is too wide for that.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::pairs::{PairSums, Pairs, Side};
use crate::drift::wide::Real;

/// Rounding of sums in single precision, kernel values included, relative to their size.
const SINGLE_ROUNDING: f64 = 1e-3;

/// What every further column adds to that: eight partial sums, each of which rounds once per eight columns.
const SINGLE_ADDITION: f64 = 1e-8;

/// What positions lose in single precision: twice their magnitude times this much, each way.
const SINGLE_POSITION: f64 = 1.2e-7;

/// The widest cloud, in units of the kernel's width, whose positions are fine in single precision.
const WIDEST_SINGLE: f64 = 500.0;

/// The lightest positive weight, and the smallest mass (its logarithm), that singles can cope with.
const LIGHTEST_SINGLE: f64 = 1e-20;
const FAINTEST_SINGLE: f64 = -100.0;

/// Rounding in double precision, where singles do not do.
const DOUBLE_ROUNDING: f64 = 1e-9;

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

/// One row of the comparison system.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// `μ_i`.
    pub rate: f64,
    /// `Σ_{k≠i} κ_ik x_k` for each of the columns `x`.
    pub influx: Vec<f64>,
}

impl Enclosure<'_> {
    /// All rows; `columns` are the vectors that the off-diagonal part is applied to.
    pub fn rows(&self, columns: &[&[f64]]) -> Vec<Row> {
        let widest = self.points.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if self.fits_singles(widest) {
            let faintest = self.log_mass.iter().fold(0.0_f64, |m, l| m.max(-l));
            let reach = 15.0 + (2.0 * faintest).sqrt();
            let position = 2.0 * SINGLE_POSITION * widest * reach * (self.dimension as f64).sqrt();
            let long_sums = self.radius.len() as f64 * SINGLE_ADDITION;
            self.rows_in::<f32>(columns, 1.0 + SINGLE_ROUNDING + position + long_sums)
        } else {
            self.rows_in::<f64>(columns, 1.0 + DOUBLE_ROUNDING)
        }
    }

    fn fits_singles(&self, widest: f64) -> bool {
        let lightest = self.weights.map_or(1.0, |w| w.iter().copied().filter(|w| *w > 0.0).fold(1.0, f64::min));
        let faintest = self.log_mass.iter().copied().fold(0.0, f64::min);
        widest <= WIDEST_SINGLE && lightest >= LIGHTEST_SINGLE && faintest >= FAINTEST_SINGLE
    }

    fn rows_in<R: Real>(&self, columns: &[&[f64]], allowance: f64) -> Vec<Row> {
        let pairs = Pairs::<R>::new(self, columns);
        (0..self.radius.len())
            .into_par_iter()
            .map(|i| self.row(i, &pairs.row(self.side(i)), allowance))
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

    fn row(&self, i: usize, sums: &PairSums, allowance: f64) -> Row {
        let up = |x: f64| allowance * x;
        let thinning = up(sums.change);
        let thinned = thinning.exp();
        let thickening = up(sums.mass).max(1.0).ln();
        let turning = up(thinned * sums.changed_spread
            + (thinned * thinning).max(thickening) * sums.spread
            + 0.5 * sums.reached_spread
            + thinned * sums.reach)
            + self.drift_error[i];
        let own = self.weights.map_or(1.0 / self.radius.len() as f64, |w| w[i]) * (-self.log_mass[i]).exp();
        let moment = largest_eigenvalue(&sums.moment, self.dimension);
        let rate = thinned * (up(moment + sums.blur) + own) - 1.0;
        let influx = sums.influx.iter().map(|x| up(thinned * (x.plain + turning * x.turned))).collect();
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
