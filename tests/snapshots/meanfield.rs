//! The noise-free mean field beside closed forms.
//!
//! # Formula
//! Gaussian prior, score time `τ/2`: `f_t = N(m, Γ_t)`, `W1(f_t, P0) = √(2/π) |Γ_t^{1/2} − Σ0^{1/2}|` on the line, and
//! `m_t(y) = m + Γ_t(Γ_t + τI)⁻¹(y − m)`. Any prior, time zero: `f_0 = γ_τ * P0`, so moments add and Stage 2 answers like Bayes with the prior `f_0`.

use std::f64::consts::FRAC_2_PI;

use ebflow::exact::CovarianceFlow;
use ebflow::law::{BayesOracle, Law};
use ebflow::meanfield::{MeanField, State};
use ebflow::{Beta, Cloud, NoiseVariance, RawTime, Result, ScoreTime};
use nalgebra::{DMatrix, DVector};

use super::drifts::drift;
use super::table::{Case, SHARP, Table};

/// Where Stage 2 is asked, along every axis.
const QUERY: f64 = 0.8;

fn query(d: usize) -> Cloud {
    Cloud::new(vec![QUERY; d], d).unwrap()
}

fn state(case: &mut Case, law: &Law, noise: NoiseVariance, time: RawTime) -> Result<State> {
    let problem = MeanField::new(law.clone(), noise, Beta::new(case.beta)?).asked_at(query(case.d))?;
    let mut evolution = problem.evolve(&[time], drift(case.drift).as_ref())?;
    case.n = evolution.nodes;
    Ok(evolution.states.remove(0))
}

fn gaussian(table: &mut Table, case: &mut Case, law: &Law, noise: f64) -> Result<()> {
    let (beta, noise) = (Beta::new(case.beta)?, NoiseVariance::new(noise)?);
    let horizon = ScoreTime::new(noise.get() / 2.0)?;
    let state = state(case, law, noise, horizon.to_raw(beta)?)?;
    let d = case.d;
    let exact = CovarianceFlow::of_prior(law.mean(), law.covariance(), noise, beta)?.covariance_at(horizon);
    table.row(case, "mean, axis 1", state.mean()[0], law.mean()[0]);
    let covariance = state.covariance();
    table.row(case, "variance, axis 1", covariance[(0, 0)], exact[(0, 0)]);
    if d == 1 {
        let apart = (exact[(0, 0)].sqrt() - law.covariance()[(0, 0)].sqrt()).abs();
        table.row(case, "W1 to prior", state.w1_to_prior()?, FRAC_2_PI.sqrt() * apart);
    } else {
        table.row(case, "covariance 1, 2", covariance[(0, 1)], exact[(0, 1)]);
    }
    let noisy = &exact + DMatrix::identity(d, d) * noise.get();
    let offset = DVector::from_element(d, QUERY) - law.mean();
    let solved = noisy.cholesky().map(|root| root.solve(&offset)).unwrap_or(offset);
    let posterior = law.mean() + exact * solved;
    let answer = state.posterior(&query(d), drift(case.drift).as_ref())?;
    table.row(case, "posterior mean", answer[0].mean[0], posterior[0]);
    Ok(())
}

fn at_the_start(table: &mut Table, case: &mut Case, law: &Law, noise: f64) -> Result<()> {
    let noise = NoiseVariance::new(noise)?;
    let state = state(case, law, noise, RawTime::new(0.0)?)?;
    table.row(case, "variance, axis 1", state.covariance()[(0, 0)], law.covariance()[(0, 0)] + noise.get());
    let bayes = law.noisy(noise).posterior_mean(query(case.d).points(), noise)?;
    let answer = state.posterior(&query(case.d), drift(case.drift).as_ref())?;
    table.row(case, "posterior mean", answer[0].mean[0], bayes[0]);
    Ok(())
}

#[test]
fn meanfield_tables() {
    let about = "The mean field (N nodes, refined until two resolutions agree) beside closed forms: Gaussian priors at score time\n\
                 τ/2, other priors at time 0, where Stage 2 is Bayes' rule with the noisy law as prior. The query is 0.8 on every axis.";
    let mut table = Table::new("meanfield", SHARP, about);
    for (name, text, beta, noise, drift) in [
        ("isotropic", "{ kind = 'gaussian', mean = 0, std = 1 }", 2.0, 0.5, "dense"),
        ("isotropic", "{ kind = 'gaussian', mean = 0, std = 1 }", 20.0, 0.25, "blocks"),
        ("off-centre", "{ kind = 'gaussian', mean = 3, std = 0.5 }", 100.0, 0.1, "auto"),
        ("singular", "{ kind = 'gaussian', mean = 0.5, std = 0 }", 20.0, 0.25, "dense"),
        (
            "rotated",
            "{ kind = 'gaussian', mean = [0.3, -0.2], cov = [[0.5, 0.2], [0.2, 0.3]] }",
            20.0,
            0.25,
            "dense",
        ),
        ("anisotropic", "{ kind = 'gaussian', mean = [0, 0], cov = [[1, 0], [0, 0.1]] }", 100.0, 0.1, "auto"),
        (
            "rotated",
            "{ kind = 'gaussian', mean = [1, 0, -1], cov = [[0.4, 0.1, 0], [0.1, 0.4, 0.1], [0, 0.1, 0.4]] }",
            2.0,
            0.5,
            "dense",
        ),
    ] {
        let law = Law::parse(text).unwrap();
        let mut case = Case { law: name, d: law.dimension(), beta, n: 0, flow: "nodes".into(), drift };
        let result = gaussian(&mut table, &mut case, &law, noise);
        table.expect(&case, result);
    }
    for (name, text, beta, noise) in [
        ("mixture", "{ kind = 'mixture', means = [-1, 1], std = 0.1 }", 20.0, 0.25),
        ("mixture", "{ kind = 'mixture', means = [[-1, 0], [1, 0]], std = 0.1 }", 20.0, 0.5),
        ("atoms", "{ kind = 'atoms', points = [-1, 1], weights = [0.25, 0.75] }", 20.0, 0.25),
        ("uniform", "{ kind = 'uniform', low = -1, high = 1 }", 20.0, 0.25),
        ("laplace", "{ kind = 'laplace', mean = 0, scale = 0.5 }", 2.0, 0.5),
    ] {
        let law = Law::parse(text).unwrap();
        let mut case =
            Case { law: name, d: law.dimension(), beta, n: 0, flow: "time 0".into(), drift: "dense" };
        let result = at_the_start(&mut table, &mut case, &law, noise);
        table.expect(&case, result);
    }
    table.check();
}
