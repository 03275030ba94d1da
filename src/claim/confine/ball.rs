//! Particles stay in the ball, and in the convex hull.
//!
//! # Formula
//! With `u = x/|x|` and `F = x + X`, the radial inequality `⟨x, X[μ](x)⟩ ≤ R|x| − |x|²` says that no barycentre lies
//! beyond the ball in the direction of its target: `u·F(x) ≤ R`, inside and outside. Along the flow, and along layers
//! `z ← z + ηv` with `η < 1`, the support function `h(u) = max_k u·z_k` does not grow for any `u`, and `max_k |z_k|`
//! stays below `R`.
//!
//! # Error bars
//! A computed step starts at the computed cloud, and the exact step from there stays in its hull. So every step may
//! leave the hull by its own error and no more: the tolerance with which an adaptive step was accepted, or the drift's
//! certificate times `η` for a layer. Errors of earlier steps are not amplified, and along a run the bars add up. What
//! another machine's rounding does to the number itself is amplified, by as much as the network makes of it. That is
//! measured: a twin errs by what the certificates allow in every layer, in random directions, and the distance between
//! the twins is part of the bar.
//!
//! # Paper
//! `prop:sc-invariant-ball`, `eq:sc-radial-inward-estimate`, remark "Convex hull invariance"

use super::path::{certificate, directions, dot, follow, kicked, self_drift};
use crate::claim::{Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift, DriftField, Targets};
use crate::error::Result;
use crate::flow::{Adaptive, Integrator};
use crate::law::{Law, generator};
use crate::measured::Measured;
use crate::numeric::largest;
use crate::preset::Preset;
use crate::scale::{BallRadius, Beta};

const SEED: u64 = 20_251;
/// Directions in which hulls and barycentres are looked at.
const DIRECTIONS: usize = 64;
/// Distances of targets from the origin, in radii of the ball.
const INSIDE: [f64; 4] = [0.1, 0.5, 0.9, 1.0];
const OUTSIDE: [f64; 3] = [1.1, 2.0, 5.0];
/// Stretches into which a flow is cut.
const LEGS: usize = 16;
/// Raw time of a flow: by then the clouds have clustered.
const HORIZON: f64 = 4.0;
const TOLERANCE: f64 = 1e-9;
/// Steps of layers, and the raw time that each network spans at least.
const STEPS: [f64; 3] = [0.1, 0.9, 0.999];
const SPAN: f64 = 3.0;
/// Roundings of a projection or a norm in three dimensions, and of a layer.
const ROUNDINGS: f64 = 8.0;

static CARD: Card = Card {
    id: "invariant-ball",
    label: "prop:sc-invariant-ball",
    statement: "A ball about the origin that contains the law contains every barycentre, and no particle leaves it or the convex hull, along the flow and \
                along layers of step η < 1.",
    gist: "No particle leaves a ball about the origin, or the convex hull.",
    ours: "hull and layers are in the remark on convex hull invariance",
    regime: "samples of at least 200 points in balls, d ≤ 3, β from 1 to at least 20, raw time 4, η from 0.1 to 0.999",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 2, gaussian, β = 20: largest |z| along the flow",
        says: "largest |z| along the flow, in a ball of radius",
    },
    plot: None,
};

/// `prop:sc-invariant-ball`, for a drift and the rule of a layer.
pub struct InvariantBall {
    /// The kernel sum that moves the particles.
    pub drift: &'static dyn Drift,
    /// The coordinate that a layer of step `η` makes of a coordinate `z` and its drift `v`: `(z, v, η)`.
    pub layer: fn(f64, f64, f64) -> f64,
}

impl Default for InvariantBall {
    fn default() -> Self {
        Self { drift: &Dense, layer: |z, v, step| z + step * v }
    }
}

/// A sample in a ball.
struct Case {
    name: &'static str,
    law: &'static str,
    beta: f64,
    radius: f64,
}

