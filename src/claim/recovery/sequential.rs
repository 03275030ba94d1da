//! The main theorem, in its order of limits: first `N`, then `R`, then `β`.
//!
//! # Formula
//! With `m_N` the posterior mean against the particles, `m_[R]` against the mean field from the law in the ball, `m_β` against that from the
//! whole law, and suprema over `|y| ≤ M`, `M = 2`, the error of a cell `(N, R, β)` has four parts:
//! ```text
//! E sup|m_N − m_{P0}| ≤ E sup|m_N − m_[R]| + sup|m_[R] − m_β| + sup|m_β − m_{P0}| + integration
//!                        sampling              truncation        finite β
//! ```
//! Each limit is judged by its own part. *N:* the particles' part at `N` over that at `N/4` is below one, and what `N^{−1/2}` extrapolates it to
//! is zero. *R:* truncation, by quadrature, falls from one radius to the next. *β:* an eigenvalue `s` of the prior has become `λ = s + δ`,
//! `ℓ/(β + 1/s) ≤ δ ≤ ℓ/β` with `ℓ = ln(1 + τ/s)`, so that for isotropic laws of mean `a`
//! ```text
//! sup|m_β − m_{P0}| = (M + |a|) τδ/((s + τ)(s + τ + δ)).
//! ```
//!
//! *How N and β may go together.* A ripple of wavenumber `k` of the density grows by `exp((τk²/2)e^{−k²/2β})` up to the horizon, at most by `e^{βτ/e}`, and
//! Stage 2 lets `e^{−τk²/2}` of it through, so that the product never exceeds one. Sampling noise therefore does not matter more for larger `β` while
//! ripples are small, which takes `N ≫ √β e^{2βτ/e}`; beyond, particles cluster early and keep their noise. Hence `β` may grow like `(e/2τ) ln N`,
//! and the finite-`β` part, of order `1/β`, is what remains: two paths are followed, `β = ln N` and the faster `β = N^{4/9}`.
//!
//! # Paper
//! `thm:main-text-sequential-posterior-mean-recovery`, `thm:gaussian-prior-hard-truncated-posterior-recovery`

use super::estimator::{Estimator, REACH, ROUGH, largest_difference, queries, resolution};
use crate::claim::gaussian::setting::Setting;
use crate::claim::gaussian::{ClosedForm, TerminalTime};
use crate::claim::nested::{Nested, Samples, mean};
use crate::claim::residual::Residual;
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::drift::{Auto, Drift};
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::law::{BayesOracle, Generator, Law, generator};
use crate::measured::{Bracket, Measured};
use crate::metric::Prior;
use crate::parallel;
use crate::preset::Preset;
use crate::scale::BallRadius;

const SEED: u64 = 51_000;
/// The noise variance throughout.
const NOISE: f64 = 0.5;
/// Tolerance in time of particles, and of the runs that judge them.
const TOLERANCES: [f64; 2] = [1e-6, 1e-8];
/// Runs that are judged.
const JUDGED: usize = 2;
/// Accuracy of the mean field in a ball, relative to its width.
const ACCURACY: f64 = 1e-6;
/// Bounds of a supremum between closed forms may be this far apart, as a share of it.
const CLOSED: f64 = 1e-4;
/// Rounding of what closed forms infer.
const ROUNDING: f64 = 1e-13;

static CARD: Card = Card {
    id: "sequential-recovery",
    label: "thm:main-text-sequential-posterior-mean-recovery",
    statement: "For a Gaussian prior E sup_{|y|≤M} |m_N(y) − m_{P0}(y)| → 0, m_N the posterior mean against N particles of the flow from the law in the ball B_R \
                at T_β = βτ/2, as first N → ∞, then R → ∞, then β → ∞.",
    gist: "E sup|m_N − m_P0| → 0 as first N, then R, then β → ∞ (Gaussian priors).",
    ours: "rates, the error budget, and how N and β may grow together; other priors are judged by recovery-beyond-gaussian",
    regime: "M = 2, τ = 0.5; sampling: N from 8 to 2048 for βτ = 1 and 4 in d = 1, to 256 in d = 2; truncation: R from 1.5 to 5, N = ∞; finite β: from 10 to 10⁶, N = R = ∞, \
             regular and singular priors",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 1, Σ0 = (1), τ = 0.5, β = 8, R = 4: E sup|m_N − m_P0| against the sum of its parts",
        says: "error at β = 8, R = 4, and its parts together",
    },
    plot: Some(Axes { x: "N, R or β", y: "part of the error", log_x: true, log_y: true }),
};

