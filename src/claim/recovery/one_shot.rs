//! What the one-shot estimator tends to, and that it is not the Bayes estimator.
//!
//! # Formula
//! Stage 2 against the noisy tokens themselves is a posterior mean for the prior `f0`, not `P0`. For `N → ∞`
//! ```text
//! x̂(y) → m_{f0}(y) = y + τ∇log(γ_τ * f0)(y) = y + τ∇log(γ_{2τ} * P0)(y),       Bayes: y + τ∇log(γ_τ * P0)(y)
//! ```
//! The kernel, as wide as the noise, smooths once more what the noise has smoothed already. The mean squared errors are
//! ```text
//! MMSE = E|X|² − E|m_{P0}(Y)|²,        one-shot: MMSE + E|m_{f0}(Y) − m_{P0}(Y)|²
//! ```
//! and for `N(0, s)` they are `sτ/(s + τ)` and, with `c = (s + τ)/(s + 2τ)`, `(1 − c)²s + c²τ`. A kernel that narrows with `N` would do: with variance `h`,
//! `y + (τ/h)(F_h(y) − y) → y + τ∇log(γ_h * f0)(y)`, which is Bayes' for `h → 0`.
//!
//! # Paper
//! the remark on the one-shot predictor, the remark on finite `N`, and the first paragraph of the discussion

use crate::claim::nested::Samples;
use crate::claim::{Card, Claim, Headline, Role, Row, Severity, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift, DriftField, Targets};
use crate::error::Result;
use crate::law::{BayesOracle, Generator, Law};
use crate::measured::Measured;
use crate::metric::{Prior, SupSearch, posterior_sup};
use crate::numeric::quadrature::SIXTEEN;
use crate::posterior::{mean_squared_error, one_shot};
use crate::preset::Preset;
use crate::scale::{BallRadius, Beta, NoiseVariance};

const SEED: u64 = 5_700;
/// The noise variance throughout.
const NOISE: f64 = 0.5;
/// Noisy laws are integrated this many standard deviations beyond their outermost means, by this many panels.
const REACH: f64 = 9.5;
const PANELS: usize = 60;
/// Variance of the kernel that is narrower than the noise, as a share of it.
const NARROW: f64 = 0.04;

static CARD: Card = Card {
    id: "one-shot",
    label: "remark on the one-shot predictor",
    statement: "For N → ∞ the one-shot estimator, Stage 2 against the noisy tokens themselves, coincides with the Bayes-optimal posterior mean.",
    gist: "For N → ∞ the one-shot estimator is the Bayes posterior mean.",
    ours: "",
    regime: "τ = 0.5; Gaussian priors and mixtures in d = 1 and 2; N = ∞ by quadrature, and samples extrapolated to it",
    correction: "it tends to the posterior mean for the prior f0 = γ_τ*P0, y + τ∇log(γ_τ*f0)(y), whose error stays above the MMSE; Bayes' takes a kernel that narrows as N grows, y + (τ/h)(F_h(y) − y), h → 0",
    severity: Some(Severity::False),
    expected: VerdictKind::FailsAsPrinted,
    headline: Headline {
        row: "mixture at (±1, 0), std 0.1, N = ∞: mean squared error of one-shot against the MMSE",
        says: "error of one-shot at N = ∞, and the MMSE",
    },
    plot: None,
};

/// The estimator, and what it is said to tend to.
pub struct OneShot {
    /// Estimates of all tokens.
    pub estimator: fn(&Cloud, NoiseVariance, &dyn Drift) -> Result<Cloud>,
    /// Its limit for a prior: the law whose posterior mean it is.
    pub limit: fn(&Law, NoiseVariance) -> Law,
    /// The first seed.
    pub seed: u64,
}

impl Default for OneShot {
    fn default() -> Self {
        Self { estimator: one_shot, limit: Law::noisy, seed: SEED }
    }
}

/// A prior as the coordinates of which it is a product, each on the line.
struct Case {
    name: &'static str,
    law: &'static str,
    coordinates: &'static [&'static str],
}

