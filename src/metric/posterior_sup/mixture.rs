//! The posterior of a Gaussian mixture.
//!
//! # Formula
//! At `c` the posterior is `Σ_k r_k N(a_k, C_k)`, `C_k = τΣ_k(Σ_k + τI)⁻¹`. A common factor `N(0, C)` with `C ≤ C_k` tilts on its own
//! and contributes `Ch/τ`, exactly affine; what is left has the covariances `C_k − C`, and for a component at distance `μ` from
//! the mean with `σ² = ‖C_k − C‖`,
//! ```text
//! E[|⟨v,X⟩|⟨u,X⟩² e^{a|⟨u,X⟩|}] ≤ E[(μ + σ|ζ|)³ e^{a(μ + σ|ζ|)}],     ζ standard normal,
//! ```
//! because both `|⟨u,X⟩|` and `|⟨v,X⟩|` are at most `μ + σ|ζ|` in law and the product of increasing functions is largest when
//! they increase together. With `I_j = E|ζ|^j e^{b|ζ|}`: `I_0 = 2e^{b²/2}Φ(b)`, `I_1 = √(2/π) + bI_0`, `I_{j+1} = bI_j + jI_{j−1}`.
//! For a single component nothing is left, and the remainder is zero.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

use nalgebra::{DMatrix, SymmetricEigen};
use statrs::function::erf::erfc;

use super::local::{LocalMean, Posterior, Tilt, largest_eigenvalue};
use crate::cloud::norm;
use crate::error::Result;
use crate::law::{BayesOracle, Gaussian, Law};
use crate::scale::NoiseVariance;

/// The complementary error function is good to 1e-12; a moment is raised by more, to stay an upper bound.
const SAFETY: f64 = 1.0 + 1e-11;
/// Rounding of a component's posterior mean and of its share, relative to the coordinates.
const ROUNDOFF: f64 = 64.0 * f64::EPSILON;

/// A Gaussian mixture, ready for queries.
pub(super) struct GaussianPosterior<const D: usize> {
    components: Vec<Component>,
    /// The common covariance `C`.
    common: DMatrix<f64>,
    noise: NoiseVariance,
}

struct Component {
    log_weight: f64,
    clean: Law,
    noisy: Law,
    /// `C_k`.
    covariance: DMatrix<f64>,
    /// `‖C_k − C‖^{1/2}`.
    excess_std: f64,
}

impl<const D: usize> GaussianPosterior<D> {
    pub(super) fn new(weights: &[f64], laws: &[Gaussian], noise: NoiseVariance) -> Self {
        let covariances: Vec<DMatrix<f64>> = laws.iter().map(|law| shrunk(law, noise)).collect();
        let equal = covariances.iter().all(|c| c == &covariances[0]);
        let eigenvalues = |c: &DMatrix<f64>| c.clone().symmetric_eigenvalues();
        let smallest =
            covariances.iter().map(|c| eigenvalues(c).min()).fold(f64::INFINITY, f64::min).max(0.0);
        let common = if equal { covariances[0].clone() } else { DMatrix::identity(D, D) * smallest };
        let component = |((&weight, law), covariance): ((&f64, &Gaussian), DMatrix<f64>)| {
            let clean = Law::Gaussian(law.clone());
            let excess = if equal { 0.0 } else { (eigenvalues(&covariance).max() - smallest).max(0.0) };
            let noisy = clean.noisy(noise);
            Component { log_weight: weight.ln(), noisy, clean, covariance, excess_std: excess.sqrt() }
        };
        let components = weights.iter().zip(laws).zip(covariances).map(component).collect();
        Self { components, common, noise }
    }

    /// The responsibilities `r_k`.
    fn weights(&self, query: &[f64; D]) -> Result<Vec<f64>> {
        let log = |component: &Component| {
            component.noisy.log_density(query).map(|density| component.log_weight + density)
        };
        let logs: Vec<f64> = self.components.iter().map(log).collect::<Result<_>>()?;
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = logs.iter().map(|x| (x - largest).exp()).collect();
        let sum: f64 = shares.iter().sum();
        Ok(shares.into_iter().map(|share| share / sum).collect())
    }
}

/// `τΣ(Σ + τI)⁻¹`.
fn shrunk(law: &Gaussian, noise: NoiseVariance) -> DMatrix<f64> {
    let (tau, eigen) = (noise.get(), SymmetricEigen::new(law.covariance().matrix()));
    let values = eigen.eigenvalues.map(|v| v.max(0.0)).map(|v| v * (tau / (v + tau)));
    &eigen.eigenvectors * DMatrix::from_diagonal(&values) * eigen.eigenvectors.transpose()
}

