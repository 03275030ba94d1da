//! Gaussian laws `N(m, Σ)`, singular ones included.
//!
//! # Formula
//! `N(m, Σ) * N(0, τI) = N(m, Σ + τI)`, and the posterior mean is `m + Σ(Σ + τI)⁻¹(y − m)`.
//!
//! # Paper
//! `eq:covariance-ode`

use nalgebra::{DMatrix, DVector};
use rand_distr::{Distribution, StandardNormal};

use super::covariance::Covariance;
use super::generator::Generator;
use super::line::{LineLaw, Normal, WeightedNormal};
use super::{Kind, Law};
use crate::error::{Error, Result};

/// The normal law of mean `m` and covariance `Σ`.
///
/// ```
/// use ebflow::law::Gaussian;
/// let law = Gaussian::isotropic(vec![1.0, 0.0], 0.5)?;
/// assert_eq!(law.mean(), [1.0, 0.0]);
/// assert_eq!(law.covariance().isotropic_variance(), Some(0.25));
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Gaussian {
    mean: Vec<f64>,
    covariance: Covariance,
}

fn invalid(problem: String) -> Error {
    Error::InvalidLaw { kind: "gaussian", problem }
}

impl Gaussian {
    /// `N(m, Σ)`; the covariance may be singular but must be symmetric and positive semidefinite.
    pub fn new(mean: Vec<f64>, covariance: DMatrix<f64>) -> Result<Self> {
        let d = mean.len();
        if covariance.shape() != (d, d) {
            let (rows, columns) = covariance.shape();
            return Err(invalid(format!(
                "the mean has dimension {d}, so the covariance must be {d}×{d}, but it is {rows}×{columns}"
            )));
        }
        check_mean(&mean)?;
        Self::checked(mean, Covariance::full(covariance))
    }

    /// `N(m, σ²I)`; `σ = 0` is the point mass at `m`.
    pub fn isotropic(mean: Vec<f64>, std: f64) -> Result<Self> {
        check_mean(&mean)?;
        let covariance = Covariance::isotropic(std, mean.len());
        Self::checked(mean, covariance)
    }

    fn checked(mean: Vec<f64>, covariance: std::result::Result<Covariance, String>) -> Result<Self> {
        Ok(Self { mean, covariance: covariance.map_err(invalid)? })
    }

    /// `m`, the centre.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// `Σ` with its spectrum.
    pub fn covariance(&self) -> &Covariance {
        &self.covariance
    }

    /// `N(m, vI)` from a mean and a variance that were checked before.
    pub(crate) fn ball(mean: Vec<f64>, variance: f64) -> Self {
        let covariance = Covariance::ball(variance, mean.len());
        Self { mean, covariance }
    }

    /// `N(m, Σ + τI)`.
    pub(crate) fn plus(&self, noise: f64) -> Self {
        Self { mean: self.mean.clone(), covariance: self.covariance.plus(noise) }
    }

    /// The law of `⟨u, X⟩`, with a weight attached.
    pub(crate) fn projected(&self, direction: &[f64], weight: f64) -> WeightedNormal {
        let mean = self.mean.iter().zip(direction).map(|(m, u)| m * u).sum();
        WeightedNormal { weight, normal: Normal { mean, std: self.covariance.along(direction).sqrt() } }
    }

    /// `x − m`.
    pub(crate) fn centred(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.mean).map(|(x, m)| x - m).collect()
    }

    /// Adds `weight · E[X | y]` to `out`.
    pub(crate) fn add_posterior_mean(&self, y: &[f64], noise: f64, weight: f64, out: &mut [f64]) {
        let mut mean = self.mean.clone();
        self.covariance.add_shrunk(&self.centred(y), noise, &mut mean);
        out.iter_mut().zip(mean).for_each(|(o, m)| *o += weight * m);
    }
}

fn check_mean(mean: &[f64]) -> Result<()> {
    if mean.is_empty() {
        return Err(invalid("the mean is empty; it needs one number per dimension".into()));
    }
    match mean.iter().find(|x| !x.is_finite()) {
        Some(x) => Err(invalid(format!("the mean contains {x}; its entries must be finite"))),
        None => Ok(()),
    }
}

impl Kind for Gaussian {
    fn name(&self) -> &'static str {
        "gaussian"
    }

    fn dimension(&self) -> usize {
        self.mean.len()
    }

    fn mean_vector(&self) -> DVector<f64> {
        DVector::from_column_slice(&self.mean)
    }

    fn covariance_matrix(&self) -> DMatrix<f64> {
        self.covariance.matrix()
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let standard: Vec<f64> = (0..out.len()).map(|_| StandardNormal.sample(generator)).collect();
        out.copy_from_slice(&self.mean);
        self.covariance.add_root(&standard, out);
    }

    fn noisy(&self, noise: f64) -> Law {
        Law::Gaussian(self.plus(noise))
    }

    fn projection(&self, direction: &[f64]) -> Option<LineLaw> {
        Some(LineLaw::of_normals(std::iter::once(self.projected(direction, 1.0))))
    }

    fn log_density(&self, x: &[f64]) -> Option<f64> {
        let quadratic = || self.covariance.squared_length(&self.centred(x), 0.0);
        (!self.covariance.is_singular()).then(|| self.covariance.log_peak(0.0) - 0.5 * quadratic())
    }

    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]) {
        out.fill(0.0);
        self.add_posterior_mean(y, noise, 1.0, out);
    }
}
