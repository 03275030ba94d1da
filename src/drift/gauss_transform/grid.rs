//! [`Grid`]: a lattice of boxes over all of space, of which only the occupied ones are ever stored.

/// Key of points too far out to have a box: it sorts behind all others.
pub(super) const STRAY: u64 = u64::MAX;

/// Boxes of one width in `D` dimensions, numbered from the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid<const D: usize> {
    width: f64,
    inverse: f64,
}

/// The centre of a box along one axis, as an unevaluated sum: `x − high − low` is then exact to one rounding even
/// where `x` is millions of boxes from the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Centre {
    high: f64,
    low: f64,
}

impl Centre {
    /// The signed distance from the centre to `x`.
    #[inline(always)]
    pub fn to(self, x: f64) -> f64 {
        (x - self.high) - self.low
    }
}

impl<const D: usize> Grid<D> {
    /// Bits of a key that belong to one axis.
    const BITS: u32 = 32;
    /// Box numbers stay below this, so that a position within a box is known to 1e-6 of its width.
    const HOME: i32 = 1 << 30;

    /// A grid of boxes of the given width.
    pub fn new(width: f64) -> Self {
        Self { width, inverse: 1.0 / width }
    }

    /// The key of the box around a point, by which boxes sort with the first axis fastest; or [`STRAY`].
    #[inline(always)]
    pub fn key(&self, point: &[f64]) -> u64 {
        let mut key = 0;
        for axis in (0..D).rev() {
            let position = point[axis] * self.inverse;
            if position.is_nan() || position.abs() >= f64::from(Self::HOME) {
                return STRAY;
            }
            let towards_zero = position as i32;
            let number = towards_zero - i32::from(f64::from(towards_zero) > position);
            key = (key << Self::BITS) | (number + Self::HOME) as u64;
        }
        key
    }

    /// The box numbers in a key.
    pub fn index(key: u64) -> [i32; D] {
        std::array::from_fn(|axis| {
            ((key >> (Self::BITS * axis as u32)) & ((1 << Self::BITS) - 1)) as i32 - Self::HOME
        })
    }

    /// True when every box within `reach` of this one has a key, so that no stray can be a neighbour.
    pub fn is_inside(index: [i32; D], reach: i32) -> bool {
        index.iter().all(|i| i.abs() < Self::HOME - reach - 1)
    }

    /// The centre of a box.
    pub fn centre(&self, index: [i32; D]) -> [Centre; D] {
        index.map(|i| {
            let steps = f64::from(i) + 0.5;
            let high = steps * self.width;
            Centre { high, low: steps.mul_add(self.width, -high) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_hold_the_box_numbers_and_sort_with_the_first_axis_fastest() {
        let grid = Grid::<2>::new(0.5);
        assert_eq!(Grid::<2>::index(grid.key(&[0.7, -3.1])), [1, -7]);
        assert!(grid.key(&[5.0, 0.1]) < grid.key(&[-5.0, 0.6]));
        assert!(grid.key(&[-5.0, 0.1]) < grid.key(&[5.0, 0.1]));
        assert_eq!(grid.key(&[1e150, 0.0]), STRAY);
        assert_eq!(grid.key(&[0.0, -1e308]), STRAY);
        assert_eq!(Grid::<1>::index(Grid::<1>::new(1.0).key(&[-1.0])), [-1]);
    }

    #[test]
    fn positions_within_far_boxes_keep_their_digits() {
        // 1e6 + 1/8 is exact, and so is its distance from any other multiple of 2^-20 nearby.
        let grid = Grid::<1>::new(0.1);
        let (a, b) = (1e6 + 0.125, 1e6 + 0.125 + 2f64.powi(-20));
        let centre = grid.centre(Grid::<1>::index(grid.key(&[a])))[0];
        assert!((centre.to(b) - centre.to(a) - 2f64.powi(-20)).abs() <= 2f64.powi(-56));
    }
}
