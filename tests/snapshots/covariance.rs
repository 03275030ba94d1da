//! Covariances of Gaussian laws, carried as weighted nodes by every drift, beside the closed form.
//!
//! # Formula
//! ```text
//! λ + β⁻¹ ln λ = λ0 + β⁻¹ ln λ0 − 2s      at score time s = τ/2        λ ← λ (1 − η/(1 + βλ))²      per layer
//! ```
//! The bar of a row is what two spacings of the nodes differ by, the tail that was left out, and for adaptive runs what their proved bound allows
//! the moment to change.

use ebflow::exact::CovarianceFlow;
use ebflow::flow::{AxisVariance, Observable, TotalVariance};
use ebflow::metric::coupled;
use ebflow::{Adaptive, Beta, Cloud, Flow, Layers, Measured, NoiseVariance, Result, ScoreTime};
use nalgebra::DMatrix;

use super::drifts::drift;
use super::nodes::{COARSE, FINE, Prior, nodes, tail};
use super::table::{Case, SHARP, Table};

const TOLERANCE: f64 = 1e-9;

/// A row to compute: prior, noise variance, `β`, layers (none: adaptive), drift.
type Setting<'a> = (&'a Prior, f64, f64, Option<usize>, &'static str);

/// The end of a run and, for an adaptive one, how far every node may be from the exact flow of the nodes.
struct End {
    start: Cloud,
    cloud: Cloud,
    distances: Vec<f64>,
}

fn run((prior, noise, beta, layers, name): Setting<'_>, resolution: f64, bound: bool) -> Result<End> {
    let start = nodes(prior, noise, beta, resolution)?;
    let flow = Flow::new(Beta::new(beta)?, ScoreTime::new(noise / 2.0)?);
    let flow = if bound { flow.with_error_bound() } else { flow };
    let run = match layers {
        Some(count) => {
            flow.clone().with_drift(drift(name).as_ref()).with_integrator(Layers::new(count)?).run(&start)?
        }
        None => flow
            .with_drift(drift(name).as_ref())
            .with_integrator(Adaptive::new(TOLERANCE, TOLERANCE)?)
            .run(&start)?,
    };
    let missing = vec![if bound { f64::INFINITY } else { 0.0 }; start.len()];
    let distances = run.error.bound.map_or(missing, |bound| bound.per_particle);
    Ok(End { start, cloud: run.end, distances })
}

fn rows(table: &mut Table, case: &mut Case, setting: Setting<'_>) -> Result<()> {
    let (prior, noise, beta, layers, _) = setting;
    let d = prior.dimension();
    let fine = run(setting, FINE, layers.is_none())?;
    let coarse = run(setting, COARSE, false)?;
    case.n = fine.cloud.len();
    let flow = CovarianceFlow::of_prior(
        prior.mean.clone(),
        prior.covariance.clone(),
        NoiseVariance::new(noise)?,
        Beta::new(beta)?,
    )?;
    let values = match layers {
        Some(count) => flow.eigenvalues_after_layers(beta * noise / 2.0 / count as f64, count),
        None => flow.eigenvalues_at(ScoreTime::new(noise / 2.0)?),
    };
    let vectors = flow.eigenvectors();
    let exact = vectors * DMatrix::from_diagonal(&values) * vectors.transpose();
    let left_out = tail(d) * flow.initial_eigenvalues()[0];
    let (found, other) = (fine.cloud.covariance(), coarse.cloud.covariance());
    let mut entry = |name: &str, at: (usize, usize), change: f64| {
        table.row(case, name, Measured::of_two(found[at], other[at]).widened(change + left_out), exact[at]);
    };
    let view = fine.cloud.view();
    for (axis, name) in
        ["variance, axis 1", "variance, axis 2", "variance, axis 3"].iter().enumerate().take(d)
    {
        entry(name, (axis, axis), AxisVariance { axis }.change(view, &fine.distances));
    }
    if prior.covariance.clone().upper_triangle() != DMatrix::from_diagonal(&prior.covariance.diagonal()) {
        entry("covariance 1, 2", (0, 1), TotalVariance.change(view, &fine.distances));
    }
    if layers.is_none() {
        let gap =
            |end: &End| Ok(coupled(&end.cloud, &flow.push(&end.start, ScoreTime::new(noise / 2.0)?)?)?.mean);
        let bound: f64 = fine.distances.iter().enumerate().map(|(i, e)| fine.cloud.weight(i) * e).sum();
        let gap = Measured::of_two(gap(&fine)?, gap(&coarse)?);
        table.row(case, "coupled distance", gap.widened(bound + left_out), 0.0);
    }
    Ok(())
}

