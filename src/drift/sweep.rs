//! The traversal: a symmetric sum over all pairs of points, tile by tile, on any number of threads with the same result.
//!
//! Tiles are first summed with themselves. Then the rows of the table of tile pairs are cut into a fixed number of chunks of about equal work; each
//! chunk keeps sums of its own for the tiles it touches; at the end every tile adds the chunks' sums in their order.

use std::ops::Range;

use super::kernel::{Lane, TILE, ZERO};
use super::partners::{Load, Partners};
use crate::parallel;

/// Chunks of work; their number must not depend on the machine.
const CHUNKS: usize = 16;

/// Pairs that a row sums up before the result joins its total: shorter chains of additions round less.
pub(super) const BATCH: usize = 16;

/// Additions a term goes through within one pair of tiles: as many in a vector of rows or in a strip of four columns, and the horizontal
/// sums.
pub(super) const WITHIN_PAIR: usize = TILE / 4 + 4;

/// A sum over pairs of points that the traversal carries out.
pub(super) trait TileSum: Sync {
    /// Lanes of sums per tile.
    fn lanes(&self) -> usize;
    /// Adds the sums of a tile with itself.
    fn own(&self, tile: usize, sums: &mut [Lane]);
    /// Adds the sums of two different tiles with each other, leaving out parts beyond a squared distance if one is given. Returns the number of
    /// kernel values computed.
    fn pair(&self, pair: TilePair, row_sums: &mut [Lane], column_sums: &mut [Lane]) -> u64;
}

/// Two tiles that are summed against each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct TilePair {
    pub(super) row: usize,
    pub(super) column: usize,
    /// Squared distance from which parts may be left out.
    pub(super) limit_2: Option<f64>,
}

/// Sums of each tile with itself, [`TileSum::lanes`] lanes per tile.
pub(super) fn own_sums(kernel: &impl TileSum, tiles: usize) -> Vec<Lane> {
    let mut sums = vec![ZERO; tiles * kernel.lanes()];
    parallel::pieces(&mut sums, kernel.lanes(), &|tile, sums| kernel.own(tile, sums));
    sums
}

/// What the pairs did to a sum.
#[derive(Debug)]
pub(super) struct Swept {
    /// The work of each tile.
    pub(super) loads: Vec<Load>,
    /// Kernel values computed, counted as ordered pairs.
    pub(super) pairs: u64,
    /// The longest chain of additions that any term went through.
    pub(super) additions: usize,
}

/// Sums of chunks, kept from one evaluation to the next: fresh memory costs more than filling it.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    parts: Vec<Part>,
}

impl Clone for Workspace {
    /// A copy starts without memory of its own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Adds the sums over all pairs of different tiles.
pub(super) fn add_pairs(
    kernel: &impl TileSum,
    partners: &Partners<'_>,
    workspace: &mut Workspace,
    sums: &mut [Lane],
) -> Swept {
    let loads = parallel::map(partners.tiles(), &|tile| partners.load(tile));
    let chunks = chunks(&loads);
    let parts = &mut workspace.parts;
    parts.resize_with(chunks.len(), Part::default);
    parallel::each(parts, &|chunk, part| part.fill(kernel, partners, chunks[chunk].clone()));
    parallel::pieces(sums, kernel.lanes(), &|tile, sums| {
        parts.iter().filter_map(|part| part.of(tile)).for_each(|part| add(sums, part));
    });
    let most = loads.iter().map(|load| load.partners).max().unwrap_or(0);
    let rows = chunks.iter().map(Range::len).max().unwrap_or(0);
    // Within a chunk a tile may be a column of many rows first, and then a row of many columns.
    let additions = WITHIN_PAIR + BATCH + most.div_ceil(BATCH) + rows + parts.len();
    Swept { loads, pairs: parts.iter().map(|part| part.pairs).sum(), additions }
}

/// Cuts the rows so that each chunk has about the same number of pairs.
fn chunks(loads: &[Load]) -> Vec<Range<usize>> {
    let pairs: usize = loads.iter().map(|load| load.later).sum();
    let mut chunks = Vec::with_capacity(CHUNKS);
    let (mut start, mut done) = (0, 0);
    for (row, load) in loads.iter().enumerate() {
        done += load.later;
        let full = done * CHUNKS >= pairs * (chunks.len() + 1);
        if done > 0 && (full || row + 1 == loads.len()) {
            chunks.push(start..row + 1);
            start = row + 1;
        }
    }
    chunks
}

/// The sums that one chunk adds.
#[derive(Debug, Default)]
struct Part {
    lanes: usize,
    /// Per tile: where its sums start, if it has any.
    places: Vec<Option<usize>>,
    sums: Vec<Lane>,
    pairs: u64,
}

impl Part {
    /// Forgets what was there and sums over the pairs of some rows.
    fn fill(&mut self, kernel: &impl TileSum, partners: &Partners<'_>, rows: Range<usize>) {
        let lanes = kernel.lanes();
        self.lanes = lanes;
        self.pairs = 0;
        self.sums.clear();
        self.places.clear();
        self.places.resize(partners.tiles(), None);
        let (mut batch, mut columns) = (vec![ZERO; lanes], vec![ZERO; lanes]);
        for row in rows {
            let mut done = 0_usize;
            partners.later(row, |column| {
                let pair = TilePair { row, column, limit_2: partners.limit_2(row, column) };
                self.pairs += kernel.pair(pair, &mut batch, &mut columns);
                self.take(column, &mut columns);
                done += 1;
                if done.is_multiple_of(BATCH) {
                    self.take(row, &mut batch);
                }
            });
            if !done.is_multiple_of(BATCH) {
                self.take(row, &mut batch);
            }
        }
    }

    /// Moves sums into a tile's place.
    fn take(&mut self, tile: usize, sums: &mut [Lane]) {
        let end = self.sums.len();
        let place = *self.places[tile].get_or_insert(end);
        if place == end {
            self.sums.extend_from_slice(sums);
        } else {
            add(&mut self.sums[place..place + self.lanes], sums);
        }
        sums.fill(ZERO);
    }

    fn of(&self, tile: usize) -> Option<&[Lane]> {
        self.places[tile].map(|place| &self.sums[place..place + self.lanes])
    }
}

pub(super) fn add(sums: &mut [Lane], terms: &[Lane]) {
    for (sums, terms) in sums.iter_mut().zip(terms) {
        sums.iter_mut().zip(terms.iter()).for_each(|(sum, term)| *sum += term);
    }
}
