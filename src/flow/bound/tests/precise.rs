//! The sums over pairs and what is made of them, beside the same from their definitions in multi-precision arithmetic: slow, and with nothing to round.

use dashu_float::FBig;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::flow::bound::ellipse::{Ellipse, SHRINKS};
use crate::flow::bound::enclosure::{Enclosure, UNDERFLOW};
use crate::flow::bound::interpolant::Interpolation;
use crate::flow::bound::pairs::{Column, FARTHEST, Pairs};
use crate::flow::bound::rounding::{Logarithms, Slack};
use crate::flow::bound::sample::Scaled;
use crate::simd::Real;

const SEED: u64 = 404;

/// Clouds in `cargo test`; the environment may ask for more (`EBFLOW_PRECISE`).
const CLOUDS: u64 = 24;

fn clouds() -> u64 {
    std::env::var("EBFLOW_PRECISE").map_or(CLOUDS, |value| value.parse().expect("a number"))
}

/// Bits of the arithmetic.
const PRECISE: usize = 140;

/// No sum may be larger than it has to be by more than this, relatively, or absolutely: room for radii that are rounded up, for `|δ|` beside a small `|δ+v|`, and for weights that are taken
/// to be `2^−60`.
const TIGHT: f64 = 1e-2;
const NOTHING: f64 = 1e-4;

type P = FBig;

fn p(x: f64) -> P {
    P::try_from(x).unwrap().with_precision(PRECISE).value()
}

fn f(x: &P) -> f64 {
    x.to_f64().value()
}

fn abs(x: P) -> P {
    if f(&x) < 0.0 { -x } else { x }
}

fn root(x: P) -> P {
    if f(&x) <= 0.0 { p(0.0) } else { x.sqrt() }
}

fn dot(a: &[P], b: &[P]) -> P {
    a.iter().zip(b).fold(p(0.0), |sum, (a, b)| sum + a * b)
}

/// A cloud in motion whose numbers are all singles, in units of the kernel's width.
struct Cloud {
    dimension: usize,
    weights: Vec<f64>,
    points: Vec<f64>,
    motion: Vec<f64>,
    bend: Vec<f64>,
    drift: Vec<f64>,
    log_mass: Vec<f64>,
    radius: Vec<f64>,
    half_length: f64,
}

impl Cloud {
    fn random(seed: u64) -> Self {
        let mut rng = Pcg64::seed_from_u64(SEED + seed);
        let (particles, dimension) = (rng.random_range(1..12), rng.random_range(1..5));
        let spread = [0.01, 1.0, 3.0, 30.0][rng.random_range(0..4)];
        let mut normal = |size: f64| -> Vec<f64> {
            let one = |_| size * Distribution::<f64>::sample(&StandardNormal, &mut rng);
            (0..particles * dimension).map(one).map(|x: f64| f64::from(x as f32)).collect()
        };
        let (points, motion, bend) = (normal(spread), normal(0.5), normal(0.1));
        let decades = 6.0 * rng.random::<f64>();
        let raw: Vec<f64> = (0..particles).map(|_| 10f64.powf(-decades * rng.random::<f64>())).collect();
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.iter().map(|w| w / total).collect();
        let radius = (0..particles).map(|_| 0.1 * rng.random::<f64>().powi(6)).collect();
        let mut cloud = Self {
            dimension,
            weights,
            points,
            motion,
            bend,
            drift: Vec::new(),
            log_mass: Vec::new(),
            radius,
            half_length: 0.3 * rng.random::<f64>(),
        };
        for i in 0..particles {
            let (mass, drift) = cloud.drift([&p(0.0), &p(0.0)], i);
            cloud.log_mass.push(f(&mass[0]).ln());
            cloud.drift.extend(drift.iter().map(|v| f64::from(f(&v[0]) as f32)));
        }
        cloud
    }

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn row(values: &[f64], i: usize, d: usize) -> Vec<P> {
        values[i * d..(i + 1) * d].iter().map(|x| p(*x)).collect()
    }

    fn between(&self, values: &[f64], i: usize, k: usize) -> Vec<P> {
        let (a, b) = (Self::row(values, i, self.dimension), Self::row(values, k, self.dimension));
        a.into_iter().zip(b).map(|(a, b)| a - b).collect()
    }

    /// Where particle `i` is at a complex time.
    fn at(&self, [re, im]: [&P; 2], i: usize) -> Vec<[P; 2]> {
        let d = self.dimension;
        let place = |c: usize| {
            let [z, m, q] = [&self.points, &self.motion, &self.bend].map(|values| p(values[i * d + c]));
            let real = z + &m * re + &q * (re * re - im * im);
            [real, m * im + q * p(2.0) * re * im]
        };
        (0..d).map(place).collect()
    }

