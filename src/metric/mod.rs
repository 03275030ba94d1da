//! Distances between laws and clouds.

pub mod line;
pub mod transport;
