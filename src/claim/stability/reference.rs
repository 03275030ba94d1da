//! [`Reference`]: a Gaussian flow that others are compared with, and quadrature nodes of its laws.

use nalgebra::{DMatrix, DVector};

use crate::cloud::Cloud;
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::numeric::quadrature::{Node, SIXTEEN};
use crate::numeric::tail;
use crate::scale::{Beta, NoiseVariance, RawTime};

/// The noise variance throughout.
const NOISE: f64 = 0.5;
/// Nodes reach this many standard deviations: beyond lies 2e-19 of the mass.
const REACH: f64 = 9.0;

/// A Gaussian prior on its axes, noise of variance one half, and an inverse temperature.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// Variances of the prior, one per dimension.
    pub prior: &'static [f64],
    /// The inverse temperature `β`.
    pub beta: f64,
}

impl Reference {
    /// What sets it apart, for people.
    pub(super) fn name(&self) -> String {
        let list: Vec<String> = self.prior.iter().map(f64::to_string).collect();
        format!("Σ0 = ({}), τ = {NOISE}, β = {}", list.join(", "), self.beta)
    }

    pub(super) fn beta(&self) -> Result<Beta> {
        Beta::new(self.beta)
    }

    /// The flow of its covariance.
    pub(super) fn flow(&self) -> Result<CovarianceFlow> {
        let prior = DMatrix::from_diagonal(&DVector::from_row_slice(self.prior));
        let mean = DVector::zeros(self.prior.len());
        CovarianceFlow::of_prior(mean, prior, NoiseVariance::new(NOISE)?, self.beta()?)
    }

    /// A share of the denoising horizon `βτ/2`.
    pub(super) fn time(&self, share: f64) -> Result<RawTime> {
        RawTime::new(share * 0.5 * NOISE * self.beta)
    }
}

/// How far nodes of `N(0, λ)` reach: the law itself, and whatever the kernel adds at its edge.
pub(super) fn reach(beta: f64, variance: f64) -> f64 {
    REACH * (variance.sqrt() + width(beta, variance))
}

/// The width of the Gaussian summands that kernel sums over `N(0, λ)` have: `(β + 1/λ)^{−1/2}`.
fn width(beta: f64, variance: f64) -> f64 {
    (beta + 1.0 / variance).sqrt().recip()
}

/// Nodes of `N(0, λ)` between two points, in panels of so many kernel widths, with their weights.
pub(super) fn nodes(beta: f64, variance: f64, ends: [f64; 2], widths: f64) -> Vec<Node> {
    let (std, [from, to]) = (variance.sqrt(), ends);
    let panels = ((to - from) / (widths * width(beta, variance))).ceil().max(1.0);
    let weighted = |node: Node| Node { weight: node.weight * tail::density(node.at / std) / std, ..node };
    SIXTEEN.panels(from, to, panels as usize).map(weighted).collect()
}

/// Nodes as a cloud on the line.
pub(super) fn cloud_of(nodes: &[Node]) -> Result<Cloud> {
    let total: f64 = nodes.iter().map(|node| node.weight).sum();
    let cloud = Cloud::new(nodes.iter().map(|node| node.at).collect(), 1)?;
    cloud.with_weights(nodes.iter().map(|node| node.weight / total).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_those_of_the_law() {
        let far = reach(10.0, 1.5);
        let cloud = cloud_of(&nodes(10.0, 1.5, [-far, far], 1.0)).unwrap();
        assert!((cloud.covariance()[(0, 0)] - 1.5).abs() < 1e-13);
    }
}
