//! What the drift inherits from the kernel: it commutes with rigid motions and with relabelling, weights count points, and nothing leaves the hull.
//!
//! # Paper
//! `prop:sc-barycentric-drift`

use super::*;

const POINTS: usize = 300;
const BETA: f64 = 15.0;

fn drifts() -> [Box<dyn Drift>; 3] {
    [Box::new(Dense), Box::new(Blocks::default()), Box::new(KdTree::default())]
}

fn assert_close(a: &[f64], b: &[f64]) {
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= ROUNDOFF, "{a} {b}");
    }
}

#[test]
fn relabelling_points_relabels_drifts() {
    for weighting in [Weighting::Equal, Weighting::Wild] {
        let cloud = cloud(Shape::Mixture, weighting, POINTS, 2, SEED);
        let order: Vec<usize> = (0..POINTS).map(|i| (i * 77 + 5) % POINTS).collect();
        let permute = |values: &[f64], d: usize| -> Vec<f64> {
            order.iter().flat_map(|&i| values[i * d..(i + 1) * d].to_vec()).collect()
        };
        let mut relabelled = Cloud::new(permute(cloud.points(), 2), 2).unwrap();
        if let Some(weights) = cloud.weights() {
            relabelled = relabelled.with_weights(permute(weights, 1)).unwrap();
        }
        for drift in drifts() {
            let before = evaluated(&*drift, &cloud, Targets::Sources, BETA);
            let after = evaluated(&*drift, &relabelled, Targets::Sources, BETA);
            assert_close(&permute(&before.velocity, 2), &after.velocity);
        }
    }
}

#[test]
fn turning_and_moving_a_cloud_turns_its_drift() {
    let cloud = cloud(Shape::Mixture, Weighting::Quadrature, POINTS, 2, SEED);
    let (sin, cos) = 0.7_f64.sin_cos();
    let turn = |values: &[f64]| -> Vec<f64> {
        values.chunks_exact(2).flat_map(|p| [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]]).collect()
    };
    let turned = cloud.moved_to(turn(cloud.points()).iter().map(|x| x + 2.5).collect()).unwrap();
    for drift in drifts() {
        let before = evaluated(&*drift, &cloud, Targets::Sources, BETA);
        let after = evaluated(&*drift, &turned, Targets::Sources, BETA);
        assert_close(&turn(&before.velocity), &after.velocity);
    }
}

#[test]
fn a_weight_counts_like_repeated_points() {
    let single = cloud(Shape::Clustered, Weighting::Equal, POINTS, 3, SEED);
    let copies = |i: usize| 1 + i % 4;
    let total: usize = (0..POINTS).map(copies).sum();
    let weights = (0..POINTS).map(|i| copies(i) as f64 / total as f64).collect();
    let repeated: Vec<f64> = single.rows().enumerate().flat_map(|(i, row)| row.repeat(copies(i))).collect();
    let repeated = Cloud::new(repeated, 3).unwrap();
    let weighted = single.with_weights(weights).unwrap();
    for drift in drifts() {
        let weighted = evaluated(&*drift, &weighted, Targets::Sources, BETA);
        let repeated = evaluated(&*drift, &repeated, Targets::Sources, BETA);
        let mut row = 0;
        for i in 0..POINTS {
            assert_close(&weighted.velocity[3 * i..3 * i + 3], &repeated.velocity[3 * row..3 * row + 3]);
            assert!((weighted.log_mass[i] - repeated.log_mass[row]).abs() <= ROUNDOFF);
            row += copies(i);
        }
    }
}

#[test]
fn no_point_is_pulled_out_of_the_box_around_the_cloud() {
    for shape in SHAPES {
        let cloud = cloud(shape, Weighting::Equal, POINTS, 2, SEED);
        for drift in drifts() {
            let field = evaluated(&*drift, &cloud, Targets::Sources, BETA);
            for k in 0..2 {
                let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
                for row in cloud.rows() {
                    low = low.min(row[k]);
                    high = high.max(row[k]);
                }
                for (i, row) in cloud.rows().enumerate() {
                    let pulled = row[k] + field.velocity[2 * i + k];
                    let slack = field.rounding[i] + f64::EPSILON * row[k].abs();
                    assert!((low - slack..=high + slack).contains(&pulled), "{shape:?}: {pulled}");
                }
            }
        }
    }
}