const CASES: [Case; 4] = [
    Case {
        name: "d = 1, lopsided mixture, β = 1",
        law: "{ kind = 'mixture', weights = [0.2, 0.8], means = [-1.5, 1], std = 0.3 }",
        beta: 1.0,
        radius: 2.0,
    },
    Case {
        name: "d = 2, gaussian, β = 20",
        law: "{ kind = 'gaussian', mean = [0.3, 0], std = 0.7 }",
        beta: 20.0,
        radius: 1.5,
    },
    Case {
        name: "d = 3, mixture, β = 4",
        law: "{ kind = 'mixture', weights = [0.3, 0.7], means = [[-1, 0, 0], [0.5, 0.5, 0]], std = 0.4 }",
        beta: 4.0,
        radius: 1.5,
    },
    Case {
        name: "d = 2, gaussian, β = 200",
        law: "{ kind = 'gaussian', mean = [0, 0], std = 1 }",
        beta: 200.0,
        radius: 2.0,
    },
];

impl Claim for InvariantBall {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let (cases, count) = match preset {
            Preset::Quick => (&CASES[..3], 200),
            Preset::Full => (&CASES[..], 1500),
        };
        let mut rows = Vec::new();
        for case in cases {
            let scene = Scene::new(case, count)?;
            rows.push(self.radial(&scene, "inside the ball", &INSIDE)?);
            rows.push(self.radial(&scene, "outside the ball", &OUTSIDE)?);
            rows.extend(self.flow(&scene)?);
            for step in STEPS {
                rows.push(self.layers(&scene, step)?);
            }
        }
        rows.push(self.overshoot()?);
        Ok(rows)
    }
}

/// A sample and where it is looked at from.
struct Scene {
    case: &'static Case,
    cloud: Cloud,
    beta: Beta,
    directions: Vec<Vec<f64>>,
}

impl Scene {
    fn new(case: &'static Case, count: usize) -> Result<Self> {
        let mut stream = generator(SEED);
        let ball = BallRadius::new(case.radius)?;
        let cloud = Law::parse(case.law)?.truncated(ball).sample(count, &mut stream)?;
        let directions = directions(cloud.dimension(), DIRECTIONS, &mut stream);
        Ok(Self { case, beta: Beta::new(case.beta)?, cloud, directions })
    }

    fn rounding(&self) -> f64 {
        ROUNDINGS * f64::EPSILON * self.case.radius
    }

    /// By how much the hull grew from one cloud to another, at most over all directions.
    fn growth(&self, before: &Cloud, after: &Cloud) -> f64 {
        let gain = |u: &Vec<f64>| support(after, u) - support(before, u);
        largest(self.directions.iter().map(gain))
    }
}

/// `h(u)`
fn support(cloud: &Cloud, u: &[f64]) -> f64 {
    largest(cloud.rows().map(|z| dot(u, z)))
}

fn radius(cloud: &Cloud) -> f64 {
    largest(cloud.rows().map(|z| dot(z, z).sqrt()))
}

/// The largest distance of a particle from its twin.
fn farthest(cloud: &Cloud, twin: &Cloud) -> f64 {
    let apart =
        |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    largest(cloud.rows().zip(twin.rows()).map(apart))
}

impl InvariantBall {
    /// How far barycentres reach in the direction of their targets.
    fn radial(&self, scene: &Scene, place: &str, distances: &[f64]) -> Result<Row> {
        let far: Vec<f64> = distances.iter().map(|share| share * scene.case.radius).collect();
        let at = |u: &Vec<f64>| far.iter().flat_map(|r| u.iter().map(move |c| c * r)).collect::<Vec<f64>>();
        let targets: Vec<f64> = scene.directions.iter().flat_map(at).collect();
        let mut field = DriftField::default();
        self.drift.evaluate(scene.cloud.view(), Targets::Points(&targets), scene.beta, &mut field)?;
        let d = scene.cloud.dimension();
        let pairs = targets.chunks_exact(d).zip(field.velocity.chunks_exact(d));
        let reach = |(x, v): (&[f64], &[f64])| {
            let length = dot(x, x).sqrt();
            length + dot(x, v) / length
        };
        let measured = largest(pairs.map(reach));
        let farthest = distances.iter().copied().fold(1.0, f64::max);
        let error = certificate(&field) + farthest * scene.rounding();
        let quantity = format!("largest |F|, targets {place}");
        Ok(Row::at_most(
            scene.case.name,
            &quantity,
            Measured::known_to(measured, error),
            Measured::exact(scene.case.radius),
        ))
    }

