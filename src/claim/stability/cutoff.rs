//! The radius at which proofs cut, and what Gaussian tails cost there: with which constants?
//!
//! # Formula
//! With `κ = (1 + α)/α` and `A = √(κ log(C0/δ))` the two estimates are, in logarithms,
//! ```text
//! first:   q log(1 + A) + log δ + α(A + 1)²/2            ≤ log C
//! second:  q log(1 + A) − (A − 1)²/2 − log δ             ≤ log C
//! ```
//! As functions of `A` both are `q log(1 + A) + pA − bA²/2 + const` with
//! ```text
//! first:   p = α,  b = α(1 − α)/(1 + α),      second:  p = 1,  b = (1 − α)/(1 + α),
//! ```
//! hence largest at the root `A* = (p − b + √((p − b)² + 4b(p + q)))/2b` of `b(A + 1)A = p(A + 1) + q`. For `q = 0` this gives `log C = α/(1 − α) ± log C0`, and with the `α` of the
//! smoothed Gaussian `α/(1 − α) = βλ₊`: the lemma holds for all `δ < 1`, with the constant `e^{βλ₊}`, which is attained at
//! `δ = C0 e^{−A*²/κ}`, about `e^{−2(βλ₊)²}`. For `βλ₊` beyond some twenty this is below any `δ` that a double can hold, and down to there the left side of the first
//! estimate still *rises* as `δ` falls. Any `κ` with `2 < κ < 2/α` would do.
//!
//! # Paper
//! `lem:elementary-log-cutoff-estimates`, `lem:gaussian-radial-tail-transfer`

use super::tails;
use crate::claim::{Card, Claim, Headline, Role, Row, VerdictKind};
use crate::error::Result;
use crate::measured::Measured;
use crate::numeric::largest;
use crate::preset::Preset;

/// `log(1/δ)` of the smallest double, about.
const DOUBLES: f64 = 690.0;
/// How far the scan goes beyond: `log(1/δ)` up to this.
const FAR: f64 = 1e9;
/// Places of the scan per factor ten of `log(1/δ)`.
const PER_DECADE: usize = 400;

static CARD: Card = Card {
    id: "cutoff-and-tails",
    label: "lem:elementary-log-cutoff-estimates, lem:gaussian-radial-tail-transfer",
    statement: "With A = √(κ log(C0/δ)), κ = (1+α)/α, both (1+A)^q δ exp(α(A+1)²/2) and (1+A)^q exp(−(A−1)²/2)/δ stay bounded as δ → 0; and ∫_{r>a}(1+r)dμ ≤ C(1+a)δ + C(1+a)^q exp(−(a−1)²/2) with δ = W1(μ, g_t).",
    gist: "Cutting at √(κ log(C0/δ)) costs a constant, and W1 moves tails.",
    ours: "the constants: e^{α/(1−α)}, which is e^{βλ₊}, times a power of C0 for q = 0; C = max(1.5 Lip r_t, 2.17) and q = d − 1 for the tails in d ≤ 3. All δ < 1 are covered, and the second moment of μ plays no part",
    regime: "α from 0.1 to 0.9993, q = 0, 2, 5, C0 = e, 100, δ from 1 to 10⁻³⁰⁰ and on to exp(−10⁹); tails in d = 1, 2, 3, a from 1 to 8, shells moved outwards, far mass, shifted and dilated Gaussians",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "α = 0.9934, q = 0, C0 = e: first estimate, largest log for δ > 10⁻³⁰⁰, against log C",
        says: "βλ₊ = 150: log of the bound to 10⁻³⁰⁰; log C",
    },
    plot: None,
};

/// The two lemmas; the cut and the constants can be exchanged.
pub struct CutoffAndTails {
    /// `κ`, from `α`.
    pub kappa: fn(f64) -> f64,
    /// The factor of `δ` in the transfer of tails, over the Lipschitz constant of `r_t`.
    pub transfer: f64,
    /// The factor of the Gaussian tail there.
    pub tail: f64,
    /// `q` there, from the dimension.
    pub degree: fn(usize) -> i32,
}

impl Default for CutoffAndTails {
    fn default() -> Self {
        Self { kappa: |alpha| (1.0 + alpha) / alpha, transfer: 1.5, tail: 2.17, degree: |d| d as i32 - 1 }
    }
}

/// `α`, `q` and `C0`.
#[derive(Debug, Clone, Copy)]
struct Cut {
    alpha: f64,
    power: f64,
    start: f64,
}

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Estimate {
    First,
    Second,
}

