//! What lies outside a ball, and what truncation to it moves, by quadrature of densities: another way than the closed
//! forms of `moments`.
//!
//! # Formula
//! `A_R = ∫_{|x|>R} |x| f(x) dx`; for rotationally symmetric laws with the radial density `s_d r^{d−1} f(r)`, `s_d = 2π^{d/2}/Γ(d/2)`. Radii `r` of density `g` are
//! truncated to the distribution function `F_R = F/p_R` below `R` and one beyond, so that by Fubini
//! ```text
//! ∫|F_R − F| dr = |1/p_R − 1| ∫_0^R (R − r) g(r) dr + ∫_R^∞ (r − R) g(r) dr.
//! ```
//! Potentials that depend on `|x|` alone are 1-Lipschitz if they are so on the half-line, and rays carry mass along
//! themselves: this is `W1(μ^[R], μ)`.

use std::f64::consts::PI;

use statrs::function::gamma::gamma;

use super::moments::MASS;
use crate::error::Result;
use crate::law::Law;
use crate::measured::Measured;
use crate::numeric::quadrature::in_panels;

/// Integrals stop this far beyond the ball; scales here are at most one, so that less than `e^{−50}` is left out.
const REACH: f64 = 60.0;
/// Panels over that length, each as wide as a scale; inside the ball more than enough.
const PANELS: usize = 60;
/// A density is good to this much times its logarithm, relatively; the laws' own tests hold it to it.
const DENSITY: f64 = 4e-15;

/// `f(x)` and its error bar.
fn density(law: &Law, x: &[f64]) -> Result<Measured> {
    let log = law.log_density(x)?;
    Ok(Measured::known_to(log.exp(), DENSITY * (1.0 + log.abs()) * log.exp()))
}

/// The density of `|X|` where `X` is rotationally symmetric.
fn radial(law: &Law, r: f64) -> Result<Measured> {
    let d = law.dimension();
    let mut x = vec![0.0; d];
    x[0] = r;
    let half = 0.5 * d as f64;
    Ok(density(law, &x)? * (2.0 * PI.powf(half) / gamma(half) * r.powi(d as i32 - 1)))
}

/// `A_R` of a law on the line that is smooth outside the ball, or of a rotationally symmetric one.
pub(super) fn far(law: &Law, radius: f64) -> Result<Measured> {
    let outside =
        |f: &dyn Fn(f64) -> Result<Measured>| in_panels(|r| Ok(r * f(r)?), radius, radius + REACH, PANELS);
    match law.dimension() {
        1 => Ok(outside(&|r| density(law, &[r]))? + outside(&|r| density(law, &[-r]))?),
        _ => outside(&|r| radial(law, r)),
    }
}

/// `∫|F_R − F|` of the radii of a rotationally symmetric law, with the mass that truncation divides by.
pub(super) fn radial_distance(law: &Law, mass: f64, radius: f64) -> Result<Measured> {
    let lost = 1.0 / mass - 1.0;
    let inner = in_panels(|r| Ok((radius - r) * radial(law, r)?), 0.0, radius, PANELS)?;
    let outer = in_panels(|r| Ok((r - radius) * radial(law, r)?), radius, radius + REACH, PANELS)?;
    Ok((lost.abs() * inner + outer).widened(MASS / mass * inner.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elementary: `A_R = e^{−R}(1 + R)` for the Laplace law, `2φ(R)` on the line; and in the plane
    /// `Re^{−R²/2} + √(2π) P(Z > R)`, the tail of the normal law from mpmath with 30 digits.
    #[test]
    fn first_moments_match_closed_forms() {
        let phi = (-1.125_f64).exp() / (2.0 * PI).sqrt();
        let cases = [
            ("{ kind = 'laplace', mean = 0, scale = 1 }", (-1.5_f64).exp() * 2.5),
            ("{ kind = 'gaussian', mean = 0, std = 1 }", 2.0 * phi),
            (
                "{ kind = 'gaussian', mean = [0, 0], std = 1 }",
                1.5 * (-1.125_f64).exp() + (2.0 * PI).sqrt() * 0.066_807_201_268_858_06,
            ),
        ];
        for (law, exact) in cases {
            let ours = far(&Law::parse(law).unwrap(), 1.5).unwrap();
            assert!((ours.value - exact).abs() <= ours.numerical, "{law}: {ours:?}, not {exact}");
            assert!(ours.numerical < 1e-12, "{ours:?}");
        }
    }
}
