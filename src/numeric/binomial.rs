//! Mean deviations and tails of a binomial share.
//!
//! # Formula
//! For `B ~ Bin(N, p)`, `q = 1 − p` and `ν = ⌊Np⌋ + 1` (de Moivre),
//! ```text
//! E|B/N − p| = 2ν/N · C(N, ν) p^ν q^{N−ν+1}
//!            = √(2pq/πN) (1 + (θ(1−θ)/2 − 1/12 + pq/12)/Npq + …),    θ = Np − ⌊Np⌋
//! ```
//! It ripples with `θ`; averaged over a cell, `θ ∈ [0, 1)`, the bracket is `1 + 1/12N + O((Npq)⁻²)`.
//! Tails are sums of `P(B = k) = C(N, k) p^k q^{N−k}`, none of which is negative; a term changes with `p` at the rate `(k − Np)/pq`,
//! relatively.

use std::f64::consts::FRAC_2_PI;

use statrs::function::gamma::ln_gamma;

#[cfg(feature = "study")]
use crate::measured::Measured;

/// The number of points `N` of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binomial {
    count: f64,
    /// `ln Γ(N + 1)`.
    log_factorial: f64,
}

impl Binomial {
    pub(crate) fn new(count: usize) -> Self {
        let count = count as f64;
        Self { count, log_factorial: ln_gamma(count + 1.0) }
    }

    pub(crate) fn count(&self) -> f64 {
        self.count
    }

    /// `ln C(N, k)`.
    fn log_choose(&self, k: f64) -> f64 {
        self.log_factorial - ln_gamma(k + 1.0) - ln_gamma(self.count - k + 1.0)
    }

    /// `P(|B/N − p| > η)`.
    #[cfg(feature = "study")]
    pub(crate) fn tail(&self, p: Measured, eta: f64) -> Measured {
        let (n, q) = (self.count, 1.0 - p.value);
        let mass = |k: f64| (self.log_choose(k) + k * p.value.ln() + (n - k) * (-p.value).ln_1p()).exp();
        let (mut sum, mut slope) = (0.0, 0.0);
        for k in (0..=n as u64).map(|k| k as f64).filter(|k| (k / n - p.value).abs() > eta) {
            sum += mass(k);
            slope += mass(k) * (k - n * p.value).abs() / (p.value * q);
        }
        // Logarithms of factorials are of size N log N and rounded a few times.
        let rounding = 16.0 * f64::EPSILON * (1.0 + n * (1.0 + n).ln()) * sum;
        Measured::known_to(sum, rounding + slope * p.numerical)
    }

    /// `E|B/N − p|` for `p ≤ 1/2`.
    pub(crate) fn deviation(&self, p: f64) -> f64 {
        if p <= 0.0 {
            return 0.0;
        }
        let (n, nu) = (self.count, (self.count * p).floor() + 1.0);
        if nu == 1.0 {
            return 2.0 * p * (n * (-p).ln_1p()).exp();
        }
        2.0 * nu / n * (self.log_choose(nu) + nu * p.ln() + (n - nu + 1.0) * (-p).ln_1p()).exp()
    }

    /// The deviation with its ripple averaged out.
    pub(crate) fn smooth_deviation(&self, p: f64) -> f64 {
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

    /// Points, `p`, `η`, and the tail: mpmath, 40 digits, the same sum.
    const TAILS: [(usize, f64, f64, f64); 4] = [
        (100, 0.865, 0.1, 0.003_597_192_526_872_852),
        (1000, 0.5, 0.05, 0.001_561_138_839_699_202),
        (50, 0.97, 0.05, 0.016_810_645_355_951_34),
        (400, 0.683, 0.15, 2.517_840_809_769_796e-10),
    ];

    #[test]
    fn tails_match_forty_digits() {
        for (n, p, eta, exact) in TAILS {
            let ours = Binomial::new(n).tail(Measured::exact(p), eta);
            assert!((ours.value - exact).abs() <= ours.numerical + 1e-12 * exact, "{ours:?}, not {exact}");
        }
    }

    /// An error bar of `p` covers what another `p` does.
    #[test]
    fn the_error_of_p_counts() {
        let (p, change) = (0.8, 1e-6);
        let at = |p: f64| Binomial::new(1000).tail(Measured::known_to(p, change), 0.0301);
        let moved = (at(p + change).value - at(p).value).abs();
        assert!(moved <= at(p).numerical && moved > 1e-7, "{moved} {:?}", at(p));
    }
}
