//! How far truncation of the initial law to a ball takes the flow astray.
//!
//! # Formula
//! ```text
//! W1(f_t^{[R]}, f_t)  along the flow, and at the start
//! W1(f^{[R]}, f) ≤ ∫_{|x|>R} |x| df + (q_R/p_R) ∫_{|x|≤R} |x| df,     p_R = 1 − q_R = f(B_R)
//! ```
//!
//! # Paper
//! `lem:nc-hard-truncation-W1`, `cor:hard-truncated-gaussian-flows-converge`

use super::MeanField;
use super::state::State;
use crate::drift::Drift;
use crate::error::Result;
use crate::law::LineLaw;
use crate::measured::Measured;
use crate::scale::{BallRadius, RawTime};

/// The distance that truncation to a ball makes along the flow.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TruncationGap {
    /// `R`, beyond which the noisy law was cut off.
    pub radius: BallRadius,
    /// The distance at the requested times, in their order.
    pub moments: Vec<GapMoment>,
}

/// The distance that truncation makes at one time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GapMoment {
    /// When, in the raw clock.
    pub raw_time: RawTime,
    /// `W1(f_t^{[R]}, f_t)`.
    pub w1: Measured,
}

impl TruncationGap {
    /// The largest distance at the requested times, `sup_t W1(f_t^{[R]}, f_t)`; none if none were requested.
    pub fn sup(&self) -> Option<&GapMoment> {
        self.moments.iter().max_by(|a, b| a.w1.value.total_cmp(&b.w1.value))
    }
}

impl MeanField {
    /// `W1` between the flows from the law truncated to balls and the flow from the whole law, on the line.
    pub fn truncation_gaps(
        &self,
        radii: &[BallRadius],
        times: &[RawTime],
        drift: &dyn Drift,
    ) -> Result<Vec<TruncationGap>> {
        let whole = self.evolve(times, drift)?;
        let gap = |&radius: &BallRadius| {
            let truncated = self.clone().truncated_to(radius).evolve(times, drift)?;
            let pairs = truncated.states.iter().zip(&whole.states);
            let moment =
                |(a, b): (&State, &State)| Ok(GapMoment { raw_time: a.raw_time, w1: a.w1_between(b)? });
            Ok(TruncationGap { radius, moments: pairs.map(moment).collect::<Result<_>>()? })
        };
        radii.iter().map(gap).collect()
    }
}

/// The lemma's bound on `W1(f^{[R]}, f)` for a law on the line.
pub fn hard_truncation_bound(law: &LineLaw, radius: BallRadius) -> f64 {
    let r = radius.get();
    let (left, middle, right) = (law.split(-r), law.split(0.0), law.split(r));
    let beyond = left.below - left.jump + right.above;
    let far = right.upper_mean + left.lower_mean + r * beyond;
    let near = middle.lower_mean + middle.upper_mean - far;
    far + beyond / (1.0 - beyond) * near
}
