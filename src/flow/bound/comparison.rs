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
//! All of this is computed upwards (`up.rs`); what comes from sums over pairs has been rounded up before.
//!
//! The system is linear, so the sources of `r` are propagated side by side: their sum is the bound, and each is its share.

use super::enclosure::{Enclosure, Row};
use super::refusal::Refusal;
use super::rounding::UP;
use super::sample::Scaled;
use super::sources::{Forcing, PerSource, ROUNDING};
use super::up::{Up, phi};
use crate::scale::Beta;

/// Guesses may be scaled up by this much; the tube is computed for it.
const MAX_SCALING: f64 = 2.0;

/// How much larger than the last slope the next one is guessed.
const FORESIGHT: f64 = 1.25;

/// Attempts at slopes that dominate; two suffice unless the tube itself drives the coefficients.
const ATTEMPTS: usize = 8;

/// The widest tube, in units of the kernel's width. Beyond it the kernel is another one at the other side.
const WIDEST_TUBE: f64 = 0.5;

/// The path about the middle of a stretch, in raw units.
pub(super) struct Stretch<'a> {
    /// When the stretch begins, for messages.
    pub raw_time: f64,
    /// Its length `ℓ`.
    pub length: f64,
    /// What is known of its middle, in units of the kernel's width.
    pub middle: &'a Scaled,
    /// How far the path leaves its tangent.
    pub remainder: &'a [f64],
    /// The defect.
    pub forcing: &'a Forcing,
}

/// The state of the comparison system.
pub(super) struct Comparison<'a> {
    beta: Beta,
    weights: Option<&'a [f64]>,
    /// Bounds `e` on the distance to the exact flow, by source.
    errors: PerSource,
    /// Their last slopes without the forcing, from which the next are guessed.
    slopes: PerSource,
    /// The largest bounds of all sources together since the last [`Comparison::begin`].
    peaks: Vec<f64>,
}

/// What one pass says about the guessed slopes.
struct Trial {
    /// Slopes `U` without the forcing, and the forcing's.
    slopes: PerSource,
    forced: PerSource,
    /// The common factor that makes the guesses dominate; infinite where none does.
    scaling: f64,
}

impl<'a> Comparison<'a> {
    /// A start that is known up to `tokens`, one radius per particle.
    pub fn new(beta: Beta, weights: Option<&'a [f64]>, tokens: Vec<f64>) -> Self {
        let slopes = PerSource::zero(tokens.len());
        let errors = PerSource { tokens, ..slopes.clone() };
        Self { beta, weights, peaks: errors.total(), errors, slopes }
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
        self.errors.rounding.iter_mut().zip(gap).for_each(|(e, g)| *e = (Up::of(*e) + Up::of(*g)).get());
    }

