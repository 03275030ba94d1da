//! Tweedie's formula, its sign, and the two places where it is used.
//!
//! # Formula
//! `X ~ ρ`, `x̃ = X + ε`, `ε ~ N(0, σ²I)`, `ρ̃ = ρ * N(0, σ²I)`. Differentiating `ρ̃(x̃) = ∫ γ(x̃ − x) ρ(dx)` under the integral,
//! ```text
//! ∇ρ̃(x̃) = −σ⁻² ∫ (x̃ − x) γ(x̃ − x) ρ(dx) = −σ⁻² (x̃ − E[X | x̃]) ρ̃(x̃),        E[X | x̃] = x̃ + σ²∇log ρ̃(x̃) = F_{1/σ²,ρ}(x̃)
//! ```
//! where the paper prints minus signs, `γ²` for `σ²`, and `F_{1/σ²,ρ̃}`, the barycentre of the noisy law. Along the
//! diffusion, `f_t = ρ_{T−t}` loses noise as `t` grows, so `f_{t−δ} = f_t * N(0, 2δI)`, and
//! `∇log f_{t−δ}(x) = (E[Y | x] − x)/2δ` for `Y ~ f_t`; printed are `f_t = f_{t−δ} * N(0, 2δI)` and the opposite sign.
//!
//! # Paper
//! subsections "Tweedie's formula" and "Local denoising along the diffusion" of `app:informal_argument`, `F:beta_rho`

use std::f64::consts::TAU;

use super::{distance_2, length, log_sum_exp};
use crate::claim::derivative::{Gradient, gradient};
use crate::claim::nodes::cloud_of;
use crate::claim::residual::Residual;
use crate::claim::{Card, Claim, Headline, Role, Row, Severity, VerdictKind};
use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::{BayesOracle, Law};
use crate::measured::Measured;
use crate::numeric::quadrature::in_panels;
use crate::preset::Preset;
use crate::scale::NoiseVariance;

/// Ridders' first step in units of `σ`, the length on which a noisy law is smooth.
const STEP: f64 = 0.5;
/// Panels between two kinks of a density; twice as many change nothing beyond rounding.
const PANELS: usize = 24;
/// The forward diffusion is followed over this time.
const HORIZON: f64 = 0.5;

static CARD: Card = Card {
    id: "tweedie",
    label: "app:informal_argument, Tweedie's formula",
    statement: "E[X|x̃] = x̃ − σ²∇log ρ̃(x̃) = F_{1/σ²,ρ̃}(x̃), hence ∇log ρ̃(x̃) = (x̃ − E[X|x̃])/γ², and along the diffusion f_t = f_{t−δ}*N(0,2δI) with ∇log f_t(x) = (x − E[Y|x])/2δ.",
    gist: "E[X|x̃] = x̃ − σ²∇log ρ̃(x̃): printed with this sign.",
    ours: "",
    regime: "Gaussian, mixture, Laplace, uniform and atomic priors, d = 1, 2, σ² = 0.3 (in full also 0.05 and 2); the diffusion for priors on the line",
    correction: "E[X|x̃] = x̃ + σ²∇log ρ̃(x̃) = F_{1/σ²,ρ}(x̃), hence ∇log ρ̃ = (E[X|x̃] − x̃)/σ² (γ² is σ²); and f_{t−δ} = f_t*N(0,2δI) with ∇log f_{t−δ}(x) = (E[Y|x] − x)/2δ, Y ~ f_t. The updates that the paper derives have the right sign",
    severity: Some(Severity::Misprint),
    expected: VerdictKind::FailsAsPrinted,
    headline: Headline {
        row: "mixture, d = 1, σ² = 0.3: E[X|x̃] − (x̃ − σ²∇log ρ̃)",
        says: "E[X|x̃] minus the printed formula, mixture",
    },
    plot: None,
};

/// The claim; posterior mean and noisy law can be exchanged.
pub struct Tweedie {
    /// `E[X | x̃]` under a prior, given the noise variance.
    pub posterior_mean: fn(&Law, &[f64], NoiseVariance) -> Result<Vec<f64>>,
    /// What noise makes of a prior: its convolution with `N(0, τI)`.
    pub noisy: fn(&Law, NoiseVariance) -> Law,
}

