//! The full sum over all pairs.

use rayon::prelude::*;

use super::{Drift, DriftField, Targets};
use crate::cloud::CloudView;
use crate::error::Result;
use crate::scale::Beta;

/// The full sum over all pairs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dense;

impl Drift for Dense {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        let d = sources.dimension;
        let points = match targets {
            Targets::Sources => sources.points,
            Targets::Points(points) => points,
        };
        field.reset(points.len() / d, d);
        field.pairs = (sources.len() * (points.len() / d)) as u64;
        (field.velocity.par_chunks_mut(d), &mut field.log_mass, points.par_chunks(d))
            .into_par_iter()
            .for_each(|(v, log_mass, x)| *log_mass = row(sources, x, beta, v));
        Ok(())
    }
}

/// One target's sum with the log-sum-exp shift, so that far targets do not underflow.
fn row(sources: CloudView<'_>, x: &[f64], beta: Beta, v: &mut [f64]) -> f64 {
    let half = -0.5 * beta.get();
    let exponent = |z: &[f64]| half * z.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let shift = sources.points.chunks_exact(x.len()).map(exponent).fold(f64::NEG_INFINITY, f64::max);
    let equal = 1.0 / sources.len() as f64;
    let mut mass = 0.0;
    for (j, z) in sources.points.chunks_exact(x.len()).enumerate() {
        let w = sources.weights.map_or(equal, |w| w[j]) * (exponent(z) - shift).exp();
        mass += w;
        v.iter_mut().zip(z.iter().zip(x)).for_each(|(v, (z, x))| *v += w * (z - x));
    }
    v.iter_mut().for_each(|v| *v /= mass);
    mass.ln() + shift
}
