//! Hitting times of the variance of a Gaussian law.
//!
//! # Formula
//! From the start `v0 = τ_a² + σ²`, in score time,
//! ```text
//! T(v*) = (v0 − v*)/2 + (1/2β) ln(v0/v*),       T* = T(τ_a²) = σ²/2 + (1/2β) ln(1 + σ²/τ_a²).
//! ```
//! A Dirac prior (`τ_a = 0`) is never reached, `T(0) = ∞`; the kernel's own width `1/β` is, provided it lies below `v0`.
//!
//! # Paper
//! `thm:gaussiandenoise` and the corollary on Dirac priors (their `t` is score time)

use crate::error::{Error, Result};
use crate::scale::{Beta, NoiseVariance, ScoreTime};

/// When a variance is reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hitting {
    /// At this score time.
    At(ScoreTime),
    /// Never: the target is zero, which the flow only approaches.
    Never,
}

/// The falling variance `v(t)` of an isotropic Gaussian law.
///
/// ```
/// use ebflow::exact::{Hitting, VarianceDescent};
/// use ebflow::{Beta, NoiseVariance};
/// let descent = VarianceDescent::of_prior(1.0, NoiseVariance::new(0.25)?, Beta::new(20.0)?)?;
/// let Hitting::At(time) = descent.denoising()? else { unreachable!() };
/// assert_eq!(time.get(), 0.125 + 1.25_f64.ln() / 40.0);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct VarianceDescent {
    prior: f64,
    /// What lies above `prior` at the start, kept apart so that `v0 − τ_a²` is exact.
    excess: f64,
    beta: Beta,
}

impl VarianceDescent {
    /// Starts at `τ_a² + σ²`; a prior variance of zero is a Dirac prior.
    pub fn of_prior(prior_var: f64, noise: NoiseVariance, beta: Beta) -> Result<Self> {
        if !(prior_var >= 0.0 && prior_var.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "prior variance",
                value: prior_var,
                requirement: "a finite number that is not negative",
            });
        }
        Ok(Self { prior: prior_var, excess: noise.get(), beta })
    }

    /// Starts at a known variance.
    pub fn from_start(start: f64, beta: Beta) -> Result<Self> {
        if !(start > 0.0 && start.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "initial variance",
                value: start,
                requirement: "a positive finite number",
            });
        }
        Ok(Self { prior: 0.0, excess: start, beta })
    }

    /// The variance `v0` at the start.
    pub fn start(&self) -> f64 {
        self.prior + self.excess
    }

    /// The inverse temperature `β`.
    pub fn beta(&self) -> Beta {
        self.beta
    }

    /// `T*`: when the variance is back at the prior's.
    pub fn denoising(&self) -> Result<Hitting> {
        self.hitting(self.prior)
    }

    /// `T(v*)`: when the variance has come down to `target`, which must lie between zero and the start.
    pub fn hitting(&self, target: f64) -> Result<Hitting> {
        if !(target >= 0.0 && target <= self.start()) {
            return Err(Error::TargetAboveStart { target, start: self.start() });
        }
        if target == 0.0 {
            return Ok(Hitting::Never);
        }
        let fall = (self.prior - target) + self.excess;
        Ok(Hitting::At(ScoreTime::new(fall / 2.0 + self.log_ratio(target, fall) / (2.0 * self.beta.get()))?))
    }

    /// `ln(v0/v*)` without the rounding of a ratio near one, and without overflow for a tiny target.
    fn log_ratio(&self, target: f64, fall: f64) -> f64 {
        let growth = fall / target;
        if growth.is_finite() { growth.ln_1p() } else { self.start().ln() - target.ln() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descent(prior: f64, noise: f64, beta: f64) -> VarianceDescent {
        VarianceDescent::of_prior(prior, NoiseVariance::new(noise).unwrap(), Beta::new(beta).unwrap())
            .unwrap()
    }

    fn time(hitting: Hitting) -> f64 {
        match hitting {
            Hitting::At(time) => time.get(),
            Hitting::Never => f64::INFINITY,
        }
    }

    #[test]
    fn matches_forty_digits() {
        // mpmath, 40 digits: σ²/2 + log(1 + σ²/τ²)/(2β) with the decimal inputs rounded to f64.
        let cases = [
            (1.0, 0.25, 20.0, 0.13057858878285524),
            (0.01, 0.5, 20.0, 0.34829564081810814),
            (1e-09, 0.1, 3.0, 3.1201134589920609),
            (1000000.0, 1e-06, 0.1, 5.00005e-7),
            (2.0, 1.0, 10000.0, 0.5000202732554054),
        ];
        for (prior, noise, beta, expected) in cases {
            let found = time(descent(prior, noise, beta).denoising().unwrap());
            assert!((found / expected - 1.0).abs() <= 2.0 * f64::EPSILON, "{found} against {expected}");
        }
    }

    #[test]
    fn a_dirac_prior_is_approached_but_never_reached() {
        let dirac = descent(0.0, 0.5, 20.0);
        assert_eq!(dirac.denoising().unwrap(), Hitting::Never);
        // The corollary's T(1/β) = σ²/2 − 1/(2β) + log σ/β + log β/(2β).
        let printed = 0.25 - 1.0 / 40.0 + 0.5_f64.sqrt().ln() / 20.0 + 20.0_f64.ln() / 40.0;
        let found = time(dirac.hitting(1.0 / 20.0).unwrap());
        assert!((found - printed).abs() < 4.0 * f64::EPSILON);
        // With βσ² < 1 the target 1/β lies above the start: the corollary does not apply.
        assert!(descent(0.0, 0.5, 1.0).hitting(1.0).is_err());
    }

    #[test]
    fn the_start_is_hit_at_once_and_tiny_targets_do_not_overflow() {
        let descent = descent(1.0, 0.5, 2.0);
        assert_eq!(time(descent.hitting(1.5).unwrap()), 0.0);
        assert!(time(descent.hitting(f64::MIN_POSITIVE * f64::EPSILON).unwrap()).is_finite());
        assert!(descent.hitting(f64::NAN).is_err());
    }
}
