//! Right-hand sides and integrators that are wrong on purpose: something must notice.

use ebflow::drift::Dense;
use ebflow::flow::{Field, Flow, IntegrationEnd, Integrator, Moment, Step, StepObserver};
use ebflow::{Adaptive, Beta, Cloud, CloudView, Drift, DriftField, Layers, RawTime, Result, Targets};

use crate::problems::{Problem, Shape};
use crate::reference::{distances, solve};

const BETA: f64 = 10.0;
const HORIZON: f64 = 2.0;

fn cloud() -> Cloud {
    let problem = Problem {
        shape: Shape::Mixture,
        dimension: 2,
        particles: 60,
        beta: BETA,
        noise: 0.2,
        tolerance: 1e-8,
        seed: 3,
    };
    problem.cloud()
}

fn flow() -> Flow<'static> {
    Flow::new(Beta::new(BETA).unwrap(), RawTime::new(HORIZON).unwrap())
}

fn adaptive() -> Adaptive {
    Adaptive::new(1e-8, 1e-8).unwrap()
}

/// The full sum, spoiled afterwards.
struct Spoiled<F>(F);

impl<F: Fn(CloudView<'_>, &mut [f64]) + Send + Sync> Drift for Spoiled<F> {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, beta, field)?;
        (self.0)(sources, &mut field.velocity);
        Ok(())
    }
}

/// What a weight `w_01` that is wrong by the factor `1 + by` adds to the drift of particle 0 (to first order in `by`).
fn wrong_weight(sources: CloudView<'_>, by: f64, velocity: &mut [f64]) {
    let z = sources.points;
    let mass: f64 = z
        .chunks_exact(2)
        .map(|x| (-0.5 * BETA * ((x[0] - z[0]).powi(2) + (x[1] - z[1]).powi(2))).exp())
        .sum();
    let weight = (-0.5 * BETA * ((z[2] - z[0]).powi(2) + (z[3] - z[1]).powi(2))).exp() / mass;
    for c in 0..2 {
        velocity[c] += by * weight * (z[2 + c] - z[c] - velocity[c]);
    }
}

fn is_caught(drift: &dyn Drift) -> String {
    let error =
        flow().with_error_bound().with_drift(drift).with_integrator(adaptive()).run(&cloud()).unwrap_err();
    assert!(error.is_numerical(), "{error}");
    error.to_string()
}

#[test]
fn one_term_off_by_a_thousandth() {
    let message = is_caught(&Spoiled(|sources: CloudView<'_>, velocity: &mut [f64]| {
        wrong_weight(sources, 1e-3, velocity);
    }));
    assert!(message.contains("the drift of particle 0") && message.contains("full sum"), "{message}");
}

#[test]
fn one_drift_off_by_a_thousandth() {
    let message = is_caught(&Spoiled(|_: CloudView<'_>, velocity: &mut [f64]| velocity[7] *= 1.001));
    assert!(message.contains("the drift of particle 3"), "{message}");
}

#[test]
fn a_frozen_weight() {
    let start = cloud();
    let distance_2 = |z: &[f64]| (z[2] - z[0]).powi(2) + (z[3] - z[1]).powi(2);
    let frozen = distance_2(start.points());
    let message = is_caught(&Spoiled(move |sources: CloudView<'_>, velocity: &mut [f64]| {
        let ratio = (0.5 * BETA * (distance_2(sources.points) - frozen)).exp();
        wrong_weight(sources, ratio - 1.0, velocity);
    }));
    assert!(message.contains("the drift of particle 0"), "{message}");
}

/// Forward Euler with the step that a tolerance of `1e-8` would give a method of fifth order, and with the slopes of one: its steps
/// claim the drift at both ends.
struct PosingEuler;

impl Integrator for PosingEuler {
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        const STEPS: u32 = 60;
        let length = field.horizon().get() / f64::from(STEPS);
        let mut points = field.start().points().to_vec();
        let (mut here, mut there) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        field.evaluate(0.0, &points, &mut here)?;
        for step in 0..STEPS {
            let (from, to) = (length * f64::from(step), length * f64::from(step + 1));
            let next: Vec<f64> = points.iter().zip(&here).map(|(z, v)| z + length * v).collect();
            field.evaluate(to, &next, &mut there)?;
            let moment = |time: f64, points, derivative| {
                Ok(Moment { raw_time: RawTime::new(time)?, points, derivative })
            };
            let path = |_: f64| Ok(points.clone());
            observer.accepted(&Step::new(
                moment(from, &points, &here)?,
                moment(to, &next, &there)?,
                &path,
            ))?;
            points = next;
            std::mem::swap(&mut here, &mut there);
        }
        Ok(IntegrationEnd { points, steps: u64::from(STEPS), rejected: 0 })
    }
}

