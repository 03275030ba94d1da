//! When the variance of an isotropic Gaussian law reaches a target.
//!
//! # Formula
//! From `v0 = τ_a² + σ²`, in score time,
//! ```text
//! T(v*) = (v0 − v*)/2 + (1/2β) ln(v0/v*),       T* = T(τ_a²) = σ²/2 + (1/2β) ln(1 + σ²/τ_a²)
//! ```
//! against four witnesses: the variance ODE integrated up to the target; the mean field as quadrature nodes; finite
//! samples, whose variance has come down to
//! `v*/v0` of what it was at the time `T(v*)`; and the event at which the variance of a sample crosses the target. What the sample's own variance does to that
//! time is taken into account exactly, by starting from it; what the rest of its shape does, and its bias, is estimated
//! by a jackknife ([`MeasuredHitting`]).
//!
//! # Paper
//! `thm:gaussiandenoise` (its `t` is score time)

use nalgebra::DVector;

use super::crossing::of_law;
use super::descent::falls_to;
use super::particles::Size;
use super::plan::{Plan, Witnesses};
use super::setting::Setting;
use crate::claim::{Axes, Card, Claim, Headline, Row, VerdictKind};
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::exact::{Hitting, VarianceDescent};
use crate::flow::Adaptive;
use crate::law::generator;
use crate::measured::Measured;
use crate::metric::MeasuredHitting;
use crate::preset::Preset;
use crate::scale::{Beta, NoiseVariance, ScoreTime};

/// `T(v*)` from the variance at the start and the target, in score time.
pub type TargetTime = fn(f64, Beta, f64) -> Result<f64>;

/// `T*` from the prior's variance, in score time.
pub type DenoisingTime = fn(f64, NoiseVariance, Beta) -> Result<f64>;

static CARD: Card = Card {
    id: "hitting-time",
    label: "thm:gaussiandenoise",
    statement: "The variance of an isotropic Gaussian law falls from v0 = τ_a² + σ² to v* in the score time (v0 − v*)/2 + log(v0/v*)/(2β), hence back to the prior's in σ²/2 + log(1 + σ²/τ_a²)/(2β) (rows write τ for σ²).",
    gist: "A Gaussian is back at its prior's variance at σ²/2 + log(1 + σ²/τ_a²)/(2β).",
    ours: "",
    regime: "β from 1 to 10⁴ for the equation; βσ² ≤ 10 for the law in d = 1, 2, 3; finite samples at βσ² = 4, 2, 1 in d = 1, 2, 3",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 1, Σ0 = (1), τ = 0.5, β = 20: T* by the mean field",
        says: "T* at β = 20, and the formula",
    },
    plot: Some(Axes { x: "β", y: "T*/(σ²/2)", log_x: true, log_y: false }),
};

/// The hitting times in closed form, and the drift that must keep them.
pub struct HittingTime {
    /// `T(v*)`, as the theorem gives it.
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

/// All axes of a prior have the same variance, here and in the thorough plan.
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
    samples: SAMPLES,
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
    samples: SAMPLES,
};

const SAMPLES: &[Setting] = &[
    Setting { variances: &[1.0], noise: 0.5, beta: 8.0 },
    Setting { variances: &[0.5, 0.5], noise: 0.5, beta: 4.0 },
    Setting { variances: &[0.5, 0.5, 0.5], noise: 0.5, beta: 2.0 },
];

/// Samples that are followed until their variance crosses the prior's, in both presets: particles, and seeds.
const EVENTS: &[Setting] = &[
    Setting { variances: &[1.0], noise: 0.5, beta: 4.0 },
    Setting { variances: &[0.5, 0.5], noise: 0.5, beta: 4.0 },
];
const PARTICLES: usize = 500;
const SEEDS: u64 = 4;
const FIRST_SEED: u64 = 7_301;
/// Tolerance of those runs, and to what raw time their crossings are told apart: far below the sampling error.
const TOLERANCE: f64 = 1e-7;
/// The bias of a jackknife of eight parts is seven times a difference of two times, and is taken from a third.
const JACKKNIFE: f64 = 15.0;
/// Differences that the jackknives of all seeds estimate the sampling error from, and one more.
const JACKKNIFED: usize = 7 * SEEDS as usize + 1;

/// A target below the prior's variance, as a share of it: the theorem allows any.
const BELOW: f64 = 0.5;

