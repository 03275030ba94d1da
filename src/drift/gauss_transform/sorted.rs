//! [`Sorted`]: points in the order of their boxes, and the boxes they fill.

use super::grid::{Grid, STRAY};
use super::keys::Keys;
use super::pool::Pool;
use crate::cloud::check_points;
use crate::error::{Error, Result};
use crate::parallel;

/// Pieces that the points are counted in: enough for the threads of any desk, fixed so that nothing depends on them.
const PIECES: usize = 32;
/// A piece is worth its bookkeeping from this many points on.
const SMALLEST_PIECE: usize = 4096;

/// An occupied box and where its points are in the sorted order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<const D: usize> {
    /// Box numbers; meaningless for strays.
    pub index: [i32; D],
    /// First point.
    pub start: usize,
    /// One past the last point.
    pub end: usize,
}

impl<const D: usize> Cell<D> {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// The places of its points in the sorted order.
    pub fn places(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}

/// Points grouped by box: first the boxes in the order of their keys, then the strays, one by one.
#[derive(Debug)]
pub(super) struct Sorted<const D: usize> {
    /// For every point as given, its place in the sorted order.
    pub places: Vec<u32>,
    /// Coordinates in the sorted order, one vector per axis.
    pub coordinates: [Vec<f64>; D],
    /// The occupied boxes.
    pub cells: Vec<Cell<D>>,
    /// How many of `cells` are boxes of the grid; the rest are strays.
    pub boxes: usize,
}

impl<const D: usize> Sorted<D> {
    /// Sorts row-major points into the boxes of a grid; error messages call them `what`.
    pub fn new(points: &[f64], grid: Grid<D>, what: &str, pool: &Pool) -> Result<Self> {
        let count = points.len() / D;
        u32::try_from(count).map_err(|_| Error::InvalidParameter {
            name: "number of points of a Gauss transform",
            value: count as f64,
            requirement: "below 2^32",
        })?;
        let length = count.div_ceil(PIECES).max(SMALLEST_PIECE);
        let stretches: Vec<&[f64]> = points.chunks(length * D).collect();
        let mut pieces = parallel::map(stretches.len(), &|which| Piece::new(stretches[which], grid));
        let occupied = place(&mut pieces);
        let mut places = vec![0; count];
        let mut filled: Vec<_> = places.chunks_mut(length).zip(pieces).collect();
        parallel::each(&mut filled, &|_, (places, piece)| piece.fill(places));
        let (cells, boxes) = cells_of(&occupied);
        if cells.len() > boxes {
            // What is not finite has no box.
            check_points(points, D, what)?;
        }
        Ok(Self { coordinates: scattered(points, &places, pool), places, cells, boxes })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The point at a place of the sorted order.
    pub fn point(&self, place: usize) -> [f64; D] {
        self.coordinates.each_ref().map(|axis| axis[place])
    }

    /// Leaves its memory to a pool.
    pub fn recycle(self, pool: &Pool) {
        self.coordinates.into_iter().for_each(|coordinates| pool.give(coordinates));
    }

    /// Values given per point, in the sorted order.
    pub fn arrange(&self, values: &[f64]) -> Vec<f64> {
        let mut arranged = vec![0.0; values.len()];
        self.places.iter().zip(values).for_each(|(&place, &value)| arranged[place as usize] = value);
        arranged
    }
}

/// A stretch of the input: which boxes occur in it, and which point lies in which.
struct Piece {
    keys: Vec<u64>,
    /// Counts at first; later the place of the next point of each box.
    next: Vec<u32>,
    boxes: Vec<u32>,
}

impl Piece {
    fn new<const D: usize>(points: &[f64], grid: Grid<D>) -> Self {
        let mut keys = Keys::new();
        let boxes: Vec<u32> = points.chunks_exact(D).map(|point| keys.number(grid.key(point))).collect();
        let mut next = vec![0; keys.list.len()];
        boxes.iter().for_each(|&id| next[id as usize] += 1);
        Self { keys: keys.list, next, boxes }
    }