#[test]
fn covariance_tables() {
    let about = "Gaussian laws as N weighted nodes, carried to score time τ/2 by the flow or by layers: covariance beside the
\
                 closed form, and the distance of the nodes from their exact characteristics.
\
                 τ = 1/2, 1/4, 1/10 for β = 2, 20, 100; ε marks kernel sums that are truncated at 1e-8.";
    let mut table = Table::new("covariance", SHARP, about);
    let line = Prior::new("isotropic", &[0.0], &[1.0]);
    let off = Prior::new("off-centre", &[3.0], &[0.25]);
    let dirac = Prior::new("singular", &[0.0], &[0.0]);
    let ball = Prior::new("isotropic", &[0.0, 0.0], &[0.5, 0.0, 0.0, 0.5]);
    let long = Prior::new("anisotropic", &[0.0, 0.0], &[1.0, 0.0, 0.0, 0.1]);
    let rotated = Prior::new("rotated", &[0.5, -1.0], &[0.5, 0.2, 0.2, 0.3]);
    let flat = Prior::new("singular", &[0.0, 0.0], &[0.5, 0.5, 0.5, 0.5]);
    let solid = Prior::new("anisotropic", &[0.0, 0.0, 0.0], &[0.6, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.2]);
    let tilted = Prior::new("rotated", &[1.0, 0.0, -1.0], &[0.4, 0.1, 0.0, 0.1, 0.4, 0.1, 0.0, 0.1, 0.4]);
    let settings: [Setting<'_>; 21] = [
        (&line, 0.5, 2.0, None, "dense"),
        (&line, 0.25, 20.0, None, "blocks"),
        (&line, 0.1, 100.0, None, "kdtree"),
        (&line, 0.25, 20.0, None, "gauss"),
        (&off, 0.5, 2.0, None, "auto"),
        (&off, 0.25, 20.0, None, "dense"),
        (&off, 0.1, 100.0, None, "blocks ε"),
        (&off, 0.1, 100.0, Some(20), "gauss"),
        (&dirac, 0.5, 2.0, None, "gauss ε"),
        (&dirac, 0.25, 20.0, None, "kdtree ε"),
        (&dirac, 0.1, 100.0, Some(20), "dense"),
        (&ball, 0.5, 2.0, None, "gauss"),
        (&ball, 0.25, 20.0, Some(10), "gauss"),
        (&long, 0.5, 2.0, None, "kdtree"),
        (&long, 0.25, 20.0, Some(10), "blocks"),
        (&rotated, 0.5, 2.0, None, "blocks ε"),
        (&rotated, 0.25, 20.0, Some(10), "auto"),
        (&flat, 0.5, 2.0, Some(4), "kdtree"),
        (&flat, 0.1, 100.0, Some(10), "blocks"),
        (&solid, 0.5, 2.0, Some(2), "dense"),
        (&tilted, 0.5, 2.0, Some(2), "blocks"),
    ];
    for setting in settings {
        let (prior, _, beta, layers, drift) = setting;
        let flow = layers.map_or("adaptive".into(), |count| format!("{count} layers"));
        let mut case = Case { law: prior.name, d: prior.dimension(), beta, n: 0, flow, drift };
        let result = rows(&mut table, &mut case, setting);
        table.expect(&case, result);
    }
    table.check();
}
