//! Events: crossings against closed forms, pairs of crossings within a step, hitting times.

use ebflow::drift::Dense;
use ebflow::exact::VarianceDescent;
use ebflow::flow::{AxisVariance, Direction, DistanceTo, Event, Flow, Integrator, Passages, TotalVariance};
use ebflow::metric::MeasuredHitting;
use ebflow::{Adaptive, Beta, Cloud, CloudView, Error, Layers, NoiseVariance, RawTime, Result, Schedule};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// An event may miss its time by this many tolerances.
const ASKED: f64 = 3.0;

fn flow(beta: f64, horizon: f64) -> Flow<'static> {
    Flow::new(Beta::new(beta).unwrap(), RawTime::new(horizon).unwrap())
}

fn adaptive(tolerance: f64) -> Adaptive {
    Adaptive::new(tolerance, tolerance).unwrap()
}

fn normals(count: usize, seed: u64, scale: f64) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    (0..count)
        .map(|_| scale * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, &mut rng))
        .collect()
}

/// Two particles at `±a` obey `ż = −2z/(1 + e^{2βz²})`, so the variance `z²` reaches `b²` at
/// `t = ln(a/b)/2 + (Ei(2βa²) − Ei(2βb²))/4`. Values from mpmath, 30 digits, confirmed by quadrature there.
const PAIRS: [(f64, f64, f64, f64); 3] = [
    (1.0, 0.5, 1.0, 1.471_577_203_064_652),
    (0.8, 0.3, 2.0, 2.345_604_333_888_711_6),
    (1.2, 0.9, 0.5, 0.580_983_240_656_240_1),
];

#[test]
fn two_particles_reach_a_variance_when_the_closed_form_says() {
    for (a, b, beta, expected) in PAIRS {
        let cloud = Cloud::new(vec![-a, a], 1).unwrap();
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            for bounded in [false, true] {
                let flow =
                    flow(beta, 2.0 * expected).with_event(Event::new(TotalVariance, b * b, 1e-12).unwrap());
                let flow = if bounded { flow.with_error_bound() } else { flow };
                let run =
                    flow.clone().with_drift(Dense).with_integrator(adaptive(tolerance)).run(&cloud).unwrap();
                assert_eq!(run.error.bound.is_some() || run.error.refusal.is_some(), bounded);
                let [crossing] = run.events[0].crossings[..] else { panic!("{:?}", run.events) };
                let miss = (crossing.raw_time.get() - expected).abs();
                println!(
                    "{a} {b} {beta}, {tolerance:e}: off by {miss:.1e}, error bar {:.1e}",
                    crossing.error
                );
                assert_eq!(crossing.direction, Direction::Falling);
                assert!(miss <= ASKED * tolerance, "{tolerance:e}: {miss:e}");
                // The resolution is 1e-12, and rounding moves a time by less than 1e-13.
                assert!(!crossing.proved || miss <= crossing.error + 1e-13, "{crossing:?} {miss:e}");
                assert_eq!(crossing.proved, bounded && run.error.bound.is_some());
                assert!(run.events[0].unresolved.is_empty());
            }
        }
    }
}

#[test]
fn variances_per_axis_cross_one_after_the_other() {
    let mut points = normals(400, 3, 1.0);
    points.iter_mut().skip(1).step_by(2).for_each(|y| *y *= 0.5);
    let cloud = Cloud::new(points, 2).unwrap();
    let (initial, level) =
        (cloud.covariance(), |axis: usize, v: f64| Event::new(AxisVariance { axis }, v, 1e-10).unwrap());
    let (x, y) = (0.8 * initial[(0, 0)], 0.8 * initial[(1, 1)]);
    let run = |tolerance: f64| {
        let flow = flow(8.0, 3.0).with_event(level(0, x)).with_event(level(1, y));
        let run = flow.clone().with_drift(Dense).with_integrator(adaptive(tolerance)).run(&cloud).unwrap();
        [0, 1].map(|axis: usize| run.events[axis].crossings[0])
    };
    let (coarse, fine) = (run(1e-5), run(1e-11));
    for axis in [0, 1] {
        let miss = (coarse[axis].raw_time.get() - fine[axis].raw_time.get()).abs();
        assert!(miss <= coarse[axis].error && fine[axis].error < 1e-7, "{coarse:?} {fine:?}");
    }
    assert!(fine[1].raw_time < fine[0].raw_time, "the narrow axis contracts faster");
}

