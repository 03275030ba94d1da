//! `P(|Y| > R)` for Gaussian `Y`, accurate relative to itself however small.
//!
//! # Formula
//! With `x = R²/2λ`, `Y ~ N(a, λI)` in `R^d` has the tail of a non-central chi-square law, a sum of positive terms,
//! ```text
//! P(|Y| > R) = Σ_j Poisson(j; |a|²/2λ) Q(d/2 + j, x),     Q(s + 1, x) = Q(s, x) + x^s e^{−x}/Γ(s + 1),
//! Q(1/2, x) = 2P(ξ > √2x),   Q(1, x) = e^{−x}.
//! ```
//! In the plane, `Y` of variances `v_1, v_2` along its axes, with `y_1 = R sin θ`,
//! ```text
//! P(|Y| > R) = P(|Y_1| > R) + ∫_{−π/2}^{π/2} f_1(R sin θ) P(|Y_2| > R cos θ) R cos θ dθ.
//! ```

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::DVector;
use statrs::function::gamma::ln_gamma;

use crate::error::{Error, Result};
use crate::law::Gaussian;
use crate::measured::Measured;
use crate::numeric::quadrature::SIXTEEN;
use crate::numeric::tail;

/// Panels of the integral over the half circle; its error is judged by half as many.
const PANELS: usize = 32;

/// `P(|Y| > R)`: for isotropic laws in any dimension, for others in the plane.
pub(in crate::claim) fn norm_tail(law: &Gaussian, radius: f64) -> Result<Measured> {
    match law.covariance().isotropic_variance() {
        Some(variance) if variance > 0.0 => Ok(isotropic(law, variance, radius)),
        _ if law.mean().len() == 2 => planar(law, radius),
        _ => Err(Error::Unsupported {
            kind: "gaussian",
            capability: "the exact tail of the norm",
            remedy: "it needs an isotropic covariance or the plane",
        }),
    }
}

/// `P(χ²_d > 2x) = Q(d/2, x)`.
pub(super) fn chi_square_tail(d: usize, x: f64) -> f64 {
    let mut tail = if d % 2 == 1 { 2.0 * tail::upper((2.0 * x).sqrt()) } else { (-x).exp() };
    let first = 2 - d % 2;
    for k in (first..d).step_by(2) {
        tail += increment(0.5 * k as f64, x);
    }
    tail
}

/// `Q(s + 1, x) − Q(s, x) = x^s e^{−x}/Γ(s + 1)`.
fn increment(s: f64, x: f64) -> f64 {
    (s * x.ln() - x - ln_gamma(s + 1.0)).exp()
}

fn isotropic(law: &Gaussian, variance: f64, radius: f64) -> Measured {
    let (d, x) = (law.mean().len(), 0.5 * radius * radius / variance);
    let rate = 0.5 * law.mean().iter().map(|a| a * a).sum::<f64>() / variance;
    let mut tail = chi_square_tail(d, x);
    let (mut sum, mut j, mut weight) = ((-rate).exp() * tail, 0.0, (-rate).exp());
    // Tails are at most one, and beyond its rate Poisson's law falls faster than a geometric one.
    while j <= rate || weight / (1.0 - rate / (j + 1.0)) > f64::EPSILON * sum {
        tail += increment(0.5 * d as f64 + j, x);
        j += 1.0;
        weight *= rate / j;
        sum += weight * tail;
        if weight == 0.0 {
            break;
        }
    }
    // Exponents of size x, rate and their like are rounded relatively, sums once per term.
    let error = 16.0 * f64::EPSILON * (1.0 + x + rate + j);
    Measured::known_to(sum, error * sum)
}

