//! Reading the score clock of a schedule that varies, and setting it.
//!
//! # Formula
//! ```text
//! s(t) = ∫₀ᵗ c(u) du,    c = ds/dt = η/β > 0
//! ```
//! Reading is quadrature. Setting, finding `t` with `s(t) = s*`, is well posed because `s` increases.

use crate::error::{Error, Result};
use crate::numeric::quadrature::{Effort, NINE_WITH_ENDS};
use crate::numeric::root::{Guess, newton};

/// Relative accuracy of a reading: far below any flow tolerance, and still above the rounding of the sum.
const CLOCK_TOLERANCE: f64 = 1e-13;

/// Intervals that one reading may use; a smooth schedule needs dozens, a jump some sixty.
const CLOCK_INTERVALS: usize = 50_000;

/// Doublings before the clock counts as unable to reach a time.
const SEARCH_LIMIT: usize = 200;

/// The clock `s(t)`, given by its speed `ds/dt`.
pub(super) struct Clock<F> {
    /// `ds/dt` at a raw time; positive.
    pub speed: F,
}

/// A raw time before the one sought, and what the clock shows there.
#[derive(Debug, Clone, Copy)]
struct Reading {
    raw: f64,
    score: f64,
}

impl<F: Fn(f64) -> Result<f64>> Clock<F> {
    /// `∫ c` from `from` to `to`; walks up to a jump of the speed and past it.
    pub fn elapsed(&self, from: f64, to: f64) -> Result<f64> {
        let whole = NINE_WITH_ENDS.try_adaptive(
            from,
            to,
            Effort { tolerance: f64::INFINITY, intervals: 1 },
            &self.speed,
        )?;
        let effort = Effort { tolerance: CLOCK_TOLERANCE * whole.value, intervals: CLOCK_INTERVALS };
        let found = NINE_WITH_ENDS.try_adaptive(from, to, effort, &self.speed)?;
        if found.numerical > effort.tolerance * CLOCK_INTERVALS as f64 {
            return Err(failure(to, "β(t) and η(t) vary too wildly to be integrated; smooth them".into()));
        }
        Ok(found.value)
    }

    /// The raw time at which the clock shows `score`.
    pub fn set_to(&self, score: f64) -> Result<f64> {
        if score == 0.0 {
            return Ok(0.0);
        }
        let (mut known, high) = self.bracket(score)?;
        newton([known.raw, high], known.raw + (score - known.score) / (self.speed)(known.raw)?, 0.0, |raw| {
            let there = known.score + self.elapsed(known.raw, raw)?;
            let before = there < score;
            if before {
                known = Reading { raw, score: there };
            }
            Ok(Guess { before, step: (score - there) / (self.speed)(raw)? })
        })
    }

    /// Doubles the time until the clock has passed `score`: the last time before, and the first after.
    fn bracket(&self, score: f64) -> Result<(Reading, f64)> {
        let (mut known, mut high) = (Reading { raw: 0.0, score: 0.0 }, score / (self.speed)(0.0)?);
        for _ in 0..SEARCH_LIMIT {
            let there = known.score + self.elapsed(known.raw, high)?;
            if there > score || !there.is_finite() {
                return Ok((known, high));
            }
            (known, high) = (Reading { raw: high, score: there }, 2.0 * high);
        }
        let problem = format!("it only reaches score time {:.6e}; ask for a shorter horizon", known.score);
        Err(failure(known.raw, problem))
    }
}

fn failure(raw_time: f64, problem: String) -> Error {
    Error::Integration { what: "the score clock of the schedule", raw_time, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both directions of the quadrature, relative to the size of the answer.
    const ROUNDOFF: f64 = 4e-13;

    fn clock(speed: impl Fn(f64) -> f64) -> Clock<impl Fn(f64) -> Result<f64>> {
        Clock { speed: move |t| Ok(speed(t)) }
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= ROUNDOFF * expected.abs(), "{found} is not {expected}");
    }

    #[test]
    fn reads_and_sets_clocks_with_an_antiderivative() {
        for t in [1e-9, 0.3, 5.0, 400.0] {
            let slowing = clock(|u| 1.0 / (2.0 + u));
            close(slowing.elapsed(0.0, t).unwrap(), (t / 2.0).ln_1p());
            close(slowing.set_to((t / 2.0).ln_1p()).unwrap(), t);
            let hastening = clock(|u| (1.0 + u) * 1e-3);
            close(hastening.elapsed(0.0, t).unwrap(), 1e-3 * (t + t * t / 2.0));
            close(hastening.set_to(1e-3 * (t + t * t / 2.0)).unwrap(), t);
        }
    }

    #[test]
    fn walks_past_a_jump() {
        let jump = clock(|u| if u < 1.0 / 3.0 { 1.0 } else { 5.0 });
        close(jump.elapsed(0.0, 2.0).unwrap(), 1.0 / 3.0 + 5.0 * (5.0 / 3.0));
        close(jump.set_to(1.0 / 3.0 + 5.0 * (5.0 / 3.0)).unwrap(), 2.0);
    }

    #[test]
    fn says_when_a_time_is_never_reached() {
        let stalling = clock(|u| (-u).exp());
        close(stalling.set_to(0.5).unwrap(), 2f64.ln());
        let error = stalling.set_to(1.5).unwrap_err().to_string();
        assert!(error.contains("only reaches score time 1") && error.contains("shorter horizon"), "{error}");
    }

    #[test]
    fn gives_up_on_a_clock_without_a_shape() {
        let noise = clock(|u| 1.5 + (1e17 * u).sin());
        assert!(noise.elapsed(0.0, 1.0).is_err());
    }
}
