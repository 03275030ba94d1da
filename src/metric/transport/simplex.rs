//! [`Simplex`]: the primal network simplex on a sparse set of arcs that grows.

use super::basis::Basis;
use super::start::Arc;

/// A basis, the arcs that may enter it, and where the search for one stands.
#[derive(Debug, Clone)]
pub(super) struct Simplex {
    pub(super) basis: Basis,
    pub(super) arcs: Vec<Arc>,
    /// Arcs whose reduced cost is above minus this do not enter.
    tolerance: f64,
    cursor: usize,
    pub(super) pivots: usize,
}

impl Simplex {
    /// A simplex that starts from a feasible basis.
    pub(super) fn new(basis: Basis, arcs: Vec<Arc>, tolerance: f64) -> Self {
        Self { basis, arcs, tolerance, cursor: 0, pivots: 0 }
    }

    /// Offers further arcs; the search goes on with them.
    pub(super) fn offer(&mut self, arcs: &[Arc]) {
        self.cursor = self.arcs.len();
        self.arcs.extend_from_slice(arcs);
    }

    /// Pivots until no arc pays. Of each block of `√arcs` arcs the one that pays most enters.
    pub(super) fn optimise(&mut self) {
        let count = self.arcs.len();
        let block = count.isqrt().max(1);
        let mut idle = 0;
        while idle < count {
            let from = if self.cursor < count { self.cursor } else { 0 };
            let to = (from + block).min(count);
            match self.best_in(from, to) {
                Some(best) => {
                    self.basis.pivot(&self.arcs[best]);
                    self.pivots += 1;
                    idle = 0;
                    if self.pivots.is_multiple_of(self.basis.len()) {
                        self.basis.refresh();
                    }
                }
                None => idle += to - from,
            }
            self.cursor = to;
        }
        self.basis.refresh();
    }

    fn best_in(&self, from: usize, to: usize) -> Option<usize> {
        let mut best = None;
        let mut least = -self.tolerance;
        for (at, arc) in self.arcs[from..to].iter().enumerate() {
            let reduced = self.basis.reduced_cost(arc);
            if reduced < least {
                least = reduced;
                best = Some(from + at);
            }
        }
        best
    }
}
