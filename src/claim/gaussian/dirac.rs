//! When the variance of a noisy point mass reaches that of the kernel, and that it never reaches zero.
//!
//! # Formula
//! From `v0 = σ²`, in score time, with `x = βσ²`,
//! ```text
//! T(1/β) = σ²/2 − 1/(2β) + ln σ/β + ln β/(2β) = (x − 1 + ln x)/(2β),       T(0) = ∞
//! ```
//! The variance only falls, so `1/β` is hit if it lies below the start, `x ≥ 1`. For `x < 1` the printed time is
//! negative, and the infimum that defines the hitting time is one over the empty set. That zero is never reached shows
//! in an invariant: in raw time `t = βs`,
//! ```text
//! v e^{2t + βv} = v0 e^{βv0}     ⟹     v(t) ≥ v0 e^{−2t},      dT(v*)/d ln(1/v*) = 1/(2β) + v*/2
//! ```
//! so that `T(v*)` grows like `ln(1/v*)/(2β)`, without bound.
//!
//! # Paper
//! The corollary to `thm:gaussiandenoise` (its `t` is score time)

use super::crossing::of_law;
use super::descent::falls_to;
use super::hitting::{TargetTime, target_time};
use super::nodes::mean_field;
use super::setting::Setting;
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::measured::{Bracket, Measured};
use crate::preset::Preset;
use crate::scale::{Beta, NoiseVariance};

/// `T(1/β)` from the noise variance, in score time.
pub type KernelWidthTime = fn(NoiseVariance, Beta) -> f64;

static CARD: Card = Card {
    id: "dirac-hitting-time",
    label: "corollary after thm:gaussiandenoise",
    statement: "The variance of a noisy point mass falls to the kernel's variance 1/β in the score time σ²/2 − 1/(2β) + log(σ)/β + log(β)/(2β), and never to zero (rows write τ for σ²).",
    gist: "A noisy point mass falls to variance 1/β in finite time, never to 0.",
    ours: "",
    regime: "βσ² ≥ 1; below, the variance starts under 1/β, never reaches it, and the printed time is negative",
    correction: "",
    severity: None,
    expected: VerdictKind::HoldsWithin,
    headline: Headline {
        row: "d = 1, Σ0 = (0), τ = 0.5, β = 20: T(1/β) by the mean field",
        says: "T(1/β) at β = 20, and the formula",
    },
    plot: Some(Axes { x: "v*", y: "T(v*) in score time", log_x: true, log_y: false }),
};

/// The printed times, and the drift that must keep them.
pub struct DiracHittingTime {
    /// The time to the kernel's variance, as printed.
    pub kernel_width_time: KernelWidthTime,
    /// `T(v*)`, as the theorem gives it for a positive target.
    pub target_time: TargetTime,
    /// The kernel sums.
    pub drift: &'static dyn Drift,
}

impl Default for DiracHittingTime {
    fn default() -> Self {
        Self { kernel_width_time, target_time, drift: &Dense }
    }
}

/// `σ²/2 − 1/(2β) + ln σ/β + ln β/(2β)`, term by term as printed.
fn kernel_width_time(noise: NoiseVariance, beta: Beta) -> f64 {
    let (variance, beta) = (noise.get(), beta.get());
    0.5 * variance - 0.5 / beta + variance.sqrt().ln() / beta + 0.5 * beta.ln() / beta
}

/// Noise variance and temperatures of the evidence.
struct Plan {
    within: &'static [f64],
    law: &'static [Setting],
    beyond: &'static [f64],
    targets: &'static [f64],
}

/// The noise variance of everything on the line.
const NOISE: f64 = 0.5;
/// The temperature at which targets vary.
const BETA: f64 = 10.0;

const QUICK: Plan = Plan {
    within: &[2.0, 3.0, 10.0, 100.0, 1e4],
    law: &[
        Setting { variances: &[0.0], noise: NOISE, beta: 3.0 },
        Setting { variances: &[0.0], noise: NOISE, beta: 20.0 },
        Setting { variances: &[0.0, 0.0], noise: NOISE, beta: 4.0 },
    ],
    beyond: &[1.0, 0.1],
    targets: &[1e-1, 1e-2, 1e-4, 1e-6, 1e-8],
};

const FULL: Plan = Plan {
    within: &[2.0, 2.5, 3.0, 5.0, 10.0, 30.0, 100.0, 1e3, 1e4],
    law: &[
        Setting { variances: &[0.0], noise: NOISE, beta: 2.5 },
        Setting { variances: &[0.0], noise: NOISE, beta: 3.0 },
        Setting { variances: &[0.0], noise: NOISE, beta: 20.0 },
        Setting { variances: &[0.0], noise: 0.1, beta: 100.0 },
        Setting { variances: &[0.0, 0.0], noise: NOISE, beta: 4.0 },
        Setting { variances: &[0.0, 0.0, 0.0], noise: NOISE, beta: 4.0 },
    ],
    beyond: &[1.9, 1.0, 0.5, 0.1, 0.01],
    targets: &[1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12],
};

impl Claim for DiracHittingTime {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let plan = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for &beta in plan.within {
            rows.push(self.equation(beta)?);
        }
        for setting in plan.law {
            rows.push(self.law(setting)?);
        }
        rows.extend(self.targets(plan.targets)?);
        rows.extend(self.decay()?);
        for &beta in plan.beyond {
            rows.extend(self.beyond(beta)?);
        }
        Ok(rows)
    }
}

impl DiracHittingTime {
    /// `T(1/β)` by the integrated ODE.
    fn equation(&self, beta: f64) -> Result<Row> {
        let setting = on_line(beta);
        self.printed_row(&setting, "T(1/β) by the variance ODE", falls_to(setting.noise, beta, 1.0 / beta))
    }

