//! Distances on the line against quadrature with fifty digits, brute force and the metric's own properties.

use proptest::prelude::*;

use super::*;
use crate::law::{Law, generator};
use crate::scale::{BallRadius, NoiseVariance};

/// The error allowed, relative to the spread of cloud and law.
const ROUNDOFF: f64 = 1e-14;
const SEED: u64 = 1_618_033;

/// mpmath, 50 and 400 digits; the script beside the file writes it and says how.
const REFERENCE: &str = include_str!("../../../tests/reference/line_w1.tsv");

fn line(law: &str, noise: f64, radius: f64) -> LineLaw {
    let prior = Law::parse(law).unwrap();
    let law = NoiseVariance::new(noise).map_or(prior.clone(), |noise| prior.noisy(noise));
    let whole = law.on_line().unwrap();
    BallRadius::new(radius).map_or(whole.clone(), |radius| whole.truncated(radius).unwrap())
}

fn cloud(points: Vec<f64>) -> Cloud {
    Cloud::new(points, 1).unwrap()
}

#[test]
fn distances_match_fifty_digits() {
    for text in REFERENCE.lines() {
        let fields: Vec<&str> = text.split('\t').collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        let numbers = |at: usize| fields[at].split(' ').map(|x| x.parse().unwrap()).collect::<Vec<f64>>();
        let mut cloud = cloud(numbers(3));
        if fields[4] != "-" {
            cloud = cloud.with_weights(numbers(4)).unwrap();
        }
        let ours = w1_to_law(&cloud, &line(fields[0], number(1), number(2))).unwrap();
        let error = (ours - number(6)).abs() / number(5);
        assert!(error <= ROUNDOFF, "{text}: {ours}, off by {error:e} of the scale");
    }
}

