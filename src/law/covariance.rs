//! Covariances `Σ`, singular ones included, kept in their spectral form `Σ = Q diag(λ) Qᵀ`.
//!
//! Adding noise shifts the spectrum, `Σ + τI = Q diag(λ + τ) Qᵀ`; sampling, densities and posterior means are then
//! products with `Q`, and nothing is ever inverted that could be singular.

use nalgebra::{DMatrix, DVector, DVectorView, SymmetricEigen};

/// Entries `Σ_ij` and `Σ_ji` may differ by this share of the largest entry: decimal rounding, not a mistake.
const SYMMETRY_TOLERANCE: f64 = 1e-9;
/// An eigenvalue above minus this share of the largest one is zero up to rounding.
const SINGULAR_TOLERANCE: f64 = 1e-10;
/// QR sweeps before the eigenvalue iteration gives up; it needs two or three per dimension.
const MAX_SWEEPS: usize = 10_000;

/// A symmetric positive semidefinite matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    dimension: usize,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// `λI`.
    Isotropic(f64),
    /// `Q diag(λ) Qᵀ` with the columns of `Q` in `axes`.
    Full { matrix: DMatrix<f64>, axes: DMatrix<f64>, variances: DVector<f64> },
}

impl Covariance {
    /// `σ²I` from the standard deviation `σ ≥ 0`; the error says what is wrong.
    pub(crate) fn isotropic(std: f64, dimension: usize) -> Result<Self, String> {
        let variance = std * std;
        if !(std >= 0.0 && variance.is_finite()) {
            return Err(format!("std is {std}; it must be a finite number that is not negative"));
        }
        Ok(Self::ball(variance, dimension))
    }

    /// `vI` from a variance that was checked before.
    pub(crate) fn ball(variance: f64, dimension: usize) -> Self {
        Self { dimension, shape: Shape::Isotropic(variance) }
    }

    /// From a matrix; the error says what is wrong with it.
    pub(crate) fn full(matrix: DMatrix<f64>) -> Result<Self, String> {
        let dimension = matrix.nrows();
        if let Some(entry) = matrix.iter().find(|x| !x.is_finite()) {
            return Err(format!("the covariance contains {entry}; its entries must be finite"));
        }
        let largest = matrix.amax();
        if (&matrix - matrix.transpose()).amax() > SYMMETRY_TOLERANCE * largest {
            return Err("the covariance is not symmetric".into());
        }
        let matrix = (&matrix + matrix.transpose()) * 0.5;
        if matrix == DMatrix::identity(dimension, dimension) * matrix[(0, 0)] && matrix[(0, 0)] >= 0.0 {
            return Ok(Self::ball(matrix[(0, 0)], dimension));
        }
        let eigen = SymmetricEigen::try_new(&matrix / largest, f64::EPSILON, MAX_SWEEPS)
            .ok_or("the eigenvalues of the covariance do not converge")?;
        let smallest = eigen.eigenvalues.min();
        if smallest < -SINGULAR_TOLERANCE * eigen.eigenvalues.max().max(0.0) || largest == 0.0 {
            return Err(format!(
                "the covariance has the eigenvalue {}; none may be negative",
                smallest * largest
            ));
        }
        let variances = eigen.eigenvalues.map(|x| x.max(0.0) * largest);
        Ok(Self { dimension, shape: Shape::Full { matrix, axes: eigen.eigenvectors, variances } })
    }

    /// Number `d` of rows.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// `Σ` with all its entries.
    pub fn matrix(&self) -> DMatrix<f64> {
        match &self.shape {
            Shape::Isotropic(variance) => DMatrix::identity(self.dimension, self.dimension) * *variance,
            Shape::Full { matrix, .. } => matrix.clone(),
        }
    }

    /// The eigenvalues `λ`, in the order in which the decomposition found them.
    pub fn variances(&self) -> DVector<f64> {
        match &self.shape {
            Shape::Isotropic(variance) => DVector::repeat(self.dimension, *variance),
            Shape::Full { variances, .. } => variances.clone(),
        }
    }

    /// `λ` when `Σ = λI`.
    pub fn isotropic_variance(&self) -> Option<f64> {
        match self.shape {
            Shape::Isotropic(variance) => Some(variance),
            Shape::Full { .. } => None,
        }
    }

    /// True when some direction carries no mass, so that there is no density.
    pub fn is_singular(&self) -> bool {
        match &self.shape {
            Shape::Isotropic(variance) => *variance == 0.0,
            Shape::Full { variances, .. } => variances.iter().any(|&x| x == 0.0),
        }
    }

    /// `Σ + τI`.
    pub(crate) fn plus(&self, noise: f64) -> Self {
        let shape = match &self.shape {
            Shape::Isotropic(variance) => Shape::Isotropic(variance + noise),
            Shape::Full { matrix, axes, variances } => Shape::Full {
                matrix: matrix + DMatrix::identity(self.dimension, self.dimension) * noise,
                axes: axes.clone(),
                variances: variances.add_scalar(noise),
            },
        };
        Self { dimension: self.dimension, shape }
    }

    /// `uᵀΣu`, never negative.
    pub(crate) fn along(&self, direction: &[f64]) -> f64 {
        self.over_axes(direction, |coordinate, variance| coordinate * coordinate * variance).sum()
    }

