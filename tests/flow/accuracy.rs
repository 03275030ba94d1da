//! How accurate the integrators are, and at what price.

use ebflow::drift::Dense;
use ebflow::flow::{Flow, Integrator, Snapshot, Step, StepObserver};
use ebflow::{Adaptive, Cloud, Layers, RawTime, Result};

use crate::doubles::{distances, flow, max_distance, noisy_mixture};
use crate::reference::solve;

const BETA: f64 = 20.0;
/// `βτ/2` for the noise variance 0.5 of the mixture.
const HORIZON: f64 = 5.0;
const SEED: u64 = 7;

fn adaptive(tolerance: f64) -> Adaptive {
    Adaptive::new(tolerance, tolerance).unwrap()
}

fn snapshots_at(times: &[f64]) -> Flow<'static> {
    let times = times.iter().map(|t| RawTime::new(*t).unwrap());
    flow(BETA, HORIZON).with_snapshots(times)
}

/// The worst particle may miss the tolerance by this factor: the tolerance bounds what a step adds, and the flow
/// carries it on.
const SOLVER: f64 = 3.0;

#[test]
fn the_worst_particle_follows_the_tolerance_within_the_budget() {
    let cloud = noisy_mixture(5000, SEED);
    let exact = &solve(&cloud, BETA, &[HORIZON])[0];
    for (tolerance, budget) in [(1e-3, 45), (1e-6, 175), (1e-9, 430)] {
        let run =
            flow(BETA, HORIZON).with_drift(Dense).with_integrator(adaptive(tolerance)).run(&cloud).unwrap();
        let (error, spent) = (max_distance(&run.end, exact), run.statistics.evaluations);
        println!("tolerance {tolerance:e}: error {error:.2e}, {:?}", run.statistics);
        assert!(error <= SOLVER * tolerance, "tolerance {tolerance:e}: error {error:e}");
        assert!(spent <= budget, "tolerance {tolerance:e}: {spent} evaluations");
    }
}

/// The times at which steps end.
#[derive(Default)]
struct StepEnds(Vec<f64>);

impl StepObserver for StepEnds {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        self.0.push(step.end.raw_time.get());
        Ok(())
    }
}

/// Between two steps the error may exceed the larger of theirs by this share of the tolerance.
const INTERPOLATION: f64 = 0.2;

#[test]
fn snapshots_are_as_accurate_as_the_steps_around_them() {
    let cloud = noisy_mixture(100, SEED);
    for tolerance in [1e-3, 1e-6, 1e-9] {
        let mut ends = StepEnds::default();
        flow(BETA, HORIZON)
            .with_drift(Dense)
            .with_integrator(adaptive(tolerance))
            .run_observed(&cloud, &mut ends)
            .unwrap();
        let mut times = Vec::new();
        for (k, end) in ends.0.iter().enumerate() {
            let start = if k == 0 { 0.0 } else { ends.0[k - 1] };
            times.extend([0.21, 0.5, 0.77].map(|share| start + share * (end - start)));
            times.push(*end);
        }
        let run =
            snapshots_at(&times).with_drift(Dense).with_integrator(adaptive(tolerance)).run(&cloud).unwrap();
        let exact = solve(&cloud, BETA, &times);
        let error = |(snapshot, exact): (&Snapshot, &Cloud)| max_distance(&snapshot.cloud, exact);
        let errors: Vec<f64> = run.snapshots.iter().zip(&exact).map(error).collect();
        let mut before = 0.0;
        for step in errors.chunks_exact(4) {
            let allowed = step[3].max(before) + INTERPOLATION * tolerance;
            assert!(step[..3].iter().all(|error| *error <= allowed), "{step:?} after {before}");
            before = step[3];
        }
        assert_eq!(run.statistics.evaluations, 2 + 12 * run.statistics.steps + 6 * run.statistics.rejected);
    }
}

#[test]
fn layers_converge_at_first_order() {
    let cloud = noisy_mixture(500, SEED);
    let exact = &solve(&cloud, BETA, &[HORIZON])[0];
    let errors = |count: usize| {
        let run = flow(BETA, HORIZON)
            .with_drift(Dense)
            .with_integrator(Layers::new(count).unwrap())
            .run(&cloud)
            .unwrap();
        assert_eq!(run.statistics.evaluations, count as u64);
        let distances = distances(&run.end, exact);
        (max_distance(&run.end, exact), distances.iter().sum::<f64>() / distances.len() as f64)
    };
    let ((max_200, mean_200), (max_600, mean_600)) = (errors(200), errors(600));
    let order = |coarse: f64, fine: f64| (coarse / fine).ln() / 3f64.ln();
    println!("max {max_200:.2e} {max_600:.2e}, mean {mean_200:.2e} {mean_600:.2e}");
    assert!((order(mean_200, mean_600) - 1.0).abs() < 0.05, "{}", order(mean_200, mean_600));
    assert!((order(max_200, max_600) - 1.0).abs() < 0.15, "{}", order(max_200, max_600));
}

#[test]
fn layers_give_snapshots_at_their_boundaries_and_segments_between() {
    let cloud = noisy_mixture(50, SEED);
    let after = |count: usize, time: f64| -> Cloud {
        flow(BETA, time)
            .with_drift(Dense)
            .with_integrator(Layers::new(count).unwrap())
            .run(&cloud)
            .unwrap()
            .end
    };
    let run = snapshots_at(&[2.5, 1.25, 1.3125, 0.0, HORIZON]);
    let run = run.clone().with_drift(Dense).with_integrator(Layers::new(40).unwrap()).run(&cloud).unwrap();
    let cloud_at = |k: usize| &run.snapshots[k].cloud;
    assert_eq!(*cloud_at(0), after(20, 2.5));
    assert_eq!(*cloud_at(1), after(10, 1.25));
    assert_eq!(*cloud_at(3), cloud);
    assert_eq!(*cloud_at(4), run.end);
    let (left, right) = (after(10, 1.25), after(11, 1.375));
    let halfway = left.points().iter().zip(right.points()).map(|(a, b)| (a + b) / 2.0).collect();
    assert!(max_distance(cloud_at(2), &cloud.moved_to(halfway).unwrap()) < 1e-15);
}

#[test]
fn the_error_estimate_is_close_to_the_error() {
    let cloud = noisy_mixture(300, SEED);
    let exact = &solve(&cloud, BETA, &[HORIZON])[0];
    let integrators: [Box<dyn Integrator>; 4] = [
        Box::new(adaptive(1e-4)),
        Box::new(adaptive(1e-7)),
        Box::new(Layers::new(200).unwrap()),
        Box::new(Layers::new(1000).unwrap()),
    ];
    for integrator in &integrators {
        let run = flow(BETA, HORIZON)
            .with_error_estimate()
            .with_drift(Dense)
            .with_integrator(integrator.as_ref())
            .run(&cloud)
            .unwrap();
        let estimate = run.error.estimate.unwrap();
        let errors = distances(&run.end, exact);
        let (max, mean) = (max_distance(&run.end, exact), errors.iter().sum::<f64>() / errors.len() as f64);
        println!("max {max:.2e} ({:.2e}), mean {mean:.2e} ({:.2e})", estimate.max, estimate.mean);
        assert!((0.5..2.0).contains(&(estimate.max / max)), "{} for {max}", estimate.max);
        assert!((0.5..2.0).contains(&(estimate.mean / mean)), "{} for {mean}", estimate.mean);
        assert!(estimate.evaluations > 0);
    }
}
