//! Ranks and potentials of a [`Basis`] from pivot to pivot.
//!
//! A pivot hangs a subtree elsewhere, and the potentials of all its nodes change by the same amount. Mostly subtrees
//! are small against the cycles of the pivots, and all nodes are lifted at once; the rank of a node is its depth,
//! counted down from the largest number.
//!
//! Where points have collapsed onto clusters the tree of a cluster is a long chain, sorted by the directions of the
//! rays. Cycles are short there, but each cuts off much of a cluster. Then large subtrees are not lifted,
//! and their potentials come late. Ends of an arc that lie in the same subtrees are late by the same amount, source
//! and target with opposite signs, so late potentials still find the arcs that pay. What an arc pays at the moment
//! comes from its cycle,
//! ```text
//! c_ij − u_i − v_j = c_ij − (c_1 − c_2 + c_3 − …),     c_1, c_2, … along the path of the tree from i to j
//! ```
//! which the pivot walks round anyway. As depths would change with every subtree too, the rank of a node then is the
//! size of its subtree, which changes along the cycle only.

use super::basis::{Basis, NONE, Node};

/// Subtrees up to this size are lifted at once in any case: they cost little, and their arcs lead out of them.
const SMALL: u32 = 500;

/// Lifting so many nodes costs as much as one more step on the cycle when ranks are sizes: walks are then harder to
/// predict, and there are two more.
const NODES_PER_STEP: usize = 2;

/// Whether potentials keep pace with the pivots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pace {
    /// Ranks are sizes of subtrees, not depths.
    pub(super) by_size: bool,
    /// Some potentials are late.
    pub(super) late: bool,
    /// Steps round cycles whose arcs did not pay, since potentials were last computed afresh.
    misled: usize,
    /// By how many nodes lifting all subtrees would recently have exceeded its worth.
    excess: usize,
}

impl Basis {
    /// Walks through the subtree of `top`, parents before children; `visit` sees each node with its number of levels
    /// below `top`.
    #[inline(always)]
    fn descend(&mut self, top: u32, mut visit: impl FnMut(u32, u32, &mut Node, &mut [f64])) {
        let (mut at, mut below) = (top, 0);
        loop {
            let node = &mut self.nodes[at as usize];
            visit(at, below, node, &mut self.potentials);
            if node.first_child != NONE {
                (at, below) = (node.first_child, below + 1);
                continue;
            }
            while at != top && self.node(at).next == NONE {
                (at, below) = (self.node(at).parent, below - 1);
            }
            if at == top {
                break;
            }
            at = self.node(at).next;
        }
    }

    /// Computes potentials afresh, without the rounding that pivots have piled up.
    pub(super) fn refresh(&mut self) {
        let mut top = self.node(self.root()).first_child;
        while top != NONE {
            self.descend(top, |at, _, node, potentials| {
                potentials[at as usize] = node.cost - potentials[node.parent as usize];
            });
            top = self.node(top).next;
        }
        (self.pace.late, self.pace.misled) = (false, 0);
    }

    /// Computes late potentials, and returns to depths if lifting has become worth while.
    pub(super) fn catch_up(&mut self) {
        if self.pace.by_size && self.pace.excess < self.len() {
            self.rank_by_depth();
        } else if self.pace.late {
            self.refresh();
        }
    }

    /// Makes depths the ranks, with potentials afresh.
    pub(super) fn rank_by_depth(&mut self) {
        self.descend(self.root(), |_, below, node, _| node.rank = u32::MAX - below);
        self.pace.by_size = false;
        self.refresh();
    }

    /// Makes sizes of subtrees the ranks.
    fn rank_by_size(&mut self) {
        let mut order = Vec::with_capacity(self.len());
        self.descend(self.root(), |at, _, node, _| {
            node.rank = 1;
            order.push(at);
        });
        for &at in order[1..].iter().rev() {
            let Node { parent, rank, .. } = *self.node(at);
            self.nodes[parent as usize].rank += rank;
        }
        self.pace.by_size = true;
    }

    /// Takes note of a cycle that was walked round for nothing; when that has cost as much as computing the
    /// potentials, it is time to.
    pub(super) fn misled(&mut self, steps: usize) {
        self.pace.misled += steps;
        if self.pace.misled > self.len() {
            self.refresh();
        }
    }

