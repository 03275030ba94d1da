//! The noise floor: how far `N` independent points of a law are from it on average, `E W1(P_N, P)`.
//!
//! A sampled W1 is to be read beside its floor. It is never subtracted: distances do not add up that way.
//!
//! | dimension | how | in |
//! |---|---|---|
//! | 1 | exactly, by an integral | [`line_floor`] |
//! | any | by simulation, with its Monte Carlo error | [`simulated_floor`] |

mod line;
mod simulated;

pub use line::line_floor;
pub use simulated::{SimulatedFloor, simulated_floor, two_sample_floor};
