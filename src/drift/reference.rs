//! The source that contributes most to a target's sum.

use super::sources::Sources;
use super::tree::Node;

/// A source and how heavy its term is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reference {
    /// Where the source is.
    pub(super) tile: usize,
    pub(super) place: usize,
    /// `κ|x − m|²`
    pub(super) exponent: f64,
    /// `|x − m|² − (log₂ ω_m)/κ`, that is `−log₂ (ω_m w_m)/κ`: finite even where the exponent overflows.
    pub(super) score: f64,
}

/// Finds the source with the largest `ω w` at a target, given in tile units.
pub(super) fn heaviest_term(sources: &Sources, target: &[f64]) -> Reference {
    let Sources { tiles, tree, units, .. } = sources;
    let least_score = |node: &Node| node.bounds.distance_2(target) - node.peak / units.sharpness;
    let mut best = best_in_tile(sources, target, nearest_leaf(sources, least_score));
    tree.walk(|_, node| {
        let promising = least_score(node) < best.score;
        if promising && node.is_leaf() {
            let candidate = best_in_tile(sources, target, node.tiles.start);
            if candidate.score < best.score {
                best = candidate;
            }
        }
        promising
    });
    debug_assert!(best.place < tiles.members(best.tile).len());
    best
}

/// Descends into the more promising child until one tile is left: a good first guess.
fn nearest_leaf(sources: &Sources, least_score: impl Fn(&Node) -> f64) -> usize {
    let nodes = &sources.tree.nodes;
    let mut at = 0;
    while !nodes[at].is_leaf() {
        let (left, right) = (at + 1, nodes[at + 1].next);
        at = if least_score(&nodes[right]) < least_score(&nodes[left]) { right } else { left };
    }
    nodes[at].tiles.start
}

fn best_in_tile(sources: &Sources, target: &[f64], tile: usize) -> Reference {
    let lanes = sources.tiles.lanes(tile);
    let d = target.len();
    let mut best = Reference { tile, place: 0, exponent: f64::INFINITY, score: f64::INFINITY };
    let levels = &lanes[d + 1][..sources.tiles.members(tile).len()];
    for (place, level) in levels.iter().enumerate() {
        let square =
            target.iter().zip(lanes).map(|(x, lane)| x - lane[place]).fold(0.0, |sum, x| sum + x * x);
        let score = square - level / sources.units.sharpness;
        if score < best.score {
            best = Reference { tile, place, exponent: sources.units.sharpness * square, score };
        }
    }
    best
}
