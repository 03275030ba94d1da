//! Is it enough that many tokens are within the width of a kernel?
//!
//! # Formula
//! The proposition asks for `n = Nρ̄/β^{d/2} → ∞`. But the flow is anti-diffusive: a ripple of the density of wavenumber `k` grows at the rate `(k²/β)e^{−k²/2β}`, at most `2/e` per raw time (at
//! `k² = 2β`), and a sample has ripples of size `n^{−1/2}` on that length. They are as large as the density itself at the raw time
//! ```text
//! t_c = (e/4) log n,
//! ```
//! when tokens gather in clumps some kernel widths apart, which do not see each other any more: nothing moves from then on. Denoising takes `βτ/2`. Hence it needs
//! ```text
//! log n ≥ 2βτ/e + const,      N ~ β^{d/2} e^{2βτ/e}/ρ̄,
//! ```
//! and along any `N` that is a power of `β` the tokens end where they began: `W1` tends to that of the noisy law. The order of limits of the recovery theorem, first `N` and then `β`, is no convenience.
//!
//! On the line; `ρ̄ = ∫f0²`. `W1` to the prior is exact for every sample; seeds give its mean and standard error. How the end depends on the accuracy in time is part of the bar.
//!
//! # Paper
//! `prop:informal_reverse_diffusion_derivation`

use std::sync::LazyLock;

use crate::claim::{Axes, Card, Claim, Headline, Role, Row, Severity, VerdictKind};
use crate::drift::{Auto, Drift};
use crate::error::Result;
use crate::flow::{Adaptive, Flow};
use crate::law::{Gaussian, Law, generator};
use crate::measured::Measured;
use crate::metric::{Confidence, Interval, line};
use crate::parallel;
use crate::preset::Preset;
use crate::scale::{Beta, NoiseVariance};

/// Noise variance and standard deviation of the prior.
const NOISE: f64 = 0.5;
const STD: f64 = 1.0;
/// Tolerances in time, as lengths: of the answer, and of what judges it.
const TOLERANCES: [f64; 2] = [1e-6, 1e-4];
/// Samples where nothing is decided.
const FROZEN: usize = 8;
/// Samples whose dependence on the tolerance is looked at.
const JUDGED: usize = 2;

/// Whatever is fastest: clouds here are large.
static AUTO: LazyLock<Auto> = LazyLock::new(Auto::default);

static CARD: Card = Card {
    id: "density-condition",
    label: "prop:informal_reverse_diffusion_derivation",
    statement: "If N → ∞ and β → ∞ so that Nρ̄/β^{d/2} → ∞, and η → 0, the tokens after βσ²/2η layers are a good particle approximation of the prior.",
    gist: "Tokens approximate the prior as β → ∞ with Nρ̄/β^{d/2} → ∞.",
    ours: "",
    regime: "d = 1, a Gaussian prior, η → 0 (the flow), β from 4 to 40 and N up to 44·10³ (in full 80 and 5·10⁵); good is read as W1(μ_N, P0) → 0",
    correction: "log(Nρ̄/β^{d/2}) − 2βσ²/e must not fall below a constant: ripples of a sample grow at the rate 2/e per raw time and stop the flow once they are as large as the density, at t = (e/4)log(Nρ̄/β^{d/2}), while denoising takes βσ²/2. Where N is a power of β, W1 tends to that of the noisy law. In the recovery theorem, N → ∞ comes first",
    severity: Some(Severity::False),
    expected: VerdictKind::FailsAsPrinted,
    headline: Headline {
        row: "N = β^2.5/ρ̄: W1 to the prior at β = 40, against that at β = 10",
        says: "W1, β = 40, N = 44·10³; β = 10, N = 1374",
    },
    plot: Some(Axes {
        x: "tokens per kernel n = Nρ̄/√β", y: "W1 to the prior", log_x: true, log_y: true
    }),
};

/// The proposition; the kernel sum and the numbers of tokens can be exchanged.
pub struct DensityCondition {
    /// The kernel sums.
    pub drift: &'static dyn Drift,
    /// `n` along the printed condition, from `β`.
    pub printed: fn(f64) -> f64,
    /// `n` along the corrected one.
    pub corrected: fn(f64) -> f64,
    /// The first seed.
    pub seed: u64,
}

impl Default for DensityCondition {
    fn default() -> Self {
        Self {
            drift: &*AUTO,
            printed: |beta| beta * beta,
            corrected: |beta| 16.0 * (2.0 * beta * NOISE / std::f64::consts::E).exp(),
            seed: 1905,
        }
    }
}

impl Claim for DensityCondition {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let full = preset == Preset::Full;
        let printed: &[f64] = if full { &[5.0, 10.0, 20.0, 40.0, 80.0] } else { &[10.0, 20.0, 40.0] };
        let corrected: &[f64] = if full { &[4.0, 8.0, 12.0, 16.0, 20.0] } else { &[4.0, 8.0, 12.0] };
        let at = |i: usize| {
            let (beta, per_kernel) = match printed.get(i) {
                Some(&beta) => (beta, (self.printed)(beta)),
                None => (corrected[i - printed.len()], (self.corrected)(corrected[i - printed.len()])),
            };
            self.distance(beta, per_kernel, samples(tokens(beta, per_kernel)))
        };
        let found = parallel::try_map(printed.len() + corrected.len(), &at)?;
        let (along_printed, along_corrected) = found.split_at(printed.len());
        let mut rows = trend("N = β^2.5/ρ̄", printed, along_printed, Role::Stated, self.printed);
        rows.extend(trend(
            "N = 16 √β e^(2βτ/e)/ρ̄",
            corrected,
            along_corrected,
            Role::Corrected,
            self.corrected,
        ));
        rows.extend(self.frozen()?);
        Ok(rows)
    }
}

