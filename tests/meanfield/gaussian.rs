//! Gaussian priors: the closed form decides how accurate the reference is, and how honest about it.

use std::fmt;

use ebflow::Measured;
use ebflow::drift::{Blocks, Dense, Drift};
use ebflow::exact::CovarianceFlow;
use ebflow::law::BayesOracle;
use ebflow::meanfield::{MeanField, State};
use ebflow::{Beta, Cloud, NoiseVariance};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::{denoising, problem, raw};

/// What must be reached for `βτ ≤ 10`, and what for `βτ ≤ 50`.
const MODERATE: f64 = 1e-10;
const LONG: f64 = 1e-7;

/// An error and its estimate.
struct Verdict {
    what: String,
    error: f64,
    estimate: f64,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: error {:.1e}, estimate {:.1e}", self.what, self.error, self.estimate)
    }
}

fn verdict(what: &str, found: &Measured, exact: f64) -> Verdict {
    Verdict { what: what.into(), error: (found.value - exact).abs(), estimate: found.numerical }
}

/// All observables of a state against `N(m, Γ_t)`.
fn verdicts(state: &State, problem: &MeanField, drift: &dyn Drift) -> Vec<Verdict> {
    let (law, noise) = (problem.law(), problem.noise());
    let flow = CovarianceFlow::of_prior(law.mean(), law.covariance(), noise, problem.beta()).unwrap();
    let exact = flow.covariance_at(state.raw_time);
    let (mean, covariance) = (state.mean(), state.covariance());
    let d = law.dimension();
    let mut all = vec![
        Verdict {
            what: "mean".into(),
            error: (mean.map(|m| m.value) - law.mean()).amax(),
            estimate: mean[0].numerical,
        },
        Verdict {
            what: "covariance".into(),
            error: (covariance.map(|v| v.value) - &exact).amax(),
            estimate: covariance[(0, 0)].numerical,
        },
    ];
    if d == 1 {
        let (end, prior) = (exact[(0, 0)].sqrt(), law.covariance()[(0, 0)].sqrt());
        let w1 = (end - prior).abs() * (2.0 / std::f64::consts::PI).sqrt();
        all.push(verdict("w1", &state.w1_to_prior().unwrap(), w1));
    }
    let queries = Cloud::new((0..3 * d).map(|i| 1.3 * (i as f64) - 2.0).collect(), d).unwrap();
    all.extend(posterior_verdicts(state, problem, &queries, drift));
    all
}

/// Posterior means are affine: `m + Γ_t(Γ_t + τI)⁻¹(y − m)`.
fn posterior_verdicts(
    state: &State,
    problem: &MeanField,
    queries: &Cloud,
    drift: &dyn Drift,
) -> Vec<Verdict> {
    let (law, noise) = (problem.law(), problem.noise());
    let flow = CovarianceFlow::of_prior(law.mean(), law.covariance(), noise, problem.beta()).unwrap();
    let (covariance, d) = (flow.covariance_at(state.raw_time), law.dimension());
    let noisy = &covariance + DMatrix::identity(d, d) * noise.get();
    let answers = state.posterior(queries, drift).unwrap();
    let check = |answer: &ebflow::meanfield::PosteriorMean| {
        let offset = DVector::from_vec(answer.query.clone()) - law.mean();
        let exact = law.mean() + &covariance * noisy.clone().cholesky().unwrap().solve(&offset);
        let bayes = law.posterior_mean(&answer.query, noise).unwrap();
        assert_eq!(answer.bayes, bayes);
        let mean = DVector::from_iterator(d, answer.mean.iter().map(|m| m.value));
        let (error, estimate) = ((mean - exact).amax(), answer.mean[0].numerical);
        Verdict { what: format!("posterior at {:?}", answer.query), error, estimate }
    };
    answers.iter().map(check).collect()
}

/// All estimates above the error, and all errors below the tolerance of their `βτ`.
fn judge(all: &[(f64, Verdict)]) {
    for (strength, v) in all {
        println!("βτ = {strength}: {v}");
        let tolerance = if *strength <= 10.0 { MODERATE } else { LONG };
        assert!(v.error <= tolerance, "βτ = {strength}: {v}");
        assert!(v.estimate >= v.error, "βτ = {strength}: {v}");
        assert!(v.estimate <= 10.0 * tolerance, "an error bar that says nothing: βτ = {strength}, {v}");
    }
    for limit in [10.0, 50.0] {
        let worst = all.iter().filter(|(s, _)| *s <= limit).map(|(_, v)| v.error).fold(0.0, f64::max);
        println!("largest error for βτ ≤ {limit}: {worst:.1e}");
    }
}

