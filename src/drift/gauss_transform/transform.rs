//! One evaluation, from a cloud to a field.

use std::sync::OnceLock;

use super::data::{Account, Row, Sources};
use super::direct::{Direct, Rows};
use super::evaluate::{Frame, Tile};
use super::expansion::{Expansion, Goal};
use super::grid::Grid;
use super::moments;
use super::neighbours::Neighbours;
use super::plan::Plan;
use super::pool::Pool;
use super::sorted::{Cell, Sorted};
use super::translate::{Layer, local_fields};
use crate::cloud::CloudView;
use crate::drift::{DriftField, Targets};
use crate::error::Result;
use crate::parallel;

/// Targets of one box that one task takes on.
const TILE: usize = 512;
/// Targets that share a search for their sources when they are summed directly.
const GROUP: usize = 64;
/// Boxes with more targets than this are never cheaper to sum directly.
const SPARSE: usize = 32;
/// Kernel values that take as long as the translation to one box, per coefficient of its local field.
const PAIRS_PER_COEFFICIENT: usize = 10;
/// Points whose rows are put back into the caller's order by one task.
const GATHER: usize = 16_384;

/// What to evaluate.
pub(super) struct Task<'a> {
    /// The sources.
    pub sources: CloudView<'a>,
    /// Where to evaluate.
    pub targets: Targets<'a>,
    /// `√β`.
    pub scale: f64,
    /// What to achieve.
    pub goal: Goal,
    /// How.
    pub plan: Plan,
}

impl Task<'_> {
    /// Evaluates in `D` dimensions.
    pub fn run<const D: usize>(&self, field: &mut DriftField) -> Result<()> {
        let layout = self.plan.layout;
        let grid = Grid::<D>::new(layout.width / self.scale);
        let pool = std::mem::take(&mut field.scratch);
        let sources = Sources::new(self.sources, grid, &pool)?;
        let others = match self.targets {
            Targets::Sources => None,
            Targets::Points(points) => Some(Sorted::new(points, grid, "the targets", &pool)?),
        };
        let stage = Stage {
            task: self,
            expansion: Expansion::new(layout, self.goal),
            targets: others.as_ref().unwrap_or(&sources.sorted),
            direct: self.direct(&sources),
            sources: &sources,
            pool: &pool,
        };
        let mut rows = pool.any(Row::<D>::LENGTH * stage.targets.len());
        field.pairs = stage.fill(&mut rows);
        deliver::<D>(&rows, &stage.targets.places, field);
        pool.give(rows);
        others.into_iter().chain([sources.sorted]).for_each(|sorted| sorted.recycle(&pool));
        field.scratch = pool;
        Ok(())
    }

    fn direct<'a, const D: usize>(&self, sources: &'a Sources<D>) -> Direct<'a, D> {
        let layout = self.plan.layout;
        Direct {
            sources,
            neighbours: Neighbours::new(sources, layout.reach, layout.cutoff(), self.scale),
            scale: self.scale,
            tolerance: self.goal.tolerance,
            own_reference: sources.weights.is_none() && matches!(self.targets, Targets::Sources),
            log_unit: -sources.unit().ln(),
            log_weights: OnceLock::new(),
        }
    }
}

/// Targets of one cell to be summed directly, by their places in the sorted order.
struct Left {
    cell: usize,
    places: Vec<usize>,
}

/// Everything sorted and ready.
struct Stage<'a, const D: usize> {
    task: &'a Task<'a>,
    sources: &'a Sources<D>,
    targets: &'a Sorted<D>,
    expansion: Expansion,
    direct: Direct<'a, D>,
    pool: &'a Pool,
}

