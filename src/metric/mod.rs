//! Distances between laws and clouds.

mod coupled;
mod gaussian;
mod gaussian_norm;
mod interval;
pub mod line;
mod posterior_sup;
mod rate;
mod slices;
pub mod transport;

pub use coupled::{CoupledDistance, coupled, coupled_to_gaussian};
pub use gaussian::{GaussianDistance, between_gaussians};
pub use gaussian_norm::mean_length;
pub use interval::{Confidence, Interval};
pub use posterior_sup::{PosteriorSup, Prior, SupSearch, posterior_sup};
pub use rate::{
    AsymptoticRange, LocalSlope, MixedFit, PowerFit, RangeVerdict, RateData, SizeSample, asymptotic_range,
    mixed_fit, power_fit, seedwise_slope,
};
pub use slices::Slice;
