//! The units in which the kernel sums are carried out.
//!
//! ```text
//! exp(−β|x − z|²/2) = 2^(−κ|2^e x − 2^e z|²),    κ = (β/2)·log₂e / 4^e,    1 ≤ κ < 4
//! ```
//!
//! Multiplying by a power of two is exact, so changing units costs no accuracy, and neither huge coordinates nor extreme `β` overflow
//! a square: every coordinate is at most `2^500`. Where that forces a smaller `e`, `κ` grows instead; a cloud so wide that the kernel would be lost in it
//! (`|z|√β > 1e280`) is refused.

use std::f64::consts::LOG2_E;

use crate::error::{Error, Result};
use crate::scale::Beta;

/// Binary exponent that coordinates do not exceed: differences can still be squared and summed.
const LARGEST_COORDINATE: i32 = 500;

/// A sharper kernel would underflow the squares that matter.
const LARGEST_SHARPNESS: f64 = 1.0e260;

/// A coordinate, in these units, from which every point is beyond the reach of the kernel: where the padding of a tile lies.
pub(super) const FAR_AWAY: f64 = 1.0e153;

/// A power-of-two unit of length and the kernel's sharpness in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    /// `2^e`
    pub(super) per_length: f64,
    /// `2^−e`
    pub(super) length: f64,
    /// `κ`
    pub(super) sharpness: f64,
}

impl Units {
    /// Units for a kernel and for coordinates of magnitude up to `largest`.
    pub(super) fn new(beta: Beta, largest: f64) -> Result<Self> {
        let sharpness = 0.5 * LOG2_E * beta.get();
        let fitting = binary_exponent(sharpness).div_euclid(2);
        let exponent = fitting.min(LARGEST_COORDINATE - 1 - binary_exponent(largest));
        let (per_length, length) = (2.0_f64.powi(exponent), 2.0_f64.powi(-exponent));
        let sharpness = sharpness * length * length;
        if sharpness > LARGEST_SHARPNESS {
            return Err(Error::InvalidParameter {
                name: "largest coordinate",
                value: largest,
                requirement: "below 1e280/√β, so that the kernel's width is not lost beside it; remove far outliers first",
            });
        }
        Ok(Self { per_length, length, sharpness })
    }
}

/// `⌊log₂ x⌋` for positive normal `x`; some number not above −1022 for all smaller ones.
fn binary_exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// The largest magnitude among coordinates.
pub(super) fn largest_magnitude(points: &[f64]) -> f64 {
    let mut largest = 0.0_f64;
    for x in points {
        largest = largest.max(x.abs());
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_makes_the_kernel_about_one_wide() {
        for beta in [1e-300, 0.3, 1.0, 20.0, 200.0, 1e12, 1e300] {
            let units = Units::new(Beta::new(beta).unwrap(), 1.0).unwrap();
            assert!((1.0..4.0).contains(&units.sharpness), "β = {beta}: {}", units.sharpness);
            assert_eq!(units.length * units.per_length, 1.0);
        }
    }

    #[test]
    fn huge_coordinates_can_be_squared() {
        for (beta, largest) in [(1.0, 1e150), (20.0, 1e270), (1e300, 1e120), (1e-300, f64::MAX)] {
            let units = Units::new(Beta::new(beta).unwrap(), largest).unwrap();
            assert!((largest * units.per_length).powi(2) < 1e302);
            assert!(units.sharpness.is_finite() && units.length.is_finite());
        }
        for (beta, largest) in [(20.0, f64::MAX), (1e300, 1e200), (f64::MAX, f64::MAX)] {
            assert!(Units::new(Beta::new(beta).unwrap(), largest).is_err());
        }
    }
}