/// The narrow and the wide form agree where both are exact: a cloud so fine that nearly every interval is narrow and crossed.
#[test]
fn narrow_intervals_lose_nothing() {
    const POINTS: usize = 100_000;
    for (text, noise, radius) in [
        (r#"{ kind = "gaussian", mean = 0, std = 1 }"#, 0.0, f64::INFINITY),
        (r#"{ kind = "laplace", mean = 0, scale = 1 }"#, 0.5, f64::INFINITY),
        (r#"{ kind = "uniform", low = -1, high = 1 }"#, 0.5, 1.25),
        (r#"{ kind = "gaussian", mean = 9, std = 1 }"#, 0.0, 1.0),
    ] {
        let law = line(text, noise, radius);
        let reach = if radius.is_finite() { radius } else { 4.0 };
        let points = (0..POINTS).map(|i| reach * (2.0 * i as f64 / POINTS as f64 - 1.0)).collect();
        let weights = |points: &Vec<f64>| {
            let mass = |x: f64| {
                law.split(x + reach / POINTS as f64).below - law.split(x - reach / POINTS as f64).below
            };
            let masses: Vec<f64> = points.iter().map(|&x| mass(x).max(0.0)).collect();
            let total: f64 = masses.iter().sum();
            masses.into_iter().map(|mass| mass / total).collect::<Vec<f64>>()
        };
        let weights = weights(&points);
        let knots = staircase(&cloud(points).with_weights(weights).unwrap()).unwrap();
        let inside = |narrow: f64| AgainstLaw { law: &law, narrow }.integral(&knots).get();
        let (fine, coarse) = (inside(NARROW * law.smoothness()), inside(0.0));
        // The wide form loses up to a rounding error per crossing, in random directions.
        assert!((fine - coarse).abs() < 1e-13, "{text}: {fine} {coarse}");
    }
}

/// Against atoms the law is a cloud too.
#[test]
fn atoms_are_clouds() {
    let law = line(
        r#"{ kind = "atoms", points = [-1, 0.5, 2, 0.25], weights = [0.5, 0.25, 0.125, 0.125] }"#,
        0.0,
        f64::INFINITY,
    );
    let atoms = cloud(vec![-1.0, 0.5, 2.0, 0.25]).with_weights(vec![0.5, 0.25, 0.125, 0.125]).unwrap();
    for points in [vec![0.0], vec![-1.0, 0.5, 2.0], vec![-3.0, -1.0, -0.5, 0.5, 0.5, 4.0], vec![5.0, 6.0]] {
        let sample = cloud(points);
        assert!((w1_to_law(&sample, &law).unwrap() - w1(&sample, &atoms).unwrap()).abs() < 1e-15);
    }
    assert_eq!(w1_to_law(&atoms, &law).unwrap(), 0.0);
}

/// `N` midpoints of equal cells are at distance `width/4N` from the uniform law.
#[test]
fn midpoints_of_a_uniform_law() {
    let law = line(r#"{ kind = "uniform", low = 0, high = 1 }"#, 0.0, f64::INFINITY);
    let points = (0..1024).map(|i| (2 * i + 1) as f64 / 2048.0).collect();
    assert!((w1_to_law(&cloud(points), &law).unwrap() - 1.0 / 4096.0).abs() < 1e-17);
}

/// N i.i.d. points of the standard normal law are at a distance of about `1.2884/√N` in the mean.
#[test]
fn noise_floor_of_the_normal_law() {
    const POINTS: usize = 10_000;
    let law = Law::parse(r#"{ kind = "gaussian", mean = 0, std = 1 }"#).unwrap();
    let distances = (0..40).map(|seed| {
        let sample = law.sample(POINTS, &mut generator(SEED + seed)).unwrap();
        w1_to_law(&sample, &law.on_line().unwrap()).unwrap()
    });
    let mean = distances.sum::<f64>() / 40.0 * (POINTS as f64).sqrt();
    // The distance itself scatters by about half of its mean.
    assert!((mean - 1.2884).abs() < 5.0 * 0.65 / 40.0_f64.sqrt(), "{mean}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let law = Law::parse(r#"{ kind = "laplace", mean = 0, scale = 1 }"#).unwrap();
    let law = law.noisy(NoiseVariance::new(0.25).unwrap());
    let sample = law.sample(30_000, &mut generator(SEED)).unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| w1_to_law(&sample, &law.on_line().unwrap()).unwrap().to_bits())
    };
    assert!([2, 3, 8].into_iter().all(|threads| with(threads) == with(1)));
}

#[test]
fn overflow_is_an_error_and_large_numbers_are_not() {
    let law = line(r#"{ kind = "gaussian", mean = 0, std = 1 }"#, 0.0, f64::INFINITY);
    for size in [1e150, 1e308] {
        let wide = cloud(vec![-size, size]);
        assert_eq!(w1_to_law(&wide, &law).unwrap(), size);
        assert_eq!(w1(&wide, &cloud(vec![0.0, 1.0])).unwrap(), size);
    }
    let error = w1(&cloud(vec![-1e308]), &cloud(vec![1e308])).unwrap_err().to_string();
    assert!(error.contains("overflow"), "{error}");
}

#[test]
fn clouds_off_the_line_are_refused() {
    let planar = Cloud::new(vec![0.0, 1.0], 2).unwrap();
    let law = line(r#"{ kind = "gaussian", mean = 0, std = 1 }"#, 0.0, f64::INFINITY);
    assert!(w1_to_law(&planar, &law).unwrap_err().to_string().contains("dimension 2"));
    assert!(w1(&cloud(vec![0.0]), &planar).unwrap_err().to_string().contains("the second cloud"));
    assert!(Law::parse(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#).unwrap().on_line().is_err());
}

/// `∫ |F_a − F_b|` by counting, for every interval between neighbouring points.
fn brute_force(a: &Cloud, b: &Cloud) -> f64 {
    let mut places: Vec<f64> = a.points().iter().chain(b.points()).copied().collect();
    places.sort_by(f64::total_cmp);
    let below = |cloud: &Cloud, x: f64| -> f64 {
        (0..cloud.len()).filter(|&i| cloud.points()[i] <= x).map(|i| cloud.weight(i)).sum()
    };
    places.windows(2).map(|pair| (below(a, pair[0]) - below(b, pair[0])).abs() * (pair[1] - pair[0])).sum()
}

/// A weighted cloud with ties.
fn any_cloud() -> impl Strategy<Value = Cloud> {
    prop::collection::vec((-8..8_i32, 0..5_u32), 1..20).prop_filter_map("all weights are zero", |steps| {
        let total: u32 = steps.iter().map(|step| step.1).sum();
        let weights = steps.iter().map(|step| f64::from(step.1) / f64::from(total)).collect();
        cloud(steps.iter().map(|step| f64::from(step.0) / 4.0).collect()).with_weights(weights).ok()
    })
}

proptest! {
    #[test]
    fn two_clouds_match_brute_force(a in any_cloud(), b in any_cloud()) {
        let ours = w1(&a, &b).unwrap();
        prop_assert!((ours - brute_force(&a, &b)).abs() < ROUNDOFF);
        prop_assert!((ours - w1(&b, &a).unwrap()).abs() < ROUNDOFF);
        prop_assert_eq!(w1(&a, &a).unwrap(), 0.0);
    }

    /// The triangle inequality through a law, both ways.
    #[test]
    fn laws_and_clouds_share_one_metric(a in any_cloud(), b in any_cloud(), noise in 0.01..2.0_f64, radius in 0.5..9.0_f64) {
        for law in [
            line(r#"{ kind = "laplace", mean = 0.5, scale = 1 }"#, noise, f64::INFINITY),
            line(r#"{ kind = "mixture", means = [-1, 1.25], covs = [0, 0.5] }"#, 0.0, 1.0 + radius),
            line(r#"{ kind = "uniform", low = -1, high = 1 }"#, noise, radius),
        ] {
            let (to_a, to_b, between) = (w1_to_law(&a, &law).unwrap(), w1_to_law(&b, &law).unwrap(), w1(&a, &b).unwrap());
            prop_assert!(to_a <= to_b + between + ROUNDOFF);
            prop_assert!(between <= to_a + to_b + ROUNDOFF);
        }
    }

    /// Weights are multiplicities, to a law and to a cloud.
    #[test]
    fn weights_are_multiplicities(points in prop::collection::vec((-4.0..4.0_f64, 1..4_usize), 1..12)) {
        let total: usize = points.iter().map(|point| point.1).sum();
        let weights = points.iter().map(|point| point.1 as f64 / total as f64).collect();
        let weighted = cloud(points.iter().map(|point| point.0).collect()).with_weights(weights).unwrap();
        let repeated = cloud(points.iter().flat_map(|point| std::iter::repeat_n(point.0, point.1)).collect());
        let law = line(r#"{ kind = "gaussian", mean = 0.5, std = 1 }"#, 0.0, f64::INFINITY);
        prop_assert!((w1_to_law(&weighted, &law).unwrap() - w1_to_law(&repeated, &law).unwrap()).abs() < ROUNDOFF);
        prop_assert!(w1(&weighted, &repeated).unwrap() < ROUNDOFF);
    }

    /// Moving both by the same amount changes nothing.
    #[test]
    fn translations_cancel(a in any_cloud(), shift in -4..4_i32) {
        let shift = f64::from(shift) * 256.0;
        let law = |mean: f64| {
            let normal = Law::parse(&format!(r#"{{ kind = "gaussian", mean = {mean:?}, std = 0.5 }}"#)).unwrap();
            normal.on_line().unwrap()
        };
        let moved = a.moved_to(a.points().iter().map(|x| x + shift).collect()).unwrap();
        let (here, there) = (w1_to_law(&a, &law(0.25)).unwrap(), w1_to_law(&moved, &law(0.25 + shift)).unwrap());
        prop_assert!((here - there).abs() < ROUNDOFF);
    }
}

/// Distances between clouds of integers are fractions: the numerator by integer arithmetic, the difference by one fused operation.
#[test]
fn rounding_between_clouds_is_bounded() {
    let mut stream = generator(11);
    let mut worst = 0.0_f64;
    for round in 0..2000_usize {
        let mut points = |count: usize| -> Vec<f64> {
            (0..count).map(|_| (2e6 * stream.random::<f64>() - 1e6).floor()).collect()
        };
        let (n, m) = (1 + round % 37, 1 + round % 29);
        let (a, b) = (points(n), points(m));
        // n·m·W1 = Σ |m #(a ≤ x) − n #(b ≤ x)| (next x − x)
        let mut all: Vec<f64> = a.iter().chain(&b).copied().collect();
        all.sort_by(f64::total_cmp);
        let count = |points: &[f64], x: f64| points.iter().filter(|p| **p <= x).count() as i64;
        let area = |pair: &[f64]| {
            (m as i64 * count(&a, pair[0]) - n as i64 * count(&b, pair[0])).abs() * (pair[1] - pair[0]) as i64
        };
        let numerator = all.windows(2).map(area).sum::<i64>() as f64;
        let (a, b) = (Cloud::new(a, 1).unwrap(), Cloud::new(b, 1).unwrap());
        let w1 = w1(&a, &b).unwrap();
        let error = w1.mul_add((n * m) as f64, -numerator).abs() / (n * m) as f64;
        let allowed = rounding(&a, &b, w1);
        assert!(error <= allowed, "{round}: {error:e} > {allowed:e}");
        worst = worst.max(error / allowed);
    }
    println!("at most {worst} of the bound");
}
