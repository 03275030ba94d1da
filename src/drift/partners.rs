//! Which tiles a tile is summed against.

use super::cutoff::{Cutoff, Omitted};
use super::tree::{Node, Tree};

/// The pairs of tiles of one cloud that are not left out. The relation is symmetric: a pair is kept when either side needs it.
#[derive(Debug)]
pub(super) struct Partners<'a> {
    tree: &'a Tree,
    cutoff: Cutoff,
    sharpness: f64,
    /// `−log₂ D_low` per tile, and its largest value per node.
    mass_deficit: Vec<f64>,
    largest_deficit: Vec<f64>,
}

/// What a tile has to do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Load {
    /// Partners of any number.
    pub(super) partners: usize,
    /// Partners of a higher number.
    pub(super) later: usize,
    /// What is left out.
    pub(super) omitted: Omitted,
}

impl<'a> Partners<'a> {
    /// `mass_deficit` is `−log₂ D_low` of each tile.
    pub(super) fn new(tree: &'a Tree, cutoff: Cutoff, sharpness: f64, mass_deficit: Vec<f64>) -> Self {
        let largest_deficit = tree.largest_below(&mass_deficit);
        Self { tree, cutoff, sharpness, mass_deficit, largest_deficit }
    }

    /// Number of tiles.
    pub(super) fn tiles(&self) -> usize {
        self.mass_deficit.len()
    }

    /// Counts a tile's partners and adds up what it leaves out.
    pub(super) fn load(&self, tile: usize) -> Load {
        if self.cutoff.is_infinite() {
            let others = self.tiles() - 1;
            return Load { partners: others, later: others - tile, omitted: Omitted::default() };
        }
        let mut load = Load::default();
        let own = self.tree.leaf(tile);
        self.tree.walk(|at, node| {
            let gap_2 = own.bounds.gap_2(&node.bounds);
            let left_out = self.leaves_out(tile, at, node, gap_2);
            if left_out {
                load.omitted.add(node.mass, gap_2, self.sharpness, 0.0);
            } else if node.is_leaf() && node.tiles.start != tile {
                load.partners += 1;
                if let Some(limit_2) = self.limit_2(tile, node.tiles.start) {
                    load.omitted.add(node.mass, limit_2, self.sharpness, 0.0);
                }
                load.later += usize::from(node.tiles.start > tile);
            }
            !left_out
        });
        load
    }

    /// Visits a tile's partners of a higher number, in order.
    pub(super) fn later(&self, tile: usize, mut visit: impl FnMut(usize)) {
        if self.cutoff.is_infinite() {
            return (tile + 1..self.tiles()).for_each(visit);
        }
        let own = self.tree.leaf(tile);
        self.tree.walk(|at, node| {
            let enter =
                node.tiles.end > tile + 1 && !self.leaves_out(tile, at, node, own.bounds.gap_2(&node.bounds));
            if enter && node.is_leaf() {
                visit(node.tiles.start);
            }
            enter
        });
    }

    /// The squared distance from which parts of two tiles are left out, if any part can be that far.
    pub(super) fn limit_2(&self, row: usize, column: usize) -> Option<f64> {
        let (a, b) = (self.tree.leaf(row), self.tree.leaf(column));
        let demand = (b.heaviest + self.mass_deficit[row]).max(a.heaviest + self.mass_deficit[column]);
        let limit_2 = self.cutoff.limit_2(demand);
        (a.bounds.reach_2(&b.bounds) > limit_2).then_some(limit_2)
    }

    /// Neither the tile needs the node's sources nor any tile of the node this tile's. If this holds for a node, it holds for all
    /// its tiles, and from their side too.
    fn leaves_out(&self, tile: usize, at: usize, node: &Node, gap_2: f64) -> bool {
        let here = node.heaviest + self.mass_deficit[tile];
        let there = self.tree.leaf(tile).heaviest + self.largest_deficit[at];
        self.cutoff.leaves_out(gap_2, here.max(there))
    }
}
