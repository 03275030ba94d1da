//! The Bayes estimator that knows the prior: `E[X | Y = y]` for `Y = X + √τ ξ`.
//!
//! # Formula
//! Tweedie: `E[X | y] = y + τ ∇log f0(y)`, `f0 = γ_τ * P0`. The implementations do not subtract: they use closed forms
//! that are accurate relative to the posterior mean itself.

use super::Law;
use crate::cloud::Cloud;
use crate::error::{Error, Result, check_same_space};
use crate::parallel;
use crate::scale::NoiseVariance;

/// Something that knows the exact posterior mean: the yardstick for every denoiser.
pub trait BayesOracle: Sync {
    /// Dimension `d` of the space.
    fn dimension(&self) -> usize;

    /// `E[X | y]` for one query.
    fn posterior_mean(&self, query: &[f64], noise: NoiseVariance) -> Result<Vec<f64>>;

    /// `E[X | y]` for every point of a cloud, whose weights it keeps.
    fn posterior_means(&self, queries: &Cloud, noise: NoiseVariance) -> Result<Cloud> {
        check_same_space("the query cloud", queries.dimension(), "the prior", self.dimension())?;
        let rows: Vec<&[f64]> = queries.rows().collect();
        let means = parallel::try_map(rows.len(), &|row| self.posterior_mean(rows[row], noise))?;
        queries.moved_to(means.concat())
    }
}

impl BayesOracle for Law {
    fn dimension(&self) -> usize {
        self.dimension()
    }

    fn posterior_mean(&self, query: &[f64], noise: NoiseVariance) -> Result<Vec<f64>> {
        self.check_point(query)?;
        let mut mean = vec![0.0; query.len()];
        self.kind().posterior_mean(query, noise.get(), &mut mean);
        match mean.iter().position(|m| !m.is_finite()) {
            Some(column) => Err(Error::NotFinite {
                what: "the posterior mean (of a query too large for floating point)".into(),
                row: 0,
                column,
                value: mean[column],
            }),
            None => Ok(mean),
        }
    }
}
