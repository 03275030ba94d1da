//! Clouds and horizons at the edge of what makes sense, which work.

use ebflow::drift::Dense;
use ebflow::flow::Statistics;
use ebflow::{Adaptive, Beta, Error, Flow, Law, Layers, NoiseVariance, RawTime, Schedule, ScoreTime};
use rayon::ThreadPoolBuilder;

use crate::doubles::{cloud, flow, integrators, noisy_mixture};

const SEED: u64 = 3;

#[test]
fn a_single_particle_stays() {
    let lonely = cloud(&[3.0, -4.0, 5.0], 3);
    for integrator in integrators() {
        assert_eq!(
            flow(20.0, 5.0).with_drift(Dense).with_integrator(integrator.as_ref()).run(&lonely).unwrap().end,
            lonely
        );
    }
}

#[test]
fn coincident_particles_stay_and_keep_together() {
    let same = cloud(&[1.5, 2.5].repeat(7), 2);
    let mixed = cloud(&[0.0, 0.0, 1.0, 0.3, 0.0], 1);
    for integrator in integrators() {
        assert_eq!(
            flow(20.0, 5.0).with_drift(Dense).with_integrator(integrator.as_ref()).run(&same).unwrap().end,
            same
        );
        let end =
            flow(2.0, 1.0).with_drift(Dense).with_integrator(integrator.as_ref()).run(&mixed).unwrap().end;
        assert_eq!((end.points()[0], end.points()[0]), (end.points()[1], end.points()[4]));
    }
}

#[test]
fn enormous_coordinates_work() {
    let far = cloud(&[1e150, -1e150, 1e150, 0.0, 0.1, 0.0, 0.0, 1e-150], 2);
    for integrator in integrators() {
        let end =
            flow(20.0, 5.0).with_drift(Dense).with_integrator(integrator.as_ref()).run(&far).unwrap().end;
        assert_eq!(end.points()[..4], far.points()[..4]);
        assert!(end.points()[4] < 0.1 && end.points()[4] > 0.0);
    }
}

#[test]
fn no_time_means_no_work() {
    let start = noisy_mixture(10, SEED);
    for integrator in integrators() {
        let flow = flow(20.0, 0.0).with_snapshots([RawTime::new(0.0).unwrap()]).with_error_estimate();
        let run = flow.clone().with_drift(Dense).with_integrator(integrator.as_ref()).run(&start).unwrap();
        assert_eq!((&run.end, &run.snapshots[0].cloud), (&start, &start));
        assert_eq!(run.statistics, Statistics::default());
        assert_eq!(run.error.estimate.unwrap().max, 0.0);
    }
}

#[test]
fn hardly_any_time_works() {
    let start = noisy_mixture(10, SEED);
    for horizon in [1e-300, 1e-20, 1e-15, 1e-12] {
        for integrator in integrators() {
            let flow = flow(20.0, horizon).with_snapshots([RawTime::new(horizon / 3.0).unwrap()]);
            let run =
                flow.clone().with_drift(Dense).with_integrator(integrator.as_ref()).run(&start).unwrap();
            let moved = run.end.points().iter().zip(start.points()).map(|(a, b)| (a - b).abs());
            assert!(moved.fold(0.0, f64::max) <= 3.0 * horizon + 1e-15);
        }
    }
}

#[test]
fn layers_must_stay_in_the_hull() {
    let start = noisy_mixture(10, SEED);
    let run = |count: usize| {
        flow(20.0, 5.0).with_drift(Dense).with_integrator(Layers::new(count).unwrap()).run(&start)
    };
    assert!(matches!(run(5), Err(Error::StepTooLong { layers: 5, step: 1.0, enough: 6 })));
    assert!(run(6).is_ok());
    assert!(Layers::new(0).is_err());
}

#[test]
fn tolerances_must_make_sense() {
    for bad in [-1e-9, f64::NAN, f64::INFINITY] {
        assert!(Adaptive::new(bad, 1e-6).is_err());
        assert!(Adaptive::new(1e-6, bad).is_err());
    }
    assert!(Adaptive::new(1e-6, 0.0).is_err());
    assert!(Adaptive::new(0.0, 1e-6).is_ok());
}

#[test]
fn both_clocks_name_the_same_horizon() {
    let schedule = Schedule::constant(Beta::new(20.0).unwrap());
    let start = noisy_mixture(30, SEED);
    let raw = Flow::new(schedule.clone(), RawTime::new(5.0).unwrap());
    let score = Flow::new(schedule, ScoreTime::new(0.25).unwrap());
    for integrator in integrators() {
        let [a, b] = [&raw, &score].map(|flow| {
            flow.clone().with_drift(Dense).with_integrator(integrator.as_ref()).run(&start).unwrap()
        });
        assert_eq!(a.end, b.end);
        assert_eq!((b.raw_time.get(), b.score_time.get()), (5.0, 0.25));
    }
}

#[test]
fn a_snapshot_at_the_horizon_survives_the_rounding_of_clocks() {
    let start = noisy_mixture(10, SEED);
    for (score, beta) in [(0.05, 7.0), (0.15, 7.0), (0.35, 1.1), (0.7, 0.3)] {
        let schedule = Schedule::constant(Beta::new(beta).unwrap());
        let raw = RawTime::new(score * beta * (1.0 + f64::EPSILON)).unwrap();
        let flow = Flow::new(schedule, ScoreTime::new(score).unwrap()).with_snapshots([raw]);
        let run =
            flow.clone().with_drift(Dense).with_integrator(Layers::new(10).unwrap()).run(&start).unwrap();
        assert_eq!(run.snapshots[0].cloud, run.end);
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let start = noisy_mixture(300, SEED);
    let flow = flow(20.0, 2.0).with_snapshots([RawTime::new(0.7).unwrap()]);
    for integrator in integrators() {
        let on = |threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let run =
                    flow.clone().with_drift(Dense).with_integrator(integrator.as_ref()).run(&start).unwrap();
                (run.end, run.snapshots[0].cloud.clone(), run.statistics)
            })
        };
        let expected = on(1);
        for threads in [2, 3, 8] {
            assert_eq!(on(threads), expected, "{threads} threads");
        }
    }
}

/// Outliers that fall onto a cluster are followed with steps as long as stability allows, whose errors the solver takes to be smaller than they are: nobody is to blame.
#[test]
fn steps_near_the_limit_of_stability_are_not_accused() {
    let law = Law::parse("{ kind = 'gaussian', mean = 0, std = 0.001 }").unwrap();
    for seed in [5, 48, 70] {
        let cloud = law.sample_noisy(100, NoiseVariance::new(1.0).unwrap(), seed).unwrap().noisy;
        Flow::new(Beta::new(64.0).unwrap(), ScoreTime::new(0.75).unwrap())
            .with_integrator(Adaptive::new(1e-5, 1e-5).unwrap())
            .run(&cloud)
            .unwrap();
    }
}
