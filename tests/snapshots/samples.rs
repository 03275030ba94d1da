//! Samples of Gaussian laws, carried by the flow, beside the mean field they are samples of.
//!
//! # Formula
//! Let `μ` be the particles at the end and `μ̄` their partners on the exact characteristics, which are independent points of `f_t`. Then
//! ```text
//! E W1(μ̄, f_t) = the noise floor of N points of f_t                             sampling error only
//! |W1(μ, f_t) − W1(μ̄, f_t)| ≤ C,   C = N⁻¹ Σ |z_i − z̄_i|                          the coupling
//! |W1(μ, P0) − W1(f_t, P0)| ≤ W1(μ̄, f_t) + C                                      and the triangle
//! ```
//! on the first axis, where all of these are exact. `C` itself is known after one layer: `z_i − z̄_i = η(v_N − v)(z_i)`, and to first order in `1/N`,
//! with `b = βΓ` for an isotropic law of variance `Γ`,
//! ```text
//! N E|v_N − v|² = A^d (Γ'/Γ)^{d/2} d (Γ/(1+2b) + c²Γ'),
//! A = (1+b)/√(1+2b),   Γ' = Γ(1+b)(1+2b)/(1+3b),   c = b/((1+b)(1+2b)).
//! ```

use std::f64::consts::FRAC_2_PI;

use ebflow::exact::CovarianceFlow;
use ebflow::law::{Gaussian, Law};
use ebflow::metric::line::w1_to_law;
use ebflow::metric::{coupled, line_floor};
use ebflow::{Adaptive, Beta, Cloud, Flow, Layers, Measured, NoiseVariance, Result, ScoreTime};
use nalgebra::{DMatrix, DVector};

use super::drifts::drift;
use super::nodes::Prior;
use super::seeds::{SEEDS, over_seeds};
use super::table::{Case, Table};

/// The mean field at the end of a run: eigenvalues before and after, and their eigenvectors.
struct Partner {
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
    map: DMatrix<f64>,
}

impl Partner {
    fn new(prior: &Prior, noise: f64, beta: f64, layers: Option<usize>) -> Result<Self> {
        let (mean, covariance) = (prior.mean.clone(), prior.covariance.clone());
        let flow =
            CovarianceFlow::of_prior(mean.clone(), covariance, NoiseVariance::new(noise)?, Beta::new(beta)?)?;
        let values = match layers {
            Some(count) => flow.eigenvalues_after_layers(beta * noise / 2.0 / count as f64, count),
            None => flow.eigenvalues_at(ScoreTime::new(noise / 2.0)?),
        };
        let spectral = |values: &DVector<f64>| {
            flow.eigenvectors() * DMatrix::from_diagonal(values) * flow.eigenvectors().transpose()
        };
        let shrink = values.component_div(&flow.initial_eigenvalues()).map(f64::sqrt);
        Ok(Self { mean, covariance: spectral(&values), map: spectral(&shrink) })
    }

    fn push(&self, cloud: &Cloud) -> Result<Cloud> {
        let moved = |row| &self.mean + &self.map * (DVector::from_column_slice(row) - &self.mean);
        cloud.moved_to(cloud.rows().flat_map(|row| moved(row).data.as_vec().clone()).collect())
    }
}

fn gaussian(mean: &DVector<f64>, covariance: &DMatrix<f64>) -> Result<Law> {
    Ok(Law::Gaussian(Gaussian::new(mean.as_slice().to_vec(), covariance.clone())?))
}

fn first_axis(cloud: &Cloud) -> Result<Cloud> {
    Cloud::new(cloud.rows().map(|row| row[0]).collect(), 1)
}

fn end(tokens: &Cloud, case: &Case, raw: f64, layers: Option<usize>) -> Result<Cloud> {
    let beta = Beta::new(case.beta)?;
    let flow = Flow::new(beta, ScoreTime::new(raw / case.beta)?);
    let drift = drift(case.drift);
    let run = match layers {
        Some(count) => {
            flow.clone().with_drift(drift.as_ref()).with_integrator(Layers::new(count)?).run(tokens)?
        }
        None => {
            flow.clone().with_drift(drift.as_ref()).with_integrator(Adaptive::new(1e-8, 1e-8)?).run(tokens)?
        }
    };
    Ok(run.end)
}