    /// Ball and hull along the flow.
    fn flow(&self, scene: &Scene) -> Result<[Row; 3]> {
        let integrator = Adaptive::new(0.0, TOLERANCE)?;
        let times: Vec<f64> = (1..=LEGS).map(|k| HORIZON * k as f64 / LEGS as f64).collect();
        let legs = follow(&scene.cloud, self.drift, scene.beta, &times, &integrator)?;
        let step_error = integrator.step_error(&scene.cloud).unwrap_or(f64::INFINITY);
        let clouds: Vec<&Cloud> =
            std::iter::once(&scene.cloud).chain(legs.iter().map(|leg| &leg.cloud)).collect();
        let widest = largest(clouds[1..].iter().map(|cloud| radius(cloud)));
        let grown = largest(clouds.windows(2).map(|pair| scene.growth(pair[0], pair[1])));
        let steps: u64 = legs.iter().map(|leg| leg.steps).sum();
        let longest = legs.iter().map(|leg| leg.steps).max().unwrap_or(0);
        let bar = |steps: u64| step_error * steps as f64 + scene.rounding();
        let (name, ball) = (scene.case.name, scene.case.radius);
        let end = radius(clouds[LEGS]);
        Ok([
            Row::at_most(
                name,
                "largest |z| along the flow",
                Measured::known_to(widest, bar(steps)),
                Measured::exact(ball),
            ),
            Row::at_most(
                name,
                "outward growth of the convex hull along the flow",
                Measured::known_to(grown, bar(longest)),
                Measured::exact(0.0),
            )
            .on_scale(ball),
            Row::at_most(name, "|z| at the end", Measured::known_to(end, bar(steps)), Measured::exact(ball))
                .as_role(Role::Context),
        ])
    }

    /// The hull along layers of one step.
    fn layers(&self, scene: &Scene, step: f64) -> Result<Row> {
        let mut stream = generator(SEED);
        let (mut cloud, mut twin) = (scene.cloud.clone(), scene.cloud.clone());
        let (mut growths, mut errors, mut distances) = (Vec::new(), Vec::new(), Vec::new());
        let mut time = 0.0;
        while time < SPAN {
            let (next, certified) = self.layer(&cloud, scene.beta, step)?;
            let error = step * certified + scene.rounding();
            twin = kicked(&self.layer(&twin, scene.beta, step)?.0, error, &mut stream)?;
            growths.push(scene.growth(&cloud, &next));
            errors.push(error);
            distances.push(farthest(&next, &twin));
            (time, cloud) = (time + step, next);
        }
        // The growth is a difference between two clouds, and each may be as far off as the twin.
        let bar = largest(errors) + 2.0 * largest(distances);
        let quantity = format!("outward growth of the convex hull in a layer, η = {step}");
        let measured = Measured::known_to(largest(growths), bar);
        Ok(Row::at_most(scene.case.name, &quantity, measured, Measured::exact(0.0))
            .on_scale(scene.case.radius))
    }

    /// One layer, and the drift's certificate.
    fn layer(&self, cloud: &Cloud, beta: Beta, step: f64) -> Result<(Cloud, f64)> {
        let field = self_drift(cloud, self.drift, beta)?;
        let move_by = |(z, v): (&f64, &f64)| (self.layer)(*z, *v, step);
        let points = cloud.points().iter().zip(&field.velocity).map(move_by).collect();
        Ok((cloud.moved_to(points)?, certificate(&field)))
    }

    /// What `η > 1` does: a light particle is thrown beyond a heavy one.
    fn overshoot(&self) -> Result<Row> {
        let cloud = Cloud::new(vec![-1.0, 1.0], 1)?.with_weights(vec![0.1, 0.9])?;
        let (next, certified) = self.layer(&cloud, Beta::new(0.1)?, 1.5)?;
        let grown = support(&next, &[1.0]) - support(&cloud, &[1.0]);
        let bar = 1.5 * certified + ROUNDINGS * f64::EPSILON;
        Ok(Row::at_most(
            "two atoms",
            "outward growth of the convex hull in a layer, η = 1.5",
            Measured::known_to(grown, bar),
            Measured::exact(0.0),
        )
        .on_scale(1.0)
        .as_role(Role::Context))
    }
}
