//! The drift is a score: `F(x) − x = β⁻¹ ∇log(G_β * μ)(x)`.
//!
//! # Formula
//! The right side is differentiated numerically, from `ln Σ_j ω_j e^{−β|x−z_j|²/2}` summed here and not by the drift
//! under test. At the sources themselves the measure stays where it is while `x` moves, and its own atom takes part.
//!
//! # Paper
//! `prop:sc-barycentric-drift`, `eq:sc-drift-barycentric`, `eq:sc-posterior-mean-and-drift`

use super::{distance_2, length, log_sum_exp, normal_points, radius};
use crate::claim::derivative::gradient;
use crate::claim::residual::Residual;
use crate::claim::{Card, Claim, Headline, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift, DriftField, Targets};
use crate::error::Result;
use crate::law::{Atoms, BayesOracle, Law};
use crate::measured::Measured;
use crate::numeric::larger;
use crate::preset::Preset;
use crate::scale::{Beta, NoiseVariance};

const SEED: u64 = 1202;
/// Ridders' first step in units of `β^{−1/2}`, the length on which the kernel changes.
const STEP: f64 = 0.5;
/// Queries are drawn this much wider than the cloud, so that some lie outside it.
const WIDER: f64 = 1.5;
/// Far queries lie this many times farther out than the cloud.
const FAR: f64 = 100.0;

static CARD: Card = Card {
    id: "drift-is-log-gradient",
    label: "prop:sc-barycentric-drift",
    statement: "The drift is a score, F(x) − x = β⁻¹∇log(G_β*μ)(x) for every law μ, its barycentre F(x) lies in the closed convex hull of the support of μ, and at β = 1/τ the drift is m_μ(y) − y.",
    gist: "The drift F − x is the score β⁻¹∇log(G_β*μ) of every law μ.",
    ours: "",
    regime: "weighted clouds in d = 1, 2, 3, at their own points, each with a close neighbour, and elsewhere; β over at least four decades",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 3, β = 10: F − x − β⁻¹∇log(G_β*μ) at the sources",
        says: "drift minus score, d = 3, β = 10",
    },
    plot: None,
};

/// The claim; any drift can be put to the test.
pub struct DriftIsLogGradient {
    /// The kernel sum under test.
    pub drift: &'static dyn Drift,
}

impl Default for DriftIsLogGradient {
    fn default() -> Self {
        Self { drift: &Dense }
    }
}

impl Claim for DriftIsLogGradient {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let (n, betas): (usize, &[f64]) = match preset {
            Preset::Quick => (40, &[0.1, 10.0, 1e3]),
            Preset::Full => (200, &[0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4]),
        };
        let mut rows = Vec::new();
        for d in [1, 2, 3] {
            let queries = normal_points(n, d, WIDER, SEED + 1)?;
            for &beta in betas {
                let beta = Beta::new(beta)?;
                rows.extend(self.score(&weighted_cloud(n, d, beta)?, &queries, beta)?);
            }
            rows.push(self.posterior(n, &queries)?);
            rows.push(self.hull(n, &queries)?);
        }
        Ok(rows)
    }
}

/// Points with weights that differ by a factor of three, every other one about a kernel width from the one before it:
/// none is alone, however large `β`.
fn weighted_cloud(n: usize, d: usize, beta: Beta) -> Result<Cloud> {
    let mut points = normal_points(n, d, 1.0, SEED)?.points().to_vec();
    for pair in points.chunks_exact_mut(2 * d) {
        let (first, second) = pair.split_at_mut(d);
        second.iter_mut().zip(first).for_each(|(z, first)| *z = *first + *z / beta.get().sqrt());
    }
    let weights: Vec<f64> = (0..n).map(|j| 2.0 + (j as f64).sin()).collect();
    let total: f64 = weights.iter().sum();
    Cloud::new(points, d)?.with_weights(weights.iter().map(|w| w / total).collect())
}

/// `ln Σ_j ω_j e^{−β|x−z_j|²/2}`.
fn log_mass(cloud: &Cloud, x: &[f64], beta: Beta) -> f64 {
    let exponent = |(j, z): (usize, &[f64])| cloud.weight(j).ln() - 0.5 * beta.get() * distance_2(x, z);
    log_sum_exp(&cloud.rows().enumerate().map(exponent).collect::<Vec<_>>())
}

/// What rounding may do to a log mass: every exponent is rounded once per coordinate and a few times more, every sum
/// once per source.
fn log_mass_rounding(cloud: &Cloud, x: &[f64], beta: Beta) -> f64 {
    let exponent = 0.5 * beta.get() * (length(x) + radius(cloud)).powi(2);
    f64::EPSILON * ((cloud.dimension() + 8) as f64 * exponent + (cloud.len() + 10) as f64)
}

impl DriftIsLogGradient {
    fn field(&self, cloud: &Cloud, targets: Targets<'_>, beta: Beta) -> Result<DriftField> {
        let mut field = DriftField::default();
        self.drift.evaluate(cloud.view(), targets, beta, &mut field)?;
        Ok(field)
    }

