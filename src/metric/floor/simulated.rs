//! The noise floor by simulation.

use serde::Serialize;

use crate::cloud::Cloud;
use crate::error::{Error, Result};
use crate::law::generator;
use crate::metric::bracket::{Sampling, Trial};
use crate::metric::interval::{Confidence, Interval};
use crate::metric::reference::{Reference, atoms_of};
use crate::metric::transport::wasserstein;
use crate::parallel;

/// The noise floor `E W1(P_N, P)` with its Monte Carlo error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SimulatedFloor {
    /// The middle of the bounds, whose bias is of second order in the size of the fresh samples.
    pub estimate: Interval,
    /// Potentials on fresh points: below the floor on average.
    pub lower: Interval,
    /// Transport to fresh samples: above the floor on average.
    pub upper: Interval,
}

/// `E W1(P_N, P)` for `points` independent points of a law in any dimension, over independent clouds and samples.
///
/// ```
/// use ebflow::law::Law;
/// use ebflow::metric::{Confidence, Sampling, simulated_floor};
/// let law = Law::parse(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#)?;
/// let sampling =
///     Sampling { fresh_per_point: 4, replicates: 4, confidence: Confidence::new(0.95)?, seed: 1 };
/// let floor = simulated_floor(&law, 100, &sampling)?;
/// assert!(floor.lower.estimate < floor.estimate.estimate && floor.estimate.estimate < floor.upper.estimate);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn simulated_floor(law: &dyn Reference, points: usize, sampling: &Sampling) -> Result<SimulatedFloor> {
    if points == 0 {
        return Err(Error::Empty { what: "the sample whose noise floor is asked".into() });
    }
    let trials = match atoms_of(law)? {
        Some(atoms) => exact_trials(law, &atoms, points, sampling)?,
        None => fitted_trials(law, points, sampling)?,
    };
    let over = |value: fn(&Bounds) -> f64| {
        Interval::of_mean(&trials.iter().map(value).collect::<Vec<f64>>(), sampling.confidence)
    };
    Ok(SimulatedFloor {
        estimate: over(|trial| 0.5 * (trial.lower + trial.upper))?,
        lower: over(|trial| trial.lower)?,
        upper: over(|trial| trial.upper)?,
    })
}

/// W1 between one drawn cloud and the law, from below and from above on average.
struct Bounds {
    lower: f64,
    upper: f64,
}

/// A law of finitely many points needs no fresh samples.
fn exact_trials(
    law: &dyn Reference,
    atoms: &Cloud,
    points: usize,
    sampling: &Sampling,
) -> Result<Vec<Bounds>> {
    let mut generator = generator(sampling.seed);
    let clouds: Vec<Cloud> =
        (0..sampling.replicates).map(|_| law.sample(points, &mut generator)).collect::<Result<_>>()?;
    let exact = |cloud: &Cloud| wasserstein(cloud, atoms).map(|t| Bounds { lower: t.lower, upper: t.upper });
    parallel::try_map(clouds.len(), &|which| exact(&clouds[which]))
}

fn fitted_trials(law: &dyn Reference, points: usize, sampling: &Sampling) -> Result<Vec<Bounds>> {
    let (mut generator, size) = (generator(sampling.seed), sampling.fresh(points));
    let mut draw = |n| law.sample(n, &mut generator);
    let triples: Vec<[Cloud; 3]> = (0..sampling.replicates)
        .map(|_| Ok([draw(points)?, draw(size)?, draw(size)?]))
        .collect::<Result<_>>()?;
    let fitted = |[cloud, sample, other]: &[Cloud; 3]| {
        Trial::run(cloud, sample, other).map(|trial| Bounds { lower: trial.fresh, upper: trial.fitted })
    };
    parallel::try_map(triples.len(), &|which| fitted(&triples[which]))
}

/// `E W1(P_N, P'_M)` between two independent samples of `points` and `others`.
pub fn two_sample_floor(
    law: &dyn Reference,
    points: usize,
    others: usize,
    replicates: usize,
    confidence: Confidence,
    seed: u64,
) -> Result<Interval> {
    let mut generator = generator(seed);
    let pairs: Vec<[Cloud; 2]> = (0..replicates)
        .map(|_| Ok([law.sample(points, &mut generator)?, law.sample(others, &mut generator)?]))
        .collect::<Result<_>>()?;
    let distance = |which: usize| Ok(wasserstein(&pairs[which][0], &pairs[which][1])?.distance);
    let distances = parallel::try_map(pairs.len(), &distance)?;
    Interval::of_mean(&distances, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Law;
    use crate::metric::line_floor;

    const SEED: u64 = 2718;

    fn confidence() -> Confidence {
        Confidence::new(0.99).unwrap()
    }

    /// On the line the floor is known exactly; 40 replicates put the standard error at a few per cent.
    #[test]
    fn simulation_agrees_with_the_exact_floor_on_the_line() {
        let law = Law::parse(r#"{ kind = "gaussian", mean = 0, std = 1 }"#).unwrap();
        let exact = line_floor(&law.on_line().unwrap(), 50).unwrap().value;
        let sampling = Sampling { fresh_per_point: 8, replicates: 40, confidence: confidence(), seed: SEED };
        let floor = simulated_floor(&law, 50, &sampling).unwrap();
        assert!(floor.lower.lower <= exact && exact <= floor.upper.upper, "{floor:?}, not {exact}");
        assert!((floor.estimate.estimate - exact).abs() < 3.0 * floor.estimate.standard_error, "{floor:?}");
    }

    /// POT 0.9.7, `ot.emd2` on 20 pairs of 1000 standard normal points in the plane (NumPy seed 5): 0.149559 ± 0.003363.
    #[test]
    fn two_samples_in_the_plane() {
        let law = Law::parse(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#).unwrap();
        let floor = two_sample_floor(&law, 1000, 1000, 12, confidence(), SEED).unwrap();
        assert!(
            floor.lower < POT_MEAN + 3.0 * POT_ERROR && POT_MEAN - 3.0 * POT_ERROR < floor.upper,
            "{floor:?}"
        );
    }

    const POT_MEAN: f64 = 0.149_559;
    const POT_ERROR: f64 = 0.003_363;

    /// One point among two atoms of equal weight is at mean distance one half of their distance.
    #[test]
    fn atoms_are_exact_up_to_the_drawn_clouds() {
        let law = Law::parse(r#"{ kind = "atoms", points = [[0, 0], [3, 4]] }"#).unwrap();
        let sampling = Sampling { fresh_per_point: 8, replicates: 20, confidence: confidence(), seed: SEED };
        let floor = simulated_floor(&law, 1, &sampling).unwrap();
        assert!(
            (floor.estimate.estimate - 2.5).abs() < 1e-12 && floor.estimate.standard_error < 1e-12,
            "{floor:?}"
        );
    }

    #[test]
    fn bad_requests_are_refused() {
        let law = Law::parse(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#).unwrap();
        let sampling = Sampling { fresh_per_point: 2, replicates: 1, confidence: confidence(), seed: SEED };
        assert!(simulated_floor(&law, 0, &Sampling { replicates: 3, ..sampling }).is_err());
        assert!(simulated_floor(&law, 10, &sampling).is_err());
        assert!(two_sample_floor(&law, 10, 10, 1, confidence(), SEED).is_err());
        assert!(two_sample_floor(&law, 0, 10, 3, confidence(), SEED).is_err());
    }
}