impl Estimate {
    fn name(self) -> &'static str {
        match self {
            Self::First => "first estimate",
            Self::Second => "second estimate",
        }
    }
}

const E: f64 = std::f64::consts::E;

const QUICK: &[Cut] = &[
    Cut { alpha: 0.1, power: 0.0, start: E },
    Cut { alpha: 0.6, power: 2.0, start: E },
    Cut { alpha: 0.9, power: 5.0, start: 100.0 },
    Cut { alpha: 30.0 / 31.0, power: 2.0, start: E },
    Cut { alpha: 150.0 / 151.0, power: 0.0, start: E },
];

const FULL: &[Cut] = &[
    Cut { alpha: 0.5, power: 0.0, start: E },
    Cut { alpha: 0.99, power: 5.0, start: 100.0 },
    Cut { alpha: 1500.0 / 1501.0, power: 2.0, start: E },
];

impl Claim for CutoffAndTails {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let more = if preset == Preset::Full { FULL } else { &[] };
        let mut rows = Vec::new();
        for cut in QUICK.iter().chain(more) {
            for estimate in [Estimate::First, Estimate::Second] {
                rows.extend(self.bounded(*cut, estimate));
            }
        }
        for d in [1, 2, 3] {
            rows.extend(tails::rows(self, d, preset)?);
        }
        Ok(rows)
    }
}

impl CutoffAndTails {
    /// The logarithm of a left side over its right side without `C`, at `x = log(1/δ)`.
    fn log_left(&self, cut: Cut, estimate: Estimate, x: f64) -> Measured {
        let a = ((self.kappa)(cut.alpha) * (cut.start.ln() + x)).sqrt();
        let terms = match estimate {
            Estimate::First => [cut.power * a.ln_1p(), -x, 0.5 * cut.alpha * (a + 1.0).powi(2)],
            Estimate::Second => [cut.power * a.ln_1p(), x, -0.5 * (a - 1.0).powi(2)],
        };
        let size: f64 = terms.iter().map(|term| term.abs()).sum();
        Measured::known_to(terms.iter().sum(), 8.0 * f64::EPSILON * size)
    }

    /// The largest over a range of `log(1/δ)`, from zero on within the doubles.
    fn largest(&self, cut: Cut, estimate: Estimate, from: f64, to: f64) -> Measured {
        let steps = ((to / from).log10() * PER_DECADE as f64).ceil() as usize;
        let place = |i: usize| from * (to / from).powf(i as f64 / steps as f64);
        let first = if to <= DOUBLES { 0.0 } else { from };
        let places = (0..=steps).map(place).chain([first]);
        let found = places.map(|x| self.log_left(cut, estimate, x));
        Measured::largest(found)
    }

    /// One estimate: to the end of the doubles, on to next to nothing, and where it is largest.
    fn bounded(&self, cut: Cut, estimate: Estimate) -> Vec<Row> {
        let Cut { alpha, power, start } = cut;
        let start = if start == E { "e".to_owned() } else { start.to_string() };
        let case = format!("α = {}, q = {power}, C0 = {start}", (alpha * 1e4).round() / 1e4);
        let (name, log_c) = (estimate.name(), log_constant(cut, estimate));
        let bound = Measured::known_to(log_c, 8.0 * f64::EPSILON * size_at_top(cut, estimate));
        let near = self.largest(cut, estimate, 1e-6, DOUBLES);
        let far = self.largest(cut, estimate, DOUBLES, FAR);
        let scale = 1.0 + log_c.abs();
        let mut rows = vec![
            Row::at_most(&case, &format!("{name}, largest log for δ > 10⁻³⁰⁰, against log C"), near, bound),
            Row::at_most(
                &case,
                &format!("{name}, largest log on to δ = exp(−10⁹), against log C"),
                far,
                bound,
            ),
        ];
        // The scan is half a step from the top, where the curvature in log(1/δ) is −(b + q/(1+A)²)κ²/4A².
        let (top, a) = (place_of_top(cut, estimate), top(cut, estimate));
        let step = 10_f64.ln() * top / PER_DECADE as f64;
        let curvature = (slope_and_curvature(alpha, estimate)[1] + power / (1.0 + a).powi(2))
            * ((1.0 + alpha) / (2.0 * alpha * a)).powi(2);
        let missed = 0.25 * curvature * step * step;
        let found =
            Measured { value: largest([near.value, far.value]), ..far }.widened(missed + near.numerical);
        let attained = format!("{name}, largest log of all, against log C");
        rows.push(Row::equal(&case, &attained, found, bound));
        let far_end = self.log_left(cut, estimate, FAR);
        let falls = format!("{name}, log at δ = exp(−10⁹), against that at exp(−10⁸)");
        rows.push(Row::at_most(&case, &falls, far_end, self.log_left(cut, estimate, 0.1 * FAR)));
        let where_ = format!("{name}, log(1/δ) where it is largest, against that of the doubles");
        rows.push(
            Row::equal(&case, &where_, Measured::exact(top), Measured::exact(DOUBLES)).as_role(Role::Context),
        );
        if estimate == Estimate::First {
            for x in [1.0, 10.0, 100.0, 690.0, 1e4, 1e5] {
                let value = self.log_left(cut, estimate, x);
                let quantity = format!("{name}, log at log(1/δ) = {x}");
                let row = Row::at_most(&case, &quantity, value, bound).as_role(Role::Context);
                rows.push(row.at(&case, x));
            }
        }
        rows.into_iter().map(|row| Row { scale: row.scale.max(scale), ..row }).collect()
    }
}

