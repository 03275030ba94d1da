//! Drifts that are not the kernel sum, or are but by another way.

use ebflow::drift::Dense;
use ebflow::{Beta, CloudView, Drift, DriftField, Result, Targets};

/// The kernel `e^{−β|x|²}` instead of `e^{−β|x|²/2}`.
pub struct NarrowKernel;

impl Drift for NarrowKernel {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, Beta::new(2.0 * beta.get())?, field)
    }
}

/// The self-drift without the particle's own term: barycentres of all others, where there are any near enough to matter.
pub struct WithoutSelf;

impl Drift for WithoutSelf {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, beta, field)?;
        if matches!(targets, Targets::Sources) {
            let weight = |i: usize| sources.weights.map_or(1.0 / sources.len() as f64, |weights| weights[i]);
            for (i, velocity) in field.velocity.chunks_exact_mut(sources.dimension).enumerate() {
                // v = Σ_j ω_j w_j Δ_j / D, and the own term only adds ω_i to D.
                let mass = field.log_mass[i].exp();
                if mass > weight(i) {
                    velocity.iter_mut().for_each(|v| *v *= mass / (mass - weight(i)));
                }
            }
        }
        Ok(())
    }
}

/// A drift made from the right one.
pub struct Altered(fn(CloudView<'_>, Targets<'_>, Beta, &mut DriftField));

impl Drift for Altered {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, beta, field)?;
        (self.0)(sources, targets, beta, field);
        Ok(())
    }
}

fn scale(field: &mut DriftField, factor: f64) {
    field.velocity.iter_mut().for_each(|v| *v *= factor);
}

fn places<'a>(sources: CloudView<'a>, targets: Targets<'a>) -> &'a [f64] {
    match targets {
        Targets::Sources => sources.points,
        Targets::Points(points) => points,
    }
}

/// `v + factor · x`.
fn lean(sources: CloudView<'_>, targets: Targets<'_>, field: &mut DriftField, factor: f64) {
    let pairs = field.velocity.iter_mut().zip(places(sources, targets));
    pairs.for_each(|(v, x)| *v += factor * x);
}

pub static REPELLING: Altered = Altered(|_, _, _, field| scale(field, -1.0));
/// Nothing moves.
pub static STILL: Altered = Altered(|_, _, _, field| scale(field, 0.0));
pub static HALVED: Altered = Altered(|_, _, _, field| scale(field, 0.5));
pub static DOUBLED: Altered = Altered(|_, _, _, field| scale(field, 2.0));
/// One number that is none, with the sign that sorts before all others.
pub static LOST: Altered = Altered(|_, _, _, field| field.velocity[0] = -f64::NAN);
/// `∇log(G_β*μ)` without the factor `1/β`.
pub static SCORE: Altered = Altered(|_, _, beta, field| scale(field, beta.get()));
/// The barycentre `F` itself, without `− x`.
pub static BARYCENTRE: Altered = Altered(|sources, targets, _, field| lean(sources, targets, field, 1.0));
/// `F + x` instead of `F − x`.
pub static WRONG_SIGN: Altered = Altered(|sources, targets, _, field| lean(sources, targets, field, 2.0));

/// The same sum, term by term.
pub static PLAIN: Altered = Altered(|sources, targets, beta, field| {
    let (d, places) = (sources.dimension, places(sources, targets));
    for (x, v) in places.chunks_exact(d).zip(field.velocity.chunks_exact_mut(d)) {
        v.copy_from_slice(&plain(sources, x, beta));
    }
});

/// `F − x`.
fn plain(sources: CloudView<'_>, x: &[f64], beta: Beta) -> Vec<f64> {
    let square = |z: &[f64]| z.iter().zip(x).map(|(z, x)| (z - x) * (z - x)).sum::<f64>();
    let points = || sources.points.chunks_exact(x.len());
    let nearest = points().map(square).fold(f64::INFINITY, f64::min);
    let (mut mass, mut sum) = (0.0, vec![0.0; x.len()]);
    for (j, z) in points().enumerate() {
        let weight = sources.weights.map_or(1.0, |weights| weights[j]);
        let w = weight * (-0.5 * beta.get() * (square(z) - nearest)).exp();
        mass += w;
        sum.iter_mut().zip(z.iter().zip(x)).for_each(|(s, (z, x))| *s += w * (z - x));
    }
    sum.iter().map(|s| s / mass).collect()
}
