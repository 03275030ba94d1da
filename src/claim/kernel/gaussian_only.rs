//! Only the Gaussian kernel turns a score into a barycentre.
//!
//! # Formula
//! For a kernel `K_β(u) = k(√β u)` and a law `f`, with `b(y) = E[X | X + e = y] − y` (`e ~ K_β`) and
//! `g(y) = ∇log(K_β * f)(y)`, the identity is `b = C g` with one positive definite `C` for all `f` and `y`. Measured is
//! the least residual over *all* matrices,
//! ```text
//! r = min_C (Σ_y |b(y) − C g(y)|² / Σ_y |b(y)|²)^{1/2},
//! ```
//! a linear least-squares problem; a positive definite `C` cannot do better. A score off by `e` moves `r` by at most
//! `‖C‖e√n` over the size of `b`, and where `r = 0` it moves `C` by at most `‖C‖e√n` over the least singular value of
//! the scores.
//!
//! For a Gaussian kernel of covariance `Σ/β`, `C = Σ/β`. Conversely one atom suffices: there `b = −u` and
//! `g = ∇log K(u)`, so that `C∇log K(u) = −u`, hence
//! `K` is Gaussian of covariance `C`.
//!
//! # Paper
//! `ass:p1` (A.I), `ass:p2` (A.II)

use nalgebra::DMatrix;

use super::{log_sum_exp, normal_points};
use crate::claim::derivative::gradient;
use crate::claim::nodes::cloud_of;
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::error::{Error, Result};
use crate::law::Law;
use crate::measured::Measured;
use crate::preset::Preset;

const SEED: u64 = 1204;
/// Inverse squared width of the kernels, beside clouds of width one.
const BETA: f64 = 4.0;
/// Ridders' first step in units of `β^{−1/2}`.
const STEP: f64 = 0.5;
/// The least residual that is told from zero, relative to the drift. No tolerance, but a resolution: residuals are
/// known to about `10⁻¹²`, a thousandth of it, and one that were not known to a tenth of it would count as blurred.
/// Student's kernel of ten thousand degrees of freedom misses by a million times as much.
const RESOLUTION: f64 = 1e-9;
/// Panels between two kinks of a prior's density.
const PANELS: usize = 6;

static CARD: Card = Card {
    id: "gaussian-kernel-only",
    label: "ass:p1, ass:p2",
    statement: "If E[X|X + e = y] − y = C∇log(K*f)(y) holds with one positive definite C for every prior f, or for every empirical measure, then K is Gaussian with covariance C; and then it does hold.",
    gist: "Scores are barycentres for the Gaussian kernel and for no other.",
    ours: "",
    regime: "isotropic and anisotropic Gaussian kernels against three other smooth ones, best C fitted; clouds in d = 2, priors on the line",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "(A.I), priors in d = 1, Student, ν = 3: least residual over all C, distinguished from 0",
        says: "share that Student's kernel, ν = 3, misses by",
    },
    plot: Some(Axes {
        x: "degrees of freedom ν of Student's kernel",
        y: "least residual, relative to the drift",
        log_x: true,
        log_y: true,
    }),
};

/// `ln k(u)` of an offset in units of `β^{−1/2}`.
type LogKernel = dyn Fn(&[f64]) -> f64 + Send + Sync;

/// A smooth positive kernel, up to its normalisation.
pub struct Kernel {
    name: String,
    log: Box<LogKernel>,
}

impl Kernel {
    /// A kernel of the squared length of the offset.
    pub fn radial(name: &str, log: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        let of_offset = move |u: &[f64]| log(u.iter().map(|u| u * u).sum());
        Self { name: name.to_owned(), log: Box::new(of_offset) }
    }

    /// Student's kernel `(1 + |u|²/ν)^{−(ν+d)/2}`, which is Gaussian in the limit `ν = ∞`.
    pub fn student(freedom: f64) -> Self {
        let log = move |u: &[f64]| {
            let square: f64 = u.iter().map(|u| u * u).sum();
            -0.5 * (freedom + u.len() as f64) * (square / freedom).ln_1p()
        };
        Self { name: format!("Student, ν = {freedom}"), log: Box::new(log) }
    }

    /// `N(0, diag(v))`.
    fn anisotropic(variances: [f64; 2]) -> Self {
        let log = move |u: &[f64]| -0.5 * u.iter().zip(variances).map(|(u, v)| u * u / v).sum::<f64>();
        Self { name: format!("Gaussian, Σ = diag({}, {})", variances[0], variances[1]), log: Box::new(log) }
    }
}

