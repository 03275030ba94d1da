//! [`Residual`]: the largest violation of an identity over many points.

use super::row::Row;
use super::value::Value;

/// The largest `|left − right|`, the largest error bar of such a difference, and the size of what is compared.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Residual {
    largest: f64,
    error: f64,
    scale: f64,
}

impl Residual {
    /// Takes in one point: both sides, and how far their difference may be off.
    pub(super) fn add(&mut self, left: &[f64], right: &[f64], error: f64) {
        for (l, r) in left.iter().zip(right) {
            self.largest = larger(self.largest, (l - r).abs());
            self.scale = self.scale.max(r.abs());
        }
        self.error = larger(self.error, error);
    }

    /// The identity as a row: the residual is zero.
    pub(super) fn vanishes(&self, case: &str, quantity: &str) -> Row {
        let measured = Value::known_to(self.largest, self.error);
        Row::equal(case, quantity, measured, Value::exact(0.0)).on_scale(self.scale)
    }
}

/// Not `f64::max`, which would swallow a NaN.
fn larger(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_point_counts() {
        let mut residual = Residual::default();
        residual.add(&[1.0, 2.0], &[1.0, 2.5], 0.1);
        residual.add(&[1.0], &[1.0], 0.01);
        let row = residual.vanishes("", "");
        assert_eq!((row.measured.value, row.scale), (0.5, 2.5));
        assert!(!row.agrees());
        residual.add(&[f64::NAN], &[0.0], 0.1);
        assert!(!residual.vanishes("", "").agrees());
    }
}
