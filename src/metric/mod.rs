//! Distances between laws and clouds.
