//! Propagation of chaos on a ball at fixed `β`.
//!
//! # Formula
//! ```text
//! (ii)  ν_N(t) = E|X_i − X̄_i| ≤ L e^{2Lt} ∫_0^t E W1(μ̄_N, f_s) ds,       (iii)  E W1(μ_N, f_t) → 0
//! ```
//! with the Lipschitz constant `L` of the drift on the ball. Partners are carried by quadrature nodes of the law, which knows no sampling; samples fall into
//! quarters, sixteenths and so on, so that each tells the same number at several sizes.
//!
//! The limit is judged by the ratio of the numbers at `N` and `N/4`, and by what `N^{−1/2}` extrapolates them to. That rate, which the theorem does not
//! claim, holds while ripples of the density, which grow by up to `e^{βτ/e}`, stay small: for `N ≫ √β e^{2βτ/e}`. Without a ball the
//! partners of a Gaussian sample are known in closed form, `X̄ = a + (Γ_t/Γ_0)^{1/2}(X − a)`, which serves for large `N`, and as a test of
//! partners that nodes carry.
//!
//! # Paper
//! `thm:sc-exact-fixed-beta-poc-compact-support`, `eq:poc-particlewise-coupling-bound`

use super::partners::{LawInBall, TOLERANCE};
use crate::claim::confine::lipschitz;
use crate::claim::gaussian::setting::Setting;
use crate::claim::nested::{Nested, Samples, mean};
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Auto, Drift};
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::flow::{Adaptive, Flow};
use crate::law::{Generator, generator};
use crate::measured::Measured;
use crate::metric::{coupled, coupled_to_gaussian};
use crate::parallel;
use crate::preset::Preset;
use crate::scale::{BallRadius, Beta, RawTime};

const SEED: u64 = 50_600;
/// The noise variance throughout.
const NOISE: f64 = 0.5;
/// Intervals of the times at which `W1` is integrated.
const TIMES: usize = 4;
/// A ball that holds the whole law, to all digits.
const EVERYTHING: f64 = 10.5;
/// Tokens whose partners are compared with closed forms.
const COMPARED: usize = 50;
/// The logarithm of the largest factor of a bound that is told from others.
const LARGEST: f64 = 300.0;
/// What steps in time do to a distance, in tolerances.
const STEPS: f64 = 50.0;

static CARD: Card = Card {
    id: "propagation-of-chaos",
    label: "thm:sc-exact-fixed-beta-poc-compact-support",
    statement: "On a ball at fixed β: E|X_i − X̄_i| ≤ L e^{2Lt} ∫_0^t E W1(μ̄_N, f_s) ds, and E W1(μ_N, f_t) → 0 as N → ∞, X̄_i the partner of particle i in the mean field f.",
    gist: "E|X − X̄| ≤ Le^{2Lt}∫E W1(μ̄_N, f_s)ds, and E W1(μ_N, f_t) → 0 as N → ∞.",
    ours: "the rate N^{−1/2}, and where it holds: at once for βτ ≤ 4, for N ≫ √β e^{2βτ/e} beyond",
    regime: "d = 1, N(0.3, 1) with noise 0.5 in balls of radius 1 to 3, t = T_β; βτ = 0.1, 1 and 4 with N = 256 and 1024 for the limit; rates for βτ up to 20",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 1, Σ0 = (1), τ = 0.5, β = 8, R = 3: E W1(μ_N, f_t) over that at N/4",
        says: "E W1(μ_N, f_t) over that at N/4; without rate, below",
    },
    plot: Some(Axes { x: "N", y: "E|X − X̄|", log_x: true, log_y: true }),
};

/// A Lipschitz constant of the drift on a ball.
pub type LipschitzConstant = fn(Beta, BallRadius) -> f64;

/// Particles beside their partners.
pub struct PropagationOfChaos {
    /// The kernel sums of the particles.
    pub drift: Box<dyn Drift>,
    /// Where a Gaussian law takes a point, by its covariance flow.
    pub partner: fn(&CovarianceFlow, &Cloud, RawTime) -> Result<Cloud>,
    /// `L_{β,R}`.
    pub lipschitz: LipschitzConstant,
    /// The right side of (ii), from `L`, `t` and the integral.
    pub bound: fn(f64, f64, Measured) -> Measured,
    /// The first seed.
    pub seed: u64,
}

impl Default for PropagationOfChaos {
    fn default() -> Self {
        Self {
            drift: Box::new(Auto::default()),
            partner: |flow, cloud, time| flow.push(cloud, time),
            lipschitz: lipschitz::constant,
            bound: |l, t, integral| (l.ln() + 2.0 * l * t).min(LARGEST).exp() * integral,
            seed: SEED,
        }
    }
}

