//! W1 between two Gaussian laws: a closed form where one is known, a bracket everywhere.
//!
//! # Formula
//! Let `X ~ N(m, Σ)`, `Y ~ N(n, Ω)`, `Σ = LLᵀ`, `Ω = KKᵀ`. For every orthogonal `U` the pair `m + Lξ`, `n + KUᵀξ` is a
//! coupling; with `KᵀL = ASBᵀ` the choice `U = BAᵀ` is the one that makes W2 smallest (Bures). Hence, with `δ = n − m` and
//! `D = KUᵀ − L`,
//! ```text
//! W1 ≤ E|δ + Dξ| ≤ W2 = (|δ|² + |D|²_F)^{1/2}
//! W1 ≥ max_u E|⟨u,δ⟩ + (√⟨u,Ωu⟩ − √⟨u,Σu⟩) ζ|           slices (ζ standard normal on the line)
//! W1 ≥ |E|P(Y − c)| − E|P(X − c)||                       x ↦ |P(x − c)| is 1-Lipschitz
//! ```
//! The first and last lines agree when `Y` is a dilation of `X` about some `c`: on the line, for any two isotropic laws, for
//! translations, and for `Ω = r²Σ`. Concentric and isotropic, `W1 = |a − b| √2 Γ((d+1)/2)/Γ(d/2)`.

use nalgebra::{DMatrix, DVector, Dyn, SymmetricEigen};

use super::gaussian_norm::{Axis, expected_norm, mean_length};
use super::slices;
use crate::cloud::norm;
use crate::error::{Result, check_same_space};
use crate::law::{Covariance, Gaussian};
use crate::measured::Bracket;

/// Eigenvalues of `Ω − Σ` below this share of the largest entry are rounding: the laws agree along them.
const UNCHANGED: f64 = 1e-13;
/// Share by which rounding may have moved a mean length; a difference of two is lowered by it, to stay a lower bound.
const ROUNDOFF: f64 = 2e-14;

/// Bounds of W1 between two Gaussian laws.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct GaussianDistance {
    /// Above: the mean length of the displacement under the coupling that is optimal for W2; below: the best of slices, means
    /// and radial potentials.
    pub w1: Bracket,
    /// The quadratic distance, `|m − m'|² + tr(Σ + Σ' − 2(Σ^{1/2}Σ'Σ^{1/2})^{1/2})` under a root.
    pub w2: f64,
}

/// Bounds of W1, which coincide (up to rounding) where a closed form is known.
///
/// ```
/// use ebflow::law::Gaussian;
/// use ebflow::metric::{between_gaussians, mean_length};
/// let wide = Gaussian::isotropic(vec![1.0, 2.0, 3.0], 2.0)?;
/// let narrow = Gaussian::isotropic(vec![1.0, 2.0, 3.0], 0.5)?;
/// let distance = between_gaussians(&wide, &narrow)?;
/// assert_eq!(distance.w1.lower, 1.5 * mean_length(3));
/// assert_eq!(distance.w1.lower, distance.w1.upper);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn between_gaussians(a: &Gaussian, b: &Gaussian) -> Result<GaussianDistance> {
    let pair = Pair::new(a, b)?;
    let displacement = pair.displacement();
    let shift = norm(pair.shift.as_slice());
    let w2 = shift.hypot(norm(displacement.as_slice()));
    if let Some(w1) = pair.closed_form() {
        return Ok(GaussianDistance { w1: Bracket { lower: w1, upper: w1 }, w2 });
    }
    let upper = expected_length(&pair.shift, &displacement).min(w2);
    let lower = pair.sliced()?.max(pair.radial()).max(shift);
    Ok(GaussianDistance { w1: Bracket { lower: lower.min(upper), upper }, w2 })
}

/// Two laws with what both bounds need.
struct Pair {
    dimension: usize,
    first: Rooted,
    second: Rooted,
    /// `δ = n − m`.
    shift: DVector<f64>,
}

/// A covariance with a factor `L`, `Σ = LLᵀ`.
struct Rooted {
    covariance: Covariance,
    root: DMatrix<f64>,
}

impl Rooted {
    fn new(covariance: &Covariance) -> Self {
        let d = covariance.dimension();
        let mut root = DMatrix::zeros(d, d);
        for axis in 0..d {
            let mut unit = vec![0.0; d];
            unit[axis] = 1.0;
            covariance.add_root(&unit, root.column_mut(axis).as_mut_slice());
        }
        Self { covariance: covariance.clone(), root }
    }

    fn std_along(&self, direction: &[f64]) -> f64 {
        self.covariance.along(direction).sqrt()
    }
}

impl Pair {
    fn new(a: &Gaussian, b: &Gaussian) -> Result<Self> {
        let dimension = a.mean().len();
        check_same_space("the second Gaussian law", b.mean().len(), "the first", dimension)?;
        let shift = DVector::from_column_slice(b.mean()) - DVector::from_column_slice(a.mean());
        let (first, second) = (Rooted::new(a.covariance()), Rooted::new(b.covariance()));
        Ok(Self { dimension, first, second, shift })
    }

