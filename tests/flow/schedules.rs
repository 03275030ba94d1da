//! Schedules `β(t), η(t)`, against a Gaussian mean field in which the variance is known.
//!
//! With `H(t) = ∫₀ᵗ η` and `β(t) = (c − 1)/λ₀ · e^{2H(t)/c}` the factor `1 + βλ` stays at `c`, so that
//! `λ̇ = −2ηλ/c` and `λ(t) = λ₀ e^{−2H(t)/c}`.

use ebflow::drift::Dense;
use ebflow::flow::Time;
use ebflow::{Adaptive, Beta, Cloud, Error, Flow, Layers, RawTime, Schedule, ScoreTime};

use crate::doubles::{MeanFieldGaussian, cloud, max_distance, noisy_mixture};

const START: f64 = 0.6;
const FACTOR: f64 = 5.0;

fn rate(t: f64) -> f64 {
    1.0 + 0.8 * (2.0 * t).sin()
}

/// `∫₀ᵗ rate`.
fn passed(t: f64) -> f64 {
    t + 0.4 * (1.0 - (2.0 * t).cos())
}

fn beta(t: f64) -> f64 {
    (FACTOR - 1.0) / START * (2.0 * passed(t) / FACTOR).exp()
}

fn pair() -> Cloud {
    cloud(&[-START.sqrt(), START.sqrt()], 1)
}

/// The standard deviation that the schedule prescribes.
fn deviation(t: f64) -> f64 {
    START.sqrt() * (-passed(t) / FACTOR).exp()
}

fn annealed(horizon: f64) -> Flow<'static> {
    Flow::new(Schedule::varying(beta, rate), RawTime::new(horizon).unwrap())
}

#[test]
fn the_adaptive_flow_follows_a_schedule() {
    const TOLERANCE: f64 = 1e-10;
    let times = [0.3, 1.0, 2.2, 4.0];
    let flow = annealed(4.0).with_snapshots(times.map(|t| RawTime::new(t).unwrap()));
    let run = flow
        .with_drift(MeanFieldGaussian)
        .with_integrator(Adaptive::new(TOLERANCE, TOLERANCE).unwrap())
        .run(&pair())
        .unwrap();
    for (t, snapshot) in times.into_iter().zip(&run.snapshots) {
        let found = snapshot.cloud.points()[1];
        assert!((found - deviation(t)).abs() < 10.0 * TOLERANCE, "{found} {}", deviation(t));
    }
}

#[test]
fn layers_take_their_step_and_bandwidth_from_the_schedule() {
    let (count, horizon) = (12, 2.0);
    let mut expected = START.sqrt();
    for layer in 0..count {
        let t = horizon * f64::from(layer) / f64::from(count);
        let step = rate(t) * horizon / f64::from(count);
        expected *= 1.0 - step / (1.0 + beta(t) * expected * expected);
    }
    let run = annealed(horizon)
        .with_drift(MeanFieldGaussian)
        .with_integrator(Layers::new(12).unwrap())
        .run(&pair())
        .unwrap();
    assert!((run.end.points()[1] - expected).abs() < 1e-14);
}

#[test]
fn annealed_layers_converge_to_the_annealed_flow() {
    let error = |count: usize| {
        let run = annealed(4.0)
            .with_drift(MeanFieldGaussian)
            .with_integrator(Layers::new(count).unwrap())
            .run(&pair())
            .unwrap();
        (run.end.points()[1] - deviation(4.0)).abs()
    };
    let order = (error(400) / error(1600)).log2() / 2.0;
    assert!((order - 1.0).abs() < 0.05, "{order}");
}

#[test]
fn the_score_clock_weighs_the_rate_by_the_bandwidth() {
    // ∫ η/β dt = λ₀/(c − 1) ∫ e^{−2H/c} dH = λ₀ c / (2(c − 1)) · (1 − e^{−2H/c}).
    let expected = START * FACTOR / (2.0 * (FACTOR - 1.0)) * -(-2.0 * passed(4.0) / FACTOR).exp_m1();
    let run = annealed(4.0)
        .with_drift(MeanFieldGaussian)
        .with_integrator(Layers::new(20).unwrap())
        .run(&pair())
        .unwrap();
    assert!((run.score_time.get() / expected - 1.0).abs() < 1e-12);
    let score = Time::from(ScoreTime::new(expected).unwrap());
    let raw = Schedule::varying(beta, rate).raw_time(score).unwrap();
    assert!((raw.get() - 4.0).abs() < 1e-11);
}

#[test]
fn a_faster_clock_reaches_the_same_cloud() {
    const SEED: u64 = 2;
    let start = noisy_mixture(60, SEED);
    let tight = Adaptive::new(1e-10, 1e-10).unwrap();
    let plain = Flow::new(Beta::new(20.0).unwrap(), RawTime::new(3.0).unwrap());
    let hasty = Flow::new(Schedule::varying(|_| 20.0, |_| 4.0), RawTime::new(0.75).unwrap());
    let (plain, hasty) = (
        plain.clone().with_drift(Dense).with_integrator(tight).run(&start),
        hasty.clone().with_drift(Dense).with_integrator(tight).run(&start),
    );
    let (plain, hasty) = (plain.unwrap(), hasty.unwrap());
    assert!(max_distance(&plain.end, &hasty.end) < 1e-8);
    assert!((plain.score_time.get() - hasty.score_time.get()).abs() < 1e-13);
}

#[test]
fn a_schedule_too_fast_for_its_layers_is_refused() {
    let flow = Flow::new(Schedule::varying(|_| 20.0, |t| 1.0 + t), RawTime::new(2.0).unwrap());
    let error = flow
        .clone()
        .with_drift(MeanFieldGaussian)
        .with_integrator(Layers::new(4).unwrap())
        .run(&pair())
        .unwrap_err();
    // The last of four layers starts at t = 1.5 with η = 2.5 · 2/4.
    assert!(matches!(error, Error::StepTooLong { layers: 4, step: 1.25, enough: 6 }), "{error}");
}

#[test]
fn a_schedule_that_breaks_off_is_an_error() {
    let broken = Schedule::varying(|t| if t < 1.0 { 20.0 } else { f64::NAN }, |_| 1.0);
    let flow = Flow::new(broken, RawTime::new(2.0).unwrap());
    assert!(
        flow.clone()
            .with_drift(MeanFieldGaussian)
            .with_integrator(Layers::new(10).unwrap())
            .run(&pair())
            .is_err()
    );
    assert!(
        flow.clone()
            .with_drift(MeanFieldGaussian)
            .with_integrator(Adaptive::new(1e-6, 1e-6).unwrap())
            .run(&pair())
            .is_err()
    );
}
