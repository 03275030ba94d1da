//! The covariance flow of a Gaussian law, in closed form.
//!
//! # Formula
//! With `Γ0 = Σ0 + τI` and raw time `t`,
//! ```text
//! Γ̇ = −2Γ(I + βΓ)⁻¹,     λ + β⁻¹ ln λ = λ0 + β⁻¹ ln λ0 − 2t/β   for every eigenvalue,
//! ```
//! so the eigenvectors stay and `βλ(t) = ω(βλ0 − 2t + ln βλ0)` with the Wright omega function `ω`. With `λ0 = σ0 + τ` and score
//! time `s = t/β` the difference is `β(σ0 + τ − 2s)`: at the denoising horizon `s = τ/2` it is `βσ0` itself, to every digit, while a
//! raw time `βτ/2` has been rounded, which moves it by as much as `βτ` has units in its last place. Characteristics are
//! affine, `z(t) = m + Γ_t^{1/2} Γ_0^{−1/2} (z(0) − m)`: the exact synchronous partner of every particle.
//!
//! # Paper
//! `lem:gaussian-invariance-covariance`, `eq:covariance-ode`, `eq:eigenvalue-ode`

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::hitting::{Hitting, VarianceDescent};
use super::omega::wright_omega;
use crate::cloud::Cloud;
use crate::error::{Error, Result, check_same_space};
use crate::flow::Time;
use crate::numeric::sum::Sum;
use crate::scale::{Beta, NoiseVariance};

/// Asymmetry and negative eigenvalues up to this multiple of the largest entry are rounding.
const ROUNDOFF: f64 = 1e-12;

/// The Gaussian solution `N(m, Γ_t)` of the mean-field equation.
///
/// ```
/// use ebflow::exact::CovarianceFlow;
/// use ebflow::{Beta, NoiseVariance, RawTime};
/// use nalgebra::{DMatrix, DVector};
/// let (beta, noise) = (Beta::new(20.0)?, NoiseVariance::new(0.25)?);
/// let flow = CovarianceFlow::of_prior(DVector::zeros(1), DMatrix::identity(1, 1), noise, beta)?;
/// let end = flow.eigenvalues_at(noise.denoising_horizon())[0];
/// assert!((end + end.ln() / 20.0 - 1.0 - 1.25_f64.ln() / 20.0).abs() < 1e-15);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CovarianceFlow {
    beta: Beta,
    mean: DVector<f64>,
    eigenvectors: DMatrix<f64>,
    /// Eigenvalues `σ0` of the prior.
    prior: DVector<f64>,
    /// What the noise adds to each, kept apart so that a horizon takes away exactly that.
    noise: f64,
}

impl CovarianceFlow {
    /// The flow from `Γ0 = Σ0 + τI`. The prior covariance may be singular: a zero eigenvalue is a Dirac direction.
    pub fn of_prior(
        mean: DVector<f64>,
        prior_cov: DMatrix<f64>,
        noise: NoiseVariance,
        beta: Beta,
    ) -> Result<Self> {
        let mut flow = Self::diagonalised(mean, prior_cov, beta)?;
        flow.prior.iter_mut().for_each(|s| *s = s.max(0.0));
        flow.noise = noise.get();
        flow.within_range()
    }

    /// The flow from a noisy covariance `Γ0`, which must be positive definite.
    pub fn of_noisy(mean: DVector<f64>, noisy_cov: DMatrix<f64>, beta: Beta) -> Result<Self> {
        let flow = Self::diagonalised(mean, noisy_cov, beta)?;
        match flow.prior.iter().find(|&&l| l <= 0.0) {
            Some(l) => Err(invalid(format!("Γ0 must be positive definite, but has the eigenvalue {l}"))),
            None => flow.within_range(),
        }
    }

