//! The Jacobian–vector product against its blocks and against differences of the drift.

use ebflow::drift::{Dense, JacobianField};
use ebflow::{Beta, Cloud, CloudView, Drift, DriftField, Error, Targets};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

const SEED: u64 = 5;

/// A central difference of fourth order with this step, on directions of order one: truncation `ε⁴/30 · |v⁽⁵⁾|`, largest for the particle far
/// away, and rounding `1e-15/ε` are both below.
const STEP: f64 = 2e-4;
const DIFFERENCE: f64 = 1e-9;

/// Sums of a hundred terms in another order.
const ROUNDOFF: f64 = 1e-13;

fn normals(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    (0..count).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// A cloud without weights, and one where some weights are zero and one particle is far from all others.
fn clouds(dimension: usize) -> [Cloud; 2] {
    let mut points = normals(90 * dimension, SEED + dimension as u64);
    let plain = Cloud::new(points.clone(), dimension).unwrap();
    points[7 * dimension] += 12.0;
    let mut rng = Pcg64::seed_from_u64(SEED);
    let mut weights: Vec<f64> = (0..90).map(|_| rng.random::<f64>()).collect();
    (weights[3], weights[7], weights[40]) = (0.0, 0.0, 1e-30);
    let sum: f64 = weights.iter().sum();
    let weights = weights.into_iter().map(|w| w / sum).collect();
    [plain, Cloud::new(points, dimension).unwrap().with_weights(weights).unwrap()]
}

fn velocity(cloud: CloudView<'_>, beta: Beta) -> Vec<f64> {
    let mut field = DriftField::default();
    Dense.evaluate(cloud, Targets::Sources, beta, &mut field).unwrap();
    field.velocity
}

fn product(cloud: &Cloud, beta: Beta, direction: &[f64]) -> JacobianField {
    let mut field = JacobianField::default();
    field.evaluate(cloud.view(), beta, direction).unwrap();
    field
}

#[test]
fn agrees_with_differences_of_the_drift() {
    for dimension in [1, 2, 3, 5] {
        for cloud in clouds(dimension) {
            for beta in [0.3, 2.0, 20.0] {
                let beta = Beta::new(beta).unwrap();
                let direction = normals(90 * dimension, 17);
                let at = |shift: f64| {
                    let moved: Vec<f64> =
                        cloud.points().iter().zip(&direction).map(|(z, q)| z + shift * q).collect();
                    velocity(CloudView { points: &moved, ..cloud.view() }, beta)
                };
                let step = STEP / beta.get().sqrt().max(1.0);
                let (a, b, c, d) = (at(-2.0 * step), at(-step), at(step), at(2.0 * step));
                let field = product(&cloud, beta, &direction);
                for i in 0..direction.len() {
                    let difference = (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * step);
                    let error = (field.product[i] - difference).abs();
                    assert!(error < DIFFERENCE * beta.get(), "d {dimension} {beta:?} {i}: {error:e}");
                }
            }
        }
    }
}

/// `J q` from the blocks `J_ii = β Cov_i + (a_ii − 1) I`, `J_ik = a_ik (I + β (z_k − F_i)(z_i − z_k)ᵀ)`, term by term.
fn from_blocks(cloud: &Cloud, beta: f64, direction: &[f64]) -> Vec<f64> {
    let (d, n) = (cloud.dimension(), cloud.len());
    let row = |values: &[f64], i: usize| values[i * d..(i + 1) * d].to_vec();
    let mut result = vec![0.0; n * d];
    for i in 0..n {
        let z_i = row(cloud.points(), i);
        let exponents: Vec<f64> = (0..n)
            .map(|k| {
                let square: f64 = row(cloud.points(), k).iter().zip(&z_i).map(|(a, b)| (a - b).powi(2)).sum();
                cloud.weight(k).ln() - 0.5 * beta * square
            })
            .collect();
        let top = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mass: f64 = exponents.iter().map(|e| (e - top).exp()).sum();
        let a: Vec<f64> = exponents.iter().map(|e| (e - top).exp() / mass).collect();
        let barycentre: Vec<f64> =
            (0..d).map(|c| (0..n).map(|k| a[k] * cloud.points()[k * d + c]).sum()).collect();
        for k in 0..n {
            let (z_k, q_k, q_i) = (row(cloud.points(), k), row(direction, k), row(direction, i));
            let from_centre: Vec<f64> = z_k.iter().zip(&barycentre).map(|(z, f)| z - f).collect();
            let along_k: f64 = (0..d).map(|c| (z_i[c] - z_k[c]) * q_k[c]).sum();
            let along_i: f64 = (0..d).map(|c| from_centre[c] * q_i[c]).sum();
            for c in 0..d {
                let own = beta * a[k] * from_centre[c] * along_i;
                let other = if k == i {
                    (a[i] - 1.0) * q_i[c]
                } else {
                    a[k] * (q_k[c] + beta * from_centre[c] * along_k)
                };
                result[i * d + c] += own + other;
            }
        }
    }
    result
}

#[test]
fn agrees_with_the_blocks() {
    for dimension in [1, 2, 3, 5] {
        for cloud in clouds(dimension) {
            let (beta, direction) = (Beta::new(4.0).unwrap(), normals(90 * dimension, 23));
            let field = product(&cloud, beta, &direction);
            let expected = from_blocks(&cloud, 4.0, &direction);
            let drift = velocity(cloud.view(), beta);
            for i in 0..direction.len() {
                let scale = ROUNDOFF * (1.0 + expected[i].abs());
                assert!((field.product[i] - expected[i]).abs() < scale * 10.0, "d {dimension}, {i}");
                assert!((field.velocity[i] - drift[i]).abs() < ROUNDOFF, "d {dimension}, {i}");
            }
        }
    }
}

#[test]
fn a_common_translation_changes_nothing_and_wrong_lengths_are_refused() {
    let [cloud, weighted] = clouds(2);
    let beta = Beta::new(20.0).unwrap();
    let direction: Vec<f64> = (0..180).map(|i| [0.3, -7.0][i % 2]).collect();
    for cloud in [cloud, weighted] {
        assert!(product(&cloud, beta, &direction).product.iter().all(|x| *x == 0.0));
        let error = JacobianField::default().evaluate(cloud.view(), beta, &[1.0]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 180, found: 1, .. }));
    }
}

