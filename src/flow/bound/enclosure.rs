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
//! wide for that; `rounding.rs` derives what that takes from them, and they are multiplied with as much. They are sums about the *rounded* positions, velocities and drifts: how far rounding moves
//! a particle is computed and added to `ρ_i`, and what that does to the drift at `s` to its error.
//!
//! Let no difference `δ` of row `i` change by more than `ε`, and let `M ≥ Σ_k a_ik|δ|²`. Along the straight way from one configuration to the other,
//! ```text
//! |d ln D_i| ≤ Σ a |δ·dδ| ≤ ε √M,      |dv_i| ≤ Σ a |dδ| + Σ a |δ·dδ||δ+v| ≤ ε (1 + M),      as Σ a |δ+v|² ≤ Σ a |δ|².
//! ```
//! `M = 2.28 (2 − ln D_i)` does (`drift/rounding.rs`), at both ends up to a per cent as long as `ε√M` is less than that.
//!
//! The mass at `s` is that of the drift, which is right to `√β` times what the drift certifies for itself, and to what rounds its logarithm. A truncated sum makes it too small, by no more, relatively, than
//! `Σ ω w (dist + |v|)/D` over what was left out, in units of the kernel's width; a compressed one is certified so (`gauss_transform/evaluate.rs`).
//!
//! `ln(1+t) ≤ t/√(1+t)` bounds `Y`, and `e^X` is rounded up (`up.rs`).

use rayon::prelude::*;

use super::eigenvalue::largest_above;
use super::ellipse::{Ellipse, Modulus, UNSHRINKING};
use super::pairs::{Column, PairSums, Pairs, RowSum, Side};
use super::rounding::{Logarithms, Slack, UP};
use super::sample::Scaled;
use super::up;
use crate::cloud::norm;
use crate::simd::Real;

/// The widest cloud, in units of the kernel's width, whose positions are fine in single precision.
const WIDEST_SINGLE: f64 = 500.0;

/// The lightest positive weight, and the smallest mass (its logarithm), that singles can cope with: they are added to exponents, whose rounding grows with them.
const LIGHTEST_SINGLE: f64 = 1e-20;
const LEAST_MASS_SINGLE: f64 = -60.0;

/// What may underflow, relative to the largest entry of a column and to one: terms of a billion columns below the smallest single, and squared lengths, whose roots are below `2^−74`.
pub(super) const UNDERFLOW: f64 = 1e-18;

/// What the mass of a full sum may be off by, relatively: with up to `10⁴` dimensions and `10⁶` additions, by what is derived in `drift/rounding.rs`.
const MASS_ROUNDING: f64 = 1e-9;

/// The largest `ε√M` for which the mass is taken to be known.
const LARGEST_SHIFT: f64 = 0.01;

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

/// Radii, errors of the drift and what sums are to be multiplied with, per particle, when positions, velocities and drifts are rounded.
struct Rounded {
    radius: Vec<f64>,
    drift_error: Vec<f64>,
    allowance: Vec<f64>,
}

