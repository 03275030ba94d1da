//! The mean length of a Gaussian vector.
//!
//! # Formula
//! With `X_i = δ_i + s_i ξ_i` and `Q = |X|²`, from `√q = (1/2√π) ∫_0^∞ (1 − e^{−tq}) t^{−3/2} dt`,
//! ```text
//! E|X| = (1/2√π) ∫_{−∞}^∞ (1 − E e^{−tQ}) t^{−1/2} dx,   t = e^x,
//! E e^{−tQ} = Π_i (1 + 2ts_i²)^{−1/2} exp(−tδ_i²/(1 + 2ts_i²)).
//! ```
//! The integrand is analytic for `|Im x| < π/2` and decays like `e^{−|x|/2}`, so the trapezoid rule of step `h` misses the
//! integral by `e^{−π²/h}`. For `δ = 0` and equal `s_i = s` it is `s c_d`, `c_d = √2 Γ((d+1)/2)/Γ(d/2)`.

use std::f64::consts::{FRAC_2_PI, PI};

/// Step of the trapezoid rule: `e^{−π²/h} = 7e-18`.
const STEP: f64 = 0.25;
/// Nodes on either side; beyond them lies `e^{−40} = 4e-18` of the integral.
const NODES: i32 = 320;

/// `c_d = √2 Γ((d+1)/2)/Γ(d/2)`, the mean length of a standard normal vector in `R^d`.
///
/// ```
/// assert!((ebflow::metric::mean_length(2) - (std::f64::consts::PI / 2.0).sqrt()).abs() < 1e-15);
/// ```
pub fn mean_length(dimension: usize) -> f64 {
    // c_{k+2} = c_k (k+1)/k, from c_1 = √(2/π) and c_2 = √(π/2).
    let start = if dimension.is_multiple_of(2) { (2, (PI / 2.0).sqrt()) } else { (1, FRAC_2_PI.sqrt()) };
    let steps = (start.0..dimension).step_by(2);
    if dimension == 0 { 0.0 } else { steps.fold(start.1, |c, k| c * (k + 1) as f64 / k as f64) }
}

/// One coordinate `δ + sξ` of a Gaussian vector along its principal axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    pub(crate) offset: f64,
    pub(crate) std: f64,
}

/// `E|X|` for independent coordinates `δ_i + s_i ξ_i`.
pub(crate) fn expected_norm(axes: &[Axis]) -> f64 {
    let largest = axes.iter().fold(0.0_f64, |m, axis| m.max(axis.offset.abs()).max(axis.std));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let squares: Vec<(f64, f64)> = axes
        .iter()
        .map(|axis| ((axis.offset / largest).powi(2), 2.0 * (axis.std / largest).powi(2)))
        .collect();
    let log_laplace = |t: f64| {
        let term = |&(offset_2, twice_variance): &(f64, f64)| {
            let growth = t * twice_variance;
            0.5 * growth.ln_1p() + t * offset_2 / (1.0 + growth)
        };
        -squares.iter().map(term).sum::<f64>()
    };
    let node = |k: i32| {
        let x = STEP * f64::from(k);
        -log_laplace(x.exp()).exp_m1() * (-0.5 * x).exp()
    };
    // The smallest terms first.
    let sum: f64 = (1..=NODES).rev().map(|k| node(k) + node(-k)).sum::<f64>() + node(0);
    largest * STEP * sum / (2.0 * PI.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trapezoid rule is exact to rounding; the sum has 641 terms.
    const ROUNDOFF: f64 = 1e-14;

    fn close(axes: &[(f64, f64)], exact: f64) {
        let axes: Vec<Axis> = axes.iter().map(|&(offset, std)| Axis { offset, std }).collect();
        let ours = expected_norm(&axes);
        assert!((ours / exact - 1.0).abs() < ROUNDOFF, "{ours}, not {exact}");
    }

    /// mpmath, 40 digits: `√2 s Γ((d+1)/2)/Γ(d/2) · 1F1(−½; d/2; −ν²/2s²)`, the offset `ν` along one axis.
    #[test]
    fn isotropic_vectors_match_the_confluent_function() {
        let vector = |d: usize, s: f64, nu: f64| {
            let mut axes = vec![(0.0, s); d];
            axes[d / 2].0 = -nu;
            axes
        };
        close(&vector(1, 1.0, 0.0), 0.797_884_560_802_865_4);
        close(&vector(1, 0.5, 2.0), 2.000_007_145_258_432_4);
        close(&vector(2, 1.0, 1.0), 1.548_572_460_551_145_4);
        close(&vector(2, 1e-3, 1.0), 1.000_000_500_000_125);
        close(&vector(3, 0.1, 3.0), 3.003_333_333_333_333_3);
        close(&vector(5, 2.0, 0.3), 4.264_951_254_729_825);
        close(&vector(50, 1.0, 4.0), 8.085_843_810_381_76);
    }

    /// mpmath, 40 digits: `√(2/π) s₁ E(1 − s₂²/s₁²)` in the plane, `2√(2/π) R_G(s₁², s₂², s₃²)` in space.
    #[test]
    fn centred_ellipsoids_match_elliptic_integrals() {
        close(&[(0.0, 1.0), (0.0, 0.3)], 0.874_862_482_394_713_4);
        close(&[(0.0, 1e-4), (0.0, 2.0)], 1.595_769_143_128_231_7);
        close(&[(0.0, 1.0), (0.0, 0.999)], 1.252_687_558_618_163);
        close(&[(0.0, 1.0), (0.0, 2.0), (0.0, 0.3)], 1.965_304_579_284_934);
    }

    /// mpmath, 20 digits: the two-dimensional integral of `|x|` against the density, cut at the tip of the cone.
    #[test]
    fn off_centre_ellipses_match_a_direct_integral() {
        close(&[(0.7, 1.0), (-1.2, 0.5)], 1.669_959_514_651_859);
    }

    #[test]
    fn extremes() {
        close(&[(3e200, 0.0), (4e200, 0.0)], 5e200);
        close(&[(0.0, 1e-300)], 1e-300 * FRAC_2_PI.sqrt());
        assert_eq!(expected_norm(&[Axis { offset: 0.0, std: 0.0 }]), 0.0);
        for d in 1..40 {
            close(&vec![(0.0, 0.7); d], 0.7 * mean_length(d));
        }
    }
}
