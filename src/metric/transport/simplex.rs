//! [`Simplex`]: the primal network simplex on a sparse set of arcs that grows.

use super::basis::Basis;
use super::start::Arc;

/// Where many arcs pay they first have to pay this much to enter, in units of the extent, then a tenth of it, and so on.
/// Between clouds that have not collapsed nearly all pay more.
const FIRST_THRESHOLD: f64 = 1e-5;

/// By how much the threshold falls.
const STEP: f64 = 10.0;

/// When no more arcs than there are nodes over this pay enough, the threshold falls.
const NODES_PER_ARC: usize = 10;

/// A basis and the arcs that may enter it.
#[derive(Debug, Clone)]
pub(super) struct Simplex {
    pub(super) basis: Basis,
    /// Between numbered points.
    arcs: Vec<Arc>,
    pub(super) pivots: usize,
}

impl Simplex {
    /// A simplex that starts from a feasible basis, without arcs to enter it.
    pub(super) fn new(basis: Basis) -> Self {
        Self { basis, arcs: vec![], pivots: 0 }
    }

    /// Offers arcs between points.
    pub(super) fn offer(&mut self, arcs: &[Arc]) {
        self.arcs.extend(arcs.iter().map(|arc| self.basis.numbered(arc)));
    }

    /// Number of arcs offered.
    pub(super) fn offered(&self) -> usize {
        self.arcs.len()
    }

    /// Pivots until no arc pays more than the tolerance.
    ///
    /// What arcs pay may spread over many decades where points have collapsed onto clusters. Pivots that gain little
    /// would be undone by those that gain more, so many arcs enter in the order of these decades.
    pub(super) fn optimise(&mut self, tolerance: f64) {
        let few = self.basis.len() / NODES_PER_ARC;
        self.basis.catch_up();
        let many = self.paying(tolerance).nth(few).is_some();
        let mut threshold = if many { FIRST_THRESHOLD } else { tolerance };
        loop {
            let entered = self.enter(threshold);
            if entered == 0 && threshold == tolerance {
                break;
            }
            if entered <= few {
                threshold = (threshold / STEP).max(tolerance);
            }
        }
        self.basis.refresh();
    }

    /// The arcs that pay more than a threshold, unless potentials are late.
    fn paying(&self, threshold: f64) -> impl Iterator<Item = &Arc> {
        self.arcs.iter().filter(move |arc| self.basis.reduced_cost(arc) < -threshold)
    }

    /// Lists the arcs that pay more than the threshold and uses them up; returns how many there were.
    ///
    /// When a few arcs have been added to many, most of the work would otherwise be looking for the next arc that
    /// pays.
    fn enter(&mut self, threshold: f64) -> usize {
        self.basis.catch_up();
        let mut list: Vec<Arc> = self.paying(threshold).copied().collect();
        let (listed, block) = (list.len(), list.len().isqrt());
        while !list.is_empty() {
            self.sweep(&mut list, block, threshold);
        }
        listed
    }

    /// Goes through the list once: the arc that pays most in each block is taken out to enter, those that pay too
    /// little by now are dropped.
    fn sweep(&mut self, list: &mut Vec<Arc>, block: usize, threshold: f64) {
        let mut kept = 0;
        for from in (0..list.len()).step_by(block) {
            let (mut best, mut least) = (None, -threshold);
            for at in from..(from + block).min(list.len()) {
                let arc = list[at];
                let reduced = self.basis.reduced_cost(&arc);
                if reduced < least {
                    (best, least) = (Some(kept), reduced);
                }
                if reduced < -threshold {
                    list[kept] = arc;
                    kept += 1;
                }
            }
            if let Some(best) = best {
                kept -= 1;
                list.swap(best, kept);
                let arc = list[kept];
                self.pivot(&arc, threshold);
            }
        }
        list.truncate(kept);
    }

    /// One pivot. Potentials pile up rounding; as many pivots as there are nodes pay for computing them afresh.
    fn pivot(&mut self, arc: &Arc, threshold: f64) {
        if !self.basis.pivot(arc, threshold) {
            return;
        }
        self.pivots += 1;
        if self.pivots.is_multiple_of(self.basis.len()) {
            self.basis.refresh();
        }
    }
}
