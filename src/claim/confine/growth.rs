//! The second moment grows at most at the rate `2√2`; does it grow at all?
//!
//! # Formula
//! Along the flow `Ṁ = P = 2∫ x·X dμ`, so the growth rate of `M` is `P/M`, at any time, without differentiation. The paper has
//! ```text
//! P/M ≤ 2√2,    M(t) ≤ e^{2√2 t} M(0),    ∫₀ᵀ A dt ≤ 2 ∫₀ᵀ M dt,    sup_t M_R(t) ≤ 2e^{2√2 T} ∫|x|² df₀  for all large R.
//! ```
//! Conditioning on a ball about the origin lowers the second moment, so the factor two is not needed. For the truncated
//! Gaussian laws `M` falls throughout. But the mean of a lopsided law moves, and about an origin on the far side `M`
//! grows: at the rate 0.018 for the best two atoms, and towards `√2 − 1` for an atom above a sphere in many dimensions
//! (`extremal`). Nothing comes near `2√2`.
//!
//! # Error bars
//! Every cloud is followed at two tolerances, and the coarser run starts displaced by what the certificates of the
//! drift add up to, to random sides. With `δ` and `γ` the distances between the two runs and between their drifts, in
//! the mean square over the particles, a cloud as far off as the coarser run has moments that differ by at most
//! ```text
//! |ΔM| ≤ 2√M δ + δ²,      |ΔA| ≤ 2√A γ + γ²,      |ΔP| ≤ 2(√A δ + √M γ + δγ),
//! ```
//! and what rounding does is part of that, as grown by the flow. Truncated laws are quadrature nodes at two
//! resolutions; the difference of the two adds to the bar. Integrals over time are Simpson's, at two resolutions.
//!
//! # Paper
//! `prop:uniform-moment-action-hard-trunc`

use std::f64::consts::SQRT_2;

use super::extremal::{ATOMS_AND_SPHERES, growing_atoms};
use super::moments::{Moments, maximum};
use super::path::{certificate, follow, inner, kicked, self_drift};
use crate::claim::{Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift, DriftField};
use crate::error::Result;
use crate::flow::Adaptive;
use crate::law::{Gaussian, Law, generator};
use crate::meanfield::MeanField;
use crate::measured::Measured;
use crate::preset::Preset;
use crate::scale::{BallRadius, Beta, NoiseVariance, RawTime};

const SEED: u64 = 20_253;
/// Points of a sample.
const COUNT: usize = 250;
/// Intervals in time; a multiple of four, as Simpson's rule is applied to every second one as well.
const INTERVALS: usize = 16;
/// Spacings of the quadrature nodes, as shares of what just resolves kernel and law.
const RESOLUTIONS: [f64; 2] = [0.25, 0.4];
/// Tolerances in time of the finer and the coarser run.
const TOLERANCES: [f64; 2] = [1e-11, 1e-9];
/// Rounding of the closed form of two atoms, relatively. Its two dozen operations lose a factor of 1.5 where the
/// velocities of the atoms cancel, and the rate goes like the square of that.
const CLOSED_FORM: f64 = 3.0 * 24.0 * f64::EPSILON;

static CARD: Card = Card {
    id: "moment-growth",
    label: "prop:uniform-moment-action-hard-trunc",
    statement: "Along the flow of a truncated law the second moment grows at most at the rate 2√2, and second moment and action integral are bounded \
                uniformly in the radius.",
    gist: "Second moments grow at most at the rate 2√2, whatever the radius.",
    ours: "the rate 2√2 is in the proof, where the law is Gaussian",
    regime: "truncated Gaussian laws on the line by quadrature, off the origin too, samples in d = 2 and 3 up to raw time 1.5, atoms",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 100000, atom above a sphere: growth rate of M",
        says: "growth rate, worst law found",
    },
    plot: None,
};

/// `prop:uniform-moment-action-hard-trunc`, for a drift and a rate.
pub struct MomentGrowth {
    /// The kernel sum that moves the particles.
    pub drift: &'static dyn Drift,
    /// The rate: `2√2`.
    pub rate: f64,
}

impl Default for MomentGrowth {
    fn default() -> Self {
        Self { drift: &Dense, rate: 2.0 * SQRT_2 }
    }
}

/// A Gaussian law on the line, with noise.
struct LineCase {
    mean: f64,
    std: f64,
    noise: f64,
    beta: f64,
}

const CENTRED: LineCase = LineCase { mean: 0.0, std: 0.5, noise: 0.5, beta: 4.0 };
const SHIFTED: LineCase = LineCase { mean: 1.0, std: 0.5, noise: 0.5, beta: 4.0 };
const WIDE: LineCase = LineCase { mean: 1.0, std: 0.5, noise: 1.0, beta: 1.0 };

/// A sampled law.
struct Sampled {
    name: &'static str,
    law: &'static str,
    beta: f64,
    radius: f64,
}

