//! Reading the score clock of a schedule that varies, and setting it.
//!
//! # Formula
//! ```text
//! s(t) = ∫₀ᵗ c(u) du,    c = ds/dt = η/β > 0
//! ```
//! Reading is quadrature. Setting, finding `t` with `s(t) = s*`, is well posed because `s` increases.

use crate::error::{Error, Result};

/// Relative accuracy of a reading: far below any flow tolerance, and still above the rounding of the sum.
const CLOCK_TOLERANCE: f64 = 1e-13;

/// Values of the speed that one reading may use; a smooth schedule needs hundreds.
const CLOCK_BUDGET: usize = 1_000_000;

/// Doublings before the clock counts as unable to reach a time, and halvings before a bracket counts as exhausted.
const SEARCH_LIMIT: usize = 200;

/// The clock `s(t)`, given by its speed `ds/dt`.
pub(super) struct Clock<F> {
    /// `ds/dt` at a raw time; positive.
    pub speed: F,
}

/// What is known while a clock is being set: `s(low) = passed`, and the wanted time lies in `[low, high]`.
struct Bracket {
    low: f64,
    passed: f64,
    high: f64,
}

/// Simpson's rule on an interval, once over the whole and once over its two halves.
struct Panel {
    from: f64,
    to: f64,
    coarse: f64,
    fine: f64,
}

impl<F: Fn(f64) -> Result<f64>> Clock<F> {
    /// `∫ c` from `from` to `to`: adaptive Simpson, which walks up to a jump of the speed and past it.
    pub fn elapsed(&self, from: f64, to: f64) -> Result<f64> {
        let whole = self.panel(from, to)?;
        let tolerance = CLOCK_TOLERANCE * whole.fine;
        let (mut pending, mut sum, mut panels) = (vec![whole], 0.0, 0);
        while let Some(Panel { from, to, coarse, fine }) = pending.pop() {
            let middle = from + (to - from) / 2.0;
            if (fine - coarse).abs() <= tolerance || middle <= from || middle >= to {
                sum += fine + (fine - coarse) / 15.0;
                continue;
            }
            panels += 2;
            if panels * 5 > CLOCK_BUDGET {
                return Err(failure(
                    to,
                    "β(t) and η(t) vary too wildly to be integrated; smooth them".into(),
                ));
            }
            pending.push(self.panel(middle, to)?);
            pending.push(self.panel(from, middle)?);
        }
        Ok(sum)
    }

    /// The raw time at which the clock shows `score`.
    pub fn set_to(&self, score: f64) -> Result<f64> {
        if score == 0.0 {
            return Ok(0.0);
        }
        let mut bracket = self.bracket(score)?;
        for _ in 0..SEARCH_LIMIT {
            let next = self.next_guess(score, &bracket)?;
            let open = next > bracket.low && next < bracket.high;
            if !open || score - bracket.passed <= CLOCK_TOLERANCE * score {
                break;
            }
            let there = bracket.passed + self.elapsed(bracket.low, next)?;
            if there <= score {
                (bracket.low, bracket.passed) = (next, there);
            } else {
                bracket.high = next;
            }
        }
        Ok(bracket.low + (score - bracket.passed) / (self.speed)(bracket.low)?)
    }

    /// Doubles the time until the clock has passed `score`.
    fn bracket(&self, score: f64) -> Result<Bracket> {
        let mut bracket = Bracket { low: 0.0, passed: 0.0, high: score / (self.speed)(0.0)? };
        for _ in 0..SEARCH_LIMIT {
            let there = bracket.passed + self.elapsed(bracket.low, bracket.high)?;
            if there >= score || !there.is_finite() {
                return Ok(bracket);
            }
            bracket = Bracket { low: bracket.high, passed: there, high: 2.0 * bracket.high };
        }
        let problem = format!("it only reaches score time {}; ask for a shorter horizon", bracket.passed);
        Err(failure(bracket.low, problem))
    }

    /// Newton's step where it stays inside the bracket, else the middle.
    fn next_guess(&self, score: f64, bracket: &Bracket) -> Result<f64> {
        let newton = bracket.low + (score - bracket.passed) / (self.speed)(bracket.low)?;
        let inside = newton > bracket.low && newton < bracket.high;
        Ok(if inside { newton } else { bracket.low + (bracket.high - bracket.low) / 2.0 })
    }

    fn panel(&self, from: f64, to: f64) -> Result<Panel> {
        let width = to - from;
        let node = |quarters: f64| (self.speed)(from + width * (quarters / 4.0));
        let (a, b, c, d, e) = (node(0.0)?, node(1.0)?, node(2.0)?, node(3.0)?, node(4.0)?);
        Ok(Panel {
            from,
            to,
            coarse: width / 6.0 * (a + 4.0 * c + e),
            fine: width / 12.0 * (a + 4.0 * b + 2.0 * c + 4.0 * d + e),
        })
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
