//! [`Card`]: what a claim says about itself before any evidence.

use super::verdict::VerdictKind;

/// A statement of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its name on the command line.
    pub id: &'static str,
    /// LaTeX label of the theorem, display or remark in the paper.
    pub label: &'static str,
    /// What is claimed, in one sentence.
    pub statement: &'static str,
    /// What of the statement is not in the paper, or only in a proof; empty if all of it is.
    pub ours: &'static str,
    /// Where it was tested; where it holds, if that is less than the paper says.
    pub regime: &'static str,
    /// What holds instead, if it fails as printed; else empty.
    pub correction: &'static str,
    /// The verdict that its evidence has given.
    pub expected: VerdictKind,
    /// How its rows are drawn, if a plot says more.
    pub plot: Option<Axes>,
}

/// The axes of a plot of measured against predicted numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    /// Name and unit of the horizontal axis.
    pub x: &'static str,
    /// Name and unit of the vertical axis.
    pub y: &'static str,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}
