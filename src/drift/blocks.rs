//! The truncated sum over pairs of tiles.

use super::tiled::{Manner, evaluate};
use super::{Drift, DriftField, Targets, Tolerance};
use crate::cloud::CloudView;
use crate::error::Result;
use crate::scale::Beta;

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
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        evaluate(sources, targets, beta, Manner::within(self.tolerance.for_kernel(beta)), field)
    }
}
