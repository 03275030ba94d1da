//! Where nodes must lie densely: a pilot run shows how far the flow pulls neighbours apart.
//!
//! # Formula
//! Quadrature along the flow needs neighbours to stay within a share `c` of the kernel's width at all times,
//! ```text
//! Δx · max_t ∂_x z_t(x) ≤ c/√β,      Δx ≤ c/√(β + 1/v)
//! ```
//! with `v` the narrowest variance in `f0`. Between modes the flow is unstable and `∂_x z_t` grows like `e^{(β Var − 1)t}`: around a
//! separatrix no uniform spacing will do. A pilot on even nodes finds the places, the next pass refines them, until every
//! cell is either well resolved or too light to matter.

use super::line::{Extent, LineGrid, SegmentKind};
use super::spacing::{Spacing, Wish};
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::flow::{Adaptive, Flow};
use crate::law::LineLaw;
use crate::scale::{Beta, RawTime};

/// Resolution `c` of the pilot runs.
const PILOT_RESOLUTION: f64 = 0.6;
/// Tolerance of the pilot runs relative to the law's scale: they only have to show where nodes go.
const PILOT_TOLERANCE: f64 = 1e-5;
/// Raw time beyond which rounding, growing like `e^{2t/e}`, could pass for stretching.
const PILOT_HORIZON: f64 = 36.0;
/// Moments at which a pilot looks at the distances.
const PILOT_MOMENTS: usize = 8;
/// Passes before the grading is taken as it is; each resolves a separatrix about ten times better.
const MAX_PASSES: usize = 12;
/// A cell may be this many times wider than wanted: mollified spacings cannot follow every wish.
const SLACK: f64 = 1.5;
/// Spacings grow by at most `c` times this per unit length, so that a kernel never sees a jump of resolution.
const GROWTH: f64 = 0.57;
/// More nodes than this on the line mean that something is wrong with the scales.
const MAX_NODES: f64 = 20_000.0;

/// The spacing needed along the line at resolution one, and what it was found from.
#[derive(Debug, Clone)]
pub(super) struct Grading {
    base: LineLaw,
    beta: Beta,
    edges: bool,
    /// The spacing that resolves `f0` and the kernel.
    finest: f64,
    /// Mass times displacement below which a cell does not matter.
    negligible: f64,
    scale: f64,
    needs: Vec<Wish>,
}

/// What a [`Grading`] starts from.
pub(super) struct Setting {
    /// The law of the labels; with edges if it is truncated.
    pub base: LineLaw,
    /// Where it lives.
    pub extent: Extent,
    /// Inverse temperature.
    pub beta: Beta,
    /// The narrowest variance `v` in `f0`.
    pub narrowest: f64,
    /// The law's standard deviation.
    pub scale: f64,
    /// Error in `W1` that may be spent on unresolved cells.
    pub allowance: f64,
}

impl Grading {
    /// Even spacing.
    pub fn new(setting: Setting) -> Self {
        let finest = 1.0 / (setting.beta.get() + 1.0 / setting.narrowest).sqrt();
        let ends = [setting.extent.low, setting.extent.high];
        Self {
            edges: setting.base.radius().is_some(),
            base: setting.base,
            beta: setting.beta,
            finest,
            negligible: setting.allowance,
            scale: setting.scale,
            needs: ends.map(|at| Wish { at, size: finest }).to_vec(),
        }
    }

    /// Nodes at resolution `c`; those lighter than `cut` are left out.
    pub fn grid(&self, resolution: f64, cut: f64) -> Result<LineGrid> {
        let wish = |need: &Wish| Wish { size: resolution * need.size, ..*need };
        let spacing = Spacing::new(self.needs.iter().map(wish).collect(), GROWTH * resolution);
        if spacing.count().is_nan() || spacing.count() >= MAX_NODES {
            return Err(Error::Integration {
                what: "the mean-field reference",
                raw_time: 0.0,
                problem: format!(
                    "{:.0} nodes would be needed, more than {MAX_NODES}; lower β or the law's extent in units of β^(-1/2), or truncate it to a ball",
                    spacing.count()
                ),
            });
        }
        Ok(if self.edges {
            LineGrid::panels(self.base.clone(), &spacing, cut)
        } else {
            LineGrid::trapezoid(self.base.clone(), &spacing, cut)
        })
    }

