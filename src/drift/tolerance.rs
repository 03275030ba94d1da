//! How much of the kernel sum may be left out.

use serde::Serialize;

use crate::error::{Error, Result};
use crate::scale::Beta;

/// Truncation below rounding: one unit roundoff of the kernel's width `β^(−1/2)`, the length of a typical term.
const BELOW_ROUNDING: f64 = 0.5 * f64::EPSILON;

/// The bound `ε` on `|F − F^c|`, the distance by which truncating the kernel may move any particle's drift.
///
/// ```
/// use ebflow::Beta;
/// use ebflow::drift::Tolerance;
/// assert!(Tolerance::new(-1.0).is_err());
/// let beta = Beta::new(25.0)?;
/// assert_eq!(Tolerance::new(1e-6)?.for_kernel(beta), 1e-6);
/// assert!(Tolerance::default().for_kernel(beta) < 1e-16);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct Tolerance {
    epsilon: Option<f64>,
}

impl Tolerance {
    /// So small that truncation is below rounding for every `β`: the default.
    pub const BELOW_ROUNDING: Self = Self { epsilon: None };

    /// A bound in the cloud's own unit of length.
    pub fn new(epsilon: f64) -> Result<Self> {
        if epsilon > 0.0 && epsilon.is_finite() {
            Ok(Self { epsilon: Some(epsilon) })
        } else {
            Err(Error::InvalidParameter {
                name: "truncation tolerance ε",
                value: epsilon,
                requirement: "a positive finite number (a full sum is what the dense drift is for)",
            })
        }
    }

    /// `ε` as it was asked for; zero stands for "below rounding".
    pub fn get(self) -> f64 {
        self.epsilon.unwrap_or(0.0)
    }

    /// `ε` for a kernel, in the cloud's unit of length.
    pub fn for_kernel(self, beta: Beta) -> f64 {
        self.epsilon.unwrap_or(BELOW_ROUNDING / beta.get().sqrt())
    }
}