/// Both stages, for particles and for laws.
pub struct SequentialRecovery {
    /// The kernel sums of Stage 1.
    pub drift: Box<dyn Drift>,
    /// `T_β = βτ/2`, at which Stage 1 ends.
    pub terminal_time: TerminalTime,
    /// Eigenvalues of a Gaussian law's covariance in time.
    pub closed_form: ClosedForm,
    /// The first seed.
    pub seed: u64,
}

impl Default for SequentialRecovery {
    fn default() -> Self {
        Self {
            drift: Box::new(Auto::default()),
            terminal_time: |noise, beta| noise.denoising_horizon().to_raw(beta),
            closed_form: CovarianceFlow::eigenvalues_at,
            seed: SEED,
        }
    }
}

/// A prior and a temperature, the ball, and how much is sampled.
struct Cell {
    setting: Setting,
    radius: f64,
    samples: Samples,
}

struct Plan {
    cells: &'static [Cell],
    /// Settings whose truncation is followed through these radii.
    truncated: &'static [(Setting, &'static [f64])],
    /// Priors whose finite-`β` part is followed through these temperatures.
    betas: &'static [f64],
    /// Samples along the joint path, and their seeds.
    joint: &'static [usize],
    joint_seeds: usize,
}

const LINE: &[f64] = &[1.0];
const PLANE: &[f64] = &[1.0, 1.0];
const PRIORS: [&[f64]; 4] = [LINE, PLANE, &[0.0], &[1.0, 0.0]];

const fn setting(variances: &'static [f64], beta: f64) -> Setting {
    Setting { variances, noise: NOISE, beta }
}

const QUICK: Plan = Plan {
    cells: &[
        Cell {
            setting: setting(LINE, 2.0),
            radius: 2.0,
            samples: Samples { particles: 2048, sizes: 5, seeds: 40 },
        },
        Cell {
            setting: setting(LINE, 8.0),
            radius: 4.0,
            samples: Samples { particles: 2048, sizes: 5, seeds: 40 },
        },
        Cell {
            setting: setting(PLANE, 2.0),
            radius: 3.0,
            samples: Samples { particles: 256, sizes: 2, seeds: 16 },
        },
    ],
    truncated: &[(setting(LINE, 8.0), &[1.5, 2.0, 3.0, 4.0, 5.0]), (setting(PLANE, 2.0), &[2.0, 3.0, 4.0])],
    betas: &[1e1, 1e2, 1e3, 1e4, 1e5, 1e6],
    joint: &[256, 1024, 4096],
    joint_seeds: 12,
};

const FULL: Plan = Plan {
    cells: &[
        Cell {
            setting: setting(LINE, 2.0),
            radius: 2.0,
            samples: Samples { particles: 65_536, sizes: 6, seeds: 40 },
        },
        Cell {
            setting: setting(LINE, 8.0),
            radius: 2.0,
            samples: Samples { particles: 32_768, sizes: 5, seeds: 40 },
        },
        Cell {
            setting: setting(LINE, 8.0),
            radius: 4.0,
            samples: Samples { particles: 65_536, sizes: 6, seeds: 40 },
        },
        Cell {
            setting: setting(LINE, 40.0),
            radius: 4.0,
            samples: Samples { particles: 65_536, sizes: 6, seeds: 40 },
        },
        Cell {
            setting: setting(PLANE, 2.0),
            radius: 3.0,
            samples: Samples { particles: 1024, sizes: 2, seeds: 40 },
        },
        Cell {
            setting: setting(PLANE, 8.0),
            radius: 4.0,
            samples: Samples { particles: 1024, sizes: 2, seeds: 40 },
        },
    ],
    truncated: &[
        (setting(LINE, 2.0), &[1.5, 2.0, 3.0, 4.0, 5.0]),
        (setting(LINE, 8.0), &[1.5, 2.0, 3.0, 4.0, 5.0]),
        (setting(LINE, 20.0), &[1.5, 2.0, 3.0, 4.0, 5.0]),
        (setting(PLANE, 2.0), &[2.0, 3.0, 4.0]),
        (setting(PLANE, 8.0), &[2.0, 3.0, 4.0]),
    ],
    betas: &[1e1, 3e1, 1e2, 3e2, 1e3, 1e4, 1e5, 1e6],
    joint: &[256, 1024, 4096, 16_384, 65_536],
    joint_seeds: 24,
};

