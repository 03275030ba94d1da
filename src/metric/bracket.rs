//! W1 between a cloud and a law in any dimension: a bracket with its Monte Carlo error.
//!
//! # Formula
//! Let `P_M` be `M` fresh independent points of `P`. W1 is convex, so by Jensen
//! ```text
//! W1(μ, P) ≤ E W1(μ, P_M)                              estimated by the mean over independent replicates
//! W1(μ, P) ≥ ∫ f dP − ∫ f dμ,  f 1-Lipschitz            estimated on fresh points that f was not made from
//! W1(μ, P) ≥ W1(⟨u,·⟩_#μ, ⟨u,·⟩_#P)                     exact, without Monte Carlo error
//! ```
//! The potentials of the replicates are averaged into one ([`Potential`]), which beats each of them. A further potential `g`, fitted
//! to a sample of its own, is the control variate: `W1(μ, P_M) − ∫ g dP_M` hardly varies between replicates, and `∫ g dP` is
//! estimated from many more points than could be transported.
//!
//! A potential fits its own sample too well by about as much as it falls short on fresh points, so the middle between the
//! two is an estimate whose bias is of second order; it is not a bound.

use serde::Serialize;

use super::interval::{Confidence, Interval, SampleMean};
use super::reference::{Reference, check_dimension};
use super::slices::max_sliced;
use super::transport::{Potential, wasserstein};
use crate::cloud::{Cloud, norm};
use crate::error::{Error, Result};
use crate::law::generator;
use crate::measured::Bracket;
use crate::parallel;

/// A sample is never smaller than this, however small the cloud.
const FEWEST_FRESH: usize = 1000;
/// Points on which potentials are evaluated, per point that was transported: evaluation is the cheaper of the two.
const EVALUATED: usize = 4;

/// How much is sampled, and from which seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Fresh points of the law per point of the cloud; a sample has at least a thousand.
    pub fresh_per_point: usize,
    /// Independent replicates, at least two.
    pub replicates: usize,
    /// With which the bracket holds, Monte Carlo error included.
    pub confidence: Confidence,
    /// Seed of the fresh points.
    pub seed: u64,
}

/// A bracket of W1 with what it was made of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SampledBracket {
    /// Below: the larger of the slice and the lower end of [`SampledBracket::dual`]; above: the upper end of
    /// [`SampledBracket::primal`].
    #[serde(flatten)]
    pub bracket: Bracket,
    /// The best guess: between the bounds, but not a bound.
    pub estimate: f64,
    /// The averaged potential on fresh points.
    pub dual: Interval,
    /// Transport to fresh samples.
    pub primal: Interval,
    /// The best slice, free of Monte Carlo error; zero where projections of the law are not known.
    pub sliced: f64,
    /// Points of each fresh sample.
    pub fresh: usize,
    /// Number of samples.
    pub replicates: usize,
}

/// Brackets W1 between a cloud and a law.
///
/// ```
/// use ebflow::law::{Law, generator};
/// use ebflow::metric::{Confidence, Sampling, bracket};
/// let law = Law::parse(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#)?;
/// let cloud = law.sample(50, &mut generator(1))?;
/// let sampling =
///     Sampling { fresh_per_point: 8, replicates: 3, confidence: Confidence::new(0.95)?, seed: 2 };
/// let bracket = bracket(&cloud, &law, &sampling)?;
/// assert!(bracket.bracket.lower > 0.2 && bracket.bracket.holds(bracket.estimate) && bracket.bracket.upper < 0.6);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn bracket(cloud: &Cloud, law: &dyn Reference, sampling: &Sampling) -> Result<SampledBracket> {
    check_dimension(cloud, law)?;
    check_squares(cloud)?;
    let trials = Trials::run(cloud, law, sampling)?;
    let (primal, dual) =
        (trials.primal()?.interval(sampling.confidence), trials.dual.interval(sampling.confidence));
    let exact = law.projectable().map(|law| max_sliced(cloud, law)).transpose()?;
    let sliced = exact.map_or(0.0, |slice| slice.w1);
    let estimate = trials.middle()?;
    let numbers = [primal.lower, primal.upper, dual.lower, dual.upper, sliced, estimate];
    if let Some(&value) = numbers.iter().find(|number| !number.is_finite()) {
        return Err(Error::Overflow { what: "the distance between the cloud and the law".into(), value });
    }
    // Bounds that coincide may cross within their Monte Carlo errors.
    let lower = dual.lower.max(sliced).max(0.0).min(primal.upper);
    let rounding = rounding(cloud, sampling, primal.upper);
    Ok(SampledBracket {
        bracket: Bracket { lower: (lower - rounding).max(0.0), upper: primal.upper + rounding },
        estimate: estimate.clamp(lower, primal.upper),
        dual,
        primal,
        sliced,
        fresh: sampling.fresh(cloud.len()),
        replicates: sampling.replicates,
    })
}

/// Distances are roots of sums of squares, which must be numbers.
fn check_squares(cloud: &Cloud) -> Result<()> {
    let value = cloud.points().iter().map(|x| x * x).fold(0.0, f64::max) * (4 * cloud.dimension()) as f64;
    if value.is_finite() {
        return Ok(());
    }
    Err(Error::Overflow { what: "the squared extent of the cloud".into(), value })
}