    /// `Σ_i f(⟨q_i, v⟩, λ_i)`-style access: one term per axis.
    fn over_axes(&self, vector: &[f64], term: impl Fn(f64, f64) -> f64) -> DVector<f64> {
        let vector = DVectorView::from_slice(vector, self.dimension);
        match &self.shape {
            Shape::Isotropic(variance) => vector.map(|x| term(x, *variance)),
            Shape::Full { axes, variances, .. } => axes.tr_mul(&vector).zip_map(variances, term),
        }
    }

    /// Adds `Q f(⟨q_i, v⟩, λ_i)` to `out`: a function of the matrix applied to a vector.
    fn add_mapped(&self, vector: &[f64], term: impl Fn(f64, f64) -> f64, out: &mut [f64]) {
        let mapped = self.over_axes(vector, term);
        let mapped = match &self.shape {
            Shape::Isotropic(_) => mapped,
            Shape::Full { axes, .. } => axes * mapped,
        };
        out.iter_mut().zip(&mapped).for_each(|(o, m)| *o += m);
    }

    /// Adds `Q diag(√λ) ξ` to `out`: a normal vector of covariance `Σ` from a standard one.
    pub(crate) fn add_root(&self, standard: &[f64], out: &mut [f64]) {
        match &self.shape {
            Shape::Isotropic(variance) => {
                let std = variance.sqrt();
                out.iter_mut().zip(standard).for_each(|(o, x)| *o += std * x);
            }
            Shape::Full { axes, variances, .. } => {
                let standard = DVectorView::from_slice(standard, self.dimension);
                let scaled = axes * standard.zip_map(variances, |x, variance| x * variance.sqrt());
                out.iter_mut().zip(&scaled).for_each(|(o, x)| *o += x);
            }
        }
    }

    /// Adds `Σ(Σ + τI)⁻¹v` to `out`: the linear part of a Gaussian posterior mean.
    pub(crate) fn add_shrunk(&self, vector: &[f64], noise: f64, out: &mut [f64]) {
        self.add_mapped(vector, |x, variance| x * (variance / (variance + noise)), out);
    }

    /// `vᵀ(Σ + τI)⁻¹v`; infinite where a direction without variance is left.
    pub(crate) fn squared_length(&self, vector: &[f64], noise: f64) -> f64 {
        let term = |x: f64, variance: f64| if x == 0.0 { 0.0 } else { x / (variance + noise) * x };
        self.over_axes(vector, term).sum()
    }

    /// `−½ ln det(2π(Σ + τI))`: the log density at the centre.
    pub(crate) fn log_peak(&self, noise: f64) -> f64 {
        let log = |variance: f64| (std::f64::consts::TAU * (variance + noise)).ln();
        -0.5 * match &self.shape {
            Shape::Isotropic(variance) => self.dimension as f64 * log(*variance),
            Shape::Full { variances, .. } => variances.iter().map(|&x| log(x)).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spectral_functions_agree_with_the_matrix() {
        let matrix = DMatrix::from_row_slice(3, 3, &[2.0, 0.5, 0.1, 0.5, 1.0, -0.3, 0.1, -0.3, 0.7]);
        let covariance = Covariance::full(matrix.clone()).unwrap();
        let (vector, noise) = (DVector::from_row_slice(&[1.0, -2.0, 0.5]), 0.3);
        let noisy = &matrix + DMatrix::identity(3, 3) * noise;
        let solved = noisy.clone().cholesky().unwrap().solve(&vector);
        let mut shrunk = vec![0.0; 3];
        covariance.add_shrunk(vector.as_slice(), noise, &mut shrunk);
        assert!((DVector::from_vec(shrunk) - &matrix * &solved).amax() < 1e-14);
        assert!((covariance.squared_length(vector.as_slice(), noise) - vector.dot(&solved)).abs() < 1e-13);
        assert!((covariance.along(vector.as_slice()) - vector.dot(&(&matrix * &vector))).abs() < 1e-13);
        let log_peak = -0.5 * (noisy * std::f64::consts::TAU).determinant().ln();
        assert!((covariance.log_peak(noise) - log_peak).abs() < 1e-13);
        assert_eq!(covariance.plus(noise).log_peak(0.0), covariance.log_peak(noise));
    }

    #[test]
    fn refuses_what_is_no_covariance() {
        let refuse = |entries: &[f64]| Covariance::full(DMatrix::from_row_slice(2, 2, entries)).unwrap_err();
        assert!(refuse(&[1.0, 0.5, 0.0, 1.0]).contains("symmetric"));
        assert!(refuse(&[1.0, 2.0, 2.0, 1.0]).contains("eigenvalue -1"));
        assert!(refuse(&[-1.0, 0.0, 0.0, -1.0]).contains("negative"));
        assert!(refuse(&[f64::NAN, 0.0, 0.0, 1.0]).contains("finite"));
        assert!(Covariance::isotropic(-0.1, 2).is_err());
        assert!(Covariance::isotropic(f64::INFINITY, 2).is_err());
    }

    #[test]
    fn singular_covariances_are_welcome() {
        let rank_one = Covariance::full(DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0])).unwrap();
        assert!(rank_one.along(&[2.0, -1.0]).abs() < 1e-15);
        assert!(Covariance::full(DMatrix::zeros(2, 2)).unwrap().is_singular());
    }
}
