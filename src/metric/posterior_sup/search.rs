//! Branch and bound: split the cubes with the largest bounds until the gap is as asked.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::cube::Cube;
use super::local::Posterior;
use super::{PosteriorSup, SupSearch};
use crate::cloud::norm;
use crate::error::Result;
use crate::parallel;

/// Cubes split at once: enough to keep threads busy, fixed so that the result does not depend on their number.
const BATCH: usize = 16;

/// A cube and what is known of the difference on it.
#[derive(Debug, Clone, Copy)]
struct Bounded<const D: usize> {
    cube: Cube<D>,
    upper: f64,
    /// A point of the ball in or near the cube, and the difference there.
    at: [f64; D],
    lower: f64,
}

/// In the heap, cubes are ordered by their upper bounds.
struct Pending<const D: usize>(Bounded<D>);

impl<const D: usize> PartialEq for Pending<D> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<const D: usize> Eq for Pending<D> {}

impl<const D: usize> PartialOrd for Pending<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const D: usize> Ord for Pending<D> {
    fn cmp(&self, other: &Self) -> Ordering {
        let position = |a: &[f64; D], b: &[f64; D]| {
            a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        self.0
            .upper
            .total_cmp(&other.0.upper)
            .then_with(|| position(&self.0.cube.centre, &other.0.cube.centre))
    }
}

/// Bounds the supremum of the difference over the ball.
pub(super) fn supremum<const D: usize>(
    a: &dyn Posterior<D>,
    b: &dyn Posterior<D>,
    search: &SupSearch,
) -> Result<PosteriorSup> {
    let radius = search.radius.get();
    let root = bound(a, b, Cube::around(radius), radius)?;
    let (mut best, mut cubes) = (root, 1);
    let mut heap = BinaryHeap::from([Pending(root)]);
    loop {
        let upper = heap.peek().map_or(best.lower, |top| top.0.upper.max(best.lower));
        let converged = upper.is_finite() && upper - best.lower <= search.allowed(upper);
        if converged || cubes >= search.max_cubes {
            return Ok(PosteriorSup { lower: best.lower, upper, at: best.at.to_vec(), cubes, converged });
        }
        let threshold = best.lower + search.allowed(best.lower);
        let split: Vec<Cube<D>> = std::iter::from_fn(|| {
            let worth = heap.peek().is_some_and(|top| top.0.upper > threshold);
            worth.then(|| heap.pop()).flatten().map(|top| top.0.cube)
        })
        .take(BATCH)
        .collect();
        let children: Vec<Cube<D>> = split.iter().flat_map(|cube| cube.children(radius)).collect();
        let bounded = parallel::try_map(children.len(), &|child| bound(a, b, children[child], radius))?;
        cubes += bounded.len();
        for child in bounded {
            if child.lower > best.lower {
                best = child;
            }
            heap.push(Pending(child));
        }
    }
}

/// Bounds the difference on one cube, and evaluates it at a point of the ball.
fn bound<const D: usize>(
    a: &dyn Posterior<D>,
    b: &dyn Posterior<D>,
    cube: Cube<D>,
    radius: f64,
) -> Result<Bounded<D>> {
    let (one, other) = (a.near(&cube.centre, cube.radius())?, b.near(&cube.centre, cube.radius())?);
    let difference: [f64; D] = std::array::from_fn(|axis| one.mean[axis] - other.mean[axis]);
    let at_corner = |offset: [f64; D]| {
        let value: [f64; D] = std::array::from_fn(|i| {
            let slope = |j: usize| (one.jacobian[i][j] - other.jacobian[i][j]) * offset[j];
            difference[i] + (0..D).map(slope).sum::<f64>()
        });
        norm(&value)
    };
    let affine = cube.corners().map(at_corner).fold(0.0, f64::max);
    let upper = affine + (one.remainder + other.remainder);
    let at = cube.inside(radius);
    let lower = if at == cube.centre { norm(&difference) } else { difference_at(a, b, &at)? };
    Ok(Bounded { cube, upper, at, lower })
}

fn difference_at<const D: usize>(a: &dyn Posterior<D>, b: &dyn Posterior<D>, at: &[f64; D]) -> Result<f64> {
    let (one, other) = (a.near(at, 0.0)?, b.near(at, 0.0)?);
    Ok(norm(&std::array::from_fn::<f64, D, _>(|axis| one.mean[axis] - other.mean[axis])))
}
