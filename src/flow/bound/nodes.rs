//! [`Nodes`]: where the defect of a path is sampled within a step, and what the samples say about the rest of it.
//!
//! # Formula
//! The defect of a quintic with the right velocities and accelerations at its ends vanishes there to second order:
//! `ρ(θ) = θ²(1−θ)² q(θ)`. With `n` nodes, `q` is fitted by the polynomial of degree `n − 1` through them, and
//! ```text
//! L(θ) = h ∫₀^θ θ²(1−θ)² q dθ
//! ```
//! is the part of the path's error that arises within the step; `L(1)` is the local error of the step itself.

use super::curve::TERMS;

/// Nodes inside a step.
pub(super) struct Nodes {
    /// `θ` of each.
    pub positions: &'static [f64],
}

/// One node: enough for the local error, since the odd part of `q` integrates to zero.
pub(super) const MIDDLE: Nodes = Nodes { positions: &[0.5] };

/// Two nodes, for a path that is good within the step as well. What is left of the defect is close to a multiple of
/// `θ²(1−θ)²(θ−1/3)(θ−2/3)`.
pub(super) const PAIR: Nodes = Nodes { positions: &[1.0 / 3.0, 2.0 / 3.0] };

impl Nodes {
    /// The coefficients of `L`, one vector per power of `θ`, from the defects at the nodes.
    pub fn local_error(&self, defects: &[Vec<f64>], duration: f64) -> Vec<Vec<f64>> {
        let mut powers = vec![vec![0.0; defects[0].len()]; TERMS];
        for (node, defect) in defects.iter().enumerate() {
            for (power, weight) in self.integral_of(node).into_iter().enumerate() {
                let scale = duration * weight;
                powers[power].iter_mut().zip(defect).for_each(|(p, d)| *p += scale * d);
            }
        }
        powers
    }

    /// `∫ θ²(1−θ)² ℓ(θ)/(θ_n²(1−θ_n)²) dθ` with the Lagrange polynomial `ℓ` of node `n`.
    fn integral_of(&self, node: usize) -> [f64; TERMS] {
        let at = self.positions[node];
        let mut product = vec![1.0 / (at * (1.0 - at)).powi(2)];
        for other in self.positions.iter().filter(|p| **p != at) {
            product = multiply(&product, &[-other / (at - other), 1.0 / (at - other)]);
        }
        product = multiply(&product, &[0.0, 0.0, 1.0, -2.0, 1.0]);
        std::array::from_fn(|k| if k == 0 { 0.0 } else { product.get(k - 1).map_or(0.0, |c| c / k as f64) })
    }
}

fn multiply(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    product
}
