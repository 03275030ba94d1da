//! A Gaussian law stays Gaussian, and its covariance is known in closed form.
//!
//! # Formula
//! ```text
//! Γ̇ = −2Γ(I + βΓ)⁻¹,     λ + β⁻¹ ln λ = λ0 + β⁻¹ ln λ0 − 2t/β
//! ```
//! The closed form meets four witnesses: its own derivative, the ODE integrated numerically, the mean field as
//! quadrature nodes that know nothing of Gaussians, and finite samples. That the law *stays* Gaussian is seen in the
//! mean field: on the line by its distance `W1` to
//! `N(m, Γ_t)`, and in any dimension by Mardia's kurtosis `E[((Z−m)ᵀC⁻¹(Z−m))²] = d(d+2)`.
//!
//! # Paper
//! `lem:gaussian-invariance-covariance`, `eq:covariance-ode`, `eq:eigenvalue-ode`

use nalgebra::DVector;

use super::particles::Size;
use super::plan::{Plan, Witnesses};
use super::setting::{DIAGONALISED, Setting, conditioning};
use super::snapshot::{Departure, MeanFieldSnapshot};
use crate::claim::derivative::gradient;
use crate::claim::{Card, Claim, Headline, Role, Row, VerdictKind};
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::flow::Adaptive;
use crate::measured::Measured;
use crate::preset::Preset;
use crate::scale::RawTime;

/// Eigenvalues of `Γ_t`, in the order of [`CovarianceFlow::eigenvectors`].
pub type ClosedForm = fn(&CovarianceFlow, RawTime) -> DVector<f64>;

/// Times of the evidence, in denoising horizons.
const HORIZONS: [f64; 2] = [1.0, 3.0];
/// Absolute tolerances on `ln λ` of the integrated ODE: the answer, and what judges it.
const ODE_TOLERANCES: [f64; 2] = [1e-12, 1e-10];

static CARD: Card = Card {
    id: "covariance-flow",
    label: "lem:gaussian-invariance-covariance",
    statement: "A Gaussian law stays Gaussian and keeps its mean and eigenvectors, and every eigenvalue of its covariance solves λ' = −2λ/(1 + βλ), hence λ + log(λ)/β falls linearly in time.",
    gist: "Gaussian laws stay Gaussian; eigenvalues obey λ' = −2λ/(1 + βλ).",
    ours: "",
    regime: "β from 1 to 10⁴ for the equation; βτ ≤ 10 for the law itself, up to three denoising horizons, d = 1, 2, 3, regular and singular priors at an angle; finite samples at βτ = 4, 2, 1 in d = 1, 2, 3",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "d = 1, Σ0 = (1), τ = 0.5, β = 20, t = 3 T_β: λ of the mean field",
        says: "variance at 3T_β, and its closed form",
    },
    plot: None,
};

/// The covariance flow in closed form, and the drift that must bring it about.
pub struct CovarianceEquation {
    /// Eigenvalues of `Γ_t`, as the paper solves the equation for them.
    pub closed_form: ClosedForm,
    /// The kernel sums.
    pub drift: &'static dyn Drift,
}

impl Default for CovarianceEquation {
    fn default() -> Self {
        Self { closed_form: CovarianceFlow::eigenvalues_at, drift: &Dense }
    }
}

const QUICK: Plan = Plan {
    equation: &[
        Setting { variances: &[1.0, 0.25, 0.0], noise: 0.5, beta: 1.0 },
        Setting { variances: &[1.0, 0.25, 0.0], noise: 0.5, beta: 100.0 },
        Setting { variances: &[1.0, 0.25], noise: 0.02, beta: 1e4 },
    ],
    law: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 20.0 },
        Setting { variances: &[0.0], noise: 0.5, beta: 10.0 },
        Setting { variances: &[0.6, 0.0], noise: 0.4, beta: 5.0 },
        Setting { variances: &[0.6, 0.3, 0.0], noise: 0.5, beta: 2.0 },
    ],
    samples: SAMPLES,
};

const FULL: Plan = Plan {
    equation: &[
        Setting { variances: &[1.0, 0.25, 0.0], noise: 0.5, beta: 1.0 },
        Setting { variances: &[1.0, 0.25, 0.0], noise: 0.5, beta: 10.0 },
        Setting { variances: &[1.0, 0.25, 0.0], noise: 0.5, beta: 100.0 },
        Setting { variances: &[4.0, 0.0], noise: 0.1, beta: 1e3 },
        Setting { variances: &[1.0, 0.25], noise: 0.02, beta: 1e4 },
    ],
    law: &[
        Setting { variances: &[1.0], noise: 0.5, beta: 1.0 },
        Setting { variances: &[1.0], noise: 0.5, beta: 20.0 },
        Setting { variances: &[0.25], noise: 0.1, beta: 100.0 },
        Setting { variances: &[0.0], noise: 0.5, beta: 10.0 },
        Setting { variances: &[0.0], noise: 0.1, beta: 100.0 },
        Setting { variances: &[0.6, 0.2], noise: 0.4, beta: 5.0 },
        Setting { variances: &[0.6, 0.0], noise: 0.4, beta: 5.0 },
        Setting { variances: &[0.6, 0.0], noise: 0.5, beta: 12.0 },
        Setting { variances: &[0.6, 0.3, 0.1], noise: 0.5, beta: 2.0 },
        Setting { variances: &[0.6, 0.3, 0.0], noise: 0.5, beta: 2.0 },
        Setting { variances: &[0.6, 0.0, 0.0], noise: 0.5, beta: 4.0 },
    ],
    samples: SAMPLES,
};

