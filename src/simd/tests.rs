use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI, SQRT_2};

use dashu_float::FBig;
use rayon::prelude::*;

use super::*;

/// `2^−y` in 50 digits (mpmath), rounded to doubles.
const DOUBLES: [(f64, f64); 20] = [
    (0.0, 1.0),
    (1.0, 0.5),
    (0.5, FRAC_1_SQRT_2),
    (-0.5, SQRT_2),
    (0.3333333333333333, 0.7937005259840998),
    (9.313225746154785e-10, 0.9999999993544564),
    (0.1, 0.9330329915368074),
    (0.4999999999999999, FRAC_1_SQRT_2),
    (FRAC_1_SQRT_2, 0.6125473265360659),
    (PI, 0.11331473229676088),
    (10.25, 0.0008211879055212056),
    (33.3, 9.455862412651036e-11),
    (100.7, 4.856008481845301e-31),
    (250.123456789, 5.0738413951639694e-76),
    (499.5, 4.3203324374478846e-151),
    (700.0009765625, 1.8998051499173053e-211),
    (999.9, 1.0002471798623608e-301),
    (-1.75, 3.363585661014858),
    (-63.3, 1.1355302955375456e+19),
    (-400.6, 3.913958919085845e+120),
];

/// The same for singles.
const SINGLES: [(f64, f64); 13] = [
    (0.0, 1.0),
    (0.25, 0.8408964152537145),
    (-0.5, SQRT_2),
    (0.10000000149011612, 0.9330329905731058),
    (0.4999000132083893, 0.7071557893181538),
    (1.75, 0.29730177875068026),
    (7.300000190734863, 0.006345721007582186),
    (33.29999923706055, 9.455867413189733e-11),
    (64.125, 4.9710888791024795e-20),
    (99.9000015258789, 8.454792896192715e-31),
    (119.5, 1.0639360341925351e-36),
    (-3.299999952316284, 9.849154981226697),
    (-41.70000076293945, 3572325707080.519),
];

/// Polynomial (2u) and its evaluation (4u), the rounded remainder (1u), the reference (1u).
const ROUNDOFF: f64 = 8.0 * 0.5 * f64::EPSILON;

/// `2^−y` as four vectors at once compute it, in a place of each.
struct Power<R>(R);

impl<R: Real> Program for Power<R> {
    type Scalar = R;
    type Output = f64;

    #[inline(always)]
    fn run<V: Vector<Scalar = R>>(self, any: V) -> f64 {
        let one = any.splat(R::of(1.0));
        let [a, b, c, d] = V::exp2_minus(one, [any.splat(self.0), any.zero(), one, any.splat(self.0)]);
        assert_eq!([b.total(), 2.0 * c.total()], [V::WIDTH as f64; 2]);
        assert_eq!(a.total(), d.total());
        a.total() / V::WIDTH as f64
    }
}

#[test]
fn powers_of_two_agree_with_fifty_digits() {
    for instructions in Instructions::all() {
        for (y, exact) in DOUBLES {
            let error = (instructions.run(Power(y)) / exact - 1.0).abs();
            assert!(error <= ROUNDOFF, "{}: 2^−{y} is off by {error:e}", instructions.name());
        }
        for (y, exact) in SINGLES {
            let error = (instructions.run(Power(y as f32)) / exact - 1.0).abs();
            assert!(error <= 4e-6, "{}: 2^−{y} is off by {error:e}", instructions.name());
        }
    }
}

#[test]
fn powers_of_two_are_accurate_everywhere() {
    for instructions in Instructions::all() {
        for i in -4000..9990 {
            let y = f64::from(i) * 0.1 + 0.037;
            assert!((instructions.run(Power(y)) / (-y).exp2() - 1.0).abs() <= ROUNDOFF, "{y}");
            let y = (y / 8.4) as f32;
            assert!((instructions.run(Power(y)) / (-f64::from(y)).exp2() - 1.0).abs() <= 4e-6, "{y}");
        }
    }
}

/// Bits of the arithmetic that polynomials are compared with `2^r` in.
const PRECISE: usize = 200;

fn precise(x: f64) -> FBig {
    FBig::try_from(x).unwrap().with_precision(PRECISE).value()
}

/// Pieces of `|r| ≤ 1/2`.
const PIECES: usize = 1024;

