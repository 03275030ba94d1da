//! Running a cell: tokens, flow, and every quantity that the study asks for.

mod bars;
mod hitting;
mod methods;

use std::cell::OnceCell;

use bars::Displacement;

use super::cell::Cell;
use super::quantity::Quantity;
use super::row::{CloudPath, Measurement, Values};
use super::spec::{Spec, Tolerances};
use crate::cloud::Cloud;
use crate::denoise::Denoiser;
use crate::drift::Drift;
use crate::error::Result;
use crate::exact::{CovarianceFlow, Hitting, VarianceDescent};
use crate::flow::{Integrator, Snapshot, Trajectory};
use crate::law::{Atoms, BayesOracle, Gaussian, Law, LineLaw, NoisySample};
use crate::meanfield::MeanField;
use crate::measured::{Bracket, Measured};
use crate::metric::{
    Confidence, Distance, Method, Prior, Sampling, SupSearch, between_gaussians, coupled,
    coupled_to_gaussian, distance, distance_to_law, line_floor, posterior_sup, simulated_floor,
};
use crate::posterior::mean_squared_error;
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
/// Closed forms of posterior means are good to this share of the cloud's extent; the laws' own tests hold them to it.
const CLOSED_FORM: f64 = 1e-13;
/// Digits kept of the particles that a report shows.
const CLOUD_DIGITS: usize = 5;

/// Measures everything that a study asks of a cell. The result does not depend on the number of threads, to the bit.
pub fn measure(spec: &Spec, cell: &Cell) -> Result<Values> {
    measure_with(spec, cell, methods::drift(&spec.method)?.as_ref())
}

/// The same with another drift than the study names: one that is at fault should be noticed.
pub fn measure_with(spec: &Spec, cell: &Cell, drift: &dyn Drift) -> Result<Values> {
    let integrator = methods::integrator(spec, cell)?;
    CellRun::new(spec, cell, drift, integrator.as_ref())?.measured()
}

/// A cell with its tokens and the way they went.
struct CellRun<'a> {
    spec: &'a Spec,
    cell: &'a Cell,
    noise: NoiseVariance,
    beta: Beta,
    drift: &'a dyn Drift,
    denoiser: Denoiser<'a>,
    sample: NoisySample,
    trajectory: Trajectory,
    /// How far the particles may be from those that they stand for.
    off: Displacement,
    bayes: OnceCell<Cloud>,
}

