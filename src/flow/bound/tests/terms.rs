//! Single quantities of the proof beside the same computed from their definitions: the drift in complex time, its interpolants, blocks of the Jacobian.

use nalgebra::{Complex, DMatrix};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use crate::cloud::norm;
use crate::flow::bound::ellipse::{Ellipse, Modulus};
use crate::flow::bound::enclosure::Enclosure;
use crate::flow::bound::interpolant::{Interpolation, ORDERS};
use crate::flow::bound::sample::Scaled;

const SEED: u64 = 77;
const CLOUDS: usize = 400;

/// Points of a circle about the middle, and of a piece.
const CIRCLE: usize = 48;
const PIECE: usize = 21;

/// What is left of sums of ten terms, each of size one, in doubles.
const ROUNDOFF: f64 = 1e-13;

/// A cloud on quadratic paths `z + s m + s² q`, in units of the kernel's width.
struct Paths {
    dimension: usize,
    weights: Vec<f64>,
    points: Vec<f64>,
    motion: Vec<f64>,
    bend: Vec<f64>,
}

impl Paths {
    fn random(rng: &mut Pcg64) -> Self {
        let (particles, dimension) = (rng.random_range(2..12), rng.random_range(1..5));
        let spread = 3.0 * rng.random::<f64>();
        let mut normal = |size: f64| -> Vec<f64> {
            (0..particles * dimension)
                .map(|_| {
                    let x: f64 = StandardNormal.sample(rng);
                    size * x
                })
                .collect()
        };
        let (points, motion, bend) = (normal(spread), normal(0.5), normal(0.1));
        let raw: Vec<f64> = (0..particles).map(|_| 10f64.powf(-6.0 * rng.random::<f64>().powi(3))).collect();
        let total: f64 = raw.iter().sum();
        Self { dimension, weights: raw.iter().map(|w| w / total).collect(), points, motion, bend }
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn at(&self, s: Complex<f64>) -> Vec<Complex<f64>> {
        let paths = self.points.iter().zip(&self.motion).zip(&self.bend);
        paths.map(|((z, m), q)| s * s * *q + s * *m + *z).collect()
    }

    /// The drift in complex time, from its definition.
    fn drift(&self, s: Complex<f64>, i: usize) -> Vec<Complex<f64>> {
        let (z, d) = (self.at(s), self.dimension);
        let mut mass = Complex::new(0.0, 0.0);
        let mut moment = vec![mass; d];
        for (k, weight) in self.weights.iter().enumerate() {
            let apart: Vec<Complex<f64>> = (0..d).map(|c| z[k * d + c] - z[i * d + c]).collect();
            let square: Complex<f64> = apart.iter().map(|x| x * x).sum();
            let term = (square * -0.5).exp() * *weight;
            mass += term;
            moment.iter_mut().zip(&apart).for_each(|(sum, x)| *sum += term * x);
        }
        moment.into_iter().map(|sum| sum / mass).collect()
    }

    fn real_drift(&self, s: f64, i: usize) -> Vec<f64> {
        self.drift(Complex::new(s, 0.0), i).iter().map(|x| x.re).collect()
    }

    fn scaled(&self) -> Scaled {
        let square = |i: usize, k: usize| -> f64 {
            let d = self.dimension;
            (0..d).map(|c| (self.points[i * d + c] - self.points[k * d + c]).powi(2)).sum()
        };
        let mass = |i: usize| -> f64 {
            self.weights.iter().enumerate().map(|(k, w)| w * (-0.5 * square(i, k)).exp()).sum()
        };
        Scaled {
            per_length: 1.0,
            points: self.points.clone(),
            motion: self.motion.clone(),
            drift: (0..self.len()).flat_map(|i| self.real_drift(0.0, i)).collect(),
            drift_error: vec![1e-15; self.len()],
            log_mass: (0..self.len()).map(|i| mass(i).ln()).collect(),
        }
    }

    /// How far each particle leaves its tangent within `reach`.
    fn bent(&self, reach: f64) -> Vec<f64> {
        self.bend.chunks_exact(self.dimension).map(|q| reach * reach * norm(q)).collect()
    }

    /// The block `J_ik` for some configuration, from the formula of the Jacobian.
    fn block(&self, z: &[f64], i: usize, k: usize) -> DMatrix<f64> {
        let d = self.dimension;
        let apart = |k: usize| DMatrix::from_fn(d, 1, |c, _| z[k * d + c] - z[i * d + c]);
        let weight = |k: usize| self.weights[k] * (-0.5 * apart(k).norm_squared()).exp();
        let mass: f64 = (0..self.len()).map(weight).sum();
        let drift = (0..self.len()).fold(DMatrix::zeros(d, 1), |sum, k| sum + apart(k) * (weight(k) / mass));
        let one = DMatrix::<f64>::identity(d, d);
        if k != i {
            return (one - (apart(k) - &drift) * apart(k).transpose()) * (weight(k) / mass);
        }
        let moment = (0..self.len()).fold(DMatrix::zeros(d, d), |sum, k| {
            let from = apart(k) - &drift;
            sum + &from * from.transpose() * (weight(k) / mass)
        });
        moment + one * (weight(i) / mass - 1.0)
    }
}

/// A vector of a random direction, at most so long.
fn within(radius: f64, dimension: usize, rng: &mut Pcg64) -> Vec<f64> {
    let direction: Vec<f64> = (0..dimension).map(|_| StandardNormal.sample(rng)).collect();
    let length = radius * rng.random::<f64>().powf(0.1) / norm(&direction);
    direction.iter().map(|x| x * length).collect()
}

/// On the circle the drift stays within `M_i` of its value at the middle, and its interpolants miss it by no more than the remainder; how many
/// were compared, and the median of how much was given away.
#[test]
fn drifts_in_complex_time_stay_within_their_moduli_and_interpolants_within_their_remainders() {
    let mut rng = Pcg64::seed_from_u64(SEED);
    let (mut ratios, mut compared) = (Vec::new(), 0);
    for _ in 0..CLOUDS {
        let paths = Paths::random(&mut rng);
        let (reach, length) = (0.1 + 0.6 * rng.random::<f64>(), 0.05 + 0.1 * rng.random::<f64>());
        let (scaled, radius) = (paths.scaled(), paths.bent(reach));
        let enclosure = Enclosure::about(&scaled, Some(&paths.weights), &radius, reach);
        for (i, ellipse) in enclosure.ellipses(0.55 * length).into_iter().enumerate() {
            let Some(ellipse) = ellipse else { continue };
            let middle = paths.real_drift(0.0, i);
            let on_circle = |point: usize| {
                let angle = std::f64::consts::TAU * point as f64 / CIRCLE as f64;
                let drift = paths.drift(Complex::from_polar(ellipse.reach, angle), i);
                drift.iter().zip(&middle).map(|(v, m)| (v - m).norm_sqr()).sum::<f64>().sqrt()
            };
            let most = (0..CIRCLE).map(on_circle).fold(0.0, f64::max);
            assert!(most <= ellipse.modulus, "{most:e} > {:e}", ellipse.modulus);
            ratios.push(ellipse.modulus / most);
            compared += CIRCLE + check_interpolants(&paths, i, ellipse, length);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let at = |share: f64| ratios[(share * (ratios.len() - 1) as f64) as usize];
    assert!(compared > 100_000 && at(0.5) < 10.0);
}

/// Interpolants of every order against the drift on the piece.
fn check_interpolants(paths: &Paths, i: usize, ellipse: Ellipse, length: f64) -> usize {
    for order in ORDERS.step_by(2) {
        let points = Interpolation::of_order(order).points;
        let values: Vec<Vec<f64>> = points.iter().map(|x| paths.real_drift(0.5 * length * x, i)).collect();
        let allowed = ellipse.remainder(order, length) + ROUNDOFF;
        for look in 0..PIECE {
            let x = 2.0 * look as f64 / (PIECE - 1) as f64 - 1.0;
            let exact = paths.real_drift(0.5 * length * x, i);
            let lagrange = |k: usize| -> f64 {
                let others = points.iter().enumerate().filter(|(j, _)| *j != k);
                others.map(|(_, p)| (x - p) / (points[k] - p)).product()
            };
            let missed: Vec<f64> = (0..exact.len())
                .map(|c| (0..=order).map(|k| lagrange(k) * values[k][c]).sum::<f64>() - exact[c])
                .collect();
            assert!(norm(&missed) <= allowed, "order {order}: {:e} > {allowed:e}", norm(&missed));
        }
    }
    PIECE * ORDERS.step_by(2).count()
}

/// Blocks of the Jacobian at random configurations of the tube, at random times of the piece.
#[test]
fn blocks_stay_within_their_bounds_all_over_the_tube() {
    let mut rng = Pcg64::seed_from_u64(SEED + 1);
    let (mut compared, mut closest) = (0, 0.0_f64);
    for _ in 0..CLOUDS {
        let paths = Paths::random(&mut rng);
        let (n, d) = (paths.len(), paths.dimension);
        let half = 0.05 * rng.random::<f64>();
        let tube: Vec<f64> = (0..n).map(|_| 0.1 * rng.random::<f64>().powi(4)).collect();
        let radius: Vec<f64> = paths.bent(half).iter().zip(&tube).map(|(bent, tube)| bent + tube).collect();
        let scaled = paths.scaled();
        let enclosure = Enclosure::about(&scaled, Some(&paths.weights), &radius, half);
        let units: Vec<Vec<f64>> =
            (0..n).map(|k| (0..n).map(|j| f64::from(u8::from(j == k))).collect()).collect();
        let rows = enclosure.rows(&units.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for _ in 0..8 {
            let s = half * (2.0 * rng.random::<f64>() - 1.0);
            let mut z: Vec<f64> = paths.at(Complex::new(s, 0.0)).iter().map(|x| x.re).collect();
            for (i, tube) in tube.iter().enumerate() {
                let moved = within(*tube, d, &mut rng);
                z[i * d..(i + 1) * d].iter_mut().zip(moved).for_each(|(z, x)| *z += x);
            }
            for (i, row) in rows.iter().enumerate() {
                let rate = paths.block(&z, i, i).symmetric_eigenvalues().max();
                assert!(rate <= row.rate, "{rate} > {}", row.rate);
                for k in (0..n).filter(|k| *k != i) {
                    let size = paths.block(&z, i, k).singular_values().max();
                    assert!(size <= row.row_sums[k], "{size:e} > {:e}", row.row_sums[k]);
                    closest = closest.max(size / row.row_sums[k]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 50_000 && closest > 0.9);
}

/// Sums in single precision, about positions that singles hold exactly, are never below the same sums in double precision: the allowance is needed, and suffices.
#[test]
fn sums_in_single_precision_are_rounded_up() {
    let mut rng = Pcg64::seed_from_u64(SEED + 2);
    let mut without = 0;
    for _ in 0..CLOUDS / 4 {
        let mut paths = Paths::random(&mut rng);
        for values in [&mut paths.points, &mut paths.motion] {
            values.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        }
        let mut scaled = paths.scaled();
        scaled.drift.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        let radius = vec![f64::from(0.01_f32); paths.len()];
        let enclosure = Enclosure::about(&scaled, Some(&paths.weights), &radius, 0.25);
        let [single, double] = [enclosure.ellipses_in::<f32>(0.0), enclosure.ellipses_in::<f64>(0.0)];
        for (single, double) in single.into_iter().zip(double) {
            let (Some(single), Some(double)) = (single, double) else { continue };
            if single.reach == double.reach {
                assert!(single.modulus >= double.modulus);
                without += usize::from(single.modulus < double.modulus * (1.0 + 2e-3));
            }
        }
    }
    assert!(without > 0, "the allowance is not generous everywhere");
}

#[test]
fn a_remainder_is_the_sum_of_all_coefficients_that_an_ellipse_allows() {
    for (ratio, order) in [(2.0, 6), (8.0, 8), (16.0, 16), (1.2, 10)] {
        let length = 0.2;
        let reach = 0.25 * (ratio + 1.0 / ratio) * length;
        let ellipse = Ellipse { reach, modulus: 3.0 };
        // Chebyshev's coefficients are at most 2Mϱ^−k, and each counts twice: once left out, once in another's place.
        let series: f64 = (order + 1..order + 400).map(|k| 2.0 * 2.0 * 3.0 * f64::powi(ratio, -k)).sum();
        let found = ellipse.remainder(order as usize, length);
        assert!(found >= series * (1.0 - 1e-14) && found < series * (1.0 + 1e-10), "{found:e} {series:e}");
    }
}

/// The remainder belongs to the radius on which the modulus was found, and a row that closes nowhere has none.
#[test]
fn rows_that_do_not_close_get_smaller_ellipses() {
    let modulus = |closing: f64| {
        move |shrink: f64| Modulus {
            numerator: shrink,
            denominator: if shrink <= closing { 0.5 } else { 0.05 },
        }
    };
    for (closing, reach) in [(1.0, 0.8), (0.5, 0.4), (0.25, 0.2)] {
        let found = Ellipse::of_row(0.8, 0.1, modulus(closing)).unwrap();
        assert_eq!(found.reach, reach);
        assert!((found.modulus / (2.0 * closing) - 1.0).abs() < 1e-11);
    }
    assert!(Ellipse::of_row(0.8, 0.1, modulus(0.1)).is_none());
    assert!(Ellipse::of_row(0.8, 0.3, modulus(0.25)).is_none());
    assert!(Ellipse::of_row(0.8, 0.1, |_| Modulus { numerator: 1.0, denominator: f64::NAN }).is_none());
    assert!(Ellipse::of_row(0.8, 0.1, |_| Modulus { numerator: f64::NAN, denominator: 1.0 }).is_none());
}