impl Claim for SequentialRecovery {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let plan = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for cell in plan.cells {
            rows.extend(self.tokens(cell)?);
        }
        for (setting, radii) in plan.truncated {
            rows.extend(self.radii(setting, radii)?);
        }
        for variances in PRIORS {
            rows.extend(self.temperatures(variances, plan.betas)?);
        }
        for beta in [8.0, 20.0] {
            rows.push(self.mean_field(&setting(LINE, beta))?);
        }
        for path in &PATHS {
            rows.extend(self.joint(path, plan.joint, plan.joint_seeds)?);
        }
        Ok(rows)
    }
}

/// The parts of a cell's error.
struct Parts {
    sampling: Measured,
    truncation: Measured,
    finite_beta: Measured,
    integration: Measured,
}

impl SequentialRecovery {
    fn estimator(&self) -> Estimator<'_> {
        let Self { drift, terminal_time, closed_form, .. } = self;
        Estimator { drift: drift.as_ref(), terminal_time: *terminal_time, closed_form: *closed_form }
    }

    /// `N → ∞` at fixed `β` and `R`, and the budget at the largest `N`.
    fn tokens(&self, cell: &Cell) -> Result<Vec<Row>> {
        let (estimator, noise) = (self.estimator(), cell.setting.noise()?);
        let law = cell.setting.prior()?.noisy(noise).truncated(BallRadius::new(cell.radius)?);
        let limit = estimator.in_ball(&cell.setting, cell.radius, ACCURACY)?;
        let nodes = Prior::Particles(limit.fine.cloud());
        let draw = |generator: &mut Generator, n: usize| law.sample(n, generator);
        let apart = |sample: &crate::cloud::Cloud| -> Result<f64> {
            let end = estimator.refined(sample, &cell.setting, TOLERANCES[0])?;
            Ok(largest_difference(Prior::Particles(&end), nodes, noise, ROUGH)?.value)
        };
        let nested = cell.samples.measure(self.seed, &draw, &apart)?;
        let integration = self.integration(cell)?;
        let off = resolution(&limit, estimator.drift)?;
        let off_all = off + integration.value;
        let case = cell.name();
        let mut rows = limits(&case, cell, &nested, off_all)?;
        let gaussian = estimator.gaussian(&cell.setting)?;
        let parts = Parts {
            sampling: rough(nested.at(0)?, off_all),
            truncation: largest_difference(nodes, Prior::Law(&gaussian), noise, ROUGH)?.widened(off),
            finite_beta: finite_beta(&gaussian, &cell.setting)?,
            integration,
        };
        let totals = self.totals(cell)?;
        let more: Vec<f64> =
            totals.iter().zip(nested.whole()).map(|(total, sampling)| total - sampling).collect();
        // Half a gap of either supremum.
        let gaps = 0.5 * ROUGH * (mean(&totals)?.value + parts.sampling.value) + off_all;
        rows.push(parts.suffices(&case, mean(&more)?.widened(gaps)));
        rows.extend(parts.rows(&case, rough(mean(&totals)?, 0.0)));
        Ok(rows)
    }

    /// `sup|m_N − m_{P0}|` of every whole sample.
    fn totals(&self, cell: &Cell) -> Result<Vec<f64>> {
        let (estimator, noise) = (self.estimator(), cell.setting.noise()?);
        let law = cell.setting.prior()?.noisy(noise).truncated(BallRadius::new(cell.radius)?);
        let prior = cell.setting.prior()?;
        let of_seed = |k: usize| -> Result<f64> {
            let start = law.sample(cell.samples.particles, &mut generator(self.seed + k as u64))?;
            let end = estimator.refined(&start, &cell.setting, TOLERANCES[0])?;
            Ok(largest_difference(Prior::Particles(&end), Prior::Law(&prior), noise, ROUGH)?.value)
        };
        parallel::try_map(cell.samples.seeds, &of_seed)
    }

    /// What the steps in time do to posterior means, at most.
    fn integration(&self, cell: &Cell) -> Result<Measured> {
        let (estimator, noise) = (self.estimator(), cell.setting.noise()?);
        let law = cell.setting.prior()?.noisy(noise).truncated(BallRadius::new(cell.radius)?);
        let of_seed = |k: usize| -> Result<f64> {
            let start = law.sample(cell.samples.particles, &mut generator(self.seed + k as u64))?;
            let [rough, fine] =
                TOLERANCES.map(|tolerance| estimator.refined(&start, &cell.setting, tolerance));
            let found = largest_difference(Prior::Particles(&rough?), Prior::Particles(&fine?), noise, 0.5)?;
            Ok(found.value + found.numerical)
        };
        let found = parallel::try_map(JUDGED, &of_seed)?;
        Ok(Measured::exact(crate::numeric::largest(found)))
    }

    /// `R → ∞` at `N = ∞`.
    fn radii(&self, setting: &Setting, radii: &[f64]) -> Result<Vec<Row>> {
        let (estimator, noise) = (self.estimator(), setting.noise()?);
        let gaussian = estimator.gaussian(setting)?;
        let truncation = |&radius: &f64| -> Result<Measured> {
            let state = estimator.in_ball(setting, radius, ACCURACY)?;
            let nodes = Prior::Particles(state.fine.cloud());
            let found = largest_difference(nodes, Prior::Law(&gaussian), noise, ROUGH)?;
            Ok(found.widened(resolution(&state, estimator.drift)?))
        };
        let found = radii.iter().map(truncation).collect::<Result<Vec<Measured>>>()?;
        let series = format!("truncation, {}", setting.name());
        let falls = found.windows(2).zip(&radii[1..]).map(|(pair, radius)| {
            let case = format!("{}, R = {radius}, N = ∞", setting.name());
            Row::at_most(&case, "sup|m_[R] − m_β|, at most that at the R before", pair[1], pair[0])
                .at(&series, *radius)
        });
        let mut rows: Vec<Row> = falls.collect();
        if let (Some(&first), Some(&last)) = (found.first(), found.last()) {
            let case = format!("{}, N = ∞", setting.name());
            let quantity = "sup|m_[R] − m_β| at the largest R over that at the smallest";
            rows.push(
                Row::at_most(&case, quantity, last / first, Measured::exact(1.0)).as_role(Role::Context),
            );
        }
        Ok(rows)
    }

    /// `β → ∞` at `N = R = ∞`, in closed form.
    fn temperatures(&self, variances: &'static [f64], betas: &[f64]) -> Result<Vec<Row>> {
        let estimator = self.estimator();
        let part = |&beta: &f64| {
            let setting = setting(variances, beta);
            finite_beta(&estimator.gaussian(&setting)?, &setting)
        };
        let found = betas.iter().map(part).collect::<Result<Vec<Measured>>>()?;
        let mut rows = Vec::new();
        let name = |beta: f64| format!("{}, N = R = ∞", setting(variances, beta).name());
        for (pair, &beta) in found.windows(2).zip(&betas[1..]) {
            let quantity = "sup|m_β − m_P0|, at most that at the β before";
            let series = format!("finite β, d = {}, s = {}", variances.len(), variances[variances.len() - 1]);
            rows.push(Row::at_most(&name(beta), quantity, pair[1], pair[0]).at(&series, beta));
        }
        if variances.iter().all(|&s| s > 0.0) {
            for (&found, &beta) in found.iter().zip(betas) {
                let predicted = enclosure(&setting(variances, beta))?.measured();
                rows.push(Row::equal(&name(beta), "sup|m_β − m_P0| against its enclosure", found, predicted));
            }
        }
        Ok(rows)
    }

    /// The mean field as nodes infers what the closed form does, at queries on a grid.
    fn mean_field(&self, setting: &Setting) -> Result<Row> {
        let (estimator, noise) = (self.estimator(), setting.noise()?);
        let (state, gaussian) = (estimator.whole(setting)?, estimator.gaussian(setting)?);
        let queries = queries(setting.variances.len())?;
        let (found, exact) =
            (state.posterior(&queries, estimator.drift)?, gaussian.posterior_means(&queries, noise)?);
        let mut residual = Residual::default();
        for (answer, exact) in found.iter().zip(exact.rows()) {
            for (mean, exact) in answer.mean.iter().zip(exact) {
                residual.add(&[mean.value], &[*exact], mean.numerical + ROUNDING);
            }
        }
        let scale = finite_beta(&gaussian, setting)?.value;
        Ok(residual.vanishes(&setting.name(), "m_β by the mean field − its closed form").on_scale(scale))
    }

    /// `N`, `R` and `β` at once: along a path `β(N)`, with a ball that loses one token of a sample or none.
    fn joint(&self, path: &Path, sizes: &[usize], seeds: usize) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        for &n in sizes {
            let setting = setting(LINE, (path.beta)(n as f64));
            let radius = setting.gaussian()?.mean()[0] + (2.0 * (1.0 + NOISE) * (n as f64).ln()).sqrt();
            let samples = Samples { particles: n, sizes: 1, seeds };
            let totals = self.totals(&Cell { setting, radius, samples })?;
            found.push(rough(mean(&totals)?, 0.0));
        }
        let case = format!("d = 1, Σ0 = (1), τ = 0.5, β = {}, R = a + √(3 ln N)", path.name);
        let falls = found.windows(2).zip(&sizes[1..]).map(|(pair, &n)| {
            let case = format!("{case}, N = {n}");
            let row =
                Row::at_most(&case, "E sup|m_N − m_P0|, at most that at the N before", pair[1], pair[0]);
            row.at(&format!("β = {}", path.name), n as f64).as_role(Role::Context)
        });
        let mut rows: Vec<Row> = falls.collect();
        if let ([first, .., last], [from, .., to]) = (&found[..], sizes) {
            let slope = (*last / *first).ln() / (*to as f64 / *from as f64).ln();
            let quantity = "slope of ln E sup|m_N − m_P0| in ln N";
            rows.push(Row::equal(&case, quantity, slope, Measured::exact(-0.5)).as_role(Role::Context));
        }
        Ok(rows)
    }
}

