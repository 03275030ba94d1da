//! Laws that factorise: one direction carries the structure, the others are Gaussian and known in closed form.
//!
//! # Formula
//! The Gaussian kernel is a product over any orthonormal axes, so the flow of a product of independent laws is the product of
//! their flows. Components `N(m_k, Σ)` with one common `Σ` and means `m_k` on a line along an eigenvector `a` of `Σ` give
//! ```text
//! f_t(z) = f_t^a(⟨a, z⟩) · N(c⊥, Γ_t⊥)(z⊥)
//! ```
//! with `f_t^a` a mean field on the line and `Γ_t` the covariance flow of a Gaussian, in any dimension.
//!
//! # Paper
//! `lem:gaussian-invariance-covariance`

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::law::{Atoms, Covariance, Gaussian, Law, Mixture};
use crate::scale::{Beta, NoiseVariance, RawTime};

/// Relative deviation from a line, or from an eigenvector, that is rounding of decimal input.
const ALIGNED: f64 = 1e-12;

/// The directions in which a law is Gaussian.
#[derive(Debug, Clone)]
pub(super) struct Factor {
    /// The direction that is not: a unit vector.
    axis: DVector<f64>,
    /// A point of the line along which the law has its structure.
    centre: DVector<f64>,
    /// The flow of `N(c, Γ0)`.
    flow: CovarianceFlow,
}

/// A law in two factors.
pub(super) struct Factorised {
    /// The law of `⟨a, X⟩` for the clean `X`.
    pub line: Law,
    /// Everything else.
    pub factor: Factor,
}

/// Components of a law with one covariance.
struct Components<'a> {
    weights: &'a [f64],
    means: Vec<DVector<f64>>,
    covariance: DMatrix<f64>,
}

impl<'a> Components<'a> {
    fn of(law: &'a Law) -> Option<Self> {
        let vector = |mean: &[f64]| DVector::from_column_slice(mean);
        match law {
            Law::Gaussian(gaussian) => Some(Self {
                weights: &[1.0],
                means: vec![vector(gaussian.mean())],
                covariance: gaussian.covariance().matrix(),
            }),
            Law::Mixture(mixture) => {
                let covariance: &Covariance = mixture.components()[0].covariance();
                let same = mixture.components().iter().all(|component| component.covariance() == covariance);
                same.then(|| Self {
                    weights: mixture.weights(),
                    means: mixture.components().iter().map(|component| vector(component.mean())).collect(),
                    covariance: covariance.matrix(),
                })
            }
            Law::Atoms(atoms) => Some(Self {
                weights: atoms.weights(),
                means: atoms.points().iter().map(|point| vector(point)).collect(),
                covariance: DMatrix::zeros(law.dimension(), law.dimension()),
            }),
            Law::Laplace(_) | Law::Uniform(_) | Law::Student(_) | Law::Product(_) => None,
        }
    }

    /// The direction of the line through the means, if there is one and it is an eigenvector.
    fn axis(&self) -> Option<DVector<f64>> {
        let offsets: Vec<DVector<f64>> = self.means.iter().map(|mean| mean - &self.means[0]).collect();
        let longest = offsets.iter().max_by(|a, b| a.norm().total_cmp(&b.norm()))?;
        if longest.norm() == 0.0 {
            let eigen = SymmetricEigen::new(self.covariance.clone());
            return Some(eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned());
        }
        let axis = longest.normalize();
        let straight = offsets.iter().all(|o| (o - &axis * axis.dot(o)).norm() <= ALIGNED * longest.norm());
        let image = &self.covariance * &axis;
        let apart = (&image - &axis * axis.dot(&image)).norm();
        (straight && apart <= ALIGNED * self.covariance.amax()).then_some(axis)
    }

