//! [`Start`]: the arcs, prices and numberings with which a simplex begins.
//!
//! Small problems take all pairs. Larger ones solve a coarser problem first. Its potential `V_J` on the coarse
//! targets prices the fine points, each of which offers the arcs of least reduced cost:
//! ```text
//! u_i = min_J |x_i − Y_J| − V_J,     v_j = min_i |x_i − y_j| − u_i
//! ```
//! Each price crosses from one side to the other, along rays of transport: there it is wrong by the square of the
//! size of a cell over the length of the ray, while from coarse targets to fine ones near by it would be wrong by
//! that size itself. Where points have collapsed onto clusters the prices within a cluster differ by far less.
//!
//! What the coarse plan ships between two cells may also go between any of their members: all members of a
//! cluster prefer the same few partners.

use super::basis::Basis;
use super::dual::Dual;
use super::numbering::Numbering;
use super::prices::Prices;
use super::side::{Coarse, Side};
use super::transform::transform;
use super::tree::{Tree, distance};

/// Arcs that each point offers at first.
const NEIGHBOURS: usize = 8;

/// An arc from a source to a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arc {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) cost: f64,
}

/// The first arcs, by the numbers of source and target, and prices near the optimal ones.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) arcs: Vec<Arc>,
    pub(super) source_prices: Vec<f64>,
    pub(super) target_prices: Vec<f64>,
    /// Of the sources, and of the targets.
    pub(super) numberings: [Numbering; 2],
}

impl Start {
    /// All pairs, with prices zero.
    pub(super) fn dense<const D: usize>(sources: &Side<D>, targets: &Side<D>) -> Self {
        let pairs = (0..sources.len()).flat_map(|i| (0..targets.len()).map(move |j| (i, j)));
        let arcs = pairs.map(|(i, j)| arc(&sources.tree, &targets.tree, i, j)).collect();
        Self::unpriced(arcs, [sources.len(), targets.len()])
    }

    /// Arcs between so many sources and targets, with prices zero and the points numbered as they are.
    pub(super) fn unpriced(arcs: Vec<Arc>, counts: [usize; 2]) -> Self {
        let [source_prices, target_prices] = counts.map(|count| vec![0.0; count]);
        Self { arcs, source_prices, target_prices, numberings: counts.map(Numbering::identity) }
    }

    /// The start that the optimal basis of the coarser problem suggests.
    pub(super) fn refined<const D: usize>(
        fine: [&Side<D>; 2],
        coarse: [&Coarse<D>; 2],
        basis: &Basis,
    ) -> Self {
        let [sources, targets] = fine.map(|side| &side.tree);
        let mut arcs = vec![];
        for flow in basis.flows() {
            for i in coarse[0].members(flow.source) {
                arcs.extend(coarse[1].members(flow.target).map(|j| arc(sources, targets, i, j)));
            }
        }
        let [source_guess, target_guess] = guesses(fine, coarse, basis);
        let [_, coarse_dual] = duals(coarse.map(|c| &c.side), basis);
        let coarse_prices = Prices::new(&coarse[1].side.tree, &coarse_dual);
        let rough = transform(&Prices::new(sources, &source_guess), &coarse_prices, 1, |_, _| ());
        let rough = Prices::new(sources, &rough);
        let target_dual = transform(&Prices::new(targets, &target_guess), &rough, NEIGHBOURS, |j, found| {
            arcs.push(Arc { source: found.index as u32, target: j as u32, cost: found.distance });
        });
        let source_dual = transform(&rough, &Prices::new(targets, &target_dual), NEIGHBOURS, |i, found| {
            arcs.push(Arc { source: i as u32, target: found.index as u32, cost: found.distance });
        });
        let numberings = numberings(coarse, basis);
        let [of_sources, of_targets] = &numberings;
        arcs.sort_unstable_by_key(|arc| (of_sources.number(arc.source), of_targets.number(arc.target)));
        arcs.dedup_by_key(|arc| (arc.source, arc.target));
        Self { arcs, source_prices: source_dual.values, target_prices: target_dual.values, numberings }
    }

