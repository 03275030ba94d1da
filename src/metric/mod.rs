//! Distances between laws and clouds.

pub mod transport;
