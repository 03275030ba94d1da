//! The Gauss transform against sums written out term by term.

use std::sync::Mutex;

use ebflow::drift::{Drift, DriftField, GaussTransform, Targets, Tolerance};
use ebflow::{Beta, Cloud, CloudView};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

const CLOUD_SEED: u64 = 20;
/// What the transform promises at its default tolerance, for β ≥ 1.
const PROMISED: f64 = 1e-11;

/// One target's sum in the order of the sources, shifted by the largest exponent, compensated.
struct Exact {
    velocity: Vec<f64>,
    log_mass: f64,
}

/// Neumaier's compensated sum.
#[derive(Default, Clone, Copy)]
struct Compensated(f64, f64);

impl Compensated {
    fn add(&mut self, x: f64) {
        let sum = self.0 + x;
        self.1 += if self.0.abs() >= x.abs() { (self.0 - sum) + x } else { (x - sum) + self.0 };
        self.0 = sum;
    }

    fn get(self) -> f64 {
        self.0 + self.1
    }
}

/// The heaviest source serves as the origin, so that a far target's exponents keep their digits.
fn exact_row(sources: CloudView<'_>, x: &[f64], beta: f64) -> Exact {
    let d = sources.dimension;
    let weight = |j: usize| sources.weights.map_or(1.0 / sources.len() as f64, |w| w[j]);
    let source = |j: usize| &sources.points[j * d..(j + 1) * d];
    let square = |z: &[f64]| z.iter().zip(x).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    // Scaled differences, because squares of huge distances overflow.
    let heavier = |j: &usize, k: &usize| {
        let (a, b) = (source(*j), source(*k));
        let scale = a.iter().chain(b).chain(x).fold(1.0_f64, |most, c| most.max(c.abs()));
        let nearer = |c: usize| {
            let step = (a[c] - b[c]) / scale;
            step * ((x[c] - b[c]) / scale - 0.5 * step)
        };
        let weights = (weight(*j).ln() - weight(*k).ln()) / beta / scale / scale;
        ((0..d).map(nearer).sum::<f64>() + weights).total_cmp(&0.0)
    };
    let lead = (0..sources.len()).max_by(heavier).unwrap();
    let (mut mass, mut first) = (Compensated::default(), vec![Compensated::default(); d]);
    for j in 0..sources.len() {
        let delta: Vec<f64> = source(j).iter().zip(source(lead)).map(|(a, b)| a - b).collect();
        let exponent: f64 =
            (0..d).map(|c| delta[c] * (0.5 * delta[c] - (x[c] - source(lead)[c]))).sum::<f64>() * -beta;
        let w = weight(j) * exponent.exp();
        if w > 0.0 {
            mass.add(w);
            first.iter_mut().zip(&delta).for_each(|(sum, delta)| sum.add(w * delta));
        }
    }
    let velocity = (0..d).map(|c| first[c].get() / mass.get() + (source(lead)[c] - x[c])).collect();
    Exact { velocity, log_mass: mass.get().ln() - 0.5 * beta * square(source(lead)) }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Uniform,
    Normal,
    Clustered,
    Outliers,
    Lattice,
    Line,
    Coincident,
}

const KINDS: [Kind; 7] = [
    Kind::Uniform,
    Kind::Normal,
    Kind::Clustered,
    Kind::Outliers,
    Kind::Lattice,
    Kind::Line,
    Kind::Coincident,
];

/// Points about one unit wide; outliers have heavy tails and one point at 1e6.
fn points(kind: Kind, count: usize, dimension: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let centres: Vec<f64> = (0..5 * dimension).map(|_| rng.random_range(-2.0..2.0)).collect();
    let mut all = Vec::with_capacity(count * dimension);
    for i in 0..count {
        let radius: f64 = StandardNormal.sample(&mut rng);
        for c in 0..dimension {
            let normal: f64 = StandardNormal.sample(&mut rng);
            all.push(match kind {
                Kind::Uniform => rng.random_range(-1.0..1.0),
                Kind::Normal => normal,
                Kind::Clustered => centres[(i % 5) * dimension + c] + 0.01 * normal,
                Kind::Outliers if i == 0 => 1e6,
                Kind::Outliers => normal / rng.random_range(0.001_f64..1.0).powf(0.7),
                Kind::Lattice => ((i * 7919 + c * 31 * (i % 13)) % 17) as f64 / 8.0,
                Kind::Line => radius * (1.0 + c as f64),
                Kind::Coincident => centres[(i % 3) * dimension + c],
            });
        }
    }
    all
}