impl Claim for HittingTime {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let plan = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = plan.gather(self, preset)?;
        // Events are watched runs, which refuse a drift that is no kernel sum; what the rows above contradict needs none.
        if rows.iter().all(Row::agrees) {
            for setting in EVENTS {
                rows.push(self.event(setting)?);
            }
        }
        Ok(rows)
    }
}

impl Witnesses for HittingTime {
    /// Both targets by the integrated ODE; the first as a share of the ideal time, whose excess is the slowdown at finite `β`.
    fn equation(&self, setting: &Setting) -> Result<Vec<Row>> {
        let found = targets(setting).map(|target| falls_to(start(setting), setting.beta, target));
        let [row, below] = self.compared(setting, "by the variance ODE", &found)?;
        let ideal = 0.5 * setting.noise;
        let (measured, predicted) = (row.measured / ideal, row.predicted / ideal);
        let slowed = Row::equal(&row.case, "T*/(σ²/2) by the variance ODE", measured, predicted);
        let series = format!("τ_a² = {}, σ² = {}", setting.variances[0], setting.noise);
        Ok(vec![slowed.at(&series, setting.beta), below])
    }

    /// Both targets by the mean field.
    fn law(&self, setting: &Setting) -> Result<Vec<Row>> {
        let found = of_law(setting, &targets(setting), self.drift)?;
        Ok(self.compared(setting, "by the mean field", &found)?.into())
    }

    /// Samples at `T*`.
    fn sample(&self, setting: &Setting, size: Size) -> Result<Row> {
        let (beta, prior, d) = (setting.beta()?, setting.variances[0], setting.variances.len());
        let time = ScoreTime::new((self.denoising_time)(prior, setting.noise()?, beta)?)?.to_raw(beta)?;
        size.gap(setting, time, &DVector::from_element(d, prior / start(setting)), self.drift)
    }
}

impl HittingTime {
    /// The times to both targets beside the closed forms.
    fn compared(&self, setting: &Setting, witness: &str, found: &[Measured]) -> Result<[Row; 2]> {
        let (beta, [prior, below]) = (setting.beta()?, targets(setting));
        let row = |quantity: &str, found: Measured, predicted: f64| {
            let quantity = format!("{quantity} {witness}");
            Row::equal(&setting.name(), &quantity, found, Measured::exact(predicted))
        };
        Ok([
            row("T*", found[0], (self.denoising_time)(prior, setting.noise()?, beta)?),
            row("T(τ_a²/2)", found[1], (self.target_time)(start(setting), beta, below)?),
        ])
    }

    /// When samples cross the prior's variance, their bias removed, against the closed form from their own variances,
    /// both as means over seeds.
    fn event(&self, setting: &Setting) -> Result<Row> {
        let (beta, prior) = (setting.beta()?, setting.variances[0]);
        let descent = VarianceDescent::of_prior(prior, setting.noise()?, beta)?;
        let (integrator, noisy) = (Adaptive::new(0.0, TOLERANCE)?, setting.prior()?.noisy(setting.noise()?));
        let (mut time, mut error, mut spread, mut predicted) = (0.0, 0.0, 0.0_f64, 0.0);
        for seed in FIRST_SEED..FIRST_SEED + SEEDS {
            let cloud = noisy.sample(PARTICLES, &mut generator(seed))?;
            let found = MeasuredHitting::new(&cloud, descent, prior, TOLERANCE, (self.drift, &integrator))?;
            let variance = cloud.covariance().trace() / cloud.dimension() as f64;
            predicted += (self.target_time)(variance, beta, prior)? / SEEDS as f64;
            time += (found.measured.get() - found.shape_bias) / SEEDS as f64;
            error += JACKKNIFE * found.error / SEEDS as f64;
            spread = spread.hypot(found.shape_error / SEEDS as f64);
        }
        let case = format!("{}, N = {PARTICLES}", setting.name());
        let measured = Measured::known_to(time, error).sampled_over(spread, JACKKNIFED);
        Ok(Row::equal(
            &case,
            "T* of particles, against the closed form from their own variance",
            measured,
            Measured::exact(predicted),
        ))
    }
}

fn start(setting: &Setting) -> f64 {
    setting.variances[0] + setting.noise
}

/// The prior's variance, and one below it.
fn targets(setting: &Setting) -> [f64; 2] {
    [setting.variances[0], BELOW * setting.variances[0]]
}
