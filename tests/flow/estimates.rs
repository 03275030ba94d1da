//! The estimate of a run's error beside its error: over random flows, far from the origin, and where there is none but rounding.

use ebflow::drift::Dense;
use ebflow::flow::{ErrorEstimate, Flow, Integrator, Quality, Trajectory};
use ebflow::{Adaptive, Beta, Cloud, Layers, RawTime};

use crate::doubles::{flow, max_distance, noisy_mixture};
use crate::problems::Problem;

/// Random flows in `cargo test`; the environment may ask for more (`EBFLOW_ESTIMATES`) and for others (`EBFLOW_ESTIMATES_SEED`).
const PROBLEMS: u64 = 200;
const SEED: u64 = 1;

/// An estimate is at least this share of the error, …
const LEAST: f64 = 1.0 / 3.0;

/// … in all but this share of the problems.
const MISSED: f64 = 0.005;

/// The reference cannot be computed, or an estimate says that it is coarse, in no more than this share.
const UNKNOWN: f64 = 0.02;
const COARSE: f64 = 0.05;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().expect("a number"))
}

fn run(problem: &Problem, cloud: &Cloud, bound: bool) -> Trajectory {
    let (drift, integrator) = (problem.drift(), problem.integrator());
    let flow = Flow::new(Beta::new(problem.beta).unwrap(), RawTime::new(problem.horizon).unwrap())
        .with_drift(drift.as_ref())
        .with_integrator(integrator.as_ref());
    let flow = flow.with_error_estimate();
    let flow = if bound { flow.with_error_bound() } else { flow };
    flow.run(cloud).unwrap_or_else(|error| panic!("{error}: {}", problem.summary()))
}

/// The estimate and the largest error of a run; none where there is no reference.
fn judged(problem: &Problem) -> Option<(ErrorEstimate, f64)> {
    let exact = problem.exact()?;
    let run = run(problem, &problem.cloud(), false);
    let truth = problem.errors(&run.end, &exact).into_iter().fold(0.0, f64::max);
    Some((run.error.estimate?, truth))
}

#[test]
fn estimates_are_at_least_a_third_of_the_error_of_the_worst_particle() {
    let (count, seed) = (number("EBFLOW_ESTIMATES", PROBLEMS), number("EBFLOW_ESTIMATES_SEED", SEED));
    let (mut ratios, mut missed, mut unknown, mut coarse, mut below) = (Vec::new(), 0.0, 0.0, 0.0, 0.0);
    for number in 0..count {
        let problem = Problem::numbered(seed, number);
        let Some((estimate, truth)) = judged(&problem) else {
            unknown += 1.0;
            continue;
        };
        match estimate.quality {
            Quality::Coarse => coarse += 1.0,
            Quality::BelowRounding => below += 1.0,
            _ if truth > 0.0 => ratios.push(estimate.max / truth),
            _ => {}
        }
        if estimate.max < LEAST * truth {
            missed += f64::from(estimate.quality != Quality::Coarse);
            println!(
                "{number}: {:e} for {truth:e}, {:?}: {}",
                estimate.max,
                estimate.quality,
                problem.summary()
            );
        }
    }
    ratios.sort_by(f64::total_cmp);
    let quantiles = [0.0, 0.001, 0.005, 0.01, 0.1, 0.5, 0.9, 0.99, 1.0]
        .map(|q| ratios[((ratios.len() - 1) as f64 * q).round() as usize]);
    println!(
        "{count} problems, {missed} missed, {coarse} coarse, {below} below rounding, {unknown} without reference"
    );
    println!("estimate/error, quantiles of the resolved: {quantiles:.2?}");
    assert!(missed <= MISSED * count as f64, "{missed} of {count}");
    assert!(unknown <= UNKNOWN * count as f64, "{unknown} of {count}");
    assert!(coarse <= COARSE * count as f64, "{coarse} of {count}");
}

/// What is representable there as it is about the origin moves there as it does about the origin.
#[test]
fn far_away_runs_and_estimates_are_the_same() {
    const FAR: f64 = 134_217_728.0; // 2²⁷
    let near = noisy_mixture(60, SEED);
    // Multiples of 2⁻²⁵, which doubles of this size have.
    let points: Vec<f64> = near.points().iter().map(|z| (z * 33_554_432.0).round() / 33_554_432.0).collect();
    let far = Cloud::new(points.iter().map(|z| z + FAR).collect(), 2).unwrap();
    let near = Cloud::new(points, 2).unwrap();
    let integrators: [Box<dyn Integrator>; 3] = [
        Box::new(Adaptive::new(1e-5, 1e-12).unwrap()),
        Box::new(Adaptive::new(1e-9, 1e-9).unwrap()),
        Box::new(Layers::new(100).unwrap()),
    ];
    for integrator in &integrators {
        let flow = flow(20.0, 3.0).with_drift(Dense).with_integrator(integrator.as_ref());
        let [a, b] = [&near, &far].map(|cloud| flow.clone().with_error_estimate().run(cloud).unwrap());
        assert_eq!(a.statistics, b.statistics);
        let back = Cloud::new(b.end.points().iter().map(|z| z - FAR).collect(), 2).unwrap();
        assert!(max_distance(&a.end, &back) <= 2.2e-8, "{}", max_distance(&a.end, &back));
        let [a, b] = [a, b].map(|run| run.error.estimate.unwrap().max);
        assert!((a - b).abs() <= 3e-8, "{a:e} {b:e}");
    }
}

/// An estimate is never a silent zero: where particles hardly move it is what rounding may have done, and says so.
#[test]
fn below_rounding_an_estimate_says_so() {
    let apart = Cloud::new(vec![0.1, 10.3, 31.7], 1).unwrap();
    for tolerance in [1e-3, 1e-10] {
        let integrator = Adaptive::new(tolerance, tolerance).unwrap();
        let flow = flow(20.0, 2.0).with_drift(Dense).with_integrator(integrator);
        let estimate = flow.with_error_estimate().run(&apart).unwrap().error.estimate.unwrap();
        assert_eq!(estimate.quality, Quality::BelowRounding);
        assert!(
            estimate.max > 1e-15 && estimate.max < 1e-12 && estimate.mean <= estimate.max,
            "{estimate:?}"
        );
    }
}

/// With or without a bound the estimate is the same.
#[test]
fn a_bound_does_not_change_the_estimate() {
    let problem = Problem::numbered(SEED, 9);
    let [with, without] = [true, false].map(|bound| run(&problem, &problem.cloud(), bound).error);
    let [a, b] = [&with, &without].map(|error| error.estimate.unwrap());
    assert_eq!((a.max, a.mean, a.quality), (b.max, b.mean, b.quality));
    assert!(with.bound.is_some() != with.refusal.is_some());
}
