//! [`Scale`]: numbers to places along an axis, and the ticks that say so.

use crate::report::number::{plain, power_of_ten};

/// Share of the range left free at both ends.
const MARGIN: f64 = 0.05;
/// A range over this ratio is shown logarithmically.
const WIDE: f64 = 4.0;
/// The powers of ten that are ordinary numbers.
const POWERS: (f64, f64) = (-307.0, 308.0);
/// Ticks to aim for on a linear axis.
const TICKS: f64 = 6.0;

/// A linear or logarithmic axis over a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
}

/// A mark on an axis; those without a label are short.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    pub at: f64,
    pub label: Option<String>,
}

impl Scale {
    /// A linear axis that shows all values.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values);
        let pad = if high > low { MARGIN * (high - low) } else { MARGIN * high.abs().max(1.0) };
        Self { low: low - pad, high: high + pad, logarithmic: false }
    }

    /// A logarithmic axis that shows all positive values.
    pub fn logarithmic(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = range(values.into_iter().filter(|x| *x > 0.0).map(f64::ln));
        let pad = if high > low { MARGIN * (high - low) } else { 0.5 };
        Self { low: low - pad, high: high + pad, logarithmic: true }
    }

    /// Logarithmic where all values are positive and spread wide, else linear.
    pub fn fitting(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        let (low, high) = range(values.iter().copied());
        if low > 0.0 && high / low >= WIDE { Self::logarithmic(values) } else { Self::linear(values) }
    }

    /// True when equal steps are equal ratios.
    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Where a value lies between the ends, from zero to one; beyond them it is moved just outside.
    pub fn place(&self, value: f64) -> f64 {
        let at = match self.logarithmic {
            true if value <= 0.0 => return -MARGIN,
            true => value.ln(),
            false => value,
        };
        ((at - self.low) / (self.high - self.low)).clamp(-MARGIN, 1.0 + MARGIN)
    }

    /// Evenly spaced values across the whole axis.
    pub fn samples(&self, count: usize) -> Vec<f64> {
        let at = |k: usize| self.low + (self.high - self.low) * k as f64 / (count - 1) as f64;
        (0..count).map(at).map(|x| if self.logarithmic { x.exp() } else { x }).collect()
    }

    pub(super) fn ticks(&self) -> Vec<Tick> {
        if self.logarithmic { self.decades() } else { self.steps() }
    }

    fn steps(&self) -> Vec<Tick> {
        let rough = (self.high - self.low) / TICKS;
        let power = 10f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        let tick = |k: i64| Tick { at: k as f64 * step, label: Some(plain(k as f64 * step, 4)) };
        (first..=last).map(tick).collect()
    }

    /// Powers of ten and their multiples; the fewer decades there are, the more multiples get a label.
    fn decades(&self) -> Vec<Tick> {
        let (low, high) = (self.low.exp(), self.high.exp());
        let decades = (self.high - self.low) / std::f64::consts::LN_10;
        let labelled: &[u32] = match decades {
            d if d > 3.0 => &[1],
            d if d > 1.6 => &[1, 3],
            d if d > 0.8 => &[1, 2, 5],
            _ => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        };
        // Beyond the powers of ten that exist, the ends of the axis under- or overflow.
        let power = |end: f64| (end / std::f64::consts::LN_10).clamp(POWERS.0, POWERS.1);
        let (first, last) = (power(self.low).floor() as i32, power(self.high).ceil() as i32);
        let skip = ((last - first) / 7).max(1);
        let mut ticks = Vec::new();
        for exponent in first..=last {
            for multiple in 1..=9 {
                let at = f64::from(multiple) * 10f64.powi(exponent);
                let shown = labelled.contains(&multiple) && (multiple > 1 || exponent % skip == 0);
                if at >= low && at <= high {
                    ticks.push(Tick { at, label: shown.then(|| label(multiple, exponent, decades)) });
                }
            }
        }
        ticks
    }
}

/// Over many decades, powers throughout below one; over few, plain numbers as far as they are short.
fn label(multiple: u32, exponent: i32, decades: f64) -> String {
    let shortest = if decades > 3.0 { 0 } else { -3 };
    match (multiple, exponent) {
        _ if (shortest..=4).contains(&exponent) => plain(f64::from(multiple) * 10f64.powi(exponent), 2),
        (1, _) => power_of_ten(exponent),
        _ => format!("{multiple}·{}", power_of_ten(exponent)),
    }
}

fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|x| x.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale) -> Vec<String> {
        scale.ticks().into_iter().filter_map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(labels(Scale::linear([0.0, 1.0])), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(Scale::logarithmic([100.0, 1600.0])), ["100", "200", "500", "1000"]);
        assert_eq!(
            labels(Scale::logarithmic([1e-9, 1e-3])),
            ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"]
        );
        for odd in [vec![], vec![1.0], vec![0.0], vec![-1.0, 1.0], vec![f64::NAN, 2.0], vec![1e-300, 1e300]] {
            for scale in [Scale::linear(odd.clone()), Scale::logarithmic(odd.clone()), Scale::fitting(odd)] {
                assert!(scale.ticks().len() < 6000 && labels(scale).len() < 40);
            }
        }
    }

    #[test]
    fn places_run_from_zero_to_one() {
        let scale = Scale::fitting([1.0, 100.0]);
        assert!(scale.is_logarithmic());
        assert!((scale.place(10.0) - 0.5).abs() < 1e-12);
        assert!(scale.place(0.0) < 0.0 && scale.place(1e9) > 1.0);
        assert!(!Scale::fitting([-1.0, 100.0]).is_logarithmic());
    }
}
