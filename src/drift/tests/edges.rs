//! Clouds at the edge of what doubles can hold.

use super::*;

fn all_finite(field: &DriftField) -> bool {
    [&field.velocity, &field.log_mass, &field.truncation, &field.rounding]
        .into_iter()
        .flatten()
        .all(|x| x.is_finite())
}

fn drifts() -> [Box<dyn Drift>; 3] {
    [Box::new(Dense), Box::new(Blocks::default()), Box::new(KdTree::default())]
}

#[test]
fn one_point_does_not_move() {
    for drift in drifts() {
        let cloud = Cloud::new(vec![3.0, -4.0], 2).unwrap();
        let field = evaluated(&*drift, &cloud, Targets::Sources, 20.0);
        assert_eq!(field.velocity, [0.0, 0.0]);
        assert_eq!(field.log_mass, [0.0]);
        let field = evaluated(&*drift, &cloud, Targets::Points(&[0.0, 0.0]), 20.0);
        assert_eq!(field.velocity, [3.0, -4.0]);
        assert!((field.log_mass[0] + 250.0).abs() < 1e-12);
    }
}

#[test]
fn coincident_points_do_not_move() {
    for drift in drifts() {
        let cloud = Cloud::new([0.1, 0.7, -5.0].repeat(400), 3).unwrap();
        let field = evaluated(&*drift, &cloud, Targets::Sources, 1e4);
        assert!(field.velocity.iter().all(|v| *v == 0.0));
        assert!(field.log_mass.iter().all(|m| *m == 0.0));
    }
}

#[test]
fn huge_coordinates_do_not_overflow() {
    for drift in drifts() {
        for scale in [1e150, 1e200, 1e270] {
            let points = vec![scale, 0.0, -scale, scale, 0.0, 0.5, 0.0, 0.0, scale, 0.0];
            let cloud = Cloud::new(points, 2).unwrap();
            let field = evaluated(&*drift, &cloud, Targets::Sources, 20.0);
            assert!(all_finite(&field), "{field:?}");
            // The two coincident far points stay; the two near the origin attract each other as if alone.
            let w = (-2.5_f64).exp();
            let expected =
                [0.0, 0.0, 0.0, 0.0, 0.0, -0.5 * w / (1.0 + w), 0.0, 0.5 * w / (1.0 + w), 0.0, 0.0];
            for (v, e) in field.velocity.iter().zip(expected) {
                assert!((v - e).abs() < 1e-15, "{v} {e}");
            }
            assert!((field.log_mass[0] - 0.4_f64.ln()).abs() < 1e-15);
        }
        let cloud = Cloud::new(vec![1e308, 0.0], 1).unwrap();
        let error = drift.evaluate(cloud.view(), Targets::Sources, beta(20.0), &mut DriftField::default());
        assert!(error.unwrap_err().to_string().contains("remove far outliers"));
    }
}

#[test]
fn targets_beyond_every_exponent_find_their_nearest_source() {
    for drift in drifts() {
        let cloud = Cloud::new(vec![0.0, 1.0, 2.0], 1).unwrap();
        let field = evaluated(&*drift, &cloud, Targets::Points(&[1e150, -1e150, 1e200]), 20.0);
        assert_eq!(field.velocity, [2.0 - 1e150, 1e150, -1e200]);
        assert!((field.log_mass[0] / -1e301 - 1.0).abs() < 1e-13);
        assert_eq!(field.log_mass[2], f64::NEG_INFINITY);
        assert!(field.truncation.iter().all(|t| t.is_finite()));
    }
}

#[test]
fn an_outlier_does_not_spoil_the_others() {
    let mut points: Vec<f64> = (0..200).map(|i| (i as f64 * 0.37).sin()).collect();
    let alone = Cloud::new(points.clone(), 1).unwrap();
    points.push(1e6);
    let crowd = Cloud::new(points, 1).unwrap();
    for drift in drifts() {
        let (alone, crowd) = (
            evaluated(&*drift, &alone, Targets::Sources, 20.0),
            evaluated(&*drift, &crowd, Targets::Sources, 20.0),
        );
        for (a, b) in alone.velocity.iter().zip(&crowd.velocity) {
            assert!((a - b).abs() <= 1e-15, "{a} {b}");
        }
        assert_eq!(crowd.velocity[200], 0.0);
    }
}

