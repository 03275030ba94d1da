//! [`Side`]: the sources or the targets of a transport problem, in tree order, with integer masses.

use super::tree::{CELL, Tree};

/// Points in scaled coordinates with their masses.
#[derive(Debug, Clone)]
pub(super) struct Side<const D: usize> {
    pub(super) tree: Tree<D>,
    /// Positive, one per point.
    pub(super) masses: Vec<i64>,
    /// For every point the row it was built from.
    pub(super) rows: Vec<u32>,
}

/// A side whose neighbouring points are merged into their centres of mass.
#[derive(Debug, Clone)]
pub(super) struct Coarse<const D: usize> {
    pub(super) side: Side<D>,
    group: usize,
    fine: usize,
}

impl<const D: usize> Side<D> {
    /// Sorts row-major points and their masses into a tree.
    pub(super) fn new(points: &[f64], masses: &[i64], dimension: usize) -> Self {
        let (tree, rows) = Tree::build(points, dimension);
        let masses = rows.iter().map(|&row| masses[row as usize]).collect();
        Self { tree, masses, rows }
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.masses.len()
    }

    /// Merges the points of every cell, or, with at most `enough` points, leaves them as they are.
    pub(super) fn coarsened(&self, enough: usize) -> Coarse<D> {
        let (d, group) = (self.tree.dimension(), if self.len() > enough { CELL } else { 1 });
        let (mut centres, mut masses) = (vec![], vec![]);
        for (points, parts) in self.tree.points().chunks(group * d).zip(self.masses.chunks(group)) {
            let mass: i64 = parts.iter().sum();
            for axis in 0..d {
                let weighted = parts.iter().zip(points.chunks(d)).map(|(&part, y)| part as f64 * y[axis]);
                centres.push(weighted.sum::<f64>() / mass as f64);
            }
            masses.push(mass);
        }
        Coarse { side: Self::new(&centres, &masses, d), group, fine: self.len() }
    }
}

impl<const D: usize> Coarse<D> {
    /// The fine points that were merged into a coarse one.
    pub(super) fn members(&self, coarse: usize) -> std::ops::Range<usize> {
        let from = self.side.rows[coarse] as usize * self.group;
        from..(from + self.group).min(self.fine)
    }
}