const SAMPLES: [Sampled; 2] = [
    Sampled {
        name: "d = 2, lopsided mixture, β = 3, R = 3",
        law: "{ kind = 'mixture', weights = [0.2, 0.8], means = [[0.5, 0], [2, 0]], std = 0.3 }",
        beta: 3.0,
        radius: 3.0,
    },
    Sampled {
        name: "d = 3, gaussian off the origin, β = 2, R = 2",
        law: "{ kind = 'gaussian', mean = [1, 0, 0], std = 0.7 }",
        beta: 2.0,
        radius: 2.0,
    },
];

impl LineCase {
    fn name(&self, radius: f64) -> String {
        format!("d = 1, mean {}, τ = {}, β = {}, R = {radius}", self.mean, self.noise, self.beta)
    }

    /// `∫|x|² df₀`
    fn second_moment(&self) -> f64 {
        self.mean * self.mean + self.std * self.std + self.noise
    }

    /// The truncated law as quadrature nodes of a resolution.
    fn nodes(&self, radius: f64, resolution: f64, drift: &dyn Drift) -> Result<Cloud> {
        let prior = Law::Gaussian(Gaussian::isotropic(vec![self.mean], self.std)?);
        let field = MeanField::new(prior, NoiseVariance::new(self.noise)?, Beta::new(self.beta)?);
        let field = field.truncated_to(BallRadius::new(radius)?);
        Ok(field.at_resolution(resolution, RawTime::new(0.0)?, drift)?.cloud().clone())
    }
}

impl Claim for MomentGrowth {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let (lines, radii, count): (&[&LineCase], &[f64], usize) = match preset {
            Preset::Quick => (&[&SHIFTED], &[0.3, 1.0, 4.0], COUNT),
            Preset::Full => (&[&CENTRED, &SHIFTED, &WIDE], &[0.3, 1.0, 2.0, 3.0, 5.0], 8 * COUNT),
        };
        let mut rows = Vec::new();
        for line in lines {
            for &radius in radii {
                let [fine, coarse] = RESOLUTIONS.map(|share| line.nodes(radius, share, self.drift));
                let horizon = 0.5 * line.beta * line.noise;
                let curve = self.curve(&fine?, Some(&coarse?), Beta::new(line.beta)?, horizon)?;
                rows.extend(self.judged(&line.name(radius), &curve));
                rows.extend(self.uniform(line, radius, &curve));
            }
        }
        for case in &SAMPLES {
            let law = Law::parse(case.law)?.truncated(BallRadius::new(case.radius)?);
            let cloud = law.sample(count, &mut generator(SEED))?;
            let curve = self.curve(&cloud, None, Beta::new(case.beta)?, 1.5)?;
            rows.extend(self.judged(case.name, &curve));
        }
        rows.extend(self.growing()?);
        Ok(rows)
    }
}

/// Moments along a path.
struct Curve {
    horizon: f64,
    moments: Vec<Moments>,
}

impl Curve {
    /// Simpson's rule for `∫₀ᵀ`, with its error bar.
    fn integral(&self, of: impl Fn(&Moments) -> Measured) -> Measured {
        let values: Vec<Measured> = self.moments.iter().map(of).collect();
        let simpson = |stride: usize| -> f64 {
            let step = self.horizon * stride as f64 / INTERVALS as f64;
            let knots = (0..=INTERVALS).step_by(stride).enumerate();
            let factor = |k: usize, at: usize| match (at, k % 2) {
                (0 | INTERVALS, _) => 1.0,
                (_, 1) => 4.0,
                _ => 2.0,
            };
            knots.map(|(k, at)| factor(k, at) * values[at].value).sum::<f64>() * step / 3.0
        };
        let bar = maximum(&values).numerical;
        let fine = simpson(1);
        Measured::known_to(fine, (fine - simpson(2)).abs() + self.horizon * bar)
    }

    /// The largest of some numbers along the way.
    fn largest(&self, of: impl Fn(&Moments) -> Measured) -> Measured {
        maximum(&self.moments.iter().map(of).collect::<Vec<Measured>>())
    }
}

/// A cloud and its drift.
struct Sight {
    cloud: Cloud,
    field: DriftField,
}

impl MomentGrowth {
    /// A cloud along the flow.
    fn sights(&self, start: &Cloud, beta: Beta, horizon: f64, tolerance: f64) -> Result<Vec<Sight>> {
        let times: Vec<f64> = (1..=INTERVALS).map(|k| horizon * k as f64 / INTERVALS as f64).collect();
        let legs = follow(start, self.drift, beta, &times, &Adaptive::new(0.0, tolerance)?)?;
        let clouds = std::iter::once(start.clone()).chain(legs.into_iter().map(|leg| leg.cloud));
        clouds.map(|cloud| Ok(Sight { field: self_drift(&cloud, self.drift, beta)?, cloud })).collect()
    }