fn planar(law: &Gaussian, radius: f64) -> Result<Measured> {
    let axes = law.covariance().matrix().symmetric_eigen();
    let offsets = axes.eigenvectors.transpose() * DVector::from_column_slice(law.mean());
    let spread = axes.eigenvalues.map(f64::sqrt);
    if spread.min() <= 0.0 {
        return Err(Error::InvalidLaw {
            kind: "gaussian",
            problem: "the covariance is singular; add noise first".into(),
        });
    }
    let beyond = |axis: usize, distance: f64| {
        let above = |offset: f64| tail::upper((distance - offset) / spread[axis]);
        above(offsets[axis]) + above(-offsets[axis])
    };
    let density = |y: f64| {
        let standard = (y - offsets[0]) / spread[0];
        (-0.5 * standard * standard).exp() / (spread[0] * (2.0 * PI).sqrt())
    };
    let integral = |panels: usize| -> f64 {
        let value = |theta: f64| {
            let (sine, cosine) = theta.sin_cos();
            density(radius * sine) * beyond(1, radius * cosine) * radius * cosine
        };
        SIXTEEN.panels(-FRAC_PI_2, FRAC_PI_2, panels).map(|node| node.weight * value(node.at)).sum()
    };
    let (fine, coarse) = (integral(PANELS), integral(PANELS / 2));
    let tail = beyond(0, radius) + fine;
    let rounding = 16.0 * f64::EPSILON * (1.0 + 0.5 * radius * radius / spread.min().powi(2)) * tail;
    Ok(Measured::known_to(tail, (fine - coarse).abs() + rounding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    struct Case {
        mean: &'static [f64],
        variances: &'static [f64],
        radius: f64,
        tail: f64,
    }

    /// mpmath, 40 digits: the Poisson series over `gammainc`; in the plane the integral above, and to 15 digits an
    /// integral in polar coordinates.
    const REFERENCE: [Case; 10] = [
        Case { mean: &[0.0], variances: &[1.25], radius: 6.0, tail: 8.025_111_266_927_582e-8 },
        Case { mean: &[0.0, 0.0], variances: &[0.25, 0.25], radius: 3.0, tail: 1.522_997_974_471_263e-8 },
        Case { mean: &[0.0; 3], variances: &[1.25; 3], radius: 9.0, tail: 5.535_282_092_952_553e-14 },
        Case { mean: &[0.0; 5], variances: &[2.0; 5], radius: 1.0, tail: 0.992_123_293_232_629_6 },
        Case { mean: &[1.0, 0.0], variances: &[1.25, 1.25], radius: 8.0, tail: 5.582_524_020_822_588e-10 },
        Case { mean: &[0.0, 2.0, 0.0], variances: &[0.5; 3], radius: 5.0, tail: 2.845_187_999_263_62e-5 },
        Case { mean: &[-1.5], variances: &[1.0], radius: 12.0, tail: 4.319_006_317_809_231e-26 },
        Case { mean: &[0.0, 0.0], variances: &[1.25, 0.3], radius: 2.0, tail: 0.088_269_557_586_193_02 },
        Case { mean: &[0.0, 0.0], variances: &[1.25, 0.3], radius: 7.0, tail: 4.405_210_068_953_64e-10 },
        Case { mean: &[1.0, 0.5], variances: &[1.25, 0.3], radius: 5.0, tail: 2.164_317_046_012_217e-4 },
    ];

    #[test]
    fn tails_match_forty_digits_within_their_bars() {
        for case in &REFERENCE {
            let covariance = DMatrix::from_diagonal(&DVector::from_column_slice(case.variances));
            let law = Gaussian::new(case.mean.to_vec(), covariance).unwrap();
            let tail = norm_tail(&law, case.radius).unwrap();
            assert!((tail.value - case.tail).abs() <= tail.numerical, "{tail:?}, not {}", case.tail);
            assert!(tail.numerical < 1e-12 * tail.value, "{tail:?}");
        }
    }

    #[test]
    fn rotations_change_nothing() {
        let (c, s) = (0.6, 0.8);
        let rotation = DMatrix::from_row_slice(2, 2, &[c, -s, s, c]);
        let covariance = DMatrix::from_row_slice(2, 2, &[1.25, 0.0, 0.0, 0.3]);
        let mean = &rotation * DVector::from_column_slice(&[1.0, 0.5]);
        let law =
            Gaussian::new(mean.as_slice().to_vec(), &rotation * covariance * rotation.transpose()).unwrap();
        let tail = norm_tail(&law, 5.0).unwrap();
        assert!((tail.value / 2.164_317_046_012_217e-4 - 1.0).abs() < 1e-12, "{tail:?}");
    }

    #[test]
    fn what_has_no_exact_tail_is_refused() {
        let law = |variances: &[f64]| {
            let covariance = DMatrix::from_diagonal(&DVector::from_column_slice(variances));
            Gaussian::new(vec![0.0; variances.len()], covariance).unwrap()
        };
        assert!(norm_tail(&law(&[1.0, 2.0, 3.0]), 1.0).is_err());
        assert!(norm_tail(&law(&[1.0, 0.0]), 1.0).is_err());
    }
}
