//! [`Shard`]: a study split over machines, by cost rather than by index.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::cell::Cell;
use super::cost;
use super::spec::Spec;

/// The part `index` of `count`, both counted from one.
///
/// ```
/// use ebflow::study::Shard;
/// let shard: Shard = "2/4".parse().unwrap();
/// assert_eq!(shard.to_string(), "2/4");
/// assert!("5/4".parse::<Shard>().is_err() && "0/4".parse::<Shard>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refusal = || format!("'{text}' is not a shard; write I/N with 1 ≤ I ≤ N, such as 2/4");
        let (index, count) = text.split_once('/').ok_or_else(refusal)?;
        let (index, count) = (index.parse().map_err(|_| refusal())?, count.parse().map_err(|_| refusal())?);
        if index < 1 || index > count {
            return Err(refusal());
        }
        Ok(Self { index, count })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Shard {
    /// The part's number, from one.
    pub fn index(self) -> usize {
        self.index
    }

    /// How many parts there are.
    pub fn count(self) -> usize {
        self.count
    }

    /// The cells of this part, in the study's order. The dearest cells are dealt first, each to the part with the least work so far.
    pub fn cells(self, spec: &Spec) -> Vec<Cell> {
        let cells = spec.cells();
        let costs: Vec<f64> = cells.iter().map(|cell| cost::seconds(spec, cell)).collect();
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by(|&a, &b| costs[b].total_cmp(&costs[a]).then(a.cmp(&b)));
        // Every cell costs something, so that no more parts than cells get any.
        let parts = self.count.min(cells.len());
        let mut load = vec![0.0; parts];
        let mut mine = Vec::new();
        for at in order {
            let lightest = (0..parts).min_by(|&a, &b| f64::total_cmp(&load[a], &load[b])).unwrap_or(0);
            load[lightest] += costs[at];
            if lightest + 1 == self.index {
                mine.push(at);
            }
        }
        mine.sort_unstable();
        mine.into_iter().map(|at| cells[at]).collect()
    }
}