/// How `β` grows with `N`.
struct Path {
    name: &'static str,
    beta: fn(f64) -> f64,
}

/// As fast as ripples allow, and as fast as what Stage 2 sees of small ones would.
const PATHS: [Path; 2] =
    [Path { name: "ln N", beta: f64::ln }, Path { name: "N^{4/9}", beta: |n| n.powf(4.0 / 9.0) }];

impl Cell {
    fn name(&self) -> String {
        format!("{}, R = {}", self.setting.name(), self.radius)
    }
}

/// With half the gap of a rough supremum in its bar.
fn rough(value: Measured, off: f64) -> Measured {
    value.widened(0.5 * ROUGH * value.value + off)
}

/// Whether the particles' part vanishes.
fn limits(case: &str, cell: &Cell, nested: &Nested, off: f64) -> Result<Vec<Row>> {
    let (last, whole) = (cell.samples.sizes - 1, rough(nested.at(0)?, off));
    let smallest = nested.at(last)?;
    let ratio = rough(nested.ratio()?, off / nested.at(1)?.value);
    let mut rows =
        vec![Row::at_most(case, "E sup|m_N − m_[R]| over that at N/4", ratio, Measured::exact(1.0))];
    if last >= 2 {
        let gap = 0.5 * ROUGH * (2.0 * whole.value + nested.at(1)?.value);
        let limit = nested.extrapolated()?.widened(gap + 3.0 * off);
        let quantity = "E sup|m_N − m_[R]| extrapolated to N = ∞";
        rows.push(Row::equal(case, quantity, limit, Measured::exact(0.0)).on_scale(smallest.value));
        let quantity = "slope of ln E sup|m_N − m_[R]| in ln N";
        rows.push(Row::equal(case, quantity, nested.slope()?, Measured::exact(-0.5)).as_role(Role::Context));
    }
    Ok(rows)
}