impl Default for Tweedie {
    fn default() -> Self {
        Self { posterior_mean: |law, y, noise| law.posterior_mean(y, noise), noisy: Law::noisy }
    }
}

/// A prior with the places between which its density is smooth, if it is on the line and has one.
struct Prior {
    name: &'static str,
    law: &'static str,
    breaks: &'static [f64],
}

const PRIORS: [Prior; 6] = [
    Prior {
        name: "Gaussian, d = 2",
        law: "{ kind = 'gaussian', mean = [0.5, -1], cov = [[1, 0.6], [0.6, 0.5]] }",
        breaks: &[],
    },
    Prior {
        name: "mixture, d = 1",
        law: "{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1.5], std = 0.4 }",
        breaks: &[-5.0, 6.0],
    },
    Prior {
        name: "mixture, d = 2",
        law: "{ kind = 'mixture', weights = [0.5, 0.5], means = [[-1, 0], [1, 0.5]], std = 0.2 }",
        breaks: &[],
    },
    Prior {
        name: "Laplace",
        law: "{ kind = 'laplace', mean = 0.25, scale = 0.5 }",
        breaks: &[-19.75, 0.25, 20.25],
    },
    Prior { name: "uniform", law: "{ kind = 'uniform', low = -1, high = 2 }", breaks: &[-1.0, 2.0] },
    Prior {
        name: "atoms, d = 2",
        law: "{ kind = 'atoms', points = [[-1, 0], [1, 1], [0, -1.5]], weights = [0.2, 0.5, 0.3] }",
        breaks: &[],
    },
];

impl Claim for Tweedie {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        // The score and the diffusion are the same identity once more: a few laws are enough, quickly one.
        let (noises, again): (&[f64], usize) = match preset {
            Preset::Quick => (&[0.3], 1),
            Preset::Full => (&[0.05, 0.3, 2.0], PRIORS.len()),
        };
        let on_line = || PRIORS.iter().filter(|prior| !prior.breaks.is_empty()).take(again);
        let mut rows = Vec::new();
        for &variance in noises {
            let noise = NoiseVariance::new(variance)?;
            let case = |prior: &Prior| format!("{}, σ² = {variance}", prior.name);
            for prior in &PRIORS {
                let law = Law::parse(prior.law)?;
                rows.extend(self.identities(&case(prior), &law, noise)?);
                if !prior.breaks.is_empty() {
                    rows.extend(self.barycentres(&case(prior), &law, prior.breaks, noise)?);
                }
            }
            for prior in on_line() {
                rows.extend(self.scores(&case(prior), &Law::parse(prior.law)?, noise)?);
            }
        }
        for prior in on_line() {
            rows.extend(self.diffusion(prior)?);
        }
        Ok(rows)
    }
}

impl Tweedie {
    /// `E[X | x̃]` against `x̃ ∓ σ²∇log ρ̃`.
    fn identities(&self, case: &str, law: &Law, noise: NoiseVariance) -> Result<[Row; 2]> {
        let (mut printed, mut right) = (Residual::default(), Residual::default());
        let (noisy, variance) = ((self.noisy)(law, noise), noise.get());
        for x in queries(law.dimension()) {
            let mean = (self.posterior_mean)(law, &x, noise)?;
            let score = score(&noisy, &x, variance)?;
            let error = variance * score.error + rounding(&x, &mean);
            printed.add(&mean, &moved(&x, -variance, &score.value), error);
            right.add(&mean, &moved(&x, variance, &score.value), error);
        }
        Ok([
            printed.vanishes(case, "E[X|x̃] − (x̃ − σ²∇log ρ̃)"),
            right.vanishes(case, "E[X|x̃] − (x̃ + σ²∇log ρ̃)").as_role(Role::Corrected),
        ])
    }

