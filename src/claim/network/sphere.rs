//! On a sphere the Gaussian kernel is softmax attention.
//!
//! # Formula
//! For tokens of one length `ρ`, `e^{−β|x−z_j|²/2} = e^{−β(|x|²+ρ²)/2} e^{β⟨x,z_j⟩}`, so that
//! ```text
//! w_j(x)/Σ_k w_k(x) = softmax_j(β⟨x, z_j⟩).
//! ```
//! Only the *keys* need to lie on the sphere: `|x|` cancels, wherever the query is, and so Stage 2 with noisy queries is softmax attention too. Off the sphere the weights are those of softmax with a
//! bias `−β|z_j|²/2` for every key.
//!
//! Layers with projection, `z ← ρ ẑ/|ẑ|` with `ẑ = (1 − η)z + ηF(z)`, are compared with a network that knows dot products only: layer by layer from the same tokens, where the drift bounds its rounding, and after all
//! layers, where that rounding may have grown as much as random changes of the tokens of size 10⁻⁷ do, ten times.
//!
//! # Paper
//! remark "Layer-norm" in `app:attention_arch_details`

use rand_distr::{Distribution, StandardNormal};

use crate::claim::residual::Residual;
use crate::claim::{Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift, DriftField, Targets};
use crate::error::Result;
use crate::law::generator;
use crate::measured::Measured;
use crate::numeric::largest;
use crate::preset::Preset;
use crate::scale::Beta;

/// The step of a layer.
const STEP: f64 = 0.3;
/// Changes of tokens that show how rounding grows, and how many directions are tried.
const CHANGE: f64 = 1e-7;
const DIRECTIONS: u64 = 3;
/// A random direction may miss the one that grows most by this factor.
const MISSED: f64 = 10.0;

static CARD: Card = Card {
    id: "sphere-softmax",
    label: "remark on layer-norm",
    statement: "If tokens are projected to a sphere between layers, Gaussian attention weights are the softmax of dot products.",
    gist: "With tokens on a sphere the Gaussian kernel is softmax attention.",
    ours: "only the keys need to lie on the sphere; off it, softmax has a bias −β|z_j|²/2 for each key",
    regime: "d = 2, 3, 8, radius 1 and √d, β = 1, 10, 100 over the squared radius, 12 layers of step 0.3, equal weights",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 8, radius 1, β = 10: tokens after 12 layers, Gaussian − softmax",
        says: "two networks after 12 layers, d = 8, β = 10",
    },
    plot: None,
};

/// The remark; the kernel sum, the projection and the temperature of softmax can be exchanged.
pub struct SphereSoftmax {
    /// The Gaussian kernel sum.
    pub drift: &'static dyn Drift,
    /// Brings a token to a sphere of some radius.
    pub project: fn(&mut [f64], f64),
    /// The factor of dot products in softmax, from `β`.
    pub temperature: fn(f64) -> f64,
    /// Where tokens come from.
    pub seed: u64,
}

impl Default for SphereSoftmax {
    fn default() -> Self {
        Self { drift: &Dense, project: onto_sphere, temperature: |beta| beta, seed: 1904 }
    }
}

fn onto_sphere(token: &mut [f64], radius: f64) {
    let factor = radius / token.iter().map(|x| x * x).sum::<f64>().sqrt();
    token.iter_mut().for_each(|x| *x *= factor);
}

/// Tokens, their sphere and a temperature.
struct Setting {
    dimension: usize,
    radius: f64,
    beta: f64,
}

impl Setting {
    fn name(&self) -> String {
        let radius = if self.radius == 1.0 { "1" } else { "√d" };
        format!("d = {}, radius {radius}, β = {}", self.dimension, self.beta)
    }
}

impl Claim for SphereSoftmax {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let (tokens, layers) = if preset == Preset::Quick { (40, 12) } else { (300, 12) };
        let mut rows = Vec::new();
        for dimension in [2, 3, 8] {
            for beta in [1.0, 10.0, 100.0] {
                let d = dimension as f64;
                let mut settings = vec![Setting { dimension, radius: 1.0, beta }];
                if dimension == 8 {
                    settings.push(Setting { dimension, radius: d.sqrt(), beta: beta / d });
                }
                for setting in settings {
                    let cloud = self.tokens(&setting, tokens)?;
                    rows.push(self.queries(&setting, &cloud)?);
                    rows.extend(self.networks(&setting, &cloud, layers)?);
                }
            }
        }
        rows.push(self.off_the_sphere()?);
        Ok(rows)
    }
}

