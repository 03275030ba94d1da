//! Posterior means against particles that have collapsed into clusters.
//!
//! # Formula
//! Particles whose neighbours on the line are nearer than half a kernel width `β^{−1/2}` form a cluster; `ς` is their mean distance from the centre of their
//! cluster in kernel widths. Posterior means against `N` particles are judged by their excess over the least mean squared error,
//! ```text
//! E|m_N(Y) − m_{P0}(Y)|²,    Y ~ γ_τ*P0,    beside    MMSE = E|X − m_{P0}(Y)|²,
//! ```
//! by quadrature over `Y`, so that only the sample of the particles is random. Stage 2 sees particles through a kernel of variance `τ`: moving mass by a
//! distance `h ≪ √τ` to centres `h` apart changes what it infers by `e^{−2π²τ/h²}`. What counts is therefore where the mass is, not whether it is a density, and
//! that the clusters form after the noise is gone: where they form before, they keep it.
//!
//! # Paper
//! the remark on posterior sufficiency

use crate::claim::nested::mean;
use crate::claim::{Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Auto, Dense, Drift};
use crate::error::Result;
use crate::flow::{Adaptive, Flow};
use crate::law::{BayesOracle, Law, generator};
use crate::measured::Measured;
use crate::numeric::quadrature::{Node, SIXTEEN};
use crate::parallel;
use crate::posterior::ParticlePrior;
use crate::preset::Preset;
use crate::scale::{Beta, NoiseVariance, RawTime};

use super::one_shot::risks;

const SEED: u64 = 5_900;
/// The noise variance throughout.
const NOISE: f64 = 0.5;
/// Tolerance in time: what it does to an excess is far below what the sample does.
const TOLERANCE: f64 = 1e-4;
/// Gaps of so many kernel widths part clusters.
const GAP: f64 = 0.5;
/// Particles this near to the centre of their cluster, in kernel widths, are concentrated.
const CONCENTRATED: f64 = 0.05;
/// The share of the MMSE up to which an excess counts as accurate.
const ACCURATE: f64 = 0.1;
/// Queries: standard deviations to either side, and panels.
const REACH: f64 = 6.0;
const PANELS: usize = 8;

static CARD: Card = Card {
    id: "posterior-sufficiency",
    label: "remark on posterior sufficiency",
    statement: "Posterior inference stays accurate when the particles have concentrated into discrete clusters: it is not necessary that they reconstruct the density of the prior.",
    gist: "Posterior inference stays accurate when particles form clusters.",
    ours: "accurate: the excess is at most a tenth of the MMSE; concentrated: particles are within 0.05 kernel widths of the centre of their cluster, on average",
    regime: "d = 1, τ = 0.5, β = 20 at four horizons, where four to eight clusters are left, nearer to each other than the noise is wide. Not where clusters form before the \
             noise is gone (β = 100, N = 2000), nor where they have merged into one (β = 4 at ten horizons)",
    correction: "",
    severity: None,
    expected: VerdictKind::HoldsWithin,
    headline: Headline {
        row: "mixture, std 0.1, β = 20, 4 T_β, N = 2000: excess against a tenth of the MMSE",
        says: "excess over the MMSE of clusters, and a tenth of the MMSE",
    },
    plot: None,
};

/// Both stages.
pub struct PosteriorSufficiency {
    /// The kernel sums of Stage 1.
    pub drift: Box<dyn Drift>,
    /// What Stage 2 infers at queries from particles.
    pub infer: fn(&Cloud, &Cloud, NoiseVariance) -> Result<Cloud>,
    /// The first seed.
    pub seed: u64,
}

impl Default for PosteriorSufficiency {
    fn default() -> Self {
        Self {
            drift: Box::new(Auto::default()),
            infer: |particles, queries, noise| {
                Ok(ParticlePrior::new(particles, noise)?.infer(queries, &Dense)?.mean)
            },
            seed: SEED,
        }
    }
}

/// A prior on the line, and how far its particles go.
struct Case {
    name: &'static str,
    law: &'static str,
    beta: f64,
    horizons: f64,
    role: Role,
}

const UNIT: &str = "{ kind = 'gaussian', mean = 0, std = 1 }";
const WIDE: &str = "{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.5 }";
const NARROW: &str = "{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }";

const CASES: [Case; 5] = [
    Case { name: "N(0, 1)", law: UNIT, beta: 20.0, horizons: 4.0, role: Role::Stated },
    Case { name: "mixture, std 0.5", law: WIDE, beta: 20.0, horizons: 4.0, role: Role::Stated },
    Case { name: "mixture, std 0.1", law: NARROW, beta: 20.0, horizons: 4.0, role: Role::Stated },
    Case { name: "N(0, 1)", law: UNIT, beta: 4.0, horizons: 10.0, role: Role::Beyond },
    Case { name: "mixture, std 0.1", law: NARROW, beta: 100.0, horizons: 1.0, role: Role::Beyond },
];

/// Particles, and seeds by preset.
const PARTICLES: usize = 2000;
const QUICK: usize = 20;
const FULL: usize = 100;