    /// The mass and the drift of a particle at a complex time, from their definitions.
    fn drift(&self, time: [&P; 2], i: usize) -> ([P; 2], Vec<[P; 2]>) {
        let own = self.at(time, i);
        let mut mass = [p(0.0), p(0.0)];
        let mut moment = vec![[p(0.0), p(0.0)]; self.dimension];
        for (k, weight) in self.weights.iter().enumerate() {
            let apart: Vec<[P; 2]> =
                self.at(time, k).into_iter().zip(&own).map(|([a, b], [x, y])| [a - x, b - y]).collect();
            let square = apart.iter().fold([p(0.0), p(0.0)], |[re, im], x| {
                let [a, b] = times(x, x);
                [re + a, im + b]
            });
            let [re, im] = exponential(square.map(|x| x * p(-0.5)));
            let term = [re * p(*weight), im * p(*weight)];
            mass = [&mass[0] + &term[0], &mass[1] + &term[1]];
            for (sum, x) in moment.iter_mut().zip(&apart) {
                let [a, b] = times(&term, x);
                *sum = [&sum[0] + a, &sum[1] + b];
            }
        }
        let inverse = &mass[0] * &mass[0] + &mass[1] * &mass[1];
        let inverse = [&mass[0] / &inverse, -(&mass[1] / &inverse)];
        (mass, moment.iter().map(|m| times(m, &inverse)).collect())
    }

    fn scaled(&self) -> Scaled {
        Scaled {
            per_length: 1.0,
            points: self.points.clone(),
            motion: self.motion.clone(),
            drift: self.drift.clone(),
            drift_error: vec![1e-6; self.len()],
            log_mass: self.log_mass.clone(),
        }
    }

    fn allowance<R: Real>(&self) -> f64 {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let logarithms = Logarithms {
            mass: largest(&mut self.log_mass.iter().map(|l| -l)),
            weight: largest(&mut self.weights.iter().map(|w| -w.ln())),
        };
        Slack::of::<R>(self.dimension).allowance::<R>(self.len(), logarithms)
    }

    fn pair(&self, i: usize, k: usize, shrink: f64) -> Pair {
        let (delta, motion) = (self.between(&self.points, i, k), self.between(&self.motion, i, k));
        let drift = Self::row(&self.drift, i, self.dimension);
        let spread: Vec<P> = delta.iter().zip(&drift).map(|(d, v)| d + v).collect();
        let (distance, fast) = (root(dot(&delta, &delta)), root(dot(&motion, &motion)));
        let own = i == k;
        let radius = if own { p(0.0) } else { p(shrink * shrink) * (p(self.radius[i]) + p(self.radius[k])) };
        let eta = p(shrink * self.half_length);
        let exponent = p(self.weights[k]).ln() - dot(&delta, &delta) / p(2.0) - p(self.log_mass[i]);
        Pair {
            weight: exponent.exp(),
            change: &eta * abs(dot(&delta, &motion)) + &distance * &radius,
            reach: eta * fast + &radius,
            inner: dot(&spread, &delta),
            spread: root(dot(&spread, &spread)),
            distance,
            line: self.dimension == 1,
        }
    }
}

fn times(a: &[P; 2], b: &[P; 2]) -> [P; 2] {
    [&a[0] * &b[0] - &a[1] * &b[1], &a[0] * &b[1] + &a[1] * &b[0]]
}

/// `e^{a+ib}`: that of the real part, and Taylor's series of a small part of the imaginary one, squared over and over.
fn exponential([re, im]: [P; 2]) -> [P; 2] {
    const HALVINGS: i32 = 8;
    let small = im * p(0.5f64.powi(HALVINGS));
    let (mut term, mut sum) = ([p(1.0), p(0.0)], [p(1.0), p(0.0)]);
    for k in 1..40 {
        term = times(&term, &[p(0.0), &small / p(f64::from(k))]);
        sum = [&sum[0] + &term[0], &sum[1] + &term[1]];
    }
    for _ in 0..HALVINGS {
        sum = times(&sum, &sum);
    }
    let size = re.exp();
    sum.map(|x| x * &size)
}

/// What the formulas of `enclosure.rs` and `ellipse.rs` say about a pair.
struct Pair {
    weight: P,
    change: P,
    reach: P,
    inner: P,
    spread: P,
    distance: P,
    line: bool,
}

