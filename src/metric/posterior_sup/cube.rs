//! Cubes that cover the ball.

use crate::cloud::norm;

/// A cube with sides parallel to the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cube<const D: usize> {
    pub(super) centre: [f64; D],
    /// Half the length of a side.
    pub(super) half: f64,
}

impl<const D: usize> Cube<D> {
    /// The cube around the ball of radius `M`.
    pub(super) fn around(radius: f64) -> Self {
        Self { centre: [0.0; D], half: radius }
    }

    /// Distance from the centre to a corner.
    pub(super) fn radius(&self) -> f64 {
        self.half * (D as f64).sqrt() * (1.0 + f64::EPSILON)
    }

    /// The offsets of the corners from the centre.
    pub(super) fn corners(&self) -> impl Iterator<Item = [f64; D]> + use<D> {
        let half = self.half;
        (0..1_usize << D)
            .map(move |corner| std::array::from_fn(|axis| if corner >> axis & 1 == 0 { -half } else { half }))
    }

    /// The cubes of half the size that meet the ball of radius `M`.
    pub(super) fn children(&self, radius: f64) -> impl Iterator<Item = Self> + use<D> {
        let quarter = Self { half: 0.5 * self.half, ..*self };
        let child = move |offset: [f64; D]| Self {
            centre: std::array::from_fn(|axis| quarter.centre[axis] + offset[axis]),
            half: quarter.half,
        };
        quarter.corners().map(child).filter(move |cube| cube.nearest() <= radius * (1.0 + 4.0 * f64::EPSILON))
    }

    /// Distance from the origin to the cube.
    fn nearest(&self) -> f64 {
        let gap: [f64; D] = std::array::from_fn(|axis| (self.centre[axis].abs() - self.half).max(0.0));
        norm(&gap)
    }

    /// The centre, or the point of the ball of radius `M` nearest to it.
    pub(super) fn inside(&self, radius: f64) -> [f64; D] {
        let length = norm(&self.centre);
        if length <= radius {
            return self.centre;
        }
        // A hair inside, so that rounding does not put it outside.
        self.centre.map(|x| x * (radius / length * (1.0 - 4.0 * f64::EPSILON)))
    }
}
