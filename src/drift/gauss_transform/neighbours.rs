//! [`Neighbours`]: which sources a target needs, and what leaving out the others may cost.

use std::ops::Range;
use std::sync::OnceLock;

use super::data::Sources;
use super::sorted::Cell;
use super::transfer::UNIT;

/// Chosen sources, as ranges of the sorted order, and an account of the others.
#[derive(Debug)]
pub(super) struct Choice {
    /// Ranges of sources.
    pub ranges: Vec<Range<usize>>,
    /// What was left out.
    pub dropped: Dropped,
}

impl Choice {
    /// Number of sources chosen.
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|range| range.len() as u64).sum()
    }

    fn take(&mut self, start: usize, end: usize) {
        match self.ranges.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.ranges.push(start..end),
        }
    }
}

/// `Σ S e^{−ρ²/2}` and `Σ S e^{−ρ²/2} ρ` over what was dropped, both divided by a common factor.
#[derive(Debug, Default)]
pub(super) struct Dropped {
    zeroth: f64,
    first: f64,
    /// Logarithm of the factor; `None` when it is known to be at most the kernel mass of the target.
    log_factor: Option<f64>,
}

impl Dropped {
    /// How far it may have moved a velocity, in units of `1/√β`.
    pub fn error(&self, log_mass: f64, speed: f64) -> f64 {
        let factor = self.log_factor.map_or(1.0, |log| (log - log_mass).exp());
        if self.zeroth > 0.0 { factor * (self.first + speed * self.zeroth) } else { 0.0 }
    }
}

/// Looks sources up by box.
pub(super) struct Neighbours<'a, const D: usize> {
    sources: &'a Sources<D>,
    reach: i32,
    /// Distance beyond which boxes are out of reach, in units of `1/√β`.
    cutoff: f64,
    scale: f64,
    rectangles: OnceLock<Vec<Rectangle<D>>>,
}

impl<'a, const D: usize> Neighbours<'a, D> {
    /// For boxes that interact up to `reach` boxes apart.
    pub fn new(sources: &'a Sources<D>, reach: i32, cutoff: f64, scale: f64) -> Self {
        Self { sources, reach, cutoff, scale, rectangles: OnceLock::new() }
    }

    /// The sources in boxes within reach of a box.
    pub fn within_reach(&self, index: [i32; D]) -> Choice {
        let mut choice = Choice { ranges: Vec::new(), dropped: Dropped::default() };
        let mut near = 0.0;
        let mut line = index.map(|i| i - self.reach);
        loop {
            let cells = self.line(line);
            if let (Some(first), Some(last)) =
                (self.sources.sorted.cells[cells.clone()].first(), cells.end.checked_sub(1))
            {
                choice.take(first.start, self.sources.sorted.cells[last].end);
                near += self.sources.masses[cells].iter().sum::<f64>();
            }
            // Counts through the box numbers of all axes but the first.
            let Some(axis) = (1..D).find(|&axis| line[axis] < index[axis] + self.reach) else { break };
            line[axis] += 1;
            (1..axis).for_each(|lower| line[lower] = index[lower] - self.reach);
        }
        let far = (self.sources.total - near).max(0.0) + self.sources.total_rounding;
        choice.dropped = Dropped {
            zeroth: far,
            first: far * self.cutoff,
            log_factor: Some(-0.5 * self.cutoff * self.cutoff),
        };
        choice
    }

    /// The boxes from `first` on along the first axis, for the width of the neighbourhood.
    fn line(&self, first: [i32; D]) -> Range<usize> {
        let boxes = &self.sources.sorted.cells[..self.sources.sorted.boxes];
        let mut last = first;
        last[0] += 2 * self.reach;
        let before = |a: &[i32; D], b: &[i32; D]| a.iter().rev().lt(b.iter().rev());
        let start = boxes.partition_point(|cell| before(&cell.index, &first));
        start..start + boxes[start..].partition_point(|cell| !before(&last, &cell.index))
    }

