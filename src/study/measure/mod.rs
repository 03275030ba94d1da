//! Running a cell: tokens, flow, and every quantity that the study asks for.

mod hitting;
mod methods;

use std::cell::OnceCell;

use super::cell::Cell;
use super::quantity::Quantity;
use super::row::{CloudPath, Measurement, Values};
use super::spec::{Spec, Tolerances};
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::exact::{CovarianceFlow, Hitting, VarianceDescent};
use crate::flow::{Flow, Integrator, Schedule, Snapshot, Trajectory};
use crate::law::{Atoms, BayesOracle, Gaussian, Law, LineLaw, NoisySample};
use crate::meanfield::MeanField;
use crate::measured::{Bracket, Measured};
use crate::metric::{
    Confidence, Distance, Method, Prior, Sampling, SupSearch, between_gaussians, coupled,
    coupled_to_gaussian, distance, distance_to_law, line_floor, posterior_sup, simulated_floor,
};
use crate::posterior::{ParticlePrior, mean_squared_error, one_shot};
use crate::scale::{BallRadius, Beta, NoiseVariance, ScoreTime};

/// Fresh points per particle and replicates of a bracket in two dimensions or more; the seed's bits are flipped, so that
/// the fresh points have a stream of their own.
const FRESH_PER_POINT: usize = 4;
const REPLICATES: usize = 4;
const FRESH_STREAM: u64 = u64::MAX;
/// With which a bracket holds.
const CONFIDENCE: f64 = 0.95;
/// Tolerance of the flow that stands for the exact one: three orders below what a study would ask for.
const EXACT: Tolerances = Tolerances { rtol: 1e-11, atol: 1e-11 };
/// When the search for the posterior supremum ends.
const SUP_GAP: f64 = 0.02;
const SUP_CUBES: usize = 20_000;
/// Digits kept of the particles that a report shows.
const CLOUD_DIGITS: usize = 5;

/// Measures everything that a study asks of a cell. The result does not depend on the number of threads, to the bit.
pub fn measure(spec: &Spec, cell: &Cell) -> Result<Values> {
    let (drift, integrator) = (methods::drift(&spec.method), methods::integrator(spec, cell)?);
    let bench = Bench::new(spec, cell, drift?.as_ref(), integrator.as_ref())?.measured()?;
    Ok(bench)
}

/// A cell with its tokens and the way they went.
struct Bench<'a> {
    spec: &'a Spec,
    cell: &'a Cell,
    noise: NoiseVariance,
    beta: Beta,
    drift: &'a dyn Drift,
    integrator: &'a dyn Integrator,
    sample: NoisySample,
    trajectory: Trajectory,
    bayes: OnceCell<Cloud>,
}

impl<'a> Bench<'a> {
    fn new(
        spec: &'a Spec,
        cell: &'a Cell,
        drift: &'a dyn Drift,
        integrator: &'a dyn Integrator,
    ) -> Result<Self> {
        let (noise, beta) = (NoiseVariance::new(cell.setting.noise_var)?, Beta::new(cell.setting.beta)?);
        let sample = spec.prior.sample_noisy(cell.setting.n, noise, cell.seed)?;
        let flow = Flow::new(Schedule::constant(beta), noise.denoising_horizon())?;
        let watched = cell.cloud || spec.quantities.iter().any(|quantity| quantity.is_path());
        let depths = if watched { spec.measure.depths } else { 0 };
        let time =
            |k: usize| ScoreTime::new(noise.denoising_horizon().get() * k as f64 / (depths - 1) as f64);
        let mut flow = flow.with_snapshots((0..depths).map(time).collect::<Result<Vec<_>>>()?)?;
        if spec.quantities.contains(&Quantity::ErrorBound) {
            flow = flow.with_error_bound();
        }
        let trajectory = flow.run(&start(cell, &sample.noisy)?, drift, integrator)?;
        Ok(Self { spec, cell, noise, beta, drift, integrator, sample, trajectory, bayes: OnceCell::new() })
    }

    fn measured(&self) -> Result<Values> {
        let measure = |quantity: &Quantity| Ok((*quantity, finite(self.quantity(*quantity)?)));
        Ok(Values {
            quantities: self.spec.quantities.iter().map(measure).collect::<Result<_>>()?,
            evaluations: self.trajectory.statistics.evaluations,
            cloud: self.spec.measure.cloud_points.filter(|_| self.cell.cloud).map(|most| self.cloud(most)),
        })
    }