/// A component's part of the posterior at a query.
struct Share<const D: usize> {
    /// The responsibility `r_k`.
    weight: f64,
    /// `a_k`.
    mean: [f64; D],
}

impl<const D: usize> GaussianPosterior<D> {
    /// The posterior `Σ_k r_k N(a_k, C_k)` at a query.
    fn posterior(&self, query: &[f64; D]) -> Result<Vec<Share<D>>> {
        let share = |(component, weight): (&Component, f64)| {
            let mean = component.clean.posterior_mean(query, self.noise)?;
            Ok(Share { weight, mean: std::array::from_fn(|axis| mean[axis]) })
        };
        self.components.iter().zip(self.weights(query)?).map(share).collect()
    }

    /// The covariance about the mean, and the moments of what is left beside the common factor.
    fn spread(&self, shares: &[Share<D>], mean: &[f64; D], rate: f64) -> ([[f64; D]; D], Tilt) {
        let mut tilt = Tilt { rate, variance: 0.0, second: 0.0, third: 0.0 };
        let (mut covariance, mut left) = ([[0.0; D]; D], [[0.0; D]; D]);
        for (component, share) in self.components.iter().zip(shares) {
            let offset: [f64; D] = std::array::from_fn(|axis| share.mean[axis] - mean[axis]);
            for i in 0..D {
                for j in 0..D {
                    let (own, across) = (component.covariance[(i, j)], offset[i] * offset[j]);
                    covariance[i][j] += share.weight * (own + across);
                    left[i][j] += share.weight * ((own - self.common[(i, j)]) + across);
                }
            }
            let folded = Folded { offset: norm(&offset), std: component.excess_std };
            tilt.second += share.weight * folded.moment(2, rate);
            tilt.third += share.weight * folded.moment(3, rate);
        }
        tilt.variance = largest_eigenvalue(&left).max(0.0);
        (covariance, tilt)
    }
}

impl<const D: usize> Posterior<D> for GaussianPosterior<D> {
    fn near(&self, centre: &[f64; D], radius: f64) -> Result<LocalMean<D>> {
        let shares = self.posterior(centre)?;
        let mean: [f64; D] =
            std::array::from_fn(|axis| shares.iter().map(|share| share.weight * share.mean[axis]).sum());
        let (covariance, tilt) = self.spread(&shares, &mean, radius / self.noise.get());
        let extent = shares.iter().map(|share| norm(&share.mean)).fold(norm(centre), f64::max);
        Ok(LocalMean {
            mean,
            jacobian: covariance.map(|row| row.map(|x| x / self.noise.get())),
            remainder: tilt.remainder() + ROUNDOFF * shares.len() as f64 * extent,
        })
    }
}

/// `μ + σ|ζ|`.
struct Folded {
    offset: f64,
    std: f64,
}

impl Folded {
    /// `E[(μ + σ|ζ|)^n e^{a(μ + σ|ζ|)}]`, or a hair more, for `n` up to three.
    fn moment(&self, n: usize, rate: f64) -> f64 {
        const BINOMIAL: [[f64; 4]; 4] =
            [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 1.0, 0.0], [1.0, 3.0, 3.0, 1.0]];
        let b = rate * self.std;
        let zeroth = (0.5 * b * b).exp() * erfc(-b * FRAC_1_SQRT_2);
        let first = FRAC_2_PI.sqrt() + b * zeroth;
        let second = b * first + zeroth;
        let tilted = [zeroth, first, second, b * second + 2.0 * first];
        let terms = (0..=n)
            .map(|j| BINOMIAL[n][j] * self.offset.powi((n - j) as i32) * self.std.powi(j as i32) * tilted[j]);
        SAFETY * (rate * self.offset).exp() * terms.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath, 30 digits: `quad` of the integrand against the normal density. Bounds, so never below.
    #[test]
    fn tilted_moments_match_integrals() {
        for (offset, std, n, rate, exact) in TILTED {
            let ours = Folded { offset, std }.moment(n, rate);
            assert!(ours >= exact && ours / exact - 1.0 < 2e-11, "{ours}, not {exact}");
        }
    }

    const TILTED: [(f64, f64, usize, f64, f64); 3] = [
        (0.3, 0.7, 3, 0.5, 2.508_255_965_746_043),
        (0.0, 1.2, 2, 2.0, 346.736_920_640_444_1),
        (1.5, 0.0, 3, 1.0, 15.125_700_612_390_97),
    ];
}