impl SphereSoftmax {
    fn normal(&self, seed: u64, count: usize) -> Vec<f64> {
        let mut generator = generator(self.seed + seed);
        (0..count).map(|_| StandardNormal.sample(&mut generator)).collect()
    }

    fn tokens(&self, setting: &Setting, count: usize) -> Result<Cloud> {
        let points = self.normal(0, count * setting.dimension);
        self.projected(Cloud::new(points, setting.dimension)?, setting.radius)
    }

    fn projected(&self, cloud: Cloud, radius: f64) -> Result<Cloud> {
        let (d, mut points) = (cloud.dimension(), cloud.into_points());
        points.chunks_exact_mut(d).for_each(|token| (self.project)(token, radius));
        Cloud::new(points, d)
    }

    /// Barycentres at any queries, by either kernel.
    fn queries(&self, setting: &Setting, cloud: &Cloud) -> Result<Row> {
        let queries: Vec<f64> =
            self.normal(1, 30 * setting.dimension).iter().map(|x| 1.5 * setting.radius * x).collect();
        let mut residual = Residual::default();
        self.compare(setting, cloud, Targets::Points(&queries), &queries, &mut residual)?;
        Ok(residual.vanishes(&setting.name(), "barycentres at queries off the sphere, Gaussian − softmax"))
    }

    /// `F` of the drift against softmax at some places; what comes of the drift.
    fn compare(
        &self,
        setting: &Setting,
        cloud: &Cloud,
        targets: Targets<'_>,
        places: &[f64],
        residual: &mut Residual,
    ) -> Result<Vec<f64>> {
        let (d, mut field) = (setting.dimension, DriftField::default());
        self.drift.evaluate(cloud.view(), targets, Beta::new(setting.beta)?, &mut field)?;
        let temperature = (self.temperature)(setting.beta);
        let mut barycentres = Vec::with_capacity(places.len());
        for (i, x) in places.chunks_exact(d).enumerate() {
            let own: Vec<f64> = x.iter().zip(&field.velocity[i * d..]).map(|(x, v)| x + v).collect();
            let plain = softmax(cloud, x, temperature);
            // Scores of softmax are rounded relatively, and so are its weights by as much absolutely.
            let score = temperature * setting.radius * x.iter().map(|x| x * x).sum::<f64>().sqrt();
            let sums = f64::EPSILON * setting.radius * (2.0 * (d as f64 + 4.0) * score + cloud.len() as f64);
            residual.add(&own, &plain, field.rounding[i] + field.truncation[i] + sums);
            barycentres.extend(own);
        }
        Ok(barycentres)
    }

    /// Both networks: each layer from the same tokens, and all layers.
    fn networks(&self, setting: &Setting, start: &Cloud, layers: usize) -> Result<Vec<Row>> {
        let (mut gaussian, mut residual) = (start.clone(), Residual::default());
        for _ in 0..layers {
            let places = gaussian.points().to_vec();
            let barycentres = self.compare(setting, &gaussian, Targets::Sources, &places, &mut residual)?;
            gaussian = self.projected(residual_step(&gaussian, &barycentres)?, setting.radius)?;
        }
        let plain = self.softmax_network(setting, start.clone(), layers)?;
        let rounding = layers as f64
            * f64::EPSILON
            * setting.radius
            * (start.len() as f64 + 50.0 * (1.0 + setting.beta * setting.radius.powi(2)));
        let bar = MISSED * self.growth(setting, start, &plain, layers)? * rounding;
        let measured = Measured::known_to(farthest(&gaussian, &plain), bar);
        let quantity = format!("tokens after {layers} layers, Gaussian − softmax");
        Ok(vec![
            residual.vanishes(&setting.name(), &format!("{layers} layers one by one, Gaussian − softmax")),
            Row::equal(&setting.name(), &quantity, measured, Measured::exact(0.0)).on_scale(setting.radius),
        ])
    }