impl<'a> CellRun<'a> {
    fn new(
        spec: &'a Spec,
        cell: &'a Cell,
        drift: &'a dyn Drift,
        integrator: &'a dyn Integrator,
    ) -> Result<Self> {
        let (noise, beta) = (NoiseVariance::new(cell.setting.noise_var)?, Beta::new(cell.setting.beta)?);
        let sample = spec.prior.sample_noisy(cell.setting.n, noise, cell.seed)?;
        let watched = cell.cloud || spec.quantities.iter().any(|quantity| quantity.is_path());
        let depths = if watched { spec.measure.depths } else { 0 };
        let time =
            |k: usize| ScoreTime::new(noise.denoising_horizon().get() * k as f64 / (depths - 1) as f64);
        let times = (0..depths).map(time).collect::<Result<Vec<_>>>()?;
        let radius = cell.setting.radius.map(BallRadius::new).transpose()?;
        let denoiser =
            Denoiser::new(noise, beta).with_drift(drift).with_integrator(integrator).truncated_to(radius);
        let asked = judged(cell, denoiser.clone().with_snapshots(times));
        let bounded = spec.quantities.contains(&Quantity::ErrorBound);
        let asked = if bounded { asked.with_error_bound() } else { asked };
        let trajectory = asked.stage_one(&sample.noisy)?;
        let (off, bayes) = (displacement(cell, &trajectory), OnceCell::new());
        Ok(Self { spec, cell, noise, beta, drift, denoiser, sample, trajectory, off, bayes })
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
            Quantity::W1Prior => bounded(distance_to_law(end, prior, &self.sampling()?)?, self.off.mean),
            Quantity::W1Tokens => bounded(distance_to_law(tokens, prior, &self.sampling()?)?, 0.0),
            Quantity::W1Floor => self.floor()?,
            Quantity::W1Untruncated => {
                let whole = judged(self.cell, self.denoiser.clone().truncated_to(None)).stage_one(tokens)?;
                let off = displacement(self.cell, &whole).mean + self.off.mean;
                bounded(distance(end, &whole.end)?, off)
            }
            Quantity::W1ExactPrior => self.exact_bias()?,
            Quantity::W1MeanField => {
                Number(self.mean_field_distance(&particles_on_line(end)?)?.widened(self.off.mean))
            }
            Quantity::W1MeanFieldPrior => Number(self.mean_field_distance(&prior.on_line()?)?),
            Quantity::ErrorBound => self.error_bound(),
            Quantity::Coupled => {
                let partners = self.gaussian_flow()?;
                let distance = coupled_to_gaussian(tokens, end, &partners, self.trajectory.raw_time)?;
                Number(Measured::known_to(distance.mean, self.off.mean))
            }
            Quantity::PosteriorSup => self.posterior_sup()?,
            Quantity::IntegrationError => {
                let exact = methods::adaptive(EXACT)?;
                let exact = self
                    .denoiser
                    .clone()
                    .with_integrator(exact.as_ref())
                    .with_error_estimate()
                    .stage_one(tokens)?;
                let off = Displacement::from_flow(&exact).mean;
                Number(Measured::known_to(coupled(end, &exact.end)?.mean, off))
            }
            Quantity::MseTokens => Number(self.error_of(&Estimates::exactly(tokens))),
            Quantity::MseOneShot => Number(self.error_of(&self.one_shot()?)),
            Quantity::MseStageOne => Number(self.error_of(&self.stage_one())),
            Quantity::MseTwoStage => Number(self.error_of(&self.two_stage()?)),
            Quantity::MseBayes => Number(self.error_of(&Estimates::exactly(self.bayes()?))),
            Quantity::GapOneShot => Number(self.gap_of(&self.one_shot()?)?),
            Quantity::GapStageOne => Number(self.gap_of(&self.stage_one())?),
            Quantity::GapTwoStage => Number(self.gap_of(&self.two_stage()?)?),
            Quantity::ExcessVariance => {
                let start = start(self.cell, tokens)?;
                let variance = start.covariance().trace() / start.dimension() as f64;
                Number(Measured::exact(variance) - Measured::exact(variance_of_law(prior)))
            }
            Quantity::HittingTime => hitting::measured(self)?,
            Quantity::HittingTimeExact => self.exact_hitting()?,
            Quantity::Kept => Number(Measured::exact(end.len() as f64 / tokens.len() as f64)),
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
        let bracket = Bracket { lower: floor.lower.estimate, upper: floor.upper.estimate };
        Ok(Measurement::Bracket { value: floor.estimate.estimate, bracket })
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
        Ok(Measurement::Number(distance.w1.measured()))
    }

    /// W1 between the mean-field law and another one, with the error that two resolutions of it show.
    fn mean_field_distance(&self, other: &LineLaw) -> Result<Measured> {
        let mut problem = MeanField::new(self.spec.prior.clone(), self.noise, self.beta);
        if let Some(radius) = self.cell.setting.radius {
            problem = problem.truncated_to(BallRadius::new(radius)?);
        }
        let evolution = problem.evolve(&[self.trajectory.raw_time], self.drift)?;
        evolution.states[0].w1_to(other)
    }

