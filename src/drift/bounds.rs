//! Axis-parallel boxes and the distances between them.

/// The smallest box around some points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bounds {
    sides: Vec<Side>,
}

/// The extent of a box along one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Side {
    low: f64,
    high: f64,
}

impl Bounds {
    /// Around points given coordinate by coordinate.
    pub(super) fn around<'a>(coordinates: impl Iterator<Item = &'a [f64]>) -> Self {
        let side = |values: &[f64]| {
            let nothing = Side { low: f64::INFINITY, high: f64::NEG_INFINITY };
            values.iter().fold(nothing, |side, &x| Side { low: side.low.min(x), high: side.high.max(x) })
        };
        Self { sides: coordinates.map(side).collect() }
    }

    /// Around two boxes.
    pub(super) fn join(&self, other: &Self) -> Self {
        let both = |(a, b): (&Side, &Side)| Side { low: a.low.min(b.low), high: a.high.max(b.high) };
        Self { sides: self.sides.iter().zip(&other.sides).map(both).collect() }
    }

    /// Squared distance between the nearest points of two boxes. Symmetric, and not larger for an enclosing box, to the bit.
    pub(super) fn gap_2(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (a, b) in self.sides.iter().zip(&other.sides) {
            let gap = (b.low - a.high).max(a.low - b.high).max(0.0);
            sum += gap * gap;
        }
        sum
    }

    /// Squared distance between the farthest points of two boxes.
    pub(super) fn reach_2(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (a, b) in self.sides.iter().zip(&other.sides) {
            let reach = (b.high - a.low).max(a.high - b.low);
            sum += reach * reach;
        }
        sum
    }

    /// Squared distance from a point to the box.
    pub(super) fn distance_2(&self, point: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (side, &x) in self.sides.iter().zip(point) {
            let gap = (side.low - x).max(x - side.high).max(0.0);
            sum += gap * gap;
        }
        sum
    }

    /// Length of the diagonal.
    pub(super) fn diagonal(&self) -> f64 {
        self.reach_2(self).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_between_boxes() {
        let a = Bounds::around([&[0.0, 1.0][..], &[0.0, 2.0][..]].into_iter());
        let b = Bounds::around([&[4.0, 5.0][..], &[6.0, 6.0][..]].into_iter());
        assert_eq!(a.gap_2(&b), 25.0);
        assert_eq!(b.gap_2(&a), 25.0);
        assert_eq!(a.reach_2(&b), 61.0);
        assert_eq!(a.join(&b).gap_2(&b), 0.0);
        assert_eq!(a.distance_2(&[-3.0, 6.0]), 25.0);
        assert_eq!(b.diagonal(), 1.0);
    }
}