    /// Drift against score at the sources and at other points, which err differently, and mass against mass at all of them.
    fn score(&self, cloud: &Cloud, queries: &Cloud, beta: Beta) -> Result<Vec<Row>> {
        let (case, mut mass) =
            (format!("d = {}, β = {}", cloud.dimension(), beta.get()), Residual::default());
        let places = [
            ("F − x − β⁻¹∇log(G_β*μ) at the sources", Targets::Sources, cloud),
            ("F − x − β⁻¹∇log(G_β*μ) away from the sources", Targets::Points(queries.points()), queries),
        ];
        let mut rows = Vec::new();
        for (quantity, targets, at) in places {
            let (field, mut score) = (self.field(cloud, targets, beta)?, Residual::default());
            for (i, x) in at.rows().enumerate() {
                let step = STEP / beta.get().sqrt();
                let slope = gradient(|x| Ok(log_mass(cloud, x, beta)), x, step)?;
                let predicted: Vec<f64> = slope.value.iter().map(|g| g / beta.get()).collect();
                let error = field.rounding[i] + field.truncation[i] + slope.error / beta.get();
                score.add(row(&field, cloud.dimension(), i), &predicted, error);
                mass.add(
                    &[field.log_mass[i]],
                    &[log_mass(cloud, x, beta)],
                    2.0 * log_mass_rounding(cloud, x, beta),
                );
            }
            rows.push(score.vanishes(&case, quantity));
        }
        rows.push(mass.vanishes(&case, "log(G_β*μ) from the drift − log(G_β*μ) from a direct sum"));
        Ok(rows)
    }

    /// At `β = 1/τ` against the posterior mean of the law of atoms.
    fn posterior(&self, n: usize, queries: &Cloud) -> Result<Row> {
        const NOISE: f64 = 0.3;
        let (noise, d) = (NoiseVariance::new(NOISE)?, queries.dimension());
        let beta = Beta::of_posterior(noise)?;
        let cloud = &weighted_cloud(n, d, beta)?;
        let points = cloud.rows().map(<[f64]>::to_vec).collect();
        let law = Law::Atoms(Atoms::new(points, (0..cloud.len()).map(|j| cloud.weight(j)).collect())?);
        let field = self.field(cloud, Targets::Points(queries.points()), beta)?;
        let mut residual = Residual::default();
        for (i, y) in queries.rows().enumerate() {
            let mean = law.posterior_mean(y, noise)?;
            let predicted: Vec<f64> = mean.iter().zip(y).map(|(m, y)| m - y).collect();
            // The posterior mean is a sum of the same kind, rounded like the drift; the difference rounds once more.
            let last = f64::EPSILON * (length(&mean) + length(y));
            residual.add(row(&field, d, i), &predicted, 2.0 * field.rounding[i] + field.truncation[i] + last);
        }
        Ok(residual.vanishes(&format!("d = {d}, τ = {NOISE}, β = 1/τ"), "F − y − (m − y)"))
    }

    /// Barycentres stay within the hull of the cloud, however far the query: no half-space that holds the cloud leaves one out.
    fn hull(&self, n: usize, queries: &Cloud) -> Result<Row> {
        const BETA: f64 = 10.0;
        let (d, beta) = (queries.dimension(), Beta::new(BETA)?);
        let cloud = &weighted_cloud(n, d, beta)?;
        let far: Vec<f64> = queries.points().iter().map(|x| FAR * x).collect();
        let field = self.field(cloud, Targets::Points(&far), beta)?;
        let (mut excess, mut error) = (f64::NEG_INFINITY, 0.0);
        for (i, x) in far.chunks_exact(d).enumerate() {
            let barycentre: Vec<f64> = row(&field, d, i).iter().zip(x).map(|(v, x)| v + x).collect();
            for u in directions(x) {
                let reach = cloud.rows().map(|z| inner(&u, z)).fold(f64::NEG_INFINITY, f64::max);
                excess = larger(excess, inner(&u, &barycentre) - reach);
            }
            // Unit vectors and inner products round once per coordinate and a few times more.
            let last = (d + 4) as f64 * f64::EPSILON * (length(x) + radius(cloud));
            error = larger(error, field.rounding[i] + field.truncation[i] + last);
        }
        let case = format!("d = {d}, β = {BETA}, queries {FAR} times farther out");
        let quantity = "largest ⟨u, F⟩ − max_j⟨u, z_j⟩, u along the query and the axes";
        let row = Row::at_most(&case, quantity, Measured::known_to(excess, error), Measured::exact(0.0));
        Ok(row.on_scale(radius(cloud)))
    }
}

/// Towards a query, away from it, and both ways along every axis.
fn directions(x: &[f64]) -> Vec<Vec<f64>> {
    let along: Vec<f64> = x.iter().map(|c| c / length(x)).collect();
    let axis = |k: usize| (0..x.len()).map(|i| f64::from(u8::from(i == k))).collect();
    let ways = std::iter::once(along).chain((0..x.len()).map(axis));
    ways.flat_map(|u| [u.iter().map(|c| -c).collect(), u]).collect()
}

fn inner(u: &[f64], z: &[f64]) -> f64 {
    u.iter().zip(z).map(|(u, z)| u * z).sum()
}

/// The drift of target `i`.
fn row(field: &DriftField, d: usize, i: usize) -> &[f64] {
    &field.velocity[i * d..][..d]
}
