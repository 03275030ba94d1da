//! When the variance of an isotropic Gaussian law reaches a target.
//!
//! # Formula
//! From `v0 = τ_a² + σ²`, in score time,
//! ```text
//! T(v*) = (v0 − v*)/2 + (1/2β) ln(v0/v*),       T* = T(τ_a²) = σ²/2 + (1/2β) ln(1 + σ²/τ_a²)
//! ```
//! against three witnesses: the variance ODE integrated up to the target, the mean field as quadrature nodes followed until their variance crosses it, and
//! a finite sample. What the sample's own variance does to the time is taken into account exactly, by starting from it; what the rest of its
//! shape does, and its bias, is estimated by a jackknife ([`MeasuredHitting`]).
//!
//! # Paper
//! `thm:gaussiandenoise` (its `t` is score time)

use super::crossing::crosses;
use super::descent::{Timed, falls_to};
use super::nodes::NodePair;
use super::setting::Setting;
use crate::claim::{Axes, Card, Claim, Row, Value, VerdictKind};
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::exact::{Hitting, MeasuredHitting, VarianceDescent};
use crate::flow::Adaptive;
use crate::law::generator;
use crate::scale::{Beta, NoiseVariance, RawTime};
use crate::study::Preset;

/// `T(v*)` from the variance at the start and the target, in score time.
pub type TargetTime = fn(f64, Beta, f64) -> Result<f64>;

/// `T*` from the prior's variance, in score time.
pub type DenoisingTime = fn(f64, NoiseVariance, Beta) -> Result<f64>;

/// The flow is followed for this many times the time of the integrated ODE.
const PATIENCE: f64 = 1.1;
/// The first seed of the samples, and how many there are.
const SEED: u64 = 7_301;
const SEEDS: u64 = 4;
/// Tolerance in time of the samples, and to what raw time their crossings are told apart: far below the sampling error.
const TOLERANCE: f64 = 1e-7;
const RESOLUTION: f64 = 1e-7;
/// A jackknife of eight parts multiplies the difference of two times by seven.
const JACKKNIFE: f64 = 15.0;

static CARD: Card = Card {
    id: "hitting-time",
    label: "thm:gaussiandenoise",
    statement: "The variance of an isotropic Gaussian law falls from v0 = τ_a² + σ² to v* in the score time (v0 − v*)/2 + log(v0/v*)/2β, hence back to the prior's in σ²/2 + log(1 + σ²/τ_a²)/2β.",
    regime: "β from 1 to 10⁴ for the equation; βσ² ≤ 10 for the law in d = 1, 2, 3; finite samples up to βσ² = 4",
    correction: "",
    expected: VerdictKind::Holds,
    plot: Some(Axes { x: "β", y: "T*/(σ²/2)", log_x: true, log_y: false }),
};

/// The hitting times in closed form, and the drift that must keep them.
pub struct HittingTime {
    /// The time to any target.
    pub target_time: TargetTime,
    /// The time back to the prior's variance.
    pub denoising_time: DenoisingTime,
    /// The kernel sums.
    pub drift: &'static dyn Drift,
}

impl Default for HittingTime {
    fn default() -> Self {
        Self { target_time, denoising_time, drift: &Dense }
    }
}

/// The crate's closed form; infinite for a target of zero.
pub(super) fn target_time(start: f64, beta: Beta, target: f64) -> Result<f64> {
    Ok(score_time(VarianceDescent::from_start(start, beta)?.hitting(target)?))
}

fn denoising_time(prior: f64, noise: NoiseVariance, beta: Beta) -> Result<f64> {
    Ok(score_time(VarianceDescent::of_prior(prior, noise, beta)?.denoising()?))
}

fn score_time(hitting: Hitting) -> f64 {
    match hitting {
        Hitting::At(time) => time.get(),
        Hitting::Never => f64::INFINITY,
    }
}

/// Settings of the evidence; all axes of a prior have the same variance.
struct Plan {
    equation: &'static [Setting],
    law: &'static [Setting],
    samples: &'static [Setting],
    particles: usize,
}

const QUICK: Plan = Plan {
    equation: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 1.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 10.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 100.0 },
        Setting { variances: &[0.01], noise: 0.5, beta: 20.0 },
        Setting { variances: &[0.25], noise: 0.02, beta: 1e4 },
    ],
    law: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 20.0 },
        Setting { variances: &[0.25], noise: 1.0, beta: 5.0 },
        Setting { variances: &[0.5, 0.5], noise: 0.5, beta: 5.0 },
        Setting { variances: &[0.5, 0.5, 0.5], noise: 0.5, beta: 2.0 },
    ],
    samples: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 4.0 },
        Setting { variances: &[0.5, 0.5], noise: 0.5, beta: 4.0 },
    ],
    particles: 500,
};

