//! The mean deviation of a binomial share.
//!
//! # Formula
//! For `B ~ Bin(N, p)`, `q = 1 − p` and `ν = ⌊Np⌋ + 1` (de Moivre),
//! ```text
//! E|B/N − p| = 2ν/N · C(N, ν) p^ν q^{N−ν+1}
//!            = √(2pq/πN) (1 + (θ(1−θ)/2 − 1/12 + pq/12)/Npq + …),    θ = Np − ⌊Np⌋
//! ```
//! It ripples with `θ`; averaged over a cell, `θ ∈ [0, 1)`, the bracket is `1 + 1/12N + O((Npq)⁻²)`.

use std::f64::consts::FRAC_2_PI;

use statrs::function::gamma::ln_gamma;

/// The number of points `N` of a sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binomial {
    count: f64,
    /// `ln Γ(N + 1)`.
    log_factorial: f64,
}

impl Binomial {
    pub(super) fn new(count: usize) -> Self {
        let count = count as f64;
        Self { count, log_factorial: ln_gamma(count + 1.0) }
    }

    pub(super) fn count(&self) -> f64 {
        self.count
    }

    /// `E|B/N − p|` for `p ≤ 1/2`.
    pub(super) fn deviation(&self, p: f64) -> f64 {
        if p <= 0.0 {
            return 0.0;
        }
        let (n, nu) = (self.count, (self.count * p).floor() + 1.0);
        if nu == 1.0 {
            return 2.0 * p * (n * (-p).ln_1p()).exp();
        }
        let log_choose = self.log_factorial - ln_gamma(nu + 1.0) - ln_gamma(n - nu + 1.0);
        2.0 * nu / n * (log_choose + nu * p.ln() + (n - nu + 1.0) * (-p).ln_1p()).exp()
    }

    /// The deviation with its ripple averaged out.
    pub(super) fn smooth_deviation(&self, p: f64) -> f64 {
        (FRAC_2_PI * p * (1.0 - p) / self.count).sqrt() * (1.0 + 1.0 / (12.0 * self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_match_the_sum_over_outcomes() {
        for n in [1_usize, 2, 7, 30] {
            for p in [1e-9, 0.1, 0.25, 0.499, 0.5] {
                let mut chance = (1.0_f64 - p).powi(n as i32);
                let mut sum = 0.0;
                for k in 0..=n {
                    sum += chance * (k as f64 / n as f64 - p).abs();
                    chance *= (n - k) as f64 / (k + 1) as f64 * p / (1.0 - p);
                }
                let ours = Binomial::new(n).deviation(p);
                assert!((ours / sum - 1.0).abs() < 1e-12, "N = {n}, p = {p}: {ours}, not {sum}");
            }
        }
    }

    #[test]
    fn the_average_over_a_cell_is_smooth() {
        let (binomial, cells) = (Binomial::new(10_000), 500);
        let average = |f: &dyn Fn(f64) -> f64| {
            (0..cells).map(|j| f((200.0 + (f64::from(j) + 0.5) / f64::from(cells)) / 1e4)).sum::<f64>()
        };
        let ratio = average(&|p| binomial.deviation(p)) / average(&|p| binomial.smooth_deviation(p));
        // The next term is of order (Npq)⁻² = 2.5e-5, with a small factor.
        assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
    }
}
