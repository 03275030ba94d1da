//! `L` layers are `C/L` from the flow: first order, with a constant that can be predicted.
//!
//! # Formula
//! Layers are Euler's rule. [`euler`] predicts what it does to leading order, with its sign:
//! `σ_L − σ(T) = C/L + O(L^{−2})` for the standard deviation of a Gaussian law, and `z_L − z(T) = (T/L)w + O(L^{−2})`
//! for particles. Three things are compared with it:
//! - the closed recursion of a Gaussian law;
//! - the network itself, on nodes of the same law, which are its mean field to many digits;
//! - the network on samples, for which `L Σ ω (z_L − z(T))·ŵ → T‖w‖`, where `‖w‖² = Σ ω|w|²` and `ŵ = w/‖w‖`.
//!
//! Signs matter: the implicit rule has the same constant with the other sign.
//!
//! # Error bars
//! Limits are extrapolated as [`gaps`](super::gaps) says. The flow of a sample is an adaptive run with its a-posteriori
//! bound. Nodes are placed at two resolutions, whose difference is the error of either; what rounding does to a network
//! on nodes is no more than the bound of an adaptive run on them. The library's bound of a network adds to its distance
//! from an adaptive run what the run may miss, so it can hardly be violated: it is there to say how sharp it is.
//!
//! # Paper
//! `alg:two_stage_multilayer_attn`, `alg:full-sample-sequential-posterior`, `upd:discr`

use nalgebra::{DMatrix, DVector};

use super::euler::{self, COARSE, COARSE_STEPS, FINE, FINE_STEPS};
use super::gaps::{Gap, constant, fitted, order};
use super::path::{follow, inner};
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::flow::{Adaptive, Flow, Integrator, Layers, Trajectory};
use crate::law::Law;
use crate::measured::Measured;
use crate::metric::coupled;
use crate::preset::Preset;
use crate::scale::{Beta, NoiseVariance, RawTime};

const SEED: u64 = 20_255;
/// Depths of networks.
const DEPTHS: [usize; 6] = [25, 50, 100, 200, 400, 800];
/// Tolerance of the run that stands for the flow.
const TOLERANCE: f64 = 1e-11;
/// What a bound adds to the distance comes from sums in single precision; this is the allowance for their rounding that
/// [`bound`](crate::flow::bound) makes.
const SINGLE: f64 = 1e-3;

static CARD: Card = Card {
    id: "layers-to-flow",
    label: "alg:two_stage_multilayer_attn",
    statement: "The distance of L layers to the flow is C/L to leading order, with the constant and the sign of Euler's rule: in closed form for Gaussian laws, \
                by the linearised flow for samples.",
    gist: "L layers are the flow up to C/L, with the constant of Euler's rule.",
    ours: "the paper says that layers are an Euler discretisation; order, constant and sign are ours",
    regime: "25 to at least 400 layers over the denoising horizon βτ/2; Gaussian laws in the mean field, samples of at least 150 points in d = 1 and 2; βτ ≤ 10",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 2, mixture, βτ = 4: order in 1/L",
        says: "order in 1/L, mixture in d = 2",
    },
    plot: Some(Axes { x: "layers L", y: "mean distance to the flow", log_x: true, log_y: true }),
};

/// Algorithms 1 and 2, for a drift, a network and the closed forms of both.
pub struct LayersToFlow {
    /// The kernel sum of the layers and of the flow.
    pub drift: &'static dyn Drift,
    /// Makes an integrator of so many layers.
    pub network: fn(usize) -> Result<Box<dyn Integrator>>,
    /// The variance of a Gaussian law after so many layers of a step.
    pub recursion: fn(&CovarianceFlow, f64, usize) -> f64,
    /// The variance along the flow.
    pub closed_form: fn(&CovarianceFlow, RawTime) -> f64,
}

impl Default for LayersToFlow {
    fn default() -> Self {
        Self {
            drift: &Dense,
            network: |depth| Ok(Box::new(Layers::new(depth)?)),
            recursion: |flow, step, count| flow.eigenvalues_after_layers(step, count)[0],
            closed_form: |flow, time| flow.eigenvalues_at(time)[0],
        }
    }
}

/// A Gaussian law on the line.
struct Gauss {
    prior_var: f64,
    noise: f64,
    beta: f64,
}