/// A temperature, a ball and how much is sampled.
struct Cell {
    beta: f64,
    radius: f64,
    samples: Samples,
}

struct Plan {
    cells: &'static [Cell],
    /// Temperatures at which the rate without a ball is seen, and how much is sampled.
    rates: &'static [f64],
    rate_samples: Samples,
}

const QUICK: Plan = Plan {
    cells: &[
        Cell { beta: 0.2, radius: 1.0, samples: Samples { particles: 1024, sizes: 2, seeds: 64 } },
        Cell { beta: 2.0, radius: 2.0, samples: Samples { particles: 1024, sizes: 2, seeds: 36 } },
        Cell { beta: 8.0, radius: 3.0, samples: Samples { particles: 1024, sizes: 2, seeds: 36 } },
    ],
    rates: &[2.0, 8.0, 20.0, 40.0],
    rate_samples: Samples { particles: 4096, sizes: 2, seeds: 8 },
};

const FULL: Plan = Plan {
    cells: &[
        Cell { beta: 0.2, radius: 1.0, samples: Samples { particles: 4096, sizes: 3, seeds: 40 } },
        Cell { beta: 2.0, radius: 2.0, samples: Samples { particles: 16_384, sizes: 3, seeds: 40 } },
        Cell { beta: 8.0, radius: 2.0, samples: Samples { particles: 16_384, sizes: 3, seeds: 40 } },
        Cell { beta: 8.0, radius: 3.0, samples: Samples { particles: 16_384, sizes: 3, seeds: 40 } },
    ],
    rates: &[2.0, 4.0, 8.0, 12.0, 20.0, 40.0],
    rate_samples: Samples { particles: 1 << 18, sizes: 5, seeds: 8 },
};

impl Claim for PropagationOfChaos {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let plan = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for cell in plan.cells {
            rows.extend(self.in_ball(cell)?);
        }
        rows.push(self.closed_form(8.0)?);
        for &beta in plan.rates {
            rows.extend(self.rate(beta, plan.rate_samples)?);
        }
        Ok(rows)
    }
}

/// One coordinate of all points.
fn column(cloud: &Cloud, axis: usize) -> Result<Cloud> {
    Cloud::new(cloud.rows().map(|row| row[axis]).collect(), 1)
}

fn setting(beta: f64) -> Setting {
    Setting { variances: &[1.0], noise: NOISE, beta }
}

/// Equally spaced times from zero to the horizon.
fn times(setting: &Setting) -> Result<Vec<RawTime>> {
    (0..=TIMES).map(|k| setting.horizons(k as f64 / TIMES as f64)).collect()
}

impl PropagationOfChaos {
    /// Both parts of the theorem.
    fn in_ball(&self, cell: &Cell) -> Result<Vec<Row>> {
        let (setting, radius) = (setting(cell.beta), BallRadius::new(cell.radius)?);
        let law = LawInBall::new(setting, radius, &times(&setting)?)?;
        let noisy = setting.prior()?.noisy(setting.noise()?).truncated(radius);
        // Tokens beside their partners, so that parts of a sample keep theirs.
        let draw = |generator: &mut Generator, n: usize| -> Result<Cloud> {
            let tokens = noisy.sample(n, generator)?;
            let partners = law.partners(&tokens)?.swap_remove(TIMES);
            let pairs = tokens.points().iter().zip(partners.points());
            Cloud::new(pairs.flat_map(|(token, partner)| [*token, *partner]).collect(), 2)
        };
        let end = |pairs: &Cloud| -> Result<Cloud> {
            Ok(law.followed(&column(pairs, 0)?, self.drift.as_ref())?.swap_remove(TIMES))
        };
        let apart = |pairs: &Cloud| Ok(coupled(&end(pairs)?, &column(pairs, 1)?)?.mean);
        let distance = |pairs: &Cloud| law.distance(&end(pairs)?, TIMES);
        let coupling = cell.samples.measure(self.seed, &draw, &apart)?;
        let distances = cell.samples.measure(self.seed, &draw, &distance)?;
        let off = STEPS * TOLERANCE + law.states[TIMES].error;
        let case = format!("{}, R = {}", setting.name(), cell.radius);
        let deviation = law.states[TIMES].covariance()[(0, 0)].value.sqrt();
        let off_all = off + law.coarseness(TIMES)?;
        let mut rows = vanishes(&case, "E W1(μ_N, f_t)", &distances, off_all, deviation)?;
        rows.extend(vanishes(&case, "E|X − X̄|", &coupling, off, deviation)?);
        rows.push(self.bounded(&case, cell, &law, coupling.at(0)?.widened(off))?);
        Ok(rows)
    }