    /// Runs pilots up to `horizon` until the spacing fits what they show.
    pub fn fit(&mut self, horizon: RawTime, cut: f64, drift: &dyn Drift) -> Result<()> {
        let horizon = RawTime::new(horizon.get().min(PILOT_HORIZON))?;
        let mut worst = f64::INFINITY;
        for _ in 0..MAX_PASSES {
            let grid = self.grid(PILOT_RESOLUTION, cut)?;
            let cells = self.cells(&grid, horizon, drift)?;
            let heavy = cells.iter().filter(|cell| self.matters(cell));
            let excess = heavy.map(|cell| cell.width / self.wanted(cell)).fold(0.0, f64::max);
            let stuck = excess > 0.95 * worst && excess < 2.0 * SLACK;
            if excess <= SLACK || stuck {
                return Ok(());
            }
            worst = excess;
            self.learn(&cells);
        }
        Ok(())
    }

    /// Neighbouring nodes, and how far apart a pilot run took them.
    fn cells(&self, grid: &LineGrid, horizon: RawTime, drift: &dyn Drift) -> Result<Vec<Cell>> {
        let cloud = Cloud::named(grid.labels.clone(), 1, "the pilot's nodes")?;
        let cloud = cloud.with_weights(grid.weights.clone())?;
        let moment = |i: usize| RawTime::new(horizon.get() * i as f64 / PILOT_MOMENTS as f64);
        let moments = (1..PILOT_MOMENTS).map(moment).collect::<Result<Vec<_>>>()?;
        let flow = Flow::new(self.beta, horizon).with_snapshots(moments);
        let run = flow
            .with_drift(drift)
            .with_integrator(Adaptive::new(0.0, PILOT_TOLERANCE * self.scale)?)
            .run(&cloud)?;
        let moments: Vec<&[f64]> =
            run.snapshots.iter().map(|s| s.cloud.points()).chain([run.end.points()]).collect();
        let cell = |j: usize| {
            let width = grid.labels[j + 1] - grid.labels[j];
            let apart = moments.iter().map(|z| z[j + 1] - z[j]).fold(width, f64::max);
            let at = grid.labels[j] + 0.5 * width;
            Cell { at, width, stretch: apart / width, mass: 0.5 * (grid.weights[j] + grid.weights[j + 1]) }
        };
        Ok(neighbours(grid).map(cell).collect())
    }

    /// Whether an unresolved cell would show in the result.
    fn matters(&self, cell: &Cell) -> bool {
        cell.mass * cell.stretch * cell.width > self.negligible
    }

    /// The width that the pilot would have liked a cell to have.
    fn wanted(&self, cell: &Cell) -> f64 {
        let stretched = 1.0 / (self.beta.get().sqrt() * cell.stretch);
        PILOT_RESOLUTION * stretched.min(self.finest)
    }

    /// Takes over what a pilot showed; cells too light to matter stay as they are.
    fn learn(&mut self, cells: &[Cell]) {
        let need = |cell: &Cell| {
            let size = if self.matters(cell) { self.wanted(cell) } else { cell.width.max(self.wanted(cell)) };
            Wish { at: cell.at, size: (size / PILOT_RESOLUTION).min(self.finest) }
        };
        let (first, last) = (self.needs[0].at, self.needs[self.needs.len() - 1].at);
        let end = |at: f64| Wish { at, size: self.finest };
        let inner = cells.iter().map(need).filter(|wish| wish.at > first && wish.at < last);
        self.needs = std::iter::once(end(first)).chain(inner).chain([end(last)]).collect();
    }
}

/// Two neighbouring nodes of a pilot.
struct Cell {
    /// The middle of the labels.
    at: f64,
    /// The distance of the labels.
    width: f64,
    /// The largest distance of the positions over that of the labels.
    stretch: f64,
    /// The mass between them.
    mass: f64,
}

/// The nodes `j` that are connected with `j + 1`.
fn neighbours(grid: &LineGrid) -> impl Iterator<Item = usize> {
    let joined = |pair: &[super::line::Segment]| match (pair[0].kind, pair[1].kind) {
        (SegmentKind::Panel { high, .. }, SegmentKind::Panel { low, .. }) => high == low,
        _ => false,
    };
    let gaps: Vec<usize> =
        grid.segments.windows(2).filter(|pair| !joined(pair)).map(|pair| pair[0].nodes.end - 1).collect();
    (0..grid.labels.len() - 1).filter(move |j| gaps.binary_search(j).is_err())
}