const GAUSSIANS: [Gauss; 3] = [
    Gauss { prior_var: 1.0, noise: 0.25, beta: 20.0 },
    Gauss { prior_var: 0.05, noise: 0.5, beta: 20.0 },
    Gauss { prior_var: 0.0, noise: 1.0, beta: 4.0 },
];

/// A sampled law.
struct Sampled {
    name: &'static str,
    law: &'static str,
    noise: f64,
    beta: f64,
}

const SAMPLES: [Sampled; 3] = [
    Sampled {
        name: "d = 1, gaussian, βτ = 4",
        law: "{ kind = 'gaussian', mean = 0, std = 1 }",
        noise: 0.5,
        beta: 8.0,
    },
    Sampled {
        name: "d = 1, mixture, βτ = 5",
        law: "{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.2 }",
        noise: 0.25,
        beta: 20.0,
    },
    Sampled {
        name: "d = 2, mixture, βτ = 4",
        law: "{ kind = 'mixture', weights = [0.3, 0.7], means = [[-1, 0], [1, 0.5]], std = 0.3 }",
        noise: 0.5,
        beta: 8.0,
    },
];

impl Claim for LayersToFlow {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let (depths, count) = match preset {
            Preset::Quick => (&DEPTHS[..5], 150),
            Preset::Full => (&DEPTHS[..], 1000),
        };
        let mut rows = Vec::new();
        for gauss in &GAUSSIANS {
            rows.extend(self.mean_field(gauss, depths)?);
        }
        for case in &SAMPLES {
            rows.extend(self.particles(case, depths, count)?);
        }
        Ok(rows)
    }
}

impl Gauss {
    fn name(&self) -> String {
        format!("Gaussian law, prior variance {}, τ = {}, β = {}", self.prior_var, self.noise, self.beta)
    }
}

/// How far roundings of a network reach: every layer and the closed form round a few times, relatively.
fn roundings(depth: usize, size: f64) -> f64 {
    4.0 * (depth as f64 + 8.0) * f64::EPSILON * size
}

impl LayersToFlow {
    /// Order and constant for a Gaussian law: of the recursion, and of the network on nodes.
    fn mean_field(&self, gauss: &Gauss, depths: &[usize]) -> Result<Vec<Row>> {
        let (noise, beta) = (NoiseVariance::new(gauss.noise)?, Beta::new(gauss.beta)?);
        let prior = DMatrix::from_element(1, 1, gauss.prior_var);
        let flow = CovarianceFlow::of_prior(DVector::zeros(1), prior, noise, beta)?;
        let horizon = noise.denoising_horizon().to_raw(beta)?;
        let end = (self.closed_form)(&flow, horizon).sqrt();
        let gap = |&depth: &usize| {
            let reached = (self.recursion)(&flow, horizon.get() / depth as f64, depth).sqrt();
            Gap { depth, error: Measured::known_to(reached - end, roundings(depth, reached.max(end))) }
        };
        let recursion: Vec<Gap> = depths.iter().map(gap).collect();
        let network = self.on_nodes(gauss, horizon, end, depths)?;
        let start = (gauss.prior_var + gauss.noise).sqrt();
        let predicted = Measured::exact(euler::gaussian_constant(gauss.beta, horizon.get(), start, end));
        let (case, one) = (gauss.name(), Measured::exact(1.0));
        Ok(vec![
            Row::equal(
                &case,
                "L·(distance to the flow) of the closed recursion, L → ∞",
                constant(&recursion),
                predicted,
            ),
            Row::equal(
                &case,
                "L·(distance to the flow) of the network, L → ∞",
                constant(&network),
                predicted,
            ),
            Row::equal(&case, "order of the network in 1/L", order(&network), one),
            Row::equal(&case, "order in 1/L, fitted", fitted(&network)?, one).as_role(Role::Context),
        ])
    }

    /// Errors of the network in the standard deviation of nodes that stand for a Gaussian law.
    fn on_nodes(&self, gauss: &Gauss, horizon: RawTime, end: f64, depths: &[usize]) -> Result<Vec<Gap>> {
        let (beta, variance) = (Beta::new(gauss.beta)?, gauss.prior_var + gauss.noise);
        let [fine, coarse] = [FINE.nodes(variance, gauss.beta)?, COARSE.nodes(variance, gauss.beta)?];
        let flow = Flow::new(beta, horizon).with_error_bound();
        let known = known_to(
            &flow.with_drift(self.drift).with_integrator(Adaptive::new(0.0, TOLERANCE)?).run(&fine)?,
        );
        let gap = |&depth: &usize| {
            let network = (self.network)(depth)?;
            let reached = |cloud: &Cloud| -> Result<f64> {
                let legs = follow(cloud, self.drift, beta, &[horizon.get()], network.as_ref())?;
                Ok(legs[0].cloud.covariance()[(0, 0)].sqrt())
            };
            let (sigma, other) = (reached(&fine)?, reached(&coarse)?);
            let bar = (sigma - other).abs() + known + roundings(depth, sigma.max(end));
            Ok(Gap { depth, error: Measured::known_to(sigma - end, bar) })
        };
        depths.iter().map(gap).collect()
    }

