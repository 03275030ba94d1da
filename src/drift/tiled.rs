//! The kernel sum by tiles, full or truncated, at the sources or elsewhere.

use super::queries::drift_at;
use super::self_drift::self_drift;
use super::sources::Sources;
use super::{Drift, DriftField, Targets, Tolerance};
use crate::cloud::{CloudView, check_points};
use crate::error::Result;
use crate::scale::Beta;
use crate::simd::Instructions;

/// The full sum over all pairs: [`Blocks`] with an infinite cutoff.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::{Beta, Cloud, Drift, DriftField, Targets};
/// let cloud = Cloud::new(vec![-1.0, 1.0], 1)?;
/// let mut field = DriftField::default();
/// Dense.evaluate(cloud.view(), Targets::Sources, Beta::new(1.0)?, &mut field)?;
/// let pull = 2.0 * (-2.0_f64).exp() / (1.0 + (-2.0_f64).exp());
/// assert!((field.velocity[0] - pull).abs() < 1e-15 && (field.velocity[1] + pull).abs() < 1e-15);
/// assert_eq!(field.truncation, [0.0, 0.0]);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Dense;

impl Drift for Dense {
    fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()> {
        evaluate(cloud, targets, beta, Truncation::full(), field)
    }
}

/// The sum over pairs of tiles near enough to matter: points are cut into tiles by recursive splits, and pairs of tiles whose boxes are too far apart
/// are left out. The cutoff follows from the tolerance and from the local mass, so that thin tails keep their relative accuracy;
/// [`DriftField::truncation`] is evaluated with what was really left out.
///
/// ```
/// use ebflow::drift::{Blocks, Tolerance};
/// use ebflow::{Beta, Cloud, Drift, DriftField, Targets};
/// let cloud = Cloud::new((0..1000).map(|i| i as f64).collect(), 1)?;
/// let blocks = Blocks { tolerance: Tolerance::new(1e-3)? };
/// let mut field = DriftField::default();
/// blocks.evaluate(cloud.view(), Targets::Sources, Beta::new(0.1)?, &mut field)?;
/// assert!(field.pairs < 300_000);
/// assert!(field.truncation.iter().all(|bound| *bound <= 1e-3));
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Blocks {
    /// Bound on the truncation error of every drift.
    pub tolerance: Tolerance,
}

impl Drift for Blocks {
    fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()> {
        evaluate(cloud, targets, beta, Truncation::within(self.tolerance.for_kernel(beta)), field)
    }
}

/// How a sum is carried out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truncation {
    /// Bound on the truncation error in the cloud's units of length; zero leaves nothing out.
    pub(super) tolerance: f64,
    /// Instructions of the kernels.
    pub(super) instructions: Instructions,
}

impl Truncation {
    /// Nothing is left out.
    pub(super) fn full() -> Self {
        Self::within(0.0)
    }

    /// Truncation moves no drift by more than the tolerance.
    pub(super) fn within(tolerance: f64) -> Self {
        Self { tolerance, instructions: Instructions::detect() }
    }
}

/// Evaluates the sum.
pub(super) fn evaluate(
    cloud: CloudView<'_>,
    targets: Targets<'_>,
    beta: Beta,
    truncation: Truncation,
    field: &mut DriftField,
) -> Result<()> {
    let d = cloud.dimension;
    check_points(cloud.points, d, "the cloud of sources")?;
    match targets {
        Targets::Sources => {
            field.reset(cloud.len(), d);
            let sources = Sources::new(cloud, &[], beta, truncation)?;
            let mut rest = self_drift(&sources, field);
            if let Some(weights) = cloud.weights {
                rest.extend((0..cloud.len()).filter(|&i| weights[i] <= 0.0));
            }
            drift_at(&sources, cloud.points, rest, field);
        }
        Targets::Points(points) => {
            check_points(points, d, "the set of targets")?;
            field.reset(points.len() / d, d);
            let sources = Sources::new(cloud, points, beta, truncation)?;
            drift_at(&sources, points, (0..points.len() / d).collect(), field);
        }
    }
    Ok(())
}