/// `sup|m_β − m_{P0}|` of two Gaussian laws.
fn finite_beta(gaussian: &Law, setting: &Setting) -> Result<Measured> {
    let prior = setting.prior()?;
    let found = largest_difference(Prior::Law(gaussian), Prior::Law(&prior), setting.noise()?, CLOSED)?;
    Ok(found.widened(ROUNDING))
}

/// Bounds of the same for an isotropic regular prior.
fn enclosure(setting: &Setting) -> Result<Bracket> {
    let (s, tau, log) = (setting.variances[0], setting.noise, (setting.noise / setting.variances[0]).ln_1p());
    let reach = REACH + setting.gaussian()?.mean().iter().map(|a| a * a).sum::<f64>().sqrt();
    let infers = |delta: f64| reach * tau * delta / ((s + tau) * (s + tau + delta));
    Ok(Bracket { lower: infers(log / (setting.beta + 1.0 / s)), upper: infers(log / setting.beta) })
}

impl Parts {
    /// What the whole error is more than sampling, sample by sample, is at most the other parts.
    fn suffices(&self, case: &str, more: Measured) -> Row {
        let others = self.truncation + self.finite_beta + self.integration;
        Row::at_most(case, "E[sup|m_N − m_P0| − sup|m_N − m_[R]|] against the other parts", more, others)
    }

    /// The whole beside the sum of the parts, and each part beside the whole.
    fn rows(&self, case: &str, total: Measured) -> Vec<Row> {
        let Self { sampling, truncation, finite_beta, integration } = *self;
        let sum = sampling + truncation + finite_beta + integration;
        let part = |name: &str, part: Measured| {
            Row::equal(case, &format!("{name}, beside E sup|m_N − m_P0|"), part, total).as_role(Role::Context)
        };
        let whole = Row::at_most(case, "E sup|m_N − m_P0| against the sum of its parts", total, sum);
        vec![
            whole.as_role(Role::Context),
            part("sampling", sampling),
            part("truncation", truncation),
            part("finite β", finite_beta),
            part("integration", integration),
        ]
    }
}
