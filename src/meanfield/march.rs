//! Two resolutions of the same law, side by side through time.
//!
//! # Formula
//! With the coarse nodes `x_i` also carried by the fine flow, as tracers without weight,
//! ```text
//! D(t) = Σ_i |z_t^coarse(x_i) − z_t^fine(x_i)| / n
//! ```
//! over `n` nodes of about equal mass estimates the coupling distance of the two computed laws, hence bounds `W1` between
//! them. Spacing, mass left out, time tolerance and rounding all differ between the two, so `D` sees every
//! source of error; being a mean of absolute values it is not small by accident.

use std::sync::Arc;

use super::quadrature::{Grid, QuadratureCloud};
use crate::cloud::{Cloud, norm};
use crate::drift::Drift;
use crate::error::Result;
use crate::flow::{Adaptive, Flow, Schedule};
use crate::scale::{Beta, RawTime};

/// Tracers that compare the two resolutions.
const TRACERS: usize = 96;

/// One resolution on its way.
pub(super) struct Level {
    grid: Arc<Grid>,
    /// The nodes, and behind them the tracers.
    cloud: Cloud,
    tolerance: f64,
}

impl Level {
    /// Nodes, together with tracers at other labels (row-major); `tolerance` is that of the integration in time.
    pub fn new(grid: Grid, tracers: &[f64], tolerance: f64) -> Result<Self> {
        let nodes = grid.cloud()?;
        let dimension = nodes.dimension();
        let mut weights: Vec<f64> = (0..nodes.len()).map(|i| nodes.weight(i)).collect();
        weights.resize(nodes.len() + tracers.len() / dimension, 0.0);
        let mut points = nodes.into_points();
        points.extend(tracers);
        let cloud = Cloud::named(points, dimension, "the quadrature nodes")?.with_weights(weights)?;
        Ok(Self { grid: Arc::new(grid), cloud, tolerance })
    }

    /// Follows the flow for some raw time.
    pub fn advance(&mut self, by: RawTime, beta: Beta, drift: &dyn Drift) -> Result<()> {
        let flow = Flow::new(Schedule::constant(beta), by)?;
        self.cloud = flow.run(&self.cloud, drift, &Adaptive::new(0.0, self.tolerance)?)?.end;
        Ok(())
    }

    /// The law where it is now.
    pub fn picture(&self) -> Result<QuadratureCloud> {
        let nodes = self.grid.cloud()?;
        let points = self.cloud.points()[..nodes.points().len()].to_vec();
        Ok(QuadratureCloud::new(self.grid.clone(), nodes.moved_to(points)?))
    }
}

/// Two resolutions on their way.
pub(super) struct Pair {
    pub coarse: Level,
    pub fine: Level,
    /// Which nodes of the coarse level the fine one carries as tracers.
    traced: Vec<usize>,
}

impl Pair {
    /// The fine level integrates ten times as accurately.
    pub fn new(coarse: Grid, fine: Grid, tolerance: f64) -> Result<Self> {
        let coarse = Level::new(coarse, &[], 10.0 * tolerance)?;
        let traced = equal_shares(&coarse.cloud);
        let d = coarse.cloud.dimension();
        let label = |&i: &usize| coarse.cloud.points()[i * d..][..d].to_vec();
        let tracers: Vec<f64> = traced.iter().flat_map(label).collect();
        Ok(Self { fine: Level::new(fine, &tracers, tolerance)?, coarse, traced })
    }

    /// Follows both flows for some raw time.
    pub fn advance(&mut self, by: RawTime, beta: Beta, drift: &dyn Drift) -> Result<()> {
        self.coarse.advance(by, beta, drift)?;
        self.fine.advance(by, beta, drift)
    }

    /// The distance `D` of the two.
    pub fn discrepancy(&self) -> f64 {
        let d = self.coarse.cloud.dimension();
        let nodes = self.fine.cloud.len() - self.traced.len();
        let distance = |(k, &i): (usize, &usize)| {
            let (a, b) = (&self.coarse.cloud.points()[i * d..], &self.fine.cloud.points()[(nodes + k) * d..]);
            norm(&a[..d].iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
        };
        let sum: f64 = self.traced.iter().enumerate().map(distance).sum();
        sum / self.traced.len() as f64
    }
}

/// Nodes that lie at equal steps of cumulated weight.
fn equal_shares(cloud: &Cloud) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(TRACERS);
    let mut sum = 0.0;
    for i in 0..cloud.len() {
        sum += cloud.weight(i);
        if sum * TRACERS as f64 >= chosen.len() as f64 + 0.5 {
            chosen.push(i);
            sum = sum.min((chosen.len() as f64 + 0.5) / TRACERS as f64);
        }
    }
    chosen
}
