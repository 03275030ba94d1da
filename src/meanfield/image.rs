//! The law of a flow on the line as the image of its labels: distribution function, density and `W1` without histograms.
//!
//! # Formula
//! Characteristics do not cross, so `z_t` is increasing and carries levels along:
//! ```text
//! F_t(z_t(x)) = F_0(x),     f_t(z_t(x)) = f_0(x) / ∂_x z_t(x),     W1(f, g) = ∫ |F_f(z) − F_g(z)| dz
//! ```
//! `F_0` is exact, so `F_t` is as accurate as the map: the distance of two images is free of the `O(h)` that separates a cloud of
//! spacing `h` from any smooth law.

use std::convert::Infallible;

use super::line::LineGrid;
use super::stencil::{Sample, breaks, sample};
use crate::law::{Level, LineLaw};
use crate::numeric::quadrature::NINE_WITH_ENDS;
use crate::numeric::root::{Guess, newton};

/// Local tolerance of a `W1` integral relative to the scale of the laws: a sum over hundreds of intervals stays near rounding.
pub(super) const W1_TOLERANCE: f64 = 4e-15;

/// A map is not taken to be flatter than this where it is continued: a collapsed law misses nothing either way.
const FLATTEST: f64 = 1e-6;

/// A kernel hardly sees beyond so many of its widths.
const KERNEL_REACH: f64 = 6.0;

/// Pieces of the integral over the mass that the nodes miss.
const MISSED_PIECES: usize = 128;

/// A law on the line to which an image can be compared.
pub(super) trait Distribution {
    /// `F(z)`, from both sides.
    fn level(&self, z: f64) -> Level;
    /// Places between which `F` is smooth, increasing.
    fn knots(&self) -> Vec<f64>;
    /// `E(z − X)₊`, asked where there is little below `z`.
    fn below(&self, z: f64) -> f64;
    /// `E(X − z)₊`, asked where there is little above `z`.
    fn above(&self, z: f64) -> f64;
}

impl Distribution for LineLaw {
    fn level(&self, z: f64) -> Level {
        let split = self.split(z);
        Level { below: split.below, above: split.above }
    }

    fn knots(&self) -> Vec<f64> {
        self.atoms().map(|atom| atom.at).collect()
    }

    fn below(&self, z: f64) -> f64 {
        self.split(z).lower_mean
    }

    fn above(&self, z: f64) -> f64 {
        self.split(z).upper_mean
    }
}

/// `|F_a − F_b|`, from the side on which it does not cancel.
fn difference(a: Level, b: Level) -> f64 {
    if a.below <= a.above { (a.below - b.below).abs() } else { (b.above - a.above).abs() }
}

/// The image of the labels of a grid under an increasing map.
pub(super) struct Image<'a> {
    grid: &'a LineGrid,
    positions: &'a [f64],
    pub(super) cells: Vec<Cell>,
}

/// The map between two neighbouring nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    segment: usize,
    pub left: End,
    pub right: End,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    parameter: f64,
    pub label: f64,
    pub position: f64,
}

/// What a sample of the map is looked up by.
#[derive(Debug, Clone, Copy)]
enum Key {
    Label(f64),
    Position(f64),
}

impl Key {
    /// How far a sample lies beyond, and its slope.
    fn excess(self, sample: &Sample) -> (f64, f64) {
        match self {
            Self::Label(x) => (sample.label - x, sample.label_slope),
            Self::Position(z) => (sample.position - z, sample.position_slope),
        }
    }
}

impl<'a> Image<'a> {
    /// The map that takes every label of the grid to its position.
    pub fn new(grid: &'a LineGrid, positions: &'a [f64]) -> Self {
        let mut image = Self { grid, positions, cells: vec![] };
        let mut reached = f64::NEG_INFINITY;
        for (segment, run) in grid.segments.iter().enumerate() {
            let mut end = |parameter: f64| {
                let Sample { label, position, .. } = sample(grid, positions, run, parameter);
                // Rounding may swap positions that have run together.
                reached = position.max(reached);
                End { parameter, label, position: reached }
            };
            let ends: Vec<End> = breaks(grid, run).into_iter().map(&mut end).collect();
            let cell = |pair: &[End]| Cell { segment, left: pair[0], right: pair[1] };
            image.cells.extend(ends.windows(2).map(cell));
        }
        image
    }