const FULL: Plan = Plan {
    equation: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 1.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 3.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 10.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 30.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 100.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 1e3 },
        Setting { variances: &[0.01], noise: 0.5, beta: 20.0 },
        Setting { variances: &[1e-6], noise: 0.1, beta: 3.0 },
        Setting { variances: &[0.25], noise: 0.02, beta: 1e4 },
    ],
    law: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 1.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 20.0 },
        Setting { variances: &[0.25], noise: 1.0, beta: 5.0 },
        Setting { variances: &[0.01], noise: 0.1, beta: 100.0 },
        Setting { variances: &[0.5, 0.5], noise: 0.5, beta: 5.0 },
        Setting { variances: &[0.1, 0.1], noise: 0.5, beta: 20.0 },
        Setting { variances: &[0.5, 0.5, 0.5], noise: 0.5, beta: 2.0 },
        Setting { variances: &[0.5, 0.5, 0.5], noise: 0.5, beta: 5.0 },
    ],
    samples: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 4.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 8.0 },
        Setting { variances: &[0.5, 0.5], noise: 0.5, beta: 4.0 },
        Setting { variances: &[0.5, 0.5, 0.5], noise: 0.5, beta: 4.0 },
    ],
    particles: 1200,
};

/// A target below the prior's variance, as a share of it: the theorem allows any.
const BELOW: f64 = 0.5;

impl Claim for HittingTime {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let plan = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for setting in plan.equation {
            rows.extend(self.equation(setting)?);
        }
        for setting in plan.law {
            rows.extend(self.law(setting)?);
        }
        for setting in plan.samples {
            rows.push(self.sample(setting, plan.particles)?);
        }
        Ok(rows)
    }
}

impl HittingTime {
    /// Both targets by the integrated ODE; the first as a share of the ideal time, whose excess is the slowdown at finite `β`.
    fn equation(&self, setting: &Setting) -> Result<[Row; 2]> {
        let found = targets(setting).map(|target| falls_to(start(setting), setting.beta, target));
        let [row, below] = self.compared(setting, "by the variance ODE", &found)?;
        let ideal = 0.5 * setting.noise;
        let share = |value: Value| Value::known_to(value.value / ideal, value.numerical / ideal);
        let (measured, predicted) = (share(row.measured), share(row.predicted));
        let slowed = Row::equal(&row.case, "T*/(σ²/2) by the variance ODE", measured, predicted);
        let series = format!("τ_a² = {}, σ² = {}", setting.variances[0], setting.noise);
        Ok([slowed.at(&series, setting.beta), below])
    }

    /// Both targets by the mean field.
    fn law(&self, setting: &Setting) -> Result<[Row; 2]> {
        let (beta, [prior, below]) = (setting.beta()?, targets(setting));
        let until = RawTime::new(PATIENCE * beta.get() * falls_to(start(setting), beta.get(), below).value)?;
        let nodes = NodePair::new(setting, until, self.drift)?;
        let found = crosses(&nodes, &[prior, below], beta, until, self.drift)?;
        self.compared(setting, "by the mean field", &found)
    }

    /// The times to both targets beside the closed forms.
    fn compared(&self, setting: &Setting, witness: &str, found: &[Timed]) -> Result<[Row; 2]> {
        let (beta, [prior, below]) = (setting.beta()?, targets(setting));
        let row = |quantity: &str, found: Timed, predicted: f64| {
            let measured = Value::known_to(found.value, found.error);
            Row::equal(&setting.name(), &format!("{quantity} {witness}"), measured, Value::exact(predicted))
        };
        Ok([
            row("T*", found[0], (self.denoising_time)(prior, setting.noise()?, beta)?),
            row("T(τ_a²/2)", found[1], (self.target_time)(start(setting), beta, below)?),
        ])
    }

    /// The time of samples, their bias removed, against the closed form from the samples' own variances, both as means over seeds.
    fn sample(&self, setting: &Setting, particles: usize) -> Result<Row> {
        let (beta, prior) = (setting.beta()?, setting.variances[0]);
        let descent = VarianceDescent::of_prior(prior, setting.noise()?, beta)?;
        let (integrator, noisy) = (Adaptive::new(0.0, TOLERANCE)?, setting.prior()?.noisy(setting.noise()?));
        let (mut measured, mut predicted) = (Value::exact(0.0), 0.0);
        for seed in 0..SEEDS {
            let cloud = noisy.sample(particles, &mut generator(SEED + seed))?;
            let found = MeasuredHitting::new(&cloud, descent, prior, RESOLUTION, (self.drift, &integrator))?;
            let spread = cloud.covariance().trace() / cloud.dimension() as f64;
            predicted += (self.target_time)(spread, beta, prior)? / SEEDS as f64;
            measured.value += (found.measured.get() - found.shape_bias) / SEEDS as f64;
            measured.numerical = measured.numerical.max(JACKKNIFE * found.error);
            measured.sampling = measured.sampling.hypot(found.shape_error / SEEDS as f64);
        }
        let case = format!("{}, N = {particles}", setting.name());
        Ok(Row::equal(&case, "T* by particles, from their own variance", measured, Value::exact(predicted)))
    }
}

fn start(setting: &Setting) -> f64 {
    setting.variances[0] + setting.noise
}

/// The prior's variance, and one below it.
fn targets(setting: &Setting) -> [f64; 2] {
    [setting.variances[0], BELOW * setting.variances[0]]
}