const UNIT: &str = "{ kind = 'gaussian', mean = 0, std = 1 }";
const PAIR: &str = "{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }";
const WIDE_PAIR: &str = "{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }";

const CASES: [Case; 3] = [
    Case { name: "N(0, 1)", law: UNIT, coordinates: &[UNIT] },
    Case { name: "mixture on the line, std 0.5", law: WIDE_PAIR, coordinates: &[WIDE_PAIR] },
    Case {
        name: "mixture at (±1, 0), std 0.1",
        law: "{ kind = 'mixture', weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }",
        coordinates: &[PAIR, "{ kind = 'gaussian', mean = 0, std = 0.1 }"],
    },
];

const QUICK: Samples = Samples { particles: 1024, sizes: 2, seeds: 100 };
const FULL: Samples = Samples { particles: 8192, sizes: 2, seeds: 200 };

impl Claim for OneShot {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let samples = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for case in &CASES {
            rows.extend(self.rows(case, samples)?);
        }
        Ok(rows)
    }
}

/// Mean squared errors of a prior, per token.
pub(super) struct Risks {
    /// The least there is.
    pub bayes: Measured,
    /// That of the posterior mean for another prior.
    pub of_limit: Measured,
}

impl OneShot {
    fn rows(&self, case: &Case, samples: Samples) -> Result<Vec<Row>> {
        let (noise, prior) = (NoiseVariance::new(NOISE)?, Law::parse(case.law)?);
        let limit = (self.limit)(&prior, noise);
        let [mut bayes, mut of_limit] = [Measured::exact(0.0); 2];
        for coordinate in case.coordinates {
            let law = Law::parse(coordinate)?;
            let risks = risks(&law, &(self.limit)(&law, noise), noise)?;
            (bayes, of_limit) = (bayes + risks.bayes, of_limit + risks.of_limit);
        }
        let name = format!("{}, N = ∞", case.name);
        let search = SupSearch {
            radius: BallRadius::new(2.0)?,
            relative_gap: 1e-4,
            absolute_gap: 1e-12,
            max_cubes: 20_000,
        };
        let apart = posterior_sup(Prior::Law(&limit), Prior::Law(&prior), noise, &search)?;
        let apart = crate::measured::Bracket { lower: apart.lower, upper: apart.upper }.measured();
        let quantity = "largest distance from Bayes over |y| ≤ 2";
        let mut rows = vec![
            Row::equal(&name, "mean squared error of one-shot against the MMSE", of_limit, bayes),
            Row::equal(&name, quantity, apart, Measured::exact(0.0)).on_scale(1.0),
        ];
        rows.extend(self.sampled(case, samples, &prior, Risks { bayes, of_limit })?);
        Ok(rows)
    }

    /// Samples extrapolated to `N = ∞`: the Bayes estimator on the same tokens takes most of their noise away.
    fn sampled(&self, case: &Case, samples: Samples, prior: &Law, risks: Risks) -> Result<Vec<Row>> {
        let noise = NoiseVariance::new(NOISE)?;
        let excess = |estimate: &dyn Fn(&Cloud) -> Result<Cloud>, tokens: &Cloud| -> Result<f64> {
            Ok(mean_squared_error(&estimate(tokens)?, &prior.posterior_means(tokens, noise)?))
        };
        let draw = |generator: &mut Generator, n: usize| prior.noisy(noise).sample(n, generator);
        let of_estimator = samples.measure(self.seed, &draw, &|tokens: &Cloud| {
            excess(&|tokens| (self.estimator)(tokens, noise, &Dense), tokens)
        })?;
        let of_narrow = samples
            .measure(self.seed, &draw, &|tokens: &Cloud| excess(&|tokens| narrow(tokens, noise), tokens))?;
        let name = format!("{}, N = {} and {} to ∞", case.name, samples.particles / 4, samples.particles);
        // The bias is of order 1/N.
        let limit = |nested: &crate::claim::nested::Nested| nested.without_bias();
        let found = risks.bayes + limit(&of_estimator)?;
        let quantity = "mean squared error of one-shot, extrapolated, against the limit";
        let corrected = Row::equal(&name, quantity, found, risks.of_limit).as_role(Role::Corrected);
        let quantity = "mean squared error of one-shot, extrapolated, against the MMSE";
        let stated = Row::equal(&name, quantity, found, risks.bayes);
        let quantity = "mean squared error with a kernel of variance τ/25, against the MMSE";
        let context = Row::equal(&name, quantity, risks.bayes + limit(&of_narrow)?, risks.bayes);
        Ok(vec![stated, corrected, context.as_role(Role::Context)])
    }
}