fn evaluate(drift: &GaussTransform, sources: CloudView<'_>, targets: Targets<'_>, beta: f64) -> DriftField {
    let mut field = DriftField::default();
    drift.evaluate(sources, targets, Beta::new(beta).unwrap(), &mut field).unwrap();
    field
}

#[test]
fn meets_its_promise_on_every_kind_of_cloud() {
    for kind in KINDS {
        for dimension in [1, 2] {
            let (count, points) = (20_000, points(kind, 20_000, dimension, CLOUD_SEED));
            let cloud = CloudView { points: &points, dimension, weights: None };
            for beta in [1.0, 20.0, 200.0] {
                let field = evaluate(&GaussTransform::default(), cloud, Targets::Sources, beta);
                for i in (0..count).step_by(count / 40) {
                    let x = &points[i * dimension..(i + 1) * dimension];
                    let exact = exact_row(cloud, x, beta);
                    let error =
                        distance(&field.velocity[i * dimension..(i + 1) * dimension], &exact.velocity);
                    let bound = field.truncation[i] + field.rounding[i];
                    assert!(error <= PROMISED, "{kind:?} d={dimension} β={beta} row {i}: {error:e}");
                    assert!(error <= bound, "{kind:?} d={dimension} β={beta} row {i}: {error:e} > {bound:e}");
                    assert!(
                        (field.log_mass[i] - exact.log_mass).abs() <= 1e-10,
                        "{kind:?} d={dimension} β={beta}"
                    );
                }
                let certified = field.truncation.iter().zip(&field.rounding).all(|(t, r)| t + r <= PROMISED);
                assert!(certified, "{kind:?} d={dimension} β={beta}: a certificate exceeds the promise");
            }
        }
    }
}

/// A cloud, weighted or not, and targets that are its sources or other points.
#[derive(Debug, Clone)]
struct Case {
    kind: usize,
    count: usize,
    dimension: usize,
    log_beta: f64,
    log_tolerance: f64,
    /// Decades that the weights span; zero for equal weights.
    decades: f64,
    /// How far other targets are scattered; zero for the sources themselves.
    scatter: f64,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = (0..KINDS.len(), 1..1500_usize, 1..3_usize, -1.0..4.0_f64);
    let rest = (-13.5..-1.5_f64, 0..3_usize, 0..3_usize, any::<u64>());
    (shape, rest).prop_map(|((kind, count, dimension, log_beta), (log_tolerance, weights, targets, seed))| {
        Case {
            kind,
            count,
            dimension,
            log_beta,
            log_tolerance,
            decades: [0.0, 2.0, 20.0][weights],
            scatter: [0.0, 1.0, 30.0][targets],
            seed,
        }
    })
}

/// Ratios of bound to error, for every row whose error is not zero.
fn certificate_ratios(case: &Case) -> Result<Vec<f64>, TestCaseError> {
    let Case { count, dimension, seed, .. } = *case;
    let mut rng = Pcg64::seed_from_u64(seed ^ 1);
    let mut cloud = Cloud::new(points(KINDS[case.kind], count, dimension, seed), dimension).unwrap();
    if case.decades > 0.0 {
        let weights: Vec<f64> =
            (0..count).map(|_| 10_f64.powf(-case.decades * rng.random::<f64>())).collect();
        let total: f64 = weights.iter().sum();
        cloud = cloud.with_weights(weights.iter().map(|w| w / total).collect()).unwrap();
    }
    let others: Vec<f64> = (0..200 * dimension).map(|_| case.scatter * rng.random_range(-1.0..1.0)).collect();
    let (targets, rows) = match case.scatter {
        0.0 => (Targets::Sources, cloud.points().to_vec()),
        _ => (Targets::Points(&others), others.clone()),
    };
    let beta = 10_f64.powf(case.log_beta);
    let tolerance = Tolerance::new(10_f64.powf(case.log_tolerance) / beta.sqrt()).unwrap();
    let field = evaluate(&GaussTransform { tolerance }, cloud.view(), targets, beta);
    let mut ratios = Vec::new();
    for (i, x) in rows.chunks_exact(dimension).enumerate().step_by(rows.len().div_ceil(100 * dimension)) {
        let error = distance(
            &field.velocity[i * dimension..][..dimension],
            &exact_row(cloud.view(), x, beta).velocity,
        );
        let bound = field.truncation[i] + field.rounding[i];
        prop_assert!(error <= bound, "row {i}: error {error:e} exceeds its bound {bound:e}");
        prop_assert!(field.truncation[i] <= tolerance.get(), "row {i} misses the tolerance");
        if error > 0.0 {
            ratios.push(bound / error);
        }
    }
    Ok(ratios)
}