    fn softmax_network(&self, setting: &Setting, start: Cloud, layers: usize) -> Result<Cloud> {
        let temperature = (self.temperature)(setting.beta);
        (0..layers).try_fold(start, |cloud, _| {
            let barycentres: Vec<f64> = cloud.rows().flat_map(|x| softmax(&cloud, x, temperature)).collect();
            let (d, mut points) = (setting.dimension, residual_step(&cloud, &barycentres)?.into_points());
            points.chunks_exact_mut(d).for_each(|token| onto_sphere(token, setting.radius));
            Cloud::new(points, d)
        })
    }

    /// How much small changes of the tokens grow.
    fn growth(&self, setting: &Setting, start: &Cloud, end: &Cloud, layers: usize) -> Result<f64> {
        let grown = |direction: u64| -> Result<f64> {
            let change = self.normal(2 + direction, start.points().len());
            let points = start.points().iter().zip(&change).map(|(x, c)| x + CHANGE * c).collect();
            let changed = Cloud::new(points, setting.dimension)?;
            let moved = farthest(&self.softmax_network(setting, changed.clone(), layers)?, end);
            Ok((moved / farthest(&changed, start)).max(1.0))
        };
        Ok(largest((0..DIRECTIONS).map(grown).collect::<Result<Vec<f64>>>()?))
    }

    /// Without the projection the two are different.
    fn off_the_sphere(&self) -> Result<Row> {
        let setting = Setting { dimension: 3, radius: 1.0, beta: 10.0 };
        let cloud = Cloud::new(self.normal(0, 120), 3)?;
        let mut field = DriftField::default();
        self.drift.evaluate(cloud.view(), Targets::Sources, Beta::new(setting.beta)?, &mut field)?;
        let apart = cloud.rows().enumerate().map(|(i, x)| {
            let plain = softmax(&cloud, x, (self.temperature)(setting.beta));
            largest((0..3).map(|k| (x[k] + field.velocity[3 * i + k] - plain[k]).abs()))
        });
        let apart = Measured::exact(largest(apart));
        let quantity = "largest difference of barycentres, Gaussian − softmax, against one";
        let case = "d = 3, normal tokens, not projected, β = 10";
        Ok(Row::at_least(case, quantity, apart, Measured::exact(1.0)).as_role(Role::Context))
    }
}

/// `Σ_j softmax_j(s⟨x, z_j⟩) z_j`.
fn softmax(cloud: &Cloud, x: &[f64], factor: f64) -> Vec<f64> {
    let scores: Vec<f64> =
        cloud.rows().map(|z| factor * z.iter().zip(x).map(|(z, x)| z * x).sum::<f64>()).collect();
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut mass, mut sum) = (0.0, vec![0.0; x.len()]);
    for (score, z) in scores.iter().zip(cloud.rows()) {
        let weight = (score - top).exp();
        mass += weight;
        sum.iter_mut().zip(z).for_each(|(s, z)| *s += weight * z);
    }
    sum.iter().map(|s| s / mass).collect()
}

/// `(1 − η)z + ηF`.
fn residual_step(cloud: &Cloud, barycentres: &[f64]) -> Result<Cloud> {
    let points = cloud.points().iter().zip(barycentres).map(|(z, f)| (1.0 - STEP) * z + STEP * f);
    Cloud::new(points.collect(), cloud.dimension())
}

/// The largest distance in a coordinate.
fn farthest(a: &Cloud, b: &Cloud) -> f64 {
    largest(a.points().iter().zip(b.points()).map(|(a, b)| (a - b).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softmax_by_other_means() {
        // SciPy 1.17.1: `softmax(3 * Z @ x) @ Z`.
        const EXPECTED: [f64; 2] = [0.45766957335924746, 0.6884569463127784];
        let cloud = Cloud::new(vec![1.0, 0.0, 0.6, 0.8, -0.8, 0.6], 2).unwrap();
        let found = softmax(&cloud, &[0.28, 0.96], 3.0);
        assert!(found.iter().zip(EXPECTED).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
    }
}