const SAMPLES: &[Setting] = &[
    Setting { variances: &[1.0], noise: 0.5, beta: 8.0 },
    Setting { variances: &[0.6, 0.0], noise: 0.5, beta: 4.0 },
    Setting { variances: &[0.6, 0.3, 0.0], noise: 0.5, beta: 2.0 },
];

/// Samples that are too small for their temperature: every particle sees few others.
const FEW: Size = Size { particles: 256, seeds: 16 };
const GRAINY: Setting = Setting { variances: &[1.0], noise: 0.5, beta: 40.0 };

impl Claim for CovarianceEquation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let plan = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = plan.gather(self, preset)?;
        rows.push(self.sample(&GRAINY, FEW)?.as_role(Role::Context));
        Ok(rows)
    }
}

impl Witnesses for CovarianceEquation {
    /// The closed form against its own derivative and against the integrated ODE.
    fn equation(&self, setting: &Setting) -> Result<Vec<Row>> {
        let (flow, time) = (setting.flow()?, setting.horizons(HORIZONS[1])?);
        let [fine, coarse] = ODE_TOLERANCES
            .map(|tolerance| flow.integrated_eigenvalues(time, &Adaptive::new(0.0, tolerance)?));
        let (fine, coarse) = (fine?, coarse?);
        let predicted = self.predicted(&flow, time);
        let mut rows = Vec::new();
        for (i, name) in ends(&flow) {
            let rounding = conditioning(&flow, i, fine[i]);
            let integrated = Measured::known_to(fine[i], (fine[i] - coarse[i]).abs() + rounding);
            rows.push(Row::equal(
                &at(setting, 3.0),
                &format!("{name} of the integrated equation"),
                integrated,
                predicted[i],
            ));
            rows.push(self.derivative(setting, &flow, (i, name))?);
        }
        Ok(rows)
    }

    /// The closed form against the mean field.
    fn law(&self, setting: &Setting) -> Result<Vec<Row>> {
        let flow = setting.flow()?;
        let times = [setting.horizons(HORIZONS[0])?, setting.horizons(HORIZONS[1])?];
        let snapshots = MeanFieldSnapshot::taken(setting, &times, self.drift)?;
        let (mut rows, mut departure) = (Vec::new(), Departure::default());
        for (snapshot, horizons) in snapshots.iter().zip(HORIZONS) {
            let (found, predicted) = (snapshot.variances(&flow), self.predicted(&flow, snapshot.time));
            for (i, name) in ends(&flow) {
                rows.push(Row::equal(
                    &at(setting, horizons),
                    &format!("{name} of the mean field"),
                    found[i],
                    predicted[i],
                ));
            }
            departure.add(snapshot, &flow);
        }
        rows.push(departure.row(setting));
        if let Some(last) = snapshots.last() {
            rows.extend(self.shape(setting, &flow, last)?);
        }
        Ok(rows)
    }

    /// Samples at the horizon.
    fn sample(&self, setting: &Setting, size: Size) -> Result<Row> {
        let (flow, time) = (setting.flow()?, setting.horizons(1.0)?);
        let kept = (self.closed_form)(&flow, time).component_div(&flow.initial_eigenvalues());
        size.gap(setting, time, &kept, self.drift)
    }
}

impl CovarianceEquation {
    /// `dλ/dt` of the closed form against `−2λ/(1 + βλ)`, halfway to the horizon.
    fn derivative(&self, setting: &Setting, flow: &CovarianceFlow, (i, name): (usize, &str)) -> Result<Row> {
        let time = setting.horizons(0.5)?;
        let value = (self.closed_form)(flow, time)[i];
        // The time in which λ changes by a factor, but not back beyond the start.
        let step = 0.5 * time.get().min(1.0 + setting.beta * value);
        let at_time = |t: &[f64]| Ok((self.closed_form)(flow, RawTime::new(t[0])?)[i]);
        let slope = gradient(at_time, &[time.get()], step)?;
        let rate = -2.0 * value / (1.0 + setting.beta * value);
        Ok(Row::equal(
            &at(setting, 0.5),
            &format!("derivative of the {name}"),
            Measured::known_to(slope.value[0], slope.error),
            Measured::known_to(rate, DIAGONALISED * rate.abs()),
        ))
    }

    /// Whether the law is Gaussian still.
    fn shape(
        &self,
        setting: &Setting,
        flow: &CovarianceFlow,
        snapshot: &MeanFieldSnapshot,
    ) -> Result<Vec<Row>> {
        let case = at(setting, HORIZONS[1]);
        let d = flow.mean().len() as f64;
        let mut rows = vec![Row::equal(
            &case,
            "Mardia's kurtosis of the mean field",
            snapshot.kurtosis(flow),
            Measured::exact(d * (d + 2.0)),
        )];
        let deviation = (self.closed_form)(flow, snapshot.time)[0].max(0.0).sqrt();
        if let Some(distance) = snapshot.distance_to(flow.mean()[0], deviation)? {
            rows.push(
                Row::equal(&case, "W1(mean field, N(m, Γ))", distance, Measured::exact(0.0))
                    .on_scale(deviation),
            );
        }
        Ok(rows)
    }

    fn predicted(&self, flow: &CovarianceFlow, time: RawTime) -> Vec<Measured> {
        let values = (self.closed_form)(flow, time);
        values.iter().enumerate().map(|(i, &l)| Measured::known_to(l, conditioning(flow, i, l))).collect()
    }
}

/// The first and the last eigenvalue, by name.
fn ends(flow: &CovarianceFlow) -> Vec<(usize, &'static str)> {
    match flow.mean().len() {
        1 => vec![(0, "λ")],
        d => vec![(0, "largest λ"), (d - 1, "smallest λ")],
    }
}

fn at(setting: &Setting, horizons: f64) -> String {
    format!("{}, t = {horizons} T_β", setting.name())
}