    pub(super) fn sample(&self, cell: &Cell, parameter: f64) -> Sample {
        sample(self.grid, self.positions, &self.grid.segments[cell.segment], parameter)
    }

    /// Newton's method kept inside the cell.
    fn invert(&self, cell: &Cell, key: Key) -> Sample {
        let (low, high) = (cell.left.parameter, cell.right.parameter);
        let share = match key {
            Key::Label(x) => (x - cell.left.label) / (cell.right.label - cell.left.label),
            Key::Position(z) => (z - cell.left.position) / (cell.right.position - cell.left.position),
        };
        let look = |parameter: f64| {
            let (excess, slope) = key.excess(&self.sample(cell, parameter));
            Ok::<_, Infallible>(Guess { before: excess < 0.0, step: -excess / slope })
        };
        let Ok(parameter) = newton([low, high], low + share * (high - low), f64::EPSILON, look);
        self.sample(cell, parameter)
    }

    /// The characteristic that arrives at `z`, if `z` is where nodes are.
    fn arrival(&self, z: f64) -> Option<Sample> {
        let cell = self.cells.get(self.cells.partition_point(|cell| cell.right.position < z))?;
        (z >= cell.left.position).then(|| self.invert(cell, Key::Position(z)))
    }

    /// Where the characteristic of a label has gone, if nodes are around it.
    fn destination(&self, label: f64) -> Option<f64> {
        let cell = self.cells.get(self.cells.partition_point(|cell| cell.right.label < label))?;
        (label >= cell.left.label).then(|| self.invert(cell, Key::Label(label)).position)
    }

    /// `f_0` at a label.
    pub(super) fn density_of(&self, label: f64) -> f64 {
        self.grid.base.split(label).density
    }

    /// `f_t(z)`; zero where no characteristic of noticeable mass arrives.
    pub fn density(&self, z: f64) -> f64 {
        self.arrival(z)
            .map_or(0.0, |at| self.density_of(at.label) * (at.label_slope / at.position_slope).max(0.0))
    }

    /// `E e^{−(y−Z)²/2τ}` over the mass beyond the nodes, as the slope of the map at their ends continues. Good to a digit or two.
    pub fn missed(&self, y: f64, variance: f64) -> f64 {
        let (Some(first), Some(last)) = (self.cells.first(), self.cells.last()) else { return 0.0 };
        self.missed_beyond(first, first.left, -1.0, y, variance)
            + self.missed_beyond(last, last.right, 1.0, y, variance)
    }

    /// The same beyond one end, on whose `side` nothing follows.
    fn missed_beyond(&self, cell: &Cell, end: End, side: f64, y: f64, variance: f64) -> f64 {
        let at = self.sample(cell, end.parameter);
        let slope = (at.position_slope / at.label_slope).max(FLATTEST);
        let distance = side * (y - end.position);
        let seen = |offset: f64| {
            let kernel = (-0.5 * (distance - slope * offset).powi(2) / variance).exp();
            kernel * self.density_of(end.label + side * offset)
        };
        let reach = (distance.max(0.0) + KERNEL_REACH * variance.sqrt()) / slope;
        // Short pieces where the law ends, and pieces of about a kernel width where the query is.
        let edge = |i: usize| reach * (i as f64 / MISSED_PIECES as f64).powi(3);
        (0..MISSED_PIECES).map(|i| NINE_WITH_ENDS.integral(edge(i), edge(i + 1), seen)).sum()
    }

    /// What it costs to move every node of another grid from where it is to where this map takes its label: `E|z̃_t(X) − z_t(X)|`.
    pub fn coupling(&self, grid: &LineGrid, positions: &[f64]) -> f64 {
        let nodes = grid.labels.iter().zip(&grid.weights).zip(positions);
        let cost = |((&x, w), z): ((&f64, &f64), &f64)| {
            self.destination(x).map_or(0.0, |destination| w * (destination - z).abs())
        };
        nodes.map(cost).sum()
    }

