//! Posterior means are continuous in `W1`: with which modulus?
//!
//! # Formula
//! With `Z_ν(y) = (γ_τ * ν)(y)` and either law's posterior mean in the right place,
//! ```text
//! m_ν'(y) − m_ν(y) = Z_ν(y)^{−1} ∫(x − m_ν'(y)) γ_τ(y − x)(ν' − ν)(dx),
//! |m_ν'(y) − m_ν(y)| ≤ K W1(ν, ν'),      K = (2πτ)^{−d/2} S(|y − m_ν'(y)|/√τ)/Z_ν(y),
//! S(b) = max_v e^{−v²/2}(1 + v² + bv)   (d ≥ 2),      S(b) = max_v e^{−v²/2}|1 − v² − bv|   (d = 1).
//! ```
//! So the modulus is linear, with a constant that grows like `1/Z_ν(M)`: for `N(0, s)` like `e^{M²/2(s+τ)}`. In `d = 1` it is the best possible as `W1 → 0`: moving a small mass
//! where the maximum is attains it. Nothing is uniform over all `y`: a wider prior changes the mean by a multiple of `y`.
//!
//! Pairs: Gaussian laws, a small mass moved or put far away, and quantile atoms and samples in place of a law. The supremum over `|y| ≤ M` is that over a grid in `d = 1`, where every point is
//! judged by its own bound; in `d = 3` means are affine along the line of the shift and the ends decide.
//!
//! # Paper
//! `prop:nc-posterior-mean-W1`

use nalgebra::DMatrix;

use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::Dense;
use crate::error::Result;
use crate::law::{BayesOracle, Gaussian, Law, Mixture, generator};
use crate::measured::Measured;
use crate::metric::{between_gaussians, line};
use crate::numeric::largest;
use crate::posterior::ParticlePrior;
use crate::preset::Preset;
use crate::scale::NoiseVariance;

/// The noise variance `τ`, and the prior's variance.
const NOISE: f64 = 0.5;
const VARIANCE: f64 = 1.0;
/// Points of the grid on `[−M, M]`.
const GRID: usize = 61;
/// Places `v` that are tried for `S(b)`, `|v| ≤ 8`; beyond, `e^{−v²/2}` leaves nothing.
const PLACES: i32 = 8000;
/// A posterior mean is good to this, relative to prior and query; the laws' own tests hold it to it.
const MEAN: f64 = 1e-14;

static CARD: Card = Card {
    id: "posterior-continuity",
    label: "prop:nc-posterior-mean-W1",
    statement: "If W1(ν_n, ν) → 0, then sup_{|y|≤M}|m_{ν_n}(y) − m_ν(y)| → 0 for every M: posterior means are locally uniformly continuous in W1.",
    gist: "Posterior means are continuous in W1, uniformly over |y| ≤ M.",
    ours: "the modulus: |m_ν'(y) − m_ν(y)| ≤ K W1(ν, ν') with K = S(|y − m_ν'(y)|/√τ)/((2πτ)^{d/2}(γ_τ*ν)(y)), the best constant on the line as W1 → 0; it grows like exp(M²/2(s+τ)) for N(0, s)",
    regime: "τ = 0.5, priors N(0, 1) in d = 1 and 3 and a mixture in d = 1, M = 1, 3, 5, W1 from 0.5 to 10⁻⁹",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "N(0, 1), M = 3, quantile atoms: sup|m_ν − m| at the least W1, against that at the largest",
        says: "sup|m_ν − m|, 1000 atoms; 10 atoms",
    },
    plot: Some(Axes { x: "W1(ν', ν)", y: "sup|m_ν' − m_ν| for |y| ≤ M", log_x: true, log_y: true }),
};

/// The modulus; posterior means and `S` can be exchanged.
pub struct PosteriorContinuity {
    /// `m_ν(y)` of a law.
    pub mean: fn(&Law, &[f64], NoiseVariance) -> Result<Vec<f64>>,
    /// `S(b)` on the line.
    pub slope: fn(f64) -> Measured,
    /// Where samples come from.
    pub seed: u64,
}

impl Default for PosteriorContinuity {
    fn default() -> Self {
        Self { mean: Law::posterior_mean, slope: steepest, seed: 1903 }
    }
}

