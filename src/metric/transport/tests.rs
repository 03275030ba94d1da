//! Transport against oracles that share nothing with it: assignment solvers, enumeration, the quantile formula
//! on the line, and stored values of other packages.

use crate::numeric::sum::Sum;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::*;

/// Relative distance allowed to an oracle: both sum rounded distances.
const ORACLE: f64 = 1e-12;

/// `upper − lower` allowed, in units of the diameter.
const GAP: f64 = 1e-11;

/// Seed of all random instances.
const SEED: u64 = 20_240_711;

/// Instances that are compared with an assignment solver.
const INSTANCES: usize = 300;

/// A cloud as the oracle sees it: points with multiplicities.
struct Counted {
    points: Vec<Vec<f64>>,
    counts: Vec<usize>,
}

impl Counted {
    fn new(points: Vec<Vec<f64>>, counts: Vec<usize>) -> Self {
        Self { points, counts }
    }

    fn units(&self) -> usize {
        self.counts.iter().sum()
    }

    fn cloud(&self) -> Cloud {
        let dimension = self.points[0].len();
        let cloud = Cloud::new(self.points.concat(), dimension).unwrap();
        if self.counts.iter().all(|&count| count == 1) {
            return cloud;
        }
        let units = self.units() as f64;
        cloud.with_weights(self.counts.iter().map(|&count| count as f64 / units).collect()).unwrap()
    }

    /// Every point as often as its multiplicity says, all of that `times` times.
    fn expanded(&self, times: usize) -> Vec<&[f64]> {
        let repeated = self.points.iter().zip(&self.counts);
        repeated.flat_map(|(point, &count)| std::iter::repeat_n(point.as_slice(), count * times)).collect()
    }
}

