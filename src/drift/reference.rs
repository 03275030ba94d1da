//! The source that contributes most to a target's sum.
//!
//! Far away all squared distances agree to the last digit. Two candidates `m` and `z` are therefore compared by `|x − z|² − |x − m|² = a·(a − 2b)` with
//! `a = z − m`, `b = x − m`, which does not cancel.

use super::sources::Sources;
use super::tree::Node;

/// Squared distances to boxes are shrunk by this much before they rule anything out: more than they are rounded by.
const SHRINK: f64 = 1.0 - 1e-12;

/// Moves within a tile: the second is only needed where the first was decided by the last digit, and where all digits are lost there is nothing to win.
const MOVES: usize = 3;

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
    let sharpness = sources.units.sharpness;
    let least_score = |node: &Node| node.bounds.distance_2(target) * SHRINK - node.peak / sharpness;
    let mut best = Candidate::new(sources, target, nearest_leaf(sources, least_score), 0);
    best.improve(sources, target, best.tile);
    sources.tree.walk(|_, node| {
        let promising = least_score(node) < best.score;
        if promising && node.is_leaf() {
            best.improve(sources, target, node.tiles.start);
        }
        promising
    });
    Reference { tile: best.tile, place: best.place, exponent: sharpness * best.distance_2, score: best.score }
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

/// A source that may be the reference.
struct Candidate {
    tile: usize,
    place: usize,
    at: Vec<f64>,
    /// `log₂ ω`
    level: f64,
    distance_2: f64,
    score: f64,
}

impl Candidate {
    fn new(sources: &Sources, target: &[f64], tile: usize, place: usize) -> Self {
        let lanes = sources.tiles.lanes(tile);
        let at: Vec<f64> = lanes[..target.len()].iter().map(|lane| lane[place]).collect();
        let level = lanes[target.len() + 1][place];
        let distance_2 = at.iter().zip(target).map(|(m, x)| x - m).fold(0.0, |sum, x| sum + x * x);
        let score = distance_2 - level / sources.units.sharpness;
        Self { tile, place, at, level, distance_2, score }
    }

    /// Moves to the heaviest term of a tile if that is heavier.
    fn improve(&mut self, sources: &Sources, target: &[f64], tile: usize) {
        for _ in 0..MOVES {
            match self.heavier_in(sources, target, tile) {
                Some(place) => *self = Self::new(sources, target, tile, place),
                None => break,
            }
        }
    }

    /// The place of a tile's heaviest term, if that is heavier than this one.
    fn heavier_in(&self, sources: &Sources, target: &[f64], tile: usize) -> Option<usize> {
        let lanes = sources.tiles.lanes(tile);
        let d = target.len();
        let mut excess = lanes[d + 1].map(|level| (self.level - level) / sources.units.sharpness);
        for ((lane, m), x) in lanes.iter().zip(&self.at).zip(target) {
            let doubled = 2.0 * (x - m);
            for (excess, z) in excess.iter_mut().zip(lane.iter()) {
                let arm = z - m;
                *excess += arm * (arm - doubled);
            }
        }
        let count = sources.tiles.members(tile).len();
        let own = (tile == self.tile).then_some(self.place);
        let others = excess[..count].iter().enumerate().filter(|(place, _)| Some(*place) != own);
        let best = others.min_by(|a, b| a.1.total_cmp(b.1))?;
        (*best.1 < 0.0).then_some(best.0)
    }
}