    /// Constant, order and bounds for particles.
    fn particles(&self, case: &Sampled, depths: &[usize], count: usize) -> Result<Vec<Row>> {
        let (noise, beta) = (NoiseVariance::new(case.noise)?, Beta::new(case.beta)?);
        let cloud = Law::parse(case.law)?.sample_noisy(count, noise, SEED)?.noisy;
        let flow = Flow::new(beta, noise.denoising_horizon()).with_error_bound();
        let reference = flow
            .clone()
            .with_drift(self.drift)
            .with_integrator(Adaptive::new(0.0, TOLERANCE)?)
            .run(&cloud)?;
        // The layers round as the reference does, over the same time.
        let known = 2.0 * known_to(&reference);
        let time = noise.denoising_horizon().to_raw(beta)?.get();
        let leading = Leading::of(&cloud, beta, time)?;
        let (mut rows, mut distances, mut projections) = (Vec::new(), Vec::new(), Vec::new());
        for &depth in depths {
            let run = flow
                .clone()
                .with_drift(self.drift)
                .with_integrator((self.network)(depth)?.as_ref())
                .run(&cloud)?;
            let bound = run.error.bound.map_or(f64::INFINITY, |bound| bound.w1);
            let distance = Measured::known_to(coupled(&run.end, &reference.end)?.mean, known);
            let error: Vec<f64> =
                run.end.points().iter().zip(reference.end.points()).map(|(a, b)| a - b).collect();
            let along = inner(&cloud, &error, &leading.direction);
            projections.push(Gap { depth, error: Measured::known_to(along, known) });
            distances.push(Gap { depth, error: distance });
            let quantity = format!("distance of {depth} layers to the flow, against its bound");
            let predicted = Measured::known_to(bound, known + SINGLE * (bound - distance.value).abs());
            let row = Row::at_most(case.name, &quantity, distance, predicted).at(case.name, depth as f64);
            rows.push(row.as_role(Role::Context));
        }
        let one = Measured::exact(1.0);
        rows.push(Row::equal(
            case.name,
            "L·(distance to the flow) along its leading term, L → ∞",
            constant(&projections),
            leading.constant,
        ));
        rows.push(Row::equal(case.name, "order in 1/L", order(&distances), one));
        rows.push(
            Row::equal(case.name, "order in 1/L, fitted", fitted(&distances)?, one).as_role(Role::Context),
        );
        Ok(rows)
    }
}

/// What Euler's rule does to a cloud.
struct Leading {
    /// `ŵ`
    direction: Vec<f64>,
    /// `T‖w‖`
    constant: Measured,
}

impl Leading {
    fn of(cloud: &Cloud, beta: Beta, time: f64) -> Result<Self> {
        let w = euler::leading_error(cloud, beta, time, FINE_STEPS)?;
        let coarse = euler::leading_error(cloud, beta, time, COARSE_STEPS)?;
        let apart: Vec<f64> = w.iter().zip(&coarse).map(|(a, b)| a - b).collect();
        let norm = |x: &[f64]| inner(cloud, x, x).sqrt();
        let size = norm(&w);
        let constant = Measured::known_to(time * size, time * norm(&apart));
        Ok(Self { direction: w.iter().map(|w| w / size).collect(), constant })
    }
}

/// How far from the flow a run is at most, in the mean square: neither a mean distance nor a standard deviation is farther off.
fn known_to(run: &Trajectory) -> f64 {
    let bounds = run.error.bound.as_ref().map(|bound| &bound.per_particle);
    let square = |bounds: &Vec<f64>| bounds.iter().enumerate().map(|(i, e)| run.end.weight(i) * e * e).sum();
    bounds.map_or(f64::INFINITY, |bounds| f64::sqrt(square(bounds)))
}
