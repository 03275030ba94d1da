//! The full sum over all pairs.

use super::tiled::{Manner, evaluate};
use super::{Drift, DriftField, Targets};
use crate::cloud::CloudView;
use crate::error::Result;
use crate::scale::Beta;

/// The full sum over all pairs: [`Blocks`](super::Blocks) with an infinite cutoff.
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
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        evaluate(sources, targets, beta, Manner::full(), field)
    }
}
