//! Product laws: independent coordinates, each with a law of its own on the line.
//!
//! # Formula
//! `X = (X_1, …, X_d)` with `X_k ~ P_k` independent. Noise has independent coordinates too, so that every formula is that of the factors:
//! ```text
//! γ_τ * P = ⊗_k (γ_τ * P_k),    E[X_k | y] = E[X_k | y_k],    ln f(x) = Σ_k ln f_k(x_k)
//! ```
//! The law of `⟨u, X⟩` is known where `u` lies along an axis; elsewhere it is a convolution without a closed form.

use nalgebra::{DMatrix, DVector};

use super::generator::Generator;
use super::line::{LineAtom, LineLaw};
use super::{Kind, Law};
use crate::error::{Error, Result};

/// Independent coordinates.
///
/// ```
/// use ebflow::law::{Law, Product};
/// let side = |text| Law::parse(text);
/// let strip = Product::new(vec![side("{ kind = 'uniform', low = 0, high = 1 }")?, side("{ kind = 'laplace', mean = 0, scale = 2 }")?])?;
/// assert_eq!(strip.factors().len(), 2);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    factors: Vec<Law>,
}

impl Product {
    /// From two laws on the line or more.
    pub fn new(factors: Vec<Law>) -> Result<Self> {
        if let Some(law) = factors.iter().find(|law| law.dimension() != 1) {
            let problem = format!(
                "a factor of kind {} has dimension {}; every factor is a law on the line",
                law.kind_name(),
                law.dimension()
            );
            return Err(Error::InvalidLaw { kind: "product", problem });
        }
        if factors.len() < 2 {
            let problem = format!("it has {} factors; at least two are needed", factors.len());
            return Err(Error::InvalidLaw { kind: "product", problem });
        }
        Ok(Self { factors })
    }

    /// The laws of the coordinates.
    pub fn factors(&self) -> &[Law] {
        &self.factors
    }

    fn numbers<'a>(&'a self, of: impl Fn(&Law) -> f64 + 'a) -> impl Iterator<Item = f64> + 'a {
        self.factors.iter().map(of)
    }
}

impl Kind for Product {
    /// That of the factors, if they are of one kind.
    fn name(&self) -> &'static str {
        let name = self.factors[0].kind_name();
        if self.factors.iter().all(|factor| factor.kind_name() == name) { name } else { "product" }
    }

    fn dimension(&self) -> usize {
        self.factors.len()
    }

    fn mean_vector(&self) -> DVector<f64> {
        DVector::from_iterator(self.dimension(), self.numbers(|factor| factor.mean()[0]))
    }

    fn covariance_matrix(&self) -> DMatrix<f64> {
        let variances = self.numbers(|factor| factor.covariance()[(0, 0)]);
        DMatrix::from_diagonal(&DVector::from_iterator(self.dimension(), variances))
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        for (factor, coordinate) in self.factors.iter().zip(out.chunks_exact_mut(1)) {
            factor.kind().draw(generator, coordinate);
        }
    }

    fn noisy(&self, noise: f64) -> Law {
        Law::Product(Self { factors: self.factors.iter().map(|factor| factor.kind().noisy(noise)).collect() })
    }

    fn projection(&self, direction: &[f64]) -> Option<LineLaw> {
        let mut along = direction.iter().zip(&self.factors).filter(|(u, _)| **u != 0.0);
        match (along.next(), along.next()) {
            (None, _) => Some(LineLaw::new(vec![], vec![LineAtom { at: 0.0, weight: 1.0 }])),
            (Some((u, factor)), None) => factor.kind().projection(&[*u]),
            _ => None,
        }
    }

    fn log_density(&self, x: &[f64]) -> Option<f64> {
        let logs = self.factors.iter().zip(x).map(|(factor, x)| factor.kind().log_density(&[*x]));
        logs.sum()
    }

    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]) {
        let coordinates = y.chunks_exact(1).zip(out.chunks_exact_mut(1));
        for (factor, (y, out)) in self.factors.iter().zip(coordinates) {
            factor.kind().posterior_mean(y, noise, out);
        }
    }
}