    fn quantity(&self, quantity: Quantity) -> Result<Measurement> {
        use Measurement::Number;
        let (end, tokens, prior) = (&self.trajectory.end, &self.sample.noisy, &self.spec.prior);
        Ok(match quantity {
            Quantity::W1Prior => bounded(distance_to_law(end, prior, &self.sampling()?)?),
            Quantity::W1Tokens => bounded(distance_to_law(tokens, prior, &self.sampling()?)?),
            Quantity::W1Floor => self.floor()?,
            Quantity::W1Untruncated => {
                bounded(distance(end, &self.whole_flow(self.integrator, tokens)?.end)?)
            }
            Quantity::W1ExactPrior => self.exact_bias()?,
            Quantity::W1MeanField => self.mean_field_distance(&particles_on_line(end)?)?,
            Quantity::W1MeanFieldPrior => self.mean_field_distance(&prior.on_line()?)?,
            Quantity::ErrorBound => self.error_bound(),
            Quantity::Coupled => {
                let flow = self.gaussian_flow()?;
                Number(coupled_to_gaussian(tokens, end, &flow, self.trajectory.raw_time)?.mean)
            }
            Quantity::PosteriorSup => self.posterior_sup()?,
            Quantity::IntegrationError => {
                let exact = methods::adaptive(EXACT)?;
                let start = start(self.cell, tokens)?;
                Number(coupled(end, &self.whole_flow(exact.as_ref(), &start)?.end)?.mean)
            }
            Quantity::MseTokens => Number(self.error_of(tokens.points())),
            Quantity::MseOneShot => Number(self.error_of(&one_shot(tokens, self.noise, self.drift)?)),
            Quantity::MseStageOne => Number(self.error_of(end.points())),
            Quantity::MseTwoStage => Number(self.error_of(&self.two_stage()?)),
            Quantity::MseBayes => Number(self.error_of(self.bayes()?.points())),
            Quantity::GapOneShot => Number(self.gap_of(&one_shot(tokens, self.noise, self.drift)?)?),
            Quantity::GapStageOne => Number(self.gap_of(end.points())?),
            Quantity::GapTwoStage => Number(self.gap_of(&self.two_stage()?)?),
            Quantity::HittingTime => hitting::measured(self)?,
            Quantity::HittingTimeExact => self.exact_hitting()?,
            Quantity::Kept => Number(end.len() as f64 / tokens.len() as f64),
            Quantity::VariancePath => self.variance_path()?,
        })
    }

    fn sampling(&self) -> Result<Sampling> {
        Ok(Sampling {
            fresh_per_point: FRESH_PER_POINT,
            replicates: REPLICATES,
            confidence: Confidence::new(CONFIDENCE)?,
            seed: self.cell.seed ^ FRESH_STREAM,
        })
    }

    fn floor(&self) -> Result<Measurement> {
        let (prior, n) = (&self.spec.prior, self.cell.setting.n);
        if prior.dimension() == 1 {
            return line_floor(&prior.on_line()?, n).map(Measurement::Number);
        }
        let floor = simulated_floor(prior, n, &self.sampling()?)?;
        let (lower, upper) = (floor.lower.estimate, floor.upper.estimate);
        Ok(Measurement::Bracket { value: floor.estimate.estimate, lower, upper })
    }

    /// The flow of other particles, or under another integrator.
    fn whole_flow(&self, integrator: &dyn Integrator, start: &Cloud) -> Result<Trajectory> {
        let flow = Flow::new(Schedule::constant(self.beta), self.noise.denoising_horizon())?;
        flow.run(start, self.drift, integrator)
    }

    fn gaussian_flow(&self) -> Result<CovarianceFlow> {
        let prior = &self.spec.prior;
        CovarianceFlow::of_prior(prior.mean(), prior.covariance(), self.noise, self.beta)
    }

    fn exact_bias(&self) -> Result<Measurement> {
        let prior = &self.spec.prior;
        let end = self.gaussian_flow()?.covariance_at(self.trajectory.raw_time);
        let mean = || prior.mean().as_slice().to_vec();
        let at_rest = Gaussian::new(mean(), end)?;
        let distance = between_gaussians(&at_rest, &Gaussian::new(mean(), prior.covariance())?)?;
        let Bracket { lower, upper } = distance.w1;
        Ok(Measurement::Bracket { value: distance.w1.middle(), lower, upper })
    }

    /// W1 between the mean-field law and another one, with the error that two resolutions of it show.
    fn mean_field_distance(&self, other: &LineLaw) -> Result<Measurement> {
        let mut problem = MeanField::new(self.spec.prior.clone(), self.noise, self.beta);
        if let Some(radius) = self.cell.setting.radius {
            problem = problem.truncated_to(BallRadius::new(radius)?);
        }
        let evolution = problem.evolve(&[self.trajectory.raw_time], self.drift)?;
        let Some(state) = evolution.states.first() else {
            return Ok(Measurement::Missing { missing: "the mean field gave no state".into() });
        };
        let Measured { value, numerical, .. } = state.w1_to(other)?;
        Ok(Measurement::Bracket { value, lower: (value - numerical).max(0.0), upper: value + numerical })
    }

    fn error_bound(&self) -> Measurement {
        let error = &self.trajectory.error;
        match (&error.bound, &error.refusal) {
            (Some(bound), _) => Measurement::Number(bound.w1),
            (None, Some(refusal)) => Measurement::Missing { missing: refusal.to_string() },
            (None, None) => Measurement::Missing { missing: "the flow gave no bound".into() },
        }
    }