/// How far the polynomial may be from `2^r`, relatively, on `|r − c| ≤ h`: all of its Taylor coefficients about `c` beside those of `2^r`, until the rest of that series is below `10⁻⁶⁰`.
fn polynomial_error<R: Real>(c: f64, h: f64) -> f64 {
    let coefficients: Vec<FBig> = R::POWER.iter().map(|c| precise(c.double())).collect();
    let (centre, ln_2) = (precise(c), precise(2.0).ln());
    let power = (&centre * &ln_2).exp();
    let (mut sum, mut taylor, mut reach) = (0.0, power.clone(), 1.0);
    let mut about = coefficients;
    for lowest in 0..about.len() {
        for k in (lowest..about.len() - 1).rev() {
            about[k] = &about[k] + &centre * &about[k + 1];
        }
    }
    for k in 0..24 {
        let apart = about.get(k).map_or(-taylor.clone(), |p| p - &taylor);
        sum += reach * (apart / &power).to_f64().value().abs();
        taylor = taylor * &ln_2 / precise(k as f64 + 1.0);
        reach *= h;
    }
    // `2^r` falls by less than `ln 2 · h` from its value at the centre.
    sum / (1.0 - h) * (1.0 + 1e-12)
}

/// How far rounding may move the polynomial, relatively, on `|r − c| ≤ h`: every product and every sum rounds to `u`, as where nothing is fused.
fn evaluation_error<R: Real>(c: f64, h: f64) -> f64 {
    let (u, r) = (R::UNIT, c.abs() + h);
    let square = r * r;
    let step = |(value, error): (f64, f64), coefficient: f64| {
        let product = value * square;
        let next = product + coefficient;
        (next, error * square + 2.0 * u * product + u * next)
    };
    // All coefficients are positive, so that values at `|r|` are the largest.
    let p: Vec<f64> = R::POWER.iter().map(|c| c.double()).collect();
    let top = p.len() - 1;
    let even = (1..top / 2).rev().fold((p[top], 0.0), |sum, k| step(sum, p[2 * k]));
    let odd = (1..top / 2).rev().fold((p[top - 1], 0.0), |sum, k| step(sum, p[2 * k - 1]));
    let inner = step(even, 1.0);
    let result = (c + h).exp2();
    let total = odd.1 * r + u * odd.0 * r + inner.1 + u * result;
    // Where the remainder is rounded, it is by `u|r|`.
    (total / (c - h).exp2() + LN_2 * u * r) * (1.0 + 1e-9)
}

/// The proof of [`Real::POWER_ERROR`] for doubles: the polynomial's own error, by multi-precision arithmetic on pieces that cover `|r| ≤ 1/2`, and that of its evaluation.
#[test]
fn powers_of_two_in_doubles_are_proved() {
    let error = |piece: usize| {
        let h = 0.5 / PIECES as f64;
        let c = (2 * piece + 1) as f64 * h - 0.5;
        [polynomial_error::<f64>(c, h), evaluation_error::<f64>(c, h)]
    };
    let errors: Vec<[f64; 2]> = (0..PIECES).into_par_iter().map(error).collect();
    let [polynomial, evaluation] =
        [0, 1].map(|k| errors.iter().map(|e| e[k]).fold(0.0, f64::max) / f64::UNIT);
    println!("polynomial {polynomial:.3} u, evaluation {evaluation:.3} u");
    assert!(errors.iter().all(|[p, e]| (1.0 + p) * (1.0 + e) - 1.0 <= f64::POWER_ERROR));
    // What is compared is not empty.
    assert!(polynomial > 1.5 && evaluation > 1.5);
}

/// `2^−y` for a block of numbers.
struct Powers<R>(Block<R>);

impl<R: Real> Program for Powers<R> {
    type Scalar = R;
    type Output = Block<R>;

    #[inline(always)]
    fn run<V: Vector<Scalar = R>>(self, any: V) -> Block<R> {
        let mut powers = self.0;
        for k in (0..BLOCK).step_by(V::WIDTH) {
            let [power] = V::exp2_minus(any.splat(R::of(1.0)), [any.load(&self.0[k..])]);
            power.store(&mut powers[k..]);
        }
        powers
    }
}

/// Every how many singles is looked at; `EBFLOW_ALL_SINGLES=1` looks at all, in a minute or so.
const STRIDE: u32 = 61;

/// The largest error over singles whose magnitude has the bits `from..to`, of either sign, against doubles.
fn worst_single(instructions: Instructions, from: u32, to: u32, stride: u32) -> f64 {
    let mut worst = 0.0_f64;
    for start in (from..to).step_by(BLOCK * stride as usize) {
        let magnitude = |k: usize| f32::from_bits((start + k as u32 * stride).min(to - 1));
        for sign in [1.0, -1.0] {
            let y: Block<f32> = Block(std::array::from_fn(|k| sign * magnitude(k)));
            let exact = instructions.run(Powers(Block(y.map(f64::from))));
            let found = instructions.run(Powers(y));
            let error = |k: usize| (f64::from(found[k]) - exact[k]).abs() / exact[k];
            worst = (0..BLOCK).map(error).fold(worst, f64::max);
        }
    }
    worst
}