/// What rounding may have done to either bound: means of at most `m` values of a potential, none larger than twice the farthest distance `r`, summed one after the
/// other (`mu·2r`, four times, for differences of means), each the rounded root of `d` squares.
fn rounding(cloud: &Cloud, sampling: &Sampling, farthest: f64) -> f64 {
    let values = EVALUATED * sampling.fresh(cloud.len()) * sampling.replicates + cloud.len();
    let reach = farthest + cloud.rows().map(norm).fold(0.0, f64::max);
    4.0 * (values + cloud.dimension() + 8) as f64 * f64::EPSILON * reach
}

impl Sampling {
    /// Size of a fresh sample for a cloud of `points`.
    pub(super) fn fresh(&self, points: usize) -> usize {
        points.saturating_mul(self.fresh_per_point).max(FEWEST_FRESH)
    }
}

/// What one potential achieves on the sample it was fitted to, and on another one.
pub(super) struct Trial {
    pub(super) fitted: f64,
    pub(super) fresh: f64,
    potential: Potential,
}

impl Trial {
    /// Transports a sample to the cloud and evaluates the potential on another sample.
    pub(super) fn run(cloud: &Cloud, sample: &Cloud, other: &Cloud) -> Result<Self> {
        let transport = wasserstein(sample, cloud)?;
        let potential = transport.potential;
        let fresh = potential.mean(other)? - potential.mean(cloud)?;
        Ok(Self { fitted: transport.upper, fresh, potential })
    }
}

/// What the replicates say together.
struct Trials {
    /// Per replicate: the distance to its sample, less the control variate on it.
    fitted: Vec<f64>,
    /// Per replicate: its potential on another sample, less the control variate on that.
    fresh: Vec<f64>,
    /// The control variate under the law.
    control: SampleMean,
    /// The averaged potential: under the law, less under the cloud.
    dual: SampleMean,
}

impl Trials {
    /// Draws everything from one stream, one sample after the other, then solves side by side.
    fn run(cloud: &Cloud, law: &dyn Reference, sampling: &Sampling) -> Result<Self> {
        let (mut generator, size) = (generator(sampling.seed), sampling.fresh(cloud.len()));
        let mut draw = |n: usize| law.sample(n, &mut generator);
        let control = wasserstein(&draw(size)?, cloud)?.potential;
        let pairs: Vec<[Cloud; 2]> =
            (0..sampling.replicates).map(|_| Ok([draw(size)?, draw(size)?])).collect::<Result<_>>()?;
        let trial = |which: usize| Trial::run(cloud, &pairs[which][0], &pairs[which][1]);
        let trials = parallel::try_map(pairs.len(), &trial)?;
        let less = |value: fn(&Trial) -> f64, which: usize| -> Result<Vec<f64>> {
            let of_trial =
                |(trial, pair): (&Trial, &[Cloud; 2])| Ok(value(trial) - control.mean(&pair[which])?);
            trials.iter().zip(&pairs).map(of_trial).collect()
        };
        let (fitted, fresh) = (less(|trial| trial.fitted, 0)?, less(|trial| trial.fresh, 1)?);
        let all: Vec<&Potential> = trials.iter().map(|trial| &trial.potential).chain([&control]).collect();
        let averaged = Potential::averaged(&all, cloud)?;
        let points = draw(EVALUATED * size * sampling.replicates)?;
        let at_cloud = averaged.mean(cloud)?;
        let gains: Vec<f64> = averaged.values(&points)?.iter().map(|value| value - at_cloud).collect();
        let control = SampleMean::of(&control.values(&points)?)?;
        Ok(Self { fitted, fresh, control, dual: SampleMean::of(&gains)? })
    }

    /// `E W1(μ, P_M)`.
    fn primal(&self) -> Result<SampleMean> {
        Ok(SampleMean::of(&self.fitted)?.plus(self.control))
    }

