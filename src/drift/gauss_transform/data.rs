//! What goes into a transform and what comes out of it: [`Sources`] in the order of their boxes, an [`Account`] for every box of what the sources
//! within its reach amount to and how much of it may be wrong, and a [`Row`] for every target.
//!
//! The kernel is a product over the axes, so a bound travels with the moments: along each axis the sizes multiply and
//! the errors obey the product rule `|ab − ãb̃| ≤ |a||b − b̃| + |a − ã||b̃|`.

use super::grid::Grid;
use super::pool::Pool;
use super::sorted::{Cell, Sorted};
use super::transfer::{Bound, Bounds, UNIT};
use crate::cloud::CloudView;
use crate::error::Result;

/// Boxes within reach of one, at most.
const REORDERED: usize = 1 << 14;

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
    /// What sums of masses, added up in any order, may be off by.
    pub total_rounding: f64,
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
        let total: f64 = masses.iter().sum();
        let total_rounding = (2 * sorted.len() + REORDERED) as f64 * UNIT * total;
        Ok(Self { grid, sorted, weights, masses, total, total_rounding })
    }

    /// What a mass in the units of `masses` is divided by to become a share of the whole.
    pub fn unit(&self) -> f64 {
        if self.weights.is_some() { 1.0 } else { self.total }
    }
}

/// Bounds on the local field of a box and on its slopes, in the units of the source masses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account<const D: usize> {
    /// Mass of the sources that take part.
    pub near: f64,
    /// The field itself.
    pub value: Bound,
    /// Its derivative along each axis.
    pub slopes: [Bound; D],
}

impl<const D: usize> Default for Account<D> {
    fn default() -> Self {
        Self { near: 0.0, value: Bound::default(), slopes: [Bound::default(); D] }
    }
}

impl<const D: usize> Account<D> {
    /// The account of a box of sources whose moments passed through so many additions.
    pub fn of_sources(mass: f64, additions: usize) -> Self {
        // Three roundings make each product, and a weight may have one more.
        let rounding = (additions + 4) as f64 * UNIT * mass;
        Self { near: mass, value: Bound { size: mass, truncation: 0.0, rounding }, ..Self::default() }
    }

    /// Adds what `other` becomes when it is transferred along `axis`.
    pub fn add_transferred(&mut self, other: &Self, axis: usize, bounds: &Bounds) {
        self.near += other.near;
        self.value.add_product(other.value, bounds.value);
        for done in 0..axis {
            self.slopes[done].add_product(other.slopes[done], bounds.value);
        }
        self.slopes[axis].add_product(other.value, bounds.slope);
    }

    /// Euclidean norm over the axes of one kind of error.
    pub fn slope_norm(&self, error: fn(&Bound) -> f64) -> f64 {
        self.slopes.iter().map(|slope| error(slope).powi(2)).sum::<f64>().sqrt()
    }
}

impl Bound {
    fn add_product(&mut self, a: Self, b: Self) {
        self.size += a.size * b.size;
        self.truncation += a.size * b.truncation + a.truncation * (b.size + b.truncation);
        self.rounding += a.size * b.rounding
            + a.rounding * (b.size + b.truncation + b.rounding)
            + a.truncation * b.rounding;
    }
}

/// A velocity, the logarithm of its kernel mass, and bounds on its error; see [`DriftField`](crate::DriftField).
///
/// Rows are kept as `D + 3` consecutive numbers, so that one cache line brings all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<const D: usize> {
    /// `v`.
    pub velocity: [f64; D],
    /// `ln Σ_j ω_j w_j`.
    pub log_mass: f64,
    /// Bound on what leaving out terms did to `v`.
    pub truncation: f64,
    /// Bound on what rounding did to `v`.
    pub rounding: f64,
}

impl<const D: usize> Row<D> {
    /// Numbers that a row takes.
    pub const LENGTH: usize = D + 3;

    /// Reads a row.
    #[inline(always)]
    pub fn load(numbers: &[f64]) -> Self {
        let mut velocity = [0.0; D];
        velocity.copy_from_slice(&numbers[..D]);
        Self { velocity, log_mass: numbers[D], truncation: numbers[D + 1], rounding: numbers[D + 2] }
    }

    /// Writes a row.
    #[inline(always)]
    pub fn store(&self, numbers: &mut [f64]) {
        numbers[..D].copy_from_slice(&self.velocity);
        numbers[D] = self.log_mass;
        numbers[D + 1] = self.truncation;
        numbers[D + 2] = self.rounding;
    }
}
