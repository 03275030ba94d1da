//! Gauss–Legendre and Gauss–Lobatto rules, in panels and adaptively.
//!
//! # Formula
//! ```text
//! ∫_a^b g ≈ (b − a)/2 · Σ_i w_i g((a+b)/2 + (b−a)/2 · t_i)
//! ```
//! with `t_i` the roots of the Legendre polynomial `P_n`: exact for polynomials of degree `2n − 1`; or with `t_i` the ends and the roots
//! of `P'_{n−1}`: exact up to degree `2n − 3`.

use std::convert::Infallible;
use std::sync::LazyLock;

use crate::measured::Measured;

/// Newton's method reaches rounding from the usual first guess in four or five steps.
const NEWTON_STEPS: usize = 8;

/// Halvings of an interval before its rest is accepted: a jump is then located to all its bits.
const MAX_HALVINGS: u32 = 60;

/// Intervals before the rest is accepted as it is: a tolerance below the noise of a function must not cost for ever.
const MAX_INTERVALS: usize = 2_000;

/// Weights are good to this much, relatively: a test holds the rules to it.
#[cfg(feature = "study")]
const WEIGHTS: f64 = 1e-13;

/// Twelve points: on a panel where the integrand varies by a factor of at most `e²` their error is far below rounding.
pub(crate) static TWELVE: LazyLock<GaussRule> = LazyLock::new(|| GaussRule::legendre(12));

/// Sixteen points: exact for polynomials of degree 31.
pub(crate) static SIXTEEN: LazyLock<GaussRule> = LazyLock::new(|| GaussRule::legendre(16));

/// Nine points with both ends among them, for adaptive integration: a rule without would not see a kink just inside an interval.
pub(crate) static NINE_WITH_ENDS: LazyLock<GaussRule> = LazyLock::new(|| GaussRule::lobatto(9));

/// An `n`-point rule on `[−1, 1]`.
#[derive(Debug, Clone)]
pub(crate) struct GaussRule {
    /// Nodes, increasing.
    pub nodes: Vec<f64>,
    /// Weights; their sum is 2.
    pub weights: Vec<f64>,
}

impl GaussRule {
    /// Gauss and Legendre's rule with `count` nodes.
    pub fn legendre(count: usize) -> Self {
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

    /// Gauss and Lobatto's rule with `count` nodes of which two are the ends.
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
    pub fn integral(&self, a: f64, b: f64, g: impl FnMut(f64) -> f64) -> f64 {
        self.about(0.5 * (a + b), 0.5 * (b - a), g)
    }

    /// `∫ g` over `[middle − half, middle + half]`.
    pub fn about(&self, middle: f64, half: f64, mut g: impl FnMut(f64) -> f64) -> f64 {
        let terms = self.nodes.iter().zip(&self.weights).map(|(t, w)| w * g(middle + half * t));
        half * terms.sum::<f64>()
    }

    /// Nodes and weights on `[a, b]`.
    pub fn on(&self, a: f64, b: f64) -> impl Iterator<Item = Node> {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let pairs = self.nodes.iter().zip(&self.weights);
        pairs.map(move |(t, w)| Node { at: middle + half * t, weight: half * w })
    }

    /// Nodes and weights on `[a, b]`, cut into equal panels.
    #[cfg(feature = "study")]
    pub fn panels(&self, a: f64, b: f64, panels: usize) -> impl Iterator<Item = Node> {
        let width = (b - a) / panels as f64;
        let edge = move |panel: usize| a + width * panel as f64;
        (0..panels).flat_map(move |panel| self.on(edge(panel), edge(panel + 1)))
    }

    /// `∫_a^b g` by both halves; the whole says how good they are.
    pub fn halved(&self, a: f64, b: f64, mut g: impl FnMut(f64) -> f64) -> Measured {
        let (middle, whole) = (0.5 * a + 0.5 * b, self.integral(a, b, &mut g));
        Measured::of_two(self.integral(a, middle, &mut g) + self.integral(middle, b, &mut g), whole)
    }

    /// `∫_a^b g`, halving intervals until halves and whole agree to `tolerance`: `g` may have jumps and kinks.
    pub fn adaptive(&self, a: f64, b: f64, tolerance: f64, mut g: impl FnMut(f64) -> f64) -> Measured {
        let Ok(found) = self.try_adaptive(a, b, Effort { tolerance, intervals: MAX_INTERVALS }, |x| {
            Ok::<_, Infallible>(g(x))
        });
        found
    }

    /// The same for a function that may fail. The bar adds up what halves and wholes are apart, and so exceeds `tolerance`
    /// times the number of intervals only where these did not suffice.
    pub fn try_adaptive<E>(
        &self,
        a: f64,
        b: f64,
        effort: Effort,
        mut g: impl FnMut(f64) -> Result<f64, E>,
    ) -> Result<Measured, E> {
        let mut integral = |a: f64, b: f64| -> Result<f64, E> {
            self.on(a, b).try_fold(0.0, |sum, Node { at, weight }| Ok(sum + weight * g(at)?))
        };
        let mut pending = vec![Piece { a, b, whole: integral(a, b)?, halvings: 0 }];
        let (mut sum, mut apart, mut intervals) = (0.0, 0.0, 0);
        while let Some(Piece { a, b, whole, halvings }) = pending.pop() {
            intervals += 1;
            let middle = 0.5 * a + 0.5 * b;
            let (left, right) = (integral(a, middle)?, integral(middle, b)?);
            let off = (left + right - whole).abs();
            let spent =
                halvings == MAX_HALVINGS || intervals >= effort.intervals || middle <= a || middle >= b;
            if off <= effort.tolerance || spent {
                sum += left + right;
                apart += off;
            } else {
                pending.push(Piece { a: middle, b, whole: right, halvings: halvings + 1 });
                pending.push(Piece { a, b: middle, whole: left, halvings: halvings + 1 });
            }
        }
        Ok(Measured::known_to(sum, apart))
    }
}

/// Where to evaluate, and how much it counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub at: f64,
    pub weight: f64,
}

