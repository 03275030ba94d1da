//! How fast and how locally the particles move: `β(t)` and `η(t)`.
//!
//! # Formula
//! ```text
//! dz/dt = η(t) v_{β(t)}(z),      s(t) = ∫₀ᵗ η(u)/β(u) du
//! ```
//! `t` is the raw clock and `s` the score clock. The usual schedule is constant with `η = 1`: then `s = t/β`, and asking
//! it for a value costs nothing. Denoising is governed by the ratio `η/β` through `s`, not by `η` or `β` alone.
//!
//! # Paper
//! Remark "Annealing schedule" in `app:attention_arch_details`

use std::fmt;
use std::sync::Arc;

use super::Time;
use super::clock::Clock;
use crate::error::{Error, Result};
use crate::scale::{Beta, RawTime, ScoreTime};

/// A function of raw time.
type Profile = Arc<dyn Fn(f64) -> f64 + Send + Sync>;

/// The schedules `β(t)` and `η(t)` of a flow.
///
/// ```
/// use ebflow::flow::Schedule;
/// use ebflow::{Beta, RawTime};
/// let fixed = Schedule::constant(Beta::new(20.0)?);
/// assert_eq!(fixed.score_time(RawTime::new(5.0)?)?.get(), 0.25);
///
/// // Coarse at first, then ever more local: ∫₀³ dt/(1+t) = ln 4.
/// let annealed = Schedule::varying(|t| 1.0 + t, |_| 1.0);
/// let score = annealed.score_time(RawTime::new(3.0)?)?;
/// assert!((score.get() - 4f64.ln()).abs() < 1e-12);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Clone)]
pub struct Schedule(Kind);

#[derive(Clone)]
enum Kind {
    Constant(Beta),
    Varying { beta: Profile, rate: Profile },
}

/// What a schedule says at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Inverse temperature `β(t)`.
    pub beta: Beta,
    /// Rate `η(t)`: the speed is `η v`.
    pub rate: f64,
}

impl Rates {
    /// `ds/dt = η/β`.
    fn clock_speed(self) -> f64 {
        self.rate / self.beta.get()
    }
}

impl Schedule {
    /// The paper's flow: one `β`, and `η = 1`.
    pub fn constant(beta: Beta) -> Self {
        Self(Kind::Constant(beta))
    }

    /// An annealed flow: `β(t)` and `η(t)` as functions of raw time, positive and finite wherever they are asked.
    /// Integrators go back and forth within a step, so the functions must not depend on the order of the questions.
    pub fn varying(
        beta: impl Fn(f64) -> f64 + Send + Sync + 'static,
        rate: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self(Kind::Varying { beta: Arc::new(beta), rate: Arc::new(rate) })
    }

    /// `β(t)` and `η(t)`.
    pub fn at(&self, raw_time: f64) -> Result<Rates> {
        match &self.0 {
            Kind::Constant(beta) => Ok(Rates { beta: *beta, rate: 1.0 }),
            Kind::Varying { beta, rate } => {
                let rates = Rates { beta: Beta::new(beta(raw_time))?, rate: rate(raw_time) };
                if rates.rate > 0.0 && rates.rate.is_finite() {
                    return Ok(rates);
                }
                Err(Error::InvalidParameter {
                    name: "rate η(t) of the schedule",
                    value: rates.rate,
                    requirement: "a positive finite number at every time of the flow",
                })
            }
        }
    }

    /// The one `β` of a constant schedule.
    pub fn constant_beta(&self) -> Option<Beta> {
        match self.0 {
            Kind::Constant(beta) => Some(beta),
            Kind::Varying { .. } => None,
        }
    }

    /// The score time `s = ∫₀ᵗ η/β` of a time in either clock.
    pub fn score_time(&self, time: impl Into<Time>) -> Result<ScoreTime> {
        match (time.into(), &self.0) {
            (Time::Score(score), _) => Ok(score),
            (Time::Raw(raw), Kind::Constant(beta)) => raw.to_score(*beta),
            (Time::Raw(raw), Kind::Varying { .. }) => ScoreTime::new(self.clock().elapsed(0.0, raw.get())?),
        }
    }

    /// Converts a time of either clock to `t`.
    pub fn raw_time(&self, time: impl Into<Time>) -> Result<RawTime> {
        match (time.into(), &self.0) {
            (Time::Raw(raw), _) => Ok(raw),
            (Time::Score(score), Kind::Constant(beta)) => score.to_raw(*beta),
            (Time::Score(score), Kind::Varying { .. }) => RawTime::new(self.clock().set_to(score.get())?),
        }
    }

    fn clock(&self) -> Clock<impl Fn(f64) -> Result<f64>> {
        Clock { speed: |raw_time| self.at(raw_time).map(Rates::clock_speed) }
    }
}

impl From<Beta> for Schedule {
    fn from(beta: Beta) -> Self {
        Self::constant(beta)
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Constant(beta) => f.debug_tuple("Constant").field(beta).finish(),
            Kind::Varying { .. } => f.write_str("Varying"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_clocks_invert_each_other() {
        let schedule = Schedule::varying(|t| 5.0 * (0.4 * t).exp(), |t| 1.0 + 0.5 * t.sin());
        for score in [1e-6, 0.01, 0.2] {
            let score = ScoreTime::new(score).unwrap();
            let raw = schedule.raw_time(Time::Score(score)).unwrap();
            let back = schedule.score_time(raw).unwrap().get();
            assert!((back - score.get()).abs() <= 1e-12 * score.get(), "{back} is not {score:?}");
        }
    }

    #[test]
    fn a_varying_schedule_that_does_not_vary_keeps_the_constant_clock() {
        let beta = Beta::new(20.0).unwrap();
        let varying = Schedule::varying(|_| 20.0, |_| 1.0);
        let time = Time::Score(ScoreTime::new(0.25).unwrap());
        let expected = Schedule::constant(beta).raw_time(time).unwrap().get();
        assert!((varying.raw_time(time).unwrap().get() - expected).abs() < 1e-12);
    }

    #[test]
    fn refuses_paces_that_are_not_positive() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Schedule::varying(move |_| bad, |_| 1.0).at(0.0).is_err());
            assert!(Schedule::varying(|_| 1.0, move |_| bad).score_time(RawTime::new(1.0).unwrap()).is_err());
        }
    }
}
