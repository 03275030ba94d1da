//! [`NodePair`]: the noisy law of a setting in space as weighted quadrature nodes, at two resolutions that judge each
//! other; and the mean field on the line and in the plane.
//!
//! # Formula
//! In space the nodes are a product of trapezoid rules along the axes of `Γ0`, within an ellipsoid:
//! ```text
//! x_k = m + Σ_i k_i h_i q_i,   ω_k ∝ exp(−½ Σ_i k_i² h_i²/λ_i),   h_i = c (β + 1/λ_i)^{−1/2},   Σ_i k_i² h_i²/λ_i ≤ r².
//! ```
//! The sums that the flow sees have Gaussian summands of precision `β + 1/λ` at most, so the rule misses them by
//! `e^{−2π²/c²}`, relatively, and the ellipsoid by the mass beyond it. The coarse nodes are wider apart, leave out
//! more, and are followed with less care in time, so that everything shows as a difference.

use nalgebra::DVector;

use super::setting::Setting;
use crate::cloud::Cloud;
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::meanfield::MeanField;

/// Spacing `c` and reach `r` of nodes in space. `e^{−2π²/c²}` is 9e-7 and 2e-5, and what lies beyond takes 1.1e-4 and
/// 2.0e-3 from the fourth moment of a standard normal vector, which is 15: either falls by about twenty.
const FINE: Product = Product { spacing: 1.19, reach: 6.0, tolerance: 1e-7 };
const COARSE: Product = Product { spacing: 1.35, reach: 5.4, tolerance: 1e-6 };

/// The share of what both resolutions are apart that the finer one may be off by. All kinds of error fall by ten at
/// least from one to the other, hence a ninth; twice that leaves room for two of them that have different signs.
pub(super) const FINER: f64 = 2.0 / 9.0;

/// What is asked of nodes in the plane, where they are dear: in `W1`, relative to the standard deviation.
const PLANE_ACCURACY: f64 = 1e-7;

/// A law in space before the flow, at two resolutions.
#[derive(Debug, Clone)]
pub(super) struct NodePair {
    pub fine: Nodes,
    pub coarse: Nodes,
}

/// A law before the flow.
#[derive(Debug, Clone)]
pub(super) struct Nodes {
    pub cloud: Cloud,
    /// Tolerance in time that is worth it, as a length.
    pub tolerance: f64,
}

impl NodePair {
    /// The law that a flow starts from.
    pub fn new(flow: &CovarianceFlow) -> Result<Self> {
        Ok(Self { fine: FINE.nodes(flow)?, coarse: COARSE.nodes(flow)? })
    }
}

/// The mean field with nodes in all dimensions: a law that factorises would bring in the closed form that is to be tested.
pub(super) fn mean_field(setting: &Setting) -> Result<MeanField> {
    let problem = MeanField::new(setting.prior()?, setting.noise()?, setting.beta()?).without_factorisation();
    if setting.variances.len() == 1 { Ok(problem) } else { problem.with_accuracy(PLANE_ACCURACY) }
}

struct Product {
    spacing: f64,
    reach: f64,
    /// In time, relative to the largest standard deviation.
    tolerance: f64,
}

impl Product {
    /// The nodes of the law that a flow starts from.
    fn nodes(&self, flow: &CovarianceFlow) -> Result<Nodes> {
        let variances = flow.initial_eigenvalues();
        // Coordinates along the axes in standard deviations, and half their squares.
        let mut grid: Vec<(DVector<f64>, f64)> = vec![(flow.mean().clone(), 0.0)];
        for (axis, &variance) in flow.eigenvectors().column_iter().zip(&variances) {
            let step = self.spacing / (flow.beta().get() * variance + 1.0).sqrt();
            let most = (self.reach / step).floor() as i64;
            let places = (-most..=most).map(|k| k as f64 * step);
            let along = |(point, half): (DVector<f64>, f64)| {
                places.clone().map(move |x| (&point + axis * (x * variance.sqrt()), half + 0.5 * x * x))
            };
            grid = grid.into_iter().flat_map(along).collect();
        }
        grid.retain(|(_, half)| 2.0 * half <= self.reach * self.reach);
        let total: f64 = grid.iter().map(|(_, half)| (-half).exp()).sum();
        let weights = grid.iter().map(|(_, half)| (-half).exp() / total).collect();
        let points = grid.iter().flat_map(|(point, _)| point.iter().copied()).collect();
        let cloud = Cloud::new(points, variances.len())?.with_weights(weights)?;
        Ok(Nodes { cloud, tolerance: self.tolerance * variances.max().sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::RawTime;

    #[test]
    fn nodes_in_space_have_the_moments_of_the_law() {
        let setting = Setting { variances: &[1.0, 0.5, 0.0], noise: 0.5, beta: 2.0 };
        let flow = setting.flow().unwrap();
        let exact = flow.covariance_at(RawTime::new(0.0).unwrap());
        for (product, tolerance) in [(FINE, 2e-5), (COARSE, 4e-4)] {
            let nodes = product.nodes(&flow).unwrap().cloud;
            println!("{} nodes", nodes.len());
            assert!((nodes.mean() - flow.mean()).amax() < 1e-12);
            assert!((nodes.covariance() - &exact).amax() < tolerance, "{}", nodes.covariance() - &exact);
        }
    }
}
