//! When something goes wrong there is an error, and never a NaN.

use std::sync::atomic::Ordering;

use ebflow::drift::Dense;
use ebflow::{Adaptive, Cloud, Error, RawTime};

use crate::doubles::{Failing, Fault, flow, integrators, noisy_mixture};

const SEED: u64 = 11;

#[test]
fn a_failing_drift_fails_the_run_at_once() {
    let cloud = noisy_mixture(20, SEED);
    for integrator in integrators() {
        for fault in [Fault::Nan, Fault::Infinite, Fault::Refusal] {
            for good in [0, 1, 2, 9, 30] {
                let drift = Failing::new(fault, good);
                let error = flow(20.0, 5.0)
                    .with_drift(&drift)
                    .with_integrator(integrator.as_ref())
                    .run(&cloud)
                    .unwrap_err();
                assert!(error.is_numerical(), "{fault:?} {good}: {error}");
                assert_eq!(drift.asked.load(Ordering::Relaxed), good + 1, "{fault:?}");
            }
        }
        let drift = Failing::new(Fault::WrongLength, 4);
        let error =
            flow(20.0, 5.0).with_drift(&drift).with_integrator(integrator.as_ref()).run(&cloud).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 40, found: 1, .. }), "{error}");
    }
}

#[test]
fn the_message_names_the_particle() {
    let cloud = noisy_mixture(20, SEED);
    for integrator in integrators() {
        let drift = Failing::new(Fault::Nan, 0);
        let error = flow(20.0, 5.0)
            .with_drift(&drift)
            .with_integrator(integrator.as_ref())
            .run(&cloud)
            .unwrap_err()
            .to_string();
        assert!(error.contains("particle 1 is NaN in coordinate 1"), "{error}");
    }
}

#[test]
fn the_cap_on_steps_says_what_to_do() {
    let cloud = noisy_mixture(20, SEED);
    let adaptive = Adaptive::new(1e-9, 1e-9).unwrap();
    let needed =
        flow(20.0, 5.0).with_drift(Dense).with_integrator(adaptive).run(&cloud).unwrap().statistics.steps;
    let error = flow(20.0, 5.0)
        .with_drift(Dense)
        .with_integrator(adaptive.with_max_steps(needed - 1))
        .run(&cloud)
        .unwrap_err();
    let Error::Integration { raw_time, .. } = &error else { panic!("{error}") };
    assert!(*raw_time > 0.0 && *raw_time < 5.0);
    assert!(error.to_string().contains("loosen rtol = 1e-9"), "{error}");
    assert!(
        flow(20.0, 5.0)
            .with_drift(Dense)
            .with_integrator(adaptive.with_max_steps(needed))
            .run(&cloud)
            .is_ok()
    );
}

#[test]
fn impossible_tolerances_are_an_error() {
    let cloud = noisy_mixture(20, SEED);
    let adaptive = Adaptive::new(0.0, 1e-30).unwrap().with_max_steps(1000);
    let error = flow(20.0, 5.0).with_drift(Dense).with_integrator(adaptive).run(&cloud).unwrap_err();
    assert!(error.is_numerical() && error.to_string().contains("loosen"), "{error}");
}

#[test]
fn snapshots_beyond_the_horizon_are_refused() {
    let late = flow(20.0, 5.0).with_snapshots([RawTime::new(5.1).unwrap()]);
    let error = late.run(&Cloud::new(vec![0.0, 1.0], 1).unwrap()).unwrap_err().to_string();
    assert!(error.contains("5.1") && error.contains("horizon"), "{error}");
}

/// Where stability limits the steps, looser tolerances would not help, and are not advised.
#[test]
fn a_flow_at_rest_is_not_told_to_loosen_its_tolerances() {
    let cloud = Cloud::new(vec![0.0, 1.0], 1).unwrap();
    let run = |horizon: f64| {
        let adaptive = Adaptive::new(1e-8, 1e-8).unwrap().with_max_steps(2000);
        flow(1.0, horizon).with_drift(Dense).with_integrator(adaptive).run(&cloud)
    };
    let message = run(1e6).unwrap_err().to_string();
    assert!(message.contains("stability") && !message.contains("loosen"), "{message}");
    assert!(run(1e3).is_ok());
}
