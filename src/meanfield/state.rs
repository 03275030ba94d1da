//! [`State`] and [`Evolution`]: the mean field at the requested times, every number with its error bar.
//!
//! # Formula
//! An observable `O` is evaluated on two resolutions of the law, and its error estimated by
//! ```text
//! |O_fine − O_coarse| + L·D
//! ```
//! with `D` the distance of the two laws and `L` the Lipschitz constant of `O` in `W1` where it is known. Both terms
//! are mostly the error of the *coarse* law, so the estimate for the fine one is on the safe side. Posterior means have no such
//! constant, and their difference may vanish at a query by accident: the largest at the query and half a standard deviation of the
//! noise to either side of it counts.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::MeanField;
use super::product::Factor;
use super::quadrature::{Answer, QuadratureCloud};
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result, check_same_space};
use crate::law::{BayesOracle, Law, LineLaw};
use crate::measured::Measured;
use crate::scale::{NoiseVariance, RawTime, ScoreTime};

/// The mass beyond the nodes that a query among them sees lies within so many standard deviations of the noise.
const END_REACH: f64 = 4.0;

/// How much more the mass beyond the nodes may be than its extrapolation.
const MISSED_SAFETY: f64 = 2.0;

/// The mean field along its way.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Evolution {
    /// The law at the requested times, in their order.
    pub states: Vec<State>,
    /// How many points stand for the law at the finer resolution.
    pub nodes: usize,
    /// Spacing of the finer nodes, as a share of what just resolves kernel and law.
    pub resolution: f64,
}

impl Evolution {
    /// The largest error among the states, in `W1`.
    pub fn error(&self) -> f64 {
        self.states.iter().map(|state| state.error).fold(0.0, f64::max)
    }
}

/// The mean field at one time.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct State {
    problem: MeanField,
    factor: Option<Arc<Factor>>,
    /// Of a product law, the other coordinates; nodes here are those of the first.
    others: Vec<State>,
    /// When, in the raw clock.
    pub raw_time: RawTime,
    /// When, in the score clock.
    pub score_time: ScoreTime,
    /// The law at the finer resolution; of the coordinate along its axis, if it factorises, and of the first one of a product law.
    pub fine: QuadratureCloud,
    /// The law at the coarser resolution, to judge the finer one by.
    pub coarse: QuadratureCloud,
    /// Estimated `W1` between the computed and the exact law.
    pub error: f64,
}

/// Stage 2 at one query, beside what Bayes would answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PosteriorMean {
    /// `y`, the noisy observation.
    pub query: Vec<f64>,
    /// `m_t(y)` against the law at this time.
    pub mean: Vec<Measured>,
    /// `m_{P0}(y)`, the Bayes estimate.
    pub bayes: Vec<f64>,
    /// The energy `E_t(y) = −τ ln E e^{−|y−Z_t|²/2τ}`.
    pub energy: Measured,
}

/// Stage 2 with error bars.
struct Judged {
    mean: Vec<f64>,
    /// Of every component of the mean.
    mean_error: f64,
    energy: Measured,
}

impl State {
    pub(super) fn new(
        problem: &MeanField,
        raw_time: RawTime,
        fine: QuadratureCloud,
        coarse: QuadratureCloud,
        error: f64,
    ) -> Result<Self> {
        let score_time = raw_time.to_score(problem.beta)?;
        Ok(Self {
            problem: problem.clone(),
            factor: None,
            others: Vec::new(),
            raw_time,
            score_time,
            fine,
            coarse,
            error,
        })
    }

    /// The state of a law of which this is the factor along the axis.
    pub(super) fn lifted(self, problem: &MeanField, factor: &Arc<Factor>) -> Self {
        Self { problem: problem.clone(), factor: Some(factor.clone()), ..self }
    }

    /// The state of a product law of which this is the first coordinate.
    pub(super) fn of_product(self, problem: &MeanField) -> Self {
        Self { problem: problem.clone(), ..self }
    }

    /// Adds the next coordinate of a product law: distances of laws add up at most.
    pub(super) fn join(&mut self, coordinate: Self) {
        self.error += coordinate.error;
        self.others.push(coordinate);
    }

    /// The first coordinate of a product law by itself, and the others.
    fn coordinates(&self) -> Option<impl Iterator<Item = Self>> {
        let Law::Product(law) = &self.problem.law else { return None };
        if self.others.is_empty() {
            return None;
        }
        let problem = MeanField { law: law.factors()[0].clone(), ..self.problem.clone() };
        let error = self.error - self.others.iter().map(|other| other.error).sum::<f64>();
        let first = Self { problem, others: Vec::new(), error: error.max(0.0), ..self.clone() };
        Some(std::iter::once(first).chain(self.others.iter().cloned()))
    }

