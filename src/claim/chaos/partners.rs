//! Partners of particles in a ball: carried along by quadrature nodes of the law without moving them.
//!
//! # Formula
//! Nodes `x_j` of weights `ω_j` stand for `f0^[R]`; the tokens travel among them with weight zero, so that
//! ```text
//! dX̄_i/dt = Σ_j ω_j w(X̄_i − z_j)(z_j − X̄_i) / Σ_j ω_j w(X̄_i − z_j)
//! ```
//! is their characteristic of the mean field.

use crate::claim::gaussian::setting::Setting;
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift};
use crate::error::{Error, Result};
use crate::flow::{Adaptive, Flow};
use crate::law::{Atoms, Law};
use crate::meanfield::{MeanField, State};
use crate::metric::line;
use crate::numeric::root::bisect;
use crate::scale::{BallRadius, RawTime};

/// Tokens that travel among the nodes at once, at least.
const TOGETHER: usize = 256;
/// Points of equal mass that stand for a law.
const QUANTILES: usize = 2000;
/// Tolerance in time of particles and partners.
pub(super) const TOLERANCE: f64 = 1e-6;

/// The law in a ball at times, and the nodes that it starts from.
pub(super) struct LawInBall {
    setting: Setting,
    nodes: Cloud,
    /// The law at the times asked for.
    pub states: Vec<State>,
    times: Vec<RawTime>,
    /// Where points of equal mass that stand for the law at the start are at each of the times.
    quantiles: Vec<Cloud>,
}

impl LawInBall {
    /// The law of a setting on the line, cut to a ball, at increasing times of which the first is zero.
    pub fn new(setting: Setting, radius: BallRadius, times: &[RawTime]) -> Result<Self> {
        let problem =
            MeanField::new(setting.prior()?, setting.noise()?, setting.beta()?).truncated_to(radius);
        let states = problem.evolve(times, &Dense)?.states;
        let nodes = states[0].fine.cloud().clone();
        let mut law = Self { setting, nodes, states, times: times.to_vec(), quantiles: Vec::new() };
        let start = setting.prior()?.noisy(setting.noise()?).truncated(radius).on_line()?;
        let quantile = |k: usize| {
            let level = (k as f64 + 0.5) / QUANTILES as f64;
            let below = |x: f64| Ok::<bool, Error>(start.split(x).below < level);
            Ok(bisect(-radius.get(), radius.get(), below)?[0])
        };
        let places = (0..QUANTILES).map(quantile).collect::<Result<Vec<f64>>>()?;
        law.quantiles = law.partners(&Cloud::new(places, 1)?)?;
        Ok(law)
    }

    /// How far the points of equal mass are from the law, at one of the times.
    pub fn coarseness(&self, time: usize) -> Result<f64> {
        let points = self.quantiles[time].rows().map(<[f64]>::to_vec).collect();
        let atoms = Law::Atoms(Atoms::new(points, vec![1.0 / QUANTILES as f64; QUANTILES])?);
        let found = self.states[time].w1_to(&atoms.on_line()?)?;
        Ok(found.value + found.numerical)
    }

    /// Where the partners of tokens are at each of the times. Some of them travel together: every point is a source, if only of weight zero.
    pub fn partners(&self, tokens: &Cloud) -> Result<Vec<Cloud>> {
        let count = self.nodes.points().len();
        let mut places = vec![Vec::with_capacity(tokens.len()); self.times.len()];
        for some in tokens.points().chunks(count.max(TOGETHER)) {
            let mut weights: Vec<f64> = (0..count).map(|j| self.nodes.weight(j)).collect();
            weights.resize(count + some.len(), 0.0);
            let both = Cloud::new([self.nodes.points(), some].concat(), 1)?.with_weights(weights)?;
            for (places, cloud) in places.iter_mut().zip(self.followed(&both, &Dense)?) {
                places.extend_from_slice(&cloud.points()[count..]);
            }
        }
        places.into_iter().map(|points| tokens.moved_to(points)).collect()
    }

    /// Where a cloud is at each of the times when it follows its own flow.
    pub fn followed(&self, start: &Cloud, drift: &dyn Drift) -> Result<Vec<Cloud>> {
        let last = self.times.iter().copied().fold(RawTime::new(0.0)?, |a, b| if b > a { b } else { a });
        let flow = Flow::new(self.setting.beta()?, last).with_drift(drift);
        let flow = flow.with_integrator(Adaptive::new(0.0, TOLERANCE)?).with_snapshots(self.times.clone());
        Ok(flow.run(start)?.snapshots.into_iter().map(|snapshot| snapshot.cloud).collect())
    }

    /// `W1` of a cloud and the points of equal mass that stand for the law, at one of the times.
    pub fn distance(&self, cloud: &Cloud, time: usize) -> Result<f64> {
        line::w1(cloud, &self.quantiles[time])
    }
}
