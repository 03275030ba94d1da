//! The flow from a law cut to a ball tends to the flow from the whole law.
//!
//! # Formula
//! ```text
//! sup_{0 ≤ t ≤ T} W1(f_t^[R], f_t) → 0   as R → ∞,    f_t = N(a, Γ_t)
//! ```
//! Both sides without sampling: the law in the ball as quadrature nodes, the whole law in closed form. The supremum is over equally spaced times, and
//! half of them tell how much the others may miss. At `t = 0` the distance is known, `A_R − (q_R/p_R) I_R` for centred laws. Mass that `f0` has beyond `R`
//! is of order `e^{−R²/2λ}`, `λ = s + τ`; how much more than that the flow makes of it is the *amplification*
//! `sup_t W1(f_t^[R], f_t)/W1(f_0^[R], f_0)`.
//!
//! # Paper
//! `cor:hard-truncated-gaussian-flows-converge`

use nalgebra::DVector;

use super::moments::Moments;
use crate::claim::gaussian::ClosedForm;
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::drift::{Dense, Drift};
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::law::{Gaussian, Law, LineLaw};
use crate::meanfield::{MeanField, State};
use crate::measured::Measured;
use crate::preset::Preset;
use crate::scale::{BallRadius, Beta, NoiseVariance, RawTime};

/// The noise variance throughout.
const NOISE: f64 = 0.5;
/// Intervals of the times, an even number.
const TIMES: usize = 8;
/// The falls over all radii together: five decades.
const DECADES: f64 = 1e-5;

static CARD: Card = Card {
    id: "truncated-flows",
    label: "cor:hard-truncated-gaussian-flows-converge",
    statement: "For a Gaussian law, at fixed β and T, sup_{t≤T} W1(f_t^[R], f_t) → 0 as R → ∞, f^[R] the flow from the law cut to the ball B_R.",
    gist: "For Gaussian laws sup_t W1(f_t^[R], f_t) → 0 as R → ∞.",
    ours: "the corollary gives no rate; that what truncation does stays of the order of what it does at t = 0 is ours",
    regime: "d = 1, τ = 0.5, priors N(0, 1), N(0.3, 1) and a point mass, βτ = 1 to 10, to the denoising horizon and twice that; N = ∞; over five decades of the distance",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "N(0, 1), β = 8, t ≤ T_β: sup_t W1 at the largest R over that at the smallest",
        says: "fall of sup_t W1 from R = 1 to R = 7",
    },
    plot: Some(Axes { x: "radius R", y: "sup_t W1(f_t^[R], f_t)", log_x: false, log_y: true }),
};

/// The law in the ball and the whole law along the flow.
pub struct TruncatedFlows {
    /// The kernel sums that move the law in the ball.
    pub drift: &'static dyn Drift,
    /// The variance of the whole law in time.
    pub closed_form: ClosedForm,
    /// The radius of the ball to which the law is cut, given `R`.
    pub ball: fn(f64) -> f64,
}

impl Default for TruncatedFlows {
    fn default() -> Self {
        Self { drift: &Dense, closed_form: CovarianceFlow::eigenvalues_at, ball: |radius| radius }
    }
}

/// A prior on the line, a temperature, and the balls.
struct Case {
    name: &'static str,
    mean: f64,
    variance: f64,
    beta: f64,
    /// `T` in denoising horizons.
    horizons: f64,
    radii: &'static [f64],
}

const QUICK: &[Case] = &[
    Case {
        name: "N(0, 1)",
        mean: 0.0,
        variance: 1.0,
        beta: 8.0,
        horizons: 1.0,
        radii: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    },
    Case {
        name: "N(0.3, 1)",
        mean: 0.3,
        variance: 1.0,
        beta: 2.0,
        horizons: 2.0,
        radii: &[1.0, 3.0, 5.0, 6.0, 7.0],
    },
    Case {
        name: "point mass at 0",
        mean: 0.0,
        variance: 0.0,
        beta: 8.0,
        horizons: 1.0,
        radii: &[0.5, 1.5, 2.5, 3.5, 4.5],
    },
];

const FULL: &[Case] = &[
    Case {
        name: "N(0, 1)",
        mean: 0.0,
        variance: 1.0,
        beta: 2.0,
        horizons: 1.0,
        radii: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    },
    Case {
        name: "N(0, 1)",
        mean: 0.0,
        variance: 1.0,
        beta: 8.0,
        horizons: 1.0,
        radii: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    },
    Case {
        name: "N(0, 1)",
        mean: 0.0,
        variance: 1.0,
        beta: 8.0,
        horizons: 2.0,
        radii: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    },
    Case {
        name: "N(0, 1)",
        mean: 0.0,
        variance: 1.0,
        beta: 20.0,
        horizons: 1.0,
        radii: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    },
    Case {
        name: "N(0.3, 1)",
        mean: 0.3,
        variance: 1.0,
        beta: 2.0,
        horizons: 2.0,
        radii: &[1.0, 3.0, 5.0, 6.0, 7.0],
    },
    Case {
        name: "point mass at 0",
        mean: 0.0,
        variance: 0.0,
        beta: 8.0,
        horizons: 1.0,
        radii: &[0.5, 1.5, 2.5, 3.5, 4.5],
    },
    Case {
        name: "point mass at 0",
        mean: 0.0,
        variance: 0.0,
        beta: 20.0,
        horizons: 1.0,
        radii: &[0.5, 1.5, 2.5, 3.5, 4.5],
    },
];

