//! Where there is no bound there is a reason.

use ebflow::drift::Dense;
use ebflow::flow::{Flow, Refusal};
use ebflow::{Adaptive, Beta, Cloud, Layers, RawTime, Schedule};

use crate::problems::{Problem, Shape};

fn long() -> Cloud {
    let problem = Problem {
        shape: Shape::Clusters,
        dimension: 2,
        particles: 200,
        beta: 50.0,
        noise: 0.8,
        tolerance: 1e-3,
        seed: 21,
    };
    problem.cloud()
}

fn flow(beta: f64, horizon: f64) -> Flow<'static> {
    Flow::new(Beta::new(beta).unwrap(), RawTime::new(horizon).unwrap())
}

#[test]
fn a_long_horizon_at_a_loose_tolerance_is_refused_with_its_reason() {
    let run = flow(50.0, 20.0)
        .with_error_bound()
        .with_drift(Dense)
        .with_integrator(Adaptive::new(1e-3, 1e-3).unwrap())
        .run(&long())
        .unwrap();
    assert!(run.error.bound.is_none() && run.error.estimate.is_some());
    let refusal = run.error.refusal.unwrap();
    let Refusal::TubeTooWide { raw_time, radius, kernel_width, .. } = refusal else { panic!("{refusal}") };
    assert!(raw_time < 20.0 && radius > 0.1 * kernel_width);
    assert!(refusal.to_string().contains("tighten the tolerances or shorten the horizon"), "{refusal}");
}

#[test]
fn a_varying_schedule_is_refused_but_estimated() {
    let schedule = Schedule::varying(|t| 5.0 + t, |_| 1.0);
    let flow = Flow::new(schedule, RawTime::new(1.0).unwrap()).with_error_bound();
    let run = flow
        .clone()
        .with_drift(Dense)
        .with_integrator(Adaptive::new(1e-6, 1e-6).unwrap())
        .run(&long())
        .unwrap();
    assert_eq!(run.error.refusal, Some(Refusal::VaryingSchedule));
    assert!(run.error.estimate.unwrap().max < 1e-4);
}

#[test]
fn a_run_that_does_not_move_is_exact() {
    let integrators: [&dyn ebflow::flow::Integrator; 2] =
        [&Adaptive::new(1e-6, 1e-6).unwrap(), &Layers::new(3).unwrap()];
    for integrator in integrators {
        let run = flow(5.0, 0.0)
            .with_error_bound()
            .with_drift(Dense)
            .with_integrator(integrator)
            .run(&long())
            .unwrap();
        assert_eq!(run.error.bound.unwrap().max, 0.0);
        let alone = Cloud::new(vec![3.0, -1.0], 2).unwrap();
        let run = flow(5.0, 1.0)
            .with_error_bound()
            .with_drift(Dense)
            .with_integrator(integrator)
            .run(&alone)
            .unwrap();
        assert!(run.error.bound.unwrap().max < 1e-14);
    }
}

#[test]
fn what_was_not_asked_for_is_absent() {
    let run = flow(5.0, 1.0)
        .with_drift(Dense)
        .with_integrator(Adaptive::new(1e-6, 1e-6).unwrap())
        .run(&long())
        .unwrap();
    assert!(run.error == ebflow::flow::ErrorBar::default() && run.events.is_empty());
}
