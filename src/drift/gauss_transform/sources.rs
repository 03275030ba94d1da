//! [`Sources`]: the sources of a transform in the order of their boxes, with their masses.

use super::grid::Grid;
use super::pool::Pool;
use super::sorted::{Cell, Sorted};
use crate::cloud::CloudView;
use crate::error::Result;

/// Sorted sources. Equal weights count one each, so that masses are exact integers; others keep their weights.
#[derive(Debug)]
pub(super) struct Sources<const D: usize> {
    /// The grid they are sorted into.
    pub grid: Grid<D>,
    /// Positions and boxes.
    pub sorted: Sorted<D>,
    /// Weights in the sorted order, unless they are equal.
    pub weights: Option<Vec<f64>>,
    /// Mass of every cell.
    pub masses: Vec<f64>,
    /// Mass of all sources: the number of points for equal weights.
    pub total: f64,
}

impl<const D: usize> Sources<D> {
    /// Sorts a cloud into the boxes of a grid.
    pub fn new(cloud: CloudView<'_>, grid: Grid<D>, pool: &Pool) -> Result<Self> {
        let sorted = Sorted::new(cloud.points, grid, "the sources", pool)?;
        let weights = cloud.weights.map(|w| sorted.arrange(w));
        let mass = |cell: &Cell<D>| match &weights {
            Some(weights) => weights[cell.start..cell.end].iter().sum(),
            None => cell.len() as f64,
        };
        let masses: Vec<f64> = sorted.cells.iter().map(mass).collect();
        let total = masses.iter().sum();
        Ok(Self { grid, sorted, weights, masses, total })
    }

    /// What a mass in the units of `masses` is divided by to become a share of the whole.
    pub fn unit(&self) -> f64 {
        if self.weights.is_some() { 1.0 } else { self.total }
    }
}
