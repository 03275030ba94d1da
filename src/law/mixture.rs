//! Finite mixtures of Gaussians `Σ_k p_k N(m_k, Σ_k)`, each covariance full, isotropic, singular or zero.
//!
//! # Formula
//! ```text
//! E[X | y] = Σ_k r_k(y) (m_k + Σ_k(Σ_k + τI)⁻¹(y − m_k)),    r_k(y) ∝ p_k N(y; m_k, Σ_k + τI)
//! ```
//! The responsibilities `r_k` are formed from differences of exponents, so that no query is too far.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;

use super::gaussian::Gaussian;
use super::generator::Generator;
use super::line::LineLaw;
use super::responsibility::{Likelihoods, Location, shared_variance};
use super::weights::Weights;
use super::{Kind, Law};
use crate::error::{Error, Result};

/// A mixture of Gaussians in one space.
///
/// ```
/// use ebflow::law::{Gaussian, Mixture};
/// let left = Gaussian::isotropic(vec![-1.0, 0.0], 0.1)?;
/// let right = Gaussian::isotropic(vec![1.0, 0.0], 0.1)?;
/// let law = Mixture::new(vec![0.5, 0.5], vec![left, right])?;
/// assert_eq!(law.components().len(), 2);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture {
    weights: Weights,
    components: Vec<Gaussian>,
    /// The variance `v` when every covariance is the same `vI`: then exponents differ by inner products only.
    shared_variance: Option<f64>,
}

fn invalid(problem: String) -> Error {
    Error::InvalidLaw { kind: "mixture", problem }
}

impl Mixture {
    /// A mixture from its weights, which sum to one, and one Gaussian per weight; those of weight zero are dropped.
    pub fn new(weights: Vec<f64>, mut components: Vec<Gaussian>) -> Result<Self> {
        let weights = Weights::new(weights, &mut components, "components").map_err(invalid)?;
        let d = components[0].dimension();
        if let Some(at) = components.iter().position(|c| c.dimension() != d) {
            return Err(invalid(format!(
                "component {at} has dimension {}, but component 0 has dimension {d}; they must agree",
                components[at].dimension()
            )));
        }
        Ok(Self::trusted(weights, components))
    }

    pub(crate) fn trusted(weights: Weights, components: Vec<Gaussian>) -> Self {
        let shared_variance = shared_variance(&components);
        Self { weights, components, shared_variance }
    }

    /// `p_k`, the share of each component.
    pub fn weights(&self) -> &[f64] {
        self.weights.as_slice()
    }

    /// The components `N(m_k, Σ_k)`.
    pub fn components(&self) -> &[Gaussian] {
        &self.components
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, &Gaussian)> + Clone {
        self.weights().iter().copied().zip(&self.components)
    }

    /// The exponents `ln p_k N(y; m_k, Σ_k + τI)`, up to a common shift.
    fn likelihoods(&self, y: &[f64], noise: f64) -> Likelihoods {
        match self.shared_variance {
            Some(variance) => Likelihoods::of_locations(
                self.pairs().map(|(weight, component)| Location { weight, point: component.mean() }),
                variance + noise,
                y,
            ),
            None => Likelihoods::of_gaussians(self.pairs(), noise, y),
        }
    }
}

impl Kind for Mixture {
    fn name(&self) -> &'static str {
        "mixture"
    }

    fn dimension(&self) -> usize {
        self.components[0].dimension()
    }

    fn mean_vector(&self) -> DVector<f64> {
        let zero = DVector::zeros(self.dimension());
        self.pairs().fold(zero, |sum, (weight, component)| sum + component.mean_vector() * weight)
    }

    fn covariance_matrix(&self) -> DMatrix<f64> {
        let mean = self.mean_vector();
        let zero = DMatrix::zeros(mean.len(), mean.len());
        self.pairs().fold(zero, |sum, (weight, component)| {
            let offset = component.mean_vector() - &mean;
            sum + (component.covariance_matrix() + &offset * offset.transpose()) * weight
        })
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let chosen = self.weights.choose(generator.random());
        self.components[chosen].draw(generator, out);
    }

    fn noisy(&self, noise: f64) -> Law {
        let components = self.components.iter().map(|component| component.plus(noise)).collect();
        Law::Mixture(Self::trusted(self.weights.clone(), components))
    }

    fn projection(&self, direction: &[f64]) -> Option<LineLaw> {
        Some(LineLaw::of_normals(
            self.pairs().map(|(weight, component)| component.projected(direction, weight)),
        ))
    }

    fn log_density(&self, x: &[f64]) -> Option<f64> {
        let singular = self.components.iter().any(|component| component.covariance().is_singular());
        (!singular).then(|| self.likelihoods(x, 0.0).log_sum())
    }

    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]) {
        out.fill(0.0);
        for (share, component) in self.likelihoods(y, noise).shares().zip(&self.components) {
            if share > 0.0 {
                component.add_posterior_mean(y, noise, share, out);
            }
        }
    }
}