/// `ω_0 |z_0 − c|`: down to zero and up again while particle 0 passes `c`.
fn passing(c: f64) -> DistanceTo {
    DistanceTo::new("distance of particle 0 from a point", move |cloud: CloudView<'_>| {
        Ok((cloud.points[0] - c).abs() / cloud.len() as f64)
    })
}

/// What is found near a level while particle 0 passes a point, within a step.
fn passages(level: f64, resolution: f64, tolerance: f64) -> Result<Passages> {
    let cloud = Cloud::new(vec![-1.0, -0.4, 0.1, 0.4, 1.0], 1)?;
    let event = Event::new(passing(-0.9), level / 5.0, resolution)?;
    let run = flow(1.0, 3.0)
        .with_event(event)
        .with_error_bound()
        .with_drift(Dense)
        .with_integrator(adaptive(tolerance))
        .run(&cloud)?;
    assert!(run.statistics.steps < 60, "the steps should be long");
    Ok(run.events[0].clone())
}

#[test]
fn two_crossings_within_a_step_are_both_found() {
    for (level, tolerance) in [(1e-2, 1e-6), (1e-4, 1e-8), (1e-6, 1e-10)] {
        let Passages { crossings, unresolved, .. } = passages(level, 1e-3 * level, tolerance).unwrap();
        let [down, up] = crossings[..] else { panic!("{level:e}: {crossings:?} {unresolved:?}") };
        assert_eq!((down.direction, up.direction), (Direction::Falling, Direction::Rising));
        assert!(unresolved.is_empty() && down.proved && up.proved, "{unresolved:?}");
        let apart = up.raw_time.get() - down.raw_time.get();
        // Particle 0 moves at a speed between 0.1 and 1 there.
        assert!(apart > 2.0 * level && apart < 20.0 * level, "{level:e}: {apart:e}");
        assert!(down.error + up.error < apart);
    }
}

#[test]
fn a_pair_that_cannot_be_told_apart_is_reported_as_unresolved() {
    // Below the resolution; touching the level; closer together than the run is accurate.
    for (level, resolution, tolerance) in [(1e-9, 1e-6, 1e-10), (0.0, 1e-6, 1e-10), (1e-9, 1e-12, 1e-4)] {
        let Passages { crossings, unresolved, .. } = passages(level, resolution, tolerance).unwrap();
        assert!(crossings.is_empty(), "{level:e}: {crossings:?}");
        let [(low, high)] = unresolved[..] else { panic!("{unresolved:?}") };
        assert!(high > low && high - low < 0.1, "{level:e}: {low} {high}");
    }
}

#[test]
fn what_happens_at_the_ends_of_a_run_is_not_decided() {
    let cloud = Cloud::new(vec![-1.0, -0.4, 0.1, 0.4, 1.0], 1).unwrap();
    let start = cloud.covariance()[(0, 0)];
    let run = flow(1.0, 1.0).with_drift(Dense).with_integrator(adaptive(1e-9)).run(&cloud).unwrap();
    for level in [start, run.end.covariance()[(0, 0)]] {
        let flow = flow(1.0, 1.0).with_event(Event::new(TotalVariance, level, 1e-9).unwrap());
        let Passages { crossings, unresolved, .. } =
            &flow.clone().with_drift(Dense).with_integrator(adaptive(1e-9)).run(&cloud).unwrap().events[0];
        assert!(crossings.is_empty() && unresolved.len() == 1, "{crossings:?} {unresolved:?}");
    }
}

#[test]
fn networks_report_the_crossings_of_the_flow() {
    let cloud = Cloud::new(normals(200, 9, 1.0), 1).unwrap();
    let event = || Event::new(TotalVariance, 0.8 * cloud.covariance()[(0, 0)], 1e-9).unwrap();
    let time = |integrator: &dyn Integrator| {
        let run = flow(5.0, 3.0)
            .with_event(event())
            .with_drift(Dense)
            .with_integrator(integrator)
            .run(&cloud)
            .unwrap();
        run.events[0].crossings[0].raw_time.get()
    };
    assert!((time(&Layers::new(60).unwrap()) - time(&adaptive(1e-10))).abs() < 1e-3);
}