    /// `∇log ρ̃` against `∓(E[X | x̃] − x̃)/σ²`.
    fn scores(&self, case: &str, law: &Law, noise: NoiseVariance) -> Result<[Row; 2]> {
        let (mut printed, mut right) = (Residual::default(), Residual::default());
        let (noisy, variance) = ((self.noisy)(law, noise), noise.get());
        for x in queries(law.dimension()) {
            let mean = (self.posterior_mean)(law, &x, noise)?;
            let score = score(&noisy, &x, variance)?;
            let error = score.error + rounding(&x, &mean) / variance;
            let residual = |sign: f64| mean.iter().zip(&x).map(move |(m, x)| sign * (m - x) / variance);
            printed.add(&score.value, &residual(-1.0).collect::<Vec<_>>(), error);
            right.add(&score.value, &residual(1.0).collect::<Vec<_>>(), error);
        }
        Ok([
            printed.vanishes(case, "∇log ρ̃ − (x̃ − E[X|x̃])/σ²"),
            right.vanishes(case, "∇log ρ̃ − (E[X|x̃] − x̃)/σ²").as_role(Role::Corrected),
        ])
    }

    /// `E[X | x̃]` against the barycentres of the noisy and of the clean law, the latter by quadrature.
    fn barycentres(&self, case: &str, law: &Law, breaks: &[f64], noise: NoiseVariance) -> Result<[Row; 2]> {
        let noisy = (self.noisy)(law, noise);
        let (coarse, fine) = (cloud_of(law, breaks, PANELS)?, cloud_of(law, breaks, 2 * PANELS)?);
        let (mut printed, mut right) = (Residual::default(), Residual::default());
        for x in queries(1) {
            let mean = (self.posterior_mean)(law, &x, noise)?;
            let of_noisy = (self.posterior_mean)(&noisy, &x, noise)?;
            printed.add(&mean, &of_noisy, rounding(&x, &mean));
            let by_quadrature = barycentre(&fine, &x, noise);
            let change = (by_quadrature - barycentre(&coarse, &x, noise)).abs();
            right.add(&mean, &[by_quadrature], change + rounding(&x, &mean));
        }
        Ok([
            printed.vanishes(case, "E[X|x̃] − F of the noisy law"),
            right.vanishes(case, "E[X|x̃] − F of the clean law").as_role(Role::Corrected),
        ])
    }

    /// One step of the forward diffusion, in backward time: `t − δ` is noisier than `t`. Laws are convolved by quadrature.
    fn diffusion(&self, prior: &Prior) -> Result<Vec<Row>> {
        const TIME: f64 = 0.25;
        const STEP_BACK: f64 = 0.1;
        let case = format!("{}, T = {HORIZON}, t = {TIME}, δ = {STEP_BACK}", prior.name);
        let (law, increment) = (Law::parse(prior.law)?, NoiseVariance::new(2.0 * STEP_BACK)?);
        let at = |time: f64| Ok((self.noisy)(&law, NoiseVariance::new(2.0 * (HORIZON - time))?));
        let (now, before): (Law, Law) = (at(TIME)?, at(TIME - STEP_BACK)?);
        let (mut printed_law, mut right_law) = (Residual::default(), Residual::default());
        let (mut printed, mut right) = (Residual::default(), Residual::default());
        for x in queries(1) {
            let (now_log, before_log) = (now.log_density(&x)?, before.log_density(&x)?);
            let (of_before, of_now) = (
                convolved(&before, prior.breaks, &x, increment)?,
                convolved(&now, prior.breaks, &x, increment)?,
            );
            printed_law.add(
                &[now_log],
                &[of_before.value],
                LAW * (1.0 + now_log.abs()) + of_before.numerical,
            );
            right_law.add(&[before_log], &[of_now.value], LAW * (1.0 + before_log.abs()) + of_now.numerical);
            // As printed: Y ~ f_{t−δ}, X = Y + ε, supposedly of law f_t; as it should be: Y ~ f_t, X ~ f_{t−δ}.
            let residual = |law: &Law, sign: f64| -> Result<Vec<f64>> {
                let mean = (self.posterior_mean)(law, &x, increment)?;
                Ok(mean.iter().zip(&x).map(|(m, x)| sign * (m - x) / increment.get()).collect())
            };
            let last = rounding(&x, &x) / increment.get();
            let (score_now, score_before) =
                (score(&now, &x, increment.get())?, score(&before, &x, increment.get())?);
            printed.add(&score_now.value, &residual(&before, -1.0)?, score_now.error + last);
            right.add(&score_before.value, &residual(&now, 1.0)?, score_before.error + last);
        }
        let corrected = |row: Row| row.as_role(Role::Corrected);
        Ok(vec![
            printed_law.vanishes(&case, "log f_t − log(f_{t−δ}*N(0,2δI))"),
            corrected(right_law.vanishes(&case, "log f_{t−δ} − log(f_t*N(0,2δI))")),
            printed.vanishes(&case, "∇log f_t − (x − E[Y|x])/2δ, Y ~ f_{t−δ}"),
            corrected(right.vanishes(&case, "∇log f_{t−δ} − (E[Y|x] − x)/2δ, Y ~ f_t")),
        ])
    }
}

