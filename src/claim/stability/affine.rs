//! A law that drifts otherwise stays near the one that an affine field carries.
//!
//! # Formula
//! `∂ρ = −∇·(ρb)`, `∂η = −∇·(ηc)`, `c_t(x) = A_t x + a_t`, `L = |A_t|`:
//! ```text
//! W1(ρ_t, η_t) ≤ Λ(0, t) W1(ρ_0, η_0) + ∫_0^t Λ(s, t) ∫|b_s − c_s| dρ_s ds,      Λ(s, t) = exp ∫_s^t L.
//! ```
//! There is equality where everything expands and pushes the same way: `c = Lx`, `b = c + k`, translates. About the Gaussian flow nothing expands, for `A_t = −(I + βΓ_t)^{−1}`. For an
//! isotropic one `Λ(s, t) = √(λ_s/λ_t)`, as `−2λ/(1 + βλ)` is the derivative of `λ`, where the characteristics really contract by `√(λ_t/λ_s)`: with the logarithmic norm of `A_t` in place of its norm the
//! same proof gives the reciprocal factor, and this inequality is an equality for translates under the flow itself.
//!
//! Pairs under the flow: two Gaussian laws in closed form; and clouds of atoms against the Gaussian law, which are weak solutions like any other.
//! Integrals in time are Gauss sums over halves of the horizon; the sum over the whole judges them.
//!
//! # Paper
//! `lem:continuity-equation-lipschitz-reference-stability`

use nalgebra::{DMatrix, DVector};

use super::reference::Reference;
use crate::claim::gaussian::ClosedForm;
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::drift::{Dense, Drift, DriftField, Targets};
use crate::error::{Error, Result};
use crate::exact::CovarianceFlow;
use crate::flow::{Adaptive, Flow};
use crate::law::{Gaussian, Law, generator};
use crate::measured::Measured;
use crate::metric::{between_gaussians, line, mean_length};
use crate::numeric::quadrature::{GaussRule, Node, SIXTEEN};
use crate::preset::Preset;
use crate::scale::RawTime;

/// Tolerance in time of clouds, as a length.
const TOLERANCE: f64 = 1e-10;

static CARD: Card = Card {
    id: "affine-stability",
    label: "lem:continuity-equation-lipschitz-reference-stability",
    statement: "If η is carried by an affine field c_t(x) = A_t x + a_t and ρ by b_t, then W1(ρ_t, η_t) ≤ Λ(0,t) W1(ρ_0, η_0) + ∫_0^t Λ(s,t) ∫|b_s − c_s|dρ_s ds with Λ(s,t) = exp ∫_s^t |A_r|dr.",
    gist: "W1 to a law in an affine field grows by what the fields differ.",
    ours: "about the Gaussian flow Λ(s,t) = √(λ_s/λ_t) for isotropic laws; with the logarithmic norm of A_t it is √(λ_t/λ_s), below one, and then sharp for translates",
    regime: "d = 1, 3, β = 1, 20, 100, up to the denoising horizon: Gaussian pairs, clouds of 1 to 200 atoms; expanding fields, where there is equality",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "Σ0 = (1), τ = 0.5, β = 20, 20 atoms, t = T_β: W1 against the bound",
        says: "W1 of 20 atoms at T_β; bound",
    },
    plot: Some(Axes { x: "t/T_β", y: "W1 and its bound", log_x: false, log_y: false }),
};

/// The inequality; the norm, the carried law and the drift can be exchanged.
pub struct AffineStability {
    /// `|A|` of a symmetric `A` with these eigenvalues.
    pub norm: fn(&[f64]) -> f64,
    /// The kernel sums that move clouds.
    pub drift: &'static dyn Drift,
    /// Eigenvalues of `Γ_t`: where the affine field takes the Gaussian law.
    pub closed_form: ClosedForm,
    /// Where the atoms come from.
    pub seed: u64,
}

impl Default for AffineStability {
    fn default() -> Self {
        Self {
            norm: |eigenvalues| eigenvalues.iter().fold(0.0, |norm, a| norm.max(a.abs())),
            drift: &Dense,
            closed_form: CovarianceFlow::eigenvalues_at,
            seed: 1902,
        }
    }
}

/// What both sides are made of at the nodes in time: `∫|b − c|dρ`.
type Difference<'a> = &'a dyn Fn(usize, f64) -> Result<Measured>;

