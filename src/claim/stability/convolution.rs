//! Bounds of the smoothed Gaussian reference: how much of a Gaussian tail does the kernel leave?
//!
//! # Formula
//! ```text
//! D_{g_t}(x) ≥ c e^{−α r_t(x)²/2},      |H_{g_t}(x)|/D_{g_t}(x) ≤ C(1 + r_t(x)),
//! α = βλ₊/(1 + βλ₊),    c = Π_i (2π(λ_i(0) + 1/β))^{−1/2},    C = √β/2.
//! ```
//! The paper asserts that such constants exist. These are ours: `α` and `c` are the best there are, with equality at `t = 0` along the widest
//! axis; `C = max_λ √λ/(λ + 1/β)`, attained where an eigenvalue passes `1/β`. None depends on the horizon. The gap
//! `1 − α = 1/(1 + βλ₊)` closes as `β` grows, and all that is built on it pays `e^{1/(1−α)}`.
//!
//! `D` and `H` come from kernel sums over quadrature nodes of `g_t`, axis by axis; two resolutions give the bars, with what rounding does to the
//! exponents of the sums.
//!
//! # Paper
//! `lem:reference-gaussian-convolution-bounds`

use nalgebra::DVector;

use super::reference::{Reference, cloud_of, nodes, reach};
use crate::claim::gaussian::ClosedForm;
use crate::claim::{Axes, Card, Claim, Headline, Row, VerdictKind};
use crate::drift::{Dense, Drift, DriftField, Targets};
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::measured::Measured;
use crate::preset::Preset;

/// Kernel widths per panel of sixteen nodes: of the answer, and of the sum that judges it.
const PANELS: [f64; 2] = [2.0, 4.0];
/// Values of `r_t` at which the bounds are tried, along every axis and the diagonal.
const RADII: [f64; 6] = [0.0, 0.5, 1.0, 2.0, 4.0, 6.0];
/// Shares of the denoising horizon.
const SHARES: [f64; 3] = [0.0, 0.5, 1.0];

static CARD: Card = Card {
    id: "convolution-bounds",
    label: "lem:reference-gaussian-convolution-bounds",
    statement: "There are c > 0, C and α < 1, depending on β, T, Γ0 and d only, with G_β*g_t ≥ c exp(−α r_t²/2) and |∇(G_β*g_t)| ≤ C(1 + r_t) G_β*g_t for all t ≤ T.",
    gist: "The smoothed Gaussian has a tail c·exp(−α r²/2) with some α < 1.",
    ours: "the constants α = βλ₊/(1 + βλ₊), c = Π(2π(λ_i(0) + 1/β))^{−1/2} and C = √β/2, of which the first two are the best possible and none depends on T",
    regime: "d = 1, 2, 3, regular and singular priors, βλ₊ from 1.5 to 1500, r_t up to 6, up to the denoising horizon",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "Σ0 = (1), τ = 0.5, β = 100: 1 − α from the tail at r = 6, t = 0, against 1/(1 + βλ₊)",
        says: "1 − α at βλ₊ = 150",
    },
    plot: Some(Axes { x: "βλ₊", y: "1 − α", log_x: true, log_y: true }),
};

/// The bounds; covariance, constants and kernel sums can be exchanged.
pub struct ConvolutionBounds {
    /// Eigenvalues of `Γ_t`.
    pub closed_form: ClosedForm,
    /// `α`, from `β` and the eigenvalues of `Γ0`.
    pub exponent: fn(f64, &DVector<f64>) -> f64,
    /// `log c`, from the same.
    pub log_floor: fn(f64, &DVector<f64>) -> f64,
    /// `C`, from `β`.
    pub growth: fn(f64) -> f64,
    /// The kernel sums.
    pub drift: &'static dyn Drift,
}

impl Default for ConvolutionBounds {
    fn default() -> Self {
        Self {
            closed_form: CovarianceFlow::eigenvalues_at,
            exponent: |beta, start| beta * start.max() / (1.0 + beta * start.max()),
            log_floor: |beta, start| {
                -0.5 * start.map(|l| (std::f64::consts::TAU * (l + 1.0 / beta)).ln()).sum()
            },
            growth: |beta| 0.5 * beta.sqrt(),
            drift: &Dense,
        }
    }
}

const QUICK: &[Reference] = &[
    Reference { prior: &[1.0], beta: 1.0 },
    Reference { prior: &[1.0], beta: 100.0 },
    Reference { prior: &[1.0, 0.0], beta: 20.0 },
    Reference { prior: &[1.0, 0.5, 0.0], beta: 1000.0 },
];

const FULL: &[Reference] = &[
    Reference { prior: &[1.0], beta: 0.1 },
    Reference { prior: &[1.0], beta: 10.0 },
    Reference { prior: &[0.0], beta: 100.0 },
    Reference { prior: &[25.0, 0.0], beta: 100.0 },
];

impl Claim for ConvolutionBounds {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let more = if preset == Preset::Full { FULL } else { &[] };
        let mut rows = Vec::new();
        for reference in QUICK.iter().chain(more) {
            rows.push(self.gap(reference)?);
            for share in SHARES {
                rows.extend(self.bounds(reference, share)?);
            }
        }
        Ok(rows)
    }
}

/// What a kernel sum says on one axis at one value of `r`.
#[derive(Debug, Clone, Copy)]
struct Along {
    /// `log D`, a factor of which belongs to the axis.
    log_density: Measured,
    /// `H/D`.
    score: Measured,
}

