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
use super::estimate::Estimate;
use crate::drift::Drift;
use crate::error::Result;
use crate::law::LineLaw;
use crate::scale::{BallRadius, RawTime};

/// The distance that truncation makes at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct TruncationGap {
    /// When, in the raw clock.
    pub raw_time: RawTime,
    /// `W1(f_t^{[R]}, f_t)`.
    pub w1: Estimate<f64>,
}

impl MeanField {
    /// `W1` between the flow from the law truncated to a ball and the flow from the whole law, on the line.
    pub fn truncation_gap(
        &self,
        radius: BallRadius,
        times: &[RawTime],
        drift: &dyn Drift,
    ) -> Result<Vec<TruncationGap>> {
        let whole = self.evolve(times, drift)?;
        let truncated = self.clone().truncated_to(radius).evolve(times, drift)?;
        let pairs = whole.states.iter().zip(&truncated.states);
        pairs.map(|(a, b)| Ok(TruncationGap { raw_time: a.raw_time, w1: a.w1_between(b)? })).collect()
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