    /// The sources that may matter to any of the targets, wherever they are.
    ///
    /// A box of mass `S` whose nearest and farthest points are `ρ` and `ρ'` away from the targets contributes between
    /// `S e^{−ρ'²/2}` and `S e^{−ρ²/2}`; the best of the former decides which of the latter may be dropped.
    pub fn by_bounds(&self, targets: &[[f64; D]], tolerance: f64) -> Choice {
        let cells = &self.sources.sorted.cells;
        let rectangles = self.rectangles.get_or_init(|| self.all_rectangles());
        let around = Rectangle::of(targets.iter().copied());
        let spans: Vec<Span> = rectangles.iter().map(|r| r.span(&around, self.scale)).collect();
        let log_masses: Vec<f64> = self.sources.masses.iter().map(|mass| mass.ln()).collect();
        let lead = |a: usize, b: usize| {
            half_difference(spans[a].most, spans[b].most) - log_masses[a] + log_masses[b]
        };
        let weighty = (0..cells.len()).filter(|&i| self.sources.masses[i] > 0.0);
        let Some(best) = weighty.reduce(|best, i| if lead(i, best) < 0.0 { i } else { best }) else {
            return Choice { ranges: Vec::new(), dropped: Dropped::default() };
        };
        let enough = (cells.len() as f64 * (30.0 + 10.0 * spans[best].most) / tolerance).ln();
        // Distances are rounded, and so is the difference of their squares.
        let slack = (16.0 * UNIT * spans[best].most * spans[best].most).min(f64::MAX);
        let mut choice = Choice { ranges: Vec::new(), dropped: Dropped::default() };
        for (i, cell) in cells.iter().enumerate() {
            let ahead = half_difference(spans[i].least, spans[best].most) - slack;
            let deficit = ahead - log_masses[i] + log_masses[best];
            if deficit <= enough {
                choice.take(cell.start, cell.end);
            } else if self.sources.masses[i] > 0.0 {
                choice.dropped.zeroth += (-deficit).exp();
                choice.dropped.first += (-deficit).exp() * spans[i].least.clamp(1.0, f64::MAX);
            }
        }
        choice
    }

    fn all_rectangles(&self) -> Vec<Rectangle<D>> {
        let coordinates = &self.sources.sorted.coordinates;
        let of_cell = |cell: &Cell<D>| {
            Rectangle::of((cell.start..cell.end).map(|i| std::array::from_fn(|axis| coordinates[axis][i])))
        };
        self.sources.sorted.cells.iter().map(of_cell).collect()
    }
}

/// The smallest rectangle around some points.
#[derive(Debug, Clone, Copy)]
struct Rectangle<const D: usize> {
    low: [f64; D],
    high: [f64; D],
}

/// Least and most distance between two rectangles.
#[derive(Debug, Clone, Copy)]
struct Span {
    least: f64,
    most: f64,
}

impl<const D: usize> Rectangle<D> {
    fn of(points: impl Iterator<Item = [f64; D]>) -> Self {
        let nothing = Self { low: [f64::INFINITY; D], high: [f64::NEG_INFINITY; D] };
        points.fold(nothing, |r, point| Self {
            low: std::array::from_fn(|axis| r.low[axis].min(point[axis])),
            high: std::array::from_fn(|axis| r.high[axis].max(point[axis])),
        })
    }

    fn span(&self, other: &Self, scale: f64) -> Span {
        let gap =
            |axis: usize| (self.low[axis] - other.high[axis]).max(other.low[axis] - self.high[axis]).max(0.0);
        let stretch =
            |axis: usize| (self.high[axis] - other.low[axis]).max(other.high[axis] - self.low[axis]);
        let length = |along: &dyn Fn(usize) -> f64| {
            (crate::cloud::norm(&std::array::from_fn::<f64, D, _>(along)) * scale).min(f64::MAX)
        };
        Span { least: length(&gap), most: length(&stretch) }
    }
}

/// `(a² − b²)/2`, which may be infinite but is a number for all finite `a`, `b`.
fn half_difference(a: f64, b: f64) -> f64 {
    let (sum, difference) = (0.5 * a + 0.5 * b, a - b);
    if difference == 0.0 { 0.0 } else { sum * difference }
}