    /// The middle between what potentials achieve on their own samples and on others.
    fn middle(&self) -> Result<f64> {
        let (fitted, fresh) = (SampleMean::of(&self.fitted)?, SampleMean::of(&self.fresh)?);
        Ok(0.5 * (fitted.mean + fresh.mean) + self.control.mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::metric::{between_gaussians, line};
    use crate::scale::BallRadius;

    const SEED: u64 = 31;
    const DRAW: u64 = 32;

    fn law(text: &str) -> Law {
        Law::parse(text).unwrap()
    }

    fn sampling(replicates: usize) -> Sampling {
        let confidence = Confidence::new(0.99).unwrap();
        Sampling { fresh_per_point: 8, replicates, confidence, seed: SEED }
    }

    /// On the line W1 is known exactly: the bracket must hold it, and be narrow.
    #[test]
    fn brackets_hold_the_exact_distance_on_the_line() {
        let mut narrow = 0;
        for (text, n) in [
            (r#"{ kind = "gaussian", mean = 0, std = 1 }"#, 200),
            (r#"{ kind = "mixture", means = [-1, 1], std = 0.1 }"#, 150),
            (r#"{ kind = "laplace", mean = 0, scale = 1 }"#, 60),
            (r#"{ kind = "uniform", low = -1, high = 1 }"#, 300),
        ] {
            let law = law(text);
            let cloud = law.sample(n, &mut generator(DRAW)).unwrap();
            let exact = line::w1_to_law(&cloud, &law.on_line().unwrap()).unwrap();
            let found = bracket(&cloud, &law, &sampling(6)).unwrap();
            // The slice is the distance itself here, so the lower bound is exact and the others are judged one by one.
            assert!((found.sliced / exact - 1.0).abs() < 1e-12, "{text}: {found:?}, not {exact}");
            assert!(
                found.dual.lower <= exact && exact <= found.bracket.upper,
                "{text}: {found:?}, not {exact}"
            );
            narrow += usize::from((found.estimate / exact - 1.0).abs() < 0.1);
        }
        assert!(narrow >= 3, "estimates are off in more than one of four cases");
    }

    /// A cloud shifted far away: W1 is the distance of the means, up to the spread, and all three bounds see it.
    #[test]
    fn a_shifted_cloud_is_as_far_as_its_shift() {
        let law = law(r#"{ kind = "gaussian", mean = [0, 0, 0], std = 0.5 }"#);
        let near = law.sample(100, &mut generator(DRAW)).unwrap();
        let far: Vec<f64> = near.points().chunks(3).flat_map(|x| [x[0] + 30.0, x[1] - 40.0, x[2]]).collect();
        let found = bracket(&Cloud::new(far, 3).unwrap(), &law, &sampling(4)).unwrap();
        let mean = near.mean();
        let shift = [30.0 + mean[0], mean[1] - 40.0, mean[2]];
        let length = shift.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(
            found.sliced >= length * (1.0 - 1e-12) && found.bracket.lower <= found.bracket.upper,
            "{found:?}"
        );
        assert!(found.bracket.upper < length + 0.5, "{found:?}");
    }

    /// So far away that the law is a point: the distance is known to all digits, and rounding is all that is left.
    #[test]
    fn rounding_counts_where_nothing_else_is_left() {
        let law = law(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#);
        for far in [1e20, 1e150] {
            let cloud = Cloud::new(vec![far, 0.0, 0.0, -far], 2).unwrap();
            let found = bracket(&cloud, &law, &sampling(4)).unwrap().bracket;
            assert!(found.holds(far) && found.width() < 1e-10 * far, "{found:?}");
        }
    }

    /// Many points of one Gaussian law against another: the bracket holds the closed form within the sampling error.
    #[test]
    fn a_large_sample_stands_for_its_law() {
        let (narrow, wide) = (
            law(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#),
            law(r#"{ kind = "gaussian", mean = [1, 0], std = 2 }"#),
        );
        let (Law::Gaussian(a), Law::Gaussian(b)) = (&narrow, &wide) else { unreachable!() };
        let exact = between_gaussians(a, b).unwrap();
        let cloud = narrow.sample(1000, &mut generator(DRAW)).unwrap();
        let found = bracket(&cloud, &wide, &sampling(3)).unwrap();
        // |W1(μ, Q) − W1(P, Q)| ≤ W1(μ, P), which is about 0.1.
        assert!((found.estimate - exact.w1.lower).abs() < 0.15, "{found:?}, not {exact:?}");
        assert!(found.bracket.upper - found.bracket.lower < 0.1 * exact.w1.lower, "{found:?}");
    }

    #[test]
    fn truncated_laws_and_weights_are_welcome() {
        let law = law(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#);
        let ball = law.truncated(BallRadius::new(1.0).unwrap());
        let cloud = ball.sample(40, &mut generator(DRAW)).unwrap();
        let found = bracket(&cloud, &ball, &sampling(3)).unwrap();
        assert!(found.sliced == 0.0 && found.bracket.lower > 0.02 && found.bracket.upper < 0.4, "{found:?}");
        let weights: Vec<f64> = (0..40).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
        let single = Cloud::new(cloud.points()[..2].to_vec(), 2).unwrap();
        let (one, heavy) = (
            bracket(&single, &law, &sampling(3)).unwrap(),
            bracket(&cloud.with_weights(weights).unwrap(), &law, &sampling(3)).unwrap(),
        );
        assert!((one.estimate / heavy.estimate - 1.0).abs() < 1e-9, "{one:?} {heavy:?}");
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let law = law(r#"{ kind = "mixture", means = [[-1, 0], [1, 0]], std = 0.3 }"#);
        let cloud = law.sample(60, &mut generator(DRAW)).unwrap();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bracket(&cloud, &law, &sampling(3)).unwrap())
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(5));
    }

    #[test]
    fn bad_requests_are_refused() {
        let law = law(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#);
        let line = Cloud::new(vec![0.0, 1.0], 1).unwrap();
        assert!(bracket(&line, &law, &sampling(3)).is_err());
        let plane = Cloud::new(vec![0.0, 1.0], 2).unwrap();
        for replicates in [0, 1] {
            assert!(bracket(&plane, &law, &sampling(replicates)).is_err());
        }
    }
}