/// What an adaptive integral may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// To which halves and whole of an interval should agree.
    pub tolerance: f64,
    /// After so many the rest is accepted as it is.
    pub intervals: usize,
}

/// `∫_a^b f` in panels of sixteen points, for a function that keeps its sign. The bar adds up the bars of its values, rounding of
/// weights and of the sum, and the change from half as many panels.
#[cfg(feature = "study")]
pub(crate) fn in_panels<E>(
    f: impl Fn(f64) -> Result<Measured, E>,
    a: f64,
    b: f64,
    panels: usize,
) -> Result<Measured, E> {
    let sum = |panels: usize| -> Result<Measured, E> {
        let terms = SIXTEEN.panels(a, b, panels).map(|Node { at, weight }| Ok(weight * f(at)?));
        let sum = terms.sum::<Result<Measured, E>>()?;
        Ok(sum.widened(WEIGHTS * sum.value.abs()))
    };
    let (coarse, fine) = (sum(panels.div_ceil(2))?, sum(panels)?);
    Ok(fine.widened((fine.value - coarse.value).abs()))
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
    fn polynomials_are_integrated_up_to_their_degree() {
        let legendre = [2, 8, 16].map(|count| (GaussRule::legendre(count), 2 * count - 1));
        let lobatto = [3, 9].map(|count| (GaussRule::lobatto(count), 2 * count - 3));
        for (rule, degree) in legendre.into_iter().chain(lobatto) {
            for power in 0..=degree as i32 {
                let exact = (2_f64.powi(power + 1) - (-1_f64).powi(power + 1)) / f64::from(power + 1);
                let found = rule.integral(-1.0, 2.0, |x| x.powi(power));
                assert!(
                    (found - exact).abs() <= ROUNDOFF * 2_f64.powi(power + 1),
                    "degree {degree}, x^{power}"
                );
            }
        }
    }

    /// The positive nodes and the weights of the 12-point rule (mpmath, 40 digits, rounded).
    const TWELVE_POINTS: [[f64; 2]; 6] = [
        [0.1252334085114689, 0.24914704581340277],
        [0.3678314989981802, 0.2334925365383548],
        [0.5873179542866175, 0.20316742672306592],
        [0.7699026741943047, 0.16007832854334622],
        [0.9041172563704749, 0.10693932599531843],
        [0.9815606342467192, 0.04717533638651183],
    ];

    #[test]
    fn agrees_with_tabulated_nodes() {
        for (i, [node, weight]) in TWELVE_POINTS.into_iter().enumerate() {
            for (at, side) in [(6 + i, 1.0), (5 - i, -1.0)] {
                assert!((TWELVE.nodes[at] - side * node).abs() <= 2e-16, "{i}");
                assert!((TWELVE.weights[at] - weight).abs() <= 4e-16, "{i}: {}", TWELVE.weights[at] - weight);
            }
        }
        // Abramowitz & Stegun, table 25.4, n = 16: the largest node and its weight.
        assert!((SIXTEEN.nodes[15] - 0.989_400_934_991_649_9).abs() < ROUNDOFF);
        assert!((SIXTEEN.weights[15] - 0.027_152_459_411_754_095).abs() < ROUNDOFF);
    }

    #[test]
    fn panels_lie_within_their_bars() {
        let exact = |x: f64| Ok::<_, Infallible>(Measured::exact(x));
        let Ok(gaussian) = in_panels(|x| exact((-0.5 * x * x).exp()), -40.0, 40.0, 40);
        let off = (gaussian.value - (2.0 * std::f64::consts::PI).sqrt()).abs();
        assert!(off <= gaussian.numerical && gaussian.numerical < 1e-12, "{gaussian:?}");
        let Ok(kink) = in_panels(|x| exact((x - 0.1).abs()), 0.0, 1.0, 3);
        assert!((kink.value - 0.41).abs() <= kink.numerical && kink.numerical > 1e-5, "{kink:?}");
    }

    #[test]
    fn walks_up_to_jumps_and_kinks() {
        let rule = GaussRule::lobatto(9);
        let jump = rule.adaptive(0.0, 1.0, 1e-15, |x| if x < 1.0 / 3.0 { 0.0 } else { 1.0 }).value;
        assert!((jump - 2.0 / 3.0).abs() < 1e-11);
        let kink = rule.adaptive(-1.0, 2.0, 1e-15, |x| (x - 0.3).abs()).value;
        assert!((kink - 0.5 * (1.3 * 1.3 + 1.7 * 1.7)).abs() < 1e-13);
        let noise = |x: f64| 1.0 + 1e-3 * ((1e9 * x).sin() * 1e5).sin();
        assert!((rule.adaptive(0.0, 1.0, 0.0, noise).value - 1.0).abs() < 1e-3);
        for hidden in [1e-3, 1e-5, 1e-7] {
            let kink = rule.adaptive(0.0, 1.0, 1e-15, |x| (x - hidden).abs()).value;
            let exact = 0.5 * (hidden * hidden + (1.0 - hidden).powi(2));
            assert!((kink - exact).abs() < 1e-14, "kink at {hidden}: {:e}", kink - exact);
        }
    }
}