    /// The law of the coordinate along an axis.
    fn along(&self, axis: &DVector<f64>) -> Result<Law> {
        let places = self.means.iter().map(|mean| mean.dot(axis));
        let variance = axis.dot(&(&self.covariance * axis)).max(0.0);
        if variance == 0.0 {
            let points = places.map(|x| vec![x]).collect();
            return Ok(Law::Atoms(Atoms::new(points, self.weights.to_vec())?));
        }
        let normals = places.map(|x| Gaussian::isotropic(vec![x], variance.sqrt()));
        let normals = normals.collect::<Result<Vec<_>>>()?;
        Ok(Law::Mixture(Mixture::new(self.weights.to_vec(), normals)?))
    }
}

impl Factorised {
    /// Factorises a law, if it does.
    pub fn of(law: &Law, noise: NoiseVariance, beta: Beta) -> Result<Option<Self>> {
        let Some(components) = Components::of(law) else { return Ok(None) };
        let Some(axis) = components.axis() else { return Ok(None) };
        let line = components.along(&axis)?;
        let centre = components.means[0].clone();
        let flow = CovarianceFlow::of_prior(centre.clone(), components.covariance, noise, beta)?;
        Ok(Some(Self { line, factor: Factor { axis, centre, flow } }))
    }
}

impl Factor {
    /// The coordinate along the axis.
    pub fn along(&self, point: &[f64]) -> f64 {
        self.axis.dot(&DVector::from_column_slice(point))
    }

    /// `z⊥ − c⊥`.
    fn across(&self, point: &[f64]) -> DVector<f64> {
        let offset = DVector::from_column_slice(point) - &self.centre;
        &offset - &self.axis * self.axis.dot(&offset)
    }

    /// The point whose coordinate along the axis is given and whose other coordinates are at the centre.
    pub fn lift(&self, along: f64) -> DVector<f64> {
        &self.centre + &self.axis * (along - self.axis.dot(&self.centre))
    }

    /// The covariance at time `t`, given the variance along the axis.
    pub fn covariance(&self, along: f64, time: RawTime) -> DMatrix<f64> {
        let gaussian = self.flow.covariance_at(time);
        let replaced = self.axis.dot(&(&gaussian * &self.axis));
        gaussian + &self.axis * self.axis.transpose() * (along - replaced)
    }

    /// `Σ_i g(λ_i) ⟨q_i, z⊥ − c⊥⟩ q_i` over the eigenvectors of `Γ_t`.
    fn mapped(&self, point: &[f64], time: RawTime, g: impl Fn(f64) -> f64) -> DVector<f64> {
        let across = self.across(point);
        let axes = self.flow.eigenvectors();
        let shares = axes.tr_mul(&across).zip_map(&self.flow.eigenvalues_at(time), |x, l| g(l) * x);
        axes * shares
    }

    /// `Σ g(λ_i)` over the eigenvalues of `Γ_t` other than the axis' own.
    fn sum(&self, time: RawTime, g: impl Fn(f64) -> f64) -> f64 {
        let own = self.axis.dot(&(self.flow.covariance_at(time) * &self.axis));
        self.flow.eigenvalues_at(time).iter().map(|&l| g(l)).sum::<f64>() - g(own)
    }

    /// The posterior mean at a query, given the one along the axis.
    pub fn posterior_mean(&self, query: &[f64], along: f64, time: RawTime, noise: NoiseVariance) -> Vec<f64> {
        let across = self.mapped(query, time, |l| l / (l + noise.get()));
        (self.lift(along) + across).iter().copied().collect()
    }

    /// What the other directions add to the energy `−τ ln E e^{−|y−Z|²/2τ}`.
    pub fn energy(&self, query: &[f64], time: RawTime, noise: NoiseVariance) -> f64 {
        let tau = noise.get();
        let square = self.across(query).dot(&self.mapped(query, time, |l| 1.0 / (l + tau)));
        0.5 * tau * (square + self.sum(time, |l| ((l + tau) / tau).ln()))
    }

    /// The density of the other directions.
    pub fn density(&self, point: &[f64], time: RawTime) -> f64 {
        let square = self.across(point).dot(&self.mapped(point, time, |l| 1.0 / l));
        (-0.5 * (square + self.sum(time, |l| (std::f64::consts::TAU * l).ln()))).exp()
    }
}
