//! The bound on unkind problems: ties, saddles, isolated particles, weights over twenty decades, clouds far from the origin, one particle to three hundred, every drift,
//! runs and networks. The problems and their reference, a plain double loop under another integrator, are those that estimates are judged by.

use ebflow::drift::Named;
use ebflow::flow::{Flow, Trajectory};
use ebflow::{Beta, RawTime};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::flow_problems::Problem;

/// Problems in `cargo test`; the environment may ask for more (`EBFLOW_BOUNDS`) and for others (`EBFLOW_BOUNDS_SEED`).
const PROBLEMS: u64 = 240;
const SEED: u64 = 7;

/// At most this share may be refused.
const MOST_REFUSED: f64 = 0.02;

/// The median of bound/true in `W1` that is asked for at `βτ ≤ 10`.
const LOOSEST_MEDIAN: f64 = 12.0;

/// Errors below this many times what is known of the reference do not count as truths.
const KNOWN: f64 = 30.0;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().expect("a number"))
}

/// The problem with a number, at a tolerance that a bound is asked for with.
fn problem(seed: u64, number: u64) -> Problem {
    let mut problem = Problem::numbered(seed, number);
    let mut rng = Pcg64::seed_from_u64(number);
    let ratio = problem.absolute / problem.tolerance;
    problem.tolerance = 10f64.powf(-4.0 - 6.0 * rng.random::<f64>());
    problem.absolute = ratio * problem.tolerance;
    problem
}

/// What came out: the ratio of bound to truth in `W1`, if the truth is known.
enum Outcome {
    Refused(String),
    Unknown,
    Bounded { ratio: Option<f64> },
}

fn run(problem: &Problem) -> Trajectory {
    let (drift, integrator) = (problem.drift(), problem.integrator());
    Flow::new(Beta::new(problem.beta).unwrap(), RawTime::new(problem.horizon).unwrap())
        .with_drift(drift.as_ref())
        .with_integrator(integrator.as_ref())
        .with_error_bound()
        .run(&problem.cloud())
        .unwrap_or_else(|error| panic!("{error}: {}", problem.summary()))
}

fn check(seed: u64, number: u64) -> Outcome {
    let problem = problem(seed, number);
    let run = run(&problem);
    let Some(bound) = run.error.bound else {
        let refusal = run.error.refusal.expect("a bound or a reason");
        return Outcome::Refused(format!("{}: {refusal}", problem.summary()));
    };
    let Some((exact, known)) = problem.exact_and_known() else { return Outcome::Unknown };
    let errors = problem.errors(&run.end, &exact);
    for (i, (error, bound)) in errors.iter().zip(&bound.per_particle).enumerate() {
        assert!(
            *error <= bound + known,
            "particle {i}: {error:e} > {bound:e} ({known:e}): {}",
            problem.summary()
        );
    }
    let cloud = problem.cloud();
    let mean: f64 = errors.iter().enumerate().map(|(i, error)| cloud.weight(i) * error).sum();
    assert!(mean <= bound.w1 + known, "{mean:e} > {:e}: {}", bound.w1, problem.summary());
    let judged = mean > KNOWN * known && 2.0 * problem.horizon <= 10.0 && problem.layers.is_none();
    Outcome::Bounded { ratio: judged.then(|| bound.w1 / mean) }
}

#[test]
fn no_unkind_problem_exceeds_its_bound() {
    let (count, seed) = (number("EBFLOW_BOUNDS", PROBLEMS), number("EBFLOW_BOUNDS_SEED", SEED));
    let outcomes: Vec<Outcome> = (0..count).into_par_iter().map(|number| check(seed, number)).collect();
    let (mut ratios, mut refused, mut unknown) = (Vec::new(), 0, 0);
    for outcome in outcomes {
        match outcome {
            Outcome::Refused(why) => {
                println!("refused: {why}");
                refused += 1;
            }
            Outcome::Unknown => unknown += 1,
            Outcome::Bounded { ratio } => ratios.extend(ratio),
        }
    }
    ratios.sort_by(f64::total_cmp);
    let at = |q: f64| ratios[((ratios.len() - 1) as f64 * q).round() as usize];
    let quantiles = [0.0, 0.1, 0.5, 0.9, 1.0].map(at);
    println!("{count} problems, {refused} refused, {unknown} without reference; {} judged", ratios.len());
    println!("bound/true in W1 at βτ ≤ 10, quantiles: {quantiles:.1?}");
    assert!(f64::from(refused) <= MOST_REFUSED * count as f64, "{refused} of {count}");
    assert!(at(0.5) <= LOOSEST_MEDIAN);
    let drifts = (0..count).map(|number| problem(seed, number).drift);
    assert!(drifts.filter(|drift| *drift == Named::Gauss).count() > 5);
}
