//! Laws near a Gaussian that put as much mass as they can outside an ellipsoid.
//!
//! # Formula
//! `∫_{r>a}(1 + r)dμ ≤ C(1 + a)δ + C(1 + a)^q e^{−(a−1)²/2}` by the paper's proof with a ramp of slope one:
//! ```text
//! ∫_{r>a}(1 + r)dμ ≤ (2 + a)Lδ + (1 + a)P(|Z| > a − 1) + E(|Z| − a)_+,      L = Lip r_t = λ_min(t)^{−1/2}
//! ```
//! so that `3L/2` and any `C ≥ sup_a ((1 + a)P(|Z| > a − 1) + E(|Z| − a)_+)(1 + a)^{−q} e^{(a−1)²/2}` will do. As `P(|Z| > s)` is of order
//! `s^{d−2} e^{−s²/2}`, the least `q` is `d − 1`; with it the supremum is `2 + E(|Z| − 1)_+ = 2.1666` in `d = 1` (at `a = 1`), `1.1988` in `d = 2` (at `a = 1`) and `√(2/π)` in
//! `d = 3` (as `a → ∞`).
//!
//! Laws: a shell `a − h < r ≤ a` of the Gaussian moved to just outside `a`, along rays, which is optimal; a share `ε` moved to a far point, where
//! `W1 = ε E|x0 − X| ≥ ε|x0|`; Gaussians shifted and dilated. All are about `N(0, I)`: `δ` scales with `√λ` and `L` with its inverse.

use nalgebra::DMatrix;

use super::cutoff::CutoffAndTails;
use crate::claim::Row;
use crate::claim::truncation::norm_tail;
use crate::error::Result;
use crate::law::Gaussian;
use crate::measured::Measured;
use crate::metric::between_gaussians;
use crate::numeric::quadrature::{SIXTEEN, in_panels};
use crate::preset::Preset;

/// Tails are integrated this far out, in panels of one half: beyond lies less than `e^{−70}` of what is within.
const REACH: f64 = 12.0;
const PANELS: usize = 24;

/// All laws in one dimension, the worst of each kind; and the Gaussian part by itself.
pub(super) fn rows(claim: &CutoffAndTails, d: usize, preset: Preset) -> Result<Vec<Row>> {
    let steps = if preset == Preset::Quick { 8 } else { 29 };
    let radii = || (0..steps).map(|i| 1.0 + 7.0 * i as f64 / (steps - 1) as f64);
    let normal = Gaussian::isotropic(vec![0.0; d], 1.0)?;
    let mut worst = [Measured::exact(0.0); 4];
    for a in radii() {
        let gaussian = claim.gaussian_part(d, a);
        let part = near(&normal, a)? / gaussian;
        let mut found = vec![(0, part)];
        for share in [0.02, 0.1, 0.3, 0.7, 1.0] {
            let shell = Shell::new(&normal, a, share * a)?;
            found.push((1, shell.mass_outside / (claim.transfer_part(a, shell.distance) + gaussian)));
        }
        for (share, far) in [(1e-3, 30.0), (1e-9, 1e4), (0.1, a + 1e-9)] {
            let outside = (1.0 - share) * tail_of(&normal, a)? + share * (1.0 + far);
            let bound = claim.transfer_part(a, Measured::exact(share * far)) + gaussian;
            found.push((2, outside / bound));
        }
        for (shift, dilation) in [(0.3, 1.0), (0.0, 1.3), (1e-3, 1.0), (1.0, 1.1)] {
            let mut mean = vec![0.0; d];
            mean[0] = shift;
            let law = Gaussian::new(mean, dilation * dilation * DMatrix::identity(d, d))?;
            // A lower bound of the distance makes the right side smaller.
            let distance = Measured::exact(between_gaussians(&law, &normal)?.w1.lower);
            found.push((3, tail_of(&law, a)? / (claim.transfer_part(a, distance) + gaussian)));
        }
        for (kind, ratio) in found {
            worst[kind] = worst[kind].larger(ratio);
        }
    }
    let case = format!("d = {d}, a from 1 to 8");
    let names = [
        "Gaussian part of the proof over C(1 + a)^q exp(−(a−1)²/2), worst",
        "shells moved outwards: tail over its bound, worst",
        "far mass: tail over its bound, worst",
        "shifted and dilated Gaussians: tail over its bound, worst",
    ];
    let row = |(name, worst): (&&str, Measured)| Row::at_most(&case, name, worst, Measured::exact(1.0));
    Ok(names.iter().zip(worst).map(row).collect())
}

impl CutoffAndTails {
    /// `C(1 + a)δ` over `L = 1`.
    fn transfer_part(&self, a: f64, distance: Measured) -> Measured {
        self.transfer * (1.0 + a) * distance
    }

    /// `C(1 + a)^q e^{−(a−1)²/2}`.
    fn gaussian_part(&self, d: usize, a: f64) -> Measured {
        Measured::exact(self.tail * (1.0 + a).powi((self.degree)(d)) * (-0.5 * (a - 1.0).powi(2)).exp())
    }
}

/// `(1 + a)P(|Z| > a − 1) + E(|Z| − a)_+`.
fn near(normal: &Gaussian, a: f64) -> Result<Measured> {
    let inner = if a > 1.0 { norm_tail(normal, a - 1.0)? } else { Measured::exact(1.0) };
    Ok((1.0 + a) * inner + beyond(normal, a)?)
}

/// `E(|Y| − a)_+ = ∫_a^∞ P(|Y| > s) ds`.
fn beyond(law: &Gaussian, a: f64) -> Result<Measured> {
    in_panels(|s| norm_tail(law, s), a, a + REACH, PANELS)
}

/// `E[1 + |Y|; |Y| > a]`.
fn tail_of(law: &Gaussian, a: f64) -> Result<Measured> {
    Ok((1.0 + a) * norm_tail(law, a)? + beyond(law, a)?)
}

/// A shell moved to its outer rim.
struct Shell {
    mass_outside: Measured,
    distance: Measured,
}

impl Shell {
    /// The shell `a − h < |Z| ≤ a`. With `P` the tail, it has the mass `P(a−h) − P(a)`, and moving it takes
    /// `∫_{a−h}^a (P(a−h) − P(s)) ds`.
    fn new(normal: &Gaussian, a: f64, width: f64) -> Result<Self> {
        let inner = a - width;
        let total = if inner > 0.0 { norm_tail(normal, inner)? } else { Measured::exact(1.0) };
        let mass = total - norm_tail(normal, a)?;
        let distance = SIXTEEN.halved(inner, a, |s| match norm_tail(normal, s) {
            Ok(tail) => total.value - tail.value,
            Err(_) => f64::NAN,
        });
        let rounding = width * total.numerical;
        Ok(Self {
            mass_outside: tail_of(normal, a)? + (1.0 + a) * mass,
            distance: distance.widened(rounding),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath 1.4.1 at 30 digits, `gammainc` and `quad`: dimension, `a`, `(1 + a)P(|Z| > a − 1) + E(|Z| − a)_+`.
    const REFERENCE: [(usize, f64, f64); 3] = [
        (1, 1.5, 1.601_301_281_155_143_7),
        (2, 3.0, 0.544_724_825_520_403_5),
        (3, 6.0, 0.000_108_095_952_517_368_4),
    ];

    #[test]
    fn gaussian_parts_of_the_proof() {
        for (d, a, expected) in REFERENCE {
            let found = near(&Gaussian::isotropic(vec![0.0; d], 1.0).unwrap(), a).unwrap();
            assert!((found.value - expected).abs() <= found.numerical, "{d} {a}: {found:?} {expected}");
        }
    }
}
