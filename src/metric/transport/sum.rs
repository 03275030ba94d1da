//! [`Sum`]: compensated summation after Neumaier.

/// A sum that carries its own rounding error along.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    /// Adds a term.
    pub(super) fn add(&mut self, term: f64) {
        let total = self.total + term;
        self.lost += if self.total.abs() >= term.abs() {
            (self.total - total) + term
        } else {
            (term - total) + self.total
        };
        self.total = total;
    }

    /// The sum so far.
    pub(super) fn value(self) -> f64 {
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
}
