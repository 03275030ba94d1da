//! [`Auto`]: the drift that chooses between the others.
//!
//! Tiles cost per pair of points near enough to matter, the Gauss transform per point and per occupied box. Both numbers are estimated
//! from a small sample of the cloud, in time that does not grow with `N`, and the cheaper drift is taken. The full sum
//! is never chosen: tiles truncated below rounding are never slower than it.
//!
//! The Gauss transform is accurate relative to the mass around a *box*; a cloud whose weights vary by orders of magnitude (a quadrature
//! cloud) would be summed directly in its tails, so such clouds go to the tiles at once.

use super::gauss_transform::Plan;
use super::{Blocks, Drift, DriftField, GaussTransform, Targets, Tolerance};
use crate::cloud::CloudView;
use crate::error::Result;
use crate::scale::Beta;

/// In higher dimensions boxes are many and few points share one; smaller clouds are summed before a transform is set up.
const GAUSS_DIMENSIONS: usize = 2;
const GAUSS_POINTS: usize = 500;
/// Clouds with weights that vary by more than this go to the tiles.
const WEIGHT_SPREAD: f64 = 1e4;

/// Points of the sample whose distances are looked at, and targets they are looked at from.
const SAMPLE: usize = 256;
const TARGETS: usize = 12;
/// Points in a tile, and seconds per ordered pair and multiply-add of a kernel value, measured (see the bench `fma_share`).
const TILE_POINTS: f64 = 64.0;
const SECONDS_PER_OPERATION: f64 = 0.0455e-9;
/// Seconds per point for ordering the cloud and finishing its sums.
const SECONDS_PER_POINT: f64 = 0.08e-6;

/// Chooses the fastest drift for a cloud.
///
/// ```
/// use ebflow::drift::{Auto, Choice};
/// use ebflow::{Beta, Cloud, Targets};
/// let small = Cloud::new((0..100).map(f64::from).collect(), 1)?;
/// let large = Cloud::new((0..100_000).map(|i| 1e-4 * f64::from(i)).collect(), 1)?;
/// let beta = Beta::new(20.0)?;
/// assert_eq!(Auto::default().choose(small.view(), Targets::Sources, beta)?, Choice::Blocks);
/// assert_eq!(Auto::default().choose(large.view(), Targets::Sources, beta)?, Choice::Gauss);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Auto {
    /// Bound on the truncation error of every drift.
    pub tolerance: Tolerance,
}

/// What [`Auto`] decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Pairs of tiles near enough to matter.
    Blocks,
    /// The fast Gauss transform.
    Gauss,
}

/// What the drifts are expected to cost on one thread; for comparisons between them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Forecast {
    /// Forecast of a sum over pairs of tiles, in seconds.
    pub blocks: f64,
    /// Seconds for [`GaussTransform`], where it is an option.
    pub gauss: Option<f64>,
}

impl Auto {
    /// Decides without evaluating.
    pub fn choose(&self, sources: CloudView<'_>, targets: Targets<'_>, beta: Beta) -> Result<Choice> {
        Ok(self.plan(sources, targets, beta)?.map_or(Choice::Blocks, |_| Choice::Gauss))
    }

    /// What the decision rests on.
    pub fn forecast(&self, sources: CloudView<'_>, targets: Targets<'_>, beta: Beta) -> Result<Forecast> {
        let gauss = match self.gauss_is_an_option(sources, beta) {
            true => Some(self.gauss().cost(sources, targets, beta)?.seconds),
            false => None,
        };
        Ok(Forecast { blocks: tile_seconds(sources, targets, beta, self.tolerance), gauss })
    }

    /// How to run the Gauss transform, if that is the faster way.
    fn plan(&self, sources: CloudView<'_>, targets: Targets<'_>, beta: Beta) -> Result<Option<Plan>> {
        if !self.gauss_is_an_option(sources, beta) {
            return Ok(None);
        }
        let plan = self.gauss().plan(sources, targets, beta)?;
        let blocks = tile_seconds(sources, targets, beta, self.tolerance);
        Ok((plan.cost.seconds < blocks).then_some(plan))
    }

    fn gauss_is_an_option(&self, sources: CloudView<'_>, beta: Beta) -> bool {
        sources.dimension <= GAUSS_DIMENSIONS
            && sources.len() >= GAUSS_POINTS
            && self.gauss().is_possible(beta)
            && !weights_vary(sources)
    }

    fn gauss(&self) -> GaussTransform {
        GaussTransform { tolerance: self.tolerance }
    }
}