    /// Raises the sources and lowers the targets below `top`, or leaves them late. A pivot with a cycle of so many
    /// steps has hung them there.
    pub(super) fn lift(&mut self, top: u32, rise: f64, steps: usize) {
        let (sources, mut size) = (self.sources, 0);
        let change = |at: u32| if (at as usize) < sources { rise } else { -rise };
        if !self.pace.by_size {
            let rank = self.node(self.node(top).parent).rank - 1;
            self.descend(top, |at, below, node, potentials| {
                node.rank = rank - below;
                potentials[at as usize] += change(at);
                size += 1;
            });
        } else {
            size = self.node(top).rank;
            if size <= SMALL {
                self.descend(top, |at, _, _, potentials| potentials[at as usize] += change(at));
            } else {
                self.pace.late = true;
            }
        }
        self.keep_account(size as usize, steps);
    }

    fn keep_account(&mut self, lifted: usize, steps: usize) {
        let excess = (self.pace.excess + lifted).saturating_sub(NODES_PER_STEP * steps);
        self.pace.excess = excess.min(4 * self.len());
        if !self.pace.by_size && excess > 2 * self.len() {
            self.rank_by_size();
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::super::start::{Arc, Start};
    use super::*;

    /// Seed of the random costs.
    const SEED: u64 = 55;

    /// Sources; there is one more target.
    const SOURCES: u32 = 1500;

    /// Reduced costs above minus this do not pay.
    const TOLERANCE: f64 = 1e-9;

    /// Every arc leads to a neighbour.
    fn neighbours() -> Start {
        let mut random = Pcg64::seed_from_u64(SEED);
        let mut arcs = vec![];
        for source in 0..SOURCES {
            let targets = source.saturating_sub(3)..(source + 5).min(SOURCES + 1);
            arcs.extend(targets.map(|target| Arc { source, target, cost: random.random() }));
        }
        Start::unpriced(arcs, [SOURCES as usize, SOURCES as usize + 1])
    }

    /// Two units everywhere but at the first and the last target: they join the tree to a chain.
    fn greedy(start: &Start) -> Basis {
        let (supply, mut demand) = ([2; SOURCES as usize], [2; SOURCES as usize + 1]);
        (demand[0], demand[SOURCES as usize]) = (1, 1);
        Basis::greedy(&supply, &demand, start, 1e4)
    }

    fn check_sizes(basis: &Basis) {
        let mut sizes = vec![1; basis.len()];
        for at in 0..basis.root() {
            sizes[basis.node(at).parent as usize] += basis.node(at).rank;
        }
        assert!(basis.nodes.iter().map(|node| node.rank).eq(sizes));
    }

    /// Pivots until no arc pays; returns the cost and how many pivots began with late potentials.
    fn optimise(basis: &mut Basis, start: &Start, mut after: impl FnMut(&mut Basis)) -> (f64, usize) {
        let mut late = 0;
        loop {
            after(basis);
            basis.catch_up();
            let list: Vec<Arc> =
                start.arcs.iter().filter(|arc| basis.reduced_cost(arc) < -TOLERANCE).copied().collect();
            if list.is_empty() {
                break;
            }
            for arc in list {
                let was_late = basis.pace.late;
                late += usize::from(basis.pivot(&arc, TOLERANCE) && was_late);
                after(basis);
            }
        }
        let costs = basis.flows().map(|flow| {
            let same = |arc: &&Arc| (arc.source as usize, arc.target as usize) == (flow.source, flow.target);
            flow.mass as f64 * start.arcs.iter().find(same).unwrap().cost
        });
        (costs.sum(), late)
    }

    #[test]
    fn late_potentials_lead_to_the_same_optimum() {
        let start = neighbours();
        let mut costs = vec![];
        for by_size in [false, true] {
            let mut basis = greedy(&start);
            if by_size {
                basis.rank_by_size();
            }
            let mut calls = 0;
            let (cost, late) = optimise(&mut basis, &start, |basis| {
                basis.pace.excess = if by_size { 4 * basis.len() } else { 0 };
                calls += 1;
                if calls % 50 == 0 && basis.pace.by_size {
                    check_sizes(basis);
                    check_reduced_costs(basis, &start);
                }
            });
            costs.push(cost);
            assert!(!by_size || late > 100, "{late} late pivots: a test that cannot fail");
        }
        assert!((costs[0] - costs[1]).abs() < TOLERANCE * costs[0], "{costs:?}");
    }

    fn check_reduced_costs(basis: &Basis, start: &Start) {
        let mut fresh = basis.clone();
        fresh.refresh();
        for arc in start.arcs.iter().step_by(97) {
            let (source, target) = (arc.source, SOURCES + arc.target);
            let now = arc.cost - basis.leaving::<true>(source, target).length;
            assert!((now - fresh.reduced_cost(arc)).abs() < TOLERANCE);
        }
    }
}
