//! At the denoising horizon a Gaussian law tends to its prior as `β → ∞`: how fast.
//!
//! # Formula
//! At `T_β = βτ/2` an eigenvalue `s` of the prior has become `λ` with `βλ + ln λ = βs + ln(s + τ)`. For `s > 0`,
//! `λ = s + δ` and `ℓ = ln(1 + τ/s)`,
//! ```text
//! βδ + ln(1 + δ/s) = ℓ     ⟹     ℓ/(β + 1/s) ≤ δ ≤ ℓ/β,
//! ```
//! because `0 ≤ ln(1+x) ≤ x`: the standard deviation is off by `ℓ/(2β√s)` to first order. For `s = 0`, `w = βλ` solves
//! `w + ln w = ln βτ`, so that `w ≈ ln βτ`. Either equation, solved for its first term, is a falling map, which turns
//! upper bounds of the solution into lower ones and back; from `ℓ/β` and (for `βτ ≥ e`)
//! `ln βτ` on, they close in on it until only rounding is left between them.
//! With `c_d` the mean length of a standard normal vector, `W1 = c_d |√λ − √s|` for isotropic laws, hence
//! ```text
//! W1 ~ c_d ℓ/(2β√s)   (s > 0),        W1 ~ c_d (ln(βτ)/β)^{1/2}   (s = 0).
//! ```
//! Otherwise, with `d_i = √λ_i − √s_i` along the axes that both laws share,
//! `(2/π)^{1/2} max_i d_i ≤ W1 ≤ (Σ d_i²)^{1/2}`, the upper bound being the paper's.
//!
//! # Paper
//! `lem:gaussian-recovery-condition`

use nalgebra::DMatrix;

use super::covariance::ClosedForm;
use super::nodes::mean_field;
use super::setting::{DIAGONALISED, Setting, conditioning};
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::law::Gaussian;
use crate::measured::{Bracket, Measured};
use crate::metric::{GaussianDistance, between_gaussians, mean_length};
use crate::preset::Preset;
use crate::scale::{Beta, NoiseVariance, RawTime};

/// When the flow ends.
pub type TerminalTime = fn(NoiseVariance, Beta) -> Result<RawTime>;

/// Rounding of a bracket of W1 between Gaussians, relative to the largest standard deviation.
const BRACKETED: f64 = 64.0 * f64::EPSILON;
/// The noise variance throughout.
const NOISE: f64 = 0.5;

static CARD: Card = Card {
    id: "recovery-rate",
    label: "lem:gaussian-recovery-condition",
    statement: "At the horizon T_β = βτ/2 the law tends to the prior, W1(f_{T_β}, P0) → 0 as β → ∞: like 1/β if the prior's covariance is regular, like √(log β/β) if it is singular.",
    gist: "For Gaussian priors W1(f_{T_β}, P0) → 0 as β → ∞.",
    ours: "the paper states the limit; the rates are ours",
    regime: "β from 10 to 10⁶, τ = 0.5, d = 1, 2, 3, regular and singular priors",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 1, s = 1: β·W1 at the largest β", says: "β·W1 at β = 10⁶, and its limit"
    },
    plot: Some(Axes { x: "β", y: "W1(f_{T_β}, P0)", log_x: true, log_y: true }),
};

/// The closed form at the terminal time, and the drift whose mean field must agree.
pub struct RecoveryRate {
    /// Eigenvalues of the covariance in time.
    pub closed_form: ClosedForm,
    /// `T_β = βτ/2`, at which the flow ends.
    pub terminal_time: TerminalTime,
    /// The kernel sums.
    pub drift: &'static dyn Drift,
}

impl Default for RecoveryRate {
    fn default() -> Self {
        Self {
            closed_form: CovarianceFlow::eigenvalues_at,
            terminal_time: |noise, beta| noise.denoising_horizon().to_raw(beta),
            drift: &Dense,
        }
    }
}

/// Temperatures and laws of the evidence.
struct Plan {
    betas: &'static [f64],
    isotropic: &'static [&'static [f64]],
    anisotropic_betas: &'static [f64],
    mean_field_betas: &'static [f64],
}