impl Claim for PosteriorContinuity {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let radii: &[f64] = if preset == Preset::Quick { &[1.0, 3.0] } else { &[1.0, 2.0, 3.0, 4.0, 5.0] };
        let normal = Law::Gaussian(Gaussian::isotropic(vec![0.0], VARIANCE.sqrt())?);
        let mixture = Law::parse("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1.5, 1], std = 0.4 }")?;
        let mut rows = Vec::new();
        for &radius in radii {
            for (name, law) in [("N(0, 1)", &normal), ("a mixture", &mixture)] {
                let case = format!("{name}, M = {radius}");
                rows.extend(self.sequence(&case, law, radius, "a mass ε moved far", &far_masses(law)?)?);
                rows.extend(self.sequence(&case, law, radius, "quantile atoms", &quantiles(law)?)?);
                rows.extend(self.sequence(&case, law, radius, "samples", &samples(law, self.seed)?)?);
                rows.push(self.sharp(&case, law, radius)?);
            }
            let case = format!("N(0, 1), M = {radius}");
            rows.extend(self.sequence(&case, &normal, radius, "wider and shifted", &gaussians()?)?);
            rows.extend(self.in_space(radius)?);
        }
        rows.push(self.not_uniform(&normal)?);
        Ok(rows)
    }
}

/// A law near the prior, in a form that knows its posterior means, and its distance.
struct Neighbour {
    law: Near,
    distance: f64,
}

enum Near {
    Law(Law),
    Cloud(Cloud),
}

impl PosteriorContinuity {
    fn means(&self, near: &Near, queries: &[f64], noise: NoiseVariance) -> Result<Vec<f64>> {
        match near {
            Near::Law(law) => queries.iter().map(|&y| Ok((self.mean)(law, &[y], noise)?[0])).collect(),
            Near::Cloud(cloud) => {
                let queries = Cloud::new(queries.to_vec(), 1)?;
                Ok(ParticlePrior::new(cloud, noise)?.infer(&queries, &Dense)?.mean.into_points())
            }
        }
    }

    /// Laws on the line that come nearer: each within its bound, and the last nearer than the first.
    fn sequence(
        &self,
        case: &str,
        law: &Law,
        radius: f64,
        name: &str,
        near: &[Neighbour],
    ) -> Result<Vec<Row>> {
        let noise = NoiseVariance::new(NOISE)?;
        let queries: Vec<f64> =
            (0..GRID).map(|i| radius * (2.0 * i as f64 / (GRID - 1) as f64 - 1.0)).collect();
        let smoothed = law.noisy(noise);
        let own = self.means(&Near::Law(law.clone()), &queries, noise)?;
        let case = format!("{case}, {name}");
        let (mut rows, mut sups) = (Vec::new(), Vec::new());
        for Neighbour { law: other, distance } in near {
            let means = self.means(other, &queries, noise)?;
            let rounding = 2.0 * MEAN * (1.0 + radius);
            let mut worst = Measured::exact(0.0);
            for ((&y, m), own) in queries.iter().zip(&means).zip(&own) {
                let evidence = smoothed.density(&[y])?;
                let factor = 1.0 / ((std::f64::consts::TAU * NOISE).sqrt() * evidence);
                let constant = (self.slope)((y - m).abs() / NOISE.sqrt()) * factor;
                let ratio = Measured::known_to((m - own).abs(), rounding) / (constant * *distance);
                worst = worst.larger(ratio);
            }
            let sup = largest(means.iter().zip(&own).map(|(m, own)| (m - own).abs()));
            sups.push(Measured::known_to(sup, rounding));
            let quantity = format!("worst |m_ν' − m_ν| over K W1, W1 = {distance:.1e}");
            rows.push(Row::at_most(&case, &quantity, worst, Measured::exact(1.0)));
            let place = Row::at_most(
                &case,
                &format!("sup|m_ν' − m_ν|, W1 = {distance:.1e}"),
                sups[sups.len() - 1],
                Measured::exact(2.0 * radius + 2.0),
            );
            rows.push(place.as_role(Role::Context).at(&case, *distance));
        }
        if let (Some(&first), Some(&last)) = (sups.first(), sups.last()) {
            let quantity = "sup|m_ν − m| at the least W1, against that at the largest";
            rows.push(Row::at_most(&case, quantity, last, first));
        }
        Ok(rows)
    }

