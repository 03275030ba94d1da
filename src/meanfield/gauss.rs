//! Gauss–Legendre and Gauss–Lobatto rules, and adaptive integration by them.
//!
//! # Formula
//! ```text
//! ∫_a^b g ≈ (b − a)/2 · Σ_i w_i g((a+b)/2 + (b−a)/2 · t_i)
//! ```
//! with `t_i` the roots of the Legendre polynomial `P_n`: exact for polynomials of degree `2n − 1`; or with `t_i` the ends and the roots
//! of `P'_{n−1}`: exact up to degree `2n − 3`.

/// Newton's method reaches rounding from the usual first guess in four or five steps.
const NEWTON_STEPS: usize = 8;

/// Halvings of an interval before its rest is accepted: a jump is then located to 40 bits.
const MAX_HALVINGS: u32 = 40;

/// Intervals before the rest is accepted as it is: a tolerance below the noise of a function must not cost for ever.
const MAX_INTERVALS: usize = 2_000;

/// An `n`-point rule on `[−1, 1]`.
#[derive(Debug, Clone)]
pub(crate) struct GaussRule {
    /// Nodes, increasing.
    pub nodes: Vec<f64>,
    /// Weights; their sum is 2.
    pub weights: Vec<f64>,
}

impl GaussRule {
    /// The rule with `count` nodes.
    pub fn new(count: usize) -> Self {
        let root = |i: usize| {
            let guess = -(std::f64::consts::PI * (i as f64 + 0.75) / (count as f64 + 0.5)).cos();
            (0..NEWTON_STEPS).fold(guess, |t, _| {
                let Legendre { value, slope } = legendre(count, t);
                t - value / slope
            })
        };
        let nodes: Vec<f64> = (0..count).map(root).collect();
        let weight = |t: &f64| 2.0 / ((1.0 - t * t) * legendre(count, *t).slope.powi(2));
        Self { weights: nodes.iter().map(weight).collect(), nodes }
    }

    /// The rule with `count` nodes of which two are the ends. Adaptive integration needs them: a rule without would not see a kink
    /// just inside an interval.
    pub fn lobatto(count: usize) -> Self {
        let degree = count - 1;
        let root = |i: usize| {
            let guess = -(std::f64::consts::PI * i as f64 / degree as f64).cos();
            (0..NEWTON_STEPS).fold(guess, |t, _| {
                let Legendre { value, slope } = legendre(degree, t);
                // Legendre's equation gives the second derivative.
                let second = (2.0 * t * slope - (degree * count) as f64 * value) / (1.0 - t * t);
                t - slope / second
            })
        };
        let inner = (1..degree).map(root);
        let nodes: Vec<f64> = std::iter::once(-1.0).chain(inner).chain([1.0]).collect();
        let weight = |t: &f64| 2.0 / ((degree * count) as f64 * legendre(degree, *t).value.powi(2));
        Self { weights: nodes.iter().map(weight).collect(), nodes }
    }

    /// `∫_a^b g`.
    pub fn integral(&self, a: f64, b: f64, mut g: impl FnMut(f64) -> f64) -> f64 {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let terms = self.nodes.iter().zip(&self.weights).map(|(t, w)| w * g(middle + half * t));
        half * terms.sum::<f64>()
    }

    /// `∫_a^b g`, halving intervals until halves and whole agree to `tolerance`: `g` may have jumps and kinks.
    pub fn adaptive(&self, a: f64, b: f64, tolerance: f64, mut g: impl FnMut(f64) -> f64) -> f64 {
        let whole = self.integral(a, b, &mut g);
        let mut pending = vec![Piece { a, b, whole, halvings: 0 }];
        let (mut sum, mut intervals) = (0.0, 0);
        while let Some(Piece { a, b, whole, halvings }) = pending.pop() {
            intervals += 1;
            let middle = 0.5 * (a + b);
            let (left, right) = (self.integral(a, middle, &mut g), self.integral(middle, b, &mut g));
            let settled = (left + right - whole).abs() <= tolerance;
            let spent = halvings == MAX_HALVINGS || intervals >= MAX_INTERVALS || middle <= a || middle >= b;
            if settled || spent {
                sum += left + right;
            } else {
                pending.push(Piece { a: middle, b, whole: right, halvings: halvings + 1 });
                pending.push(Piece { a, b: middle, whole: left, halvings: halvings + 1 });
            }
        }
        sum
    }
}