/// The claim; the Gaussian and the others can be exchanged.
pub struct GaussianKernelOnly {
    /// The kernel that should satisfy the identity with `C = I/β`.
    pub gaussian: Kernel,
    /// Kernels that should not satisfy it with any `C`.
    pub others: Vec<Kernel>,
}

impl Default for GaussianKernelOnly {
    fn default() -> Self {
        let others = vec![
            Kernel::radial("exp(−√(1+|u|²))", |square| -(1.0 + square).sqrt()),
            Kernel::student(3.0),
            Kernel::radial("sech²(|u|/2)", |square| -2.0 * (0.5 * square.sqrt()).cosh().ln()),
        ];
        Self { gaussian: Kernel::radial("Gaussian", |square| -0.5 * square), others }
    }
}

/// Scores and drifts at many places, one row each, and how far off a score may be.
struct Samples {
    scores: DMatrix<f64>,
    drifts: DMatrix<f64>,
    error: f64,
}

/// The best matrix and what it leaves.
struct Fit {
    matrix: DMatrix<f64>,
    matrix_error: f64,
    residual: Measured,
}

impl Claim for GaussianKernelOnly {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let (places, freedoms): (usize, &[f64]) = match preset {
            Preset::Quick => (24, &[1.0, 10.0, 100.0, 1e3, 1e4]),
            Preset::Full => (100, &[1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4]),
        };
        let mut rows = Vec::new();
        for (setting, clouds) in
            [("(A.II), clouds in d = 2", clouds()?), ("(A.I), priors in d = 1", priors()?)]
        {
            let d = clouds[0].dimension();
            let queries = normal_points(places, d, 1.2, SEED + 10)?;
            let fit = fit(&self.gaussian, &clouds, &queries)?;
            rows.extend(recovered(setting, &self.gaussian.name, &fit, DMatrix::identity(d, d) / BETA));
            for other in &self.others {
                rows.push(distinct(setting, other, &clouds, &queries)?);
            }
            if d == 2 {
                let (kernel, variances) = (Kernel::anisotropic([2.0, 0.5]), [2.0 / BETA, 0.5 / BETA]);
                let covariance = DMatrix::from_diagonal(&variances.to_vec().into());
                rows.extend(recovered(
                    setting,
                    &kernel.name,
                    &self::fit(&kernel, &clouds, &queries)?,
                    covariance,
                ));
                rows.extend(students(setting, freedoms, &clouds, &queries)?);
            }
        }
        Ok(rows)
    }
}

/// Empirical measures of equal weights: one atom, a few, many.
fn clouds() -> Result<Vec<Cloud>> {
    [1, 5, 20].iter().zip(SEED..).map(|(&n, seed)| normal_points(n, 2, 1.0, seed)).collect()
}

/// Priors with densities, as clouds of quadrature nodes.
fn priors() -> Result<Vec<Cloud>> {
    let mixture = Law::parse("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.4 }")?;
    let uniform = Law::parse("{ kind = 'uniform', low = -1, high = 1.5 }")?;
    let laplace = Law::parse("{ kind = 'laplace', mean = 0, scale = 0.5 }")?;
    Ok(vec![
        cloud_of(&mixture, &[-4.5, 4.5], 2 * PANELS)?,
        cloud_of(&uniform, &[-1.0, 1.5], PANELS)?,
        cloud_of(&laplace, &[-18.0, -6.0, -2.0, 0.0, 2.0, 6.0, 18.0], PANELS)?,
    ])
}

/// `ln ω_j k(√β(y − z_j))` for every source.
fn exponents(kernel: &Kernel, cloud: &Cloud, y: &[f64]) -> Vec<f64> {
    let of_source = |(j, z): (usize, &[f64])| {
        let offset: Vec<f64> = y.iter().zip(z).map(|(y, z)| BETA.sqrt() * (y - z)).collect();
        cloud.weight(j).ln() + (kernel.log)(&offset)
    };
    cloud.rows().enumerate().map(of_source).collect()
}

/// `E[X | X + e = y] − y`.
fn drift(kernel: &Kernel, cloud: &Cloud, y: &[f64]) -> Vec<f64> {
    let exponents = exponents(kernel, cloud, y);
    let total = log_sum_exp(&exponents);
    let mut drift = vec![0.0; y.len()];
    for (exponent, z) in exponents.iter().zip(cloud.rows()) {
        let share = (exponent - total).exp();
        drift.iter_mut().zip(z.iter().zip(y)).for_each(|(b, (z, y))| *b += share * (z - y));
    }
    drift
}

