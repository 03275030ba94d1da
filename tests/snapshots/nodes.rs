//! A Gaussian law as weighted nodes: a cloud whose flow is the mean field's, without sampling noise.
//!
//! # Formula
//! A trapezoid rule on a grid along the eigenvectors of `Γ0`, of spacing `h_k = r (β + 1/λ_k)^{−1/2}`, misses an integral of kernel times
//! density by `exp(−2π²/r²)`, relatively: 3e-9 for `r = 1` and 4e-14 for `r = 0.8`. Nodes beyond `REACH` standard deviations are left out, and with
//! them a second moment of at most `TAIL`.

use ebflow::{Cloud, Result};
use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Shares of the spacing that just resolves kernel and law.
pub const FINE: f64 = 0.8;
pub const COARSE: f64 = 1.0;

/// Standard deviations within which nodes lie.
const REACH: f64 = 7.0;

/// A Gaussian prior.
#[derive(Debug, Clone)]
pub struct Prior {
    pub name: &'static str,
    pub mean: DVector<f64>,
    pub covariance: DMatrix<f64>,
}

impl Prior {
    pub fn new(name: &'static str, mean: &[f64], covariance: &[f64]) -> Self {
        let d = mean.len();
        Self {
            name,
            mean: DVector::from_column_slice(mean),
            covariance: DMatrix::from_row_slice(d, d, covariance),
        }
    }

    pub fn dimension(&self) -> usize {
        self.mean.len()
    }
}

/// `2 R^d e^{−R²/2}`, more than the second moment of a standard normal law beyond `R` in up to three dimensions.
pub fn tail(dimension: usize) -> f64 {
    2.0 * REACH.powi(dimension as i32) * (-0.5 * REACH * REACH).exp()
}

/// Nodes of `N(m, Σ0 + τI)` for a kernel of inverse temperature `beta`.
pub fn nodes(prior: &Prior, noise: f64, beta: f64, resolution: f64) -> Result<Cloud> {
    let d = prior.dimension();
    let eigen = SymmetricEigen::new(prior.covariance.clone() + DMatrix::identity(d, d) * noise);
    let spacing: Vec<f64> = eigen.eigenvalues.iter().map(|l| resolution / (beta * l + 1.0).sqrt()).collect();
    let (mut points, mut weights) = (vec![], vec![]);
    for offsets in grid(&spacing) {
        let square: f64 = offsets.iter().map(|x| x * x).sum();
        if square > REACH * REACH {
            continue;
        }
        let scaled = DVector::from_iterator(
            d,
            offsets.iter().zip(eigen.eigenvalues.iter()).map(|(x, l)| x * l.sqrt()),
        );
        points.extend((&prior.mean + &eigen.eigenvectors * scaled).iter());
        weights.push((-0.5 * square).exp());
    }
    let total: f64 = weights.iter().sum();
    Cloud::new(points, d)?.with_weights(weights.iter().map(|w| w / total).collect())
}

/// All points of a grid about the origin, in standard deviations, off the origin by a share of the spacing: nothing is symmetric.
fn grid(spacing: &[f64]) -> Vec<Vec<f64>> {
    let Some((h, others)) = spacing.split_last() else { return vec![vec![]] };
    let most = (REACH / h).ceil() as i32;
    let rest = grid(others);
    let along = (-most..=most).map(|k| (f64::from(k) + 0.3) * h);
    along.flat_map(|x| rest.iter().map(move |row| [row.as_slice(), &[x]].concat())).collect()
}
