//! [`Residual`]: the largest violation of an identity over many points.
//!
//! Every point is judged by its own error bar. While all of them keep to theirs, the row shows the largest difference
//! and the widest bar; where some do not, it shows the largest difference among these and the bar that it exceeds.
//! Either way the pair moves by no more than its bar when rounding differs, and a narrow bar is not hidden by a wide
//! one.

use super::row::Row;
use crate::measured::Measured;
use crate::numeric::larger;

/// What is left of an identity, and the size of what is compared.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Residual {
    kept: Extreme,
    broken: Option<Extreme>,
    scale: f64,
}

/// A largest difference with an error bar.
#[derive(Debug, Clone, Copy, Default)]
struct Extreme {
    difference: f64,
    error: f64,
}

impl Extreme {
    /// The larger of two; one that is not a number stays.
    fn or(self, other: Self) -> Self {
        let finite = |extreme: Self| extreme.difference.is_finite() && extreme.error.is_finite();
        if finite(self) && !(finite(other) && other.difference <= self.difference) { other } else { self }
    }
}

impl Residual {
    /// Takes in one point: both sides, and how far their difference may be off.
    pub(super) fn add(&mut self, left: &[f64], right: &[f64], error: f64) {
        for (l, r) in left.iter().zip(right) {
            self.scale = self.scale.max(r.abs());
            let difference = (l - r).abs();
            if difference <= error {
                self.kept.difference = larger(self.kept.difference, difference);
                self.kept.error = larger(self.kept.error, error);
            } else {
                let found = Extreme { difference, error };
                self.broken = Some(self.broken.map_or(found, |worst| worst.or(found)));
            }
        }
    }

    /// The identity as a row: the residual is zero.
    pub(super) fn vanishes(&self, case: &str, quantity: &str) -> Row {
        let Extreme { difference, error } = self.broken.unwrap_or(self.kept);
        let measured = Measured::known_to(difference, error);
        Row::equal(case, quantity, measured, Measured::exact(0.0)).on_scale(self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(points: &[(f64, f64)]) -> (f64, bool) {
        let mut residual = Residual::default();
        for &(difference, error) in points {
            residual.add(&[7.0 + difference], &[7.0], error);
        }
        let row = residual.vanishes("", "");
        (row.measured.value, row.agrees())
    }

    #[test]
    fn the_worst_point_counts() {
        let mut residual = Residual::default();
        residual.add(&[1.0, 2.0], &[1.0, 2.5], 0.1);
        residual.add(&[1.0], &[1.0], 0.01);
        let row = residual.vanishes("", "");
        assert_eq!((row.measured.value, row.scale), (0.5, 2.5));
        assert!(!row.agrees());
    }

    /// Differences and bars are sums of powers of two: no rounding.
    #[test]
    fn every_point_is_judged_by_its_own_bar() {
        assert_eq!(shown(&[(0.25, 0.5), (0.125, 0.125)]), (0.25, true));
        assert_eq!(shown(&[(0.25, 0.5), (0.125, 0.0625)]), (0.125, false));
        assert_eq!(shown(&[(1.0, 0.5), (0.125, 0.0625), (2.0, 4.0)]), (1.0, false));
    }

    #[test]
    fn what_is_no_number_stays_so() {
        const NAN: f64 = f64::NAN;
        for (difference, error) in [(NAN, 0.1), (0.5, NAN), (NAN, f64::INFINITY)] {
            for at in 0..3 {
                let mut points = [(0.5, 0.1), (2.0, 0.1), (0.0, 0.1)];
                points[at] = (difference, error);
                let mut residual = Residual::default();
                points.iter().for_each(|(difference, error)| residual.add(&[*difference], &[0.0], *error));
                assert!(!residual.vanishes("", "").is_finite(), "{points:?}");
            }
        }
    }
}
