//! The Gaussian tail display, and the radius that is concluded from it.
//!
//! # Formula
//! The display `q_R ≤ C(1 + R)^d e^{−R²/8λ₊}`, `R ≥ 1 + 2|a|`, holds with `C = 1` in every dimension: there
//! `R − |a| ≥ (R + 1)/2`, so that
//! `q_R ≤ P(|Z| > u)`, `u = (R + 1)/2√λ₊`, and Chernoff's `P(|Z| > u) ≤ (e u²/d)^{d/2} e^{−u²/2}` (if `u² > d`; else `(1 + R)^d e^{−R²/8λ₊} ≥ 2^d e^{−d/2} > 1`)
//! is below `(1 + R)^d e^{−R²/8λ₊}` for `4λ₊d ≥ e` outright and otherwise because `e^{(2R+1)/8λ₊} ≥ e^{3/8λ₊}` exceeds
//! `(e/4λ₊d)^{d/2}`. The true exponent is `R²/2λ₊`, four times as large. For `a = 0` and wide laws the least constant
//! tends to `2^{−d}`, at `R = 1`.
//!
//! The text concludes that `R_N` "slightly larger than `√log N`" makes the loss vanish. Read as `c√log N` with `c` near
//! one, the constant decides: see
//! `radius`. The display's own bound `N(1 + R)^d e^{−R²/8λ₊}` vanishes for `R² = 8λ₊(log N + (d/2) log log N + ω_N)`, `ω_N → ∞`: `d log(1 + R)` is
//! `(d/2) log log N` up to a constant.
//!
//! # Paper
//! the display before "Choosing `R = R_N`" and the remark "Sampling interpretation of hard truncation" in
//! `sec:gaussian-noncompact-admissible`

use nalgebra::{DMatrix, DVector};
use statrs::function::gamma::gamma;

use super::norm_tail;
use super::radius::{expected_losses, largest_variance, loss, offset, root, sufficient};
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, Severity, VerdictKind};
use crate::error::Result;
use crate::law::{Gaussian, Law, generator};
use crate::measured::Measured;
use crate::preset::Preset;

const SEED: u64 = 1207;
/// Losses are compared between a small and a large sample.
const SMALL: f64 = 1e2;
const LARGE: f64 = 1e12;
/// Radii tried for the least constant, from `1 + 2|a|` on, and over how many standard deviations.
const RADII: usize = 60;
const REACH: f64 = 12.0;
/// The loss at which radii are compared.
const LEVEL: f64 = 0.01;

static CARD: Card = Card {
    id: "gaussian-tail",
    label: "sec:sequential-posterior-mean-recovery, on the choice of R_N",
    statement: "For f0 = N(a, Γ0) and R ≥ 1+2|a|, f0(B_R^c) ≤ C(1+R)^d exp(−R²/(8λ₊)), and R_N slightly larger than √log N makes the probability of losing any of N points vanish.",
    gist: "R_N slightly larger than √log N loses none of N Gaussian points.",
    ours: "",
    regime: "d = 1, 2, 3, isotropic, anisotropic and shifted laws, λ₊ from 0.02 to 25, N from 10² to 10¹²",
    correction: "Read as R_N = c√log N with c near one (tested: 1.05), this fails as soon as λ₊ > 1/2, since the loss vanishes only if c² ≥ 2λ₊; read as R_N/√log N → ∞ it holds, and so does the display, with C = 1. For N ≥ 3, R_N = |a| + √(2λ₊(log N + (d/2) log log N)) is enough for every Gaussian, and isotropic centred ones need √(2λ₊(log N + (d/2 − 1) log log N + ω_N)) with ω_N → ∞. The display itself would ask for √(8λ₊(log N + (d/2) log log N + ω_N))",
    severity: Some(Severity::Misprint),
    expected: VerdictKind::FailsAsPrinted,
    headline: Headline {
        row: "d = 1, λ₊ = 1.25, N = 10^12: loss with R_N = 1.05√log N, against that with the corrected R_N",
        says: "P(a point is lost), N = 10¹²; corrected R_N",
    },
    plot: Some(Axes { x: "number of points N", y: "radius R_N", log_x: true, log_y: false }),
};

/// The claim; the tail and both radii can be exchanged.
pub struct GaussianTail {
    /// `P(|Y| > R)`.
    pub tail: fn(&Gaussian, f64) -> Result<Measured>,
    /// `R_N` as printed: a function of `N` alone.
    pub printed: fn(f64) -> f64,
    /// `R_N` as it should be.
    pub corrected: fn(&Gaussian, f64) -> f64,
}

impl Default for GaussianTail {
    fn default() -> Self {
        // "Slightly larger": by a twentieth.
        Self { tail: norm_tail, printed: |n| 1.05 * n.ln().sqrt(), corrected: sufficient }
    }
}

