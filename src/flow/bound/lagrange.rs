//! [`Lagrange`]: how large the polynomials are that carry what is known at the nodes of a step to the rest of it.
//!
//! # Formula
//! With the nodes `θ_k`, the ends of the step among them, and their Lagrange polynomials `ℓ_k`, what is at most `c_k` at the nodes is, for its
//! interpolant,
//! ```text
//! at most Σ_k sup|ℓ_k| c_k everywhere,      and Σ_k mean|ℓ_k| c_k in the mean.
//! ```
//! `ℓ_k` changes its sign at the other nodes only, so the integral of `|ℓ_k|` is a sum of differences of its antiderivative. Between points
//! that are `δ` apart it exceeds the larger of two neighbouring values by at most `δ²/8·sup|ℓ_k″|`.

use super::nodes::SAMPLES;

/// The nodes: the samples between the ends.
pub(super) const NODES: [f64; 5] = [0.0, SAMPLES[0], SAMPLES[1], SAMPLES[2], 1.0];

/// Pieces in which the largest value is looked for.
const PIECES: usize = 400;

/// More than rounding.
const UP: f64 = 1.0 + 1e-9;

/// Upper bounds on `|ℓ_k|` over a part of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lagrange {
    pub mean: [f64; NODES.len()],
    pub largest: [f64; NODES.len()],
}

impl Lagrange {
    /// Over the part of a step between two `θ`.
    pub fn over(from: f64, to: f64) -> Self {
        let polynomials: [Polynomial; NODES.len()] = std::array::from_fn(Polynomial::of_node);
        Self {
            mean: polynomials.map(|p| UP * p.integral_of_modulus(from, to) / (to - from)),
            largest: polynomials.map(|p| UP * p.largest(from, to)),
        }
    }
}

/// Coefficients from the constant upwards.
#[derive(Clone, Copy)]
struct Polynomial([f64; NODES.len()]);

impl Polynomial {
    fn of_node(k: usize) -> Self {
        let mut product = [1.0, 0.0, 0.0, 0.0, 0.0];
        for (_, root) in NODES.iter().enumerate().filter(|(j, _)| *j != k) {
            let scale = 1.0 / (NODES[k] - root);
            product = std::array::from_fn(|i| {
                scale * (if i > 0 { product[i - 1] } else { 0.0 } - root * product[i])
            });
        }
        Self(product)
    }

    fn at(&self, theta: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * theta + c)
    }

    fn antiderivative(&self, theta: f64) -> f64 {
        let terms = self.0.iter().enumerate().rev();
        theta * terms.fold(0.0, |sum, (i, c)| sum * theta + c / (i + 1) as f64)
    }

    fn integral_of_modulus(&self, from: f64, to: f64) -> f64 {
        let within = NODES.iter().copied().filter(|node| *node > from && *node < to);
        let places: Vec<f64> = std::iter::once(from).chain(within).chain([to]).collect();
        places.windows(2).map(|p| (self.antiderivative(p[1]) - self.antiderivative(p[0])).abs()).sum()
    }

    fn largest(&self, from: f64, to: f64) -> f64 {
        let apart = (to - from) / PIECES as f64;
        let bend: f64 = self.0.iter().enumerate().skip(2).map(|(i, c)| (i * (i - 1)) as f64 * c.abs()).sum();
        let values = (0..=PIECES).map(|i| self.at(from + apart * i as f64).abs());
        values.fold(0.0, f64::max) + apart * apart / 8.0 * bend
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fine sums over parts of a step, none of which may exceed the bounds, and which are close to them.
    #[test]
    fn moduli_are_dominated_over_every_part() {
        const LOOKS: usize = 20_000;
        for parts in [1, 3, 9, 15] {
            for part in 0..parts {
                let (from, to) = (part as f64 / parts as f64, (part + 1) as f64 / parts as f64);
                let over = Lagrange::over(from, to);
                for k in 0..NODES.len() {
                    let value = |i: usize| {
                        let theta = from + (to - from) * (i as f64 + 0.5) / LOOKS as f64;
                        let others = NODES.iter().enumerate().filter(|(j, _)| *j != k);
                        others.map(|(_, node)| (theta - node) / (NODES[k] - node)).product::<f64>().abs()
                    };
                    let mean = (0..LOOKS).map(value).sum::<f64>() / LOOKS as f64;
                    let largest = (0..LOOKS).map(value).fold(0.0, f64::max);
                    assert!((over.mean[k] - mean).abs() < 1e-6, "{from}–{to}, {k}");
                    assert!(
                        largest <= over.largest[k] && over.largest[k] < largest + 2e-3,
                        "{from}–{to}, {k}"
                    );
                }
            }
        }
    }

    /// The mean of a third does not dominate that of its parts, which is why each part has its own.
    #[test]
    fn a_part_may_exceed_the_mean_of_its_third() {
        let (third, part) = (Lagrange::over(0.0, 1.0 / 3.0), Lagrange::over(1.0 / 9.0, 2.0 / 9.0));
        assert!(part.mean[1] > 1.2 * third.mean[1]);
    }
}