    fn fill(&mut self, places: &mut [u32]) {
        for (place, &id) in places.iter_mut().zip(&self.boxes) {
            *place = self.next[id as usize];
            self.next[id as usize] += 1;
        }
    }
}

/// A box that occurs in some piece, and how many points it has in all of them.
#[derive(Clone, Copy)]
struct Occupied {
    key: u64,
    count: u32,
}

/// Finds all boxes and tells each piece where its points of each box go: boxes in the order of their keys, within a
/// box the pieces in their order.
fn place(pieces: &mut [Piece]) -> Vec<Occupied> {
    let mut keys = Keys::new();
    let mut counts: Vec<u32> = Vec::new();
    let mut numbers: Vec<Vec<u32>> = Vec::with_capacity(pieces.len());
    for piece in pieces.iter() {
        numbers.push(piece.keys.iter().map(|&key| keys.number(key)).collect());
        counts.resize(keys.list.len(), 0);
        piece
            .next
            .iter()
            .zip(&numbers[numbers.len() - 1])
            .for_each(|(count, &n)| counts[n as usize] += count);
    }
    let mut order: Vec<u32> = (0..counts.len() as u32).collect();
    order.sort_unstable_by_key(|&n| keys.list[n as usize]);
    let mut starts = vec![0; counts.len()];
    let mut start = 0;
    for &n in &order {
        starts[n as usize] = start;
        start += counts[n as usize];
    }
    for (piece, numbers) in pieces.iter_mut().zip(&numbers) {
        for (next, &n) in piece.next.iter_mut().zip(numbers) {
            let count = std::mem::replace(next, starts[n as usize]);
            starts[n as usize] += count;
        }
    }
    order.iter().map(|&n| Occupied { key: keys.list[n as usize], count: counts[n as usize] }).collect()
}

fn cells_of<const D: usize>(occupied: &[Occupied]) -> (Vec<Cell<D>>, usize) {
    let (mut cells, mut start) = (Vec::with_capacity(occupied.len()), 0);
    for &Occupied { key, count } in occupied.iter().filter(|o| o.key != STRAY) {
        let end = start + count as usize;
        cells.push(Cell { index: Grid::<D>::index(key), start, end });
        start = end;
    }
    let boxes = cells.len();
    let strays = occupied.iter().find(|o| o.key == STRAY).map_or(0, |o| o.count as usize);
    cells.extend((start..start + strays).map(|i| Cell { index: [0; D], start: i, end: i + 1 }));
    (cells, boxes)
}

fn scattered<const D: usize>(points: &[f64], places: &[u32], pool: &Pool) -> [Vec<f64>; D] {
    let mut coordinates = [(); D].map(|()| pool.any(places.len()));
    parallel::each(&mut coordinates, &|axis, sorted: &mut Vec<f64>| {
        for (point, &place) in points.chunks_exact(D).zip(places) {
            sorted[place as usize] = point[axis];
        }
    });
    coordinates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_points_by_box_and_keeps_strays_apart() {
        let points = [0.1, 2.5, 1e300, 0.2, -0.4, 2.6, -1e200];
        let sorted = Sorted::new(&points, Grid::<1>::new(1.0), "points", &Pool::default()).unwrap();
        assert_eq!(sorted.coordinates[0], [-0.4, 0.1, 0.2, 2.5, 2.6, 1e300, -1e200]);
        let spans: Vec<_> = sorted.cells.iter().map(|c| (c.index[0], c.start, c.end)).collect();
        assert_eq!(spans, [(-1, 0, 1), (0, 1, 3), (2, 3, 5), (0, 5, 6), (0, 6, 7)]);
        assert_eq!(sorted.boxes, 3);
        assert_eq!(sorted.arrange(&points), sorted.coordinates[0]);
    }

    #[test]
    fn many_pieces_give_the_same_order_as_one() {
        let points: Vec<f64> = (0..20_000).map(|i| ((i * 7919) % 1000) as f64).collect();
        let sorted = Sorted::new(&points, Grid::<2>::new(37.0), "points", &Pool::default()).unwrap();
        for cell in &sorted.cells {
            for i in cell.start..cell.end {
                let point = [sorted.coordinates[0][i], sorted.coordinates[1][i]];
                assert_eq!(Grid::<2>::index(Grid::<2>::new(37.0).key(&point)), cell.index);
            }
        }
        let at = |i: usize| sorted.places[i] as usize;
        assert!((0..10_000).all(|i| sorted.coordinates[0][at(i)] == points[2 * i]));
    }
}
