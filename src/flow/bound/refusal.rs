//! [`Refusal`]: why there is no bound.

use std::fmt;

/// Why a bound could not be closed. The run itself is as good as its estimate says.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// Within the tube the Jacobian varies so much that its bounds feed on themselves.
    TubeTooWide {
        /// When it happened.
        raw_time: f64,
        /// The particle whose tube was widest, compared with what it may be.
        particle: usize,
        /// The tube's radius there.
        radius: f64,
        /// The kernel's width `β^{−1/2}`, on whose scale the Jacobian varies.
        kernel_width: f64,
    },
    /// In complex time the drift of a particle has a pole too close to any piece of the run, however short.
    TooFast {
        /// When it happened.
        raw_time: f64,
        /// The particle.
        particle: usize,
    },
    /// The bound is only derived for a schedule that does not vary.
    VaryingSchedule,
}

impl Refusal {
    /// Whether a more accurate run may have a bound where this one has none.
    pub(in crate::flow) fn is_a_matter_of_accuracy(&self) -> bool {
        match self {
            Self::TubeTooWide { radius, .. } => radius.is_finite(),
            Self::TooFast { .. } => true,
            Self::VaryingSchedule => false,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TubeTooWide { raw_time, particle, radius, .. } if !radius.is_finite() => write!(
                f,
                "at raw time {raw_time:.4} the exact position of particle {particle} is not known at all: its coordinates are beyond \
                 what double precision resolves; rescale the data"
            ),
            Self::TubeTooWide { raw_time, particle, radius, kernel_width } => write!(
                f,
                "at raw time {raw_time:.4} the exact position of particle {particle} is only known to within {radius:.1e}, \
                 and over such a distance the Jacobian of a kernel of width {kernel_width:.1e} varies too much; \
                 a more accurate run does not help: shorten the horizon or lower β"
            ),
            Self::TooFast { raw_time, particle } => write!(
                f,
                "at raw time {raw_time:.4} the drift of particle {particle} changes too fast for its path to be followed; \
                 a more accurate run does not help: shorten the horizon, and rescale the data if its coordinates are extreme"
            ),
            Self::VaryingSchedule => {
                write!(f, "the bound is derived for a constant inverse temperature; use a constant schedule")
            }
        }
    }
}