impl Claim for AffineStability {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let full = preset == Preset::Full;
        let betas: &[f64] = if full { &[1.0, 5.0, 20.0, 100.0, 400.0] } else { &[1.0, 20.0, 100.0] };
        let mut rows = Vec::new();
        for (rate, push) in [(0.7, 0.4), (0.7, 0.0), (-0.7, 0.4)] {
            rows.push(self.translates(rate, push));
        }
        for &beta in betas {
            for share in [0.5, 1.0] {
                rows.extend(self.gaussians(Reference { prior: &[1.0], beta }, share)?);
            }
            rows.extend(self.gaussians(Reference { prior: &[0.25; 3], beta }, 1.0)?);
        }
        let sizes: &[usize] = if full { &[1, 5, 20, 100, 200] } else { &[1, 20] };
        for &beta in if full { betas } else { &[20.0] } {
            for &atoms in sizes {
                for share in [0.25, 0.5, 1.0] {
                    rows.push(self.cloud(Reference { prior: &[1.0], beta }, atoms, share)?);
                }
            }
        }
        Ok(rows)
    }
}

impl AffineStability {
    /// `c = Lx` and `b = c + k` on the line, `ρ_0` one to the right of `η_0`, up to time one.
    fn translates(&self, rate: f64, push: f64) -> Row {
        let grown = |from: f64| ((1.0 - from) * rate).exp();
        let gap = |rate: f64| if rate == 0.0 { 1.0 } else { rate.exp_m1() / rate };
        let distance = Measured::exact(grown(0.0) + push * gap(rate));
        let bound = Measured::exact((self.norm)(&[rate]).exp() + push * gap((self.norm)(&[rate])));
        let case = format!("c = {rate}x, b = c + {push}, translates, t = 1");
        let row = Row::at_most(&case, "W1 against the bound", distance, bound);
        // Where the field contracts the norm is not what decides.
        if rate > 0.0 { row } else { row.as_role(Role::Context) }
    }

    /// `log Λ(s, t)` in closed form by quadrature of the norm, forwards from `s`.
    fn log_growth(&self, flow: &CovarianceFlow, from: f64, to: f64) -> Result<Measured> {
        let beta = flow.beta().get();
        let norm = |t: f64| match RawTime::new(t) {
            Ok(time) => {
                let slopes: Vec<f64> =
                    flow.eigenvalues_at(time).iter().map(|l| -1.0 / (1.0 + beta * l)).collect();
                (self.norm)(&slopes)
            }
            Err(_) => f64::NAN,
        };
        Ok(SIXTEEN.halved(from, to, norm))
    }

    /// The right side: with the norm, or with the logarithmic norm, `√(λ_t/λ_s)`.
    fn bound(
        &self,
        flow: &CovarianceFlow,
        end: f64,
        start: Measured,
        difference: Difference,
        logarithmic: bool,
    ) -> Result<Measured> {
        let factor = |from: f64| -> Result<Measured> {
            if logarithmic {
                let at = |t: f64| Ok::<_, Error>(flow.eigenvalues_at(RawTime::new(t)?)[0]);
                return Ok(Measured::exact((at(end)? / at(from)?).sqrt()));
            }
            let log = self.log_growth(flow, from, end)?;
            Ok(log.through(log.value.exp(), log.value.exp()))
        };
        let sum = |nodes: &[Node], first: usize| -> Result<Measured> {
            let term = |(i, node): (usize, &Node)| {
                Ok(node.weight * (factor(node.at)? * difference(first + i, node.at)?))
            };
            nodes.iter().enumerate().map(term).sum()
        };
        let (fine, coarse) = (halves(end), whole(end));
        let (fine, coarse) = (sum(&fine, 0)?, sum(&coarse, fine.len())?);
        let integral = fine.widened((fine.value - coarse.value).abs());
        Ok(factor(0.0)? * start + integral)
    }

    /// Two isotropic Gaussian laws under the flow: a shifted one, and a wider one.
    fn gaussians(&self, reference: Reference, share: f64) -> Result<Vec<Row>> {
        let (d, beta, end) = (reference.prior.len(), reference.beta, reference.time(share)?.get());
        let flow = reference.flow()?;
        let start = flow.initial_eigenvalues()[0];
        let mut rows = Vec::new();
        for (name, shift, widening) in [("translates", 0.5, 1.0), ("dilations", 0.0, 1.3)] {
            let other = CovarianceFlow::of_noisy(
                DVector::zeros(d),
                DMatrix::identity(d, d) * (start * widening),
                flow.beta(),
            )?;
            let distance = |t: f64| -> Result<Measured> {
                let time = RawTime::new(t)?;
                let law = |variance: f64, shift: f64| {
                    let mut mean = vec![0.0; d];
                    mean[0] = shift;
                    Gaussian::isotropic(mean, variance.sqrt())
                };
                let carried = law((self.closed_form)(&flow, time)[0], 0.0)?;
                let bracket = between_gaussians(&law(other.eigenvalues_at(time)[0], shift)?, &carried)?.w1;
                Ok(bracket.measured().widened(32.0 * f64::EPSILON * start.sqrt()))
            };
            // b − c = x/(1 + βλ) − (x − u)/(1 + βλ'), x of variance λ' about u.
            let difference = |_: usize, t: f64| -> Result<Measured> {
                let time = RawTime::new(t)?;
                let [own, of_other] = [&flow, &other].map(|flow| flow.eigenvalues_at(time)[0]);
                let [near, far] = [own, of_other].map(|l| 1.0 / (1.0 + beta * l));
                Ok(Measured::exact(if shift > 0.0 {
                    shift * near
                } else {
                    mean_length(d) * of_other.sqrt() * (near - far).abs()
                }))
            };
            let measured = distance(end)?;
            let bound = self.bound(&flow, end, distance(0.0)?, &difference, false)?;
            let sharp = self.bound(&flow, end, distance(0.0)?, &difference, true)?;
            let case = format!("{}, {name}, t = {share} T_β", reference.name());
            rows.push(Row::at_most(&case, "W1 against the bound", measured, bound));
            let quantity = "W1 against the bound with the logarithmic norm";
            rows.push(Row::at_most(&case, quantity, measured, sharp));
        }
        Ok(rows)
    }

