//! Schedules `β(t), η(t)` of equal `∫η/β`: do they denoise alike?
//!
//! # Formula
//! In score time `s`, with `ds = (η/β)dt`, the flow is `∂_s f = −∇·(f∇log(G_{β(s)}*f))`: the step `η` alone never matters, `β(s)` does. For a Gaussian law of variance `λ`,
//! ```text
//! dλ/ds = −2βλ/(1 + βλ),      λ(T0) − v = ∫_v^{v+τ} du/(β u) + O(β^{−2}),
//! ```
//! `β` as it is when `λ = u`: schedules with the same `∫η/β = τ/2` end as far apart as they are from the prior, by a difference of order `1/β`. A mixture has no such first order (`first-order-correction`), and its ends come no nearer to each other as `β` grows.
//!
//! Of all schedules with as many layers, `∫β ds` given, the first order is least for `β ∝ u^{−1/2}`, sharper as the law contracts: by Cauchy and Schwarz
//! `4(√(v+τ) − √v)²/(τ log(1 + τ/v))` times what a constant `β` leaves.
//!
//! The law is followed as weighted quadrature nodes (`N = ∞`), at two resolutions. On the line the flow keeps the order of its nodes, so that `W1` between two ends is `Σω_j|z_j − z'_j|`.
//!
//! # Paper
//! remark "Annealing schedule" in `app:attention_arch_details`

use crate::claim::nodes::cloud_of;
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::flow::{Adaptive, Flow, Schedule, Time};
use crate::law::Law;
use crate::measured::Measured;
use crate::numeric::quadrature::SIXTEEN;
use crate::parallel;
use crate::preset::Preset;
use crate::scale::{NoiseVariance, ScoreTime};

const NOISE: f64 = 0.5;
/// The largest `β` of all, and its kernel widths per panel of sixteen nodes: of the answer, and of what judges it.
const SHARPEST: f64 = 120.0;
const WIDTHS: [f64; 2] = [3.0, 5.0];
/// Tolerances in time, as lengths.
const TOLERANCES: [f64; 2] = [1e-10, 1e-9];

static CARD: Card = Card {
    id: "annealing",
    label: "remark on annealing schedules",
    statement: "With schedules β(t), η(t) denoising is governed by their ratio through ∫η/β = σ²/2, not by β(t) or η(t) individually.",
    gist: "Schedules β(t), η(t) of equal ∫η/β denoise alike.",
    ours: "the first order of what is left, ∫du/(βu); and that β ∝ λ^{−1/2} leaves least for a given number of layers",
    regime: "Gaussian priors, to leading order as β → ∞: ends differ by O(1/β), as much as they are from the prior, by ½|∫(1/β − 1/β')du/u|√(2/(πv)) for the variance v. For two modes they differ more, and up to β = 20 not less as β grows. η alone never matters. Tested for β from 5 to 60, N = ∞, d = 1",
    correction: "",
    severity: None,
    expected: VerdictKind::HoldsWithin,
    headline: Headline {
        row: "Gaussian, β = 10: W1 between the ends of a rising and a falling β, against zero",
        says: "W1, β rising 10 to 30, falling 30 to 10",
    },
    plot: Some(Axes { x: "least β", y: "W1 between the ends", log_x: true, log_y: true }),
};

/// The remark; the kernel sum and the clock can be exchanged.
pub struct Annealing {
    /// The kernel sums.
    pub drift: &'static dyn Drift,
    /// When a schedule ends, given the score time that it should take.
    pub horizon: fn(&Schedule, ScoreTime) -> Result<Time>,
}

impl Default for Annealing {
    fn default() -> Self {
        Self { drift: &Dense, horizon: |_, score| Ok(Time::Score(score)) }
    }
}

/// A prior, and how far its noisy law reaches.
struct Start {
    name: &'static str,
    law: &'static str,
    reach: f64,
}

const GAUSSIAN: Start =
    Start { name: "Gaussian", law: "{ kind = 'gaussian', mean = 0, std = 1 }", reach: 9.5 };
const MIXTURE: Start = Start {
    name: "mixture",
    law: "{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.5 }",
    reach: 8.5,
};

