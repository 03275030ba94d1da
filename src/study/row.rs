//! [`CellRow`]: what one finished cell leaves behind, as one line of JSON.
//!
//! A row holds nothing that differs from run to run: no times, no machine. The same cell gives the same bytes anywhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::axis::Setting;
use super::cell::{Cell, Key};
use super::quantity::Quantity;
use crate::measured::{Bracket, Measured};

/// Version of the row format.
const SCHEMA: u32 = 2;

/// A finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellRow {
    /// Version of the format.
    pub schema: u32,
    /// Hash of everything that determines the row.
    pub key: Key,
    /// The parameters.
    #[serde(flatten)]
    pub setting: Setting,
    /// What the random numbers of its tokens began with.
    pub seed: u64,
    /// What was measured.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Values, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The measurements.
    Values(Box<Values>),
    /// What went wrong.
    Error(String),
}

/// The measurements of a cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Values {
    /// What was measured, one entry for each quantity of the study.
    pub quantities: BTreeMap<Quantity, Measurement>,
    /// Evaluations of the drift that the flow took.
    pub evaluations: u64,
    /// The way of some particles over depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloud: Option<CloudPath>,
}

/// One measured quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Measurement {
    /// A number with its error bars.
    Number(Measured),
    /// A number known to lie between two others.
    Bracket {
        /// The best estimate.
        value: f64,
        /// What holds the truth.
        #[serde(flatten)]
        bracket: Bracket,
    },
    /// A curve over depth.
    Path {
        /// When the snapshots were taken, in the score clock.
        score_time: Vec<f64>,
        /// Values at these times.
        values: Vec<f64>,
        /// Their numerical bars.
        numerical: Vec<f64>,
        /// Exact values at these times, where they are known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exact: Option<Vec<f64>>,
    },
    /// Nothing: the quantity does not exist in this cell.
    Missing {
        /// Why.
        missing: String,
    },
}

/// The way of some particles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloudPath {
    /// Coordinates of a point.
    pub dimension: usize,
    /// When the snapshots were taken, in the score clock.
    pub score_time: Vec<f64>,
    /// For each time, the particles' coordinates, row-major, to six digits.
    pub points: Vec<Vec<f64>>,
}

impl Measurement {
    /// The number with its bars, where it is one; that of a bracket reaches to its farther end.
    pub fn measured(&self) -> Option<Measured> {
        match self {
            Self::Number(measured) => Some(*measured),
            Self::Bracket { value, bracket } => {
                Some(Measured::known_to(*value, (value - bracket.lower).max(bracket.upper - value)))
            }
            Self::Path { .. } | Self::Missing { .. } => None,
        }
    }

    /// Its value with error bars, where it is a single one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(Measured { value, .. }) | Self::Bracket { value, .. } => Some(*value),
            Self::Path { .. } | Self::Missing { .. } => None,
        }
    }
}

/// What a line says of its own format, whatever else it may say.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

impl CellRow {
    /// Reads a line; else, what is wrong with it and what to do.
    pub(super) fn from_line(line: &[u8]) -> Result<Self, String> {
        let damaged = |error| format!("is not a row ({error}); remove that line and run again");
        let Version { schema } = serde_json::from_slice(line).map_err(damaged)?;
        if schema != SCHEMA {
            return Err(format!(
                "has the format {schema}, but this version of ebflow reads {SCHEMA}; \
                 use the version that wrote it, or compute the study anew in another folder"
            ));
        }
        serde_json::from_slice(line).map_err(damaged)
    }

    /// The row of a cell.
    pub fn new(key: Key, cell: &Cell, outcome: Outcome) -> Self {
        Self { schema: SCHEMA, key, setting: cell.setting, seed: cell.seed, outcome }
    }

    /// The measured number of a quantity, if there is one.
    pub fn number(&self, quantity: Quantity) -> Option<f64> {
        self.measurement(quantity).and_then(Measurement::number)
    }

    /// The measurement of a quantity, if there is one.
    pub fn measurement(&self, quantity: Quantity) -> Option<&Measurement> {
        self.values().and_then(|values| values.quantities.get(&quantity))
    }

    /// The measurements, unless the cell failed.
    pub fn values(&self) -> Option<&Values> {
        match &self.outcome {
            Outcome::Values(values) => Some(values),
            Outcome::Error(_) => None,
        }
    }

    /// Why the cell failed, if it did.
    pub fn error(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Values(_) => None,
            Outcome::Error(error) => Some(error),
        }
    }

    /// The row as a line, its end included.
    pub fn to_line(&self) -> String {
        // Numbers are finite (measurements are checked) and keys are strings.
        let mut line = serde_json::to_string(self).expect("a row is plain data");
        line.push('\n');
        line
    }
}
