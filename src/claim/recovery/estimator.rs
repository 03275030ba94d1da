//! [`Estimator`]: both stages at a setting, for particles and for their laws, and the certified distance of what they infer.
//!
//! # Formula
//! ```text
//! sup_{|y| ≤ M} |m_μ(y) − m_ν(y)|,    M = 2
//! ```
//! by branch and bound ([`posterior_sup`]), so that no maximum is missed between queries.

use nalgebra::DMatrix;

use crate::claim::gaussian::setting::Setting;
use crate::claim::gaussian::{ClosedForm, TerminalTime};
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::flow::{Adaptive, Flow};
use crate::law::{Gaussian, Law};
use crate::meanfield::{MeanField, State};
use crate::measured::{Bracket, Measured};
use crate::metric::{Prior, SupSearch, posterior_sup};
use crate::numeric::largest;
use crate::scale::{BallRadius, NoiseVariance, RawTime};

/// `M`: queries with `|y| ≤ M` are looked at.
pub(super) const REACH: f64 = 2.0;
/// Bounds of a supremum may be this far apart, as a share of it: where seeds scatter, and where nothing does.
pub(super) const ROUGH: f64 = 0.05;
pub(super) const FINE: f64 = 1e-3;
/// Suprema below this are none.
const NOTHING: f64 = 1e-13;
const MAX_CUBES: usize = 40_000;
/// Queries along every axis at which a mean field says how well it knows its posterior means.
const QUERIES: usize = 9;

/// Both stages: kernel sums, when Stage 1 ends, and what a Gaussian law has become by then.
pub(super) struct Estimator<'a> {
    pub drift: &'a dyn Drift,
    pub terminal_time: TerminalTime,
    pub closed_form: ClosedForm,
}

impl Estimator<'_> {
    fn time(&self, setting: &Setting) -> Result<RawTime> {
        (self.terminal_time)(setting.noise()?, setting.beta()?)
    }

    /// Particles at the end of Stage 1.
    pub fn refined(&self, start: &Cloud, setting: &Setting, tolerance: f64) -> Result<Cloud> {
        let flow = Flow::new(setting.beta()?, self.time(setting)?).with_drift(self.drift);
        Ok(flow.with_integrator(Adaptive::new(0.0, tolerance)?).run(start)?.end)
    }

    /// The mean field at the end of Stage 1, from the law in a ball.
    pub fn in_ball(&self, setting: &Setting, radius: f64, accuracy: f64) -> Result<State> {
        let problem = MeanField::new(setting.prior()?, setting.noise()?, setting.beta()?);
        let problem = problem.truncated_to(BallRadius::new(radius)?).with_accuracy(accuracy)?;
        self.ended(&problem, setting)
    }

    /// The same from the whole law, as nodes that know nothing of Gaussians.
    pub fn whole(&self, setting: &Setting) -> Result<State> {
        let problem = MeanField::new(setting.prior()?, setting.noise()?, setting.beta()?);
        self.ended(&problem.without_factorisation(), setting)
    }

    fn ended(&self, problem: &MeanField, setting: &Setting) -> Result<State> {
        let mut states = problem.evolve(&[self.time(setting)?], self.drift)?.states;
        Ok(states.swap_remove(0))
    }

    /// The Gaussian law that the whole one has become, in closed form.
    pub fn gaussian(&self, setting: &Setting) -> Result<Law> {
        let flow = setting.flow()?;
        let variances = (self.closed_form)(&flow, self.time(setting)?);
        let axes = flow.eigenvectors();
        let covariance: DMatrix<f64> = axes * DMatrix::from_diagonal(&variances) * axes.transpose();
        let covariance = 0.5 * (&covariance + covariance.transpose());
        Ok(Law::Gaussian(Gaussian::new(flow.mean().as_slice().to_vec(), covariance)?))
    }
}

/// The largest difference of two posterior means.
pub(super) fn largest_difference(
    a: Prior<'_>,
    b: Prior<'_>,
    noise: NoiseVariance,
    relative_gap: f64,
) -> Result<Measured> {
    let radius = BallRadius::new(REACH)?;
    let search = SupSearch { radius, relative_gap, absolute_gap: NOTHING, max_cubes: MAX_CUBES };
    let found = posterior_sup(a, b, noise, &search)?;
    Ok(Bracket { lower: found.lower, upper: found.upper }.measured())
}

/// The widest bar of a mean field's posterior means, at queries on a grid.
pub(super) fn resolution(state: &State, drift: &dyn Drift) -> Result<f64> {
    let answers = state.posterior(&queries(state.fine.cloud().dimension())?, drift)?;
    Ok(largest(answers.iter().flat_map(|answer| &answer.mean).map(|mean| mean.numerical)))
}

/// Queries on a grid within the ball of radius `M`.
pub(super) fn queries(dimension: usize) -> Result<Cloud> {
    let half = REACH / (dimension as f64).sqrt();
    let place = |k: usize| half * (2.0 * k as f64 / (QUERIES - 1) as f64 - 1.0);
    let point = |i: usize| (0..dimension).map(move |axis| place(i / QUERIES.pow(axis as u32) % QUERIES));
    Cloud::new((0..QUERIES.pow(dimension as u32)).flat_map(point).collect(), dimension)
}
