//! [`Basis`]: a spanning tree of the transport network with its flows and potentials.
//!
//! # Formula
//! Nodes: sources `0 … n−1`, targets `n … n+m−1` and a root. Along every arc of the tree `u_i + v_j = c_ij`;
//! artificial arcs join components to the root. An arc between a source and its parent points up, one between a
//! target and its parent points down, so the direction needs no storage. The tree is *strongly feasible*: arcs
//! without flow point up, that is, they hang a source. Pivots that keep it so never cycle.
//!
//! Every node has a rank that grows towards the root, so that walks from two nodes find where they meet. Ranks and
//! potentials are the business of `lift`.

use super::lift::Pace;
use super::numbering::Numbering;
use super::start::{Arc, Start};

pub(super) const NONE: u32 = u32::MAX;

/// A node and the arc to its parent: half a cache line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) first_child: u32,
    /// The next child of the same parent.
    pub(super) next: u32,
    /// Less than the parent's.
    pub(super) rank: u32,
    flow: i64,
    pub(super) cost: f64,
}

/// Mass shipped from a source to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flow {
    pub(super) source: usize,
    pub(super) target: usize,
    pub(super) mass: i64,
}

/// A strongly feasible spanning tree.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    pub(super) sources: usize,
    /// Which node is which source, and which target.
    numberings: [Numbering; 2],
    pub(super) nodes: Vec<Node>,
    /// For every node the child before it.
    previous: Vec<u32>,
    /// `u` of the sources, `v` of the targets, zero for the root; late ones if the pace says so.
    pub(super) potentials: Vec<f64>,
    pub(super) pace: Pace,
}

/// The arc that a pivot removes: the child at its lower end, and how much flow goes round the cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaving {
    child: u32,
    flow: i64,
    on_source_side: bool,
    apex: u32,
    /// Arcs of the tree on the cycle.
    steps: usize,
    /// `c_1 − c_2 + c_3 − …` along these arcs, from the source to the target, if potentials are late.
    pub(super) length: f64,
}

impl Basis {
    /// Ships greedily along the arcs of the start in their order of preference; what is left goes through the
    /// root.
    ///
    /// Each shipment exhausts one node, which becomes a child of the other. A source that is exhausted together
    /// with its target stays the parent: its arc to the root points up, so the tree is strongly feasible.
    pub(super) fn greedy(supply: &[i64], demand: &[i64], start: &Start, penalty: f64) -> Self {
        let (sources, root) = (supply.len(), supply.len() + demand.len());
        let hung = |parent: usize, flow, cost| Node {
            parent: parent as u32,
            first_child: NONE,
            next: NONE,
            rank: 0,
            flow,
            cost,
        };
        let [of_sources, of_targets] = &start.numberings;
        let sent = of_sources.by_number(supply).zip(of_sources.by_number(&start.source_prices));
        let sent = sent.map(|(mass, price)| hung(root, mass, price));
        let missed = of_targets.by_number(demand).zip(of_targets.by_number(&start.target_prices));
        let missed = missed.map(|(mass, price)| hung(root, mass, price + penalty));
        let mut nodes: Vec<Node> = sent.chain(missed).collect();
        nodes.push(Node { parent: NONE, ..hung(0, 0, 0.0) });
        for arc in start.by_reduced_cost() {
            let (i, j) = (of_sources.number(arc.source), of_targets.number(arc.target));
            let (i, j) = (i as usize, sources + j as usize);
            let (left, right) = (nodes[i].flow, nodes[j].flow);
            let open = nodes[i].parent == root as u32 && nodes[j].parent == root as u32;
            if !open || left == 0 || right == 0 {
                continue;
            }
            let (exhausted, other) = if left < right { (i, j) } else { (j, i) };
            let flow = left.min(right);
            nodes[exhausted] = hung(other, flow, arc.cost);
            nodes[other].flow -= flow;
        }
        let (previous, potentials) = (vec![NONE; root + 1], vec![0.0; root + 1]);
        let numberings = start.numberings.clone();
        let mut basis = Self { sources, numberings, nodes, previous, potentials, pace: Pace::default() };
        for node in 0..root as u32 {
            basis.link(node, basis.node(node).parent);
        }
        basis.rank_by_depth();
        basis
    }

