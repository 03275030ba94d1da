//! [`Numbering`]: the order in which the points of one side become nodes of the network.
//!
//! Walks along the tree are bound by memory. Neighbours in space mostly are neighbours in the tree too, but where points
//! have collapsed onto clusters the tree of a cluster is a chain, sorted by the directions of the rays, that jumps from
//! end to end of the cluster. Hence nodes are numbered along the tree of the coarser problem.

/// A permutation of the points of one side.
#[derive(Debug, Clone)]
pub(super) struct Numbering {
    /// Point of every number.
    points: Vec<u32>,
    /// Number of every point.
    numbers: Vec<u32>,
}

impl Numbering {
    /// Numbers the points as they are listed; every point has to be listed once.
    pub(super) fn new(points: Vec<u32>) -> Self {
        let mut numbers = vec![0; points.len()];
        for (number, &point) in points.iter().enumerate() {
            numbers[point as usize] = number as u32;
        }
        Self { points, numbers }
    }

    /// Every point is its own number.
    pub(super) fn identity(count: usize) -> Self {
        Self::new((0..count as u32).collect())
    }

    /// The point with this number.
    pub(super) fn point(&self, number: usize) -> usize {
        self.points[number] as usize
    }

    /// The number of this point.
    pub(super) fn number(&self, point: u32) -> u32 {
        self.numbers[point as usize]
    }

    /// Values by number in the order of the points.
    pub(super) fn by_point<T: Copy>(&self, by_number: &[T]) -> Vec<T> {
        self.numbers.iter().map(|&number| by_number[number as usize]).collect()
    }

    /// Values by point in the order of their numbers.
    pub(super) fn by_number<'a, T: Copy>(&'a self, by_point: &'a [T]) -> impl Iterator<Item = T> + 'a {
        self.points.iter().map(|&point| by_point[point as usize])
    }
}