impl Claim for PosteriorSufficiency {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let seeds = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for case in &CASES {
            rows.extend(self.rows(case, seeds)?);
        }
        Ok(rows)
    }
}

/// What is measured of one sample.
struct Found {
    spread: f64,
    clusters: f64,
    excess: f64,
    one_shot: f64,
}

impl PosteriorSufficiency {
    fn rows(&self, case: &Case, seeds: usize) -> Result<Vec<Row>> {
        let noise = NoiseVariance::new(NOISE)?;
        let prior = Law::parse(case.law)?;
        let queries = Queries::new(&prior, noise)?;
        let of_seed = |k: usize| self.found(case, &prior, &queries, self.seed + k as u64);
        let found = parallel::try_map(seeds, &of_seed)?;
        let over = |number: &dyn Fn(&Found) -> f64| mean(&found.iter().map(number).collect::<Vec<f64>>());
        let mmse = risks(&prior, &prior, noise)?.bayes;
        let (excess, one_shot) = (over(&|found| found.excess)?, over(&|found| found.one_shot)?);
        let horizons = if case.horizons == 1.0 { String::new() } else { case.horizons.to_string() + " " };
        let name = format!("{}, β = {}, {horizons}T_β, N = {PARTICLES}", case.name, case.beta);
        let concentrated = Measured::exact(CONCENTRATED);
        let quantity = "distance from the centre of the cluster in kernel widths";
        Ok(vec![
            Row::at_most(&name, quantity, over(&|found| found.spread)?, concentrated),
            Row::at_most(&name, "excess against a tenth of the MMSE", excess, ACCURATE * mmse)
                .as_role(case.role),
            Row::at_most(&name, "excess against that of one-shot", excess, one_shot).as_role(Role::Context),
            Row::equal(
                &name,
                "number of clusters",
                over(&|found| found.clusters)?,
                Measured::exact(PARTICLES as f64),
            )
            .as_role(Role::Context),
        ])
    }

    fn found(&self, case: &Case, prior: &Law, queries: &Queries, seed: u64) -> Result<Found> {
        let (noise, beta) = (NoiseVariance::new(NOISE)?, Beta::new(case.beta)?);
        let tokens = prior.noisy(noise).sample(PARTICLES, &mut generator(seed))?;
        let time = RawTime::new(case.horizons * noise.denoising_horizon().to_raw(beta)?.get())?;
        let flow = Flow::new(beta, time).with_drift(self.drift.as_ref());
        let end = flow.with_integrator(Adaptive::new(0.0, TOLERANCE)?).run(&tokens)?.end;
        let width = beta.get().powf(-0.5);
        let Clusters { count, spread } = Clusters::of(&end, GAP * width);
        Ok(Found {
            spread: spread / width,
            clusters: count as f64,
            excess: queries.excess(&(self.infer)(&end, &queries.points, noise)?),
            one_shot: queries.excess(&(self.infer)(&tokens, &queries.points, noise)?),
        })
    }
}

/// Observations as quadrature nodes, with what Bayes infers.
struct Queries {
    points: Cloud,
    weights: Vec<f64>,
    bayes: Cloud,
}

impl Queries {
    fn new(prior: &Law, noise: NoiseVariance) -> Result<Self> {
        let noisy = prior.noisy(noise);
        let (centre, reach) = (noisy.mean()[0], REACH * noisy.covariance()[(0, 0)].sqrt());
        let nodes: Vec<Node> = SIXTEEN.panels(centre - reach, centre + reach, PANELS).collect();
        let points = Cloud::new(nodes.iter().map(|node| node.at).collect(), 1)?;
        let weights = nodes.iter().map(|node| Ok(node.weight * noisy.density(&[node.at])?));
        Ok(Self {
            weights: weights.collect::<Result<Vec<f64>>>()?,
            bayes: prior.posterior_means(&points, noise)?,
            points,
        })
    }

    fn excess(&self, inferred: &Cloud) -> f64 {
        let pairs = inferred.points().iter().zip(self.bayes.points()).zip(&self.weights);
        pairs.map(|((m, bayes), weight)| weight * (m - bayes).powi(2)).sum()
    }
}

/// How particles on the line fall into clusters.
struct Clusters {
    count: usize,
    /// Mean distance from the centre of the own cluster.
    spread: f64,
}

impl Clusters {
    fn of(particles: &Cloud, gap: f64) -> Self {
        let mut sorted = particles.points().to_vec();
        sorted.sort_by(f64::total_cmp);
        let clusters = sorted.chunk_by(|left, right| right - left <= gap);
        let (mut count, mut total) = (0, 0.0);
        for cluster in clusters {
            let centre = cluster.iter().sum::<f64>() / cluster.len() as f64;
            total += cluster.iter().map(|z| (z - centre).abs()).sum::<f64>();
            count += 1;
        }
        Self { count, spread: total / sorted.len() as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_counted() {
        let cloud = Cloud::new(vec![1.1, -1.0, 0.9, 3.0], 1).unwrap();
        let found = Clusters::of(&cloud, 0.5);
        assert_eq!(found.count, 3);
        assert!((found.spread - 0.05).abs() < 1e-15);
    }
}