/// Posterior means and log densities are good to this much, relative to the numbers that go into them: the laws' own
/// tests hold them to it, against fifty and sixty digits.
const LAW: f64 = 1e-13;
/// Noisy laws reach so much farther than their priors: eight standard deviations of the noise along the diffusion, and more.
const FARTHER: f64 = 9.0;

/// `log (f * N(0, vI))(x)` on the line, by quadrature over what a prior with these breaks reaches with noise.
fn convolved(law: &Law, breaks: &[f64], x: &[f64], increment: NoiseVariance) -> Result<Measured> {
    let (first, last) = (breaks[0] - FARTHER, breaks[breaks.len() - 1] + FARTHER);
    let kernel =
        |y: f64| (-0.5 * (y - x[0]).powi(2) / increment.get()).exp() / (TAU * increment.get()).sqrt();
    let product = |y: f64| {
        let log = law.log_density(&[y])?;
        let (value, exponent) = (log.exp() * kernel(y), log.abs() + (y - x[0]).powi(2) / increment.get());
        // What rounds a logarithm relatively rounds its exponential by as much more as it is large.
        Ok(Measured::known_to(value, (LAW * (1.0 + log.abs()) + 8.0 * f64::EPSILON * exponent) * value))
    };
    Ok(in_panels(product, first, last, 4 * PANELS)?.ln())
}

/// Where the identities are compared.
fn queries(dimension: usize) -> Vec<Vec<f64>> {
    let line = [-3.0, -1.7, -0.9, -0.2, 0.4, 1.1, 1.9, 3.2];
    match dimension {
        1 => line.iter().map(|&x| vec![x]).collect(),
        _ => line.iter().flat_map(|&x| [vec![x, 0.3 - 0.4 * x], vec![0.5 * x, 1.0 + 0.6 * x]]).collect(),
    }
}

/// `∇log f(x)` by differences.
fn score(law: &Law, x: &[f64], variance: f64) -> Result<Gradient> {
    gradient(|x| law.log_density(x), x, STEP * variance.sqrt())
}

/// `x + factor · v`.
fn moved(x: &[f64], factor: f64, v: &[f64]) -> Vec<f64> {
    x.iter().zip(v).map(|(x, v)| x + factor * v).collect()
}

/// How far off a posterior mean may be.
fn rounding(x: &[f64], mean: &[f64]) -> f64 {
    LAW * (1.0 + length(x) + length(mean))
}

/// The barycentre of a weighted cloud on the line under the kernel of variance `σ²`.
fn barycentre(cloud: &Cloud, x: &[f64], noise: NoiseVariance) -> f64 {
    let exponents: Vec<f64> = cloud
        .rows()
        .enumerate()
        .map(|(j, z)| cloud.weight(j).ln() - 0.5 * distance_2(x, z) / noise.get())
        .collect();
    let total = log_sum_exp(&exponents);
    exponents.iter().zip(cloud.points()).map(|(e, z)| (e - total).exp() * z).sum()
}