    /// The closed form is one in `βλ0`, which must be a number.
    fn within_range(self) -> Result<Self> {
        let beta = self.beta.get();
        match self.initial_eigenvalues().iter().find(|&&l| !(beta * l).is_finite()) {
            Some(l) => {
                Err(invalid(format!("the variance {l:e} times β = {beta:e} is beyond the range of a double")))
            }
            None => Ok(self),
        }
    }

    fn diagonalised(mean: DVector<f64>, covariance: DMatrix<f64>, beta: Beta) -> Result<Self> {
        let d = mean.len();
        if d == 0 || covariance.shape() != (d, d) {
            return Err(invalid(format!(
                "a mean of dimension {d} needs a {d}×{d} covariance, not {}×{}",
                covariance.nrows(),
                covariance.ncols()
            )));
        }
        if mean.iter().chain(covariance.iter()).any(|x| !x.is_finite()) {
            return Err(invalid("mean and covariance must be finite".into()));
        }
        let scale = covariance.amax();
        if (&covariance - covariance.transpose()).amax() > ROUNDOFF * scale {
            return Err(invalid("the covariance must be symmetric".into()));
        }
        let eigen = SymmetricEigen::new(covariance);
        if let Some(l) = eigen.eigenvalues.iter().find(|&&l| l < -ROUNDOFF * scale) {
            return Err(invalid(format!("the covariance must not have negative eigenvalues, but has {l}")));
        }
        let mut order: Vec<usize> = (0..d).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        Ok(Self {
            beta,
            mean,
            eigenvectors: eigen.eigenvectors.select_columns(&order),
            prior: eigen.eigenvalues.select_rows(&order),
            noise: 0.0,
        })
    }

    /// The mean `m`, which the flow conserves.
    pub fn mean(&self) -> &DVector<f64> {
        &self.mean
    }

    /// The inverse temperature of the kernel.
    pub fn beta(&self) -> Beta {
        self.beta
    }

    /// Orthonormal eigenvectors of every `Γ_t`, as columns, by falling initial eigenvalue.
    pub fn eigenvectors(&self) -> &DMatrix<f64> {
        &self.eigenvectors
    }

    /// Eigenvalues of `Γ0`, falling.
    pub fn initial_eigenvalues(&self) -> DVector<f64> {
        self.prior.add_scalar(self.noise)
    }

    /// Eigenvalues of `Γ_t` in the order of [`CovarianceFlow::eigenvectors`], to full relative accuracy.
    pub fn eigenvalues_at(&self, time: impl Into<Time>) -> DVector<f64> {
        let beta = self.beta.get();
        let (rate, removed) = match time.into() {
            Time::Raw(t) => (2.0, t.get()),
            Time::Score(s) => (beta, 2.0 * s.get()),
        };
        if !(rate * removed).is_finite() {
            return self.prior.map(|_| 0.0);
        }
        self.prior.map(|prior| {
            let left = Sum::of_products([(beta, prior), (beta, self.noise), (-rate, removed)]);
            wright_omega(left, beta * (prior + self.noise)) / beta
        })
    }

    /// `Γ_t` as a matrix.
    pub fn covariance_at(&self, time: impl Into<Time>) -> DMatrix<f64> {
        self.spectral(&self.eigenvalues_at(time))
    }

    /// Eigenvalues after `count` layers of step `η` of the mean-field layer recursion.
    ///
    /// # Formula
    /// `λ ← λ(1 − η/(1 + βλ))²`: one layer maps `z − m` to `(1 − η/(1 + βλ))(z − m)` along each eigenvector.
    pub fn eigenvalues_after_layers(&self, step: f64, count: usize) -> DVector<f64> {
        let beta = self.beta.get();
        self.initial_eigenvalues()
            .map(|l| (0..count).fold(l, |l, _| l * (1.0 - step / (1.0 + beta * l)).powi(2)))
    }

    /// The linear part `Γ_t^{1/2} Γ_0^{−1/2}` of the characteristic map.
    pub fn characteristic_at(&self, time: impl Into<Time>) -> DMatrix<f64> {
        let shrink = self.eigenvalues_at(time).component_div(&self.initial_eigenvalues()).map(f64::sqrt);
        self.spectral(&shrink)
    }

