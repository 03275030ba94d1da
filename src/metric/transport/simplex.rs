//! [`Simplex`]: the primal network simplex on a sparse set of arcs that grows.

use super::basis::Basis;
use super::start::Arc;

/// A basis and the arcs that may enter it.
#[derive(Debug, Clone)]
pub(super) struct Simplex {
    pub(super) basis: Basis,
    pub(super) arcs: Vec<Arc>,
    /// Arcs whose reduced cost is above minus this do not enter.
    tolerance: f64,
    pub(super) pivots: usize,
}

impl Simplex {
    /// A simplex that starts from a feasible basis.
    pub(super) fn new(basis: Basis, arcs: Vec<Arc>, tolerance: f64) -> Self {
        Self { basis, arcs, tolerance, pivots: 0 }
    }

    /// Pivots until no arc pays.
    ///
    /// Arcs that pay are listed and used up before all arcs are looked through again: when a few arcs have been
    /// added to many, most of the work would otherwise be looking for the next arc that pays.
    pub(super) fn optimise(&mut self) {
        loop {
            self.basis.catch_up();
            let paying = |arc: &&Arc| self.basis.reduced_cost(arc) < -self.tolerance;
            let mut list: Vec<Arc> = self.arcs.iter().filter(paying).copied().collect();
            if list.is_empty() {
                break;
            }
            let block = list.len().isqrt();
            while !list.is_empty() {
                self.sweep(&mut list, block);
            }
        }
        self.basis.refresh();
    }

    /// Goes through the list once: the arc that pays most in each block is taken out to enter, those that pay no
    /// more are dropped.
    fn sweep(&mut self, list: &mut Vec<Arc>, block: usize) {
        let mut kept = 0;
        for from in (0..list.len()).step_by(block) {
            let (mut best, mut least) = (None, -self.tolerance);
            for at in from..(from + block).min(list.len()) {
                let arc = list[at];
                let reduced = self.basis.reduced_cost(&arc);
                if reduced < least {
                    (best, least) = (Some(kept), reduced);
                }
                if reduced < -self.tolerance {
                    list[kept] = arc;
                    kept += 1;
                }
            }
            if let Some(best) = best {
                kept -= 1;
                list.swap(best, kept);
                let arc = list[kept];
                self.pivot(&arc);
            }
        }
        list.truncate(kept);
    }

    /// One pivot. Potentials pile up rounding; as many pivots as there are nodes pay for computing them afresh.
    fn pivot(&mut self, arc: &Arc) {
        if !self.basis.pivot(arc, self.tolerance) {
            return;
        }
        self.pivots += 1;
        if self.pivots.is_multiple_of(self.basis.len()) {
            self.basis.refresh();
        }
    }
}