    /// `W1` to another law: in the parameter of the map no level has to be inverted,
    /// `∫ |F_0(x(u)) − G(z(u))| z'(u) du`. The spread of the laws is of the order of `scale`.
    pub fn w1(&self, other: &dyn Distribution, scale: f64) -> f64 {
        let tolerance = W1_TOLERANCE * scale;
        let (Some(first), Some(last)) = (self.cells.first(), self.cells.last()) else { return 0.0 };
        let outside = other.below(first.left.position) + other.above(last.right.position);
        let knots = other.knots();
        let along = |cell: &Cell| {
            let gap = |u: f64| {
                let at = self.sample(cell, u);
                let gap = difference(self.grid.base.level(at.label), other.level(at.position));
                gap * at.position_slope.max(0.0)
            };
            self.adaptive(cell, &knots, tolerance, gap)
        };
        let between = |pair: &[Cell]| {
            let level = self.grid.base.level(pair[0].right.label);
            let (a, b) = (pair[0].right.position, pair[1].left.position);
            if b > a {
                NINE_WITH_ENDS.adaptive(a, b, tolerance, |z| difference(level, other.level(z))).value
            } else {
                0.0
            }
        };
        let inside: f64 = self.cells.iter().map(along).sum();
        outside + inside + self.cells.windows(2).map(between).sum::<f64>()
    }

    /// The integral over the parameter of a cell, between the knots within it.
    pub(super) fn adaptive(&self, cell: &Cell, knots: &[f64], tolerance: f64, g: impl Fn(f64) -> f64) -> f64 {
        let breaks = self.breaks(cell, knots);
        breaks.windows(2).map(|pair| NINE_WITH_ENDS.adaptive(pair[0], pair[1], tolerance, &g).value).sum()
    }

    /// Parameters of the ends of a cell, and of the knots within it.
    fn breaks(&self, cell: &Cell, knots: &[f64]) -> Vec<f64> {
        let first = knots.partition_point(|&knot| knot <= cell.left.position);
        let inside = knots[first..].iter().take_while(|&&knot| knot < cell.right.position);
        let parameters = inside.map(|&knot| self.invert(cell, Key::Position(knot)).parameter);
        let mut breaks: Vec<f64> = std::iter::once(cell.left.parameter).chain(parameters).collect();
        breaks.push(cell.right.parameter);
        breaks
    }

    /// `∫ g(F(z)) dz` over the cells between two places.
    fn tail(&self, from: f64, to: f64, g: impl Fn(Level) -> f64) -> f64 {
        let inner = self.knots().into_iter().filter(|&z| z > from && z < to);
        let places: Vec<f64> = std::iter::once(from).chain(inner).chain([to]).collect();
        let pieces = places.windows(2).filter(|pair| pair[1] > pair[0]);
        pieces.map(|pair| NINE_WITH_ENDS.integral(pair[0], pair[1], |z| g(self.level(z)))).sum()
    }
}

impl Distribution for Image<'_> {
    fn level(&self, z: f64) -> Level {
        let next = self.cells.partition_point(|cell| cell.right.position < z);
        let Some(cell) = self.cells.get(next) else { return Level { below: 1.0, above: 0.0 } };
        if z >= cell.left.position {
            return self.grid.base.level(self.invert(cell, Key::Position(z)).label);
        }
        match next {
            0 => Level { below: 0.0, above: 1.0 },
            _ => self.grid.base.level(cell.left.label),
        }
    }

    fn knots(&self) -> Vec<f64> {
        // Ends that neighbours share come twice, and make an interval of no length.
        self.cells.iter().flat_map(|cell| [cell.left.position, cell.right.position]).collect()
    }

    fn below(&self, z: f64) -> f64 {
        self.cells.first().map_or(0.0, |first| self.tail(first.left.position, z, |level| level.below))
    }

    fn above(&self, z: f64) -> f64 {
        self.cells.last().map_or(0.0, |last| self.tail(z, last.right.position, |level| level.above))
    }
}