/// The proof of [`Real::POWER_ERROR`] for singles: all of them up to the largest exponent, beside doubles, which are proved above.
#[test]
fn powers_of_two_in_singles_are_tried() {
    let stride = std::env::var("EBFLOW_ALL_SINGLES").map_or(STRIDE, |_| 1);
    let end = f32::LARGEST_EXPONENT.to_bits() + 1;
    const RANGES: u32 = 256;
    for instructions in Instructions::all() {
        let range = |k: u32| [k, k + 1].map(|k| (u64::from(end) * u64::from(k) / u64::from(RANGES)) as u32);
        let worst = (0..RANGES).into_par_iter().map(|k| {
            let [from, to] = range(k);
            worst_single(instructions, from, to, stride)
        });
        let worst = worst.reduce(|| 0.0, f64::max);
        println!("{}: {worst:e}", instructions.name());
        assert!(worst <= f32::POWER_ERROR - f64::POWER_ERROR && worst > 0.5 * f32::POWER_ERROR);
    }
}

#[test]
fn powers_of_two_take_the_place_of_numbers() {
    for instructions in Instructions::all() {
        for (y, exact) in DOUBLES {
            let mut numbers = [y, 0.0, 1000.5, f64::MAX, -1.0, f64::INFINITY, 1000.0, y];
            instructions.run(PowersOfTwo(&mut numbers));
            assert!((numbers[0] / exact - 1.0).abs() <= ROUNDOFF && numbers[7] == numbers[0]);
            assert_eq!(numbers[1..7], [1.0, 0.0, 0.0, 2.0, 0.0, 0.5_f64.powi(1000)]);
        }
    }
}

/// Results of every operation on the same vectors, in one list.
struct Operations<R>([R; WIDEST], [R; WIDEST]);

impl<R: Real> Program for Operations<R> {
    type Scalar = R;
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<V: Vector<Scalar = R>>(self, any: V) -> Vec<f64> {
        let mut all = vec![];
        for at in (0..WIDEST).step_by(V::WIDTH) {
            let (a, b) = (any.load(&self.0[at..]), any.load(&self.1[at..]));
            let results = [
                a.add(b),
                a.sub(b),
                a.mul(b),
                a.max(b),
                a.min(b),
                a.abs().sqrt(),
                a.where_at_most(a, b),
                a.scaled(any.splat(R::of(3.0)).add(any.splat(R::ROUNDER))),
            ];
            for (k, result) in results.into_iter().enumerate() {
                let mut numbers = [R::default(); WIDEST];
                result.store(&mut numbers);
                all.resize(all.len().max(results.len() * WIDEST), 0.0);
                (0..V::WIDTH).for_each(|i| all[k * WIDEST + at + i] = numbers[i].double());
            }
            let bits = a.at_most(b);
            all.extend((0..V::WIDTH).map(|i| f64::from(bits >> i & 1)));
        }
        all
    }
}

#[test]
fn all_instructions_do_the_same() {
    let a: [f64; WIDEST] = std::array::from_fn(|i| (i as f64 * 1.7).sin() * 5.0);
    let mut b: [f64; WIDEST] = std::array::from_fn(|i| (i as f64 * 2.3).cos() * 5.0);
    b[3] = f64::NAN;
    b[5] = a[5];
    let [single_a, single_b] = [a, b].map(|x| x.map(|x| x as f32));
    let run = |it: Instructions| {
        let numbers = [it.run(Operations(a, b)), it.run(Operations(single_a, single_b))].concat();
        numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    for instructions in Instructions::all() {
        assert_eq!(run(instructions), run(Instructions::Portable), "{}", instructions.name());
    }
}

struct Sums([f64; 4 * WIDEST]);

impl Program for Sums {
    type Scalar = f64;
    type Output = [f64; 4];

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) -> [f64; 4] {
        let mut rows = [any; 4];
        for (row, numbers) in rows.iter_mut().zip(self.0.chunks(WIDEST)) {
            *row = any.load(numbers);
        }
        V::sums(rows).map(|sum| sum / (V::WIDTH * (V::WIDTH - 1) / 2) as f64)
    }
}

#[test]
fn four_vectors_are_summed() {
    let numbers = std::array::from_fn(|i| (i % WIDEST) as f64 * [1.0, 3.0, -5.0, 0.5][i / WIDEST]);
    for instructions in Instructions::all() {
        assert_eq!(instructions.run(Sums(numbers)), [1.0, 3.0, -5.0, 0.5], "{}", instructions.name());
    }
}