/// `p` and `b` of an estimate.
fn slope_and_curvature(alpha: f64, estimate: Estimate) -> [f64; 2] {
    let gap = (1.0 - alpha) / (1.0 + alpha);
    match estimate {
        Estimate::First => [alpha, alpha * gap],
        Estimate::Second => [1.0, gap],
    }
}

/// `A*`, or the least `A` there is, that at `δ = 1`.
fn top(cut: Cut, estimate: Estimate) -> f64 {
    let [p, b] = slope_and_curvature(cut.alpha, estimate);
    let root = ((p - b) + ((p - b).powi(2) + 4.0 * b * (p + cut.power)).sqrt()) / (2.0 * b);
    root.max(((1.0 + cut.alpha) / cut.alpha * cut.start.ln()).sqrt())
}

/// `log(1/δ)` at `A*`.
fn place_of_top(cut: Cut, estimate: Estimate) -> f64 {
    top(cut, estimate).powi(2) * cut.alpha / (1.0 + cut.alpha) - cut.start.ln()
}

/// `log C`: the estimate at `A*`.
fn log_constant(cut: Cut, estimate: Estimate) -> f64 {
    let ([p, b], a) = (slope_and_curvature(cut.alpha, estimate), top(cut, estimate));
    let constant = match estimate {
        Estimate::First => cut.start.ln() + 0.5 * cut.alpha,
        Estimate::Second => -cut.start.ln() - 0.5,
    };
    cut.power * a.ln_1p() + p * a - 0.5 * b * a * a + constant
}

/// The size of the terms that make up an estimate at its top.
fn size_at_top(cut: Cut, estimate: Estimate) -> f64 {
    (1.0 + top(cut, estimate)).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath 1.4.1 at 50 digits: the largest value over `δ ∈ (0, 1)` of both estimates, by `findroot` of the derivative in `log δ`.
    const REFERENCE: [(f64, f64, f64, f64, f64); 3] = [
        (0.6, 2.0, E, 6.092_354_238_122_87, 3.969_943_846_066_352_8),
        (0.9, 5.0, 100.0, 29.119_669_525_398_937, 19.864_085_547_413_8),
        (150.0 / 151.0, 0.0, E, 151.0, 149.0),
    ];

    #[test]
    fn constants_are_the_largest_values() {
        for (alpha, power, start, first, second) in REFERENCE {
            let cut = Cut { alpha, power, start };
            for (estimate, expected) in [(Estimate::First, first), (Estimate::Second, second)] {
                let found = log_constant(cut, estimate);
                assert!((found - expected).abs() < 1e-13 * size_at_top(cut, estimate), "{found} {expected}");
            }
        }
    }

    #[test]
    fn without_a_power_the_constant_is_closed() {
        for beta_lambda in [0.5, 20.0, 150.0] {
            let cut = Cut { alpha: beta_lambda / (1.0 + beta_lambda), power: 0.0, start: E };
            assert!(
                (log_constant(cut, Estimate::First) - beta_lambda - 1.0).abs()
                    < 1e-12 * beta_lambda.powi(2) + 1e-14
            );
            let second =
                if beta_lambda > 1.0 { beta_lambda - 1.0 } else { log_constant(cut, Estimate::Second) };
            assert!((log_constant(cut, Estimate::Second) - second).abs() < 1e-12 * beta_lambda.powi(2));
        }
    }
}