    /// (ii), with the integral of `E W1(μ̄_N, f_s)` by the trapezoid rule.
    fn bounded(&self, case: &str, cell: &Cell, law: &LawInBall, coupling: Measured) -> Result<Row> {
        let (setting, radius) = (setting(cell.beta), BallRadius::new(cell.radius)?);
        let noisy = setting.prior()?.noisy(setting.noise()?).truncated(radius);
        let horizon = setting.horizons(1.0)?.get();
        let of_seed = |k: usize| -> Result<f64> {
            let tokens = noisy.sample(cell.samples.particles, &mut generator(self.seed + k as u64))?;
            let partners = law.partners(&tokens)?;
            let values = partners.iter().enumerate().map(|(time, cloud)| law.distance(cloud, time));
            let values = values.collect::<Result<Vec<f64>>>()?;
            let ends = 0.5 * (values[0] + values[TIMES]);
            Ok((values.iter().sum::<f64>() - ends) * horizon / TIMES as f64)
        };
        let integral = mean(&parallel::try_map(cell.samples.seeds, &of_seed)?)?;
        let bound = (self.bound)((self.lipschitz)(setting.beta()?, radius), horizon, integral);
        Ok(Row::at_most(case, "E|X − X̄| against L e^{2Lt}∫E W1(μ̄_N, f_s)ds", coupling, bound))
    }

    /// Partners that nodes carry are where the closed form says.
    fn closed_form(&self, beta: f64) -> Result<Row> {
        let setting = setting(beta);
        let time = setting.horizons(1.0)?;
        let law = LawInBall::new(setting, BallRadius::new(EVERYTHING)?, &[RawTime::new(0.0)?, time])?;
        let tokens = setting.prior()?.noisy(setting.noise()?).sample(COMPARED, &mut generator(self.seed))?;
        let (carried, exact) =
            (law.partners(&tokens)?.swap_remove(1), (self.partner)(&setting.flow()?, &tokens, time)?);
        let apart = coupled(&carried, &exact)?.max;
        let measured = Measured::known_to(apart, STEPS * TOLERANCE + law.states[1].error);
        let quantity = "largest distance of partners from their closed form";
        Ok(Row::equal(&setting.name(), quantity, measured, Measured::exact(0.0)).on_scale(1.0))
    }

    /// How `E|X − X̄|` falls with `N` without a ball.
    fn rate(&self, beta: f64, samples: Samples) -> Result<Vec<Row>> {
        let setting = setting(beta);
        let (flow, time) = (setting.flow()?, setting.horizons(1.0)?);
        let noisy = setting.prior()?.noisy(setting.noise()?);
        let draw = |generator: &mut Generator, n: usize| noisy.sample(n, generator);
        let apart = |tokens: &Cloud| -> Result<f64> {
            let run = Flow::new(flow.beta(), time).with_drift(self.drift.as_ref());
            let end = run.with_integrator(Adaptive::new(0.0, TOLERANCE)?).run(tokens)?.end;
            Ok(coupled_to_gaussian(tokens, &end, &flow, time)?.mean)
        };
        let nested = samples.measure(self.seed, &draw, &apart)?;
        let case = format!("{}, no ball, N to {}", setting.name(), samples.particles);
        let slope = nested.ratio()?.ln() / (crate::claim::nested::SHARE as f64).ln();
        let series = format!("βτ = {}", beta * NOISE);
        let mut rows = vec![
            Row::equal(&case, "slope of ln E|X − X̄| in ln N at the largest N", slope, Measured::exact(-0.5))
                .as_role(Role::Context),
        ];
        for size in 0..samples.sizes {
            let n = samples.particles / crate::claim::nested::SHARE.pow(size as u32);
            let name = format!("{}, no ball, N = {n}", setting.name());
            let deviation = Measured::exact(flow.eigenvalues_at(time)[0].sqrt());
            let row =
                Row::at_most(&name, "E|X − X̄| beside the standard deviation", nested.at(size)?, deviation);
            rows.push(row.at(&series, n as f64).as_role(Role::Context));
        }
        Ok(rows)
    }
}

/// Whether a number vanishes as samples grow, beside the size of the law: it falls, and extrapolates to zero.
fn vanishes(case: &str, what: &str, nested: &Nested, off: f64, scale: f64) -> Result<Vec<Row>> {
    let ratio = nested.ratio()?.widened(off / nested.at(1)?.value);
    let limit = nested.extrapolated()?.widened(3.0 * off);
    Ok(vec![
        Row::at_most(case, &format!("{what} over that at N/4"), ratio, Measured::exact(1.0)),
        Row::equal(case, &format!("{what} extrapolated to N = ∞"), limit, Measured::exact(0.0))
            .on_scale(scale),
        Row::equal(case, &format!("slope of ln {what} in ln N"), nested.slope()?, Measured::exact(-0.5))
            .as_role(Role::Context),
    ])
}