    fn error_bound(&self) -> Measurement {
        let error = &self.trajectory.error;
        match (&error.bound, &error.refusal) {
            (Some(bound), _) => Measurement::Number(Measured::exact(bound.w1)),
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
        let centre = Cloud::new(vec![0.0; self.spec.prior.dimension()], self.spec.prior.dimension())?;
        let off = self.off.of_posterior(&self.trajectory.end, &centre, self.noise).max;
        let bracket = Bracket { lower: found.lower, upper: found.upper };
        Ok(Measurement::Bracket { value: bracket.middle(), bracket: bracket.widened(off) })
    }

    fn one_shot(&self) -> Result<Estimates> {
        let tokens = &self.sample.noisy;
        self.inferred(tokens, Displacement { max: 0.0, mean: 0.0 })
    }

    fn stage_one(&self) -> Estimates {
        Estimates { points: self.trajectory.end.clone(), off: self.off }
    }

    fn two_stage(&self) -> Result<Estimates> {
        let end = &self.trajectory.end;
        self.inferred(end, self.off.of_posterior(end, &self.sample.noisy, self.noise))
    }

    /// Stage 2 of all tokens against particles, when these move it by so much.
    fn inferred(&self, particles: &Cloud, off: Displacement) -> Result<Estimates> {
        let inference = self.denoiser.stage_two(particles, &self.sample.noisy)?;
        Ok(Estimates { points: inference.mean, off: off.widened(&inference.error) })
    }

    fn bayes(&self) -> Result<&Cloud> {
        if self.bayes.get().is_none() {
            let estimates = self.spec.prior.posterior_means(&self.sample.noisy, self.noise)?;
            return Ok(self.bayes.get_or_init(|| estimates));
        }
        Ok(self.bayes.get().expect("just looked"))
    }

    fn error_of(&self, estimates: &Estimates) -> Measured {
        estimates.against(&self.sample.clean)
    }

    fn gap_of(&self, estimates: &Estimates) -> Result<Measured> {
        Ok(estimates.against(self.bayes()?))
    }

    fn exact_hitting(&self) -> Result<Measurement> {
        let variance = variance_of_law(&self.spec.prior);
        Ok(match VarianceDescent::of_prior(variance, self.noise, self.beta)?.denoising()? {
            Hitting::At(time) => Measurement::Number(Measured::exact(time.get())),
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
        // Errors grow along the flow: that of the end stands for all.
        let variances: Vec<Measured> = snapshots.iter().map(|s| self.off.variance(&s.cloud)).collect();
        Ok(Measurement::Path {
            score_time: snapshots.iter().map(|s| s.score_time.get()).collect(),
            values: variances.iter().map(|variance| variance.value).collect(),
            numerical: variances.iter().map(|variance| variance.numerical).collect(),
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

/// Asks for what [`displacement`] needs: a network stands for itself, everything else for the exact flow.
fn judged<'a>(cell: &Cell, denoiser: Denoiser<'a>) -> Denoiser<'a> {
    if cell.setting.layers.is_some() { denoiser } else { denoiser.with_error_estimate() }
}

fn displacement(cell: &Cell, run: &Trajectory) -> Displacement {
    if cell.setting.layers.is_some() { Displacement::from_layers(run) } else { Displacement::from_flow(run) }
}

/// Estimates of all tokens, and how far they may be off.
struct Estimates {
    points: Cloud,
    off: Displacement,
}

impl Estimates {
    /// Points that are known up to rounding.
    fn exactly(cloud: &Cloud) -> Self {
        let rounding = CLOSED_FORM * bars::extent(cloud);
        Self { points: cloud.clone(), off: Displacement { max: rounding, mean: rounding } }
    }

    /// The mean squared distance from other points.
    fn against(&self, other: &Cloud) -> Measured {
        let square = mean_squared_error(&self.points, other);
        Measured::known_to(square, self.off.mean_square(square))
    }
}

fn variance_of_law(law: &Law) -> f64 {
    law.covariance().trace() / law.dimension() as f64
}

fn shortened(x: f64) -> f64 {
    format!("{x:.CLOUD_DIGITS$e}").parse().unwrap_or(x)
}

/// A distance between clouds of which one may be off by so much in W1.
fn bounded(Distance { w1, bracket, method, .. }: Distance, off: f64) -> Measurement {
    match method {
        Method::Line | Method::Transport => {
            Measurement::Number(Measured::known_to(w1, bracket.width() + off))
        }
        Method::Bracket => Measurement::Bracket { value: w1, bracket: bracket.widened(off) },
    }
}

/// JSON knows no infinity: what is not finite is missing, and says so.
fn finite(measurement: Measurement) -> Measurement {
    let all = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
    let known = match &measurement {
        Measurement::Number(number) => number.is_finite(),
        Measurement::Bracket { value, bracket } => all(&[*value, bracket.lower, bracket.upper]),
        Measurement::Path { values, numerical, exact, .. } => {
            all(values) && all(numerical) && exact.as_deref().is_none_or(all)
        }
        Measurement::Missing { .. } => true,
    };
    if known {
        return measurement;
    }
    Measurement::Missing { missing: "the result or its error bar is not a finite number".into() }
}