/// One row of the comparison system.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// `μ_i`.
    pub rate: f64,
    /// `Σ_{k≠i} κ_ik x_k` for each of the columns `x`.
    pub row_sums: Vec<f64>,
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
        widest <= WIDEST_SINGLE
            && self.lightest() >= LIGHTEST_SINGLE
            && self.least_log_mass() >= LEAST_MASS_SINGLE
    }

    fn least_log_mass(&self) -> f64 {
        self.log_mass.iter().copied().fold(0.0, f64::min)
    }

    fn lightest(&self) -> f64 {
        let equal = 1.0 / self.radius.len() as f64;
        self.weights.map_or(equal, |w| w.iter().copied().filter(|w| *w > 0.0).fold(1.0, f64::min))
    }

    fn rows_in<R: Real>(&self, columns: &[&[f64]]) -> Vec<Row> {
        let Rounded { radius, drift_error, allowance } = self.rounded::<R>(1.0);
        let about = Enclosure { radius: &radius, drift_error: &drift_error, ..*self };
        about.rows_about::<R>(columns, &allowance)
    }

    /// The same for [`Enclosure::ellipses`].
    pub(super) fn ellipses_in<R: Real>(&self, least: f64) -> Vec<Option<Ellipse>> {
        let Rounded { radius, drift_error, allowance } = self.rounded::<R>(UNSHRINKING);
        let about = Enclosure { radius: &radius, drift_error: &drift_error, ..*self };
        let pairs = Pairs::<R>::new(&about, std::iter::empty());
        let row = |i: usize| {
            let modulus = |shrink: f64| {
                let swing = pairs.swing(about.side(i), shrink);
                Modulus::new(swing, allowance[i], drift_error.len(), drift_error[i])
            };
            Ellipse::of_row(self.half_length, least, modulus)
        };
        (0..self.radius.len()).into_par_iter().map(row).collect()
    }

    /// What rounding to `R` does to radii and drifts; its effect on radii is counted `times`.
    fn rounded<R: Real>(&self, times: f64) -> Rounded {
        let (moved, tilted) = (self.shifts::<R>(self.points), self.shifts::<R>(self.motion));
        let turned = self.shifts::<R>(self.drift);
        let farthest = moved.iter().copied().fold(0.0, f64::max);
        let sums = self.sum_rounding::<R>();
        let particles = 0..self.radius.len();
        let radius = |i: usize| UP * (self.radius[i] + times * (moved[i] + self.half_length * tilted[i]));
        let moment = |i: usize| SECOND_MOMENT * (2.0 - self.log_mass[i]);
        let drift_error = |i: usize| {
            UP * (self.drift_error[i] + turned[i] + 1.1 * (moved[i] + farthest) * (1.0 + moment(i)))
        };
        let allowance = |i: usize| {
            let shift = (moved[i] + farthest) * moment(i).sqrt();
            let mass = self.drift_error[i] + MASS_ROUNDING + self.logarithm_rounding(i);
            let known = shift <= LARGEST_SHIFT && mass < 0.5;
            if known { UP * sums * (1.0 + 1.1 * shift) / (1.0 - mass) } else { f64::INFINITY }
        };
        Rounded {
            radius: particles.clone().map(radius).collect(),
            drift_error: particles.clone().map(drift_error).collect(),
            allowance: particles.map(allowance).collect(),
        }
    }

    /// What rounding may do to the logarithm of a mass whose reference is far away.
    fn logarithm_rounding(&self, i: usize) -> f64 {
        (self.dimension + 10) as f64 * f64::EPSILON * (2.0 + self.log_mass[i].abs())
    }

    /// What sums of positive terms have to be multiplied with.
    fn sum_rounding<R: Real>(&self) -> f64 {
        let logarithms = Logarithms { mass: -self.least_log_mass(), weight: -self.lightest().ln() };
        Slack::of::<R>(self.dimension).allowance::<R>(self.radius.len(), logarithms)
    }

    /// How far rounding to `R` moves each row of `values`, which are themselves rounded, by a unit of length and by its product with them.
    fn shifts<R: Real>(&self, values: &[f64]) -> Vec<f64> {
        let shift = |x: &f64| (x - R::of(*x).double()).abs() + 2.0 * f64::EPSILON * x.abs();
        let rows = values.chunks_exact(self.dimension);
        rows.map(|row| UP * norm(&row.iter().map(shift).collect::<Vec<_>>())).collect()
    }

    /// The rows when positions, velocities and drifts are what `R` makes of them.
    fn rows_about<R: Real>(&self, columns: &[&[f64]], allowance: &[f64]) -> Vec<Row> {
        let columns: Vec<Column<'_>> = columns.iter().map(|x| Column::new(x)).collect();
        // Nothing flows from a column of zeros.
        let pairs = Pairs::<R>::new(self, columns.iter().filter(|column| column.largest > 0.0));
        (0..self.radius.len())
            .into_par_iter()
            .map(|i| self.row::<R>(i, &pairs.row(self.side(i)), &columns, allowance[i]))
            .collect()
    }

    /// What a row knows of its own particle.
    pub(super) fn side(&self, i: usize) -> Side<'_> {
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

    fn row<R: Real>(&self, i: usize, sums: &PairSums, columns: &[Column<'_>], allowance: f64) -> Row {
        let above = |x: f64| UP * allowance * x;
        let thinning = above(sums.change) + UNDERFLOW;
        let thinned = up::phi(0, thinning).get();
        let thicker = (above(sums.mass) - 1.0).max(0.0) + UNDERFLOW;
        let thickening = UP * thicker / (1.0 + thicker).sqrt();
        let turning = above(
            thinned * sums.changed_spread
                + (thinned * thinning).max(thickening) * sums.spread
                + 0.5 * sums.reached_spread
                + thinned * sums.reach,
        ) + UNDERFLOW
            + self.drift_error[i];
        let share = self.weights.map_or(1.0 / self.radius.len() as f64, |w| w[i]);
        let own = (share * up::exp(-self.log_mass[i]).get()).min(1.0);
        let blur = sums.blur + 2.0 * self.off_centre::<R>(i) * sums.reach;
        let rate = thinned * above(self.moment::<R>(&sums.moment) + blur + own) + UNDERFLOW - 1.0;
        let row_sum = |x: &RowSum| above(thinned * (x.plain + turning * x.turned)) + UNDERFLOW;
        let mut found = sums.row_sums.iter().map(row_sum);
        let from = |column: &Column<'_>| {
            if column.largest > 0.0 { UP * column.largest * found.next().unwrap_or(f64::NAN) } else { 0.0 }
        };
        let row_sums = columns.iter().map(from).collect();
        Row { rate: rate + 4.0 * f64::EPSILON, row_sums }
    }

    /// The largest eigenvalue of a second moment, from above but for the allowance.
    fn moment<R: Real>(&self, lower: &[f64]) -> f64 {
        let trace: f64 = (0..self.dimension).map(|r| lower[r * (r + 3) / 2]).sum();
        let rounding = Slack::of::<R>(self.dimension).moment::<R>(self.radius.len());
        largest_above(lower, self.dimension) + rounding * trace
    }

    /// How far the centre of a row's second moment, which is rounded, is from `ẑ_i + v_i`.
    fn off_centre<R: Real>(&self, i: usize) -> f64 {
        let at = |c: usize| {
            let (z, v) = (self.points[c], self.drift[c]);
            (R::of(z + v).double() - (R::of(z).double() + R::of(v).double())).abs()
                + f64::EPSILON * (z.abs() + v.abs())
        };
        let own = i * self.dimension..(i + 1) * self.dimension;
        UP * norm(&own.map(at).collect::<Vec<_>>())
    }
}
