//! Finitely many atoms: `Σ_j p_j δ_{a_j}`.
//!
//! # Formula
//! With noise it is the mixture of `N(a_j, τI)`, and `E[X | y] = Σ_j r_j(y) a_j` with `r_j ∝ p_j exp(−|y − a_j|²/2τ)`.

use nalgebra::{DMatrix, DVector};
use rand::RngExt;

use super::gaussian::Gaussian;
use super::generator::Generator;
use super::line::{LineAtom, LineLaw};
use super::mixture::Mixture;
use super::responsibility::{Likelihoods, Location};
use super::weights::Weights;
use super::{Kind, Law};
use crate::error::{Error, Result};

/// A law that lives on finitely many points.
///
/// ```
/// use ebflow::law::Atoms;
/// let coin = Atoms::new(vec![vec![-1.0], vec![1.0]], vec![0.25, 0.75])?;
/// assert_eq!(coin.points().len(), 2);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Atoms {
    points: Vec<Vec<f64>>,
    weights: Weights,
}

fn invalid(problem: String) -> Error {
    Error::InvalidLaw { kind: "atoms", problem }
}

impl Atoms {
    /// From points of one dimension and weights that sum to one; points of weight zero are dropped.
    pub fn new(mut points: Vec<Vec<f64>>, weights: Vec<f64>) -> Result<Self> {
        let d = points.first().map_or(0, Vec::len);
        for (at, point) in points.iter().enumerate() {
            if point.len() != d || d == 0 {
                let found = point.len();
                return Err(invalid(format!(
                    "point {at} has {found} coordinates, but point 0 has {d}; all need the same number, at least one"
                )));
            }
            if let Some(x) = point.iter().find(|x| !x.is_finite()) {
                return Err(invalid(format!("point {at} contains {x}; coordinates must be finite")));
            }
        }
        let weights = Weights::new(weights, &mut points, "points").map_err(invalid)?;
        Ok(Self { points, weights })
    }

    /// `a_j`, where the mass is, one row each.
    pub fn points(&self) -> &[Vec<f64>] {
        &self.points
    }

    /// `p_j`, the mass at each of them.
    pub fn weights(&self) -> &[f64] {
        self.weights.as_slice()
    }

    fn locations(&self) -> impl Iterator<Item = Location<'_>> + Clone {
        let pairs = self.weights().iter().zip(&self.points);
        pairs.map(|(&weight, point)| Location { weight, point })
    }
}

impl Kind for Atoms {
    fn name(&self) -> &'static str {
        "atoms"
    }

    fn dimension(&self) -> usize {
        self.points[0].len()
    }

    fn mean_vector(&self) -> DVector<f64> {
        let zero = DVector::zeros(self.dimension());
        self.locations().fold(zero, |sum, at| sum + DVector::from_column_slice(at.point) * at.weight)
    }

    fn covariance_matrix(&self) -> DMatrix<f64> {
        let mean = self.mean_vector();
        let zero = DMatrix::zeros(mean.len(), mean.len());
        self.locations().fold(zero, |sum, at| {
            let offset = DVector::from_column_slice(at.point) - &mean;
            sum + &offset * offset.transpose() * at.weight
        })
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        out.copy_from_slice(&self.points[self.weights.choose(generator.random())]);
    }

    fn noisy(&self, noise: f64) -> Law {
        let components = self.points.iter().map(|point| Gaussian::ball(point.clone(), noise)).collect();
        Law::Mixture(Mixture::trusted(self.weights.clone(), components))
    }

    fn projection(&self, direction: &[f64]) -> Option<LineLaw> {
        let atoms = self.locations().map(|Location { weight, point }| LineAtom {
            at: point.iter().zip(direction).map(|(x, u)| x * u).sum(),
            weight,
        });
        Some(LineLaw::new(vec![], atoms.collect()))
    }

    fn log_density(&self, _: &[f64]) -> Option<f64> {
        None
    }

    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]) {
        out.fill(0.0);
        let likelihoods = Likelihoods::of_locations(self.locations(), noise, y);
        for (share, point) in likelihoods.shares().zip(&self.points) {
            out.iter_mut().zip(point).for_each(|(o, a)| *o += share * a);
        }
    }
}