impl Claim for Annealing {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let full = preset == Preset::Full;
        let mut rows = Vec::new();
        let betas: &[f64] = if full { &[5.0, 10.0, 20.0, 40.0] } else { &[5.0, 10.0, 20.0] };
        for start in [&GAUSSIAN, &MIXTURE] {
            let found = parallel::try_map(betas.len(), &|i| self.apart(start, betas[i]))?;
            // A mixture has no first order in 1/β to agree in.
            let role = if start.name == "Gaussian" { Role::Stated } else { Role::Beyond };
            for (pair, betas) in found.windows(2).zip(betas.windows(2)) {
                let case = format!("{}, β = {} and {}", start.name, betas[0], betas[1]);
                let quantity = "W1 between the ends at the larger β, against that at the smaller";
                rows.push(Row::at_most(&case, quantity, pair[1], pair[0]).as_role(role));
            }
            for (&beta, &w1) in betas.iter().zip(&found) {
                let case = format!("{}, β = {beta}", start.name);
                let quantity = "W1 between the ends of a rising and a falling β, against zero";
                let row = Row::equal(&case, quantity, w1, Measured::exact(0.0)).on_scale(1.0 / beta);
                rows.push(row.as_role(Role::Beyond).at(start.name, beta));
            }
            if start.name == "Gaussian" {
                rows.push(first_order(betas, &found));
            }
            rows.push(self.steps(start)?);
        }
        rows.extend(self.best(if full { &[100.0, 400.0] } else { &[100.0] })?);
        Ok(rows)
    }
}

impl Annealing {
    /// The end of a schedule that takes the score time `τ/2`.
    fn end(&self, start: &Start, schedule: &Schedule, widths: f64, tolerance: f64) -> Result<Cloud> {
        let score = NoiseVariance::new(NOISE)?.denoising_horizon();
        let panels = (2.0 * start.reach * SHARPEST.sqrt() / widths).ceil() as usize;
        let nodes = cloud_of(
            &Law::parse(start.law)?.noisy(NoiseVariance::new(NOISE)?),
            &[-start.reach, start.reach],
            panels,
        )?;
        let flow = Flow::new(schedule.clone(), (self.horizon)(schedule, score)?);
        Ok(flow.with_drift(self.drift).with_integrator(Adaptive::new(0.0, tolerance)?).run(&nodes)?.end)
    }

    /// `W1` between the ends of two schedules, at two resolutions in space and time.
    fn between(&self, start: &Start, schedules: [&Schedule; 2]) -> Result<Measured> {
        let at = |i: usize| -> Result<f64> {
            let [a, b] = schedules.map(|schedule| self.end(start, schedule, WIDTHS[i], TOLERANCES[i]));
            Ok(gap(&a?, &b?))
        };
        Ok(Measured::of_two(at(0)?, at(1)?))
    }

    /// `W1` between the ends of `β` rising from `B` to `3B` and falling from `3B` to `B`.
    fn apart(&self, start: &Start, beta: f64) -> Result<Measured> {
        // β = B(1 + 2s/T0) and B(3 − 2s/T0) in score time; in raw time, dt = β ds, this makes roots.
        let t0 = 0.5 * NOISE;
        let rising = Schedule::varying(move |t| beta * (1.0 + 4.0 * t / (beta * t0)).sqrt(), |_| 1.0);
        let falling =
            Schedule::varying(move |t| beta * (9.0 - 4.0 * t / (beta * t0)).max(0.25).sqrt(), |_| 1.0);
        self.between(start, [&rising, &falling])
    }

    /// One `β`, and a step that varies: nothing changes.
    fn steps(&self, start: &Start) -> Result<Row> {
        const BETA: f64 = 10.0;
        let plain = Schedule::varying(|_| BETA, |_| 1.0);
        let uneven = Schedule::varying(|_| BETA, |t: f64| 0.6 + 0.5 * (2.0 * t).sin());
        // Each is off by what a hundred times the tolerance does to it, at most.
        let off = |schedule: &Schedule| -> Result<f64> {
            let ends =
                [1.0, 100.0].map(|factor| self.end(start, schedule, WIDTHS[1], factor * TOLERANCES[0]));
            let [fine, coarse] = ends;
            Ok(gap(&fine?, &coarse?))
        };
        let bar = off(&plain)? + off(&uneven)?;
        let apart = self.between(start, [&plain, &uneven])?.widened(bar);
        let case = format!("{}, β = {BETA}, η = 1 and 0.6 + 0.5 sin 2t", start.name);
        Ok(Row::equal(&case, "W1 between the ends", apart, Measured::exact(0.0)).on_scale(0.1))
    }

