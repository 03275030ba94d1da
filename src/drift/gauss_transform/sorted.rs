//! [`Sorted`]: points in the order of their boxes, and the boxes they fill.

use std::collections::HashMap;

use rayon::prelude::*;

use super::grid::{BuildKeyHasher, Grid, STRAY};
use crate::error::{Error, Result};

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
    /// Sorts row-major points into the boxes of a grid.
    pub fn new(points: &[f64], grid: Grid<D>) -> Result<Self> {
        let count = points.len() / D;
        u32::try_from(count).map_err(|_| Error::InvalidParameter {
            name: "number of points of a Gauss transform",
            value: count as f64,
            requirement: "below 2^32",
        })?;
        let length = count.div_ceil(PIECES).max(SMALLEST_PIECE);
        let mut pieces: Vec<Piece> = points.par_chunks(length * D).map(|p| Piece::new(p, grid)).collect();
        let runs = place_runs(&mut pieces);
        let mut places = vec![0; count];
        places.par_chunks_mut(length).zip(pieces).for_each(|(places, piece)| piece.fill(places));
        let (cells, boxes) = cells_of(&runs, count);
        Ok(Self { coordinates: scattered(points, &places), places, cells, boxes })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.places.len()
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
        let mut piece =
            Self { keys: Vec::new(), next: Vec::new(), boxes: Vec::with_capacity(points.len() / D) };
        let mut known: HashMap<u64, u32, BuildKeyHasher> = HashMap::default();
        for point in points.chunks_exact(D) {
            let key = grid.key(point);
            let id = *known.entry(key).or_insert_with(|| {
                piece.keys.push(key);
                piece.next.push(0);
                piece.next.len() as u32 - 1
            });
            piece.next[id as usize] += 1;
            piece.boxes.push(id);
        }
        piece
    }

    fn fill(mut self, places: &mut [u32]) {
        for (place, &id) in places.iter_mut().zip(&self.boxes) {
            *place = self.next[id as usize];
            self.next[id as usize] += 1;
        }
    }
}

/// The points of one box that lie in one piece.
#[derive(Clone, Copy)]
struct Run {
    key: u64,
    piece: u32,
    id: u32,
    start: u32,
}

/// Orders all runs by box, then by piece, and tells each piece where its runs begin.
fn place_runs(pieces: &mut [Piece]) -> Vec<Run> {
    let of_piece = |(piece, p): (usize, &Piece)| {
        let run = move |(id, &key): (usize, &u64)| Run { key, piece: piece as u32, id: id as u32, start: 0 };
        p.keys.iter().enumerate().map(run).collect::<Vec<_>>()
    };
    let mut runs: Vec<Run> = pieces.iter().enumerate().flat_map(of_piece).collect();
    runs.par_sort_unstable_by_key(|run| (run.key, run.piece));
    let mut start = 0;
    for run in &mut runs {
        run.start = start;
        let next = &mut pieces[run.piece as usize].next[run.id as usize];
        start += std::mem::replace(next, start);
    }
    runs
}

fn cells_of<const D: usize>(runs: &[Run], count: usize) -> (Vec<Cell<D>>, usize) {
    let mut cells: Vec<Cell<D>> = Vec::new();
    let groups = runs.chunk_by(|a, b| a.key == b.key).filter(|group| group[0].key != STRAY);
    for group in groups {
        let start = group[0].start as usize;
        if let Some(last) = cells.last_mut() {
            last.end = start;
        }
        cells.push(Cell { index: Grid::<D>::index(group[0].key), start, end: count });
    }
    let strays = runs.iter().find(|run| run.key == STRAY).map_or(count, |run| run.start as usize);
    if let Some(last) = cells.last_mut() {
        last.end = strays;
    }
    let boxes = cells.len();
    cells.extend((strays..count).map(|i| Cell { index: [0; D], start: i, end: i + 1 }));
    (cells, boxes)
}

fn scattered<const D: usize>(points: &[f64], places: &[u32]) -> [Vec<f64>; D] {
    let mut coordinates = [(); D].map(|()| vec![0.0; places.len()]);
    coordinates.par_iter_mut().enumerate().for_each(|(axis, sorted)| {
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
        let sorted = Sorted::new(&points, Grid::<1>::new(1.0)).unwrap();
        assert_eq!(sorted.coordinates[0], [-0.4, 0.1, 0.2, 2.5, 2.6, 1e300, -1e200]);
        let spans: Vec<_> = sorted.cells.iter().map(|c| (c.index[0], c.start, c.end)).collect();
        assert_eq!(spans, [(-1, 0, 1), (0, 1, 3), (2, 3, 5), (0, 5, 6), (0, 6, 7)]);
        assert_eq!(sorted.boxes, 3);
        assert_eq!(sorted.arrange(&points), sorted.coordinates[0]);
    }

    #[test]
    fn many_pieces_give_the_same_order_as_one() {
        let points: Vec<f64> = (0..20_000).map(|i| ((i * 7919) % 1000) as f64).collect();
        let sorted = Sorted::new(&points, Grid::<2>::new(37.0)).unwrap();
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