impl Claim for TruncatedFlows {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let cases = if preset == Preset::Quick { QUICK } else { FULL };
        let mut rows = Vec::new();
        for case in cases {
            rows.extend(self.rows(case)?);
        }
        Ok(rows)
    }
}

/// Distances along a flow.
struct Gap {
    start: Measured,
    end: Measured,
    sup: Measured,
}

impl TruncatedFlows {
    fn rows(&self, case: &Case) -> Result<Vec<Row>> {
        let name = case.name();
        let gaps = case.radii.iter().map(|&radius| self.gap(case, radius)).collect::<Result<Vec<Gap>>>()?;
        let mut rows = Vec::new();
        for (pair, radius) in gaps.windows(2).zip(&case.radii[1..]) {
            let quantity = "sup_t W1(f_t^[R], f_t), at most that at the R before";
            let row = Row::at_most(&format!("{name}, R = {radius}"), quantity, pair[1].sup, pair[0].sup);
            rows.push(row.at(&name, *radius));
        }
        let (Some(first), Some(last)) = (gaps.first(), gaps.last()) else { return Ok(rows) };
        let fall = last.sup / first.sup;
        let quantity = "sup_t W1 at the largest R over that at the smallest";
        rows.push(Row::at_most(&name, quantity, fall, Measured::exact(DECADES)));
        let law = case.noisy()?.on_line()?;
        for (gap, &radius) in gaps.iter().zip(case.radii) {
            let case_name = format!("{name}, R = {radius}");
            if case.mean == 0.0 {
                let exact = Moments::on_line(&law, radius).radial_distance();
                rows.push(Row::equal(&case_name, "W1(f_0^[R], f_0) against A − (q/p)I", gap.start, exact));
            }
            let one = Measured::exact(1.0);
            for (quantity, share) in [
                ("sup_t W1 over W1 at t = 0", gap.sup / gap.start),
                ("W1 at the end over W1 at t = 0", gap.end / gap.start),
            ] {
                rows.push(Row::at_most(&case_name, quantity, share, one).as_role(Role::Context));
            }
        }
        Ok(rows)
    }

    /// The distance from the whole law at the start, and at most.
    fn gap(&self, case: &Case, radius: f64) -> Result<Gap> {
        let (noise, beta) = (NoiseVariance::new(NOISE)?, Beta::new(case.beta)?);
        let last = case.horizons * noise.denoising_horizon().to_raw(beta)?.get();
        let times = (0..=TIMES).map(|k| RawTime::new(last * k as f64 / TIMES as f64));
        let times = times.collect::<Result<Vec<RawTime>>>()?;
        let ball = BallRadius::new((self.ball)(radius))?;
        let problem = MeanField::new(case.prior()?, noise, beta).truncated_to(ball);
        let flow = case.flow(noise, beta)?;
        let distance = |state: &State| state.w1_to(&self.whole(&flow, state.raw_time)?);
        let states = problem.evolve(&times, self.drift)?.states;
        let found = states.iter().map(distance).collect::<Result<Vec<Measured>>>()?;
        let most = |every: usize| {
            let values = found.iter().step_by(every).copied();
            values.reduce(|a, b| if b.value <= a.value { a } else { b }).unwrap_or(Measured::UNKNOWN)
        };
        let (all, half) = (most(1), most(2));
        Ok(Gap { start: found[0], end: found[TIMES], sup: all.widened(all.value - half.value) })
    }

    /// `f_t` in closed form.
    fn whole(&self, flow: &CovarianceFlow, time: RawTime) -> Result<LineLaw> {
        let deviation = (self.closed_form)(flow, time)[0].max(0.0).sqrt();
        Law::Gaussian(Gaussian::isotropic(vec![flow.mean()[0]], deviation)?).on_line()
    }
}

impl Case {
    fn name(&self) -> String {
        let times = if self.horizons == 1.0 { String::new() } else { self.horizons.to_string() + " " };
        format!("{}, β = {}, t ≤ {times}T_β", self.name, self.beta)
    }

    fn prior(&self) -> Result<Law> {
        Ok(Law::Gaussian(Gaussian::isotropic(vec![self.mean], self.variance.sqrt())?))
    }

    fn noisy(&self) -> Result<Law> {
        Ok(self.prior()?.noisy(NoiseVariance::new(NOISE)?))
    }

    fn flow(&self, noise: NoiseVariance, beta: Beta) -> Result<CovarianceFlow> {
        let prior = self.prior()?;
        CovarianceFlow::of_prior(DVector::from_element(1, self.mean), prior.covariance(), noise, beta)
    }
}