    /// `T(1/β)` by the mean field.
    fn law(&self, setting: &Setting) -> Result<Row> {
        let found = of_law(setting, &[1.0 / setting.beta], self.drift)?;
        self.printed_row(setting, "T(1/β) by the mean field", found[0])
    }

    /// The printed time beside a measured one; its terms cancel near `βσ² = 1`, so it is judged by their size.
    fn printed_row(&self, setting: &Setting, quantity: &str, measured: Measured) -> Result<Row> {
        let printed = (self.kernel_width_time)(setting.noise()?, setting.beta()?);
        let terms = 0.5 * setting.noise + 0.5 / setting.beta;
        let rounding = 4.0 * f64::EPSILON * (terms + setting.beta.ln().abs() / setting.beta);
        let predicted = Measured::known_to(printed, rounding);
        Ok(Row::equal(&setting.name(), quantity, measured, predicted).on_scale(terms))
    }

    /// `T(v*)` for ever smaller targets: it grows without bound, by `1/(2β)` per logarithm.
    fn targets(&self, targets: &[f64]) -> Result<Vec<Row>> {
        let setting = on_line(BETA);
        let found: Vec<_> = targets.iter().map(|&target| falls_to(NOISE, BETA, target)).collect();
        let mut rows = Vec::new();
        for (&target, &time) in targets.iter().zip(&found) {
            let predicted = Measured::exact((self.target_time)(NOISE, setting.beta()?, target)?);
            let quantity = format!("T({target:e}) by the variance ODE");
            let row = Row::equal(&setting.name(), &quantity, time, predicted);
            rows.push(row.at("β = 10, σ² = 0.5", target));
        }
        if let ([.., before, last], [.., from, to]) = (&found[..], targets) {
            let fall = Fall { from: Measured::exact(*from), to: Measured::exact(*to) };
            rows.push(fall.growth(
                &setting.name(),
                "growth of T(v*) per ln(1/v*) between the smallest two v*",
                *last - *before,
            ));
        }
        // What the closed form says of zero, which nothing reaches and no witness can measure: the others show that it
        // grows without bound.
        let never = Measured::exact(1.0 / (self.target_time)(NOISE, setting.beta()?, 0.0)?);
        let fastest = found.last().map_or(1.0, |time| 1.0 / time.value);
        rows.push(Row::equal(&setting.name(), "1/T(0)", never, Measured::exact(0.0)).on_scale(fastest));
        Ok(rows)
    }

    /// The variance of the mean field long after the horizon: above its exponential bound, on its way there, and slower
    /// by the logarithm with every target.
    fn decay(&self) -> Result<[Row; 3]> {
        let (setting, late) = (on_line(BETA), [3.0, 4.0]);
        let times = [setting.horizons(late[0])?, setting.horizons(late[1])?];
        let states = mean_field(&setting)?.evolve(&times, self.drift)?.states;
        let [before, last] = [0, 1].map(|i: usize| states[i].covariance()[(0, 0)]);
        let (variance, growth) = (last.value, (2.0 * times[1].get()).exp());
        let case = format!("{}, t = {} T_β", setting.name(), late[1]);
        let bounded = growth * last;
        let factor = growth * (BETA * variance).exp();
        let invariant = last.through(factor * variance, factor * (1.0 + BETA * variance));
        let fall = Fall { from: before, to: last };
        let waited = Measured::exact((times[1].get() - times[0].get()) / BETA);
        Ok([
            Row::at_least(&case, "v e^{2t} of the mean field", bounded, Measured::exact(NOISE)),
            Row::equal(
                &case,
                "v e^{2t + βv} of the mean field",
                invariant,
                Measured::exact(NOISE * (BETA * NOISE).exp()),
            ),
            fall.growth(&case, "growth of T(v*) per ln(1/v*) of the mean field since t = 3 T_β", waited),
        ])
    }

    /// Where the kernel is wider than the law: a time should not be negative, and the variance should come to the target.
    fn beyond(&self, beta: f64) -> Result<[Row; 2]> {
        let setting = on_line(beta);
        let printed = (self.kernel_width_time)(setting.noise()?, setting.beta()?);
        let ideal = 0.5 * setting.noise;
        // Not the time alone: zero is no size by which to judge how far below it a number is.
        let time = Row::at_least(
            &setting.name(),
            "σ²/2 + T(1/β) as printed",
            Measured::exact(ideal + printed),
            Measured::exact(ideal),
        );
        let states = mean_field(&setting)?
            .evolve(&[setting.horizons(0.0)?, setting.horizons(1.0)?, setting.horizons(3.0)?], self.drift)?
            .states;
        let largest = states.iter().map(|state| state.covariance()[(0, 0)]);
        let largest =
            largest.reduce(|a, b| if a.value >= b.value { a } else { b }).unwrap_or(Measured::UNKNOWN);
        let reached = Row::at_least(
            &setting.name(),
            "largest variance up to 3 T_β",
            largest,
            Measured::exact(1.0 / beta),
        );
        Ok([time, reached].map(|row| row.as_role(Role::Beyond)))
    }
}

/// A variance that falls.
struct Fall {
    from: Measured,
    to: Measured,
}

impl Fall {
    /// The time that it takes per logarithm; the derivative `1/(2β) + v/2` is this somewhere in between.
    fn growth(&self, case: &str, quantity: &str, time: Measured) -> Row {
        let slope = time / (self.from / self.to).ln();
        let [lower, upper] = [self.to, self.from].map(|variance| 0.5 / BETA + 0.5 * variance.value);
        Row::equal(case, quantity, slope, Bracket { lower, upper }.measured())
    }
}

fn on_line(beta: f64) -> Setting {
    Setting { variances: &[0.0], noise: NOISE, beta }
}