    /// Atoms on the line against the Gaussian flow.
    fn cloud(&self, reference: Reference, atoms: usize, share: f64) -> Result<Row> {
        let (beta, end, flow) = (reference.beta, reference.time(share)?.get(), reference.flow()?);
        let law = |t: f64| -> Result<Law> {
            let variance = (self.closed_form)(&flow, RawTime::new(t)?)[0];
            Ok(Law::Gaussian(Gaussian::isotropic(vec![0.0], variance.sqrt())?))
        };
        let sample = law(0.0)?.sample(atoms, &mut generator(self.seed))?;
        let times: Vec<f64> = halves(end).into_iter().chain(whole(end)).map(|node| node.at).collect();
        let snapshots = times.iter().map(|&t| RawTime::new(t)).collect::<Result<Vec<_>>>()?;
        let run = Flow::new(flow.beta(), RawTime::new(end)?)
            .with_drift(self.drift)
            .with_integrator(Adaptive::new(0.0, TOLERANCE)?)
            .with_snapshots(snapshots)
            .with_error_estimate()
            .run(&sample)?;
        let off = run.error.estimate.map_or(f64::NAN, |estimate| estimate.max) + TOLERANCE;
        let distance = |cloud: &Cloud, t: f64| -> Result<Measured> {
            Ok(Measured::known_to(line::w1_to_law(cloud, &law(t)?.on_line()?)?, off))
        };
        let difference = |i: usize, t: f64| -> Result<Measured> {
            let (cloud, mut field) = (&run.snapshots[i].cloud, DriftField::default());
            self.drift.evaluate(cloud.view(), Targets::Sources, flow.beta(), &mut field)?;
            let variance = flow.eigenvalues_at(RawTime::new(t)?)[0];
            let apart = |(v, x): (&f64, &f64)| (v + x / (1.0 + beta * variance)).abs();
            let sum: f64 = field.velocity.iter().zip(cloud.points()).map(apart).sum();
            // Neither field has a slope beyond βR², R the extent of the cloud; what particles are off by moves the mean by that.
            let extent = cloud.points().iter().fold(0.0_f64, |far, x| far.max(x.abs()));
            Ok(Measured::known_to(sum / atoms as f64, 2.0 * (1.0 + beta * extent * extent) * off))
        };
        let bound = self.bound(&flow, end, distance(&sample, 0.0)?, &difference, false)?;
        let time = if share == 1.0 { String::new() } else { format!("{share} ") };
        let plural = if atoms == 1 { "" } else { "s" };
        let case = format!("{}, {atoms} atom{plural}, t = {time}T_β", reference.name());
        let row = Row::at_most(&case, "W1 against the bound", distance(&run.end, end)?, bound);
        Ok(row.at(&format!("{}, {atoms} atom{plural}", reference.name()), share))
    }
}

/// Gauss nodes of both halves of `[0, end]`.
fn halves(end: f64) -> Vec<Node> {
    SIXTEEN.panels(0.0, end, 2).collect()
}

/// Fewer nodes of the whole.
fn whole(end: f64) -> Vec<Node> {
    GaussRule::legendre(20).on(0.0, end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SciPy 1.17.1, `solve_ivp(method = 'DOP853', rtol = 1e-13)` for λ and `log Λ` together, prior variance 1, τ = 1/2: `β`, `log Λ(0, T_β)`.
    const REFERENCE: [(f64, f64); 3] =
        [(1.0, 0.106326934791026), (20.0, 0.193166336190186), (100.0, 0.200729279729748)];

    #[test]
    fn growth_factors_by_other_means() {
        for (beta, log_growth) in REFERENCE {
            let reference = Reference { prior: &[1.0], beta };
            let end = reference.time(1.0).unwrap().get();
            let found = AffineStability::default().log_growth(&reference.flow().unwrap(), 0.0, end).unwrap();
            assert!((found.value - log_growth).abs() < 1e-11, "{found:?} {log_growth}");
        }
    }
}
