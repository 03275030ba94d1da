//! The bound on random problems: never exceeded, and not by orders of magnitude too large.

use ebflow::drift::{Blocks, Dense, KdTree, Tolerance};
use ebflow::flow::{Flow, Integrator, Trajectory};
use ebflow::{Adaptive, Beta, Cloud, Drift, Layers, RawTime, Schedule};

use rayon::prelude::*;

use crate::problems::Problem;
use crate::reference::{REFERENCE, distances, solve};

/// Problems in `cargo test`; the environment may ask for more (`EBFLOW_BOUNDS`).
const PROBLEMS: usize = 108;

/// The median of bound/true that is asked for at `βτ ≤ 10`.
const LOOSEST_MEDIAN: f64 = 12.0;

/// The reference itself is off by its tolerance, carried on by the flow: errors below this are not known.
const KNOWN: f64 = 100.0 * REFERENCE;

/// At most this share of the problems may be refused.
const MOST_REFUSED: f64 = 0.02;

/// What came out for one problem and one integrator.
struct Outcome {
    problem: Problem,
    layered: bool,
    /// Largest and mean true error.
    truth: [f64; 2],
    /// The estimate's.
    estimate: [f64; 2],
    /// The bound's; none if refused.
    bound: Option<[f64; 2]>,
}

fn problems() -> usize {
    std::env::var("EBFLOW_BOUNDS").map_or(PROBLEMS, |value| value.parse().expect("a number"))
}

fn drift(number: usize, tolerance: f64) -> Box<dyn Drift> {
    let tolerance = Tolerance::new(0.1 * tolerance).unwrap();
    match number % 4 {
        1 => Box::new(Blocks { tolerance }),
        3 => Box::new(KdTree { tolerance }),
        _ => Box::new(Dense),
    }
}

fn integrators(problem: &Problem) -> [Box<dyn Integrator>; 2] {
    let layers = (20.0 * problem.horizon()).ceil() as usize;
    [
        Box::new(Adaptive::new(problem.tolerance, problem.tolerance).unwrap()),
        Box::new(Layers::new(layers.max(1)).unwrap()),
    ]
}

fn check(number: usize) -> Vec<Outcome> {
    let problem = Problem::numbered(number);
    let cloud = problem.cloud();
    let exact = solve(&cloud, problem.beta, problem.horizon());
    let schedule = Schedule::constant(Beta::new(problem.beta).unwrap());
    let flow = Flow::new(schedule, RawTime::new(problem.horizon()).unwrap())
        .with_error_estimate()
        .with_error_bound();
    let drift = drift(number, problem.tolerance);
    let outcome = |(layered, integrator): (usize, Box<dyn Integrator>)| {
        let run =
            flow.clone().with_drift(drift.as_ref()).with_integrator(integrator.as_ref()).run(&cloud).unwrap();
        judge(problem, layered == 1, &run, &exact)
    };
    integrators(&problem).into_iter().enumerate().map(outcome).collect()
}

fn judge(problem: Problem, layered: bool, run: &Trajectory, exact: &Cloud) -> Outcome {
    let errors = distances(&run.end, exact);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let max = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let bound = run.error.bound.as_ref().map(|bound| {
        for (i, (error, bound)) in errors.iter().zip(&bound.per_particle).enumerate() {
            assert!(
                *error <= bound + KNOWN,
                "{problem:?}, layered {layered}: particle {i}: {error:e} > {bound:e}"
            );
        }
        assert!(mean(&errors) <= bound.w1 + KNOWN, "{problem:?}: {:e} > {:e}", mean(&errors), bound.w1);
        [bound.max, bound.w1]
    });
    assert!(bound.is_some() != run.error.refusal.is_some(), "a bound or a reason");
    if let Some(refusal) = &run.error.refusal {
        println!("refused: {refusal}");
    }
    let estimate = run.error.estimate.unwrap();
    Outcome {
        problem,
        layered,
        truth: [max(&errors), mean(&errors)],
        estimate: [estimate.max, estimate.mean],
        bound,
    }
}

fn quantiles(name: &str, mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |q: f64| values[((values.len() - 1) as f64 * q).round() as usize];
    println!(
        "{name}: {} values, min {:.2}, 10% {:.2}, median {:.2}, 90% {:.1}, max {:.1}",
        values.len(),
        at(0.0),
        at(0.1),
        at(0.5),
        at(0.9),
        at(1.0)
    );
    at(0.5)
}

#[test]
fn no_particle_exceeds_its_bound_and_no_coupling_the_bound_in_w1() {
    let outcomes: Vec<Outcome> = (0..problems()).into_par_iter().flat_map_iter(check).collect();
    let refused = outcomes.iter().filter(|o| o.bound.is_none());
    for o in refused.clone() {
        println!("refused (layered {}): {:?}", o.layered, o.problem);
    }
    for layered in [false, true] {
        for (which, name) in ["max", "W1"].iter().enumerate() {
            let of = |o: &&Outcome| o.layered == layered && o.truth[which] > KNOWN;
            let ratio = |o: &Outcome| o.bound.map(|b| b[which] / o.truth[which]);
            let short = |o: &&Outcome| 2.0 * o.problem.horizon() <= 10.0;
            let name = format!("{name}, {}", if layered { "layers" } else { "adaptive" });
            quantiles(
                &format!("bound/true in {name}"),
                outcomes.iter().filter(of).filter_map(ratio).collect(),
            );
            let median = quantiles(
                &format!("bound/true in {name}, βτ ≤ 10"),
                outcomes.iter().filter(of).filter(short).filter_map(ratio).collect(),
            );
            assert!(median <= LOOSEST_MEDIAN);
            let estimate = |o: &Outcome| o.estimate[which] / o.truth[which];
            quantiles(
                &format!("estimate/true in {name}"),
                outcomes.iter().filter(of).map(estimate).collect(),
            );
        }
    }
    assert!((refused.count() as f64) <= MOST_REFUSED * outcomes.len() as f64);
}
