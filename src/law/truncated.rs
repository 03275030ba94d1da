//! Laws conditioned on a ball: `f^{[R]} = f(· | |X| ≤ R)`, from which truncated initial clouds are drawn.
//!
//! This is the reading in which tokens are i.i.d. from the truncated law; [`Cloud::truncated_to`] is the other one, which filters
//! a sample that is already there.
//!
//! # Formula
//! `p_R = P(|X| ≤ R)`. For `N(m, vI)` in `R^d` it is the non-central chi-square
//! `Σ_j Poisson(j; |m|²/2v) P(χ²_{d+2j} ≤ R²/v)`; on the line it is a difference of tails.
//!
//! # Paper
//! `alg:truncated-sequential-posterior`

use statrs::function::gamma::{gamma_lr, ln_gamma};

use super::gaussian::Gaussian;
use super::generator::{Generator, draw_rows};
use super::line::LineLaw;
use super::{Kind, Law};
use crate::cloud::{Cloud, norm};
use crate::error::{Error, Result};
use crate::scale::BallRadius;

/// Draws in a row that may miss the ball before its mass counts as hopeless.
const MAX_MISSES: usize = 2_000_000;
/// Means farther out, in standard deviations, would need too many terms of the chi-square series and lose digits.
const LARGEST_OFFSET: f64 = 1e3;
/// Poisson terms beyond this many standard deviations from the largest one are below rounding.
const POISSON_REACH: f64 = 9.0;

/// A law conditioned on `|X| ≤ R`.
///
/// ```
/// use ebflow::BallRadius;
/// use ebflow::law::{Law, generator};
/// let law = Law::parse(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#)?;
/// let truncated = law.truncated(BallRadius::new(1.0)?);
/// let mass = truncated.mass().unwrap();                  // 1 − e^{−1/2} in the plane
/// assert!((mass + (-0.5_f64).exp_m1()).abs() < 1e-14);
/// assert_eq!(truncated.sample(10, &mut generator(1))?.len(), 10);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TruncatedLaw {
    law: Law,
    radius: BallRadius,
}

impl Law {
    /// The law conditioned on the closed ball of radius `R` about the origin.
    pub fn truncated(&self, radius: BallRadius) -> TruncatedLaw {
        TruncatedLaw { law: self.clone(), radius }
    }
}

impl TruncatedLaw {
    /// What was truncated.
    pub fn law(&self) -> &Law {
        &self.law
    }

    /// `R`, beyond which there is no mass.
    pub fn radius(&self) -> BallRadius {
        self.radius
    }

    /// `n` independent points, by drawing from the whole law until they fall into the ball.
    pub fn sample(&self, n: usize, generator: &mut Generator) -> Result<Cloud> {
        draw_rows(n, self.law.dimension(), |row| self.draw(generator, row))
    }

    fn draw(&self, generator: &mut Generator, out: &mut [f64]) -> Result<()> {
        let (radius, mut nearest) = (self.radius.get(), f64::INFINITY);
        for _ in 0..MAX_MISSES {
            self.law.kind().draw(generator, out);
            let distance = norm(out);
            if distance <= radius {
                return Ok(());
            }
            nearest = nearest.min(distance);
        }
        Err(Error::NoTokenInBall { radius, nearest })
    }

    /// `p_R = P(|X| ≤ R)`, where it is known exactly: on the line, for atoms, and for isotropic Gaussians and their mixtures.
    pub fn mass(&self) -> Option<f64> {
        let radius = self.radius.get();
        match &self.law {
            law if law.dimension() == 1 => law.kind().projection(&[1.0]).map(|line| line.ball_mass(radius)),
            Law::Gaussian(gaussian) => gaussian_mass(gaussian, radius),
            Law::Mixture(mixture) => {
                let masses = mixture.components().iter().map(|component| gaussian_mass(component, radius));
                let terms =
                    mixture.weights().iter().zip(masses).map(|(weight, mass)| mass.map(|m| weight * m));
                terms.sum()
            }
            Law::Atoms(atoms) => {
                let pairs = atoms.points().iter().zip(atoms.weights());
                Some(pairs.filter(|(point, _)| norm(point) <= radius).map(|(_, weight)| weight).sum())
            }
            Law::Laplace(_) | Law::Uniform(_) | Law::Student(_) | Law::Product(_) => None,
        }
    }

    /// The exact truncated law, on the line only: in more dimensions a projection of it has no closed form.
    pub fn on_line(&self) -> Result<LineLaw> {
        self.law.on_line()?.truncated(self.radius)
    }
}

/// The mass that an isotropic Gaussian leaves in the ball.
fn gaussian_mass(gaussian: &Gaussian, radius: f64) -> Option<f64> {
    let std = gaussian.covariance().isotropic_variance()?.sqrt();
    let offset = norm(gaussian.mean());
    if std == 0.0 {
        return Some(if offset <= radius { 1.0 } else { 0.0 });
    }
    (offset / std <= LARGEST_OFFSET)
        .then(|| noncentral_chi_square(gaussian.dimension(), offset / std, radius / std))
}