fn length(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// `W1` by an assignment between unit masses.
fn by_assignment(first: &Counted, second: &Counted) -> f64 {
    let units = first.units() * second.units() / gcd(first.units(), second.units());
    let (x, y) = (first.expanded(units / first.units()), second.expanded(units / second.units()));
    let costs = x.iter().flat_map(|x| y.iter().map(|y| length(x, y))).collect();
    let (rows, columns) = lsap::solve(units, units, &costs, false).unwrap();
    let terms = rows.iter().zip(&columns).map(|(&i, &j)| costs[i * units + j]);
    terms.collect::<Sum>().value() / units as f64
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `W1` by trying all pairings of unit masses.
fn by_enumeration(x: &[&[f64]], y: &mut Vec<&[f64]>) -> f64 {
    let Some((last, rest)) = x.split_last() else { return 0.0 };
    let mut best = f64::INFINITY;
    for at in 0..y.len() {
        let partner = y.swap_remove(at);
        best = best.min(length(last, partner) + by_enumeration(rest, y));
        y.push(partner);
        let end = y.len() - 1;
        y.swap(at, end);
    }
    best
}

fn diameter(clouds: [&Cloud; 2]) -> f64 {
    let rows: Vec<&[f64]> = clouds.iter().flat_map(|cloud| cloud.rows()).collect();
    rows.iter().flat_map(|x| rows.iter().map(move |y| length(x, y))).fold(0.0, f64::max)
}

fn assert_proves(transport: &Transport, oracle: f64, diameter: f64, what: &str) {
    let Transport { distance, lower, upper, .. } = *transport;
    assert!((distance - oracle).abs() <= ORACLE * oracle, "{what}: {distance} instead of {oracle}");
    let slack = ORACLE * oracle;
    assert!(
        lower <= oracle + slack && oracle <= upper + slack,
        "{what}: {oracle} outside [{lower}, {upper}]"
    );
    assert!(lower <= distance && distance <= upper, "{what}: {distance} outside [{lower}, {upper}]");
    assert!(upper - lower <= GAP * diameter, "{what}: gap {} of diameter {diameter}", upper - lower);
}

/// Random points of one of several kinds, chosen to provoke ties and degenerate cells.
fn points(kind: usize, count: usize, dimension: usize, random: &mut Pcg64) -> Vec<Vec<f64>> {
    let normal = |random: &mut Pcg64| -> f64 { StandardNormal.sample(random) };
    let mut rows: Vec<Vec<f64>> =
        (0..count).map(|_| (0..dimension).map(|_| normal(random)).collect()).collect();
    for row in &mut rows {
        match kind {
            0 => {}
            1 => row.iter_mut().for_each(|x| *x = (2.0 * *x).round()),
            2 => {
                let along = row[0];
                row.iter_mut().enumerate().for_each(|(axis, x)| *x = along * (axis as f64 - 1.5));
            }
            3 => {
                let centre = random.random_range(0..3) as f64;
                row.iter_mut().for_each(|x| *x = centre + 1e-7 * *x);
            }
            4 => row.iter_mut().for_each(|x| *x = x.abs().powi(8)),
            _ => row.iter_mut().for_each(|x| *x = f64::from(*x > 0.0)),
        }
    }
    rows
}

fn counted(kind: usize, count: usize, weighted: bool, dimension: usize, random: &mut Pcg64) -> Counted {
    let counts = (0..count).map(|_| if weighted { random.random_range(1..=3) } else { 1 }).collect();
    Counted::new(points(kind, count, dimension, random), counts)
}

#[test]
fn equals_an_assignment_solver_on_random_instances() {
    let mut random = Pcg64::seed_from_u64(SEED);
    for instance in 0..INSTANCES {
        let (kind, dimension) = (instance % 6, 1 + instance / 6 % 5);
        let (weighted, unequal) = (instance % 4 == 1, instance % 4 == 2);
        let size = match instance % 20 {
            0 => 400,
            1..10 => random.random_range(2..120),
            _ => random.random_range(2..20),
        };
        let (mut n, mut m) = (size, size);
        if unequal {
            (n, m) = (size.min(30), random.random_range(2..25));
        }
        if weighted {
            (n, m) = (size.min(8), size.min(8));
        }
        let first = counted(kind, n, weighted, dimension, &mut random);
        let second = counted((kind + instance % 2) % 6, m, weighted, dimension, &mut random);
        let clouds = [first.cloud(), second.cloud()];
        let transport = wasserstein(&clouds[0], &clouds[1]).unwrap();
        let what = format!("instance {instance}: kind {kind}, {n} and {m} points in dimension {dimension}");
        assert_proves(&transport, by_assignment(&first, &second), diameter([&clouds[0], &clouds[1]]), &what);
    }
}

#[test]
fn equals_an_assignment_solver_on_a_thousand_points() {
    let mut random = Pcg64::seed_from_u64(SEED + 1);
    for (kind, dimension) in [(0, 2), (1, 2), (3, 2), (0, 3), (0, 5)] {
        let first = counted(kind, 1000, false, dimension, &mut random);
        let second = counted(0, 1000, false, dimension, &mut random);
        let clouds = [first.cloud(), second.cloud()];
        let transport = wasserstein(&clouds[0], &clouds[1]).unwrap();
        let what = format!("kind {kind} in dimension {dimension}");
        assert_proves(&transport, by_assignment(&first, &second), diameter([&clouds[0], &clouds[1]]), &what);
    }
}

/// Points that have collapsed onto clusters, of equal sizes or of very unequal ones.
fn collapsed(
    count: usize,
    dimension: usize,
    clusters: usize,
    radius: f64,
    even: bool,
    random: &mut Pcg64,
) -> Vec<Vec<f64>> {
    let centres: Vec<Vec<f64>> =
        (0..clusters).map(|_| (0..dimension).map(|_| random.random_range(-2.0..2.0)).collect()).collect();
    let mut rows = points(0, count, dimension, random);
    for (index, row) in rows.iter_mut().enumerate() {
        let skewed = (random.random::<f64>().powi(3) * clusters as f64) as usize;
        let centre = &centres[if even { index % clusters } else { skewed }];
        row.iter_mut().zip(centre).for_each(|(x, c)| *x = c + radius * *x);
    }
    rows
}

#[test]
fn equals_an_assignment_solver_on_collapsed_clusters() {
    let mut random = Pcg64::seed_from_u64(SEED + 6);
    let equal = |rows: Vec<Vec<f64>>| Counted::new(rows, vec![1; 400]);
    for (clusters, radius) in [(1, 1e-9), (5, 1e-9), (5, 1e-3), (20, 1e-9), (200, 1e-9), (200, 1e-3)] {
        for (dimension, even, both) in
            [(2, true, false), (3, false, false), (2, false, true), (3, true, true)]
        {
            let first = equal(collapsed(400, dimension, clusters, radius, even, &mut random));
            let second = equal(match both {
                true => collapsed(400, dimension, clusters, radius, even, &mut random),
                false => points(0, 400, dimension, &mut random),
            });
            let clouds = [first.cloud(), second.cloud()];
            let oracle = by_assignment(&first, &second);
            let what = format!("{clusters} clusters of radius {radius} in dimension {dimension}");
            for order in [[0, 1], [1, 0]] {
                let [first, second] = order.map(|side| &clouds[side]);
                let transport = wasserstein(first, second).unwrap();
                assert_proves(&transport, oracle, diameter([first, second]), &what);
            }
        }
    }
}

/// Members of a cluster tie almost. Prices that cross along the rays still tell them apart, so that the simplex
/// has little more to do than elsewhere.
#[test]
fn collapsed_clusters_take_few_more_pivots() {
    let mut random = Pcg64::seed_from_u64(SEED + 7);
    for dimension in [2, 3] {
        let fresh = gaussian(4000, dimension, SEED);
        let usual = wasserstein(&gaussian(4000, dimension, SEED + 1), &fresh).unwrap().effort.pivots;
        for (clusters, radius, even) in [
            (2, 1e-3, true),
            (5, 1e-3, true),
            (5, 1e-9, true),
            (20, 1e-9, true),
            (20, 1e-9, false),
            (200, 1e-3, true),
        ] {
            let rows = collapsed(4000, dimension, clusters, radius, even, &mut random);
            let cloud = Cloud::new(rows.concat(), dimension).unwrap();
            let pivots = wasserstein(&cloud, &fresh).unwrap().effort.pivots;
            assert!(pivots < 3 * usual, "{clusters} clusters of radius {radius}: {pivots} pivots, {usual}");
        }
    }
}

/// Multiplicities of `count` points that sum to `units`.
fn split(units: usize, count: usize, random: &mut Pcg64) -> Vec<usize> {
    let mut counts = vec![1; count];
    (count..units).for_each(|_| counts[random.random_range(0..count)] += 1);
    counts
}

#[test]
fn equals_an_assignment_solver_on_weights_over_several_levels() {
    let mut random = Pcg64::seed_from_u64(SEED + 4);
    for (kind, n, m, units) in
        [(0, 300, 450, 900), (1, 512, 200, 1024), (3, 150, 600, 1000), (2, 400, 300, 800)]
    {
        let dimension = 2 + kind % 2;
        let mut side = |kind, count| {
            let counts = split(units, count, &mut random);
            Counted::new(points(kind, count, dimension, &mut random), counts)
        };
        let (first, second) = (side(kind, n), side(0, m));
        let clouds = [first.cloud(), second.cloud()];
        let transport = wasserstein(&clouds[0], &clouds[1]).unwrap();
        let what = format!("kind {kind}, {n} and {m} points");
        assert_proves(&transport, by_assignment(&first, &second), diameter([&clouds[0], &clouds[1]]), &what);
    }
}

#[test]
fn equals_enumeration_on_tiny_weighted_clouds() {
    let mut random = Pcg64::seed_from_u64(SEED + 2);
    for instance in 0..60 {
        let (kind, dimension) = (instance % 6, 1 + instance % 5);
        // Eight units each, split over fewer points: weights that floating-point numbers hold exactly.
        let split = |at: usize| vec![at, 8 - at];
        let first = Counted::new(points(kind, 2, dimension, &mut random), split(1 + instance % 7));
        let second = Counted::new(
            points(kind, 3, dimension, &mut random),
            vec![1, 1 + instance % 4, 5 - instance % 4],
        );
        let oracle = by_enumeration(&first.expanded(1), &mut second.expanded(1)) / 8.0;
        let clouds = [first.cloud(), second.cloud()];
        let transport = wasserstein(&clouds[0], &clouds[1]).unwrap();
        let what = format!("instance {instance}");
        assert_proves(&transport, oracle, diameter([&clouds[0], &clouds[1]]), &what);
    }
}

/// `∫ |F − G|` for equal weights: on the line the monotone coupling is optimal.
fn on_the_line(mut x: Vec<f64>, mut y: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    y.sort_by(f64::total_cmp);
    let gaps: Sum = x.iter().zip(&y).map(|(x, y)| (x - y).abs()).collect();
    gaps.value() / x.len() as f64
}

#[test]
fn equals_the_quantile_formula_on_the_line() {
    let mut random = Pcg64::seed_from_u64(SEED + 3);
    for kind in 0..5 {
        let (x, y) = (points(kind, 3000, 1, &mut random).concat(), points(0, 3000, 1, &mut random).concat());
        let clouds = [Cloud::new(x.clone(), 1).unwrap(), Cloud::new(y.clone(), 1).unwrap()];
        let transport = wasserstein(&clouds[0], &clouds[1]).unwrap();
        assert_proves(
            &transport,
            on_the_line(x, y),
            diameter([&clouds[0], &clouds[1]]),
            &format!("kind {kind}"),
        );
    }
}

/// Weighted clouds given by formulas: `sin(p·k·a) + cos(q·k + a)`, weights `1 + (k−1) mod r`.
fn by_formula(count: usize, dimension: usize, p: f64, q: f64, period: usize) -> Cloud {
    let point =
        |k: usize| (1..=dimension).map(move |a| (p * (k * a) as f64).sin() + (q * k as f64 + a as f64).cos());
    let weights: Vec<f64> = (0..count).map(|k| (1 + k % period) as f64).collect();
    let sum: f64 = weights.iter().sum();
    let cloud = Cloud::new((1..=count).flat_map(point).collect(), dimension).unwrap();
    cloud.with_weights(weights.iter().map(|w| w / sum).collect()).unwrap()
}

/// Plans from POT 0.9.7 (`ot.emd`), rounded to integer flows with exact marginals and evaluated in 40 digits
/// with mpmath; `scipy.optimize.linprog` (HiGHS) gives the same values to 4e-16.
#[test]
fn equals_values_of_other_packages() {
    let cases = [
        (60, 45, 1, 0.127_192_905_447_482_08),
        (60, 45, 2, 0.346_936_801_757_699_4),
        (60, 45, 3, 0.673_208_601_771_399_1),
        (40, 40, 5, 1.257_306_416_104_995),
    ];
    for (n, m, dimension, value) in cases {
        let (first, second) = (by_formula(n, dimension, 1.1, 0.7, 7), by_formula(m, dimension, 1.3, 0.3, 5));
        let transport = wasserstein(&first, &second).unwrap();
        assert!(transport.weight_rounding > 0.0);
        assert_proves(&transport, value, diameter([&first, &second]), &format!("dimension {dimension}"));
    }
}

fn gaussian(count: usize, dimension: usize, seed: u64) -> Cloud {
    let mut random = Pcg64::seed_from_u64(seed);
    Cloud::new(points(0, count, dimension, &mut random).concat(), dimension).unwrap()
}

#[test]
fn plan_and_potential_are_what_they_claim_to_be() {
    let (first, second) = (gaussian(700, 2, SEED), by_formula(900, 2, 1.1, 0.7, 7));
    let transport = wasserstein(&first, &second).unwrap();
    let (mut sent, mut received) = (vec![0.0; first.len()], vec![0.0; second.len()]);
    let mut cost = 0.0;
    for shipment in &transport.plan {
        sent[shipment.from] += shipment.mass;
        received[shipment.to] += shipment.mass;
        let (x, y) = (first.rows().nth(shipment.from).unwrap(), second.rows().nth(shipment.to).unwrap());
        cost += shipment.mass * length(x, y);
    }
    assert!((0..first.len()).all(|i| (sent[i] - first.weight(i)).abs() < 1e-15));
    assert!((0..second.len()).all(|j| (received[j] - second.weight(j)).abs() < 1e-15));
    assert!((cost - transport.distance).abs() < 1e-14);
    let potential = &transport.potential;
    let dual = potential.mean(&first).unwrap() - potential.mean(&second).unwrap();
    assert!((dual - transport.distance).abs() < 1e-13 * diameter([&first, &second]));
}

#[test]
fn mass_that_both_hold_stays() {
    let first = Cloud::new(vec![0.0, 1.0, 1.0, 5.0], 1).unwrap();
    let second = Cloud::new(vec![5.0, 1.0, -0.0, 2.0], 1).unwrap();
    let transport = wasserstein(&first, &second).unwrap();
    assert_eq!(transport.plan, [Shipment { from: 1, to: 3, mass: 0.25 }]);
    assert_eq!(transport.distance, 0.25);
}

#[test]
fn equal_measures_are_at_distance_zero() {
    let cloud = gaussian(200, 3, SEED);
    let reversed = Cloud::new(cloud.rows().rev().flatten().copied().collect(), 3).unwrap();
    let transport = wasserstein(&cloud, &reversed).unwrap();
    assert_eq!((transport.lower, transport.upper), (0.0, 0.0));
    assert_eq!(transport.potential.values(&cloud).unwrap(), vec![0.0; 200]);
    let doubled = Cloud::new([cloud.points(), cloud.points()].concat(), 3).unwrap();
    assert_eq!(wasserstein(&cloud, &doubled).unwrap().upper, 0.0);
}

#[test]
fn a_zero_weight_counts_for_nothing() {
    let first = Cloud::new(vec![0.0, 0.0, 9.0, 9.0], 2).unwrap().with_weights(vec![1.0, 0.0]).unwrap();
    let second = Cloud::new(vec![3.0, 4.0], 2).unwrap();
    assert_eq!(wasserstein(&first, &second).unwrap().distance, 5.0);
}

#[test]
fn refuses_clouds_of_different_dimension() {
    let error = wasserstein(&gaussian(3, 2, SEED), &gaussian(3, 3, SEED)).unwrap_err().to_string();
    assert!(error.contains("dimension 3") && error.contains("dimension 2"), "{error}");
    let potential = wasserstein(&gaussian(3, 2, 1), &gaussian(3, 2, 2)).unwrap().potential;
    assert!(potential.values(&gaussian(3, 1, SEED)).is_err());
}

#[test]
fn powers_of_two_scale_the_result_exactly() {
    let (first, second) = (gaussian(300, 2, SEED), gaussian(250, 2, SEED + 1));
    let transport = wasserstein(&first, &second).unwrap();
    for factor in [2.0_f64.powi(500), 2.0_f64.powi(-500), 2.0_f64.powi(900)] {
        let scaled =
            |cloud: &Cloud| Cloud::new(cloud.points().iter().map(|x| x * factor).collect(), 2).unwrap();
        let of_scaled = wasserstein(&scaled(&first), &scaled(&second)).unwrap();
        assert_eq!(of_scaled.distance, factor * transport.distance);
        assert_eq!((of_scaled.lower, of_scaled.upper), (factor * transport.lower, factor * transport.upper));
    }
}

#[test]
fn survives_extreme_scales_and_offsets() {
    let (first, second) = (gaussian(300, 3, SEED), gaussian(300, 3, SEED + 1));
    let distance = wasserstein(&first, &second).unwrap().distance;
    let mapped = |cloud: &Cloud, f: &dyn Fn(f64) -> f64| {
        Cloud::new(cloud.points().iter().map(|&x| f(x)).collect(), 3).unwrap()
    };
    for factor in [1e150, 1e-150, 1e300, 1e-300] {
        let scale = |x: f64| x * factor;
        let scaled = wasserstein(&mapped(&first, &scale), &mapped(&second, &scale)).unwrap();
        assert!((scaled.distance / factor - distance).abs() < ORACLE * distance);
        assert!(scaled.gap() < GAP * 10.0 * factor);
    }
    // Multiples of 2^-20 can be moved by 1e6 without rounding: the distance stays what it was.
    let rounded = |x: f64| (x * 2.0_f64.powi(20)).round() / 2.0_f64.powi(20);
    let offset = |x: f64| rounded(x) + 1e6;
    let near = wasserstein(&mapped(&first, &rounded), &mapped(&second, &rounded)).unwrap();
    let far = wasserstein(&mapped(&first, &offset), &mapped(&second, &offset)).unwrap();
    assert!((near.distance - far.distance).abs() < ORACLE * near.distance);
    assert!(far.gap() < GAP * 10.0);
}

#[test]
fn equals_an_assignment_solver_far_from_the_origin() {
    let mut random = Pcg64::seed_from_u64(SEED + 5);
    for (dimension, offset) in [(1, 1e6), (2, 1e6), (3, 1e6), (2, -1e9), (3, 1e12)] {
        let mut side = || {
            let mut rows = points(0, 500, dimension, &mut random);
            rows.iter_mut().flatten().for_each(|x| *x += offset);
            Counted::new(rows, vec![1; 500])
        };
        let (first, second) = (side(), side());
        let clouds = [first.cloud(), second.cloud()];
        let transport = wasserstein(&clouds[0], &clouds[1]).unwrap();
        let what = format!("dimension {dimension}, offset {offset}");
        assert_proves(&transport, by_assignment(&first, &second), diameter([&clouds[0], &clouds[1]]), &what);
    }
}

#[test]
fn the_ends_of_the_number_range_are_no_trap() {
    let cloud = |x: f64| Cloud::new(vec![x], 1).unwrap();
    let tiny = wasserstein(&cloud(0.0), &cloud(5e-324)).unwrap();
    assert_eq!(tiny.distance, 5e-324);
    let error = wasserstein(&cloud(1.7e308), &cloud(-1.7e308)).unwrap_err().to_string();
    assert!(error.contains("rescale"), "{error}");
    let far = wasserstein(&cloud(0.0), &cloud(1e-300)).unwrap().potential.values(&cloud(1e300)).unwrap();
    assert_eq!(far, [1e300]);
    let mixed = Cloud::new(vec![1e308, 1e-308, 0.0, -1e-308], 1).unwrap();
    assert!(wasserstein(&mixed, &cloud(0.0)).unwrap().upper.is_finite());
}

#[test]
fn potential_values_do_not_depend_on_the_number_of_threads() {
    let (first, second) = (gaussian(500, 2, SEED), gaussian(500, 2, SEED + 1));
    let fresh = gaussian(5000, 2, SEED + 2);
    let values = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| wasserstein(&first, &second).unwrap().potential.values(&fresh).unwrap())
    };
    assert_eq!(values(1), values(4));
}