/// Random clouds × dimension × β × tolerance × weights × targets.
const CERTIFIED_CLOUDS: u32 = 400;

#[test]
fn certificates_are_never_violated() {
    let ratios = Mutex::new(Vec::new());
    let mut runner =
        TestRunner::new(Config { cases: CERTIFIED_CLOUDS, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&cases(), |case| {
        ratios.lock().unwrap().extend(certificate_ratios(&case)?);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let mut ratios = ratios.into_inner().unwrap();
    ratios.sort_by(f64::total_cmp);
    println!("{} rows, median bound/error {:.1}", ratios.len(), ratios[ratios.len() / 2]);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for dimension in [1, 2] {
        let points = points(Kind::Outliers, 30_000, dimension, CLOUD_SEED);
        let cloud = CloudView { points: &points, dimension, weights: None };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| evaluate(&GaussTransform::default(), cloud, Targets::Sources, 20.0))
        };
        let one = with(1);
        for threads in [2, 3, 7] {
            let many = with(threads);
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one.velocity), bits(&many.velocity));
            assert_eq!(bits(&one.log_mass), bits(&many.log_mass));
            assert_eq!(bits(&one.truncation), bits(&many.truncation));
            assert_eq!(bits(&one.rounding), bits(&many.rounding));
            assert_eq!(one.pairs, many.pairs);
        }
    }
}

#[test]
fn a_field_can_be_reused_for_clouds_of_any_size_and_dimension() {
    let mut used = DriftField::default();
    for (count, dimension) in [(5000, 2), (100, 1), (9000, 1), (7, 2), (5000, 2)] {
        let points = points(Kind::Normal, count, dimension, CLOUD_SEED);
        let cloud = CloudView { points: &points, dimension, weights: None };
        let beta = Beta::new(20.0).unwrap();
        GaussTransform::default().evaluate(cloud, Targets::Sources, beta, &mut used).unwrap();
        let fresh = evaluate(&GaussTransform::default(), cloud, Targets::Sources, 20.0);
        assert_eq!((&used.velocity, &used.log_mass), (&fresh.velocity, &fresh.log_mass));
        assert_eq!((&used.truncation, &used.rounding), (&fresh.truncation, &fresh.rounding));
    }
}

#[test]
fn lonely_and_degenerate_clouds() {
    let drift = GaussTransform::default();
    let alone = evaluate(&drift, Cloud::new(vec![3.0, -2.0], 2).unwrap().view(), Targets::Sources, 20.0);
    assert_eq!((alone.velocity, alone.log_mass), (vec![0.0, 0.0], vec![0.0]));
    let same = Cloud::new([0.1, 0.7].repeat(5000), 2).unwrap();
    let field = evaluate(&drift, same.view(), Targets::Sources, 200.0);
    assert!(field.velocity.iter().all(|v| v.abs() <= PROMISED));
    assert!(field.log_mass.iter().all(|m| m.abs() <= 1e-12));
}

#[test]
fn huge_coordinates_neither_panic_nor_exhaust_memory() {
    for dimension in [1, 2] {
        let mut points = points(Kind::Normal, 300, dimension, CLOUD_SEED);
        for (i, x) in points.iter_mut().enumerate().filter(|(i, _)| i % 3 == 0) {
            *x = [1e150, -1e150, 1e300, 1e9, -4e8][i % 5] * (1.0 + i as f64 / 1e3);
        }
        let cloud = CloudView { points: &points, dimension, weights: None };
        let field = evaluate(&GaussTransform::default(), cloud, Targets::Sources, 20.0);
        assert!(field.velocity.iter().all(|v| v.is_finite()));
        for (i, x) in points.chunks_exact(dimension).enumerate() {
            let error =
                distance(&field.velocity[i * dimension..][..dimension], &exact_row(cloud, x, 20.0).velocity);
            assert!(error <= PROMISED, "{x:?}: {error:e}");
            assert!(field.truncation[i] + field.rounding[i] <= PROMISED);
        }
    }
}