    /// A small mass where the maximum of `S` is: the constant is attained as the mass and the way it goes vanish.
    fn sharp(&self, case: &str, law: &Law, radius: f64) -> Result<Row> {
        const SHARE: f64 = 2.5e-4;
        const WAY: f64 = 1e-4;
        let noise = NoiseVariance::new(NOISE)?;
        let own = (self.mean)(law, &[radius], noise)?[0];
        let place = radius + NOISE.sqrt() * steepest_at((radius - own) / NOISE.sqrt());
        let evidence = law.noisy(noise).density(&[radius])?;
        let slope = (self.slope)((radius - own).abs() / NOISE.sqrt());
        let constant = slope * (1.0 / ((std::f64::consts::TAU * NOISE).sqrt() * evidence));
        // Small beside the evidence.
        let share = SHARE / constant.value.max(1.0);
        let with_mass =
            |at: f64| -> Result<f64> { Ok((self.mean)(&exchanged(law, share, at)?, &[radius], noise)?[0]) };
        let moved = (with_mass(place + 0.5 * WAY)? - with_mass(place - 0.5 * WAY)?).abs();
        // First order in the mass: it changes both the mean and the evidence by a share of its own kernel.
        let neglected = 4.0 * share * constant.value;
        let rounding = 2.0 * MEAN * (1.0 + radius) / (share * WAY);
        let measured = Measured::known_to(moved / (share * WAY), rounding);
        let predicted = constant.widened(constant.value * (neglected + WAY * WAY / NOISE));
        let quantity = "|m_ν' − m_ν|/W1 of a small mass moved a little, against K";
        Ok(Row::equal(case, quantity, measured, predicted))
    }

    /// Shifted Gaussians in space.
    fn in_space(&self, radius: f64) -> Result<Vec<Row>> {
        const D: usize = 3;
        let noise = NoiseVariance::new(NOISE)?;
        let gaussian = Gaussian::isotropic(vec![0.0; D], VARIANCE.sqrt())?;
        let law = Law::Gaussian(gaussian.clone());
        let mut rows = Vec::new();
        for shift in [0.1, 1e-3, 1e-6] {
            let mut mean = vec![0.0; D];
            mean[0] = shift;
            let other = Gaussian::new(mean, DMatrix::identity(D, D) * ((1.0 + shift) * VARIANCE))?;
            let distance = between_gaussians(&other, &gaussian)?.w1.lower;
            let other = Law::Gaussian(other);
            let mut worst = Measured::exact(0.0);
            for y in [-radius, 0.0, radius] {
                let query = [y, 0.0, 0.0];
                let (m, own) = ((self.mean)(&other, &query, noise)?, (self.mean)(&law, &query, noise)?);
                let evidence = law.noisy(noise).density(&query)?;
                let b = (y - m[0]).abs() / NOISE.sqrt();
                let scale = (std::f64::consts::TAU * NOISE).powf(-0.5 * D as f64);
                let constant = steepest_in_space(b) * (scale / evidence);
                let off = Measured::known_to((m[0] - own[0]).abs(), 2.0 * MEAN * (1.0 + radius));
                let ratio = off / (constant * distance);
                worst = worst.larger(ratio);
            }
            let quantity = format!("worst |m_ν' − m_ν| over K W1, shift and widening {shift:e}");
            rows.push(Row::at_most(
                &format!("N(0, I) in d = 3, M = {radius}"),
                &quantity,
                worst,
                Measured::exact(1.0),
            ));
        }
        Ok(rows)
    }

    /// Over all `y` there is no modulus: where the prior has no mass to speak of, next to nothing outweighs it.
    fn not_uniform(&self, law: &Law) -> Result<Row> {
        const FAR: f64 = 20.0;
        let noise = NoiseVariance::new(NOISE)?;
        let (near, share) = ((self.mean)(law, &[FAR], noise)?[0], 1e-9);
        let moved = (self.mean)(&exchanged(law, share, FAR)?, &[FAR], noise)?[0];
        let off = Measured::known_to((moved - near).abs(), MEAN * FAR);
        let row = Row::at_least(
            "N(0, 1), y = 20, W1 = 2e-8",
            "|m_ν' − m_ν|, against one",
            off,
            Measured::exact(1.0),
        );
        Ok(row.as_role(Role::Context))
    }
}

/// `(1 − ε)ν + ε δ_at`.
fn exchanged(law: &Law, share: f64, at: f64) -> Result<Law> {
    let (mut weights, mut parts) = match law {
        Law::Mixture(mixture) => (mixture.weights().to_vec(), mixture.components().to_vec()),
        Law::Gaussian(gaussian) => (vec![1.0], vec![gaussian.clone()]),
        _ => (vec![], vec![]),
    };
    weights.iter_mut().for_each(|w| *w *= 1.0 - share);
    weights.push(share);
    parts.push(Gaussian::isotropic(vec![at], 0.0)?);
    Ok(Law::Mixture(Mixture::new(weights, parts)?))
}

/// A share of the law put at `x = 4`: `W1 = ε E|4 − X|`.
fn far_masses(law: &Law) -> Result<Vec<Neighbour>> {
    let split = law.on_line()?.split(4.0);
    let way = split.lower_mean + split.upper_mean;
    let neighbour =
        |share: f64| Ok(Neighbour { law: Near::Law(exchanged(law, share, 4.0)?), distance: share * way });
    [0.1, 1e-2, 1e-3, 1e-6].into_iter().map(neighbour).collect()
}