/// `y + (τ/h)(F_h(y) − y)`
fn narrow(tokens: &Cloud, noise: NoiseVariance) -> Result<Cloud> {
    let mut field = DriftField::default();
    let bandwidth = Beta::new(1.0 / (NARROW * noise.get()))?;
    Dense.evaluate(tokens.view(), Targets::Sources, bandwidth, &mut field)?;
    let pairs = tokens.points().iter().zip(&field.velocity);
    tokens.moved_to(pairs.map(|(y, v)| y + v / NARROW).collect())
}

/// Mean squared errors on the line by quadrature, at two resolutions.
pub(super) fn risks(prior: &Law, limit: &Law, noise: NoiseVariance) -> Result<Risks> {
    let (fine, coarse) = (risks_at(prior, limit, noise, PANELS)?, risks_at(prior, limit, noise, PANELS / 2)?);
    let judged = |k: usize| Measured::of_two(fine[k], coarse[k]).widened(1e-14);
    Ok(Risks { bayes: judged(0), of_limit: judged(1) })
}

fn risks_at(prior: &Law, limit: &Law, noise: NoiseVariance, panels: usize) -> Result<[f64; 2]> {
    let noisy = prior.noisy(noise);
    let (centre, deviation) = (noisy.mean()[0], noisy.covariance()[(0, 0)].sqrt());
    let second = prior.covariance()[(0, 0)] + prior.mean()[0].powi(2);
    let (mut square, mut apart) = (0.0, 0.0);
    for node in SIXTEEN.panels(centre - REACH * deviation, centre + REACH * deviation, panels) {
        let density = node.weight * noisy.density(&[node.at])?;
        let bayes = prior.posterior_mean(&[node.at], noise)?[0];
        square += density * bayes * bayes;
        apart += density * (limit.posterior_mean(&[node.at], noise)?[0] - bayes).powi(2);
    }
    Ok([second - square, second - square + apart])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.17.1, `scipy.integrate.quad` with `epsabs = 1e-13` over ±12, of each coordinate: MMSE and error of one-shot, `τ = 0.5`.
    const REFERENCE: [(usize, f64, f64); 3] = [
        (0, 0.333_333_333_333_333_3, 0.343_75),
        (1, 0.307_753_993_503_892, 0.335_315_318_786_194_9),
        (2, 0.247_282_936_030_126_77, 0.441_323_976_682_314_6),
    ];

    #[test]
    fn errors_match_another_quadrature() {
        let noise = NoiseVariance::new(NOISE).unwrap();
        for (case, bayes, one_shot) in REFERENCE {
            let mut sums = [0.0; 2];
            for coordinate in CASES[case].coordinates {
                let law = Law::parse(coordinate).unwrap();
                let found = risks(&law, &law.noisy(noise), noise).unwrap();
                sums[0] += found.bayes.value;
                sums[1] += found.of_limit.value;
            }
            assert!((sums[0] - bayes).abs() < 1e-10, "{}: {} is not {bayes}", CASES[case].name, sums[0]);
            assert!(
                (sums[1] - one_shot).abs() < 1e-10,
                "{}: {} is not {one_shot}",
                CASES[case].name,
                sums[1]
            );
        }
    }
}
