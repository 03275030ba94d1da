//! Stage 2 is one gradient step on an energy: `x̂ = q − ∇E(q)`.
//!
//! # Formula
//! `E(q) = −(1/β_c) ln Σ_j e^{−β_c|q−z_j|²/2}`, `β_c = 1/τ`, summed here as printed and differentiated numerically.
//!
//! # Paper
//! `eq:energy_DAM`, `eq:stage2_cross_attn`

use super::{distance_2, length, log_sum_exp, normal_points};
use crate::claim::derivative::gradient;
use crate::claim::residual::Residual;
use crate::claim::{Card, Claim, Headline, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::posterior::ParticlePrior;
use crate::preset::Preset;
use crate::scale::NoiseVariance;

const SEED: u64 = 1203;
/// Ridders' first step in units of `√τ`.
const STEP: f64 = 0.5;

static CARD: Card = Card {
    id: "energy-gradient",
    label: "eq:energy_DAM",
    statement: "Stage 2 is a gradient step with step size one on the energy E(q) = −β_c⁻¹ log Σ_j exp(−β_c|q − z_j|²/2) with β_c = 1/τ: x̂ = q − ∇E(q).",
    gist: "Stage 2 is a gradient step of size one on the energy.",
    ours: "",
    regime: "clouds in d = 1, 2, 3, τ over at least two decades, queries among the particles and up to twenty times farther out",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 2, τ = 0.05, far queries: Stage 2 − (q − ∇E(q))",
        says: "Stage 2 minus q − ∇E(q)",
    },
    plot: None,
};

/// The claim; drift and energy can be exchanged.
pub struct EnergyGradient {
    /// The kernel sum that Stage 2 is computed with.
    pub drift: &'static dyn Drift,
    /// The energy of a query among particles at `β_c`.
    pub energy: fn(&Cloud, &[f64], f64) -> f64,
}

impl Default for EnergyGradient {
    fn default() -> Self {
        Self { drift: &Dense, energy }
    }
}

/// The energy as printed.
fn energy(particles: &Cloud, query: &[f64], beta: f64) -> f64 {
    let exponents: Vec<f64> = particles.rows().map(|z| -0.5 * beta * distance_2(query, z)).collect();
    -log_sum_exp(&exponents) / beta
}

impl Claim for EnergyGradient {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let (n, noises): (usize, &[f64]) = match preset {
            Preset::Quick => (60, &[0.05, 5.0]),
            Preset::Full => (400, &[0.01, 0.05, 0.5, 5.0, 50.0]),
        };
        let mut rows = Vec::new();
        for d in [1, 2, 3] {
            let particles = normal_points(n, d, 1.0, SEED)?;
            for &tau in noises {
                for (place, spread) in [("near", 1.0), ("far", 20.0)] {
                    let queries = normal_points(n / 2, d, spread, SEED + 1)?;
                    let case = format!("d = {d}, τ = {tau}, {place} queries");
                    rows.extend(self.step(&case, &particles, &queries, NoiseVariance::new(tau)?)?);
                }
            }
        }
        Ok(rows)
    }
}

impl EnergyGradient {
    fn step(&self, case: &str, particles: &Cloud, queries: &Cloud, noise: NoiseVariance) -> Result<[Row; 2]> {
        let (d, beta) = (queries.dimension(), 1.0 / noise.get());
        let inference = ParticlePrior::new(particles, noise)?.infer(queries, self.drift)?;
        let (mut step, mut value) = (Residual::default(), Residual::default());
        let means = inference.mean.rows();
        for (i, (q, mean)) in queries.rows().zip(means).enumerate() {
            // In units of 1/β the energy is a logarithm, whose rounding the derivative knows.
            let scaled = |q: &[f64]| Ok(beta * (self.energy)(particles, q, beta));
            let slope = gradient(scaled, q, STEP * noise.get().sqrt())?;
            let descent: Vec<f64> = q.iter().zip(&slope.value).map(|(q, g)| q - g / beta).collect();
            let last = f64::EPSILON * length(q);
            step.add(mean, &descent, inference.error[i] + slope.error / beta + last);
            let printed = (self.energy)(particles, q, beta);
            let count = particles.len() as f64;
            // Exponents β|q − z|²/2 round once per coordinate and a few times more, the sum once per particle.
            let error =
                f64::EPSILON * ((d + 8) as f64 * printed.abs() + (count + 10.0 + 2.0 * count.ln()) / beta);
            value.add(&[inference.energy[i]], &[printed], 2.0 * error);
        }
        Ok([
            step.vanishes(case, "Stage 2 − (q − ∇E(q))"),
            value.vanishes(case, "E(q) from Stage 2 − E(q) as printed"),
        ])
    }
}
