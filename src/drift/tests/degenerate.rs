//! Clouds without an inside: every drift, large enough for the Gauss transform to be `auto`'s choice.

use super::*;
use crate::drift::{Auto, GaussTransform};

const POINTS: usize = 2_000;
/// Every so-manieth point is compared with the double-double sum.
const STRIDE: usize = 97;
/// What the Gauss transform promises, in the cloud's unit; the tiles keep to rounding.
const PROMISED: f64 = 1e-11;

fn drifts() -> Vec<(&'static str, Box<dyn Drift>)> {
    vec![
        ("dense", Box::new(Dense)),
        ("blocks", Box::<Blocks>::default()),
        ("kdtree", Box::<KdTree>::default()),
        ("gauss", Box::<GaussTransform>::default()),
        ("auto", Box::<Auto>::default()),
    ]
}

/// Points on a quasi-random sequence in the unit square.
fn square() -> Vec<[f64; 2]> {
    (0..POINTS).map(|i| [0.754_877_666 * i as f64, 0.569_840_291 * i as f64].map(f64::fract)).collect()
}

fn clouds() -> Vec<(&'static str, Vec<[f64; 2]>)> {
    let mut outlier = square();
    outlier[POINTS / 2] = [1e6, -1e6];
    vec![
        ("one point", vec![[0.3, -0.7]]),
        ("coincident points", vec![[0.3, -0.7]; POINTS]),
        ("points on a line", square().iter().map(|[x, _]| [*x, 0.5 - 2.0 * x]).collect()),
        ("points on an axis", square().iter().map(|[x, _]| [*x, 0.25]).collect()),
        ("an outlier", outlier),
    ]
}

/// The smallest makes the cutoff larger than any cloud without outliers.
const BETAS: [f64; 3] = [1e-3, 20.0, 2e3];

#[test]
fn every_drift_is_right_on_degenerate_clouds() {
    for (kind, points) in clouds() {
        let cloud = Cloud::new(points.as_flattened().to_vec(), 2).unwrap();
        for b in BETAS {
            for (name, drift) in drifts() {
                let field = evaluated(&*drift, &cloud, Targets::Sources, b);
                for (i, x) in points.iter().enumerate().step_by(STRIDE) {
                    let error = truth(cloud.view(), x, b).error(&field.velocity[2 * i..2 * i + 2]);
                    let bound = field.truncation[i] + field.rounding[i];
                    assert!(error <= bound, "{kind}, {name}, β = {b}, point {i}: {error} > {bound}");
                    let size = x[0].abs().max(1.0);
                    assert!(error <= PROMISED * size, "{kind}, {name}, β = {b}, point {i}: {error}");
                }
            }
        }
    }
}

#[test]
fn no_drift_depends_on_the_number_of_threads() {
    let pools = [1, 2, 3, 7].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    for (kind, points) in clouds() {
        let cloud = Cloud::new(points.as_flattened().to_vec(), 2).unwrap();
        for b in BETAS {
            for (name, drift) in drifts() {
                let [one, others @ ..] = pools
                    .each_ref()
                    .map(|pool| bits(&pool.install(|| evaluated(&*drift, &cloud, Targets::Sources, b))));
                assert!(others.iter().all(|other| *other == one), "{kind}, {name}, β = {b}");
            }
        }
    }
}