    /// What the best schedule leaves beside a constant one of as many layers.
    fn best(&self, betas: &[f64]) -> Result<Vec<Row>> {
        const VARIANCE: f64 = 0.04;
        let (start, root) = (VARIANCE + NOISE, VARIANCE.sqrt());
        let way = start.sqrt() - root;
        let mut rows = Vec::new();
        for &beta in betas {
            // ∫β ds = βτ/2 fixes the constant of β = c/√λ, λ = v + τ − 2s to leading order.
            let c = 0.5 * beta * NOISE / way;
            let annealed = |s: f64| c / (start - 2.0 * s).sqrt();
            let [plain, better] =
                [&(|_| beta) as &dyn Fn(f64) -> f64, &annealed].map(|beta| excess(beta, start, VARIANCE));
            let ratio = better / plain;
            let limit = Measured::exact(4.0 * way * way / (NOISE * (NOISE / VARIANCE).ln_1p()));
            let case = format!("Gaussian, v = {VARIANCE}, as many layers as β = {beta}");
            let quantity = "excess variance with β ∝ λ^(−1/2) over that with one β, and its limit";
            rows.push(Row::equal(&case, quantity, ratio, limit).as_role(Role::Context));
        }
        Ok(rows)
    }
}

/// `λ(T0) − v` for a schedule in score time, by Runge and Kutta's rule for `log λ`.
fn excess(beta: &dyn Fn(f64) -> f64, start: f64, variance: f64) -> Measured {
    let end = |steps: usize| {
        let (horizon, mut u) = (0.5 * NOISE, start.ln());
        let h = horizon / steps as f64;
        let slope = |s: f64, u: f64| {
            let beta = beta(s.min(horizon));
            -2.0 * beta / (1.0 + beta * u.exp())
        };
        for i in 0..steps {
            let s = h * i as f64;
            let a = slope(s, u);
            let b = slope(s + 0.5 * h, u + 0.5 * h * a);
            let c = slope(s + 0.5 * h, u + 0.5 * h * b);
            let d = slope(s + h, u + h * c);
            u += h * (a + 2.0 * b + 2.0 * c + d) / 6.0;
        }
        u.exp() - variance
    };
    Measured::of_two(end(4000), end(2000))
}

/// The constant of the first order: `β·W1` extrapolated, against `½|∫(B/β − B/β')du/u|√(2/πv)`.
fn first_order(betas: &[f64], found: &[Measured]) -> Row {
    let case = "Gaussian, B from 5 on";
    let quantity = "B·W1 between the ends as B → ∞, against its first order";
    let (&[.., b0, b1, b2], &[.., w0, w1, w2]) = (betas, found) else {
        return Row::equal(case, quantity, Measured::UNKNOWN, Measured::UNKNOWN);
    };
    let at = |b: f64, w: Measured| b * w;
    let less = 2.0 * at(b1, w1) - at(b0, w0);
    let more = 2.0 * at(b2, w2) - at(b1, w1);
    let best = (4.0 * more - less) / 3.0;
    let measured = best.widened((best.value - more.value).abs());
    // u = 1 + τ − 2s, B/β = 1/(1 + 2s/T0) rising and 1/(3 − 2s/T0) falling.
    let share = |u: f64| (1.0 + NOISE - u) / (0.5 * NOISE);
    let integrand = |u: f64| (1.0 / (1.0 + share(u)) - 1.0 / (3.0 - share(u))) / u;
    let integral = SIXTEEN.halved(1.0, 1.0 + NOISE, integrand);
    let predicted = integral.abs() * (0.5 * std::f64::consts::FRAC_2_PI.sqrt());
    Row::equal(case, quantity, measured, predicted)
}

/// `Σω_j|z_j − z'_j|`.
fn gap(a: &Cloud, b: &Cloud) -> f64 {
    a.points().iter().zip(b.points()).enumerate().map(|(j, (z, other))| a.weight(j) * (z - other).abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.17.1, `solve_ivp(method = 'DOP853', rtol = 1e-13)`: `λ(T0) − v` from `v + τ`, `v = 0.04`, β = 100 and β = c/√λ.
    const EXCESS: [f64; 2] = [0.021693849048834, 0.020109818929527];

    /// NumPy 2.4.6: 977 trapezoid nodes and a classical Runge–Kutta rule in score time, B = 10, two modes; the kinks of the modulus leave some 2e-6 of a sum over so many nodes.
    const APART: f64 = 0.003_663_0;
    const KINKS: f64 = 2e-6;

    #[test]
    fn ends_by_other_means() {
        let found = Annealing::default().apart(&MIXTURE, 10.0).unwrap();
        assert!((found.value - APART).abs() < KINKS + found.numerical, "{found:?}");
    }

    #[test]
    fn variances_by_other_means() {
        let (start, c) = (0.54_f64, 25.0 / (0.54_f64.sqrt() - 0.2));
        let annealed = |s: f64| c / (start - 2.0 * s).sqrt();
        let found = [excess(&|_| 100.0, start, 0.04), excess(&annealed, start, 0.04)];
        for (found, expected) in found.iter().zip(EXCESS) {
            assert!((found.value - expected).abs() < 1e-11, "{found:?} {expected}");
        }
    }
}