const QUICK: Plan = Plan {
    betas: &[1e1, 1e2, 1e3, 1e4, 1e5, 1e6],
    isotropic: &[&[1.0], &[0.0]],
    anisotropic_betas: &[1e2, 1e5],
    mean_field_betas: &[10.0, 40.0],
};

const FULL: Plan = Plan {
    betas: &[1e1, 3e1, 1e2, 3e2, 1e3, 1e4, 1e5, 1e6],
    isotropic: &[&[1.0], &[0.0], &[0.25], &[1.0, 1.0, 1.0], &[0.0, 0.0]],
    anisotropic_betas: &[1e2, 1e3, 1e4, 1e5, 1e6],
    mean_field_betas: &[10.0, 20.0, 40.0, 80.0],
};

/// Variances of the prior that is regular but not isotropic, and of one with a singular direction.
const REGULAR: &[f64] = &[1.0, 0.5, 0.25];
const SINGULAR: &[f64] = &[1.0, 0.0];
/// Those of the priors whose mean field is followed: a regular one and a singular one.
const FOLLOWED: [&[f64]; 2] = [&[1.0], &[0.0]];

impl Claim for RecoveryRate {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let plan = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for &variances in plan.isotropic {
            rows.extend(self.isotropic(variances, plan.betas)?);
        }
        for &beta in plan.anisotropic_betas {
            rows.extend(self.regular(setting(REGULAR, beta))?);
            rows.push(self.singular(setting(SINGULAR, beta))?);
        }
        for variances in FOLLOWED {
            for &beta in plan.mean_field_betas {
                rows.push(self.mean_field(setting(variances, beta))?);
            }
        }
        Ok(rows)
    }
}

impl RecoveryRate {
    /// `W1` of an isotropic law against its enclosure, and whether it falls.
    fn isotropic(&self, variances: &'static [f64], betas: &[f64]) -> Result<Vec<Row>> {
        let series = format!("d = {}, s = {}", variances.len(), variances[0]);
        let found = betas.iter().map(|&beta| self.exact(&setting(variances, beta)));
        let found = found.collect::<Result<Vec<Measured>>>()?;
        let enclosures: Vec<Bracket> = betas
            .iter()
            .map(|&beta| deviation(variances[0], beta).times(mean_length(variances.len())))
            .collect();
        let rows = betas.iter().zip(&found).zip(&enclosures).map(|((&beta, &w1), enclosure)| {
            let case = setting(variances, beta).name();
            Row::equal(&case, "W1 of the closed form", w1, enclosure.measured()).at(&series, beta)
        });
        let mut rows: Vec<Row> = rows.collect();
        rows.push(falls(&series, &found));
        rows.push(slope(&series, betas, &found, variances[0]));
        if let (Some(&beta), Some(&w1)) = (betas.last(), found.last()) {
            rows.push(constant(&series, &setting(variances, beta), w1));
        }
        Ok(rows)
    }

    /// `W1` of an isotropic law in closed form.
    fn exact(&self, setting: &Setting) -> Result<Measured> {
        let flow = setting.flow()?;
        let end = (self.closed_form)(&flow, self.time(setting)?)[0];
        let factor =
            mean_length(setting.variances.len()) / (end.max(0.0).sqrt() + setting.variances[0].sqrt());
        Ok(Measured::known_to(
            factor * (end - setting.variances[0]).abs(),
            factor * conditioning(&flow, 0, end),
        ))
    }

    fn time(&self, setting: &Setting) -> Result<RawTime> {
        (self.terminal_time)(setting.noise()?, setting.beta()?)
    }

    /// Both bounds of `W1` for a prior that is regular, but not isotropic.
    fn regular(&self, setting: Setting) -> Result<[Row; 2]> {
        let (distance, rounding) = self.bracket(&setting)?;
        let offsets = || setting.variances.iter().map(|&s| deviation(s, setting.beta));
        let square: f64 = offsets().map(|offset| offset.upper.powi(2)).sum();
        let least = mean_length(1) * offsets().map(|offset| offset.lower).fold(0.0, f64::max);
        let case = setting.name();
        Ok([
            Row::at_most(
                &case,
                "W1 against its upper bound",
                Measured::known_to(distance.w1.upper, rounding),
                Measured::exact(square.sqrt()),
            )
            .at("d = 3, regular, from above", setting.beta),
            Row::at_least(
                &case,
                "W1 against its lower bound",
                Measured::known_to(distance.w1.lower, rounding),
                Measured::exact(least),
            )
            .at("d = 3, regular, from below", setting.beta),
        ])
    }

