//! [`Plan`]: which order to use for a cloud, and what the transform will cost.
//!
//! Low orders make points cheap, high orders need fewer boxes. The number of boxes is estimated from a sample:
//! `s` points that fill `b` of `C` equally likely boxes satisfy `b = C(1 − e^{−s/C})`.

use super::expansion::{Goal, Layout, ORDERS};
use super::grid::Grid;
use super::keys::Keys;

/// Points of the sample: a share of the cloud, so that planning stays cheap beside the transform, within limits.
const SHARE: usize = 16;
const FEWEST: usize = 512;
const MOST: usize = 2048;

/// What a transform is expected to cost on one thread of a machine with AVX2; for comparisons between drifts.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct GaussCost {
    /// Chebyshev polynomials per axis.
    pub order: usize,
    /// Expected number of occupied boxes.
    pub boxes: f64,
    /// Expected time.
    pub seconds: f64,
}

/// An order chosen for a cloud.
#[derive(Debug, Clone, Copy)]
pub(in crate::drift) struct Plan {
    /// Order, box width and reach.
    pub(super) layout: Layout,
    /// Why it was chosen.
    pub cost: GaussCost,
}

/// The points of a transform.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    /// Row-major sources.
    pub sources: &'a [f64],
    /// Number of targets.
    pub targets: usize,
    /// `√β`.
    pub scale: f64,
}

impl Plan {
    /// The cheapest order that meets the goal.
    pub(super) fn new<const D: usize>(points: Points<'_>, goal: Goal) -> Self {
        let plans = ORDERS.map(|order| Self::with_order::<D>(order, points, goal));
        plans
            .into_iter()
            .reduce(|a, b| if b.cost.seconds < a.cost.seconds { b } else { a })
            .unwrap_or(plans[0])
    }

    fn with_order<const D: usize>(order: usize, points: Points<'_>, goal: Goal) -> Self {
        let layout = Layout::new::<D>(order, goal);
        let boxes = occupied::<D>(points.sources, layout.width / points.scale);
        let sources = (points.sources.len() / D) as f64;
        let seconds = Rates::of::<D>(layout).seconds(sources, points.targets as f64, boxes);
        Self { layout, cost: GaussCost { order, boxes, seconds } }
    }
}

/// Time per source, target and box.
struct Rates {
    source: f64,
    target: f64,
    cell: f64,
    setup: f64,
}

impl Rates {
    /// Measured on one core of a Zen 3 machine at 3.5 GHz.
    fn of<const D: usize>(layout: Layout) -> Self {
        let (order, dimension) = (layout.order as f64, D as f64);
        let size = order.powi(D as i32);
        let offsets = f64::from(2 * layout.reach + 1);
        Self {
            source: 15e-9 + 0.07e-9 * size,
            target: 30e-9 + 0.12e-9 * size,
            setup: 150e-6 + 20e-9 * offsets * (order + 8.0).powi(2),
            cell: 1e-6 + 0.06e-9 * dimension * offsets * size * order,
        }
    }

    fn seconds(&self, sources: f64, targets: f64, boxes: f64) -> f64 {
        self.setup + self.source * sources + self.target * targets + self.cell * boxes
    }
}

/// Estimates the number of boxes of a width that a cloud fills.
fn occupied<const D: usize>(points: &[f64], width: f64) -> f64 {
    let (grid, count) = (Grid::<D>::new(width), points.len() / D);
    let stride = count.div_ceil((count / SHARE).clamp(FEWEST, MOST)).max(1);
    let mut keys = Keys::new();
    points.chunks_exact(D).step_by(stride).for_each(|point| {
        keys.number(grid.key(point));
    });
    let (found, drawn) = (keys.list.len() as f64, count.div_ceil(stride) as f64);
    let available = available_boxes(found, drawn);
    -available * (-(count as f64) / available).exp_m1()
}

/// Solves `found = C(1 − e^{−drawn/C})` for `C`.
fn available_boxes(found: f64, drawn: f64) -> f64 {
    if found >= drawn {
        return drawn * drawn;
    }
    let filled = |c: f64| -c * (-drawn / c).exp_m1();
    let (mut low, mut high) = (found, drawn * drawn);
    for _ in 0..40 {
        let middle = (low * high).sqrt();
        if filled(middle) < found { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::*;

    const SEED: u64 = 5;

    #[test]
    fn estimates_the_boxes_that_random_points_fill() {
        let mut generator = Pcg64::seed_from_u64(SEED);
        let points: Vec<f64> = (0..200_000).map(|_| 3e4 * generator.random::<f64>()).collect();
        let boxes = occupied::<1>(&points, 1.0);
        assert!((boxes / 30_000.0 - 1.0).abs() < 0.2, "{boxes}");
        assert!((occupied::<1>(&points, 1e5) - 1.0).abs() < 1e-9);
    }
}
