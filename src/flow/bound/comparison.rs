//! [`Comparison`]: the positive linear system that dominates the distance to the exact flow.
//!
//! # Formula
//! ```text
//! ė_i ≤ μ_i e_i + Σ_k κ_ik e_k + r_i
//! ```
//! Over a stretch of length `ℓ` on which `μ`, `κ` and `r` are constant bounds, suppose slopes `y ≥ 0` satisfy, for all `i`,
//! ```text
//! (U_i(ℓ) − e_i)/ℓ ≤ y_i,     U_i(t) = e^{μt} e_i + ∫₀ᵗ e^{μ(t−s)} (Σ_k κ_ik (e_k + s y_k) + r_i) ds,   μ = max(μ_i, 0).
//! ```
//! `U_i` is convex, so `U_i(t) ≤ e_i + t y_i` on the whole stretch, and therefore `e(t) ≤ e + t y`: as long as it holds, the right-hand
//! side of `ė` is at most that of `U̇`, and `U` does not let it fail. With the true `μ_i` in place of its positive part,
//! `e_i(ℓ) ≤ U_i(ℓ)`. The slopes are guessed from the stretch before. Guesses may be scaled by a common factor `α` after the
//! fact: that costs nothing but a slightly larger second-order term.
//!
//! The system is linear, so the sources of `r` are propagated side by side: their sum is the bound, and each is its share.

use super::enclosure::{Enclosure, Row};
use super::refusal::Refusal;
use super::sources::{PerSource, Supply};
use crate::scale::Beta;

/// Guesses may be scaled up by this much; the tube is computed for it.
const MAX_SCALING: f64 = 2.0;

/// How much larger than the last slope the next one is guessed.
const FORESIGHT: f64 = 1.25;

/// Attempts at slopes that dominate; two suffice unless the tube itself drives the coefficients.
const ATTEMPTS: usize = 8;

/// The widest tube, in units of the kernel's width. Beyond it the kernel is another one at the other side.
const WIDEST_TUBE: f64 = 0.5;

/// Rounding of a few hundred operations, all of positive numbers, is far below this.
pub(super) const ROUNDING_UP: f64 = 1.0 + 1e-12;

/// The path about the middle of a stretch, in raw units.
pub(super) struct Stretch<'a> {
    /// When the stretch begins, for messages.
    pub raw_time: f64,
    /// Its length `ℓ`.
    pub length: f64,
    /// Positions, path velocity, drift and its error, as in [`Enclosure`].
    pub points: &'a [f64],
    pub motion: &'a [f64],
    pub drift: &'a [f64],
    pub drift_error: &'a [f64],
    pub log_mass: &'a [f64],
    /// How far the path leaves its tangent.
    pub remainder: &'a [f64],
    /// The defect.
    pub supply: &'a Supply,
}

/// The state of the comparison system.
pub(super) struct Comparison<'a> {
    beta: Beta,
    dimension: usize,
    weights: Option<&'a [f64]>,
    /// Bounds `e` on the distance to the exact flow, by source.
    errors: PerSource,
    /// Their last slopes without the supply, from which the next are guessed.
    slopes: PerSource,
    /// The largest bounds of all sources together since the last [`Comparison::begin`].
    peaks: Vec<f64>,
}

/// What one pass says about the guessed slopes.
struct Trial {
    /// Slopes `U` without the supply, and the supply's.
    slopes: PerSource,
    supplied: PerSource,
    /// The common factor that makes the guesses dominate; infinite where none does.
    scaling: f64,
}

impl<'a> Comparison<'a> {
    /// An exact start.
    pub fn new(beta: Beta, dimension: usize, weights: Option<&'a [f64]>, particles: usize) -> Self {
        let zero = || PerSource::zero(particles);
        Self { beta, dimension, weights, errors: zero(), slopes: zero(), peaks: vec![0.0; particles] }
    }

    /// Begins a step.
    pub fn begin(&mut self) {
        self.peaks = self.errors.total();
    }

    /// What the bounds have not exceeded since the step began.
    pub fn peaks(&self) -> &[f64] {
        &self.peaks
    }

    /// The bounds so far, by source.
    pub fn errors(&self) -> &PerSource {
        &self.errors
    }

