//! How large a ball must be for `N` Gaussian points to stay inside.
//!
//! # Formula
//! `Y ~ N(a, Γ)` in `R^d`, `λ₊` the largest eigenvalue of `Γ`. As `|Y| ≤ |a| + √λ₊ |Z|` with `Z` standard normal,
//! ```text
//! q_R ≤ Q(d/2, x),   x = (R − |a|)²/2λ₊,      Q(s, x) ≤ x^{s−1}e^{−x}/Γ(s) · 1/(1 − (s−1)₊/x),
//! ```
//! with equality in the first for `a = 0`, `Γ = λ₊I`. Hence `Nq_R → 0` if `x = ln N + (d/2 − 1) ln ln N + ω`, `ω → ∞`,
//! and for isotropic centred laws only then:
//! `Nq_R ≈ e^{−ω}/Γ(d/2)`. The choice `ω = ln ln N` gives
//! ```text
//! R_N = |a| + (2λ₊ (ln N + (d/2) ln ln N))^{1/2}.
//! ```
//! With `R = c√ln N` and `a = 0`, `Γ = λ₊I`, `Nq_R` is `N^{1−c²/2λ₊}` times a power of `ln N`: it vanishes if
//! `c² > 2λ₊` and diverges if `c² < 2λ₊`.

use statrs::function::gamma::gamma;

use crate::error::{Error, Result};
use crate::law::Gaussian;
use crate::measured::Measured;
use crate::numeric::root::bisect;

/// `λ₊`.
pub(super) fn largest_variance(law: &Gaussian) -> f64 {
    law.covariance().variances().max()
}

/// `|a|`.
pub(super) fn offset(law: &Gaussian) -> f64 {
    law.mean().iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// `R_N`, at which the loss vanishes like `1/ln N`; for `N ≥ 3`, where `ln ln N` is positive.
pub(super) fn sufficient(law: &Gaussian, n: f64) -> f64 {
    let half = 0.5 * law.mean().len() as f64;
    offset(law) + (2.0 * largest_variance(law) * (n.ln() + half * n.ln().ln())).sqrt()
}

/// The bound on `N q_R` that follows.
pub(super) fn expected_losses(law: &Gaussian, radius: f64, n: f64) -> Measured {
    let s = 0.5 * law.mean().len() as f64;
    let x = (radius - offset(law)).powi(2) / (2.0 * largest_variance(law));
    let bound = n * ((s - 1.0) * x.ln() - x).exp() / gamma(s) / (1.0 - (s - 1.0).max(0.0) / x);
    // The exponent is rounded relative to x.
    Measured::known_to(bound, 16.0 * f64::EPSILON * (1.0 + x) * bound)
}

/// `1 − (1 − q)^N` with the error bar of `q`.
pub(super) fn loss(tail: Measured, n: f64) -> Measured {
    let of = |q: f64| -(n * (-q.min(1.0)).ln_1p()).exp_m1();
    let change = of(tail.value + tail.numerical) - of(tail.value);
    Measured::known_to(of(tail.value), change)
}

/// The radius at which a decreasing function of it falls to a level, between zero and `far`.
pub(super) fn root(f: impl Fn(f64) -> Result<f64>, level: f64, far: f64) -> Result<f64> {
    let [_, radius] = bisect(0.0, far, |radius| Ok::<_, Error>(f(radius)? > level))?;
    Ok(radius)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_exact_in_the_plane() {
        let law = Gaussian::isotropic(vec![0.0, 0.0], 0.5).unwrap();
        for n in [1e2, 1e6, 1e12] {
            // x = ln N + ln ln N, so that N e^{−x} = 1/ln N.
            let bound = expected_losses(&law, sufficient(&law, n), n);
            assert!((bound.value * f64::ln(n) - 1.0).abs() < 1e-13, "{bound:?}");
        }
    }

    #[test]
    fn few_losses_are_losses_in_expectation() {
        let tail = Measured::known_to(1e-14, 1e-28);
        assert!((loss(tail, 1e6).value / 1e-8 - 1.0).abs() < 1e-7);
        assert_eq!(loss(Measured::exact(1.0), 3.0).value, 1.0);
    }

    #[test]
    fn roots_are_found() {
        assert!((root(|r| Ok((-r * r).exp()), 0.25, 10.0).unwrap() - 4.0_f64.ln().sqrt()).abs() < 1e-15);
    }
}