fn samples(kernel: &Kernel, clouds: &[Cloud], queries: &Cloud) -> Result<Samples> {
    let (mut scores, mut drifts, mut error) = (Vec::new(), Vec::new(), 0.0_f64);
    for cloud in clouds {
        for y in queries.rows() {
            let log_mass = |y: &[f64]| Ok(log_sum_exp(&exponents(kernel, cloud, y)));
            let score = gradient(log_mass, y, STEP / BETA.sqrt())?;
            scores.extend(score.value);
            drifts.extend(drift(kernel, cloud, y));
            error = error.max(score.error);
        }
    }
    let d = queries.dimension();
    let matrix = |rows: Vec<f64>| DMatrix::from_row_iterator(rows.len() / d, d, rows);
    Ok(Samples { scores: matrix(scores), drifts: matrix(drifts), error })
}

fn fit(kernel: &Kernel, clouds: &[Cloud], queries: &Cloud) -> Result<Fit> {
    let Samples { scores, drifts, error } = samples(kernel, clouds, queries)?;
    let factors = scores.clone().svd(true, true);
    let transposed =
        factors.solve(&drifts, 0.0).map_err(|problem| Error::Fit { problem: problem.to_owned() })?;
    let (size, left) = (drifts.norm(), (&drifts - &scores * &transposed).norm());
    // Scores are n rows, each component off by the error at most; drifts are rounded.
    let off = transposed.norm() * error * (scores.len() as f64).sqrt() + 64.0 * f64::EPSILON * size;
    Ok(Fit {
        matrix_error: off / factors.singular_values.min(),
        matrix: transposed.transpose(),
        residual: Measured::known_to(left / size, off / size),
    })
}

/// The identity holds, with the covariance as its matrix.
fn recovered(setting: &str, name: &str, fit: &Fit, covariance: DMatrix<f64>) -> [Row; 2] {
    let case = format!("{setting}, {name}");
    let off = Measured::known_to((&fit.matrix - &covariance).amax(), fit.matrix_error);
    [
        Row::equal(&case, "least residual over all C", fit.residual, Measured::exact(0.0)).on_scale(1.0),
        Row::equal(&case, "C − covariance", off, Measured::exact(0.0)).on_scale(covariance.amax()),
    ]
}

/// The identity fails, whatever the matrix.
fn distinct(setting: &str, kernel: &Kernel, clouds: &[Cloud], queries: &Cloud) -> Result<Row> {
    let case = format!("{setting}, {}", kernel.name);
    let residual = fit(kernel, clouds, queries)?.residual;
    Ok(Row::at_least(
        &case,
        "least residual over all C, distinguished from 0",
        residual,
        Measured::exact(RESOLUTION),
    ))
}

/// How the residual of Student's kernel dies out as it becomes Gaussian: like `1/ν`, the next term of its logarithm.
fn students(setting: &str, freedoms: &[f64], clouds: &[Cloud], queries: &Cloud) -> Result<Vec<Row>> {
    let residuals: Result<Vec<Measured>> = freedoms
        .iter()
        .map(|&freedom| Ok(fit(&Kernel::student(freedom), clouds, queries)?.residual))
        .collect();
    let (residuals, mut rows) = (residuals?, Vec::new());
    let (Some(last), Some(largest)) = (residuals.last(), freedoms.last()) else { return Ok(rows) };
    for (&freedom, residual) in freedoms.iter().zip(&residuals) {
        let asymptote = *last * (largest / freedom);
        let case = format!("{setting}, Student, ν = {freedom}");
        let row = Row::equal(&case, "least residual, against its asymptote", *residual, asymptote);
        rows.push(row.as_role(Role::Context).at("Student's kernel", freedom));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One atom on the line: with drifts `b = −y` and scores `g = −βy/√(1 + βy²)` the least residual is the sine of their angle.
    #[test]
    fn the_least_residual_is_an_angle() {
        let kernel = Kernel::radial("", |square| -(1.0 + square).sqrt());
        let (atom, places) = (Cloud::new(vec![0.0], 1).unwrap(), [0.5, 2.0]);
        let fit = fit(&kernel, &[atom], &Cloud::new(places.to_vec(), 1).unwrap()).unwrap();
        let [g, h] = places.map(|y| BETA * y / (1.0 + BETA * y * y).sqrt());
        let [a, b] = places;
        let sine = (a * h - b * g).abs() / (a.hypot(b) * g.hypot(h));
        assert!(
            (fit.residual.value - sine).abs() <= fit.residual.numerical,
            "{:?}, not {sine}",
            fit.residual
        );
        let matrix = (a * g + b * h) / (g * g + h * h);
        assert!((fit.matrix[(0, 0)] - matrix).abs() < 1e-10);
    }
}
