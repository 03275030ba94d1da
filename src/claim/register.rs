//! The register: every claim whose evidence was gathered in full and is the same within its bars with AVX-512, AVX2 and portable vectors.

use super::{Claim, confine, expansion, gaussian, kernel, network, recovery, stability, truncation};
use crate::error::nearest;
use crate::error::{Error, Result};

/// All of them, in the order of the paper's argument.
pub fn register() -> Vec<Box<dyn Claim>> {
    vec![
        Box::new(kernel::DriftIsLogGradient::default()),
        Box::new(confine::InvariantBall::default()),
        Box::new(confine::ActionEstimate::default()),
        Box::new(confine::MomentGrowth::default()),
        Box::new(confine::Stability::default()),
        Box::new(kernel::EnergyGradient::default()),
        Box::new(kernel::Tweedie::default()),
        Box::new(kernel::GaussianKernelOnly::default()),
        Box::new(truncation::HardTruncation::default()),
        Box::new(truncation::RetainedFraction::default()),
        Box::new(truncation::GaussianTail::default()),
        Box::new(gaussian::CovarianceEquation::default()),
        Box::new(gaussian::RecoveryRate::default()),
        Box::new(gaussian::HittingTime::default()),
        Box::new(gaussian::DiracHittingTime::default()),
        Box::new(confine::LayersToFlow::default()),
        Box::new(stability::PosteriorContinuity::default()),
        Box::new(stability::ConvolutionBounds::default()),
        Box::new(stability::CutoffAndTails::default()),
        Box::new(stability::AffineStability::default()),
        Box::new(expansion::KernelExpansion::default()),
        Box::new(network::SphereSoftmax::default()),
        Box::new(truncation::TruncatedFlows::default()),
        Box::new(recovery::OneShot::default()),
    ]
}

/// The claim of a register with this id.
pub fn find<'a>(register: &'a [Box<dyn Claim>], id: &str) -> Result<&'a dyn Claim> {
    let named = register.iter().find(|claim| claim.card().id == id);
    let ids: Vec<&'static str> = register.iter().map(|claim| claim.card().id).collect();
    named.map(Box::as_ref).ok_or_else(|| Error::UnknownClaim { id: id.into(), nearest: nearest(id, &ids) })
}
