//! [`Sum`]: compensated summation.
//!
//! # Formula
//! A sum is carried as `total + lost`. Adding `b` loses exactly `(a − (s − b')) + (b − b')`, with `s` the rounded `a + b` and `b' = s − a`
//! (Knuth), and a product loses exactly what a fused operation finds.

/// A sum that carries its own rounding error along.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    /// The rounded sum.
    pub total: f64,
    /// What rounding took from it so far.
    pub lost: f64,
}

impl Sum {
    /// `Σ a·b` rounded once, whatever cancels: products are exact with their rounding errors, and as many passes of exact additions
    /// as there are terms leave nothing but the sum.
    pub(crate) fn of_products(factors: [(f64, f64); 3]) -> Self {
        let [x, y, z] = factors.map(|(a, b)| a * b);
        let [p, q, r] = factors.map(|(a, b)| a.mul_add(b, -(a * b)));
        let mut terms = [p, q, r, x, y, z];
        for _ in 0..terms.len() {
            for k in 1..terms.len() {
                let sum = Self { total: terms[k], lost: 0.0 }.plus(terms[k - 1]);
                (terms[k], terms[k - 1]) = (sum.total, sum.lost);
            }
        }
        Self { total: terms[5], lost: terms[4] }
    }

    /// The sum with one more term.
    pub(crate) fn plus(self, term: f64) -> Self {
        let total = self.total + term;
        let added = total - self.total;
        let lost = (self.total - (total - added)) + (term - added);
        Self { total, lost: self.lost + lost }
    }

    /// Adds a term.
    pub(crate) fn add(&mut self, term: f64) {
        *self = self.plus(term);
    }

    /// The sum so far.
    pub(crate) fn value(self) -> f64 {
        self.total + self.lost
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_a_plain_sum_loses() {
        let terms = [1.0, 1e100, 1.0, -1e100];
        assert_eq!(terms.iter().sum::<f64>(), 0.0);
        assert_eq!(terms.into_iter().collect::<Sum>().value(), 2.0);
    }

    #[test]
    fn sums_of_products_are_rounded_once() {
        // (1 + 2⁻⁵²)(1 − 2⁻⁵²) − 1 = −2⁻¹⁰⁴, and what is beside 10³⁰⁰ is kept when 10³⁰⁰ goes.
        let u = f64::EPSILON;
        assert_eq!(Sum::of_products([(1.0 + u, 1.0 - u), (0.0, 0.0), (-1.0, 1.0)]).value(), -u * u);
        assert_eq!(Sum::of_products([(1e300, 1.0), (3.0, 0.1), (-1e300, 1.0)]).value(), 3.0 * 0.1);
    }
}
