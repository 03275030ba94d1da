//! The Lipschitz constant of the drift on a ball, in numbers.
//!
//! # Formula
//! For laws `μ, ν` on `B_R` and `x, x' ∈ B_R`, with the kernel `g(u) = e^{−β|u|²/2}` (its normalisation cancels),
//! `D = ∫ g dμ`, `A = ∫ y g dμ`,
//! ```text
//! c = min_{|u| ≤ 2R} g = e^{−2βR²},      ℓ = max_{|u| ≤ 2R} |∇g| = βu e^{−βu²/2} at u = min(2R, β^{−1/2}),
//! |D_μ(x) − D_ν(x')| ≤ ℓ (|x − x'| + W1),      |A_μ(x) − A_ν(x')| ≤ Rℓ|x − x'| + (1 + Rℓ) W1.
//! ```
//! The paper's quotient identity, with `|A_ν|/D_ν = |F_ν| ≤ R` instead of the two bounds `|A| ≤ R`, `D ≥ c`, gives
//! ```text
//! |F_μ(x) − F_ν(x')| ≤ (2Rℓ/c)|x − x'| + ((1 + 2Rℓ)/c) W1,
//! ```
//! and as `1 ≤ 1/c`, the drift `X = F − id` has the constant
//! ```text
//! L_{β,R} = (1 + 2Rℓ)/c = e^{2βR²}(1 + 2Rℓ).
//! ```
//! Read literally the proof gives `1 + (1 + Rℓ)/c + Rℓ/c²`, which is larger.
//!
//! This is nearly sharp as a Lipschitz constant: let nearly all mass be at one end of a diameter, a small mass near
//! the other end, and `x` there. Then `D(x) ≈ c`, and moving that mass, at distance `u` from `x`, moves the barycentre
//! by `e^{−βu²/2}(1 + β(2R − u)u)/c` times as much.
//!
//! # Paper
//! `prop:sc-drift-lipschitz-bounded-support`

use crate::scale::{BallRadius, Beta};

/// `L_{β,R} = e^{2βR²}(1 + 2Rℓ)`.
pub fn constant(beta: Beta, radius: BallRadius) -> f64 {
    (1.0 + 2.0 * radius.get() * steepest(beta, radius)) / least_weight(beta, radius)
}

/// What the paper's proof gives when it is read literally: `1 + (1 + Rℓ)/c + Rℓ/c²`.
pub fn literal_constant(beta: Beta, radius: BallRadius) -> f64 {
    let (slope, c) = (radius.get() * steepest(beta, radius), least_weight(beta, radius));
    1.0 + (1.0 + slope) / c + slope / (c * c)
}

/// `c`
fn least_weight(beta: Beta, radius: BallRadius) -> f64 {
    (-2.0 * beta.get() * radius.get().powi(2)).exp()
}

/// `ℓ`
fn steepest(beta: Beta, radius: BallRadius) -> f64 {
    let (b, u) = (beta.get(), (2.0 * radius.get()).min(beta.get().powf(-0.5)));
    b * u * (-0.5 * b * u * u).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(beta: f64, radius: f64) -> (Beta, BallRadius) {
        (Beta::new(beta).unwrap(), BallRadius::new(radius).unwrap())
    }

    #[test]
    fn constants_are_those_of_hand() {
        let (beta, radius) = at(1.0, 1.0);
        // e²(1 + 2e^{−1/2})
        assert!((constant(beta, radius) - 16.352_434_239_606_78).abs() < 1e-12);
        assert!(literal_constant(beta, radius) > constant(beta, radius));
        let (beta, radius) = at(1e-8, 1.0);
        assert!((constant(beta, radius) - 1.0).abs() < 1e-7, "wide kernels: X = m − x");
    }

    #[test]
    fn only_the_product_counts() {
        let ((a, r), (b, s)) = (at(2.0, 0.6), at(200.0, 0.06));
        assert!((constant(a, r) / constant(b, s) - 1.0).abs() < 1e-12);
    }
}