impl Pair {
    fn thick(&self) -> P {
        &self.weight * self.change.exp()
    }

    fn block(&self) -> P {
        if self.line {
            return abs(p(1.0) - &self.inner);
        }
        let square = &self.spread * &self.spread * &self.distance * &self.distance;
        (root(square.clone()) + root(square + p(4.0) - p(4.0) * &self.inner)) / p(2.0)
    }

    fn swing(&self) -> P {
        &self.change + &self.reach * &self.reach / p(2.0)
    }
}

/// How many enclosures were looked at.
fn contains(found: f64, exact: &P, allowance: f64) -> usize {
    let exact = f(exact);
    assert!(allowance * found + UNDERFLOW >= exact, "{found:e} < {exact:e}");
    assert!(found <= exact * (1.0 + TIGHT) + NOTHING, "{found:e} is far more than {exact:e}");
    1
}

/// What is summed.
type Of<'a> = &'a dyn Fn(&Pair) -> P;

fn check_row<R: Real>(cloud: &Cloud, i: usize) -> usize {
    let (n, scaled) = (cloud.len(), cloud.scaled());
    let enclosure = Enclosure::about(&scaled, Some(&cloud.weights), &cloud.radius, cloud.half_length);
    let units: Vec<Vec<f64>> =
        (0..n).map(|k| (0..n).map(|j| f64::from(u8::from(j == k))).collect()).collect();
    let columns: Vec<Column<'_>> = units.iter().map(|unit| Column::new(unit)).collect();
    let pairs = Pairs::<R>::new(&enclosure, columns.iter());
    let (sums, allowance) = (pairs.row(enclosure.side(i)), cloud.allowance::<R>());
    let exact: Vec<Pair> = (0..n).map(|k| cloud.pair(i, k, 1.0)).collect();
    let sum = |of: Of<'_>| exact.iter().fold(p(0.0), |sum, pair| sum + pair.thick() * of(pair));
    let mut looked = 0;
    let all: [(f64, Of<'_>); 7] = [
        (sums.mass, &|_| p(1.0)),
        (sums.change, &|q| &q.change + &q.reach * &q.reach / p(2.0)),
        (sums.spread, &|q| q.spread.clone()),
        (sums.changed_spread, &|q| &q.change * &q.spread),
        (sums.reached_spread, &|q| &q.reach * &q.reach * &q.spread),
        (sums.reach, &|q| q.reach.clone()),
        (sums.blur, &|q| p(2.0) * &q.spread * &q.reach + &q.reach * &q.reach),
    ];
    for (found, of) in all {
        looked += contains(found, &sum(of), allowance);
    }
    for (k, pair) in exact.iter().enumerate().filter(|(k, _)| *k != i) {
        let longer = &pair.distance + &pair.reach;
        let plain = pair.thick() * (pair.block() + &pair.reach * (&longer + &pair.spread));
        looked += contains(sums.row_sums[k].plain, &plain, allowance);
        looked += contains(sums.row_sums[k].turned, &(pair.thick() * longer), allowance);
    }
    looked + check_swings(cloud, &pairs, &enclosure, i, allowance)
}

fn check_swings<R: Real>(
    cloud: &Cloud,
    pairs: &Pairs<R>,
    enclosure: &Enclosure<'_>,
    i: usize,
    allowance: f64,
) -> usize {
    let mut looked = 0;
    for shrink in SHRINKS {
        let swing = pairs.swing(enclosure.side(i), shrink);
        let (mut kept, mut lost, mut moved) = (p(0.0), p(0.0), p(0.0));
        for k in 0..cloud.len() {
            let pair = cloud.pair(i, k, shrink);
            let theta = pair.swing();
            let large = &pair.weight * theta.clone().exp();
            if f(&theta) <= 1.0 {
                kept += &pair.weight * (-theta.clone()).exp();
            }
            if f(&theta) > 1.5 {
                lost += &large;
            }
            moved += large * (theta * &pair.spread + &pair.reach);
        }
        let added = cloud.len() as f64 * (-FARTHEST).exp2();
        assert!(swing.kept <= allowance * f(&kept) + added, "{:e} > {:e}", swing.kept, f(&kept));
        assert!(allowance * swing.lost + UNDERFLOW >= f(&lost));
        assert!(allowance * swing.moved + UNDERFLOW >= f(&moved));
        looked += 3;
    }
    looked
}

#[test]
fn sums_over_pairs_contain_those_of_multi_precision() {
    let check = |seed: u64| -> usize {
        let cloud = Cloud::random(seed);
        (0..cloud.len()).map(|i| check_row::<f32>(&cloud, i) + check_row::<f64>(&cloud, i)).sum()
    };
    let looked: usize = (0..clouds()).into_par_iter().map(check).sum();
    println!("{looked} sums");
    assert!(looked as u64 > 200 * clouds(), "{looked}");
}

/// What rounding takes is taken: without their allowance some sums of plain weights are too small.
#[test]
fn sums_without_their_allowance_are_too_small() {
    let too_small = |seed: u64| {
        let mut cloud = Cloud::random(seed);
        cloud.radius.fill(0.0);
        cloud.half_length = 0.0;
        let scaled = cloud.scaled();
        let enclosure = Enclosure::about(&scaled, Some(&cloud.weights), &cloud.radius, 0.0);
        let pairs = Pairs::<f32>::new(&enclosure, std::iter::empty());
        let mass = |i: usize| (0..cloud.len()).fold(p(0.0), |sum, k| sum + cloud.pair(i, k, 1.0).weight);
        (0..cloud.len()).filter(|i| pairs.row(enclosure.side(*i)).mass < f(&mass(*i))).count()
    };
    assert!((0..20).map(too_small).sum::<usize>() > 0);
}

/// Times on the circle: points with rational coordinates.
const PLACES: [(f64, f64); 6] =
    [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8), (0.8, -0.6), (-0.28, 0.96), (-1.0, 0.0)];

