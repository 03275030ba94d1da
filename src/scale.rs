//! The scalar quantities of the theory, each with a type of its own.
//!
//! | symbol | meaning | type |
//! |---|---|---|
//! | `t` | raw depth time of `dz/dt = F(z) − z`; a layer of step `η` advances it by `η` | [`RawTime`] |
//! | `s = t/β` | score time, the clock of `∂f = −∇·(f ∇log(G_β*f))` | [`ScoreTime`] |
//! | `β` | inverse temperature: the kernel is `G_β = N(0, I/β)` | [`Beta`] |
//! | `τ = σ²` | variance of the observation noise | [`NoiseVariance`] |
//! | `R` | radius of the ball that truncates the *initial* cloud | [`BallRadius`] |
//!
//! The paper uses the letter `t` for both clocks; here a conversion needs a [`Beta`], so they cannot be mixed up.
//! Constructors check once; afterwards the values are trusted everywhere.
//!
//! ```
//! use ebflow::{Beta, NoiseVariance};
//! let beta = Beta::new(20.0)?;
//! let horizon = NoiseVariance::new(0.5)?.denoising_horizon();
//! assert_eq!(horizon.get(), 0.25);              // τ/2 in score time …
//! assert_eq!(horizon.to_raw(beta)?.get(), 5.0);  // … is βτ/2 in raw time
//! # Ok::<(), ebflow::Error>(())
//! ```

use serde::Serialize;

use crate::error::{Error, Result};

/// Declares a checked `f64` newtype: its documentation, the name used in messages, and what its value must satisfy.
macro_rules! quantity {
    ($(#[$doc:meta])* $type:ident, $name:literal, $requirement:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
        pub struct $type(f64);

        impl $type {
            #[doc = concat!("Checks that the ", $name, " is ", $requirement, ".")]
            pub fn new(value: f64) -> Result<Self> {
                let valid: fn(f64) -> bool = $check;
                if valid(value) {
                    Ok(Self(value))
                } else {
                    Err(Error::InvalidParameter { name: $name, value, requirement: $requirement })
                }
            }

            /// The plain number.
            pub fn get(self) -> f64 {
                self.0
            }
        }
    };
}

quantity!(
    /// Inverse temperature `β` of the kernel `G_β = N(0, I/β)`.
    Beta, "inverse temperature β", "a positive finite number", |v| v > 0.0 && v.is_finite()
);
quantity!(
    /// Variance `τ = σ²` of the observation noise.
    NoiseVariance, "noise variance", "a positive finite number", |v| v > 0.0 && v.is_finite()
);
quantity!(
    /// Raw depth time `t`, the clock of `dz/dt = F(z) − z`.
    RawTime, "raw time", "a finite number that is not negative", |v| v >= 0.0 && v.is_finite()
);
quantity!(
    /// Score time `s = t/β`, the clock in which the ideal denoising horizon is `τ/2`.
    ScoreTime, "score time", "a finite number that is not negative", |v| v >= 0.0 && v.is_finite()
);
quantity!(
    /// Radius `R` of the ball that truncates the initial cloud (`alg:truncated-sequential-posterior`).
    BallRadius, "ball radius R", "a positive finite number", |v| v > 0.0 && v.is_finite()
);

impl Beta {
    /// The bandwidth at which the kernel sum is a posterior mean: `β_c = 1/τ`.
    pub fn of_posterior(noise: NoiseVariance) -> Result<Self> {
        Self::new(1.0 / noise.get())
    }
}

impl NoiseVariance {
    /// The horizon `τ/2` after which the ideal backward heat flow has removed the noise.
    pub fn denoising_horizon(self) -> ScoreTime {
        ScoreTime(self.0 / 2.0)
    }
}

impl RawTime {
    /// `s = t/β`, if it is a number.
    pub fn to_score(self, beta: Beta) -> Result<ScoreTime> {
        ScoreTime::new(self.0 / beta.0)
    }
}

impl ScoreTime {
    /// The beginning.
    pub const ZERO: Self = Self(0.0);

    /// `t = βs`, if it is a number.
    pub fn to_raw(self, beta: Beta) -> Result<RawTime> {
        RawTime::new(self.0 * beta.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_positive_and_finite() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Beta::new(bad).is_err());
            assert!(NoiseVariance::new(bad).is_err());
            assert!(BallRadius::new(bad).is_err());
        }
        assert!(RawTime::new(0.0).is_ok());
        assert!(RawTime::new(-1e-300).is_err());
        let (late, cold) = (ScoreTime::new(1e200).unwrap(), Beta::new(1e200).unwrap());
        assert!(
            late.to_raw(cold).is_err()
                && RawTime::new(1e200).unwrap().to_score(Beta::new(1e-200).unwrap()).is_err()
        );
    }
}
