//! [`Evolution`]: the mean field at the requested times, every number with its error bar.
//!
//! # Formula
//! An observable `O` is evaluated on two resolutions. Its error is estimated by
//! ```text
//! |O_fine − O_coarse| + Lip(O) · D
//! ```
//! with `D` the distance of the two computed laws, which is mostly the error of the *coarse* one.

use nalgebra::{DMatrix, DVector};

use super::MeanField;
use super::quadrature::QuadratureCloud;
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::law::BayesOracle;
use crate::scale::{RawTime, ScoreTime};

/// A value and an estimate of its error: not a bound, but measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate<T> {
    /// The value, from the finer of two resolutions.
    pub value: T,
    /// Estimate of its error, in the largest component.
    pub error: f64,
}

/// The mean field along its way.
#[derive(Debug, Clone)]
pub struct Evolution {
    /// The law at the requested times, in their order.
    pub states: Vec<State>,
    /// Nodes of the finer resolution.
    pub nodes: usize,
    /// Spacing of the finer nodes in kernel widths `β^{−1/2}`, stretching included.
    pub resolution: f64,
}

/// The mean field at one time.
#[derive(Debug, Clone)]
pub struct State {
    pub(super) problem: MeanField,
    /// When, in the raw clock.
    pub raw_time: RawTime,
    /// When, in the score clock.
    pub score_time: ScoreTime,
    /// The law at the finer resolution.
    pub fine: QuadratureCloud,
    /// The law at the coarser resolution, to judge the finer one by.
    pub coarse: QuadratureCloud,
    /// Estimated `W1` between the computed and the exact law.
    pub error: f64,
}

/// Stage 2 at one query, beside what Bayes would answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PosteriorMean {
    /// The query.
    pub query: Vec<f64>,
    /// `m_t(y)` against the law at this time.
    pub mean: Estimate<Vec<f64>>,
    /// `m_{P0}(y)`, the Bayes estimate.
    pub bayes: Vec<f64>,
    /// The energy `E_t(y)`.
    pub energy: Estimate<f64>,
}

impl State {
    /// The mean.
    pub fn mean(&self) -> Estimate<DVector<f64>> {
        let (fine, coarse) = (self.fine.cloud().mean(), self.coarse.cloud().mean());
        let error = (&fine - coarse).amax() + self.error;
        Estimate { value: fine, error }
    }

    /// The covariance. Its Lipschitz constant in the law is taken as twice the standard deviation.
    pub fn covariance(&self) -> Estimate<DMatrix<f64>> {
        let (fine, coarse) = (self.fine.cloud().covariance(), self.coarse.cloud().covariance());
        let error = (&fine - coarse).amax() + 2.0 * fine.trace().sqrt() * self.error;
        Estimate { value: fine, error }
    }

    /// `W1(f_t, P0)`, on the line.
    pub fn w1_to_prior(&self) -> Result<Estimate<f64>> {
        let prior = self.problem.law().on_line()?;
        let (fine, coarse) = (self.fine.w1_to(&prior)?, self.coarse.w1_to(&prior)?);
        Ok(Estimate { value: fine, error: (fine - coarse).abs() + self.error })
    }

    /// `W1` to the state of another mean field at the same time, on the line.
    pub fn w1_between(&self, other: &Self) -> Result<Estimate<f64>> {
        let fine = self.fine.w1_between(&other.fine)?;
        let coarse = self.coarse.w1_between(&other.coarse)?;
        Ok(Estimate { value: fine, error: (fine - coarse).abs() + self.error + other.error })
    }

    /// Stage 2 against this law, beside the Bayes estimate.
    pub fn posterior(&self, queries: &Cloud, drift: &dyn Drift) -> Result<Vec<PosteriorMean>> {
        let noise = self.problem.noise();
        let fine = self.fine.posterior(queries, noise, drift)?;
        let coarse = self.coarse.posterior(queries, noise, drift)?;
        let bayes = self.problem.law().posterior_means(queries, noise)?;
        let answers = queries.rows().zip(bayes.rows()).zip(fine.into_iter().zip(coarse));
        let answer = |((query, bayes), (fine, coarse)): ((&[f64], &[f64]), (super::Answer, super::Answer))| {
            let apart = fine.mean.iter().zip(&coarse.mean).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let energy_error = (fine.energy - coarse.energy).abs() + self.error;
            PosteriorMean {
                query: query.to_vec(),
                mean: Estimate { value: fine.mean, error: apart + self.error },
                bayes: bayes.to_vec(),
                energy: Estimate { value: fine.energy, error: energy_error },
            }
        };
        Ok(answers.map(answer).collect())
    }

    /// The density `f_t` at points of the line.
    pub fn density(&self, points: &[f64]) -> Result<Vec<Estimate<f64>>> {
        let (fine, coarse) = (self.fine.density(points)?, self.coarse.density(points)?);
        let pair = fine.into_iter().zip(coarse);
        Ok(pair.map(|(fine, coarse)| Estimate { value: fine, error: (fine - coarse).abs() }).collect())
    }
}