    /// The translation and the concentric isotropic case, to the last digit.
    fn closed_form(&self) -> Option<f64> {
        let (a, b) = (&self.first.covariance, &self.second.covariance);
        if a.matrix() == b.matrix() {
            return Some(norm(self.shift.as_slice()));
        }
        let (a, b) = (a.isotropic_variance()?.sqrt(), b.isotropic_variance()?.sqrt());
        (self.shift.amax() == 0.0).then(|| (a - b).abs() * mean_length(self.dimension))
    }

    /// `D = KUᵀ − L` for the orthogonal `U` that makes it smallest.
    fn displacement(&self) -> DMatrix<f64> {
        let (first, second) = (&self.first.root, &self.second.root);
        let product = scaled(second).transpose() * scaled(first);
        let svd = product.svd(true, true);
        match (svd.u, svd.v_t) {
            (Some(a), Some(b_t)) => second * a * b_t - first,
            // Without a decomposition the identity is still a coupling.
            _ => second - first,
        }
    }

    fn sliced(&self) -> Result<f64> {
        let along = |u: &[f64]| {
            let offset: f64 = u.iter().zip(&self.shift).map(|(u, s)| u * s).sum();
            let std = (self.second.std_along(u) - self.first.std_along(u)).abs();
            Ok(expected_norm(&[Axis { offset, std }]))
        };
        let (first, second) = (self.first.covariance.matrix(), self.second.covariance.matrix());
        let candidates = slices::suggested(&self.shift, second - first);
        Ok(slices::steepest(self.dimension, candidates, along)?.w1)
    }

    /// The spectral form of `Ω − Σ` in units of their largest entry.
    fn change(&self) -> SymmetricEigen<f64, Dyn> {
        let (first, second) = (self.first.covariance.matrix(), self.second.covariance.matrix());
        let largest = first.amax().max(second.amax());
        SymmetricEigen::new(second / largest - first / largest)
    }

    /// The bound of `x ↦ |P(x − c)|` for the centre of the dilation that comes nearest, with `P` onto all of space and onto
    /// the directions in which the covariances differ.
    fn radial(&self) -> f64 {
        let change = self.change();
        let changed: Vec<usize> =
            (0..self.dimension).filter(|&i| change.eigenvalues[i].abs() > UNCHANGED).collect();
        let all = DMatrix::identity(self.dimension, self.dimension);
        self.radial_in(&all).max(self.radial_in(&change.eigenvectors.select_columns(&changed)))
    }

    /// The same with `P` onto the span of orthonormal columns.
    fn radial_in(&self, axes: &DMatrix<f64>) -> f64 {
        let (first, second) = (axes.transpose() * &self.first.root, axes.transpose() * &self.second.root);
        let (a, b) = (norm(first.as_slice()), norm(second.as_slice()));
        if a == b {
            return 0.0;
        }
        // n − c = r(m − c) with r = b/a, seen from m and from n.
        let shift = axes.transpose() * &self.shift;
        let from_first = expected_length(&(&shift * (-a / (a - b))), &first);
        let from_second = expected_length(&(&shift * (-b / (a - b))), &second);
        (from_second - from_first).abs() - ROUNDOFF * from_first.max(from_second)
    }
}

/// `E|δ + Dξ|`.
fn expected_length(offset: &DVector<f64>, factor: &DMatrix<f64>) -> f64 {
    let (scale, factor) = (factor.amax(), scaled(factor));
    let eigen = SymmetricEigen::new(&factor * factor.transpose());
    let offsets = eigen.eigenvectors.transpose() * offset;
    let stds = eigen.eigenvalues.iter().map(|v| scale * v.max(0.0).sqrt());
    let axes: Vec<Axis> = offsets.iter().zip(stds).map(|(&offset, std)| Axis { offset, std }).collect();
    expected_norm(&axes)
}