    /// A jump of the path.
    pub fn jump(&mut self, gap: &[f64]) {
        self.errors.rounding.iter_mut().zip(gap).for_each(|(e, g)| *e += g);
    }

    /// Moves the bounds to the end of a stretch.
    pub fn advance(&mut self, stretch: &Stretch<'_>) -> Result<(), Refusal> {
        let mut guess =
            self.slopes.map2(&stretch.supply.largest, |slope, supply| FORESIGHT * (slope + supply));
        for _ in 0..ATTEMPTS {
            let tube = self.tube(&guess, stretch.length);
            self.check_width(&tube, stretch)?;
            let rows = self.rows(&tube, &guess, stretch);
            let trial = self.trial(&rows, &guess, stretch);
            if trial.scaling <= MAX_SCALING {
                self.note_peaks(&guess, trial.scaling * stretch.length);
                self.accept(&rows, trial, stretch);
                return Ok(());
            }
            guess = trial.slopes.map2(&trial.supplied, |slope, supply| FORESIGHT * (slope + supply));
        }
        Err(self.too_wide(&self.tube(&guess, stretch.length), stretch))
    }

    /// Radii that hold throughout the stretch, whatever the scaling.
    fn tube(&self, guess: &PerSource, length: f64) -> Vec<f64> {
        let (errors, slopes) = (self.errors.total(), guess.total());
        errors.iter().zip(slopes).map(|(e, y)| e + MAX_SCALING * length * y).collect()
    }

    fn note_peaks(&mut self, guess: &PerSource, length: f64) {
        let ends = self.errors.total().into_iter().zip(guess.total()).map(|(e, y)| e + length * y);
        self.peaks.iter_mut().zip(ends).for_each(|(peak, end)| *peak = peak.max(end));
    }

    fn check_width(&self, tube: &[f64], stretch: &Stretch<'_>) -> Result<(), Refusal> {
        let widest = WIDEST_TUBE / self.beta.get().sqrt();
        if tube.iter().all(|radius| *radius <= widest) { Ok(()) } else { Err(self.too_wide(tube, stretch)) }
    }

    fn too_wide(&self, tube: &[f64], stretch: &Stretch<'_>) -> Refusal {
        let widest = |a: &(usize, &f64), b: &(usize, &f64)| a.1.total_cmp(b.1);
        let (particle, radius) = tube.iter().enumerate().max_by(widest).map_or((0, 0.0), |(i, r)| (i, *r));
        let kernel_width = 1.0 / self.beta.get().sqrt();
        Refusal::TubeTooWide { raw_time: stretch.raw_time, particle, radius, kernel_width }
    }

    fn rows(&self, tube: &[f64], guess: &PerSource, stretch: &Stretch<'_>) -> Vec<Row> {
        let unit = self.beta.get().sqrt();
        let scaled = |values: &[f64]| values.iter().map(|x| x * unit).collect::<Vec<_>>();
        let misplaced = &stretch.supply.position;
        let around = tube.iter().zip(stretch.remainder).zip(misplaced);
        let radius: Vec<f64> = around.map(|((e, q), u)| unit * (e + q + u)).collect();
        let enclosure = Enclosure {
            dimension: self.dimension,
            weights: self.weights,
            points: &scaled(stretch.points),
            motion: &scaled(stretch.motion),
            drift: &scaled(stretch.drift),
            drift_error: &scaled(stretch.drift_error),
            log_mass: stretch.log_mass,
            radius: &radius,
            half_length: stretch.length / 2.0,
        };
        let rounding: Vec<f64> = self.errors.rounding.iter().zip(misplaced).map(|(e, u)| e + u).collect();
        let [integration, truncation, _] = self.errors.parts();
        let [first, second, third] = guess.parts();
        enclosure.rows(&[integration, truncation, &rounding, first, second, third])
    }