impl<const D: usize> Stage<'_, D> {
    /// Fills all rows and returns how many kernel values that took.
    fn fill(&self, rows: &mut [f64]) -> u64 {
        let sparse = parallel::map(self.targets.cells.len(), &|cell| self.is_sparse(cell));
        let (alone, served): (Vec<usize>, Vec<usize>) = (0..sparse.len()).partition(|&cell| sparse[cell]);
        let all = |&cell: &usize| Left { cell, places: self.targets.cells[cell].places().collect() };
        let mut left: Vec<Left> = alone.iter().map(all).collect();
        left.extend(self.expand(&served, rows));
        self.sum_directly(&left, rows)
    }

    /// True for cells that are cheaper, or only possible, to sum directly.
    fn is_sparse(&self, cell: usize) -> bool {
        let Cell { index, .. } = self.targets.cells[cell];
        let count = self.targets.cells[cell].len();
        if cell >= self.targets.boxes || !Grid::<D>::is_inside(index, self.expansion.layout.reach) {
            return true;
        }
        let worth = PAIRS_PER_COEFFICIENT * self.expansion.layout.order.pow(D as u32);
        count <= SPARSE && self.direct.neighbours.within_reach(index).count() * count as u64 <= worth as u64
    }

    /// Serves cells by expansion; returns the targets whose certificates did not suffice.
    fn expand(&self, served: &[usize], rows: &mut [f64]) -> Vec<Left> {
        if served.is_empty() {
            return Vec::new();
        }
        let indices: Vec<[i32; D]> = served.iter().map(|&cell| self.targets.cells[cell].index).collect();
        let fields = local_fields(self.source_layer(), &indices, &self.expansion, self.pool);
        let mut slots = self.slots(served, rows);
        parallel::each(&mut slots, &|_, slot| self.fill_slot(slot, &fields));
        self.pool.give(fields.tensors);
        slots.into_iter().map(|slot| slot.left).filter(|left| !left.places.is_empty()).collect()
    }

    fn source_layer(&self) -> Layer<D> {
        let boxes = &self.sources.sorted.cells[..self.sources.sorted.boxes];
        let account =
            |(cell, &mass): (&Cell<D>, &f64)| Account::of_sources(mass, moments::additions(cell.len()));
        Layer {
            indices: boxes.iter().map(|cell| cell.index).collect(),
            tensors: moments::all(
                self.sources,
                self.expansion.layout.order,
                2.0 * self.task.scale / self.expansion.layout.width,
                self.pool,
            ),
            accounts: boxes.iter().zip(&self.sources.masses).map(account).collect(),
        }
    }

    /// Cuts the rows of the served cells into slots.
    fn slots<'r>(&self, served: &[usize], rows: &'r mut [f64]) -> Vec<Slot<'r>> {
        let (mut slots, mut rest, mut done) = (Vec::new(), rows, 0);
        for (field, &cell) in served.iter().enumerate() {
            let end = self.targets.cells[cell].end;
            for start in self.targets.cells[cell].places().step_by(TILE) {
                let count = TILE.min(end - start);
                let (_, tail) = rest.split_at_mut((start - done) * Row::<D>::LENGTH);
                let (rows, tail) = tail.split_at_mut(count * Row::<D>::LENGTH);
                (done, rest) = (start + count, tail);
                slots.push(Slot { field, start, rows, left: Left { cell, places: Vec::new() } });
            }
        }
        slots
    }

    fn fill_slot(&self, slot: &mut Slot<'_>, fields: &Layer<D>) {
        let order = self.expansion.layout.order;
        let size = order.pow(D as u32);
        let end = slot.start + slot.rows.len() / Row::<D>::LENGTH;
        let tile = Tile {
            centre: self.sources.grid.centre(self.targets.cells[slot.left.cell].index),
            coordinates: self.targets.coordinates.each_ref().map(|axis| &axis[slot.start..end]),
            tensor: &fields.tensors[slot.field * size..][..size],
            account: &fields.accounts[slot.field],
            frame: self.frame(),
        };
        tile.fill(order, slot.rows);
        let rows = slot.rows.chunks_exact(Row::<D>::LENGTH).map(Row::load);
        let places = (slot.start..end).zip(rows).filter(|(_, row)| !self.suffices(row));
        slot.left.places = places.map(|(place, _)| place).collect();
    }

    fn frame(&self) -> Frame {
        Frame {
            scale: self.task.scale,
            width: self.expansion.layout.width,
            cutoff: self.expansion.layout.cutoff(),
            total: self.sources.total,
            total_rounding: self.sources.total_rounding,
            log_unit: self.direct.log_unit,
        }
    }

    fn suffices(&self, row: &Row<D>) -> bool {
        let goal = self.task.goal;
        row.truncation * self.task.scale <= goal.tolerance
            && row.rounding * self.task.scale <= goal.acceptable_rounding()
    }

    /// Sums what is left directly; returns how many kernel values that took.
    fn sum_directly(&self, left: &[Left], rows: &mut [f64]) -> u64 {
        let groups: Vec<Group<'_>> = left
            .iter()
            .flat_map(|left| left.places.chunks(GROUP).map(|places| Group { cell: left.cell, places }))
            .collect();
        let sums = parallel::map(groups.len(), &|group| self.sum_group(&groups[group]));
        for (group, sums) in groups.iter().zip(&sums) {
            for (place, row) in group.places.iter().zip(&sums.rows) {
                row.store(&mut rows[place * Row::<D>::LENGTH..][..Row::<D>::LENGTH]);
            }
        }
        sums.iter().map(|sums| sums.pairs).sum()
    }

    fn sum_group(&self, group: &Group<'_>) -> Rows<D> {
        let targets: Vec<[f64; D]> = group.places.iter().map(|&place| self.targets.point(place)).collect();
        let index = self.targets.cells[group.cell].index;
        let has_box =
            group.cell < self.targets.boxes && Grid::<D>::is_inside(index, self.expansion.layout.reach);
        self.direct.rows(&targets, has_box.then_some(index))
    }
}

/// Consecutive targets of one served cell, where their rows go, and which of them are left.
struct Slot<'a> {
    field: usize,
    start: usize,
    rows: &'a mut [f64],
    left: Left,
}

/// A few targets of one cell that are summed together.
struct Group<'a> {
    cell: usize,
    places: &'a [usize],
}

/// Puts the rows back into the caller's order.
fn deliver<const D: usize>(rows: &[f64], places: &[u32], field: &mut DriftField) {
    // Every entry is overwritten, so memory of the right size need not be cleared.
    field.velocity.resize(places.len() * D, 0.0);
    for numbers in [&mut field.log_mass, &mut field.truncation, &mut field.rounding] {
        numbers.resize(places.len(), 0.0);
    }
    let row = |place: u32| Row::<D>::load(&rows[place as usize * Row::<D>::LENGTH..][..Row::<D>::LENGTH]);
    let mut outputs: Vec<_> = places
        .chunks(GATHER)
        .zip(field.velocity.chunks_mut(GATHER * D))
        .zip(field.log_mass.chunks_mut(GATHER))
        .zip(field.truncation.chunks_mut(GATHER).zip(field.rounding.chunks_mut(GATHER)))
        .collect();
    parallel::each(&mut outputs, &|_, (((places, velocity), log_mass), (truncation, rounding))| {
        for (i, row) in places.iter().map(|&place| row(place)).enumerate() {
            velocity[i * D..(i + 1) * D].copy_from_slice(&row.velocity);
            log_mass[i] = row.log_mass;
            truncation[i] = row.truncation;
            rounding[i] = row.rounding;
        }
    });
}