/// The matrix in units of its largest entry, so that its square neither over- nor underflows.
fn scaled(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    let largest = matrix.amax();
    if largest > 0.0 { matrix / largest } else { matrix.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eigenvalues of three-by-three matrices and sums of 641 terms.
    const ROUNDOFF: f64 = 1e-13;

    fn law(mean: &[f64], covariance: &[f64]) -> Gaussian {
        Gaussian::new(mean.to_vec(), DMatrix::from_row_slice(mean.len(), mean.len(), covariance)).unwrap()
    }

    /// The bracket closes on a value.
    fn exactly(a: &Gaussian, b: &Gaussian, w1: f64) {
        for distance in [between_gaussians(a, b).unwrap(), between_gaussians(b, a).unwrap()] {
            assert!((distance.w1.lower / w1 - 1.0).abs() < ROUNDOFF, "{distance:?}, not {w1}");
            assert!((distance.w1.upper / w1 - 1.0).abs() < ROUNDOFF, "{distance:?}, not {w1}");
            assert!(
                distance.w1.lower <= distance.w1.upper && distance.w1.upper <= distance.w2,
                "{distance:?}"
            );
        }
    }

    #[test]
    fn on_the_line_it_is_the_mean_of_a_folded_normal() {
        let (a, b) = (law(&[1.0], &[4.0]), law(&[1.5], &[1.0]));
        // mpmath, 30 digits: √(2/π) e^{−1/8} + erf(1/√8)/2 for the displacement N(0.5, 1).
        exactly(&a, &b, 0.895_593_114_802_612);
        exactly(&a, &law(&[1.0], &[0.0]), 2.0 * mean_length(1));
    }

    #[test]
    fn dilations_and_translations_close_the_bracket() {
        let covariance = [2.0, 0.5, 0.1, 0.5, 1.0, -0.3, 0.1, -0.3, 0.7];
        let a = law(&[0.0, 1.0, -1.0], &covariance);
        exactly(&a, &law(&[3.0, 5.0, -1.0], &covariance), 5.0);
        let wider: Vec<f64> = covariance.iter().map(|c| 9.0 * c).collect();
        let eigenvalues = SymmetricEigen::new(DMatrix::from_row_slice(3, 3, &covariance)).eigenvalues;
        let axes: Vec<Axis> = eigenvalues.iter().map(|v| Axis { offset: 0.0, std: v.sqrt() }).collect();
        exactly(&a, &law(&[0.0, 1.0, -1.0], &wider), 2.0 * expected_norm(&axes));
    }

    #[test]
    fn isotropic_laws_with_different_means_are_dilations() {
        let a = Gaussian::isotropic(vec![0.0, 0.0], 1.5).unwrap();
        let b = Gaussian::isotropic(vec![0.6, -0.8], 0.5).unwrap();
        // Rice: the mean length of N(ν, I) in the plane at |ν| = 1 (mpmath, 40 digits, 1F1).
        exactly(&a, &b, 1.548_572_460_551_145_4);
    }

    #[test]
    fn laws_that_differ_along_one_direction_are_one_dimensional() {
        let (u, v) = (0.6, 0.8);
        let along = |extra: f64| {
            law(&[0.0, 0.0], &[1.0 + extra * u * u, extra * u * v, extra * u * v, 1.0 + extra * v * v])
        };
        exactly(&along(0.0), &along(3.0), mean_length(1));
        // The same inside a space of three dimensions where two of them widen alike.
        let a = law(&[0.0; 3], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 5.0]);
        let b = law(&[0.0; 3], &[4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 5.0]);
        exactly(&a, &b, mean_length(2));
    }

    /// POT's `emd2` between product grids of 50 × 50 conditional means of equal mass: 1.1307 and 1.4906.
    #[test]
    fn elsewhere_it_is_a_bracket() {
        let tall = law(&[0.0, 0.0], &[1.0, 0.0, 0.0, 4.0]);
        for (mean, transported) in [([0.0, 0.0], 1.1307), ([0.5, -1.0], 1.4906)] {
            let wide = law(&mean, &[4.0, 0.0, 0.0, 1.0]);
            let distance = between_gaussians(&tall, &wide).unwrap();
            assert!(distance.w1.lower < transported && transported < distance.w1.upper, "{distance:?}");
            assert!(distance.w1.upper < 1.15 * transported, "{distance:?}");
        }
    }

    #[test]
    fn bures_is_known_for_commuting_covariances() {
        let a = law(&[1.0, 0.0], &[4.0, 0.0, 0.0, 0.0]);
        let b = law(&[0.0, 2.0], &[1.0, 0.0, 0.0, 9.0]);
        // |δ|² + (2 − 1)² + (0 − 3)².
        assert!((between_gaussians(&a, &b).unwrap().w2 - 15.0_f64.sqrt()).abs() < ROUNDOFF);
    }

    #[test]
    fn extremes() {
        let point = Gaussian::isotropic(vec![3.0, 4.0], 0.0).unwrap();
        let origin = Gaussian::isotropic(vec![0.0, 0.0], 0.0).unwrap();
        assert_eq!(between_gaussians(&point, &point).unwrap().w1.upper, 0.0);
        exactly(&point, &origin, 5.0);
        let huge = law(&[0.0, 0.0], &[1e300, 0.0, 0.0, 2e300]);
        let distance = between_gaussians(&huge, &point).unwrap();
        assert!(distance.w1.upper.is_finite() && distance.w1.lower > 0.9 * distance.w1.upper, "{distance:?}");
        let nearly = Gaussian::isotropic(vec![0.0, 1.0], 1.0 + 1e-12).unwrap();
        let distance =
            between_gaussians(&Gaussian::isotropic(vec![0.0, 0.0], 1.0).unwrap(), &nearly).unwrap();
        assert!(distance.w1.lower <= distance.w1.upper && distance.w1.upper - 1.0 < 1e-11, "{distance:?}");
        assert!(between_gaussians(&point, &law(&[0.0], &[1.0])).is_err());
    }
}