#[test]
fn a_shifted_cloud_drifts_alike() {
    // Multiples of 2^-20 can be shifted by 1024 exactly.
    let points: Vec<f64> =
        (0..300).map(|i| ((i as f64 * 0.77).sin() * 1048576.0).round() / 1048576.0).collect();
    let near = Cloud::new(points.clone(), 1).unwrap();
    let far = Cloud::new(points.iter().map(|x| x + 1024.0).collect(), 1).unwrap();
    for drift in drifts() {
        let (near, far) = (
            evaluated(&*drift, &near, Targets::Sources, 200.0),
            evaluated(&*drift, &far, Targets::Sources, 200.0),
        );
        assert_eq!(near.velocity, far.velocity);
    }
}

#[test]
fn points_of_no_or_hardly_any_weight_still_drift() {
    let points = vec![0.0, 0.3, 40.0, 55.0];
    for light in [0.0, 1e-320, 1e-250] {
        let cloud = Cloud::new(points.clone(), 1).unwrap().with_weights(vec![0.5, 0.5, 0.0, light]).unwrap();
        for drift in drifts() {
            let field = evaluated(&*drift, &cloud, Targets::Sources, 20.0);
            for (i, x) in points.iter().enumerate() {
                let truth = truth(cloud.view(), &[*x], 20.0);
                let error = truth.error(&field.velocity[i..=i]);
                assert!(
                    error <= field.rounding[i] + field.truncation[i],
                    "weight {light}, point {i}: {error}"
                );
                assert!(error <= 1e-13 * (1.0 + x), "weight {light}, point {i}: {error}");
                let error = (field.log_mass[i] - truth.log_mass).abs();
                assert!(
                    error <= 1e-13 * truth.log_mass.abs(),
                    "weight {light}, point {i}: log mass off by {error}"
                );
            }
        }
    }
}

#[test]
fn extreme_inverse_temperatures_work() {
    let cloud = Cloud::new(vec![0.0, 1e-3, 1.0, -2.0], 1).unwrap();
    for drift in drifts() {
        let mean = -0.24975;
        let field = evaluated(&*drift, &cloud, Targets::Sources, 1e-300);
        for (v, x) in field.velocity.iter().zip(cloud.points()) {
            assert!((v - (mean - x)).abs() < 1e-15, "{v}");
        }
        let field = evaluated(&*drift, &cloud, Targets::Sources, 1e300);
        assert_eq!(field.velocity, [0.0; 4]);
    }
}

#[test]
fn what_is_not_a_number_is_refused() {
    let view = crate::cloud::CloudView { points: &[0.0, f64::NAN], dimension: 1, weights: None };
    let mut field = DriftField::default();
    let refused = |targets, field: &mut DriftField| Dense.evaluate(view, targets, beta(1.0), field).is_err();
    assert!(refused(Targets::Sources, &mut field));
    let cloud = Cloud::new(vec![0.0], 1).unwrap();
    let targets = Targets::Points(&[f64::INFINITY]);
    let error = Dense.evaluate(cloud.view(), targets, beta(1.0), &mut field).unwrap_err().to_string();
    assert!(error.contains("targets") && error.contains("inf"), "{error}");
    for drift in drifts() {
        let plane = Cloud::new(vec![0.0, 0.0], 2).unwrap();
        let odd = drift.evaluate(plane.view(), Targets::Points(&[1.0, 2.0, 3.0]), beta(1.0), &mut field);
        assert!(odd.unwrap_err().to_string().contains("4 are needed"));
    }
}

#[test]
fn a_tree_is_refused_where_it_cannot_help() {
    let cloud = Cloud::new(vec![0.0; 18], 9).unwrap();
    let error =
        KdTree::default().evaluate(cloud.view(), Targets::Sources, beta(1.0), &mut DriftField::default());
    assert!(error.unwrap_err().to_string().contains("use the blocks"));
}