    /// `E Z_t`, each coordinate with its bar.
    pub fn mean(&self) -> DVector<Measured> {
        if let Some(coordinates) = self.coordinates() {
            return DVector::from_vec(coordinates.map(|coordinate| coordinate.mean()[0]).collect());
        }
        let (fine, coarse) = (self.fine.cloud().mean(), self.coarse.cloud().mean());
        let error = (&fine - coarse).amax() + self.error;
        let mean = self.factor.as_ref().map_or_else(|| fine.clone(), |factor| factor.lift(fine[0]));
        mean.map(|component| Measured::known_to(component, error))
    }

    /// The covariance. Its Lipschitz constant in the law is taken as twice the standard deviation.
    pub fn covariance(&self) -> DMatrix<Measured> {
        if let Some(coordinates) = self.coordinates() {
            let variances = DVector::from_vec(coordinates.map(|c| c.covariance()[(0, 0)]).collect());
            let independent = Measured { value: 0.0, numerical: 0.0, sampling: 0.0 };
            let d = variances.len();
            return DMatrix::from_fn(d, d, |i, j| if i == j { variances[i] } else { independent });
        }
        let (fine, coarse) = (self.fine.cloud().covariance(), self.coarse.cloud().covariance());
        let error = (&fine - coarse).amax() + 2.0 * fine.trace().sqrt() * self.error;
        let covariance = match &self.factor {
            Some(factor) => factor.covariance(fine[(0, 0)], self.raw_time),
            None => fine,
        };
        covariance.map(|entry| Measured::known_to(entry, error))
    }

    /// `W1(f_t, P0)`, on the line.
    pub fn w1_to_prior(&self) -> Result<Measured> {
        self.check_line("W1 to the prior")?;
        let prior = self.problem.law.on_line()?;
        self.w1_to(&prior)
    }

    /// `W1(f_t, ·)` to any law, on the line.
    pub(crate) fn w1_to(&self, law: &LineLaw) -> Result<Measured> {
        Ok(Measured::of_two(self.fine.w1_to(law)?, self.coarse.w1_to(law)?)
            .widened(self.error + self.fine.w1_rounding()))
    }

    /// `W1` to a state of another mean field on the line.
    pub fn w1_between(&self, other: &Self) -> Result<Measured> {
        self.check_line("W1 between mean fields")?;
        let fine = self.fine.w1_between(&other.fine)?;
        let coarse = self.coarse.w1_between(&other.coarse)?;
        let rounding = self.fine.w1_rounding() + other.fine.w1_rounding();
        Ok(Measured::of_two(fine, coarse).widened(self.error + other.error + rounding))
    }

    /// Stage 2 against this law, beside the Bayes estimate.
    pub fn posterior(&self, queries: &Cloud, drift: &dyn Drift) -> Result<Vec<PosteriorMean>> {
        if let Some(coordinates) = self.coordinates() {
            return self.posterior_of_each(coordinates, queries, drift);
        }
        let bayes = self.problem.law.posterior_means(queries, self.problem.noise)?;
        let along = self.along(queries)?;
        let around = around(&along, self.problem.noise)?;
        let fine = self.fine.posterior(&around, self.problem.noise, drift)?;
        let coarse = self.coarse.posterior(&around, self.problem.noise, drift)?;
        let rows = queries.rows().zip(along.rows()).zip(bayes.rows());
        let looks = around.len() / queries.len();
        let pairs = fine.chunks_exact(looks).zip(coarse.chunks_exact(looks));
        let answers = rows.zip(pairs).map(|(((query, along), bayes), (fine, coarse))| {
            let judged = self.judged(along, fine, coarse);
            let Judged { mean, mean_error, energy } = match &self.factor {
                Some(factor) => self.across(factor, query, judged),
                None => judged,
            };
            let mean = mean.into_iter().map(|component| Measured::known_to(component, mean_error)).collect();
            PosteriorMean { query: query.to_vec(), mean, bayes: bayes.to_vec(), energy }
        });
        Ok(answers.collect())
    }

    /// Stage 2 coordinate by coordinate: means stand side by side, energies add up.
    fn posterior_of_each(
        &self,
        coordinates: impl Iterator<Item = Self>,
        queries: &Cloud,
        drift: &dyn Drift,
    ) -> Result<Vec<PosteriorMean>> {
        self.check_space(queries)?;
        let nothing = Measured { value: 0.0, numerical: 0.0, sampling: 0.0 };
        let bare = |query: &[f64]| PosteriorMean {
            query: query.into(),
            mean: vec![],
            bayes: vec![],
            energy: nothing,
        };
        let mut answers: Vec<PosteriorMean> = queries.rows().map(bare).collect();
        for (k, coordinate) in coordinates.enumerate() {
            let along = Cloud::new(queries.rows().map(|query| query[k]).collect(), 1)?;
            for (answer, own) in answers.iter_mut().zip(coordinate.posterior(&along, drift)?) {
                answer.mean.extend(own.mean);
                answer.bayes.extend(own.bayes);
                answer.energy = answer.energy + own.energy;
            }
        }
        Ok(answers)
    }

