//! The kernel sum in double-double arithmetic (about 31 digits), one pair at a time: what every drift is measured against.

use std::ops::{Add, Mul, Neg, Sub};

use crate::cloud::CloudView;

/// An unevaluated sum `high + low`, accurate to about `2^−100`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Double {
    high: f64,
    low: f64,
}

/// `ln 2` to 32 digits: its nearest double and the rest.
const LN_2: Double = Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };

impl Double {
    pub(super) fn new(high: f64) -> Self {
        Self { high, low: 0.0 }
    }

    /// Knuth's exact sum of two doubles.
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let shadow = high - a;
        Self { high, low: (a - (high - shadow)) + (b - shadow) }
    }

    fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self { high, low: a.mul_add(b, -high) }
    }

    /// Division by a small integer.
    fn over(self, divisor: f64) -> Self {
        let high = self.high / divisor;
        Self::sum(high, ((-high).mul_add(divisor, self.high) + self.low) / divisor)
    }

    fn divided_by(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::new(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::new(second);
        Self::sum(first, second) + Self::new(rest.high / other.high)
    }

    /// `e^x` for `x ≤ 0`, zero below the range of doubles: Taylor's series at `x/2^12` after removing multiples of `ln 2`, then repeated squaring.
    fn exp(self) -> Self {
        if self.high < -740.0 {
            return Self::new(0.0);
        }
        let n = (self.high / LN_2.high).round();
        let r = (self - LN_2 * Self::new(n)) * Self::new(1.0 / 4096.0);
        // e^r − 1 keeps its digits through the squarings: (1 + s)² − 1 = 2s + s².
        let mut minus_one = Self::new(0.0);
        for k in (1..=8).rev() {
            minus_one = r.over(f64::from(k)) * (Self::new(1.0) + minus_one);
        }
        for _ in 0..12 {
            minus_one = minus_one + minus_one + minus_one * minus_one;
        }
        let power = 2.0_f64.powi(n as i32 / 2);
        (minus_one + Self::new(1.0)) * Self::new(power) * Self::new(2.0_f64.powi(n as i32 - n as i32 / 2))
    }

    /// The distance of a double from this number.
    pub(super) fn distance(self, computed: f64) -> f64 {
        ((computed - self.high) - self.low).abs()
    }

    pub(super) fn get(self) -> f64 {
        self.high + self.low
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        let low = Self::sum(self.low, other.low);
        let first = Self::sum(high.high, high.low + low.high);
        Self::sum(first.high, first.low + low.low)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

/// The true drift at one target.
#[derive(Debug)]
pub(super) struct Truth {
    pub(super) velocity: Vec<Double>,
    pub(super) log_mass: f64,
}

impl Truth {
    /// The Euclidean distance of a computed drift from the true one.
    pub(super) fn error(&self, computed: &[f64]) -> f64 {
        self.velocity.iter().zip(computed).fold(0.0_f64, |norm, (v, &c)| norm.hypot(v.distance(c)))
    }
}

/// The full sum at `x`, relative to the largest term.
pub(super) fn truth(cloud: CloudView<'_>, x: &[f64], beta: f64) -> Truth {
    let d = cloud.dimension;
    let difference =
        |z: &[f64]| -> Vec<Double> { z.iter().zip(x).map(|(&z, &x)| Double::sum(z, -x)).collect() };
    let exponent = |delta: &[Double]| {
        delta.iter().fold(Double::new(0.0), |sum, &delta| sum + delta * delta) * Double::new(0.5 * beta)
    };
    let weight = |j: usize| cloud.weights.map_or(1.0, |weights| weights[j]);
    let rows = || cloud.points.chunks_exact(d).enumerate().filter(|(j, _)| weight(*j) > 0.0);
    let smallest = rows()
        .map(|(j, z)| (exponent(&difference(z)), weight(j)))
        .min_by(|a, b| (a.0.get() - a.1.ln()).total_cmp(&(b.0.get() - b.1.ln())))
        .expect("a cloud has sources of positive weight")
        .0;
    let mut mass = Double::new(0.0);
    let mut moment = vec![Double::new(0.0); d];
    for (j, z) in rows() {
        let delta = difference(z);
        let excess = exponent(&delta) - smallest;
        // A light source may be nearer than the heaviest term's: split the positive exponent off.
        let kernel =
            if excess.high <= 0.0 { Double::new(1.0).divided_by(excess.exp()) } else { (-excess).exp() };
        let term = kernel * Double::new(weight(j));
        mass = mass + term;
        moment.iter_mut().zip(&delta).for_each(|(moment, &delta)| *moment = *moment + term * delta);
    }
    let norm = if cloud.weights.is_some() { 1.0 } else { cloud.len() as f64 };
    Truth {
        velocity: moment.into_iter().map(|moment| moment.divided_by(mass)).collect(),
        log_mass: (mass.get() / norm).ln() - smallest.get(),
    }
}

#[test]
fn the_exponential_has_thirty_digits() {
    // mpmath, 50 digits: exp(-0.3), exp(-20.7), exp(-600.125), split into a double and the rest.
    let cases = [
        (-0.3, 0.740_818_220_681_717_9, -1.805_530_505_953e-18),
        (-20.7, 1.023_538_597_759_416_2e-9, -6.484_174_939_174_867e-26),
        (-600.125, 2.338_966_748_647_192_6e-261, 9.928_074_524_308_686e-278),
    ];
    for (x, high, low) in cases {
        let e = Double::new(x).exp();
        let error = ((e.high - high) + (e.low - low)).abs() / high;
        assert!(error < 1e-28, "exp({x}) = {} + {}: relative error {error}", e.high, e.low);
    }
}