/// Whether the distance falls from one `β` to another, and all of them for the plot.
fn trend(case: &str, betas: &[f64], found: &[Measured], role: Role, per_kernel: fn(f64) -> f64) -> Vec<Row> {
    let mut rows = Vec::new();
    let index = |beta: f64| betas.iter().position(|&b| b == beta);
    let (from, to) = if role == Role::Stated { (10.0, 40.0) } else { (4.0, 12.0) };
    if let (Some(first), Some(last)) = (index(from), index(to)) {
        let quantity = format!("W1 to the prior at β = {to}, against that at β = {from}");
        rows.push(Row::at_most(case, &quantity, found[last], found[first]).as_role(role));
    }
    for (&beta, &w1) in betas.iter().zip(found) {
        let quantity = format!("W1 to the prior at β = {beta}, against that of the noisy law");
        let row = Row::at_most(case, &quantity, w1, Measured::exact(noisy_distance())).as_role(Role::Context);
        rows.push(row.at(case, per_kernel(beta)));
    }
    rows
}

/// `N = n√β/ρ̄`.
fn tokens(beta: f64, per_kernel: f64) -> usize {
    (per_kernel * beta.sqrt() / typical_density()).round().max(2.0) as usize
}

/// How many samples: small ones scatter, and cost little.
fn samples(tokens: usize) -> usize {
    match tokens {
        0..5_000 => 48,
        5_000..30_000 => 16,
        _ => 8,
    }
}

/// `W1` of the noisy law itself: `(√(s + τ) − √s)√(2/π)`.
fn noisy_distance() -> f64 {
    ((STD * STD + NOISE).sqrt() - STD) * std::f64::consts::FRAC_2_PI.sqrt()
}

/// `ρ̄ = ∫f0² = 1/(2√(π(s + τ)))`.
fn typical_density() -> f64 {
    0.5 / (std::f64::consts::PI * (STD * STD + NOISE)).sqrt()
}

impl DensityCondition {
    /// The mean distance of the tokens to the prior at the denoising horizon.
    fn distance(&self, beta: f64, per_kernel: f64, samples: usize) -> Result<Measured> {
        let tokens = tokens(beta, per_kernel);
        let (kernel, noise) = (Beta::new(beta)?, NoiseVariance::new(NOISE)?);
        let prior = Law::Gaussian(Gaussian::isotropic(vec![0.0], STD)?);
        let (noisy, on_line) = (prior.noisy(noise), prior.on_line()?);
        let at = |seed: usize, tolerance: f64| -> Result<f64> {
            let sample = noisy.sample(tokens, &mut generator(self.seed + seed as u64))?;
            let flow = Flow::new(kernel, noise.denoising_horizon()).with_drift(self.drift);
            let run = flow.with_integrator(Adaptive::new(0.0, tolerance)?).run(&sample)?;
            line::w1_to_law(&run.end, &on_line)
        };
        let found = parallel::try_map(samples, &|seed| at(seed, TOLERANCES[0]))?;
        let coarse = parallel::try_map(JUDGED, &|seed| at(seed, TOLERANCES[1]))?;
        let gaps = found.iter().zip(&coarse).map(|(fine, coarse)| (fine - coarse).abs());
        let interval = Interval::of_mean(&found, Confidence::new(0.95)?)?;
        let measured = Measured::known_to(interval.estimate, gaps.sum::<f64>() / JUDGED as f64);
        Ok(measured.sampled_over(interval.standard_error, found.len()))
    }

    /// With a fixed number of tokens per kernel nothing is left of denoising: the distance is that of the noisy law.
    fn frozen(&self) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for beta in [40.0, 80.0] {
            let distance = self.distance(beta, 16.0, FROZEN)?;
            let case = format!("N = 16 √β/ρ̄, β = {beta}");
            let quantity = "W1 to the prior, against that of the noisy law";
            let row = Row::equal(&case, quantity, distance, Measured::exact(noisy_distance()));
            rows.push(row.as_role(Role::Context).at("N = 16 √β/ρ̄", 16.0));
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NumPy 2.4.6, with draws and a classical Runge–Kutta rule of its own (12 steps, `default_rng(2026)`), 20 samples of 1373 tokens at β = 10: mean distance to N(0, 1), by Gauss sums over
    /// quantiles, and its standard error.
    const REFERENCE: [f64; 2] = [0.077_311, 0.004_124];

    #[test]
    fn distances_by_other_means() {
        let found = DensityCondition::default().distance(10.0, 100.0, 48).unwrap();
        let bar = found.allowance() + 4.0 * REFERENCE[1];
        assert!((found.value - REFERENCE[0]).abs() < bar, "{found:?}");
        assert!(bar < 0.5 * REFERENCE[0], "{bar}");
    }

    #[test]
    fn constants_of_the_noisy_law() {
        // SciPy 1.17.1: `quad` of norm.pdf(x, 0, 1.5**0.5)**2, and `wasserstein` as `quad` of the difference of the distribution functions.
        assert!((typical_density() - 0.230329432980890).abs() < 1e-12);
        assert!((noisy_distance() - 0.179320463002974).abs() < 1e-12);
    }
}