    pub(super) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// Number of nodes, the root included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// What shipping costs.
    pub(super) fn cost(&self) -> f64 {
        self.nodes.iter().map(|node| node.flow as f64 * node.cost).sum()
    }

    pub(super) fn root(&self) -> u32 {
        (self.nodes.len() - 1) as u32
    }

    pub(super) fn is_source(&self, node: u32) -> bool {
        (node as usize) < self.sources
    }

    fn link(&mut self, node: u32, parent: u32) {
        let next = std::mem::replace(&mut self.nodes[parent as usize].first_child, node);
        if next != NONE {
            self.previous[next as usize] = node;
        }
        let linked = &mut self.nodes[node as usize];
        (linked.parent, linked.next) = (parent, next);
        self.previous[node as usize] = NONE;
    }

    fn unlink(&mut self, node: u32) {
        let Node { parent, next, .. } = *self.node(node);
        let previous = self.previous[node as usize];
        match previous {
            NONE => self.nodes[parent as usize].first_child = next,
            _ => self.nodes[previous as usize].next = next,
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }

    /// An arc between points as an arc between the numbers of their nodes, as which it may enter.
    pub(super) fn numbered(&self, arc: &Arc) -> Arc {
        let [of_sources, of_targets] = &self.numberings;
        Arc { source: of_sources.number(arc.source), target: of_targets.number(arc.target), cost: arc.cost }
    }

    /// `c_ij − u_i − v_j` of a numbered arc: negative if it pays.
    #[inline(always)]
    pub(super) fn reduced_cost(&self, arc: &Arc) -> f64 {
        let (i, j) = (arc.source as usize, self.sources + arc.target as usize);
        arc.cost - self.potentials[i] - self.potentials[j]
    }

    /// Brings a numbered arc into the tree, if it pays more than the tolerance; where potentials are late only the cycle
    /// tells.
    pub(super) fn pivot(&mut self, arc: &Arc, tolerance: f64) -> bool {
        let (source, target) = (arc.source, (self.sources + arc.target as usize) as u32);
        let (leaving, reduced) = if self.pace.late {
            let leaving = self.leaving::<true>(source, target);
            (leaving, arc.cost - leaving.length)
        } else {
            (self.leaving::<false>(source, target), self.reduced_cost(arc))
        };
        if reduced >= -tolerance {
            self.misled(leaving.steps);
            return false;
        }
        let (inner, outer, rise, flow) = if leaving.on_source_side {
            (source, target, reduced, leaving.flow)
        } else {
            (target, source, -reduced, -leaving.flow)
        };
        if flow != 0 || self.pace.by_size {
            let Node { parent, rank, .. } = *self.node(leaving.child);
            let moved = if self.pace.by_size { rank } else { 0 };
            self.change(inner, parent, -flow, 0);
            self.change(parent, leaving.apex, -flow, moved.wrapping_neg());
            self.change(outer, leaving.apex, flow, moved);
        }
        self.hang(inner, outer, &leaving, arc.cost);
        self.lift(inner, rise, leaving.steps);
        true
    }

    /// Walks both ends of the entering arc up to where they meet. Flow falls on the sources' arcs above the
    /// source and on the targets' arcs above the target; of those with least flow the last one along the cycle
    /// must leave.
    pub(super) fn leaving<const LATE: bool>(&self, source: u32, target: u32) -> Leaving {
        let (mut a, mut b) = (source, target);
        let (mut least_a, mut least_b) = ((i64::MAX, NONE), (i64::MAX, NONE));
        let (mut steps, mut length) = (0, 0.0);
        while a != b {
            let (above_a, above_b) = (self.node(a), self.node(b));
            if above_a.rank <= above_b.rank {
                if self.is_source(a) && above_a.flow < least_a.0 {
                    least_a = (above_a.flow, a);
                }
                if LATE {
                    length += if self.is_source(a) { above_a.cost } else { -above_a.cost };
                }
                a = above_a.parent;
            } else {
                if !self.is_source(b) && above_b.flow <= least_b.0 {
                    least_b = (above_b.flow, b);
                }
                if LATE {
                    length += if self.is_source(b) { -above_b.cost } else { above_b.cost };
                }
                b = above_b.parent;
            }
            steps += 1;
        }
        let on_source_side = least_a.0 < least_b.0;
        let (flow, child) = if on_source_side { least_a } else { least_b };
        Leaving { child, flow, on_source_side, apex: a, steps, length }
    }

    /// Adds flow to the sources' arcs and takes it from the targets', and raises the ranks, from `node` up to below
    /// `end`; ranks wrap around.
    fn change(&mut self, node: u32, end: u32, flow_of_sources: i64, rank: u32) {
        let mut at = node;
        while at != end {
            let flow = if self.is_source(at) { flow_of_sources } else { -flow_of_sources };
            let node = &mut self.nodes[at as usize];
            node.flow += flow;
            node.rank = node.rank.wrapping_add(rank);
            at = node.parent;
        }
    }

    /// Cuts the leaving arc and hangs what was below it from the entering arc, turning the path between the two
    /// over.
    fn hang(&mut self, inner: u32, outer: u32, leaving: &Leaving, cost: f64) {
        let moved = self.node(leaving.child).rank;
        let (mut node, mut parent, mut flow, mut cost) = (inner, outer, leaving.flow, cost);
        let mut not_below = 0;
        loop {
            let old = *self.node(node);
            self.unlink(node);
            self.link(node, parent);
            let hung = &mut self.nodes[node as usize];
            (hung.flow, hung.cost) = (flow, cost);
            if self.pace.by_size {
                hung.rank = moved - not_below;
            }
            if node == leaving.child {
                break;
            }
            (parent, node, flow, cost, not_below) = (node, old.parent, old.flow, old.cost, old.rank);
        }
    }

    /// `u` of every source and `v` of every target.
    pub(super) fn potentials(&self) -> [Vec<f64>; 2] {
        let [of_sources, of_targets] = &self.numberings;
        let (u, v) = self.potentials[..self.len() - 1].split_at(self.sources);
        [of_sources.by_point(u), of_targets.by_point(v)]
    }

    /// For every source a target, and for every target a source, to which the tree joins it, if there is one.
    pub(super) fn partners(&self) -> [Vec<Option<usize>>; 2] {
        let partner = |node: &Node| {
            let partner = if node.parent == self.root() { node.first_child } else { node.parent };
            (partner != NONE).then(|| self.point(partner))
        };
        let [of_sources, of_targets] = &self.numberings;
        let partners: Vec<_> = self.nodes[..self.len() - 1].iter().map(partner).collect();
        let (of_u, of_v) = partners.split_at(self.sources);
        [of_sources.by_point(of_u), of_targets.by_point(of_v)]
    }

    /// The source or target that a node is.
    fn point(&self, node: u32) -> usize {
        let (node, [of_sources, of_targets]) = (node as usize, &self.numberings);
        if node < self.sources { of_sources.point(node) } else { of_targets.point(node - self.sources) }
    }

    /// The sources and the targets as a walk through the tree meets them.
    pub(super) fn along_the_tree(&self) -> [Vec<usize>; 2] {
        let (mut met, mut pending) = ([vec![], vec![]], vec![self.root()]);
        while let Some(at) = pending.pop() {
            if at != self.root() {
                met[usize::from(!self.is_source(at))].push(self.point(at));
            }
            let mut child = self.node(at).first_child;
            while child != NONE {
                pending.push(child);
                child = self.node(child).next;
            }
        }
        met
    }

    /// The arcs of the tree between sources and targets, also those without flow.
    pub(super) fn flows(&self) -> impl Iterator<Item = Flow> {
        let root = self.root();
        let of_tree = (0..root).map(|at| (at, self.node(at))).filter(move |(_, node)| node.parent != root);
        of_tree.map(|(at, node)| {
            let (source, target) = if self.is_source(at) { (at, node.parent) } else { (node.parent, at) };
            Flow { source: self.point(source), target: self.point(target), mass: node.flow }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Net flow out of every node, and whether arcs without flow all hang sources.
    fn check(basis: &Basis, supply: &[i64], demand: &[i64]) {
        let root = basis.root();
        let mut net = vec![0; basis.len()];
        for at in 0..root {
            let Node { parent, flow, .. } = *basis.node(at);
            assert!(flow > 0 || (flow == 0 && basis.is_source(at)), "node {at} is not strongly feasible");
            let sign = if basis.is_source(at) { 1 } else { -1 };
            net[at as usize] += sign * flow;
            net[parent as usize] -= sign * flow;
            assert_eq!(basis.node(at).rank + 1, basis.node(parent).rank);
        }
        let wanted = supply.iter().copied().chain(demand.iter().map(|mass| -mass)).chain([0]);
        assert!(net.into_iter().eq(wanted));
    }

    const SUPPLY: [i64; 6] = [3, 1, 4, 1, 5, 2];
    const DEMAND: [i64; 5] = [2, 6, 2, 3, 3];

    fn cost(i: usize, j: usize) -> f64 {
        ((7 * i * i + 13 * j + 5 * i * j) % 11) as f64
    }

    fn all_pairs() -> Start {
        let pairs = (0..6).flat_map(|i| (0..5).map(move |j| (i, j)));
        let arcs =
            pairs.map(|(i, j)| Arc { source: i, target: j, cost: cost(i as usize, j as usize) }).collect();
        Start::unpriced(arcs, [6, 5])
    }

    #[test]
    fn numbers_of_points_do_not_show() {
        let mut start = all_pairs();
        start.numberings = [vec![3, 0, 5, 1, 4, 2], vec![4, 2, 0, 3, 1]].map(Numbering::new);
        let mut basis = Basis::greedy(&SUPPLY, &DEMAND, &start, 100.0);
        let arcs: Vec<Arc> = start.arcs.iter().map(|arc| basis.numbered(arc)).collect();
        while let Some(arc) = arcs.iter().find(|arc| basis.reduced_cost(arc) < -1e-9) {
            basis.pivot(arc, 1e-9);
        }
        let ([u, v], partners) = (basis.potentials(), basis.partners());
        let (mut sent, mut received) = ([0; 6], [0; 5]);
        for Flow { source, target, mass } in basis.flows() {
            assert!((u[source] + v[target] - cost(source, target)).abs() < 1e-9);
            sent[source] += mass;
            received[target] += mass;
        }
        assert_eq!((sent, received), (SUPPLY, DEMAND));
        assert!(
            start.arcs.iter().all(|arc| u[arc.source as usize] + v[arc.target as usize] < arc.cost + 1e-9)
        );
        for (i, &partner) in partners[0].iter().enumerate() {
            let joined = |flow: Flow| flow.source == i && Some(flow.target) == partner;
            assert!(basis.flows().any(joined), "source {i} has the partner {partner:?}");
        }
        let [mut sources, mut targets] = basis.along_the_tree();
        sources.sort_unstable();
        targets.sort_unstable();
        assert!(sources.into_iter().eq(0..6) && targets.into_iter().eq(0..5));
    }

    #[test]
    fn pivots_keep_masses_and_strong_feasibility() {
        let (supply, demand, start) = (SUPPLY, DEMAND, all_pairs());
        let mut basis = Basis::greedy(&supply, &demand, &start, 100.0);
        check(&basis, &supply, &demand);
        let mut pivots = 0;
        while let Some(arc) = start.arcs.iter().find(|arc| basis.reduced_cost(arc) < -1e-9) {
            assert!(basis.pivot(arc, 1e-9));
            check(&basis, &supply, &demand);
            assert!(basis.reduced_cost(arc).abs() < 1e-9);
            pivots += 1;
        }
        assert!(pivots > 3, "{pivots} pivots: a test that cannot fail");
        let [before, _] = basis.potentials();
        basis.refresh();
        assert!(before.iter().zip(&basis.potentials()[0]).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}