    /// `W1` for a prior with a singular direction, which is what is left of it.
    fn singular(&self, setting: Setting) -> Result<Row> {
        let (distance, rounding) = self.bracket(&setting)?;
        let measured = distance.w1.measured().widened(rounding);
        let [regular, singular] =
            [SINGULAR[0], SINGULAR[1]].map(|s| deviation(s, setting.beta).times(mean_length(1)));
        let limits = Bracket { lower: singular.lower, upper: singular.upper + regular.upper };
        Ok(Row::equal(&setting.name(), "W1 against the middle of its bounds", measured, limits.measured())
            .at("d = 2, one direction singular", setting.beta))
    }

    /// Bounds of `W1` between the closed form and the prior, and their rounding.
    fn bracket(&self, setting: &Setting) -> Result<(GaussianDistance, f64)> {
        let (flow, prior) = (setting.flow()?, setting.gaussian()?);
        let end = (self.closed_form)(&flow, self.time(setting)?);
        let covariance = flow.eigenvectors() * DMatrix::from_diagonal(&end) * flow.eigenvectors().transpose();
        let law =
            Gaussian::new(flow.mean().as_slice().to_vec(), 0.5 * (&covariance + covariance.transpose()))?;
        let largest = end.amax().max(prior.covariance().matrix().amax());
        // An eigenvalue that is zero is so up to rounding, of which a standard deviation takes the root.
        let narrowest = setting.variances.iter().copied().fold(f64::INFINITY, f64::min);
        let lost = DIAGONALISED * largest;
        let rounding = BRACKETED * largest.sqrt() + lost / (narrowest + lost).sqrt();
        Ok((between_gaussians(&law, &prior)?, rounding))
    }

    /// `W1` of the mean field against the closed form.
    fn mean_field(&self, setting: Setting) -> Result<Row> {
        let evolution = mean_field(&setting)?.evolve(&[self.time(&setting)?], self.drift)?;
        let measured = evolution.states[0].w1_to_prior()?;
        Ok(Row::equal(&setting.name(), "W1 of the mean field", measured, self.exact(&setting)?))
    }
}

fn setting(variances: &'static [f64], beta: f64) -> Setting {
    Setting { variances, noise: NOISE, beta }
}

/// Bounds of `√λ − √s` at the denoising horizon.
fn deviation(s: f64, beta: f64) -> Bracket {
    if s == 0.0 {
        let w = kernel_units(beta);
        return Bracket { lower: (w.lower / beta).sqrt(), upper: (w.upper / beta).sqrt() };
    }
    let log = (NOISE / s).ln_1p();
    let excess = turned(log / beta, |a| (log - (a / s).ln_1p()) / beta);
    let root = |excess: f64| excess / ((s + excess).sqrt() + s.sqrt());
    Bracket { lower: root(excess.lower), upper: root(excess.upper) }
}

/// Bounds of `w = βλ` for `s = 0`.
fn kernel_units(beta: f64) -> Bracket {
    let log = (beta * NOISE).ln();
    turned(log, |a| log - a.ln())
}

/// The share by which `β·W1` may fall short of its limit: `(1 − 1/(βs))(1 − ℓ/(4βs))`, from the bounds of `δ` and of
/// the root, is at least one less this.
fn next_order(s: f64, beta: f64) -> f64 {
    (1.0 + 0.25 * (NOISE / s).ln_1p()) / (beta * s)
}

/// Bounds of the fixed point of a falling map that contracts, from one of them on, until they come no closer: then they
/// are apart by the rounding of the map, which [`Measured::known_to`] allows for.
fn turned(bound: f64, map: impl Fn(f64) -> f64) -> Bracket {
    let (mut before, mut bound) = (bound, map(bound));
    loop {
        let next = map(bound);
        // A NaN is no closer either.
        let closer = (next - bound).abs() < (bound - before).abs();
        if !closer {
            return Bracket { lower: bound.min(before), upper: bound.max(before) };
        }
        (before, bound) = (bound, next);
    }
}

