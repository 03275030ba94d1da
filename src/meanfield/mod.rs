//! The mean field itself, `N = ∞`, without sampling noise: the law flows as weighted quadrature nodes.
//!
//! # Formula
//! Characteristics of the mean-field equation start at labels `x` of law `f0 = γ_τ * P0` and obey
//! ```text
//! ∂_t z_t(x) = E[Z_t e^{−β|z−Z_t|²/2}] / E[e^{−β|z−Z_t|²/2}] − z  at  z = z_t(x),     f_t = law of z_t(X), X ~ f0.
//! ```
//! Expectations are quadrature sums over labels. A noisy law is entire, so the trapezoid rule converges spectrally:
//! spacing `h` leaves `exp(−2π²/(h²β))`. What limits the accuracy then is the flow's own instability, `ε e^{2t/e}`.
//!
//! | file | holds |
//! |---|---|
//! | [`MeanField`] | the problem: prior, noise, `β`, perhaps a ball |
//! | [`Evolution`], [`State`] | the law at requested times, with error bars |
//! | [`QuadratureCloud`] | the law at one time and one resolution |
//! | `line`, `spacing`, `grading` | nodes on the line, dense where the flow will pull them apart |
//! | `plane` | nodes in the plane |
//! | `image`, `stencil`, `gauss` | distribution functions, densities and `W1` from the map of labels to positions |
//! | `stage_two` | posterior means where the nodes are too far apart for a sum |
//! | `source`, `march`, `refine` | two resolutions side by side, refined until they agree |
//! | `product` | laws that factorise into the line and Gaussians, in any dimension; product laws, coordinate by coordinate |
//! | [`DenoisingTime`], [`TruncationGap`] | observables along the way |
//! | [`Eulerian`] | a second, independent discretisation |
//!
//! # Paper
//! `eq:nc-noncompact-continuity-equation`, `prop:sc-deterministic-wellposedness-stability`

mod denoising;
mod eulerian;
mod grading;
mod image;
mod line;
mod march;
mod plane;
mod product;
mod quadrature;
mod refine;
mod source;
mod spacing;
mod stage_two;
mod state;
mod stencil;
mod truncation;

pub use denoising::DenoisingTime;
pub use eulerian::Eulerian;
pub use quadrature::{Answer, QuadratureCloud};
pub use state::{Evolution, PosteriorMean, State};
pub use truncation::{GapMoment, TruncationGap, hard_truncation_bound};

use std::sync::Arc;

use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::law::{BayesOracle, Law};
use crate::scale::{BallRadius, Beta, NoiseVariance, RawTime};
use product::Factorised;

/// A mean-field problem: prior, noise, inverse temperature, and perhaps a ball to which the noisy law is truncated.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::law::Law;
/// use ebflow::meanfield::MeanField;
/// use ebflow::{Beta, NoiseVariance};
/// let (beta, noise) = (Beta::new(10.0)?, NoiseVariance::new(0.2)?);
/// let prior = Law::parse("{ kind = 'uniform', low = -1, high = 1 }")?;
/// let horizon = noise.denoising_horizon().to_raw(beta)?;
/// let evolution = MeanField::new(prior, noise, beta).evolve(&[horizon], &Dense)?;
/// let distance = evolution.states[0].w1_to_prior()?;
/// assert!(distance.value < 0.05 && distance.numerical < 1e-8);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct MeanField {
    law: Law,
    noise: NoiseVariance,
    beta: Beta,
    radius: Option<BallRadius>,
    accuracy: Option<f64>,
    queries: Option<Cloud>,
    factorise: bool,
}

/// The best accuracy that can be insisted on: what rounding leaves before the flow enlarges it.
const BEST_ACCURACY: f64 = 1e-13;

impl MeanField {
    /// The flow that starts from `f0 = γ_τ * P0`.
    pub fn new(law: Law, noise: NoiseVariance, beta: Beta) -> Self {
        Self { law, noise, beta, radius: None, accuracy: None, queries: None, factorise: true }
    }

    /// Starts from `f0` conditioned on the ball of radius `R`.
    pub fn truncated_to(self, radius: BallRadius) -> Self {
        Self { radius: Some(radius), ..self }
    }