    /// Moves every point of a cloud along its exact characteristic.
    pub fn push(&self, cloud: &Cloud, time: impl Into<Time>) -> Result<Cloud> {
        check_same_space("the cloud", cloud.dimension(), "the Gaussian law", self.mean.len())?;
        let map = self.characteristic_at(time);
        let moved = |row| &self.mean + &map * (DVector::from_column_slice(row) - &self.mean);
        cloud.moved_to(cloud.rows().flat_map(|row| moved(row).data.as_vec().clone()).collect())
    }

    /// Per eigenvalue, when it has come down to `target`.
    pub fn hitting(&self, target: f64) -> Result<Vec<Hitting>> {
        self.initial_eigenvalues()
            .iter()
            .map(|&l| VarianceDescent::from_start(l, self.beta)?.hitting(target))
            .collect()
    }

    fn spectral(&self, values: &DVector<f64>) -> DMatrix<f64> {
        &self.eigenvectors * DMatrix::from_diagonal(values) * self.eigenvectors.transpose()
    }
}

fn invalid(problem: String) -> Error {
    Error::InvalidLaw { kind: "gaussian", problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::RawTime;

    fn scalar(initial: f64, beta: f64) -> CovarianceFlow {
        let matrix = DMatrix::from_element(1, 1, initial);
        CovarianceFlow::of_noisy(DVector::zeros(1), matrix, Beta::new(beta).unwrap()).unwrap()
    }

    #[test]
    fn time_zero_is_the_start() {
        for initial in [1e-12, 0.3, 1.0, 7e5] {
            let end = scalar(initial, 20.0).eigenvalues_at(RawTime::new(0.0).unwrap())[0];
            assert!((end / initial - 1.0).abs() < 4.0 * f64::EPSILON, "{initial}: {end}");
        }
    }

    #[test]
    fn satisfies_the_implicit_equation_for_huge_arguments() {
        // βλ0 = 1e6: exp(βλ0) is far beyond f64.
        let end = scalar(1e4, 100.0).eigenvalues_at(RawTime::new(499_000.0).unwrap())[0];
        let residual = (end - 1e4) + (end / 1e4).ln() / 100.0 + 2.0 * 499_000.0 / 100.0;
        assert!(residual.abs() < 1e-11, "{residual}");
    }

    #[test]
    fn layers_tend_to_the_flow_at_first_order() {
        let flow = scalar(0.75, 20.0);
        let exact = flow.eigenvalues_at(RawTime::new(5.0).unwrap())[0];
        let error =
            |count: usize| (flow.eigenvalues_after_layers(5.0 / count as f64, count)[0] - exact).abs();
        let ratio = error(2000) / error(4000);
        assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn characteristics_carry_the_covariance() {
        let prior = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0]);
        let (beta, noise) = (Beta::new(5.0).unwrap(), NoiseVariance::new(0.5).unwrap());
        let flow =
            CovarianceFlow::of_prior(DVector::from_vec(vec![1.0, -2.0]), prior.clone(), noise, beta).unwrap();
        let time = RawTime::new(1.25).unwrap();
        let map = flow.characteristic_at(time);
        let pushed = &map * (prior + DMatrix::identity(2, 2) * 0.5) * map.transpose();
        assert!((pushed - flow.covariance_at(time)).amax() < 1e-14);
    }

    #[test]
    fn refuses_matrices_that_are_no_covariances() {
        let beta = Beta::new(1.0).unwrap();
        let noise = NoiseVariance::new(1.0).unwrap();
        for bad in [[1.0, 2.0, 2.0, 1.0], [1.0, 0.5, 0.0, 1.0], [f64::NAN, 0.0, 0.0, 1.0]] {
            let matrix = DMatrix::from_row_slice(2, 2, &bad);
            assert!(CovarianceFlow::of_prior(DVector::zeros(2), matrix, noise, beta).is_err());
        }
    }
}