/// What is far heavier does not show where it is far away: the drift of the light particle is `60 e^{−1800}/10⁻²⁹⁰`, which is zero to rounding.
/// And a particle without mass, at a distance whose exponent is beyond any double, goes to the one that has it.
#[test]
fn light_particles_are_not_drawn_to_heavy_ones_beyond_the_range_of_doubles() {
    let mut field = JacobianField::default();
    let beta = Beta::new(1.0).unwrap();
    let light = Cloud::new(vec![0.0, 60.0], 1).unwrap().with_weights(vec![1e-290, 1.0]).unwrap();
    field.evaluate(light.view(), beta, &[1.0, -1.0]).unwrap();
    assert!(field.velocity.iter().chain(&field.product).all(|v| v.abs() < 1e-100), "{field:?}");
    for far in (0..400).map(|k| 30.0 + f64::from(k)) {
        let massless = Cloud::new(vec![0.0, far], 1).unwrap().with_weights(vec![0.0, 1.0]).unwrap();
        field.evaluate(massless.view(), beta, &[0.0, 0.0]).unwrap();
        assert!(
            (field.velocity[0] / far - 1.0).abs() < 1e-15 && field.velocity[1] == 0.0,
            "{far}: {field:?}"
        );
    }
    // Halfway between: exp(−|Δ|²/2) = 1e-290/(1 − 1e-290) at the distance √(2·290·ln 10).
    let half = (2.0 * 290.0 * 10.0_f64.ln()).sqrt();
    let even = Cloud::new(vec![0.0, half], 1).unwrap().with_weights(vec![1e-290, 1.0]).unwrap();
    field.evaluate(even.view(), beta, &[0.0, 0.0]).unwrap();
    assert!((field.velocity[0] / (half / 2.0) - 1.0).abs() < 1e-12, "{field:?}");
}