#[test]
fn euler_posing_as_a_method_of_fifth_order() {
    let cloud = cloud();
    let honest = flow()
        .with_error_bound()
        .with_drift(Dense)
        .with_integrator(adaptive())
        .run(&cloud)
        .unwrap()
        .error
        .bound
        .unwrap();
    assert!(honest.max < 1e-6, "{}", honest.max);
    let run = flow()
        .with_error_estimate()
        .with_error_bound()
        .with_drift(Dense)
        .with_integrator(PosingEuler)
        .run(&cloud)
        .unwrap();
    let truth = distances(&run.end, &solve(&cloud, BETA, HORIZON));
    let bound = run.error.bound.unwrap();
    assert!(truth.iter().zip(&bound.per_particle).all(|(error, bound)| error <= bound));
    assert!(bound.max > 1e4 * honest.max && run.error.estimate.unwrap().max > 1e4 * honest.max);
}

#[test]
fn a_drift_that_points_outwards_is_caught_in_every_run() {
    let outwards =
        Spoiled(|_: CloudView<'_>, velocity: &mut [f64]| velocity.iter_mut().for_each(|v| *v = -*v));
    let integrators: [&dyn Integrator; 2] = [&Layers::new(20).unwrap(), &adaptive()];
    for integrator in integrators {
        let error = flow().with_drift(&outwards).with_integrator(integrator).run(&cloud()).unwrap_err();
        assert!(error.is_numerical() && error.to_string().contains("convex hull"), "{error}");
    }
}

#[test]
fn a_drift_that_is_too_fast_is_caught_in_every_run() {
    // Particle 0 heads for the particle farthest away, within the hull.
    let rushing = Spoiled(|sources: CloudView<'_>, velocity: &mut [f64]| {
        let z = sources.points;
        let distance_2 = |k: usize| (z[2 * k] - z[0]).powi(2) + (z[2 * k + 1] - z[1]).powi(2);
        let farthest = (0..sources.len()).max_by(|a, b| distance_2(*a).total_cmp(&distance_2(*b))).unwrap();
        for c in 0..2 {
            velocity[c] = z[2 * farthest + c] - z[c];
        }
    });
    let error = flow().with_drift(&rushing).with_integrator(adaptive()).run(&cloud()).unwrap_err();
    assert!(error.is_numerical() && error.to_string().contains("action estimate"), "{error}");
}

/// Layers that step too far.
struct Overshooting;

impl Integrator for Overshooting {
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        let points = field.start().points().to_vec();
        let mut derivative = vec![0.0; points.len()];
        field.evaluate(0.0, &points, &mut derivative)?;
        let next: Vec<f64> = points.iter().zip(&derivative).map(|(z, v)| z + 30.0 * v).collect();
        let moment =
            |time: f64, points| Ok(Moment { raw_time: RawTime::new(time)?, points, derivative: &derivative });
        let path = |_: f64| Ok(points.clone());
        observer.accepted(&Step::new(moment(0.0, &points)?, moment(field.horizon().get(), &next)?, &path))?;
        Ok(IntegrationEnd { points: next, steps: 1, rejected: 0 })
    }

    fn step_error(&self, _cloud: &Cloud) -> Option<f64> {
        Some(0.0)
    }
}

#[test]
fn an_integrator_that_leaves_the_hull_is_caught_in_every_run() {
    let error = flow().with_drift(Dense).with_integrator(Overshooting).run(&cloud()).unwrap_err();
    assert!(error.is_numerical() && error.to_string().contains("left the convex hull"), "{error}");
}
