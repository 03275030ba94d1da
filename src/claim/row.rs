//! [`Row`]: one piece of evidence, a measured number beside the number it is compared with.
//!
//! # Formula
//! With `A` the sum of both allowances (see [`Measured::allowance`]), measured `m` and predicted `p`,
//! ```text
//! equal:     margin = 1 − |m − p|/A              at most:  margin = (p + A − m)/(|p| + A),  not above one
//! ```
//! and `at least` is `at most` with the signs of both turned. A margin below zero contradicts the statement. A row is
//! *blurred* when its error bar is so wide that it would not notice a wrong statement.

use serde::{Deserialize, Serialize};

use crate::measured::{Measured, null_is_nan};

/// An equality counts as evidence when its error bar is below this share of what is compared: a wrong factor or a wrong
/// sign shows.
const SHARP: f64 = 0.1;

/// One comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The setting: law, dimension, parameters.
    pub case: String,
    /// What is compared.
    pub quantity: String,
    /// What the row is evidence of.
    pub role: Role,
    /// How the two numbers should relate.
    pub relation: Relation,
    /// The number found.
    pub measured: Measured,
    /// The number it is compared with.
    pub predicted: Measured,
    /// The size of what is compared, by which an error bar counts as narrow.
    #[serde(deserialize_with = "null_is_nan")]
    pub scale: f64,
    /// Where it stands in a plot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What a row is evidence of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The statement as the paper prints it.
    Stated,
    /// The statement as it should read.
    Corrected,
    /// The statement outside the regime in which it holds: expected to fail.
    Beyond,
    /// Nothing to judge: worth knowing.
    Context,
}

/// How two numbers should relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Measured and predicted agree.
    Equal,
    /// Measured does not exceed predicted.
    AtMost,
    /// Measured does not fall below predicted.
    AtLeast,
}

/// Where a row is drawn: on which curve, at which abscissa.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The curve it belongs to.
    pub series: String,
    /// Where on the horizontal axis.
    #[serde(deserialize_with = "null_is_nan")]
    pub x: f64,
}

impl Row {
    fn new(case: &str, quantity: &str, relation: Relation, measured: Measured, predicted: Measured) -> Self {
        let scale = predicted.value.abs();
        let (case, quantity, role) = (case.to_owned(), quantity.to_owned(), Role::Stated);
        Self { case, quantity, role, relation, measured, predicted, scale, place: None }
    }

    /// Measured and predicted should agree.
    pub fn equal(case: &str, quantity: &str, measured: Measured, predicted: Measured) -> Self {
        Self::new(case, quantity, Relation::Equal, measured, predicted)
    }

    /// Measured should not exceed predicted.
    pub fn at_most(case: &str, quantity: &str, measured: Measured, predicted: Measured) -> Self {
        Self::new(case, quantity, Relation::AtMost, measured, predicted)
    }

    /// Measured should not fall below predicted.
    pub fn at_least(case: &str, quantity: &str, measured: Measured, predicted: Measured) -> Self {
        Self::new(case, quantity, Relation::AtLeast, measured, predicted)
    }

