//! Exact probabilities of counts.
//!
//! # Formula
//! `P(N_R = k) = C(N, k) p^k q^{N−k}`, summed over the counts in question: no term is negative. A term changes with `p` at the rate `(k − Np)/pq`, relatively.

use statrs::function::gamma::ln_gamma;

use crate::measured::Measured;

/// `P(|N_R/N − p| > η)` for `N_R` binomial.
pub(super) fn deviation(n: u32, p: Measured, eta: f64) -> Measured {
    let (size, q) = (f64::from(n), 1.0 - p.value);
    let log_factorial = |k: f64| ln_gamma(k + 1.0);
    let mass = |k: f64| {
        let choices = log_factorial(size) - log_factorial(k) - log_factorial(size - k);
        (choices + k * p.value.ln() + (size - k) * (-p.value).ln_1p()).exp()
    };
    let (mut sum, mut slope) = (0.0, 0.0);
    for k in (0..=n).map(f64::from).filter(|k| (k / size - p.value).abs() > eta) {
        sum += mass(k);
        slope += mass(k) * (k - size * p.value).abs() / (p.value * q);
    }
    // Logarithms of factorials are of size N log N and rounded a few times.
    let rounding = 16.0 * f64::EPSILON * (1.0 + size * (1.0 + size).ln()) * sum;
    Measured::known_to(sum, rounding + slope * p.numerical)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath, 40 digits: the same sum.
    #[test]
    fn tails_match_forty_digits() {
        for (n, p, eta, exact) in REFERENCE {
            let ours = deviation(n, Measured::exact(p), eta);
            assert!((ours.value - exact).abs() <= ours.numerical + 1e-12 * exact, "{ours:?}, not {exact}");
        }
    }

    /// An error bar of `p` covers what another `p` does.
    #[test]
    fn the_error_of_p_counts() {
        let (p, change) = (0.8, 1e-6);
        let at = |p: f64| deviation(1000, Measured::known_to(p, change), 0.0301);
        let moved = (at(p + change).value - at(p).value).abs();
        assert!(moved <= at(p).numerical && moved > 1e-7, "{moved} {:?}", at(p));
    }

    const REFERENCE: [(u32, f64, f64, f64); 4] = [
        (100, 0.865, 0.1, 0.003_597_192_526_872_852),
        (1000, 0.5, 0.05, 0.001_561_138_839_699_202),
        (50, 0.97, 0.05, 0.016_810_645_355_951_34),
        (400, 0.683, 0.15, 2.517_840_809_769_796e-10),
    ];
}