    fn trial(&self, rows: &[Row], guess: &PerSource, stretch: &Stretch<'_>) -> Trial {
        let particles = rows.len();
        let (mut slopes, mut supplied) = (PerSource::zero(particles), PerSource::zero(particles));
        let mut scaling = 0.0_f64;
        for (i, row) in rows.iter().enumerate() {
            let step = Exponential::new(positive_part(row.rate), stretch.length);
            let (mut fixed, mut scaled, mut guessed) = (0.0, 0.0, 0.0);
            for source in 0..PerSource::COUNT {
                let supply = step.constant * stretch.supply.largest_at(source, i, row.rate);
                let own = step.growth * self.errors.at(source, i) + step.constant * row.influx[source];
                let second = stretch.length * step.linear * row.influx[PerSource::COUNT + source];
                slopes.set(source, i, own + second);
                supplied.set(source, i, supply);
                fixed += own + supply;
                scaled += second;
                guessed += guess.at(source, i);
            }
            scaling = scaling.max(factor(ROUNDING_UP * fixed, guessed - scaled));
        }
        Trial { slopes, supplied, scaling }
    }

    fn accept(&mut self, rows: &[Row], trial: Trial, stretch: &Stretch<'_>) {
        let length = stretch.length;
        for (i, row) in rows.iter().enumerate() {
            let step = Exponential::new(row.rate, length);
            let keep = 1.0 + length * step.growth;
            for source in 0..PerSource::COUNT {
                let second = trial.scaling * length * step.linear * row.influx[PerSource::COUNT + source];
                let supply = keep.max(1.0) * stretch.supply.mean_at(source, i, row.rate);
                let moved = keep * self.errors.at(source, i)
                    + length * (step.constant * row.influx[source] + second + supply);
                self.errors.set(source, i, ROUNDING_UP * moved);
            }
        }
        self.slopes = trial.slopes;
    }
}

/// `max(x, 0)` that does not take a NaN for zero.
fn positive_part(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x }
}

/// The smallest `α` with `fixed ≤ α · room`; infinite if there is none, or if either is not a number.
fn factor(fixed: f64, room: f64) -> f64 {
    if fixed == 0.0 && room == 0.0 {
        0.0
    } else if room > 0.0 && fixed.is_finite() {
        fixed / room
    } else {
        f64::INFINITY
    }
}

/// Below this `(e^x − 1 − x)/x²` is taken from its series.
const SMALL: f64 = 1e-3;

/// The integrals of `e^{μ(ℓ−s)}` over a stretch, divided by its length.
struct Exponential {
    /// `(e^{μℓ} − 1)/ℓ`.
    growth: f64,
    /// Against 1: `(e^{μℓ} − 1)/(μℓ)`.
    constant: f64,
    /// Against `s/ℓ`: `(e^{μℓ} − 1 − μℓ)/(μℓ)²`.
    linear: f64,
}

impl Exponential {
    fn new(rate: f64, length: f64) -> Self {
        let x = rate * length;
        let constant = if x == 0.0 { 1.0 } else { x.exp_m1() / x };
        // Below this the formula loses digits. The terms of the series beyond those taken sum to less than the last one here.
        let linear = if x.abs() < SMALL {
            0.5 + x / 6.0 + x * x / 24.0 + x.abs().powi(3) / 100.0
        } else {
            (constant - 1.0) / x
        };
        Self { growth: rate * constant, constant, linear: linear * ROUNDING_UP }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mpmath` 1.4.1 at 40 digits: `x` and `(e^x − 1 − x)/x²`.
    const LINEAR: [(f64, f64); 6] = [
        (0.00099, 0.5001650408455871),
        (0.0005, 0.5000833437510418),
        (1e-05, 0.5000016666708333),
        (-0.00099, 0.4998350408294155),
        (0.002, 0.5003335000666889),
        (1.7, 0.9598433881408995),
    ];

    #[test]
    fn integrals_are_rounded_up() {
        for (x, exact) in LINEAR {
            let found = Exponential::new(x, 1.0).linear;
            assert!(found >= exact && found <= exact * (1.0 + 1e-10), "{x}: {found} below {exact}");
        }
    }

    #[test]
    fn what_is_not_a_number_has_no_scaling() {
        assert!(positive_part(f64::NAN).is_nan() && positive_part(-1.0) == 0.0 && positive_part(2.0) == 2.0);
        let step = Exponential::new(positive_part(f64::NAN), 0.1);
        assert_eq!(factor(step.growth, 1.0), f64::INFINITY);
        assert_eq!(factor(1.0, f64::NAN), f64::INFINITY);
    }
}