fn rows(table: &mut Table, case: &Case, prior: &Prior, noise: f64, layers: Option<usize>) -> Result<()> {
    let partner = Partner::new(prior, noise, case.beta, layers)?;
    let (law, after) =
        (gaussian(&prior.mean, &prior.covariance)?, gaussian(&partner.mean, &partner.covariance)?);
    let axis: Vec<f64> = (0..case.d).map(|k| if k == 0 { 1.0 } else { 0.0 }).collect();
    let (prior_line, after_line) = (law.projection(&axis)?, after.projection(&axis)?);
    let draw = |seed: u64| Ok(law.sample_noisy(case.n, NoiseVariance::new(noise)?, seed)?.noisy);
    let quantities = |_: u64, tokens: &Cloud| {
        let end = end(tokens, case, case.beta * noise / 2.0, layers)?;
        let partners = partner.push(tokens)?;
        Ok(vec![
            end.covariance().trace() / case.d as f64,
            w1_to_law(&first_axis(&end)?, &prior_line)?,
            w1_to_law(&first_axis(&end)?, &after_line)?,
            w1_to_law(&first_axis(&partners)?, &after_line)?,
            coupled(&end, &partners)?.mean,
        ])
    };
    let sampled = over_seeds(SEEDS, &draw, &quantities)?;
    let found: Vec<Measured> = sampled.iter().map(|quantity| quantity.expectation).collect();
    let (floor, coupling) = (line_floor(&after_line, case.n)?, found[4]);
    let widened = |value: Measured, by: Measured| Measured {
        sampling: value.sampling + by.sampling,
        ..value.widened(by.value)
    };
    let exact =
        FRAC_2_PI.sqrt() * (partner.covariance[(0, 0)].sqrt() - prior.covariance[(0, 0)].sqrt()).abs();
    table.row(case, "mean variance", sampled[0].limit, partner.covariance.trace() / case.d as f64);
    table.row(case, "W1 to prior", widened(widened(found[1], coupling), floor), exact);
    table.row(case, "W1 to f_t; floor", widened(found[2], coupling).widened(floor.numerical), floor.value);
    table.row(case, "partners; floor", found[3].widened(floor.numerical), floor.value);
    Ok(())
}

fn one_layer(table: &mut Table, case: &Case, variance: f64) -> Result<()> {
    const STEP: f64 = 0.5;
    let law = Law::Gaussian(Gaussian::isotropic(vec![0.0; case.d], variance.sqrt())?);
    let (b, d) = (case.beta * variance, case.d as f64);
    let draw = |seed: u64| law.sample(case.n, &mut ebflow::law::generator(seed));
    let square = |_: u64, tokens: &Cloud| {
        let end = end(tokens, case, STEP, Some(1))?;
        let partners =
            tokens.moved_to(tokens.points().iter().map(|x| x * (1.0 - STEP / (1.0 + b))).collect())?;
        Ok(vec![tokens.len() as f64 * (coupled(&end, &partners)?.root_mean_square / STEP).powi(2)])
    };
    let wide = variance * (1.0 + b) * (1.0 + 2.0 * b) / (1.0 + 3.0 * b);
    let slope = b / ((1.0 + b) * (1.0 + 2.0 * b));
    let masses = ((1.0 + b) / (1.0 + 2.0 * b).sqrt()).powf(d) * (wide / variance).powf(d / 2.0);
    let exact = masses * d * (variance / (1.0 + 2.0 * b) + slope * slope * wide);
    table.row(case, "N |coupled/η|²", over_seeds(8 * SEEDS, &draw, &square)?[0].limit, exact);
    Ok(())
}

#[test]
fn sample_tables() {
    let about = "Means over 32 samples of N tokens at score time τ/2: variance beside the closed form, W1 to the prior beside that of\n\
                 the mean field (bar: floor and coupling), W1 to the law at that time beside the noise floor (bar: coupling), and\n\
                 that of the exact partners (no bar but sampling). τ = 1/2, 1/4, 1/10 for β = 2, 20, 100. Then, over 256\n\
                 samples, the mean square coupled distance after one layer beside its limit.";
    let mut table = Table::new("samples", 0.6, about);
    let line = Prior::new("isotropic", &[0.0], &[1.0]);
    let off = Prior::new("off-centre", &[3.0], &[0.25]);
    let rotated = Prior::new("rotated", &[0.5, -1.0], &[0.5, 0.2, 0.2, 0.3]);
    let flat = Prior::new("singular", &[0.0, 0.0], &[0.5, 0.5, 0.5, 0.5]);
    let solid = Prior::new("anisotropic", &[0.0, 0.0, 0.0], &[0.6, 0.0, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.2]);
    for (prior, beta, noise, n, layers, drift) in [
        (&line, 2.0, 0.5, 200, None, "dense"),
        (&line, 2.0, 0.5, 800, None, "auto"),
        (&off, 20.0, 0.25, 200, None, "kdtree"),
        (&off, 20.0, 0.25, 800, None, "blocks"),
        (&line, 100.0, 0.1, 1600, Some(20), "gauss"),
        (&rotated, 2.0, 0.5, 400, None, "gauss"),
        (&flat, 20.0, 0.25, 800, Some(10), "blocks ε"),
        (&solid, 2.0, 0.5, 400, Some(4), "kdtree"),
    ] {
        let flow = layers.map_or("adaptive".into(), |count| format!("{count} layers"));
        let case = Case { law: prior.name, d: prior.dimension(), beta, n, flow, drift };
        let result = rows(&mut table, &case, prior, noise, layers);
        table.expect(&case, result);
    }
    for (d, beta, n, drift) in [(1, 0.5, 800, "dense"), (1, 2.0, 800, "auto")] {
        let case = Case { law: "isotropic", d, beta, n, flow: "1 layer".into(), drift };
        let result = one_layer(&mut table, &case, 1.0);
        table.expect(&case, result);
    }
    table.check();
}