#[test]
fn closed_forms_on_the_line() {
    let mut all = vec![];
    for std in [0.0, 0.3, 1.0, 2.0] {
        for (beta, noise) in [
            (1.0, 0.5),
            (5.0, 0.4),
            (10.0, 0.1),
            (20.0, 0.5),
            (100.0, 0.1),
            (10.0, 2.0),
            (25.0, 1.0),
            (100.0, 0.5),
        ] {
            let problem = problem(&format!("{{ kind = 'gaussian', mean = 0.3, std = {std} }}"), noise, beta);
            let evolution = problem.evolve(&[denoising(&problem)], &Dense).unwrap();
            let found = verdicts(&evolution.states[0], &problem, &Dense);
            all.extend(found.into_iter().map(|v| (beta * noise, v)));
        }
    }
    judge(&all);
}

const TILTED: &str = "{ kind = 'gaussian', mean = [0.3, -0.2], cov = [[0.5, 0.2], [0.2, 0.3]] }";

#[test]
fn closed_forms_in_the_plane_by_tensor_grids() {
    let mut all = vec![];
    for (beta, noise) in [(2.0, 0.5), (10.0, 0.2), (10.0, 0.5), (20.0, 0.5), (10.0, 2.0)] {
        // Nodes in the plane are dear: where less is promised, less is asked for.
        let accuracy = if beta * noise <= 10.0 { 1e-9 } else { 1e-8 };
        let problem = problem(TILTED, noise, beta).without_factorisation().with_accuracy(accuracy).unwrap();
        let evolution = problem.evolve(&[denoising(&problem)], &Blocks::default()).unwrap();
        let found = verdicts(&evolution.states[0], &problem, &Blocks::default());
        all.extend(found.into_iter().map(|v| (beta * noise, v)));
    }
    judge(&all);
}

#[test]
fn closed_forms_in_the_plane_by_factorisation() {
    let mut all = vec![];
    for (beta, noise) in [(5.0, 0.4), (20.0, 0.5), (40.0, 0.5), (50.0, 1.0)] {
        let problem = problem(TILTED, noise, beta);
        let evolution = problem.evolve(&[denoising(&problem)], &Dense).unwrap();
        let found = verdicts(&evolution.states[0], &problem, &Dense);
        all.extend(found.into_iter().map(|v| (beta * noise, v)));
    }
    judge(&all);
}

/// The denoising time of a Gaussian is where its variance passes that of the prior.
#[test]
fn the_law_is_closest_to_its_prior_when_the_variances_agree() {
    let problem = problem("{ kind = 'gaussian', mean = 0, std = 1 }", 0.5, 20.0);
    let found = problem.denoising_time(raw(8.0), &Dense).unwrap().unwrap();
    // T* = σ²/2 + ln(1 + σ²/τ_a²)/2β in score time.
    let exact = 20.0 * (0.25 + 1.5_f64.ln() / 40.0);
    let error = (found.raw_time.value - exact).abs();
    println!("T* = {:?}, exact {exact}, W1 there {:?}", found.raw_time, found.w1);
    assert!(error < 1e-7 && error <= found.raw_time.numerical, "{found:?} is not {exact}");
    assert!(found.w1.value < 1e-8);
    let beyond = problem.denoising_time(raw(4.0), &Dense).unwrap();
    assert!(beyond.is_none(), "{beyond:?}");
}

/// What happens long after the horizon does not depend on how large `e^{2t/e}` would be: a point mass collapses quietly.
#[test]
fn a_dirac_prior_collapses_far_beyond_the_horizon() {
    let problem = problem("{ kind = 'atoms', points = [0.5], weights = [1] }", 0.1, 20.0);
    let state = &problem.evolve(&[raw(20.0)], &Dense).unwrap().states[0];
    let flow = CovarianceFlow::of_prior(
        DVector::from_element(1, 0.5),
        DMatrix::zeros(1, 1),
        NoiseVariance::new(0.1).unwrap(),
        Beta::new(20.0).unwrap(),
    );
    let exact = flow.unwrap().eigenvalues_at(raw(20.0))[0];
    let found = state.covariance();
    assert!((found[(0, 0)].value / exact - 1.0).abs() < 1e-4, "{found:?} is not {exact}");
}