/// `P(|Z + offset·e| ≤ radius)` for a standard normal `Z` in `R^d`.
fn noncentral_chi_square(d: usize, offset: f64, radius: f64) -> f64 {
    let (rate, half_square) = (0.5 * offset * offset, 0.5 * radius * radius);
    if half_square == 0.0 || half_square.is_infinite() {
        return half_square.min(1.0);
    }
    let central = |j: f64| gamma_lr(0.5 * d as f64 + j, half_square);
    if rate == 0.0 {
        return central(0.0);
    }
    let reach = POISSON_REACH * (1.0 + rate.sqrt()) + POISSON_REACH;
    let (first, last) = ((rate - reach).max(0.0).floor(), (rate + reach).ceil());
    let poisson = |j: f64| (j * rate.ln() - rate - ln_gamma(j + 1.0)).exp();
    (first as u64..=last as u64).map(|j| poisson(j as f64) * central(j as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::generator;

    const SEED: u64 = 271_828;

    fn truncated(law: &str, radius: f64) -> TruncatedLaw {
        Law::parse(law).unwrap().truncated(BallRadius::new(radius).unwrap())
    }

    struct Case {
        dimension: usize,
        offset: f64,
        radius: f64,
        mass: f64,
    }

    /// mpmath, 40 digits: the Poisson series over `gammainc`.
    const REFERENCE: [Case; 8] = [
        Case { dimension: 2, offset: 0.0, radius: 1.5, mass: 0.6753475326416503 },
        Case { dimension: 3, offset: 0.0, radius: 2.0, mass: 0.7385358700508894 },
        Case { dimension: 5, offset: 0.0, radius: 0.1, mass: 5.300270042686519e-07 },
        Case { dimension: 2, offset: 1.0, radius: 1.5, mass: 0.5119600008646991 },
        Case { dimension: 3, offset: 2.5, radius: 1.0, mass: 0.015116607001484154 },
        Case { dimension: 4, offset: 10.0, radius: 9.5, mass: 0.25650592694247354 },
        Case { dimension: 2, offset: 60.0, radius: 61.0, mass: 0.8393365870977184 },
        Case { dimension: 8, offset: 0.0, radius: 9.0, mass: 0.9999999999999692 },
    ];

    /// The incomplete gamma function is good to about this much.
    const GAMMA: f64 = 1e-12;

    #[test]
    fn masses_match_forty_digits() {
        for case in &REFERENCE {
            let mass = noncentral_chi_square(case.dimension, case.offset, case.radius);
            assert!((mass / case.mass - 1.0).abs() < GAMMA, "{mass}, not {}", case.mass);
        }
        // mpmath, 30 digits, as a single integral; the series loses digits like the square of the offset.
        assert!((noncentral_chi_square(2, 1000.0, 1000.5) - 0.691_286_450_587_222_9).abs() < 1e-8);
        for extreme in [1e-200, 1e-100, 1e100, 1e200] {
            let mass = noncentral_chi_square(3, 2.0, extreme);
            assert_eq!(mass.round(), if extreme < 1.0 { 0.0 } else { 1.0 });
        }
    }

    /// The share of draws in the ball is its mass, and truncated draws are the draws that fall into it.
    #[test]
    fn rejection_keeps_exactly_the_draws_inside() {
        const DRAWS: usize = 20_000;
        let laws = [
            r#"{ kind = "gaussian", mean = [1, 0.5, 0], std = 1 }"#,
            r#"{ kind = "mixture", weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.5 }"#,
            r#"{ kind = "atoms", points = [[0, 0.5], [2, 0]], weights = [0.25, 0.75] }"#,
            r#"{ kind = "laplace", mean = 0.5, scale = 1 }"#,
            r#"{ kind = "uniform", low = -1, high = 3 }"#,
        ];
        for text in laws {
            let truncated = truncated(text, 1.25);
            let whole = truncated.law().sample(DRAWS, &mut generator(SEED)).unwrap();
            let filtered = whole.truncated_to(truncated.radius()).unwrap();
            let drawn = truncated.sample(filtered.len(), &mut generator(SEED)).unwrap();
            assert_eq!(drawn.points(), filtered.points(), "{text}");
            let (mass, share) = (truncated.mass().unwrap(), filtered.len() as f64 / DRAWS as f64);
            let error = (mass * (1.0 - mass) / DRAWS as f64).sqrt();
            assert!((share - mass).abs() < 5.0 * error, "{text}: {share}, not {mass}");
        }
    }

    #[test]
    fn hopeless_balls_are_refused_in_finite_time() {
        let truncated = truncated(r#"{ kind = "gaussian", mean = [20, 0], std = 1 }"#, 1.0);
        let error = truncated.sample(1, &mut generator(SEED)).unwrap_err().to_string();
        assert!(error.contains("increase R or resample"), "{error}");
        assert!(truncated.mass().unwrap() < 1e-70);
        assert!(truncated.on_line().unwrap_err().to_string().contains("dimension 2"));
    }

    #[test]
    fn unknown_masses_are_not_guessed() {
        assert_eq!(
            truncated(r#"{ kind = "gaussian", mean = [0, 0], cov = [[1, 0], [0, 2]] }"#, 1.0).mass(),
            None
        );
    }
}