/// The constant of the rate: `W1` at the largest `β` over the rate, which lies below its limit by the next order at most.
fn constant(series: &str, setting: &Setting, w1: Measured) -> Row {
    let Setting { variances, beta, .. } = *setting;
    let (s, length) = (variances[0], mean_length(variances.len()));
    if s > 0.0 {
        let limit = 0.5 * length * (NOISE / s).ln_1p() / s.sqrt();
        let limits = Bracket { lower: limit * (1.0 - next_order(s, beta)), upper: limit };
        return Row::equal(series, "β·W1 at the largest β", beta * w1, limits.measured());
    }
    // `w ≤ ln βτ`, hence `w ≥ ln βτ − ln ln βτ`: the limit is approached too slowly to be judged by.
    let log = (beta * NOISE).ln();
    let limits = Bracket { lower: length * (1.0 - log.ln() / log).sqrt(), upper: length };
    Row::equal(series, "(β/ln βτ)^½·W1 at the largest β", (beta / log).sqrt() * w1, limits.measured())
        .as_role(Role::Context)
}

/// Whether values fall from one temperature to the next.
fn falls(series: &str, values: &[Measured]) -> Row {
    let ratios = values.windows(2).map(|pair| pair[1] / pair[0]);
    // Not `max`, which would swallow a NaN.
    let worst = ratios.reduce(|worst, ratio| if ratio.value < worst.value { worst } else { ratio });
    let worst = worst.unwrap_or(Measured::UNKNOWN);
    Row::at_most(series, "largest ratio of W1 to that at the β before", worst, Measured::exact(1.0))
}

/// The slope of `ln W1` against `ln β` over the last two temperatures.
fn slope(series: &str, betas: &[f64], values: &[Measured], s: f64) -> Row {
    let (&[.., from, to], &[.., before, last]) = (betas, values) else {
        return Row::equal(series, "slope of ln W1 in ln β", Measured::UNKNOWN, Measured::exact(-1.0));
    };
    let measured = (last / before).ln() / (to / from).ln();
    let quantity = "slope of ln W1 in ln β between the largest two β";
    Row::equal(series, quantity, measured, local_slope(s, from, to).measured())
}

/// Bounds of the slope of `ln W1` against `ln β` between two temperatures: −1 up to the next order of the constant, or
/// the derivative
/// `−½ + ½/(1 + w)` of `(w/β)^{1/2}` somewhere between, which tends to −½ as slowly as `w` to infinity.
fn local_slope(s: f64, from: f64, to: f64) -> Bracket {
    if s > 0.0 {
        let width = (to / from).ln();
        return Bracket {
            lower: -1.0 + (-next_order(s, to)).ln_1p() / width,
            upper: -1.0 - (-next_order(s, from)).ln_1p() / width,
        };
    }
    let at = |w: f64| -0.5 + 0.5 / (1.0 + w);
    Bracket { lower: at(kernel_units(to).upper), upper: at(kernel_units(from).lower) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of what is allowed for.
    const ROUNDOFF: f64 = 8.0 * f64::EPSILON;

    /// mpmath at 40 digits: `√λ − √s` from `βλ + ln λ = βs + ln(s + τ)`, `τ = 1/2`.
    const REFERENCE: [(f64, f64, f64); 6] = [
        (1.0, 10.0, 0.018_293_151_262_375_74),
        (1.0, 1e6, 2.02732330771573e-7),
        (0.25, 10.0, 0.075_856_793_802_510_8),
        (0.25, 1e6, 1.098_606_687_309_534_8e-6),
        (0.0, 10.0, 0.364_242_318_414_843_2),
        (0.0, 1e6, 0.003_278_364_533_845_302),
    ];

    #[test]
    fn enclosures_hold_the_solution() {
        for (s, beta, exact) in REFERENCE {
            let Bracket { lower: low, upper: high } = deviation(s, beta);
            assert!(
                low * (1.0 - ROUNDOFF) <= exact && exact <= high * (1.0 + ROUNDOFF),
                "s = {s}, β = {beta}: {exact} not in [{low}, {high}]"
            );
            assert!(high - low <= ROUNDOFF * exact, "s = {s}, β = {beta}: [{low}, {high}] is wide");
        }
    }
}
