//! [`ErrorBar`]: how far the end of a run may be from the exact flow of the same cloud.
//!
//! The *estimate* compares the end of the run with that of a better one, which takes the same steps in halves by another rule (`halved`), or with that
//! of the [reference](super::Integrator::reference_integrator) of a network. The *bound* needs no second run: it follows the error along the path, with its sign
//! as far as it can be computed, and bounds the rest; [`bound`](super::bound) derives it and says what is proved and what is assumed.
//!
//! # Rounding
//! No estimate is below what rounding may have done, to first order and without what the flow makes of it (which both runs feel, so that their difference shows
//! it). With `u` the unit roundoff, `n` steps, positions `y` about the origin and `z` where they are, `ρ` the drift's certificate of its rounding,
//! ```text
//! u |z| + (n + 2) u |y| + T ρ
//! ```

use super::bound::{Bound, Refusal};
use crate::cloud::{Cloud, norm};

/// How far the end of a run may be from the exact flow of the same cloud.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorBar {
    /// The error as far as it can be computed, when asked for.
    pub estimate: Option<ErrorEstimate>,
    /// A bound, when asked for and found.
    pub bound: Option<Bound>,
    /// Why there is no bound although one was asked for.
    pub refusal: Option<Refusal>,
}

/// An estimate of the time-integration error: not a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorEstimate {
    /// The largest distance of a particle from where the flow would have taken it.
    pub max: f64,
    /// The weighted mean of those distances. Matching every particle with itself is a coupling, so this estimates an
    /// upper bound of `W1` between the computed and the exact empirical measure.
    pub mean: f64,
    /// What the two say.
    pub quality: Quality,
    /// Evaluations that the error bar took on top of [`Statistics::evaluations`](super::Statistics::evaluations); a Jacobian–vector
    /// product counts as one.
    pub evaluations: u64,
}

/// What an [`ErrorEstimate`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quality {
    /// How large the error is.
    Resolved,
    /// The error is below what rounding may do, which is what the estimate holds.
    BelowRounding,
    /// Particles are off by a good part of the kernel's width: steps are too long to tell more than that. Only the order of magnitude can be trusted.
    Coarse,
}

impl Quality {
    /// In words, unless the estimate simply says how large the error is.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Self::Resolved => None,
            Self::BelowRounding => Some("below rounding: the number is what rounding may have done"),
            Self::Coarse => {
                Some("steps are too coarse for an estimate: only the order of magnitude can be trusted")
            }
        }
    }
}

/// An error of this many widths `β^{−1/2}` of the kernel is no small perturbation any more.
const COARSE: f64 = 0.25;

/// Lengths that an error is measured against.
pub(super) struct Lengths {
    /// What the run's roundings may have done to any particle.
    pub rounding: f64,
    /// `β^{−1/2}`
    pub kernel: f64,
}

impl Lengths {
    fn quality(&self, error: f64) -> Quality {
        if error > COARSE * self.kernel {
            Quality::Coarse
        } else if error > self.rounding || self.rounding == 0.0 {
            Quality::Resolved
        } else {
            Quality::BelowRounding
        }
    }
}

impl ErrorEstimate {
    /// Compares where a run ended with where a much better one did.
    pub(super) fn between(end: &Cloud, better: &Cloud, lengths: &Lengths, evaluations: u64) -> Self {
        let apart: Vec<f64> = end.points().iter().zip(better.points()).map(|(a, b)| a - b).collect();
        let distances: Vec<f64> = apart.chunks_exact(end.dimension()).map(norm).collect();
        let max = distances.iter().copied().fold(0.0, f64::max);
        let mean: f64 = distances.iter().enumerate().map(|(i, e)| end.weight(i) * e).sum();
        let (quality, least) = (lengths.quality(max), lengths.rounding);
        Self { max: max.max(least), mean: mean.max(least), quality, evaluations }
    }
}
