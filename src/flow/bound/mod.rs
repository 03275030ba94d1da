//! The a-posteriori error bound.

mod audit;
mod certifier;
mod comparison;
mod correction;
mod curve;
mod enclosure;
mod nodes;
mod pairs;
mod refusal;
mod sources;

pub(super) use certifier::Certifier;
pub(super) use curve::Curve;
pub use refusal::Refusal;

/// A bound on the distance between the end of a run and the exact flow of the same cloud.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// No particle is farther from where the exact flow takes it.
    pub max: f64,
    /// The weighted mean of the particles' bounds, hence a bound on `W1` between the two empirical measures.
    pub w1: f64,
    /// A bound for each particle.
    pub per_particle: Vec<f64>,
    /// Where [`Bound::w1`] comes from.
    pub budget: Budget,
}

/// The shares of a bound in `W1`; they add up to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// The integrator's steps.
    pub integration: f64,
    /// Truncation or compression of the kernel sums.
    pub truncation: f64,
    /// Rounding.
    pub rounding: f64,
}
