//! Stage 2 for mixtures and atoms, over seeds.
//!
//! # Formula
//! With the Bayes estimate `b(y)`, and Stage 2 `m(y)` against the particles:
//! ```text
//! one-shot: against the noisy tokens, whose law is γ_τ * P0, so N = ∞ is Bayes with that prior
//! error:    m(y) − b(y) after the flow, beside m_t(y) − b(y) of the mean field
//! MSE:      E|b(Y) − X|², the Bayes MMSE
//! ```

use ebflow::law::{BayesOracle, Law};
use ebflow::meanfield::MeanField;
use ebflow::posterior::{ParticlePrior, mean_squared_error};
use ebflow::{Adaptive, Beta, Cloud, Flow, NoiseVariance, Result};

use super::drifts::drift;
use super::seeds::{SEEDS, over_seeds};
use super::table::{Case, Table};

/// Where Stage 2 is asked on the first axis; zero on the others.
const QUERY: f64 = 0.4;

/// A prior: name, law, `β`, `τ`, `N`, drift, MMSE.
struct Setting {
    law: &'static str,
    text: &'static str,
    beta: f64,
    noise: f64,
    n: usize,
    drift: &'static str,
    /// `1 + a² − E b(Y)²` for two modes of standard deviation `a`, `b(y) = (a²y + τ tanh(y/(a²+τ)))/(a²+τ)`, plus `a²τ/(a²+τ)` for another
    /// axis: mpmath 1.4.1, 30 digits.
    mmse: f64,
}

const SETTINGS: [Setting; 4] = [
    Setting {
        law: "mixture",
        text: "{ kind = 'mixture', means = [-1, 1], std = 0.1 }",
        beta: 20.0,
        noise: 0.25,
        n: 800,
        drift: "auto",
        mmse: 0.079_029_201_888_187_54,
    },
    Setting {
        law: "mixture",
        text: "{ kind = 'mixture', means = [[-1, 0], [1, 0]], std = 0.1 }",
        beta: 20.0,
        noise: 0.5,
        n: 800,
        drift: "blocks",
        mmse: 0.247_282_936_030_126_74,
    },
    Setting {
        law: "atoms",
        text: "{ kind = 'atoms', points = [-1, 1] }",
        beta: 2.0,
        noise: 0.5,
        n: 400,
        drift: "dense",
        mmse: 0.231_018_221_929_295_6,
    },
    Setting {
        law: "atoms",
        text: "{ kind = 'atoms', points = [-1, 1] }",
        beta: 20.0,
        noise: 0.25,
        n: 800,
        drift: "gauss",
        mmse: 0.068_597_408_790_738_8,
    },
];

fn rows(table: &mut Table, case: &Case, law: &Law, setting: &Setting) -> Result<()> {
    let (beta, noise) = (Beta::new(case.beta)?, NoiseVariance::new(setting.noise)?);
    let (horizon, drift) = (noise.denoising_horizon(), drift(case.drift));
    let place: Vec<f64> = (0..case.d).map(|k| if k == 0 { QUERY } else { 0.0 }).collect();
    let query = Cloud::new(place.clone(), case.d)?;
    let bayes = law.posterior_mean(&place, noise)?[0];
    let stage_two = |particles: &Cloud| {
        Ok(ParticlePrior::new(particles, noise)?.infer(&query, drift.as_ref())?.mean.points()[0])
    };
    let draw = |seed: u64| Ok(law.sample_noisy(case.n, noise, seed)?.noisy);
    let quantities = |_: u64, tokens: &Cloud| {
        let flow = Flow::new(beta, horizon);
        let end = flow
            .clone()
            .with_drift(drift.as_ref())
            .with_integrator(Adaptive::new(1e-8, 1e-8)?)
            .run(tokens)?
            .end;
        Ok(vec![stage_two(tokens)?, stage_two(&end)? - bayes])
    };
    let found = over_seeds(SEEDS, &draw, &quantities)?;
    table.row(case, "one-shot mean", found[0].limit, law.noisy(noise).posterior_mean(&place, noise)?[0]);
    let limit = MeanField::new(law.clone(), noise, beta).asked_at(query.clone())?;
    let limit = limit.evolve(&[horizon.to_raw(beta)?], drift.as_ref())?;
    let answer = limit.states[0].posterior(&query, drift.as_ref())?[0].mean[0];
    table.row(case, "posterior error", found[1].limit.widened(answer.numerical), answer.value - bayes);
    let error = |seed: u64, _: &Cloud| {
        let sample = law.sample_noisy(case.n, noise, seed)?;
        let estimates = law.posterior_means(&sample.noisy, noise)?;
        Ok(vec![mean_squared_error(&estimates, &sample.clean)])
    };
    table.row(case, "MSE of Bayes", over_seeds(SEEDS, &draw, &error)?[0].expectation, setting.mmse);
    Ok(())
}

#[test]
fn posterior_tables() {
    let about = "Means over 32 samples of N tokens. At y = 0.4 on the first axis: the one-shot estimate beside Bayes' with the noisy\n\
                 law as prior, and the error of the two-stage estimate beside that of the mean field. Over all tokens: the mean\n\
                 squared error of Bayes' estimate beside the MMSE. τ = 1/4, 1/2, 1/2, 1/4.";
    let mut table = Table::new("posterior", 0.5, about);
    for setting in &SETTINGS {
        let law = Law::parse(setting.text).unwrap();
        let Setting { law: name, beta, n, drift, .. } = *setting;
        let case = Case { law: name, d: law.dimension(), beta, n, flow: "adaptive".into(), drift };
        let result = rows(&mut table, &case, &law, setting);
        table.expect(&case, result);
    }
    table.check();
}
