//! [`Card`]: what a claim says about itself before any evidence.

use serde::{Deserialize, Serialize};

use super::paper;
use super::verdict::VerdictKind;

/// A statement of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its name on the command line.
    pub id: &'static str,
    /// LaTeX label of the theorem, display or remark in the paper; its printed number follows from [`paper`].
    pub label: &'static str,
    /// What is claimed, in one sentence.
    pub statement: &'static str,
    /// The same in one line of a terminal, at most [`LINE`] columns less the indent.
    pub gist: &'static str,
    /// What of the statement is not in the paper, or only in a proof; empty if all of it is.
    pub ours: &'static str,
    /// Where it was tested; where it holds, if that is less than the paper says.
    pub regime: &'static str,
    /// What holds instead, if it fails as printed; else empty.
    pub correction: &'static str,
    /// How bad it is that it fails, if it does.
    pub severity: Option<Severity>,
    /// The verdict that its evidence has given.
    pub expected: VerdictKind,
    /// The row that answers the question a reader has, which is seldom the tightest one.
    pub headline: Headline,
    /// How its rows are drawn, if a plot says more.
    pub plot: Option<Axes>,
}

/// Columns of a terminal.
pub const LINE: usize = 80;

/// The row that is shown first.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// Its [name](super::Row::name), the same in every preset.
    pub row: &'static str,
    /// What its numbers are, in words that fit a line together with them.
    pub says: &'static str,
}

/// How bad it is that a statement does not hold as printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// What the paper derives from it stands.
    Misprint,
    /// What the paper derives from it, or the message of it, does not stand.
    False,
}

impl Severity {
    /// The name in files and for people.
    pub fn key(self) -> &'static str {
        match self {
            Self::Misprint => "misprint",
            Self::False => "false",
        }
    }
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

impl Card {
    /// The number of the statement as it is printed, such as `Lemma E.12`; empty if the paper has no such label.
    pub fn number(&self) -> String {
        let numbers: Vec<&str> = match paper::labelled(self.label) {
            Some(statement) => vec![statement.number],
            None => {
                self.label.split(", ").filter_map(paper::labelled).map(|statement| statement.number).collect()
            }
        };
        numbers.join(", ")
    }
}