    /// `c_ij − u_i − v_j` of an arc by the prices.
    fn reduced_cost(&self, arc: &Arc) -> f64 {
        arc.cost - self.source_prices[arc.source as usize] - self.target_prices[arc.target as usize]
    }

    /// The upper quartile of the reduced costs.
    pub(super) fn upper_quartile(&self) -> f64 {
        let mut costs: Vec<f64> = self.arcs.iter().map(|arc| self.reduced_cost(arc)).collect();
        let (_, quartile, _) = costs.select_nth_unstable_by(self.arcs.len() * 3 / 4, f64::total_cmp);
        *quartile
    }

    /// The arcs, those of least reduced cost first.
    pub(super) fn by_reduced_cost(&self) -> impl Iterator<Item = &Arc> {
        let mut order: Vec<(f64, u32)> =
            self.arcs.iter().map(|arc| self.reduced_cost(arc)).zip(0..).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, at)| &self.arcs[at as usize])
    }
}

fn arc<const D: usize>(sources: &Tree<D>, targets: &Tree<D>, i: usize, j: usize) -> Arc {
    Arc { source: i as u32, target: j as u32, cost: distance::<D>(sources.point(i), targets.point(j)) }
}

/// Numbers the fine points along the tree of the coarser problem.
fn numberings<const D: usize>(coarse: [&Coarse<D>; 2], basis: &Basis) -> [Numbering; 2] {
    let [sources, targets] = basis.along_the_tree();
    let refined = |side: &Coarse<D>, points: Vec<usize>| {
        let members = points.into_iter().flat_map(|point| side.members(point));
        Numbering::new(members.map(|member| member as u32).collect())
    };
    [refined(coarse[0], sources), refined(coarse[1], targets)]
}

/// The potentials of a basis on the sources and on the targets, with the other ends of its arcs.
pub(super) fn duals<const D: usize>(sides: [&Side<D>; 2], basis: &Basis) -> [Dual; 2] {
    let [sources, targets] = sides.map(|side| &side.tree);
    let ([u, v], [of_sources, of_targets]) = (basis.potentials(), basis.partners());
    let dual = |here: &Tree<D>, there: &Tree<D>, values: Vec<f64>, partners: Vec<Option<usize>>| {
        let origin = |(index, partner): (usize, Option<usize>)| match partner {
            Some(at) => there.point(at),
            None => here.point(index),
        };
        let origins = partners.into_iter().enumerate().flat_map(origin).copied().collect();
        Dual { values, origins }
    };
    [dual(sources, targets, u, of_sources), dual(targets, sources, v, of_targets)]
}

/// Guesses of the prices of the fine points: the coarse potentials across the arcs of the coarse basis only.
fn guesses<const D: usize>(fine: [&Side<D>; 2], coarse: [&Coarse<D>; 2], basis: &Basis) -> [Dual; 2] {
    let d = fine[0].tree.dimension();
    let duals = duals(coarse.map(|c| &c.side), basis);
    let mut guesses = fine
        .map(|side| Dual { values: vec![f64::INFINITY; side.len()], origins: side.tree.points().to_vec() });
    for flow in basis.flows() {
        let ends = [flow.source, flow.target];
        for (here, there) in [(0, 1), (1, 0)] {
            let origin = coarse[there].side.tree.point(ends[there]);
            for member in coarse[here].members(ends[here]) {
                let x = fine[here].tree.point(member);
                let value = distance::<D>(x, origin) - duals[there].values[ends[there]];
                if value < guesses[here].values[member] {
                    guesses[here].values[member] = value;
                    guesses[here].origins[member * d..][..d].copy_from_slice(origin);
                }
            }
        }
    }
    guesses
}