    /// Insists on an accuracy in `W1`, relative to the standard deviation of `f0`. Without it, the answer is as accurate as
    /// pays, and its error bar says how accurate that is.
    pub fn with_accuracy(self, accuracy: f64) -> Result<Self> {
        if !(accuracy >= BEST_ACCURACY && accuracy.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "accuracy",
                value: accuracy,
                requirement: "a positive finite number, at least 1e-13: double precision cannot give more",
            });
        }
        Ok(Self { accuracy: Some(accuracy), ..self })
    }

    /// Names observations whose posterior means will be asked for: nodes resolve their kernel too, and the accuracy covers them.
    pub fn asked_at(self, queries: Cloud) -> Result<Self> {
        self.law.posterior_means(&queries, self.noise)?;
        Ok(Self { queries: Some(queries), ..self })
    }

    /// Places nodes in all dimensions even if the law factorises: slower, and a check of the factorisation.
    pub fn without_factorisation(self) -> Self {
        Self { factorise: false, ..self }
    }

    /// The prior `P0`.
    pub fn law(&self) -> &Law {
        &self.law
    }

    /// `τ`, which the horizon and Stage 2 use.
    pub fn noise(&self) -> NoiseVariance {
        self.noise
    }

    /// The inverse temperature `β`.
    pub fn beta(&self) -> Beta {
        self.beta
    }

    /// Follows the law to the given raw times, in any order.
    pub fn evolve(&self, times: &[RawTime], drift: &dyn Drift) -> Result<Evolution> {
        if let (Law::Product(law), None, true) = (&self.law, self.radius, self.factorise) {
            return self.evolve_each(law.factors(), times, drift);
        }
        match self.factorised()? {
            None => refine::evolve(self, times, drift),
            Some(Factorised { line, factor }) => {
                let along =
                    |queries: &Cloud| Cloud::new(queries.rows().map(|y| factor.along(y)).collect(), 1);
                let queries = self.queries.as_ref().map(along).transpose()?;
                let evolution = refine::evolve(&Self { law: line, queries, ..self.clone() }, times, drift)?;
                let factor = Arc::new(factor);
                let states = evolution.states.into_iter().map(|state| state.lifted(self, &factor));
                Ok(Evolution { states: states.collect(), ..evolution })
            }
        }
    }

    /// Every coordinate of a product law for itself: the kernel is a product, too.
    fn evolve_each(&self, factors: &[Law], times: &[RawTime], drift: &dyn Drift) -> Result<Evolution> {
        let coordinate = |(k, law): (usize, &Law)| {
            let own = |queries: &Cloud| Cloud::new(queries.rows().map(|y| y[k]).collect(), 1);
            let queries = self.queries.as_ref().map(own).transpose()?;
            Self { law: law.clone(), queries, ..self.clone() }.evolve(times, drift)
        };
        let mut each = factors.iter().enumerate().map(coordinate).collect::<Result<Vec<_>>>()?.into_iter();
        let first = each.next().ok_or_else(|| Error::Empty { what: "the product law".into() })?;
        let mut whole = Evolution { states: first.states, ..first };
        whole.states = whole.states.into_iter().map(|state| state.of_product(self)).collect();
        for other in each {
            whole.nodes += other.nodes;
            whole.resolution = whole.resolution.max(other.resolution);
            whole.states.iter_mut().zip(other.states).for_each(|(state, coordinate)| state.join(coordinate));
        }
        Ok(whole)
    }

    /// The law at one time with nodes of a given spacing, as a share of what just resolves kernel and law: one line of a
    /// refinement table, without an error bar. A law that factorises is represented by the coordinate along its axis.
    pub fn at_resolution(
        &self,
        resolution: f64,
        time: RawTime,
        drift: &dyn Drift,
    ) -> Result<QuadratureCloud> {
        if !(resolution > 0.0 && resolution.is_finite()) {
            return Err(Error::InvalidParameter {
                name: "resolution",
                value: resolution,
                requirement: "a positive finite number",
            });
        }
        match self.factorised()? {
            None => refine::solve_at(self, resolution, time, drift),
            Some(Factorised { line, .. }) => {
                refine::solve_at(&Self { law: line, ..self.clone() }, resolution, time, drift)
            }
        }
    }

    fn factorised(&self) -> Result<Option<Factorised>> {
        if self.law.dimension() == 1 || self.radius.is_some() || !self.factorise {
            return Ok(None);
        }
        Factorised::of(&self.law, self.noise, self.beta)
    }
}