/// A noisy law with its name.
struct Noisy {
    name: &'static str,
    law: Gaussian,
}

fn noisy(name: &'static str, mean: &[f64], variances: &[f64]) -> Result<Noisy> {
    let covariance = DMatrix::from_diagonal(&DVector::from_column_slice(variances));
    Ok(Noisy { name, law: Gaussian::new(mean.to_vec(), covariance)? })
}

impl Claim for GaussianTail {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let samples = match preset {
            Preset::Quick => 4000,
            Preset::Full => 100_000,
        };
        let line = noisy("d = 1, λ₊ = 1.25", &[0.0], &[1.25])?;
        let plane = noisy("d = 2, λ₊ = 1.25", &[0.0; 2], &[1.25; 2])?;
        let shifted = noisy("d = 2, λ₊ = 1.25, |a| = 1", &[1.0, 0.0], &[1.25; 2])?;
        let oblong = noisy("d = 2, Γ0 = diag(1.25, 0.3)", &[0.0; 2], &[1.25, 0.3])?;
        let narrow = noisy("d = 2, λ₊ = 0.25", &[0.0; 2], &[0.25; 2])?;
        let narrowest = noisy("d = 2, λ₊ = 0.02, |a| = 0.5", &[0.5, 0.0], &[0.02; 2])?;
        let wide = noisy("d = 2, λ₊ = 25", &[0.0; 2], &[25.0; 2])?;
        let space = noisy("d = 3, λ₊ = 1.25", &[0.0; 3], &[1.25; 3])?;
        let mut rows = Vec::new();
        // On either side of 4λ₊d = e, where the proof takes another turn.
        for case in [&line, &shifted, &oblong, &narrow, &narrowest, &wide, &space] {
            rows.push(self.least_constant(case)?);
        }
        for case in [&line, &shifted, &oblong, &narrow, &space] {
            rows.extend(self.vanishing(case)?);
        }
        for (case, radius) in [(&shifted, 3.9), (&oblong, 3.2)] {
            rows.push(self.simulated(case, radius, samples)?);
        }
        rows.extend(self.exponents(&plane)?);
        for decade in [2, 4, 12] {
            rows.push(self.losses(&line, decade)?);
        }
        for decade in [2, 4, 6, 8, 10, 12] {
            rows.extend(self.radii(&space, decade)?);
        }
        rows.push(self.display(&space, 12)?);
        Ok(rows)
    }
}

impl GaussianTail {
    fn loss(&self, law: &Gaussian, radius: f64, n: f64) -> Result<Measured> {
        Ok(loss((self.tail)(law, radius)?, n))
    }

    /// The least `C` of the display over many radii.
    fn least_constant(&self, case: &Noisy) -> Result<Row> {
        let (law, variance) = (&case.law, largest_variance(&case.law));
        let (first, d) = (1.0 + 2.0 * offset(law), law.mean().len() as f64);
        let mut constants = Vec::with_capacity(RADII);
        for i in 0..RADII {
            let radius = first + REACH * variance.sqrt() * i as f64 / RADII as f64;
            let (tail, x) = ((self.tail)(law, radius)?, radius * radius / (8.0 * variance));
            let growth = (x - d * radius.ln_1p()).exp();
            // The exponent is rounded relative to x.
            let rounding = 8.0 * f64::EPSILON * (1.0 + x) * tail.value;
            constants.push(tail.widened(rounding) * growth);
        }
        let largest = Measured::largest(constants);
        let row =
            Row::at_most(case.name, "least C of the display, against C = 1", largest, Measured::exact(1.0));
        Ok(row.as_role(Role::Corrected))
    }

    /// The mean number of points lost at a small and a large `N`, with the radius as printed and with the right one.
    fn vanishing(&self, case: &Noisy) -> Result<[Row; 3]> {
        let (law, name) = (&case.law, case.name);
        let lost = |radius: f64, n: f64| -> Result<Measured> { Ok(n * (self.tail)(law, radius)?) };
        let printed = |n: f64| lost((self.printed)(n), n);
        let corrected = |n: f64| lost((self.corrected)(law, n), n);
        let bound = expected_losses(law, sufficient(law, LARGE), LARGE);
        let falls = "N q_R with R_N = 1.05√log N at N = 10¹², against N = 10²";
        let right = "N q_R with the corrected R_N at N = 10¹², against N = 10²";
        let below = "N q_R with the corrected R_N at N = 10¹², against its bound";
        Ok([
            Row::at_most(name, falls, printed(LARGE)?, printed(SMALL)?),
            Row::at_most(name, right, corrected(LARGE)?, corrected(SMALL)?).as_role(Role::Corrected),
            Row::at_most(name, below, corrected(LARGE)?, bound).as_role(Role::Corrected),
        ])
    }

