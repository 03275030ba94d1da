//! [`Account`]: what the sources within reach of a box amount to, and how much of it may be wrong.
//!
//! The kernel is a product over the axes, so a bound travels with the moments: along each axis the sizes multiply and
//! the errors obey the product rule `|ab − ãb̃| ≤ |a − ã||b| + |ã||b − b̃|`.

use super::transfer::{Bound, Bounds, UNIT};

/// Bounds on the local field of a box and on its slopes, in the units of the source masses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account<const D: usize> {
    /// Mass of the sources that take part.
    pub near: f64,
    /// The field itself.
    pub value: Bound,
    /// Its derivative along each axis.
    pub slopes: [Bound; D],
}

impl<const D: usize> Default for Account<D> {
    fn default() -> Self {
        Self { near: 0.0, value: Bound::default(), slopes: [Bound::default(); D] }
    }
}

impl<const D: usize> Account<D> {
    /// The account of a box of sources whose moments passed through so many additions.
    pub fn of_sources(mass: f64, additions: usize) -> Self {
        // Three roundings make each product, and a weight may have one more.
        let rounding = (additions + 4) as f64 * UNIT * mass;
        Self { near: mass, value: Bound { size: mass, truncation: 0.0, rounding }, ..Self::default() }
    }

    /// Adds what `other` becomes when it is transferred along `axis`.
    pub fn add_transferred(&mut self, other: &Self, axis: usize, bounds: &Bounds) {
        self.near += other.near;
        self.value.add_product(other.value, bounds.value);
        for done in 0..axis {
            self.slopes[done].add_product(other.slopes[done], bounds.value);
        }
        self.slopes[axis].add_product(other.value, bounds.slope);
    }

    /// Euclidean norm over the axes of one kind of error.
    pub fn slope_norm(&self, error: fn(&Bound) -> f64) -> f64 {
        self.slopes.iter().map(|slope| error(slope).powi(2)).sum::<f64>().sqrt()
    }
}

impl Bound {
    fn add_product(&mut self, a: Self, b: Self) {
        self.size += a.size * b.size;
        self.truncation += a.size * b.truncation + a.truncation * b.size;
        self.rounding += a.size * b.rounding + a.rounding * b.size;
    }
}