    /// The moments along the flow of a law; `other`, the law at another resolution, judges them.
    fn curve(&self, law: &Cloud, other: Option<&Cloud>, beta: Beta, horizon: f64) -> Result<Curve> {
        let fine = self.sights(law, beta, horizon, TOLERANCES[0])?;
        // What all evaluations may have done together, put in at the start, for the flow to grow.
        let error = horizon * certificate(&fine[0].field);
        let twin = kicked(law, error, &mut generator(SEED))?;
        let coarse = self.sights(&twin, beta, horizon, TOLERANCES[1])?;
        let mut moments: Vec<Moments> = fine.iter().zip(&coarse).map(|(a, b)| judged(a, b)).collect();
        if let Some(other) = other {
            let other = self.sights(other, beta, horizon, TOLERANCES[0])?;
            moments = moments.iter().zip(&other).map(|(a, b)| compared(a, b)).collect();
        }
        Ok(Curve { horizon, moments })
    }

    /// Rate, growth and action along one path.
    fn judged(&self, case: &str, curve: &Curve) -> [Row; 3] {
        let rate = curve.largest(|m| m.power / m.second);
        let (first, last) = (&curve.moments[0], &curve.moments[INTERVALS]);
        let action = curve.integral(|m| m.action) / curve.integral(|m| m.second);
        let growth = Measured::exact((self.rate * curve.horizon).exp());
        [
            Row::at_most(case, "largest growth rate of M", rate, Measured::exact(self.rate)),
            Row::at_most(case, "M(T) / M(0)", last.second / first.second, growth),
            Row::at_most(case, "∫A dt / ∫M dt", action, Measured::exact(2.0)),
        ]
    }

    /// The bound that does not know the radius, and a sharper one.
    fn uniform(&self, line: &LineCase, radius: f64, curve: &Curve) -> [Row; 2] {
        let largest = curve.largest(|m| m.second);
        let (case, whole) = (line.name(radius), line.second_moment());
        let bound = 2.0 * (self.rate * curve.horizon).exp() * whole;
        [
            Row::at_most(&case, "sup M", largest, Measured::exact(bound)),
            Row::at_most(&case, "sup M, against ∫|x|²df₀", largest, Measured::exact(whole))
                .as_role(Role::Context),
        ]
    }

    /// Measures whose second moment grows.
    fn growing(&self) -> Result<Vec<Row>> {
        // The best masses and distance there are, by a simplex search.
        let (cloud, closed) = growing_atoms(0.1386, 3.5255)?;
        let curve = self.curve(&cloud, None, Beta::new(1.0)?, 1.0)?;
        let first = &curve.moments[0];
        let case = "two atoms";
        let mut rows = self.judged(case, &curve).to_vec();
        rows.push(
            Row::equal(
                case,
                "growth rate of M at the start",
                first.power / first.second,
                Measured::known_to(closed, CLOSED_FORM * closed),
            )
            .as_role(Role::Context),
        );
        for measure in &ATOMS_AND_SPHERES {
            let case = format!("d = {}, atom above a sphere", measure.dimension);
            let rate = measure.growth_rate();
            rows.push(Row::at_most(&case, "growth rate of M", rate, Measured::exact(self.rate)));
        }
        Ok(rows)
    }
}

/// The moments of a cloud, as far as one that is more roughly known confirms them.
fn judged(fine: &Sight, coarse: &Sight) -> Moments {
    let cloud = &fine.cloud;
    let moments = Moments::with(cloud, &fine.field);
    let apart = |a: &[f64], b: &[f64]| {
        let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        inner(cloud, &difference, &difference).sqrt()
    };
    let moved = apart(cloud.points(), coarse.cloud.points());
    let turned = apart(&fine.field.velocity, &coarse.field.velocity);
    let [place, spread, speed] =
        [moments.second, moments.variance, moments.action].map(|moment| moment.value.sqrt());
    Moments {
        second: moments.second.widened(moved * (2.0 * place + moved)),
        variance: moments.variance.widened(moved * (2.0 * spread + moved)),
        action: moments.action.widened(turned * (2.0 * speed + turned)),
        power: moments.power.widened(2.0 * (speed * moved + place * turned + moved * turned)),
    }
}

/// The moments, and how far others are from them.
fn compared(moments: &Moments, other: &Sight) -> Moments {
    let other = Moments::with(&other.cloud, &other.field);
    let wider = |a: Measured, b: Measured| a.widened((a.value - b.value).abs());
    Moments {
        second: wider(moments.second, other.second),
        variance: wider(moments.variance, other.variance),
        action: wider(moments.action, other.action),
        power: wider(moments.power, other.power),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `∫₀² t⁴ dt = 6.4`; Simpson's rule is exact for cubics only, and its error bar covers the rest.
    #[test]
    fn integrals_are_within_their_bars() {
        let moments = |k: usize| {
            let t: f64 = 2.0 * k as f64 / INTERVALS as f64;
            let [second, variance, action, power] = [t.powi(3), 0.0, t.powi(4), 0.0].map(Measured::exact);
            Moments { second, variance, action, power }
        };
        let curve = Curve { horizon: 2.0, moments: (0..=INTERVALS).map(moments).collect() };
        let (cubic, quartic) = (curve.integral(|m| m.second), curve.integral(|m| m.action));
        assert!((cubic.value - 4.0).abs() < 1e-14 && cubic.numerical < 1e-12);
        assert!((quartic.value - 6.4).abs() < quartic.numerical && quartic.numerical < 2e-3, "{quartic:?}");
    }
}