    /// The widest bar of the posterior means that the problem asks for.
    pub(super) fn query_error(&self, drift: &dyn Drift) -> Result<f64> {
        let Some(queries) = &self.problem.queries else { return Ok(0.0) };
        let answers = self.posterior(queries, drift)?;
        Ok(answers.iter().flat_map(|answer| &answer.mean).map(|m| m.numerical).fold(0.0, f64::max))
    }

    /// The answer of the fine law, with what the coarse one and the mass beyond all nodes say about its error. The first of the answers is
    /// that at the query, the others are those around it.
    fn judged(&self, query: &[f64], fines: &[Answer], coarses: &[Answer]) -> Judged {
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let largest = |of: &dyn Fn(&Answer, &Answer) -> f64| {
            fines.iter().zip(coarses).map(|(fine, coarse)| of(fine, coarse)).fold(0.0, f64::max)
        };
        let fine = &fines[0];
        // Both resolutions miss the mass beyond all nodes, which draws the mean towards the query, or towards the nearest end a few kernel widths
        // away from it, and the energy towards zero.
        let missed = MISSED_SAFETY * self.fine.missed_share(query, fine, self.problem.noise);
        let means = largest(&|fine, coarse| apart(&fine.mean, &coarse.mean));
        let energies = largest(&|fine, coarse| (fine.energy - coarse.energy).abs());
        let drawn = apart(&fine.mean, query) + END_REACH * self.problem.noise.get().sqrt();
        let mean_error = means + missed * drawn + self.error;
        let energy_error = energies + missed * fine.energy + self.error;
        Judged { mean: fine.mean.clone(), mean_error, energy: Measured::known_to(fine.energy, energy_error) }
    }

    /// Adds the Gaussian directions to a posterior mean and an energy along the axis.
    fn across(&self, factor: &Factor, query: &[f64], along: Judged) -> Judged {
        let (time, noise) = (self.raw_time, self.problem.noise);
        Judged {
            mean: factor.posterior_mean(query, along.mean[0], time, noise),
            mean_error: along.mean_error,
            energy: along.energy + factor.energy(query, time, noise),
        }
    }

    /// The density `f_t` at points, where the map from labels to positions is known: on the line and for laws that factorise.
    pub fn density(&self, points: &Cloud) -> Result<Vec<Measured>> {
        if let Some(coordinates) = self.coordinates() {
            self.check_space(points)?;
            let mut product = vec![Measured { value: 1.0, numerical: 0.0, sampling: 0.0 }; points.len()];
            for (k, coordinate) in coordinates.enumerate() {
                let own =
                    coordinate.density(&Cloud::new(points.rows().map(|point| point[k]).collect(), 1)?)?;
                product.iter_mut().zip(own).for_each(|(product, own)| *product = *product * own);
            }
            return Ok(product);
        }
        let along = self.along(points)?;
        let (fine, coarse) = (self.fine.density(along.points())?, self.coarse.density(along.points())?);
        let estimates = fine.iter().zip(coarse).zip(points.rows());
        let estimate = |((&fine, coarse), point): ((&f64, f64), &[f64])| {
            let across = self.factor.as_ref().map_or(1.0, |factor| factor.density(point, self.raw_time));
            across * Measured::of_two(fine, coarse)
        };
        Ok(estimates.map(estimate).collect())
    }

    /// Points as the nodes see them: their coordinate along the axis, if the law factorises.
    fn along(&self, points: &Cloud) -> Result<Cloud> {
        self.check_space(points)?;
        match &self.factor {
            Some(factor) => Cloud::new(points.rows().map(|point| factor.along(point)).collect(), 1),
            None => Ok(points.clone()),
        }
    }

    fn check_space(&self, points: &Cloud) -> Result<()> {
        let expected = self.problem.law.dimension();
        check_same_space("the set of points asked about", points.dimension(), "the law", expected)
    }

    fn check_line(&self, capability: &'static str) -> Result<()> {
        if self.problem.law.dimension() == 1 {
            return Ok(());
        }
        Err(Error::Unsupported {
            kind: self.problem.law.kind_name(),
            capability,
            remedy: "it is exact on the line only; in more dimensions compare clouds by optimal transport",
        })
    }
}

/// Every query, followed by its neighbours at half a standard deviation of the noise along each axis.
fn around(queries: &Cloud, noise: NoiseVariance) -> Result<Cloud> {
    let (d, width) = (queries.dimension(), 0.5 * noise.get().sqrt());
    let moved = |query: &[f64], k: usize| -> Vec<f64> {
        let shift = if k.is_multiple_of(2) { width } else { -width };
        query
            .iter()
            .enumerate()
            .map(|(c, y)| if k > 0 && c == (k - 1) / 2 { y + shift } else { *y })
            .collect()
    };
    Cloud::new(queries.rows().flat_map(|query| (0..=2 * d).flat_map(move |k| moved(query, k))).collect(), d)
}
