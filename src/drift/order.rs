//! The order in which points are cut into tiles: recursive splits at a tile boundary across the widest side of the bounding box.
//!
//! Inside a tile the splits go on at the boundaries of quads. Every tile but the last is full, and each range that the recursion visits is spatially
//! compact. The result depends on the points only, not on the number of threads.

use rayon::join;

use super::kernel::{QUAD, TILE};

/// Ranges shorter than this are not worth a second thread.
const PARALLEL: usize = 4096;

/// Where a range of `tiles` tiles is split: after this many.
pub(super) fn left_tiles(tiles: usize) -> usize {
    tiles / 2
}

/// How far down the splits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// To tiles: for sums that leave nothing out.
    Tiles,
    /// To quads: for sums that leave out parts of tiles.
    Quads,
}

impl Depth {
    /// Where a range of points is split, or zero for one that is not.
    fn boundary(self, points: usize) -> usize {
        match self {
            _ if points > TILE => left_tiles(points.div_ceil(TILE)) * TILE,
            Self::Tiles => 0,
            Self::Quads => points.div_ceil(QUAD) / 2 * QUAD,
        }
    }
}

/// Reorders `members`, row numbers of row-major `points`, tile by tile.
pub(super) fn kd_order(points: &[f64], dimension: usize, depth: Depth, members: &mut [usize]) {
    let mut keys = vec![Key { value: 0.0, member: 0 }; members.len()];
    Splitter { points, dimension, depth }.split(members, &mut keys);
}

/// A coordinate with the point it belongs to: selection then runs through consecutive memory.
#[derive(Debug, Clone, Copy)]
struct Key {
    value: f64,
    member: usize,
}

struct Splitter<'a> {
    points: &'a [f64],
    dimension: usize,
    depth: Depth,
}

impl Splitter<'_> {
    fn split(&self, members: &mut [usize], keys: &mut [Key]) {
        let boundary = self.depth.boundary(members.len());
        if boundary == 0 {
            return;
        }
        let side = self.widest_side(members);
        for (key, &member) in keys.iter_mut().zip(members.iter()) {
            *key = Key { value: self.points[member * self.dimension + side], member };
        }
        keys.select_nth_unstable_by(boundary, |a, b| a.value.total_cmp(&b.value));
        members.iter_mut().zip(keys.iter()).for_each(|(member, key)| *member = key.member);
        let parallel = members.len() >= PARALLEL;
        let (left, right) = members.split_at_mut(boundary);
        let (left_keys, right_keys) = keys.split_at_mut(boundary);
        if parallel {
            join(|| self.split(left, left_keys), || self.split(right, right_keys));
        } else {
            self.split(left, left_keys);
            self.split(right, right_keys);
        }
    }

    fn widest_side(&self, members: &[usize]) -> usize {
        let (mut widest, mut extent) = (0, f64::NEG_INFINITY);
        for side in 0..self.dimension {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for &member in members {
                let x = self.points[member * self.dimension + side];
                low = low.min(x);
                high = high.max(x);
            }
            // Halved, because the difference itself may overflow.
            if 0.5 * high - 0.5 * low > extent {
                (widest, extent) = (side, 0.5 * high - 0.5 * low);
            }
        }
        widest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_come_out_tile_by_tile() {
        let n = 5 * TILE + 7;
        let points: Vec<f64> = (0..n).map(|i| ((i * 7919) % n) as f64).collect();
        let mut members: Vec<usize> = (0..n).collect();
        kd_order(&points, 1, Depth::Quads, &mut members);
        for (tile, chunk) in members.chunks(TILE).enumerate() {
            let mut values: Vec<usize> = chunk.iter().map(|&i| points[i] as usize).collect();
            values.sort_unstable();
            assert_eq!(values, (tile * TILE..(tile * TILE + chunk.len())).collect::<Vec<_>>());
        }
    }
}
