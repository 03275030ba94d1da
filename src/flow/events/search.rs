//! [`Search`]: looks for the crossings of one event, step by step.

use super::{Crossing, Direction, Event, Passages};
use crate::cloud::{Cloud, CloudView, norm};
use crate::error::Result;
use crate::flow::bound::Curve;
use crate::scale::RawTime;

/// Stretches looked at together; beyond this many they are not cut further. A crossing needs a handful.
const MOST_CELLS: usize = 4096;

/// Halvings of a bracket around a crossing: from a step down to rounding.
const HALVINGS: usize = 60;

/// The error bar is first-order; this covers the rest.
const FIRST_ORDER: f64 = 1.5;

/// Share of a step over which a slope is taken as a difference.
const DIFFERENCE: f64 = 1e-4;

/// The state of a search.
pub(in crate::flow) struct Search {
    event: Event,
    found: Passages,
    /// On which side of the level the last step ended.
    side: Option<Direction>,
}

/// A stretch of a step that cannot be set aside.
#[derive(Clone, Copy)]
struct Cell {
    low: f64,
    high: f64,
}

/// A step as the search sees it.
pub(in crate::flow) struct Passage<'a> {
    pub cloud: &'a Cloud,
    pub curve: &'a Curve,
    pub from: f64,
    /// How far the path may be from the exact flow meanwhile, per particle.
    pub uncertainty: &'a [f64],
}

impl Passage<'_> {
    fn view<'p>(&'p self, points: &'p [f64]) -> CloudView<'p> {
        CloudView { points, dimension: self.cloud.dimension(), weights: self.cloud.weights() }
    }

    fn time(&self, theta: f64) -> f64 {
        self.from + theta * self.curve.duration
    }
}

impl Search {
    pub fn new(event: Event) -> Self {
        Self { event, found: Passages::default(), side: None }
    }

    /// What was found.
    pub fn into_found(self) -> Passages {
        self.found
    }

    /// Looks through one step.
    pub fn inspect(&mut self, step: &Passage<'_>) -> Result<()> {
        let mut before = match self.side {
            Some(side) => side,
            None => self.side_at(step, 0.0)?,
        };
        for cell in joined(self.suspects(step)?) {
            let after = self.side_at(step, cell.high)?;
            if after == before {
                self.found.unresolved.push((step.time(cell.low), step.time(cell.high)));
            } else {
                let crossing = self.locate(step, cell, before)?;
                self.found.crossings.push(crossing);
            }
            before = after;
        }
        self.side = Some(before);
        self.forget_neighbours();
        Ok(())
    }

    /// `g − c` at `θ`.
    fn offset(&self, step: &Passage<'_>, theta: f64) -> Result<f64> {
        let points = step.curve.at(theta);
        Ok(self.event.observable.value(step.view(&points))? - self.event.level)
    }

    fn side_at(&self, step: &Passage<'_>, theta: f64) -> Result<Direction> {
        Ok(if self.offset(step, theta)? >= 0.0 { Direction::Rising } else { Direction::Falling })
    }

    /// The stretches that may hold a crossing, in order, each as short as the resolution.
    fn suspects(&self, step: &Passage<'_>) -> Result<Vec<Cell>> {
        let mut cells = vec![Cell { low: 0.0, high: 1.0 }];
        loop {
            let mut suspects = Vec::new();
            for cell in cells {
                if !self.is_clear(step, cell)? {
                    suspects.push(cell);
                }
            }
            let width = suspects.first().map_or(0.0, |cell| cell.high - cell.low);
            if width * step.curve.duration <= self.event.resolution || suspects.len() > MOST_CELLS {
                return Ok(suspects);
            }
            let halves = |cell: Cell| {
                let middle = 0.5 * (cell.low + cell.high);
                [Cell { high: middle, ..cell }, Cell { low: middle, ..cell }]
            };
            cells = suspects.into_iter().flat_map(halves).collect();
        }
    }

    /// Whether the observable keeps its side throughout a stretch.
    fn is_clear(&self, step: &Passage<'_>, cell: Cell) -> Result<bool> {
        let (middle, half) = (0.5 * (cell.low + cell.high), 0.5 * (cell.high - cell.low));
        let points = step.curve.at(middle);
        let view = step.view(&points);
        let observable = &self.event.observable;
        let offset = (observable.value(view)? - self.event.level).abs();
        let (velocity, d) = (step.curve.velocity(middle), view.dimension);
        let straying = step.curve.straying(middle, half, d);
        let reach = half * step.curve.duration;
        if let Some(expansion) = observable.expansion(view, &velocity, reach, &straying) {
            return Ok(offset > reach * expansion.slope.abs() + expansion.remainder);
        }
        let moved = velocity.chunks_exact(d).zip(&straying).map(|(v, q)| reach * norm(v) + q);
        Ok(offset > observable.change(view, &moved.collect::<Vec<_>>()))
    }

    /// Halves a bracket down to rounding.
    fn locate(&self, step: &Passage<'_>, cell: Cell, before: Direction) -> Result<Crossing> {
        let Cell { mut low, mut high } = cell;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.side_at(step, middle)? == before { low = middle } else { high = middle }
        }
        let theta = 0.5 * (low + high);
        let direction = match before {
            Direction::Rising => Direction::Falling,
            Direction::Falling => Direction::Rising,
        };
        let raw_time = RawTime::new(step.time(theta))?;
        let error = self.error(step, theta, cell)? + (high - low) * step.curve.duration;
        Ok(Crossing { raw_time, error, direction })
    }

    /// What the distance to the exact flow does to the time of a crossing.
    fn error(&self, step: &Passage<'_>, theta: f64, cell: Cell) -> Result<f64> {
        let points = step.curve.at(theta);
        let view = step.view(&points);
        let observable = &self.event.observable;
        let nothing = vec![0.0; step.cloud.len()];
        let slope = match observable.expansion(view, &step.curve.velocity(theta), 0.0, &nothing) {
            Some(expansion) => expansion.slope.abs(),
            None => {
                // Wide enough that the difference of the values is not rounding.
                let (low, high) = ((cell.low - DIFFERENCE).max(0.0), (cell.high + DIFFERENCE).min(1.0));
                let rise = self.offset(step, high)? - self.offset(step, low)?;
                rise.abs() / ((high - low) * step.curve.duration)
            }
        };
        let change = observable.change(view, step.uncertainty);
        Ok(if change == 0.0 { 0.0 } else { FIRST_ORDER * change / slope })
    }

    /// Drops unresolved stretches beside a crossing: they are its own approach, cut off by the end of a step.
    fn forget_neighbours(&mut self) {
        let Passages { crossings, unresolved } = &mut self.found;
        let near = 4.0 * self.event.resolution;
        unresolved.retain(|(low, high)| {
            !crossings.iter().any(|c| c.raw_time.get() >= low - near && c.raw_time.get() <= high + near)
        });
    }
}

/// Joins stretches that touch.
fn joined(cells: Vec<Cell>) -> Vec<Cell> {
    let mut joined: Vec<Cell> = Vec::new();
    for cell in cells {
        match joined.last_mut() {
            Some(last) if last.high >= cell.low => last.high = cell.high,
            _ => joined.push(cell),
        }
    }
    joined
}