#[test]
fn bad_events_are_refused() {
    for (level, resolution) in [(f64::NAN, 1e-6), (1.0, 0.0), (1.0, f64::INFINITY)] {
        assert!(matches!(Event::new(TotalVariance, level, resolution), Err(Error::InvalidParameter { .. })));
    }
    let varying = Flow::new(Schedule::varying(|t| 1.0 + t, |_| 1.0), RawTime::new(1.0).unwrap());
    let cloud = Cloud::new(vec![0.0, 1.0], 1).unwrap();
    let asked = varying.with_event(Event::new(TotalVariance, 1.0, 1e-6).unwrap());
    assert!(matches!(asked.run(&cloud), Err(Error::InvalidParameter { .. })));
    let beyond = flow(1.0, 1.0).with_event(Event::new(AxisVariance { axis: 1 }, 0.1, 1e-6).unwrap());
    assert!(
        beyond
            .with_drift(Dense)
            .with_integrator(adaptive(1e-6))
            .run(&cloud)
            .unwrap_err()
            .to_string()
            .contains("axes count from zero")
    );
}

/// `N = 2000` on the line, prior variance 1, noise variance 1/4, `β = 20`.
#[test]
fn hitting_times_agree_with_the_closed_form_for_the_sample() {
    const SEEDS: [u64; 3] = [0, 1, 2];
    /// Standard errors.
    const CONFIDENCE: f64 = 3.0;
    let (beta, noise) = (Beta::new(20.0).unwrap(), NoiseVariance::new(0.25).unwrap());
    let descent = VarianceDescent::of_prior(1.0, noise, beta).unwrap();
    for seed in SEEDS {
        let cloud = Cloud::new(normals(2000, seed, 1.25_f64.sqrt()), 1).unwrap();
        let hitting = MeasuredHitting::new(&cloud, descent, 1.0, 1e-9, (&Dense, &adaptive(1e-7))).unwrap();
        let to_sample = hitting.measured.get() - hitting.for_sample.get();
        let to_law = hitting.measured.get() - hitting.mean_field.get();
        println!("{to_sample:+.6} from the sample's, {to_law:+.6} from the law's: {hitting:?}");
        assert!(hitting.error < 1e-6);
        let unexplained = to_sample - hitting.shape_bias;
        let shape = CONFIDENCE * hitting.shape_error;
        assert!(unexplained.abs() <= hitting.error + shape, "{unexplained} {shape}");
        assert!(
            (to_law - hitting.shape_bias).abs() <= CONFIDENCE * hitting.sampling_error + shape,
            "{to_law}"
        );
    }
}

/// Where the sample has the shape of the law, the closed form holds to within the numerical error bar: 2000 nodes of the trapezoid rule, whose
/// error is `exp(−2π²/(h²β))` with spacing `h`, far below rounding.
#[test]
fn hitting_times_agree_to_the_error_bar_where_the_sample_is_gaussian() {
    let (beta, noise) = (Beta::new(20.0).unwrap(), NoiseVariance::new(0.25).unwrap());
    let descent = VarianceDescent::of_prior(1.0, noise, beta).unwrap();
    let nodes: Vec<f64> = (0..2000).map(|i| (f64::from(i) - 999.5) * 0.01).collect();
    let weights: Vec<f64> = nodes.iter().map(|x| (-x * x / 2.5).exp()).collect();
    let total: f64 = weights.iter().sum();
    let cloud =
        Cloud::new(nodes, 1).unwrap().with_weights(weights.iter().map(|w| w / total).collect()).unwrap();
    let hitting = MeasuredHitting::new(&cloud, descent, 1.0, 1e-10, (&Dense, &adaptive(1e-9))).unwrap();
    println!("{hitting:?}");
    // What the trapezoid rule and rounding leave.
    const QUADRATURE: f64 = 1e-12;
    let [to_sample, to_law] =
        [hitting.for_sample, hitting.mean_field].map(|t| (hitting.measured.get() - t.get()).abs());
    assert!(hitting.error < 1e-8);
    assert!(
        to_sample <= hitting.error + QUADRATURE && to_law <= hitting.error + QUADRATURE,
        "{to_sample:e} {to_law:e}"
    );
}

#[test]
fn hitting_times_that_cannot_be_measured_are_refused() {
    let (beta, integrator) = (Beta::new(20.0).unwrap(), adaptive(1e-6));
    let descent = VarianceDescent::of_prior(1.0, NoiseVariance::new(0.25).unwrap(), beta).unwrap();
    let measure = |particles: usize, target: f64| {
        let cloud = Cloud::new(normals(particles, 5, 1.0), 1).unwrap();
        MeasuredHitting::new(&cloud, descent, target, 1e-6, (&Dense, &integrator)).unwrap_err()
    };
    assert!(matches!(measure(10, 0.5), Error::Fit { .. }));
    assert!(matches!(measure(200, 5.0), Error::TargetAboveStart { .. }));
    assert!(measure(200, 0.0).to_string().contains("positive"));
}
