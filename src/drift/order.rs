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

/// Where a range of points is split, or zero for a single quad.
fn boundary(points: usize) -> usize {
    if points > TILE { left_tiles(points.div_ceil(TILE)) * TILE } else { points.div_ceil(QUAD) / 2 * QUAD }
}

/// Reorders `members`, row numbers of row-major `points`, tile by tile.
pub(super) fn kd_order(points: &[f64], dimension: usize, members: &mut [usize]) {
    let mut keys = vec![Key { value: 0.0, member: 0 }; members.len()];
    split(points, dimension, members, &mut keys);
}

/// A coordinate with the point it belongs to: selection then runs through consecutive memory.
#[derive(Debug, Clone, Copy)]
struct Key {
    value: f64,
    member: usize,
}

fn split(points: &[f64], dimension: usize, members: &mut [usize], keys: &mut [Key]) {
    let boundary = boundary(members.len());
    if boundary == 0 {
        return;
    }
    let side = widest_side(points, dimension, members);
    for (key, &member) in keys.iter_mut().zip(members.iter()) {
        *key = Key { value: points[member * dimension + side], member };
    }
    keys.select_nth_unstable_by(boundary, |a, b| a.value.total_cmp(&b.value));
    members.iter_mut().zip(keys.iter()).for_each(|(member, key)| *member = key.member);
    let parallel = members.len() >= PARALLEL;
    let (left, right) = members.split_at_mut(boundary);
    let (left_keys, right_keys) = keys.split_at_mut(boundary);
    let mut left = || split(points, dimension, left, left_keys);
    let mut right = || split(points, dimension, right, right_keys);
    if parallel {
        join(left, right);
    } else {
        left();
        right();
    }
}

fn widest_side(points: &[f64], dimension: usize, members: &[usize]) -> usize {
    let extent = |side: usize| {
        let values = members.iter().map(|&member| points[member * dimension + side]);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
        high * 0.5 - low * 0.5
    };
    (0..dimension)
        .map(extent)
        .enumerate()
        .fold((0, f64::MIN), |best, next| if next.1 > best.1 { next } else { best })
        .0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_come_out_tile_by_tile() {
        let n = 5 * TILE + 7;
        let points: Vec<f64> = (0..n).map(|i| ((i * 7919) % n) as f64).collect();
        let mut members: Vec<usize> = (0..n).collect();
        kd_order(&points, 1, &mut members);
        for (tile, chunk) in members.chunks(TILE).enumerate() {
            let mut values: Vec<usize> = chunk.iter().map(|&i| points[i] as usize).collect();
            values.sort_unstable();
            assert_eq!(values, (tile * TILE..(tile * TILE + chunk.len())).collect::<Vec<_>>());
        }
    }
}