    /// Moves the bounds to the end of a stretch.
    pub fn advance(&mut self, stretch: &Stretch<'_>) -> Result<(), Refusal> {
        let mut guess =
            self.slopes.map2(&stretch.forcing.largest, |slope, forcing| FORESIGHT * (slope + forcing));
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
            guess = trial.slopes.map2(&trial.forced, |slope, forcing| FORESIGHT * (slope + forcing));
        }
        Err(self.too_wide(&self.tube(&guess, stretch.length), stretch))
    }

    /// Radii that hold throughout the stretch, whatever the scaling.
    fn tube(&self, guess: &PerSource, length: f64) -> Vec<f64> {
        let (errors, slopes) = (self.errors.total(), guess.total());
        errors.iter().zip(slopes).map(|(e, y)| UP * (e + MAX_SCALING * length * y)).collect()
    }

    fn note_peaks(&mut self, guess: &PerSource, length: f64) {
        let ends = self.errors.total().into_iter().zip(guess.total()).map(|(e, y)| UP * (e + length * y));
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
        let unit = stretch.middle.per_length;
        let misplaced = &stretch.forcing.position;
        let around = tube.iter().zip(stretch.remainder).zip(misplaced);
        let radius: Vec<f64> = around.map(|((e, q), u)| UP * unit * (e + q + u)).collect();
        let enclosure = Enclosure::about(stretch.middle, self.weights, &radius, stretch.length / 2.0);
        let rounding: Vec<f64> =
            self.errors.rounding.iter().zip(misplaced).map(|(e, u)| UP * (e + u)).collect();
        let mut errors = self.errors.parts();
        errors[ROUNDING] = &rounding;
        enclosure.rows(&[errors, guess.parts()].concat())
    }

    fn trial(&self, rows: &[Row], guess: &PerSource, stretch: &Stretch<'_>) -> Trial {
        let particles = rows.len();
        let (mut slopes, mut forced) = (PerSource::zero(particles), PerSource::zero(particles));
        let mut scaling = 0.0_f64;
        for (i, row) in rows.iter().enumerate() {
            let step = Exponential::new(positive_part(row.rate), stretch.length);
            let (mut fixed, mut scaled, mut guessed) = (Up::ZERO, Up::ZERO, 0.0);
            for source in 0..PerSource::COUNT {
                let [constant, linear] = [source, PerSource::COUNT + source].map(|k| Up::of(row.row_sums[k]));
                let forcing = step.constant * stretch.forcing.largest_at(source, i, row.rate);
                let own = step.growth * Up::of(self.errors.at(source, i)) + step.constant * constant;
                let second = Up::of(stretch.length) * step.linear * linear;
                slopes.set(source, i, (own + second).get());
                forced.set(source, i, forcing.get());
                fixed = fixed + own + forcing;
                scaled = scaled + second;
                guessed = (guessed + guess.at(source, i)).next_down();
            }
            scaling = scaling.max(factor(fixed, scaled, guessed.max(0.0)));
        }
        Trial { slopes, forced, scaling }
    }

    fn accept(&mut self, rows: &[Row], trial: Trial, stretch: &Stretch<'_>) {
        let length = Up::of(stretch.length);
        for (i, row) in rows.iter().enumerate() {
            let step = Exponential::new(row.rate, stretch.length);
            let most = if step.keep > Up::ONE { step.keep } else { Up::ONE };
            for source in 0..PerSource::COUNT {
                let [constant, linear] = [source, PerSource::COUNT + source].map(|k| Up::of(row.row_sums[k]));
                let second = Up::of(trial.scaling) * length * step.linear * linear;
                let forcing = most * stretch.forcing.mean_at(source, i, row.rate);
                let moved = step.keep * Up::of(self.errors.at(source, i))
                    + length * (step.constant * constant + second + forcing);
                self.errors.set(source, i, moved.get());
            }
        }
        self.slopes = trial.slopes;
    }
}

/// `max(x, 0)` that does not take a NaN for zero.
fn positive_part(x: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x }
}

/// An `α` with `fixed + α·scaled ≤ α·guessed`, hardly larger than the smallest; infinite if there is none, or if any is not a number.
fn factor(fixed: Up, scaled: Up, guessed: f64) -> f64 {
    let room = (guessed - scaled.get()).next_down();
    if fixed == Up::ZERO && scaled == Up::ZERO {
        0.0
    } else if room > 0.0 && fixed.get().is_finite() {
        (fixed.get() / room).next_up()
    } else {
        f64::INFINITY
    }
}

/// The integrals of `e^{μ(ℓ−s)}` over a stretch, divided by its length, rounded up.
struct Exponential {
    /// `e^{μℓ}`
    keep: Up,
    /// `(e^{μℓ} − 1)/ℓ`, for `μ ≥ 0`.
    growth: Up,
    /// Against 1: `(e^{μℓ} − 1)/(μℓ)`.
    constant: Up,
    /// Against `s/ℓ`: `(e^{μℓ} − 1 − μℓ)/(μℓ)²`.
    linear: Up,
}

impl Exponential {
    fn new(rate: f64, length: f64) -> Self {
        let x = if rate == 0.0 { 0.0 } else { (rate * length).next_up() };
        let constant = phi(1, x);
        let growth = if rate > 0.0 { Up::of(rate) * constant } else { Up::of(rate.max(0.0) + rate * 0.0) };
        Self { keep: phi(0, x), growth, constant, linear: phi(2, x) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_has_no_scaling() {
        assert!(positive_part(f64::NAN).is_nan() && positive_part(-1.0) == 0.0 && positive_part(2.0) == 2.0);
        let step = Exponential::new(positive_part(f64::NAN), 0.1);
        assert_eq!(factor(step.growth, Up::ZERO, 1.0), f64::INFINITY);
        assert_eq!(factor(Up::ONE, Up::of(f64::NAN), 1.0), f64::INFINITY);
    }

    #[test]
    fn factors_are_rounded_up() {
        let (fixed, scaled, guessed) = (Up::of(0.1), Up::of(0.2), 1.0);
        let factor = factor(fixed, scaled, guessed);
        assert!(factor > 0.125 && factor < 0.125 * (1.0 + 1e-15));
    }
}
