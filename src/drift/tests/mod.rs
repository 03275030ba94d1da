//! The drifts against double-double sums, against each other, and at the edges of the number range.

mod certificates;
mod clouds;
mod degenerate;
mod edges;
mod invariances;
mod machines;
mod oracle;

use clouds::{SHAPES, Shape, Weighting, cloud};
use oracle::truth;

use super::tiled::{Truncation, evaluate};
use super::{Blocks, Dense, Drift, DriftField, KdTree, Targets};
use crate::cloud::Cloud;
use crate::scale::Beta;
use crate::simd::Instructions;

/// Rounding of a kernel sum in units of `β^(−1/2)`: some hundred units in the last place.
const ROUNDOFF: f64 = 1e-13;

const SEED: u64 = 0x5eed_0001;

fn beta(value: f64) -> Beta {
    Beta::new(value).unwrap()
}

fn evaluated(drift: &dyn Drift, cloud: &Cloud, targets: Targets<'_>, b: f64) -> DriftField {
    let mut field = DriftField::default();
    drift.evaluate(cloud.view(), targets, beta(b), &mut field).unwrap();
    field
}

fn bits(field: &DriftField) -> Vec<u64> {
    let all = [&field.velocity, &field.log_mass, &field.truncation, &field.rounding];
    all.into_iter().flatten().map(|x| x.to_bits()).chain([field.pairs]).collect()
}

#[test]
fn dense_agrees_with_the_double_double_sum() {
    for d in [1, 2, 3, 4, 5, 6, 7, 8, 11] {
        for (case, shape) in SHAPES.into_iter().enumerate() {
            for weighting in [Weighting::Equal, Weighting::Quadrature, Weighting::Wild] {
                let cloud = cloud(shape, weighting, 150, d, SEED + case as u64);
                for b in [0.3, 20.0, 200.0] {
                    let field = evaluated(&Dense, &cloud, Targets::Sources, b);
                    for (i, x) in cloud.rows().enumerate().step_by(3) {
                        let truth = truth(cloud.view(), x, b);
                        let error = truth.error(&field.velocity[i * d..(i + 1) * d]);
                        assert!(
                            error <= ROUNDOFF / b.sqrt() && error <= field.rounding[i],
                            "{shape:?} {weighting:?} d = {d} β = {b} point {i}: error {error}, bound {}",
                            field.rounding[i]
                        );
                        let error = (field.log_mass[i] - truth.log_mass).abs();
                        assert!(error <= 1e-13 * (1.0 + truth.log_mass.abs()), "log mass off by {error}");
                    }
                    assert_eq!(field.pairs, 150 * 150);
                    assert!(field.truncation.iter().all(|t| *t == 0.0));
                }
            }
        }
    }
}

#[test]
fn queries_agree_with_the_double_double_sum_near_and_far() {
    for d in [1, 2, 3, 8, 9] {
        for weighting in [Weighting::Equal, Weighting::Quadrature, Weighting::Wild] {
            let cloud = cloud(Shape::Mixture, weighting, 150, d, SEED);
            let mut targets: Vec<f64> = cloud.points().iter().map(|x| 1.3 * x + 0.1).collect();
            for (row, far) in [30.0, 1e3, -1e6, 1e12].into_iter().enumerate() {
                targets[row * d..(row + 1) * d].fill(far);
            }
            for b in [0.5, 20.0, 1e4] {
                let field = evaluated(&Dense, &cloud, Targets::Points(&targets), b);
                for (i, x) in targets.chunks_exact(d).enumerate() {
                    let truth = truth(cloud.view(), x, b);
                    let error = truth.error(&field.velocity[i * d..(i + 1) * d]);
                    let bound = field.rounding[i];
                    assert!(
                        error <= bound,
                        "{weighting:?} d = {d} β = {b} target {i}: error {error} > {bound}"
                    );
                    let size = truth.velocity.iter().fold(0.0_f64, |norm, v| norm.hypot(v.get()));
                    let accuracy =
                        if i < 4 { 1e-12 * (1.0 + size) * (1.0 + b) } else { ROUNDOFF * (1.0 + size) };
                    assert!(error <= accuracy, "{weighting:?} d = {d} β = {b} target {i}: error {error}");
                    let error = (field.log_mass[i] - truth.log_mass).abs();
                    assert!(error <= 1e-13 * (1.0 + truth.log_mass.abs()), "log mass off by {error}");
                }
            }
        }
    }
}

#[test]
fn a_target_on_a_source_gets_that_source_s_drift() {
    let cloud = cloud(Shape::Mixture, Weighting::Quadrature, 500, 2, SEED);
    let own = evaluated(&Dense, &cloud, Targets::Sources, 20.0);
    let other = evaluated(&Dense, &cloud, Targets::Points(cloud.points()), 20.0);
    for (a, b) in own.velocity.iter().zip(&other.velocity) {
        assert!((a - b).abs() <= ROUNDOFF, "{a} {b}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let drifts: [&dyn Drift; 3] = [&Dense, &Blocks::default(), &KdTree::default()];
    for (d, weighting) in
        [(1, Weighting::Equal), (2, Weighting::Quadrature), (3, Weighting::Equal), (8, Weighting::Wild)]
    {
        let cloud = cloud(Shape::Mixture, weighting, 3000, d, SEED);
        let queries = cloud.points()[..700 * d].iter().map(|x| x * 1.1).collect::<Vec<_>>();
        for drift in drifts {
            for targets in [Targets::Sources, Targets::Points(&queries)] {
                let run = |threads| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    bits(&pool.install(|| evaluated(drift, &cloud, targets, 60.0)))
                };
                let one = run(1);
                for threads in [2, 3, 8] {
                    assert!(run(threads) == one, "d = {d}: {threads} threads give other bits than one");
                }
            }
        }
    }
}

#[test]
fn all_instructions_agree_to_their_bounds() {
    for d in [1, 2, 3, 4, 5, 8, 10] {
        for weighting in [Weighting::Equal, Weighting::Quadrature] {
            let cloud = cloud(Shape::Mixture, weighting, 400, d, SEED);
            let points = cloud.points().iter().map(|x| 2.0 * x).collect::<Vec<_>>();
            for (targets, tolerance) in
                [(Targets::Sources, 0.0), (Targets::Points(&points), 0.0), (Targets::Sources, 1e-3)]
            {
                let run = |instructions| {
                    let mut field = DriftField::default();
                    let truncation = Truncation { instructions, ..Truncation::within(tolerance) };
                    evaluate(cloud.view(), targets, beta(20.0), truncation, &mut field).unwrap();
                    field
                };
                let portable = run(Instructions::Portable);
                let bound = |field: &DriftField, i: usize| field.rounding[i] + field.truncation[i];
                for instructions in Instructions::all() {
                    let field = run(instructions);
                    for (at, (a, b)) in field.velocity.iter().zip(&portable.velocity).enumerate() {
                        let bound = bound(&field, at / d) + bound(&portable, at / d);
                        assert!((a - b).abs() <= bound, "{} d = {d}: {a} {b}", instructions.name());
                    }
                    for (a, b) in field.log_mass.iter().zip(&portable.log_mass) {
                        assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()) + tolerance, "d = {d}: {a} {b}");
                    }
                }
            }
        }
    }
}