    /// The loss with both radii.
    fn losses(&self, case: &Noisy, decade: i32) -> Result<Row> {
        let (law, n) = (&case.law, 10.0_f64.powi(decade));
        let printed = self.loss(law, (self.printed)(n), n)?;
        let corrected = self.loss(law, (self.corrected)(law, n), n)?;
        let name = format!("{}, N = 10^{decade}", case.name);
        let quantity = "loss with R_N = 1.05√log N, against that with the corrected R_N";
        Ok(Row::equal(&name, quantity, printed, corrected).as_role(Role::Context))
    }

    /// The probability that a sample stays inside is that of a point to the power of `N`.
    fn simulated(&self, case: &Noisy, radius: f64, samples: usize) -> Result<Row> {
        const POINTS: usize = 100;
        let mut stream = generator(SEED);
        let mut lost = 0;
        for _ in 0..samples {
            let cloud = Law::Gaussian(case.law.clone()).sample(POINTS, &mut stream)?;
            lost += usize::from(cloud.rows().any(|y| y.iter().map(|y| y * y).sum::<f64>() > radius * radius));
        }
        let exact = self.loss(&case.law, radius, POINTS as f64)?;
        let error = (exact.value * (1.0 - exact.value) / samples as f64).sqrt();
        let measured = Measured::exact(lost as f64 / samples as f64).sampled(error);
        let name = format!("{}, R = {radius}, N = {POINTS}", case.name);
        Ok(Row::equal(&name, "simulated loss against 1 − (1−q)^N", measured, exact).as_role(Role::Corrected))
    }

    /// `N q_R` is a power of `N` that changes its sign where `c² = 2λ₊`; exactly so in the plane.
    fn exponents(&self, case: &Noisy) -> Result<Vec<Row>> {
        const MIDDLE: f64 = 1e6;
        let (law, critical) = (&case.law, 2.0 * largest_variance(&case.law));
        let mut rows = Vec::new();
        for share in [0.9, 1.1] {
            let at = |n: f64| (self.tail)(law, (share * critical * n.ln()).sqrt());
            let (middle, large) = (at(MIDDLE)?, at(LARGE)?);
            let exponent = 1.0 + (large / middle).ln() / (LARGE / MIDDLE).ln();
            let row = Row::equal(
                &format!("{}, c² = {share}·2λ₊", case.name),
                "exponent of N in N q_R against 1 − c²/2λ₊",
                exponent,
                Measured::exact(1.0 - share),
            );
            rows.push(row.as_role(Role::Corrected));
        }
        Ok(rows)
    }

    /// The radius that loses a point in one sample out of a hundred.
    fn needed(&self, law: &Gaussian, n: f64) -> Result<Measured> {
        let variance = largest_variance(law);
        let far = offset(law) + 10.0 * (variance * n.ln()).sqrt();
        let needed = root(|radius| Ok(self.loss(law, radius, n)?.value), LEVEL, far)?;
        // The slope of log q is about −R/λ₊, and tails are good to twelve digits.
        Ok(Measured::known_to(needed, 1e-12 * variance / needed))
    }

    /// That radius beside its asymptote, and the printed one beside that.
    fn radii(&self, case: &Noisy, decade: i32) -> Result<[Row; 2]> {
        let (law, n) = (&case.law, 10.0_f64.powi(decade));
        let (half, needed) = (0.5 * law.mean().len() as f64, self.needed(law, n)?);
        let omega = -(LEVEL * gamma(half)).ln();
        let x = n.ln() + (half - 1.0) * n.ln().ln() + omega;
        let asymptote = Measured::exact(offset(law) + (2.0 * largest_variance(law) * x).sqrt());
        let (name, printed) = (format!("{}, N = 10^{decade}", case.name), Measured::exact((self.printed)(n)));
        let rows = [
            Row::equal(&name, "radius of 1 % loss, against its asymptote", needed, asymptote)
                .at("1 % loss", n),
            Row::at_least(&name, "R_N = 1.05√log N against the radius of 1 % loss", printed, needed)
                .at("as printed", n),
        ];
        Ok(rows.map(|row| row.as_role(Role::Context)))
    }

    /// The radius at which the display would bring the loss down to one in a hundred.
    fn display(&self, case: &Noisy, decade: i32) -> Result<Row> {
        let (law, variance, n) = (&case.law, largest_variance(&case.law), 10.0_f64.powi(decade));
        let d = law.mean().len() as f64;
        let losses = |radius: f64| Ok(n * (d * radius.ln_1p() - radius * radius / (8.0 * variance)).exp());
        let asked = Measured::exact(root(losses, LEVEL, 100.0 * (variance * n.ln()).sqrt())?);
        let name = format!("{}, N = 10^{decade}", case.name);
        let quantity = "radius that the display asks for, against that of 1 % loss";
        Ok(Row::at_least(&name, quantity, asked, self.needed(law, n)?).as_role(Role::Context))
    }
}
