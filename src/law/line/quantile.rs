//! Quantiles: Newton's method for the logarithm of a tail, kept inside a bracket.

use std::convert::Infallible;
use std::ops::Range;

use super::{LineLaw, Split};
use crate::error::{Error, Result};
use crate::numeric::root::{Guess, newton};

/// Doublings that carry a bracket from any scale to the largest numbers.
const MAX_DOUBLINGS: usize = 2100;

/// A level of the distribution function, given by both sides so that neither is one minus the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// `P(X ≤ x)`.
    pub below: f64,
    /// `P(X > x)`.
    pub above: f64,
}

impl Level {
    /// `F − level`, from the side on which the level is the smaller.
    fn excess(self, below: f64, above: f64) -> f64 {
        if self.below <= self.above { below - self.below } else { self.above - above }
    }

    /// `F(x) − level`.
    pub(crate) fn excess_after(self, split: &Split) -> f64 {
        self.excess(split.below, split.above)
    }

    /// `F(x−) − level`, the limit from the left.
    pub(crate) fn excess_before(self, split: &Split) -> f64 {
        self.excess(split.below - split.jump, split.above + split.jump)
    }

    /// Newton's step for the logarithm of the smaller side, which is nearly straight far out in a tail.
    fn newton_step(self, split: &Split) -> f64 {
        let excess = self.excess_after(split);
        if self.below <= self.above {
            (excess / self.below).ln_1p() * (split.below / split.density)
        } else {
            -(-excess / self.above).ln_1p() * (split.above / split.density)
        }
    }
}

impl LineLaw {
    /// The quantile `inf { x : F(x) ≥ level }` for a level strictly between zero and one.
    pub fn quantile(&self, level: f64) -> Result<f64> {
        if !(level > 0.0 && level < 1.0) {
            let requirement = "strictly between 0 and 1";
            return Err(Error::InvalidParameter { name: "level of a quantile", value: level, requirement });
        }
        let level = Level { below: level, above: 1.0 - level };
        let bracket = self.bracket(level);
        let middle = 0.5 * bracket.start + 0.5 * bracket.end;
        Ok(self.crossing(bracket, middle, level, 0.0).at)
    }

    /// A bracket `F(low) < level ≤ F(high)`, found by doubling outwards.
    fn bracket(&self, level: Level) -> Range<f64> {
        let (centre, mut reach) = self.extent();
        let (mut low, mut high) = (centre - reach, centre + reach);
        for _ in 0..MAX_DOUBLINGS {
            let too_high = level.excess_after(&self.split(low)) >= 0.0;
            let too_low = level.excess_after(&self.split(high)) < 0.0;
            if !(too_high || too_low) || !(low - reach).is_finite() || !(high + reach).is_finite() {
                break;
            }
            if too_high {
                low -= reach;
            }
            if too_low {
                high += reach;
            }
            reach *= 2.0;
        }
        low..high
    }

    /// A place where the law lives and a distance of the order of its width.
    fn extent(&self) -> (f64, f64) {
        if let Some(radius) = self.radius {
            return (0.0, radius);
        }
        let places = self.parts.iter().map(|part| {
            let shape = part.shape.symmetric();
            (shape.centre(), shape.spread())
        });
        let places = places.chain(self.atoms.iter().map(|atom| (atom.at, 0.0)));
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (at, spread)| {
            (low.min(at - spread), high.max(at + spread))
        });
        let centre = 0.5 * low + 0.5 * high;
        (centre, (0.5 * high - 0.5 * low).max(centre.abs() * f64::EPSILON).max(f64::MIN_POSITIVE))
    }

    /// The split where `F` reaches the level, given `F(start) < level ≤ F(end)` and a first guess, to within `tolerance` or to
    /// the last digit.
    pub(crate) fn crossing(&self, within: Range<f64>, guess: f64, level: Level, tolerance: f64) -> Split {
        let (mut last, mut end) = (None, None);
        let look = |x: f64| {
            let split = self.split(x);
            let before = level.excess_after(&split) < 0.0;
            last = Some(split);
            end = if before { end } else { last };
            Ok::<_, Infallible>(Guess { before, step: -level.newton_step(&split) })
        };
        let Ok(at) = newton([within.start, within.end], guess, tolerance, look);
        let known = [last, end].into_iter().flatten().find(|split| split.at == at);
        known.unwrap_or_else(|| self.split(at))
    }
}
