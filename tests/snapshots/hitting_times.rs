//! When variances have come back to the prior's, beside `T* = τ/2 + ln(1 + τ/τ_a²)/2β` in score time; a Dirac prior is asked for `1/β`.
//!
//! Nodes: the bar is the proved error of the crossing, what two spacings differ by, and the tail. Samples: means over seeds of when the
//! total variance is back.

use ebflow::exact::{Hitting, VarianceDescent};
use ebflow::flow::{AxisVariance, Event, TotalVariance};
use ebflow::law::{Gaussian, Law};
use ebflow::{Adaptive, Beta, Cloud, Error, Flow, Measured, NoiseVariance, Result, ScoreTime};

use super::drifts::drift;
use super::nodes::{COARSE, FINE, Prior, nodes, tail};
use super::seeds::{SEEDS, over_seeds};
use super::table::{Case, Table};

/// Longer than any of the times, as a multiple.
const PATIENCE: f64 = 1.4;

/// Raw time within which a crossing is located.
const RESOLUTION: f64 = 1e-9;

/// When a variance starts at `prior + noise` and comes down to `target`.
fn closed_form(prior: f64, noise: f64, beta: f64, target: f64) -> Result<f64> {
    let descent = VarianceDescent::of_prior(prior, NoiseVariance::new(noise)?, Beta::new(beta)?)?;
    match descent.hitting(target)? {
        Hitting::At(time) => Ok(time.get()),
        Hitting::Never => Err(Error::TargetAboveStart { target, start: descent.start() }),
    }
}

/// The first crossing, in score time, with its error.
fn crossing(cloud: &Cloud, event: Event, case: &Case, horizon: f64, bound: bool) -> Result<Measured> {
    let beta = Beta::new(case.beta)?;
    let flow = Flow::new(beta, ScoreTime::new(horizon)?).with_event(event);
    let (flow, tolerance) = if bound { (flow.with_error_bound(), 1e-9) } else { (flow, 1e-7) };
    let run = flow
        .with_drift(drift(case.drift).as_ref())
        .with_integrator(Adaptive::new(tolerance, tolerance)?)
        .run(cloud)?;
    let Some(found) = run.events[0].crossings.first() else { return Ok(Measured::UNKNOWN) };
    let error = if bound && !found.proved { f64::INFINITY } else { found.error };
    Ok(Measured::known_to(found.raw_time.to_score(beta)?.get(), error / case.beta))
}

fn on_nodes(table: &mut Table, case: &mut Case, prior: &Prior, noise: f64) -> Result<()> {
    let (d, beta) = (prior.dimension(), case.beta);
    let [fine, coarse] = [FINE, COARSE].map(|resolution| nodes(prior, noise, beta, resolution));
    let (fine, coarse) = (fine?, coarse?);
    case.n = fine.len();
    for (axis, name) in ["T*, axis 1", "T*, axis 2"].into_iter().enumerate().take(d) {
        let variance = prior.covariance[(axis, axis)];
        let (target, name) = if variance > 0.0 { (variance, name) } else { (1.0 / beta, "T(1/β)") };
        let exact = closed_form(variance, noise, beta, target)?;
        let event = || Event::new(AxisVariance { axis }, target, RESOLUTION);
        let found = crossing(&fine, event()?, case, PATIENCE * exact, true)?;
        let other = crossing(&coarse, event()?, case, PATIENCE * exact, false)?;
        // dT/dv0 at most.
        let slope = 0.5 + 0.5 / (beta * target);
        let spacing = (found.value - other.value).abs();
        table.row(case, name, found.widened(spacing + slope * tail(d) * (variance + noise)), exact);
    }
    Ok(())
}

fn on_samples(table: &mut Table, case: &Case, variance: f64, noise: f64) -> Result<()> {
    let law = Law::Gaussian(Gaussian::isotropic(vec![0.0; case.d], variance.sqrt())?);
    let exact = closed_form(variance, noise, case.beta, variance)?;
    let draw = |seed: u64| Ok(law.sample_noisy(case.n, NoiseVariance::new(noise)?, seed)?.noisy);
    let time = |_: u64, tokens: &Cloud| {
        let event = Event::new(TotalVariance, case.d as f64 * variance, RESOLUTION)?;
        Ok(vec![crossing(tokens, event, case, 2.0 * PATIENCE * exact, false)?.value])
    };
    let found = over_seeds(SEEDS, &draw, &time)?;
    table.row(case, "T*, total", found[0].limit, exact);
    Ok(())
}

#[test]
fn hitting_time_tables() {
    let about = "Score times at which a variance is back at the prior's, or at 1/β where that is zero, beside T*. N weighted nodes\n\
                 (no sampling error), then means over 32 samples of N tokens. τ = 1/2, 1/4, 1/10 for β = 2, 20, 100.";
    let mut table = Table::new("hitting_times", 0.2, about);
    let noise = |beta: f64| {
        if beta == 2.0 {
            0.5
        } else if beta == 20.0 {
            0.25
        } else {
            0.1
        }
    };
    let line = Prior::new("isotropic", &[0.0], &[1.0]);
    let off = Prior::new("off-centre", &[3.0], &[0.25]);
    let dirac = Prior::new("singular", &[0.0], &[0.0]);
    let long = Prior::new("anisotropic", &[0.0, 0.0], &[1.0, 0.0, 0.0, 0.1]);
    for (prior, beta, drift) in [
        (&line, 2.0, "dense"),
        (&line, 20.0, "gauss"),
        (&line, 100.0, "auto"),
        (&off, 2.0, "blocks"),
        (&off, 20.0, "kdtree ε"),
        (&off, 100.0, "dense"),
        (&dirac, 20.0, "blocks"),
        (&dirac, 100.0, "blocks ε"),
        (&long, 2.0, "gauss"),
    ] {
        let d = prior.dimension();
        let mut case = Case { law: prior.name, d, beta, n: 0, flow: "adaptive".into(), drift };
        let result = on_nodes(&mut table, &mut case, prior, noise(beta));
        table.expect(&case, result);
    }
    for (d, beta, n, drift) in
        [(1, 2.0, 200, "dense"), (1, 2.0, 800, "auto"), (2, 2.0, 400, "gauss"), (3, 2.0, 400, "kdtree")]
    {
        let case = Case { law: "isotropic", d, beta, n, flow: "adaptive".into(), drift };
        let result = on_samples(&mut table, &case, 1.0, noise(beta));
        table.expect(&case, result);
    }
    table.check();
}