fn check_ellipse(cloud: &Cloud, i: usize, ellipse: Ellipse, length: f64) -> usize {
    let (_, middle) = cloud.drift([&p(0.0), &p(0.0)], i);
    for (x, y) in PLACES {
        let (_, there) = cloud.drift([&p(ellipse.reach * x), &p(ellipse.reach * y)], i);
        let square = there.iter().zip(&middle).fold(p(0.0), |sum, (a, b)| {
            let (re, im) = (&a[0] - &b[0], &a[1] - &b[1]);
            sum + &re * &re + &im * &im
        });
        assert!(f(&root(square)) <= ellipse.modulus, "{:e}", ellipse.modulus);
    }
    let mut looked = PLACES.len();
    for order in [6, 10] {
        let points = Interpolation::of_order(order).points;
        let real = |x: f64| cloud.drift([&(p(x) * p(0.5 * length)), &p(0.0)], i).1;
        let values: Vec<_> = points.iter().map(|x| real(*x)).collect();
        for x in [-0.97, -0.3, 0.11, 0.85] {
            let lagrange = |k: usize| {
                let others = points.iter().enumerate().filter(|(j, _)| *j != k);
                others.fold(p(1.0), |product, (_, at)| product * (p(x) - p(*at)) / (p(points[k]) - p(*at)))
            };
            let basis: Vec<P> = (0..=order).map(lagrange).collect();
            let missed = real(x).into_iter().enumerate().map(|(c, v)| {
                let interpolant = basis.iter().zip(&values).fold(p(0.0), |sum, (l, v)| sum + l * &v[c][0]);
                interpolant - &v[0]
            });
            let missed = root(missed.fold(p(0.0), |sum, x| sum + &x * &x));
            // The points themselves are rounded, and with them the times at which the drift is known.
            let allowed = ellipse.remainder(order, length) + 1e-15 * ellipse.modulus;
            assert!(f(&missed) <= allowed, "order {order}: {:e} > {allowed:e}", f(&missed));
            looked += 1;
        }
    }
    looked
}

#[test]
fn moduli_and_remainders_contain_those_of_multi_precision() {
    let check = |seed: u64| -> usize {
        let mut cloud = Cloud::random(seed);
        cloud.half_length += 0.1;
        let bent = |row: &[f64]| cloud.half_length.powi(2) * crate::cloud::norm(row) * (1.0 + 1e-15);
        let radius: Vec<f64> = cloud.bend.chunks_exact(cloud.dimension).map(bent).collect();
        let (scaled, length) = (cloud.scaled(), 0.3 * cloud.half_length);
        let enclosure = Enclosure::about(&scaled, Some(&cloud.weights), &radius, cloud.half_length);
        let found = enclosure.ellipses(0.55 * length).into_iter().enumerate();
        found.filter_map(|(i, ellipse)| Some(check_ellipse(&cloud, i, ellipse?, length))).sum()
    };
    let looked: usize = (0..clouds()).into_par_iter().map(check).sum();
    println!("{looked} moduli and remainders");
    assert!(looked as u64 > 20 * clouds(), "{looked}");
}