impl Drift for Auto {
    fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()> {
        match self.plan(cloud, targets, beta)? {
            None => Blocks { tolerance: self.tolerance }.evaluate(cloud, targets, beta, field),
            Some(plan) => self.gauss().follow(plan, cloud, targets, beta, field),
        }
    }
}

fn weights_vary(sources: CloudView<'_>) -> bool {
    let Some(weights) = sources.weights else { return false };
    let positive = || weights.iter().copied().filter(|w| *w > 0.0);
    positive().fold(0.0, f64::max) > WEIGHT_SPREAD * positive().fold(f64::INFINITY, f64::min)
}

/// Expected time of the tiles on one thread: pairs within the cutoff and the width of a tile, by counting in a sample.
fn tile_seconds(sources: CloudView<'_>, targets: Targets<'_>, beta: Beta, tolerance: Tolerance) -> f64 {
    let (d, count) = (sources.dimension, sources.len() as f64);
    // A self-drift sums each unordered pair once.
    let (rows, points, sides) = match targets {
        Targets::Sources => (count, sources.points, 1.0),
        Targets::Points(points) => ((points.len() / d) as f64, points, 2.0),
    };
    let widths = tolerance.for_kernel(beta) * beta.get().sqrt();
    let cutoff = (2.0 * (count / widths).ln().max(1.0) / beta.get()).sqrt();
    let sample: Vec<&[f64]> = spaced(sources.points, d, SAMPLE).collect();
    let near: Vec<f64> =
        spaced(points, d, TARGETS).map(|target| near_share(target, &sample, cutoff, count)).collect();
    let share = near.iter().sum::<f64>() / near.len().max(1) as f64;
    let operations = (3 * d + 10) as f64;
    let pairs = rows * count * share;
    SECONDS_PER_POINT * (rows + count) / sides + sides * pairs * operations * SECONDS_PER_OPERATION
}

/// The share of a sample within the cutoff of a target's tile.
fn near_share(target: &[f64], sample: &[&[f64]], cutoff: f64, count: f64) -> f64 {
    let distance =
        |point: &&[f64]| point.iter().zip(target).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let mut distances: Vec<f64> = sample.iter().map(distance).collect();
    let reach = cutoff + tile_radius(&mut distances, target.len(), count);
    distances.iter().filter(|r| **r <= reach).count() as f64 / distances.len() as f64
}

/// The distance within which a target has as many neighbours as fit in a tile, from its distances to a sample.
fn tile_radius(distances: &mut [f64], dimension: usize, count: f64) -> f64 {
    let wanted = TILE_POINTS * distances.len() as f64 / count;
    let at = (wanted.ceil() as usize).min(distances.len() - 1);
    let (_, radius, _) = distances.select_nth_unstable_by(at, f64::total_cmp);
    *radius * (wanted / at.max(1) as f64).min(1.0).powf(1.0 / dimension as f64)
}

/// About `most` rows, evenly spaced in the order of the cloud.
fn spaced(points: &[f64], dimension: usize, most: usize) -> impl Iterator<Item = &[f64]> {
    let stride = (points.len() / dimension).div_ceil(most).max(1);
    points.chunks_exact(dimension).step_by(stride)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::Cloud;

    #[test]
    fn quadrature_weights_go_to_the_tiles() {
        let n = 50_000;
        let points = (0..n).map(|i| 10.0 * f64::from(i) / f64::from(n) - 5.0).collect::<Vec<_>>();
        let mut weights: Vec<f64> = points.iter().map(|x| (-x * x).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|w| *w /= total);
        let cloud = Cloud::new(points, 1).unwrap();
        let beta = Beta::new(20.0).unwrap();
        let choice = |cloud: &Cloud| Auto::default().choose(cloud.view(), Targets::Sources, beta).unwrap();
        assert_eq!(choice(&cloud), Choice::Gauss);
        assert_eq!(choice(&cloud.with_weights(weights).unwrap()), Choice::Blocks);
    }

    #[test]
    fn extremes_are_decided_without_a_fuss() {
        let beta = Beta::new(20.0).unwrap();
        for points in [vec![0.5], vec![1.0; 300], vec![0.0, 1e150], vec![0.0, 0.0, 1e6]] {
            let cloud = Cloud::new(points, 1).unwrap();
            let mut field = DriftField::default();
            Auto::default().evaluate(cloud.view(), Targets::Sources, beta, &mut field).unwrap();
            assert!(field.velocity.iter().all(|v| *v == 0.0));
        }
    }
}
