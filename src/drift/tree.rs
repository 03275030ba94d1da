//! The tree over the tiles of a cloud: what the recursive splits left behind.
//!
//! Nodes are stored in preorder, each with the index that follows its subtree, so that a walk is a loop without a stack.

use std::ops::Range;

use super::bounds::Bounds;
use super::order::left_tiles;
use super::tiles::Tiles;
use crate::parallel;

/// A range of tiles.
#[derive(Debug)]
pub(super) struct Node {
    /// The tiles below.
    pub(super) tiles: Range<usize>,
    /// The node after this subtree.
    pub(super) next: usize,
    /// Number of points below.
    pub(super) points: usize,
    /// The box around all points below.
    pub(super) bounds: Bounds,
    /// Total weight below.
    pub(super) mass: f64,
    /// Binary logarithm of the heaviest tile's weight.
    pub(super) heaviest: f64,
    /// Binary logarithm of the heaviest point's weight.
    pub(super) peak: f64,
}

impl Node {
    /// The node of one tile.
    fn of(tiles: &Tiles, tile: usize) -> Self {
        let mass = tiles.mass(tile);
        Self {
            tiles: tile..tile + 1,
            next: 0,
            points: tiles.members(tile).len(),
            bounds: tiles.bounds(tile),
            mass,
            heaviest: mass.log2(),
            peak: tiles.peak(tile),
        }
    }

    /// A node whose children are still to come.
    fn unfinished(tiles: Range<usize>) -> Self {
        Self {
            tiles,
            next: 0,
            points: 0,
            bounds: Bounds::around([].into_iter()),
            mass: 0.0,
            heaviest: 0.0,
            peak: 0.0,
        }
    }

    /// The parent of two neighbours.
    fn around(left: &Self, right: &Self) -> Self {
        Self {
            tiles: left.tiles.start..right.tiles.end,
            next: right.next,
            points: left.points + right.points,
            bounds: left.bounds.join(&right.bounds),
            mass: left.mass + right.mass,
            heaviest: left.heaviest.max(right.heaviest),
            peak: left.peak.max(right.peak),
        }
    }

    /// True for a single tile.
    pub(super) fn is_leaf(&self) -> bool {
        self.tiles.len() == 1
    }
}

/// All nodes in preorder; the root comes first.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// The node of each tile.
    pub(super) leaves: Vec<usize>,
}

impl Tree {
    /// The tree over at least one tile.
    pub(super) fn new(tiles: &Tiles) -> Self {
        let leaves = parallel::map(tiles.len(), &|tile| Node::of(tiles, tile));
        let mut tree = Self { nodes: Vec::with_capacity(2 * leaves.len()), leaves: vec![0; leaves.len()] };
        tree.grow(&mut leaves.into_iter(), 0..tiles.len());
        tree
    }

    /// Appends the subtree of a range of tiles, whose nodes come next, and returns its root.
    fn grow(&mut self, leaves: &mut impl Iterator<Item = Node>, range: Range<usize>) -> usize {
        let at = self.nodes.len();
        if range.len() == 1 {
            self.leaves[range.start] = at;
            self.nodes.extend(leaves.next().map(|leaf| Node { next: at + 1, ..leaf }));
            return at;
        }
        let middle = range.start + left_tiles(range.len());
        self.nodes.push(Node::unfinished(range.clone()));
        let left = self.grow(leaves, range.start..middle);
        let right = self.grow(leaves, middle..range.end);
        self.nodes[at] = Node::around(&self.nodes[left], &self.nodes[right]);
        at
    }

    /// The node around everything.
    pub(super) fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The node of one tile.
    pub(super) fn leaf(&self, tile: usize) -> &Node {
        &self.nodes[self.leaves[tile]]
    }

    /// The largest value per node of a quantity given per tile.
    pub(super) fn largest_below(&self, per_tile: &[f64]) -> Vec<f64> {
        let largest =
            |node: &Node| per_tile[node.tiles.clone()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.nodes.iter().map(largest).collect()
    }

    /// Visits nodes from the root down; where `enter` says no, the subtree is left out.
    pub(super) fn walk(&self, mut enter: impl FnMut(usize, &Node) -> bool) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            at = if enter(at, node) { at + 1 } else { node.next };
        }
    }
}