/// Atoms at the middle quantiles of `N` cells.
fn quantiles(law: &Law) -> Result<Vec<Neighbour>> {
    let line = law.on_line()?;
    let neighbour = |atoms: usize| -> Result<Neighbour> {
        let place = |k: usize| line.quantile((k as f64 + 0.5) / atoms as f64);
        let cloud = Cloud::new((0..atoms).map(place).collect::<Result<_>>()?, 1)?;
        Ok(Neighbour { distance: line::w1_to_law(&cloud, &line)?, law: Near::Cloud(cloud) })
    };
    [10, 100, 1000].into_iter().map(neighbour).collect()
}

/// Samples.
fn samples(law: &Law, seed: u64) -> Result<Vec<Neighbour>> {
    let line = law.on_line()?;
    let neighbour = |points: usize| -> Result<Neighbour> {
        let cloud = law.sample(points, &mut generator(seed))?;
        Ok(Neighbour { distance: line::w1_to_law(&cloud, &line)?, law: Near::Cloud(cloud) })
    };
    [20, 2000].into_iter().map(neighbour).collect()
}

/// Wider and shifted Gaussian laws.
fn gaussians() -> Result<Vec<Neighbour>> {
    let prior = Gaussian::isotropic(vec![0.0], VARIANCE.sqrt())?;
    let neighbour = |by: f64| -> Result<Neighbour> {
        let law = Gaussian::isotropic(vec![by], VARIANCE.sqrt() * (1.0 + by))?;
        let distance = between_gaussians(&law, &prior)?.w1.lower;
        Ok(Neighbour { distance, law: Near::Law(Law::Gaussian(law)) })
    };
    [0.3, 1e-2, 1e-4, 1e-6, 1e-9].into_iter().map(neighbour).collect()
}

/// `e^{−v²/2}(1 − v² − bv)`.
fn slope_at(b: f64, v: f64) -> f64 {
    (-0.5 * v * v).exp() * (1.0 - v * v - b * v)
}

/// Largest of a function over `|v| ≤ 8`, and where.
fn scanned(f: impl Fn(f64) -> f64) -> [f64; 2] {
    let places = (-PLACES..=PLACES).map(|i| 8.0 * f64::from(i) / f64::from(PLACES));
    places.fold([f64::NEG_INFINITY, 0.0], |best, v| if f(v) <= best[0] { best } else { [f(v), v] })
}

/// What a scan may miss: half a step from the top, where curvatures are below `4 + 3b`.
fn missed(b: f64) -> f64 {
    (8.0 / f64::from(PLACES)).powi(2) * (4.0 + 3.0 * b) / 8.0
}

/// `S(b)` on the line.
fn steepest(b: f64) -> Measured {
    let [value, _] = scanned(|v| slope_at(b, v).abs());
    Measured::known_to(value, missed(b))
}

/// Where it is, in units of `√τ` from the query.
fn steepest_at(b: f64) -> f64 {
    scanned(|v| slope_at(b, v).abs())[1]
}

/// `S(b)` in space.
fn steepest_in_space(b: f64) -> Measured {
    let [value, _] = scanned(|v| (-0.5 * v * v).exp() * (1.0 + v * v + b * v));
    Measured::known_to(value, missed(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath 1.4.1 at 30 digits: `b`, and the largest modulus of `e^{−v²/2}(1 − v² − bv)` by `findroot` of its derivative.
    const REFERENCE: [(f64, f64); 3] =
        [(0.0, 1.0), (1.0, 1.156_953_203_478_731_3), (2.5, 1.787_499_962_216_032_6)];

    #[test]
    fn steepest_slopes() {
        for (b, expected) in REFERENCE {
            let found = steepest(b);
            assert!((found.value - expected).abs() <= found.numerical, "{b}: {found:?} {expected}");
        }
    }

    #[test]
    fn evidence_and_means_of_a_mass_far_out() {
        // SciPy 1.17.1, `quad` of x γ(y − x) and γ(y − x) against 0.9 N(0, 1) + 0.1 δ_4 at y = 3, τ = 1/2.
        const EXPECTED: f64 = 3.174244524630151;
        let law = Law::Gaussian(Gaussian::isotropic(vec![0.0], 1.0).unwrap());
        let mixed = exchanged(&law, 0.1, 4.0).unwrap();
        let mean = mixed.posterior_mean(&[3.0], NoiseVariance::new(NOISE).unwrap()).unwrap()[0];
        assert!((mean - EXPECTED).abs() < 1e-12, "{mean}");
    }
}