impl ConvolutionBounds {
    /// `log D` and `H/D` of `N(0, λ)` at so many standard deviations.
    fn along(&self, beta: f64, variance: f64, radius: f64) -> Result<Along> {
        let (x, far) = (radius * variance.sqrt(), reach(beta, variance));
        let kernel = crate::scale::Beta::new(beta)?;
        let sum = |widths: f64| -> Result<DriftField> {
            let (cloud, mut field) =
                (cloud_of(&nodes(beta, variance, [-far, far], widths))?, DriftField::default());
            self.drift.evaluate(cloud.view(), Targets::Points(&[x]), kernel, &mut field)?;
            Ok(field)
        };
        let (fine, coarse) = (sum(PANELS[0])?, sum(PANELS[1])?);
        let normal = 0.5 * (beta / std::f64::consts::TAU).ln();
        // Terms that matter lie within some widths of the barycentre; their exponents are rounded relatively.
        let exponent = 0.5 * beta * (x - x * beta * variance / (1.0 + beta * variance)).powi(2) + 50.0;
        let rounding = f64::EPSILON * (8.0 * exponent + 16.0 * far * (beta + 1.0 / variance).sqrt());
        Ok(Along {
            log_density: Measured::of_two(fine.log_mass[0] + normal, coarse.log_mass[0] + normal)
                .widened(rounding),
            score: beta
                * Measured::of_two(fine.velocity[0], coarse.velocity[0])
                    .widened(fine.rounding[0] + fine.truncation[0]),
        })
    }

    /// Both inequalities at one time.
    fn bounds(&self, reference: &Reference, share: f64) -> Result<[Row; 2]> {
        let (flow, beta) = (reference.flow()?, reference.beta);
        let (start, now) = (flow.initial_eigenvalues(), (self.closed_form)(&flow, reference.time(share)?));
        let (alpha, log_floor) = ((self.exponent)(beta, &start), (self.log_floor)(beta, &start));
        let (mut least, mut largest) = (Measured::exact(f64::INFINITY), Measured::exact(0.0));
        for direction in directions(now.len()) {
            for radius in RADII {
                let axes = direction.iter().zip(&now);
                let axes: Vec<Along> =
                    axes.map(|(u, &l)| self.along(beta, l, radius * u)).collect::<Result<_>>()?;
                let log_density: Measured = axes.iter().map(|axis| axis.log_density).sum();
                let above = log_density - log_floor + Measured::exact(0.5 * alpha * radius * radius);
                let score = axes.iter().map(|axis| axis.score * axis.score).sum::<Measured>();
                let length = score.value.sqrt();
                let growth =
                    score.through(length, 0.5 / length.max(f64::MIN_POSITIVE.sqrt())) / (1.0 + radius);
                least = -(-least).larger(-above);
                largest = if radius == 0.0 { largest } else { largest.larger(growth) };
            }
        }
        let case = format!("{}, t = {share} T_β", reference.name());
        let floor = "least log(D/c) + α r²/2";
        let growth = "largest |H|/D(1 + r), against C";
        Ok([
            Row::at_least(&case, floor, least, Measured::exact(0.0)).on_scale(1.0),
            Row::at_most(&case, growth, largest, Measured::exact((self.growth)(beta))),
        ])
    }

    /// How far the exponent of the tail is from that of the law itself.
    fn gap(&self, reference: &Reference) -> Result<Row> {
        let (start, beta) = (reference.flow()?.initial_eigenvalues(), reference.beta);
        let widest = start.max();
        let (centre, far) = (self.along(beta, widest, 0.0)?, self.along(beta, widest, RADII[5])?);
        let gap = 1.0 + (far.log_density - centre.log_density) * (2.0 / RADII[5].powi(2));
        let quantity = "1 − α from the tail at r = 6, t = 0, against 1/(1 + βλ₊)";
        let predicted = Measured::known_to(1.0 - (self.exponent)(beta, &start), 4.0 * f64::EPSILON);
        Ok(Row::equal(&reference.name(), quantity, gap, predicted).at("1 − α", beta * widest))
    }
}

/// The axes, and the diagonal.
fn directions(d: usize) -> Vec<Vec<f64>> {
    let axis = |k: usize| (0..d).map(|i| f64::from(u8::from(i == k))).collect();
    (0..d).map(axis).chain([vec![(d as f64).sqrt().recip(); d]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath 1.4.1 at 30 digits: `log ∫G_β(x − y)N(y; 0, λ)dy` by `quad`, and its derivative by `diff`, at `x = r√λ`.
    const REFERENCE: [[f64; 5]; 3] = [
        [1.0, 1.5, 2.0, -2.577_083_899_141_750_4, -0.979_795_897_113_271_2],
        [100.0, 1.5, 6.0, -19.005_788_060_604_843, -4.866_535_912_814_261],
        [20.0, 0.5, 4.0, -7.892_747_305_554_135, -5.142_594_772_265_800_5],
    ];

    #[test]
    fn kernel_sums_smooth_the_gaussian() {
        for [beta, variance, radius, log_density, score] in REFERENCE {
            let found = ConvolutionBounds::default().along(beta, variance, radius).unwrap();
            let (density, slope) = (found.log_density, found.score);
            assert!((density.value - log_density).abs() <= density.numerical, "{density:?} {log_density}");
            assert!((slope.value - score).abs() <= slope.numerical, "{slope:?} {score}");
        }
    }
}