/// An interval whose integral is not settled yet.
struct Piece {
    a: f64,
    b: f64,
    whole: f64,
    halvings: u32,
}

/// A Legendre polynomial and its derivative at a point.
struct Legendre {
    value: f64,
    slope: f64,
}

fn legendre(degree: usize, t: f64) -> Legendre {
    let (mut previous, mut value) = (1.0, t);
    for k in 2..=degree {
        let k = k as f64;
        (previous, value) = (value, ((2.0 * k - 1.0) * t * value - (k - 1.0) * previous) / k);
    }
    Legendre { value, slope: degree as f64 * (t * value - previous) / (t * t - 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of a few dozen terms of order one.
    const ROUNDOFF: f64 = 4e-15;

    #[test]
    fn integrates_polynomials_of_twice_the_degree() {
        for count in [2, 8, 16] {
            let rule = GaussRule::new(count);
            for power in 0..2 * count as i32 {
                let exact = (2_f64.powi(power + 1) - (-1_f64).powi(power + 1)) / f64::from(power + 1);
                let found = rule.integral(-1.0, 2.0, |x| x.powi(power));
                assert!((found - exact).abs() <= ROUNDOFF * 2_f64.powi(power + 1), "n = {count}, x^{power}");
            }
        }
    }

    #[test]
    fn lobatto_rules_integrate_polynomials_too() {
        for count in [3, 9] {
            let rule = GaussRule::lobatto(count);
            for power in 0..2 * count as i32 - 2 {
                let exact = (2_f64.powi(power + 1) - (-1_f64).powi(power + 1)) / f64::from(power + 1);
                let found = rule.integral(-1.0, 2.0, |x| x.powi(power));
                assert!((found - exact).abs() <= ROUNDOFF * 2_f64.powi(power + 1), "n = {count}, x^{power}");
            }
        }
    }

    #[test]
    fn agrees_with_tabulated_nodes() {
        // Abramowitz & Stegun, table 25.4, n = 16: the largest node and its weight.
        let rule = GaussRule::new(16);
        assert!((rule.nodes[15] - 0.989_400_934_991_649_9).abs() < ROUNDOFF);
        assert!((rule.weights[15] - 0.027_152_459_411_754_095).abs() < ROUNDOFF);
    }

    #[test]
    fn walks_up_to_jumps_and_kinks() {
        let rule = GaussRule::lobatto(9);
        let jump = rule.adaptive(0.0, 1.0, 1e-15, |x| if x < 1.0 / 3.0 { 0.0 } else { 1.0 });
        assert!((jump - 2.0 / 3.0).abs() < 1e-11);
        let kink = rule.adaptive(-1.0, 2.0, 1e-15, |x| (x - 0.3).abs());
        assert!((kink - 0.5 * (1.3 * 1.3 + 1.7 * 1.7)).abs() < 1e-13);
        let noise = |x: f64| 1.0 + 1e-3 * ((1e9 * x).sin() * 1e5).sin();
        assert!((rule.adaptive(0.0, 1.0, 0.0, noise) - 1.0).abs() < 1e-3);
        for hidden in [1e-3, 1e-5, 1e-7] {
            let kink = rule.adaptive(0.0, 1.0, 1e-15, |x| (x - hidden).abs());
            let exact = 0.5 * (hidden * hidden + (1.0 - hidden).powi(2));
            assert!((kink - exact).abs() < 1e-14, "kink at {hidden}: {:e}", kink - exact);
        }
    }
}