#[test]
fn queries_far_from_every_source_see_the_nearest_ones() {
    let sources = Cloud::new(points(Kind::Normal, 3000, 2, CLOUD_SEED), 2).unwrap();
    let queries = [40.0, 3.0, -1e4, 1e4, 0.0, 1e8, 1e160, 0.0, 0.5, 0.5, -1e10, 3e10, 7e12, 0.1];
    let field = evaluate(&GaussTransform::default(), sources.view(), Targets::Points(&queries), 20.0);
    for (i, x) in queries.chunks_exact(2).enumerate() {
        let exact = exact_row(sources.view(), x, 20.0);
        let error = distance(&field.velocity[2 * i..2 * i + 2], &exact.velocity);
        let bound = field.truncation[i] + field.rounding[i];
        assert!(
            error <= bound && bound <= 1e-9 * (1.0 + x[0].abs() + x[1].abs()),
            "{x:?}: {error:e} {bound:e}"
        );
        let (found, wanted) = (field.log_mass[i], exact.log_mass);
        assert!(
            found == wanted || (found - wanted).abs() <= 1e-13 * (1.0 + wanted.abs()),
            "{x:?} {found} {wanted}"
        );
    }
}

/// Trapezoidal quadrature of a normal law to ten standard deviations: weights over 22 decades, and the drift is known.
/// For `f = N(0, 1)` the convolution is `N(0, 1 + 1/β)`, so `v(x) = −x/(1 + β)`.
#[test]
fn tails_of_a_weighted_cloud_are_as_accurate_as_its_centre() {
    let (beta, step) = (20.0, 0.02);
    let nodes: Vec<f64> = (-500..=500).map(|i| f64::from(i) * step).collect();
    let raw: Vec<f64> = nodes.iter().map(|x| (-0.5 * x * x).exp()).collect();
    let total: f64 = raw.iter().sum();
    let cloud = Cloud::new(nodes.clone(), 1).unwrap();
    let cloud = cloud.with_weights(raw.iter().map(|w| w / total).collect()).unwrap();
    let field = evaluate(&GaussTransform::default(), cloud.view(), Targets::Sources, beta);
    for (i, x) in nodes.iter().enumerate().filter(|(_, x)| x.abs() <= 8.5) {
        assert!((field.velocity[i] + x / (1.0 + beta)).abs() <= PROMISED, "{x}: {}", field.velocity[i]);
        let log_density = -0.5 * x * x / (1.0 + 1.0 / beta) - 0.5 * (1.0_f64 + 1.0 / beta).ln();
        let log_mass = log_density + 0.5 * (1.0 / beta).ln();
        assert!((field.log_mass[i] - log_mass).abs() <= 1e-10, "{x}: {} {log_mass}", field.log_mass[i]);
    }
}

#[test]
fn refuses_what_it_cannot_do_and_says_what_can() {
    let cloud = Cloud::new(vec![0.0; 9], 3).unwrap();
    let mut field = DriftField::default();
    let refusal = GaussTransform::default().evaluate(
        cloud.view(),
        Targets::Sources,
        Beta::new(1.0).unwrap(),
        &mut field,
    );
    let message = refusal.unwrap_err().to_string();
    assert!(message.contains("it is 3") && message.contains("blocks"), "{message}");
    let broken = CloudView { points: &[0.0, f64::NAN], dimension: 1, weights: None };
    let refusal =
        GaussTransform::default().evaluate(broken, Targets::Sources, Beta::new(1.0).unwrap(), &mut field);
    assert!(refusal.unwrap_err().to_string().contains("NaN in row 1"));
    let tight = GaussTransform { tolerance: Tolerance::new(1e-16).unwrap() };
    let refusal = tight.evaluate(
        CloudView { points: &[0.0], ..broken },
        Targets::Sources,
        Beta::new(20.0).unwrap(),
        &mut field,
    );
    assert!(refusal.unwrap_err().to_string().contains("blocks drift has no such limit"));
}
