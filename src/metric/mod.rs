//! Distances between laws and clouds, how fast they fall, and when a variance is reached.
//!
//! | file | holds | paper |
//! |---|---|---|
//! | [`mod@line`] | W1 on the line, exactly | |
//! | [`transport`] | W1 between clouds, exactly, with a coupling and a potential that prove it | |
//! | `distance` | the method that fits: a cloud against a cloud or a law | |
//! | `bracket` | W1 between a cloud and a law in any dimension, from both sides, with Monte Carlo error | |
//! | `slices` | lower bounds from one-dimensional projections | |
//! | `gaussian` | W1 between Gaussian laws: closed forms and bounds | |
//! | `coupled` | particles against their exact partners | `lem:gaussian-invariance-covariance` |
//! | `floor` | the expected W1 of independent points | |
//! | `posterior_sup` | the largest posterior error over a ball, certified | `prop:nc-posterior-mean-W1` |
//! | `hitting` | a hitting time measured on particles, with its errors, beside the closed forms | `thm:gaussiandenoise` |
//! | `rate` | power laws, mixed rates, and whether the asymptotic range was reached | |

mod bracket;
mod coupled;
mod distance;
mod floor;
mod gaussian;
mod gaussian_norm;
mod hitting;
mod interval;
pub mod line;
mod posterior_sup;
mod rate;
mod reference;
mod slices;
pub mod transport;

pub use bracket::{SampledBracket, Sampling, bracket};
pub use coupled::{CoupledDistance, coupled, coupled_to_gaussian};
pub use distance::{Distance, Method, distance, distance_to_law, w1};
pub use floor::{SimulatedFloor, line_floor, simulated_floor, two_sample_floor};
pub use gaussian::{GaussianDistance, between_gaussians};
pub use gaussian_norm::mean_length;
pub use hitting::MeasuredHitting;
pub use interval::{Confidence, Interval};
pub use posterior_sup::{PosteriorSup, Prior, SupSearch, posterior_sup};
pub use rate::{
    AsymptoticRange, LocalSlope, MixedFit, PowerFit, RangeVerdict, RateData, SizeSample, asymptotic_range,
    mixed_fit, power_fit, seedwise_slope,
};
pub use reference::Reference;
pub use slices::{Slice, max_sliced, max_sliced_clouds};
