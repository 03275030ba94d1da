//! Where there is no bound there is a reason.

use ebflow::drift::{Blocks, Dense, Tolerance};
use ebflow::flow::{Flow, Refusal};
use ebflow::{Adaptive, Beta, Cloud, Drift, Layers, RawTime, Schedule};

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
fn tokens_that_are_hardly_known_are_refused_with_their_reason() {
    // The kernel is 0.14 wide.
    let run = flow(50.0, 20.0)
        .with_error_estimate()
        .with_token_errors([0.06])
        .with_drift(Dense)
        .with_integrator(Adaptive::new(1e-3, 1e-3).unwrap())
        .run(&long())
        .unwrap();
    assert!(run.error.bound.is_none() && run.error.estimate.is_some());
    let refusal = run.error.refusal.unwrap();
    let Refusal::TubeTooWide { raw_time, radius, kernel_width, .. } = refusal else { panic!("{refusal}") };
    assert!(raw_time < 20.0 && radius > 0.1 * kernel_width);
    assert!(refusal.to_string().contains("shorten the horizon or lower β"), "{refusal}");
}

#[test]
fn a_varying_schedule_is_refused_but_estimated() {
    let schedule = Schedule::varying(|t| 5.0 + t, |_| 1.0);
    let flow = Flow::new(schedule, RawTime::new(1.0).unwrap());
    let run = flow
        .with_error_estimate()
        .with_error_bound()
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

/// Where a loose tolerance, or a loosely truncated kernel, lets no bound close along the run itself, it closes along a more accurate one, and what the run has lost is
/// most of it.
#[test]
fn a_bound_is_found_along_a_more_accurate_run() {
    let (beta, horizon) = (50.0, 20.0);
    let exact = crate::reference::solve(&long(), beta, horizon);
    let loose = Tolerance::new(1e-4).unwrap();
    let drifts: [&dyn Drift; 2] = [&Dense, &Blocks { tolerance: loose }];
    for (drift, tolerance) in drifts.into_iter().zip([1e-3, 1e-6]) {
        let run = flow(beta, horizon)
            .with_error_bound()
            .with_drift(drift)
            .with_integrator(Adaptive::new(tolerance, tolerance).unwrap())
            .run(&long())
            .unwrap();
        let bound = run.error.bound.unwrap();
        let errors = crate::reference::distances(&run.end, &exact);
        for (error, bound) in errors.iter().zip(&bound.per_particle) {
            assert!(error <= bound && *bound < 1.1 * error + 1e-5, "{error:e} {bound:e}");
        }
    }
}
