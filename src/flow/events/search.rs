//! [`Search`]: looks for the crossings of one event, step by step.

use super::observable::Motion;
use super::{Crossing, Direction, Event, Passages};
use crate::cloud::{Cloud, CloudView, norm};
use crate::error::{Error, Result};
use crate::flow::bound::Curve;
use crate::numeric::root::bisect;
use crate::scale::RawTime;

/// Stretches looked at together; beyond this many they are not cut further. A crossing needs a handful.
const MOST_CELLS: usize = 4096;

/// A stretch whose motion changes the observable by less than this share of what is uncertain about it anyway is not cut further.
const FINE_ENOUGH: f64 = 0.25;

/// The state of a search.
pub(in crate::flow) struct Search {
    event: Event,
    /// What cannot be set aside so far, in order of time.
    regions: Vec<Region>,
    /// On which side of the level the last step ended, and when.
    side: Option<Direction>,
    now: f64,
}

/// A stretch of raw time outside of which the exact flow keeps its sides.
#[derive(Clone, Copy)]
struct Region {
    low: f64,
    high: f64,
    entered: Direction,
    left: Direction,
    /// Where the path crosses.
    at: f64,
    proved: bool,
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
    pub until: f64,
    /// How far the path may be from the exact flow meanwhile, per particle.
    pub uncertainty: &'a [f64],
    /// Whether that is a bound.
    pub proved: bool,
}

/// What is to be done with a stretch.
enum Finding {
    /// The observable keeps its side throughout.
    Clear,
    /// Shorter stretches may tell more.
    Open,
    /// They will not.
    Suspect,
}

impl Passage<'_> {
    fn view<'p>(&'p self, points: &'p [f64]) -> CloudView<'p> {
        CloudView { points, dimension: self.cloud.dimension(), weights: self.cloud.weights() }
    }

    fn time(&self, theta: f64) -> f64 {
        if theta == 1.0 { self.until } else { self.from + theta * self.curve.duration }
    }
}

impl Search {
    pub fn new(event: Event) -> Self {
        Self { event, regions: Vec::new(), side: None, now: 0.0 }
    }

    /// What was found. A region at either end of the run may continue beyond it, so that nothing is known about its crossings.
    pub fn into_found(self) -> Result<Passages> {
        let mut found = Passages::default();
        for region in self.regions {
            let inside = region.low > 0.0 && region.high < self.now;
            if inside && region.entered != region.left {
                found.crossings.push(region.crossing()?);
            } else {
                found.unresolved.push((region.low, region.high));
            }
        }
        Ok(found)
    }

    /// Looks through one step.
    pub fn inspect(&mut self, step: &Passage<'_>) -> Result<()> {
        let mut side = match self.side {
            Some(side) => side,
            None => self.side_at(step, 0.0)?,
        };
        for cell in joined(self.suspects(step)?) {
            let left = self.side_at(step, cell.high)?;
            let at = if left == side { cell.high } else { self.locate(step, cell, side)? };
            let (low, high, at) = (step.time(cell.low), step.time(cell.high), step.time(at));
            self.keep(Region { low, high, entered: side, left, at, proved: step.proved });
            side = left;
        }
        (self.side, self.now) = (Some(side), step.time(1.0));
        Ok(())
    }

    /// Adds a region, to the last one if they touch.
    fn keep(&mut self, region: Region) {
        match self.regions.last_mut() {
            Some(last) if region.low <= last.high => {
                if last.entered == last.left {
                    last.at = region.at;
                }
                (last.high, last.left) = (region.high, region.left);
                last.proved &= region.proved;
            }
            _ => self.regions.push(region),
        }
    }

    /// `g − c` at `θ`.
    fn offset(&self, step: &Passage<'_>, theta: f64) -> Result<f64> {
        let points = step.curve.at(theta);
        Ok(self.event.observable.value(step.view(&points))? - self.event.level)
    }

    fn side_at(&self, step: &Passage<'_>, theta: f64) -> Result<Direction> {
        Ok(if self.offset(step, theta)? >= 0.0 { Direction::Rising } else { Direction::Falling })
    }

    /// The stretches that may hold a crossing of the exact flow, in order, cut until it is of no more use.
    fn suspects(&self, step: &Passage<'_>) -> Result<Vec<Cell>> {
        let mut suspects = Vec::new();
        let mut open = vec![Cell { low: 0.0, high: 1.0 }];
        while !open.is_empty() {
            let mut halves = Vec::new();
            for cell in open {
                match self.look(step, cell)? {
                    Finding::Clear => {}
                    Finding::Suspect => suspects.push(cell),
                    Finding::Open => {
                        let middle = 0.5 * (cell.low + cell.high);
                        halves.extend([Cell { high: middle, ..cell }, Cell { low: middle, ..cell }]);
                    }
                }
            }
            if halves.len() > MOST_CELLS {
                suspects.append(&mut halves);
            }
            open = halves;
        }
        suspects.sort_by(|a, b| a.low.total_cmp(&b.low));
        Ok(suspects)
    }

    /// Whether the observable of the exact flow keeps its side throughout a stretch.
    fn look(&self, step: &Passage<'_>, cell: Cell) -> Result<Finding> {
        let (middle, half) = (0.5 * (cell.low + cell.high), 0.5 * (cell.high - cell.low));
        let points = step.curve.at(middle);
        let view = step.view(&points);
        let observable = &self.event.observable;
        let offset = (observable.value(view)? - self.event.level).abs();
        let (velocity, d) = (step.curve.velocity(middle), view.dimension);
        let mut remainder = step.curve.remainder(middle, half, d);
        remainder.iter_mut().zip(step.uncertainty).for_each(|(q, e)| *q += e);
        let reach = half * step.curve.duration;
        let change =
            match observable.expansion(view, &Motion { velocity: &velocity, reach, remainder: &remainder }) {
                Some(expansion) => reach * expansion.slope.abs() + expansion.remainder,
                None => {
                    let moved = velocity.chunks_exact(d).zip(&remainder).map(|(v, q)| reach * norm(v) + q);
                    observable.change(view, &moved.collect::<Vec<_>>())
                }
            };
        let uncertain = observable.change(view, step.uncertainty);
        Ok(if offset > change {
            Finding::Clear
        } else if 2.0 * reach <= self.event.resolution || change <= (1.0 + FINE_ENOUGH) * uncertain {
            Finding::Suspect
        } else {
            Finding::Open
        })
    }

    /// Halves a bracket around a crossing of the path down to rounding.
    fn locate(&self, step: &Passage<'_>, cell: Cell, before: Direction) -> Result<f64> {
        let [low, high] =
            bisect(cell.low, cell.high, |time| Ok::<_, Error>(self.side_at(step, time)? == before))?;
        Ok(0.5 * (low + high))
    }
}

impl Region {
    /// The exact flow crosses between the ends of the region: the error bar reaches to the farther one.
    fn crossing(&self) -> Result<Crossing> {
        let error = (self.at - self.low).max(self.high - self.at);
        Ok(Crossing { raw_time: RawTime::new(self.at)?, error, proved: self.proved, direction: self.left })
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
