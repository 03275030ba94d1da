//! What confines the flow: balls and hulls that hold it, moments that bound it, laws that stay near each other, layers
//! that stay near it.
//!
//! | file | claim | paper |
//! |---|---|---|
//! | [`InvariantBall`] | particles stay in the ball and in the hull | `prop:sc-invariant-ball` |
//! | [`ActionEstimate`] | the action is at most twice the second moment | `lem:barycentric-action-estimate` |
//! | [`MomentGrowth`] | the second moment grows at most at the rate `2√2` | `prop:uniform-moment-action-hard-trunc` |
//! | [`Stability`] | laws part at most at the rate `2L` | `eq:sc-deterministic-stability-W1` |
//! | [`LayersToFlow`] | layers are within `O(1/L)` of the flow | `alg:two_stage_multilayer_attn` |
//!
//! `path` follows clouds without the guards of [`Flow`](crate::flow::Flow), so that a flow that breaks a law is measured, not refused;
//! `moments` measures a cloud and its drift; `extremal` has the measures for which the action estimate is sharp; `lipschitz` the constant
//! of the drift; `euler` what layers do to leading order, `gaps` how that is seen at finite depths.

mod action;
mod ball;
mod euler;
mod extremal;
mod gaps;
mod growth;
mod layers;
pub mod lipschitz;
mod moments;
mod path;
mod stability;

pub use action::ActionEstimate;
pub use ball::InvariantBall;
pub use growth::MomentGrowth;
pub use layers::LayersToFlow;
pub use stability::Stability;