/// Clouds of up to 30 points in up to four dimensions, on a coarse lattice so that ties are common.
fn lattice_clouds(how_many: usize) -> impl Strategy<Value = Vec<Cloud>> {
    (1..=4_usize).prop_flat_map(move |dimension| {
        let coordinates = prop::collection::vec(-4..=4_i32, dimension..=30 * dimension);
        let cloud = coordinates.prop_map(move |mut values| {
            values.truncate(values.len() / dimension * dimension);
            Cloud::new(values.into_iter().map(f64::from).collect(), dimension).unwrap()
        });
        prop::collection::vec(cloud, how_many)
    })
}

proptest! {
    #[test]
    fn is_a_metric(clouds in lattice_clouds(3)) {
        let w1 = |i: usize, j: usize| wasserstein(&clouds[i], &clouds[j]).unwrap();
        let (ab, ba, bc, ac) = (w1(0, 1), w1(1, 0), w1(1, 2), w1(0, 2));
        prop_assert!((ab.distance - ba.distance).abs() <= ORACLE * ab.distance);
        prop_assert!(ac.lower <= ab.upper + bc.upper);
        prop_assert!(ab.gap() <= GAP * 32.0);
    }

    #[test]
    fn potentials_are_lipschitz_everywhere(clouds in lattice_clouds(3)) {
        let potential = wasserstein(&clouds[0], &clouds[1]).unwrap().potential;
        let values = potential.values(&clouds[2]).unwrap();
        for (x, f) in clouds[2].rows().zip(&values) {
            for (y, g) in clouds[2].rows().zip(&values) {
                prop_assert!((f - g).abs() <= length(x, y) + 1e-14 * 32.0);
            }
        }
    }

    #[test]
    fn projections_are_no_farther_apart(clouds in lattice_clouds(2)) {
        let onto_axis = |cloud: &Cloud| Cloud::new(cloud.rows().map(|row| row[0]).collect(), 1).unwrap();
        let projected = wasserstein(&onto_axis(&clouds[0]), &onto_axis(&clouds[1])).unwrap();
        prop_assert!(projected.lower <= wasserstein(&clouds[0], &clouds[1]).unwrap().upper);
    }
}