/// Random cases in `cargo test`; the environment may ask for more.
const CASES: u64 = 40;
const SEED: u64 = 20_261_118;

/// Within this `βτ` at most one case in twenty may be refused.
const EASY: f64 = 40.0;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().expect("a number"))
}

/// Noise much narrower than the kernel, and the other way round: posterior means are within their bars, or refused.
/// `EBFLOW_POSTERIORS=500` for more cases, `EBFLOW_POSTERIORS_SEED` for others.
#[test]
fn posterior_means_are_within_their_bars_whatever_the_kernel() {
    let (count, seed) = (number("EBFLOW_POSTERIORS", CASES), number("EBFLOW_POSTERIORS_SEED", SEED));
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut between = |low: f64, high: f64| low * (high / low).powf(rng.random::<f64>());
    let (mut easy, mut refused) = (0.0, 0.0);
    for case in 0..count {
        let (std, noise, beta) = (between(0.1, 10.0), between(1e-3, 4.0), between(0.1, 100.0));
        let y = 3.0 * std * (2.0 * between(1.0, std::f64::consts::E).ln() - 1.0);
        let problem = problem(&format!("{{ kind = 'gaussian', mean = 0, std = {std} }}"), noise, beta);
        let queries = Cloud::new(vec![y], 1).unwrap();
        let problem = problem.asked_at(queries.clone()).unwrap();
        easy += f64::from(beta * noise <= EASY);
        let Ok(evolution) = problem.evolve(&[denoising(&problem)], &Dense) else {
            refused += f64::from(beta * noise <= EASY);
            continue;
        };
        let state = &evolution.states[0];
        let asked = posterior_verdicts(state, &problem, &queries, &Dense);
        for v in verdicts(state, &problem, &Dense).into_iter().chain(asked) {
            assert!(v.error <= v.estimate, "{case}: std {std}, τ {noise}, β {beta}, y {y}: {v}");
        }
    }
    println!("{count} cases, {refused} of {easy} with βτ ≤ {EASY} refused");
    assert!(refused <= 0.05 * easy, "{refused} of {easy} refused");
}

/// The nodes of a kernel hundred times wider than the noise, beside the closed form: what two resolutions of a sum agreed on was wrong.
#[test]
fn noise_far_below_the_spacing_of_the_nodes_is_resolved() {
    let queries = Cloud::new(vec![0.5, 1.0, 2.0, 3.3, 5.0], 1).unwrap();
    let problem = problem("{ kind = 'gaussian', mean = 0, std = 8 }", 0.01, 1.0);
    let problem = problem.asked_at(queries.clone()).unwrap().with_accuracy(1e-8).unwrap();
    let state = &problem.evolve(&[denoising(&problem)], &Dense).unwrap().states[0];
    for v in posterior_verdicts(state, &problem, &queries, &Dense) {
        assert!(v.error <= v.estimate && v.estimate < 8.1e-8, "{v}");
    }
}

/// In the plane nodes are placed for the noise if queries are named, and an answer is refused if they are not.
#[test]
fn nodes_in_the_plane_resolve_the_noise_of_named_queries() {
    let law = "{ kind = 'gaussian', mean = [0, 0], cov = [[0.3, 0.1], [0.1, 0.2]] }";
    let queries = Cloud::new(vec![0.5, 0.2, -0.3, 0.6], 2).unwrap();
    let unnamed = problem(law, 0.01, 1.0).without_factorisation().with_accuracy(1e-5).unwrap();
    let state = &unnamed.evolve(&[denoising(&unnamed)], &Blocks::default()).unwrap().states[0];
    assert!(state.posterior(&queries, &Dense).unwrap_err().to_string().contains("asked_at"));
    let named = unnamed.asked_at(queries.clone()).unwrap();
    let state = &named.evolve(&[denoising(&named)], &Blocks::default()).unwrap().states[0];
    for v in posterior_verdicts(state, &named, &queries, &Dense) {
        assert!(v.error <= v.estimate && v.estimate < 1e-5, "{v}");
    }
}

/// Below what doubles can give, an accuracy is refused at once.
#[test]
fn an_accuracy_beyond_double_precision_is_refused() {
    let message =
        problem("{ kind = 'gaussian', mean = 0, std = 1 }", 0.5, 2.0).with_accuracy(1e-300).unwrap_err();
    assert!(message.to_string().contains("double precision"), "{message}");
}