    /// The same with another size of what is compared, for differences and other numbers near zero.
    pub fn on_scale(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// The same in another role.
    pub fn as_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    /// The same with a place in the plot.
    pub fn at(self, series: &str, x: f64) -> Self {
        Self { place: Some(Place { series: series.to_owned(), x }), ..self }
    }

    /// Setting and quantity in one.
    pub fn name(&self) -> String {
        format!("{}: {}", self.case, self.quantity)
    }

    /// Both allowances together.
    pub fn allowance(&self) -> f64 {
        self.measured.allowance() + self.predicted.allowance()
    }

    /// True when both numbers and their error bars are finite.
    pub fn is_finite(&self) -> bool {
        self.measured.is_finite() && self.predicted.is_finite()
    }

    /// What is left of the room that the statement allows: at most one, and negative when the evidence contradicts the statement.
    pub fn margin(&self) -> f64 {
        if !self.is_finite() {
            return f64::NEG_INFINITY;
        }
        let (measured, predicted, room) = (self.measured.value, self.predicted.value, self.allowance());
        match self.relation {
            Relation::Equal if measured == predicted => 1.0,
            Relation::Equal => 1.0 - (measured - predicted).abs() / room,
            Relation::AtMost => slack(measured, predicted, room),
            Relation::AtLeast => slack(-measured, -predicted, room),
        }
    }

    /// True when the evidence does not contradict the statement.
    pub fn agrees(&self) -> bool {
        self.margin() >= 0.0
    }

    /// True when the error bar is too wide for the row to be evidence.
    pub fn is_blurred(&self) -> bool {
        let wide = self.allowance() > SHARP * self.scale;
        let undecided = (self.measured.value - self.predicted.value).abs() <= self.allowance();
        match self.relation {
            Relation::Equal => wide,
            // An inequality far from equality is decided however wide the bar.
            Relation::AtMost | Relation::AtLeast => wide && undecided,
        }
    }
}

fn slack(measured: f64, predicted: f64, room: f64) -> f64 {
    let left = predicted + room - measured;
    if left >= 0.0 && predicted.abs() + room == 0.0 {
        return 1.0;
    }
    (left / (predicted.abs() + room)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64, numerical: f64) -> Measured {
        Measured { value, numerical, sampling: 0.0 }
    }

    #[test]
    fn equalities_are_judged_in_error_bars() {
        let row = |m| Row::equal("", "", value(m, 0.01), value(1.0, 0.01));
        assert!((row(1.01).margin() - 0.5).abs() < 1e-12 && row(1.019).agrees() && !row(1.021).agrees());
        assert_eq!(Row::equal("", "", value(0.0, 0.0), value(0.0, 0.0)).margin(), 1.0);
        let sampled = Row::equal("", "", value(1.03, 0.0).sampled(0.01), value(1.0, 0.0));
        assert!(sampled.agrees(), "three standard errors");
    }

    #[test]
    fn inequalities_are_judged_by_their_slack() {
        let row = |m, p| Row::at_most("", "", value(m, 0.0), value(p, 0.0));
        assert_eq!(row(1.0, 4.0).margin(), 0.75);
        assert_eq!(row(1.0, 1.0).margin(), 0.0);
        assert_eq!(row(5.0, 4.0).margin(), -0.25);
        assert_eq!(row(-1.0, 0.0).margin(), 1.0);
        assert_eq!(row(0.0, 0.0).margin(), 1.0);
        let least = |m, p| Row::at_least("", "", value(m, 0.0), value(p, 0.0));
        assert_eq!(least(4.0, 1.0).margin(), 1.0);
        assert_eq!(least(0.5, 1.0).margin(), -0.5);
    }

    #[test]
    fn wide_bars_are_no_evidence() {
        assert!(Row::equal("", "", value(1.0, 0.2), value(1.0, 0.0)).is_blurred());
        assert!(!Row::equal("", "", value(1.0, 0.05), value(1.0, 0.0)).is_blurred());
        assert!(!Row::at_most("", "", value(0.1, 0.2), value(1.0, 0.0)).is_blurred());
        assert!(Row::at_most("", "", value(0.9, 0.2), value(1.0, 0.0)).is_blurred());
        let to_zero = |bar| Row::at_most("", "", value(0.0, bar), value(0.0, 0.0)).on_scale(2.0);
        assert!(to_zero(0.5).is_blurred() && !to_zero(0.1).is_blurred());
    }

    #[test]
    fn what_is_not_finite_never_agrees() {
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(!Row::equal("", "", Measured::exact(bad), Measured::exact(bad)).agrees());
            assert!(!Row::at_most("", "", Measured::exact(1.0), Measured::exact(bad)).agrees());
            assert!(!Row::equal("", "", value(1.0, bad), Measured::exact(1.0)).agrees());
        }
    }
}
