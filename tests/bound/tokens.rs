//! Flows from tokens that are only known within some radius.

use ebflow::drift::Dense;
use ebflow::{Adaptive, Beta, Cloud, Flow, RawTime};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use crate::problems::{Problem, Shape};
use crate::reference::distances;

const SEED: u64 = 31;

/// Starts on the edge of what is allowed, per problem; the environment may ask for more (`EBFLOW_STARTS`).
const STARTS: usize = 500;

fn starts() -> usize {
    std::env::var("EBFLOW_STARTS").map_or(STARTS, |value| value.parse().expect("a number"))
}

/// Clouds, and radii of their tokens: none of them, all alike, and over decades.
fn problems() -> Vec<(Problem, Vec<f64>)> {
    let problem = |shape, dimension, particles, seed| Problem {
        shape,
        dimension,
        particles,
        beta: 8.0,
        noise: 0.5,
        tolerance: 1e-10,
        seed,
    };
    let decades = |n: usize| (0..n).map(|i| if i % 5 == 0 { 0.0 } else { 10f64.powi(-3 - (i % 7) as i32) });
    vec![
        (problem(Shape::Gaussian, 1, 40, 1), vec![1e-4; 40]),
        (problem(Shape::Mixture, 2, 25, 2), decades(25).collect()),
        (problem(Shape::Clusters, 3, 30, 3), vec![1e-6; 30]),
        (problem(Shape::Gaussian, 2, 2, 4), vec![1e-2, 1e-3]),
    ]
}

fn flow() -> Flow<'static> {
    Flow::new(Beta::new(8.0).unwrap(), RawTime::new(2.0).unwrap())
        .with_drift(Dense)
        .with_integrator(Adaptive::new(1e-10, 1e-10).unwrap())
}

/// A cloud each of whose tokens lies as far from its own as is allowed, in a random direction or all along one.
fn perturbed(cloud: &Cloud, radii: &[f64], rng: &mut Pcg64) -> Cloud {
    let alike = rng.random::<f64>() < 0.3;
    let d = cloud.dimension();
    let mut direction = vec![0.0; d];
    let mut points = cloud.points().to_vec();
    for (i, radius) in radii.iter().enumerate() {
        if i == 0 || !alike {
            direction.fill_with(|| StandardNormal.sample(rng));
        }
        let length = direction.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        points[i * d..(i + 1) * d].iter_mut().zip(&direction).for_each(|(z, u)| *z += radius * u / length);
    }
    cloud.moved_to(points).unwrap()
}

#[test]
fn no_start_within_the_radii_ends_outside_the_bound() {
    let mut rng = Pcg64::seed_from_u64(SEED);
    for (problem, radii) in problems() {
        let cloud = problem.cloud();
        let run = flow().with_token_errors(radii.clone()).run(&cloud).unwrap();
        let bound = run.error.bound.unwrap();
        let mut closest = 0.0_f64;
        for _ in 0..starts() {
            let start = perturbed(&cloud, &radii, &mut rng);
            let other = flow().with_error_estimate().run(&start).unwrap();
            let known = 1e-8;
            for (i, distance) in distances(&run.end, &other.end).into_iter().enumerate() {
                assert!(distance <= bound.per_particle[i] + known, "{problem:?}, particle {i}: {distance:e}");
                closest = closest.max((distance - known) / bound.per_particle[i]);
            }
        }
        println!("{problem:?}: up to {closest:.3} of the bound");
        assert!(closest > 0.02, "{problem:?}: {closest}");
        assert!(bound.budget.tokens > 0.5 * bound.w1);
    }
}

#[test]
fn radii_are_checked() {
    let cloud = Cloud::new(vec![0.0, 1.0, 2.0], 1).unwrap();
    for radii in [vec![], vec![1.0; 2], vec![-1.0], vec![f64::NAN; 3], vec![f64::INFINITY]] {
        assert!(flow().with_token_errors(radii).run(&cloud).is_err());
    }
    let at_once = Flow::new(Beta::new(8.0).unwrap(), RawTime::new(0.0).unwrap()).with_token_errors([0.25]);
    assert_eq!(at_once.run(&cloud).unwrap().error.bound.unwrap().per_particle, [0.25; 3]);
}
