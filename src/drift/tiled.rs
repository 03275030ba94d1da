//! The kernel sum by tiles, full or truncated, at the sources or elsewhere.

use super::queries::drift_at;
use super::self_drift::self_drift;
use super::sources::Sources;
use super::{DriftField, Targets, check};
use crate::cloud::CloudView;
use crate::error::Result;
use crate::scale::Beta;
use crate::simd::Instructions;

/// How a sum is carried out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    /// Bound on the truncation error in the cloud's units of length; zero leaves nothing out.
    pub(super) tolerance: f64,
    /// Instructions of the kernels.
    pub(super) instructions: Instructions,
}

impl Manner {
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
    manner: Manner,
    field: &mut DriftField,
) -> Result<()> {
    let d = cloud.dimension;
    check(cloud.points, d, "the cloud of sources")?;
    match targets {
        Targets::Sources => {
            field.reset(cloud.len(), d);
            let sources = Sources::new(cloud, &[], beta, manner)?;
            let mut rest = self_drift(&sources, field);
            if let Some(weights) = cloud.weights {
                rest.extend((0..cloud.len()).filter(|&i| weights[i] <= 0.0));
            }
            drift_at(&sources, cloud.points, rest, field);
        }
        Targets::Points(points) => {
            check(points, d, "the set of targets")?;
            field.reset(points.len() / d, d);
            let sources = Sources::new(cloud, points, beta, manner)?;
            drift_at(&sources, points, (0..points.len() / d).collect(), field);
        }
    }
    Ok(())
}