    fn posterior_sup(&self) -> Result<Measurement> {
        let radius = BallRadius::new(self.spec.measure.sup_radius.unwrap_or(1.0))?;
        let search =
            SupSearch { radius, relative_gap: SUP_GAP, absolute_gap: f64::EPSILON, max_cubes: SUP_CUBES };
        let (particles, prior) = (Prior::Particles(&self.trajectory.end), Prior::Law(&self.spec.prior));
        let found = posterior_sup(particles, prior, self.noise, &search)?;
        let value = 0.5 * (found.lower + found.upper);
        Ok(Measurement::Bracket { value, lower: found.lower, upper: found.upper })
    }

    fn two_stage(&self) -> Result<Vec<f64>> {
        let prior = ParticlePrior::new(&self.trajectory.end, self.noise)?;
        Ok(prior.infer(&self.sample.noisy, self.drift)?.mean)
    }

    fn bayes(&self) -> Result<&Cloud> {
        if self.bayes.get().is_none() {
            let estimates = self.spec.prior.posterior_means(&self.sample.noisy, self.noise)?;
            return Ok(self.bayes.get_or_init(|| estimates));
        }
        Ok(self.bayes.get().expect("just looked"))
    }

    fn error_of(&self, estimates: &[f64]) -> f64 {
        let clean = &self.sample.clean;
        mean_squared_error(estimates, clean.points(), clean.dimension())
    }

    fn gap_of(&self, estimates: &[f64]) -> Result<f64> {
        let bayes = self.bayes()?;
        Ok(mean_squared_error(estimates, bayes.points(), bayes.dimension()))
    }

    fn exact_hitting(&self) -> Result<Measurement> {
        let variance = variance_of_law(&self.spec.prior);
        Ok(match VarianceDescent::of_prior(variance, self.noise, self.beta)?.denoising()? {
            Hitting::At(time) => Measurement::Number(time.get()),
            Hitting::Never => {
                Measurement::Missing { missing: "the prior's variance is never reached".into() }
            }
        })
    }

    fn variance_path(&self) -> Result<Measurement> {
        let snapshots = &self.trajectory.snapshots;
        let exact = match &self.spec.prior {
            Law::Gaussian(_) => {
                let flow = self.gaussian_flow()?;
                let at = |snapshot: &Snapshot| flow.eigenvalues_at(snapshot.raw_time).mean();
                Some(snapshots.iter().map(at).collect())
            }
            _ => None,
        };
        Ok(Measurement::Path {
            score_time: snapshots.iter().map(|s| s.score_time.get()).collect(),
            values: snapshots.iter().map(|s| variance(&s.cloud)).collect(),
            exact,
        })
    }

    fn cloud(&self, most: usize) -> CloudPath {
        let snapshots = &self.trajectory.snapshots;
        let dimension = self.sample.noisy.dimension();
        let points = |snapshot: &Snapshot| {
            snapshot.cloud.points().iter().take(most * dimension).map(|x| shortened(*x)).collect()
        };
        CloudPath {
            dimension,
            score_time: snapshots.iter().map(|s| s.score_time.get()).collect(),
            points: snapshots.iter().map(points).collect(),
        }
    }
}

/// The tokens that become particles.
fn start(cell: &Cell, tokens: &Cloud) -> Result<Cloud> {
    match cell.setting.radius {
        Some(radius) => tokens.truncated_to(BallRadius::new(radius)?),
        None => Ok(tokens.clone()),
    }
}

/// The empirical law of a cloud on the line.
fn particles_on_line(cloud: &Cloud) -> Result<LineLaw> {
    let weights = (0..cloud.len()).map(|i| cloud.weight(i)).collect();
    Law::Atoms(Atoms::new(cloud.rows().map(<[f64]>::to_vec).collect(), weights)?).on_line()
}

/// The mean variance of a coordinate.
fn variance(cloud: &Cloud) -> f64 {
    cloud.covariance().trace() / cloud.dimension() as f64
}

fn variance_of_law(law: &Law) -> f64 {
    law.covariance().trace() / law.dimension() as f64
}

fn shortened(x: f64) -> f64 {
    format!("{x:.CLOUD_DIGITS$e}").parse().unwrap_or(x)
}

fn bounded(distance: Distance) -> Measurement {
    match distance.method {
        Method::Line | Method::Transport => Measurement::Number(distance.w1),
        Method::Bracket => {
            let Bracket { lower, upper } = distance.bracket;
            Measurement::Bracket { value: distance.w1, lower, upper }
        }
    }
}

/// JSON knows no infinity: what is not finite is missing, and says so.
fn finite(measurement: Measurement) -> Measurement {
    let bad = |value: &f64| !value.is_finite();
    let lost = match &measurement {
        Measurement::Number(value) => bad(value),
        Measurement::Bracket { value, lower, upper } => [value, lower, upper].into_iter().any(bad),
        Measurement::Path { values, exact, .. } => values.iter().chain(exact.iter().flatten()).any(bad),
        Measurement::Missing { .. } => false,
    };
    if lost {
        Measurement::Missing { missing: "the result is not a finite number".into() }
    } else {
        measurement
    }
}
