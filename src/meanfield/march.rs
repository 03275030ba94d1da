//! Two resolutions of the same law, side by side through time.
//!
//! # Formula
//! ```text
//! D(t) = E |z_t^coarse(X) − z_t^fine(X)|
//! ```
//! is the cost of a coupling, hence bounds `W1` between the two computed laws. On the line the expectation is over all coarse
//! nodes, where the fine map is interpolated; in the plane it is over some coarse nodes of about equal mass, which the fine flow
//! carries along as tracers without weight. Spacing, mass left out, steps in time and rounding all differ between the
//! two, so `D` sees every source of error; being a mean of absolute values it is not small by accident. Tolerances alone would not
//! make the steps differ: where the time is so short that one step meets both, both make the same error. So the fine level goes each
//! way in halves, which divides the error of a step that tolerance does not shorten by `2⁵`.

use std::sync::Arc;

use super::MeanField;
use super::image::Image;
use super::quadrature::{Grid, QuadratureCloud};
use super::refine::Goal;
use super::state::State;
use crate::cloud::{Cloud, norm};
use crate::drift::Drift;
use crate::error::Result;
use crate::flow::{Adaptive, Flow};
use crate::scale::{Beta, RawTime};

/// Tracers that compare the two resolutions in the plane.
const TRACERS: usize = 96;

/// Longest raw time between comparisons: in it rounding grows by less than a factor five.
const LONGEST_LEG: f64 = 2.0;

/// How much less accurately the coarse level is integrated in time.
const COARSE_TOLERANCE: f64 = 10.0;

/// Rounding of a sum over the nodes, relative to the scale of the law: below this, two resolutions agree by accident.
const ROUNDOFF: f64 = 8e-15;

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
        self.cloud = advanced(&self.cloud, by, beta, self.tolerance, drift)?;
        Ok(())
    }

    /// The law where it is now.
    pub fn picture(&self) -> Result<QuadratureCloud> {
        let nodes = self.grid.cloud()?;
        let points = self.cloud.points()[..nodes.points().len()].to_vec();
        Ok(QuadratureCloud::new(self.grid.clone(), nodes.moved_to(points)?, self.tolerance))
    }
}

/// A cloud some raw time later.
pub(super) fn advanced(
    cloud: &Cloud,
    by: RawTime,
    beta: Beta,
    tolerance: f64,
    drift: &dyn Drift,
) -> Result<Cloud> {
    let flow = Flow::new(beta, by);
    Ok(flow.with_drift(drift).with_integrator(Adaptive::new(0.0, tolerance)?).run(cloud)?.end)
}

/// Two resolutions on their way.
pub(super) struct Pair {
    coarse: Level,
    fine: Level,
    /// Which nodes of the coarse level the fine one carries as tracers: none on the line.
    traced: Vec<usize>,
}

impl Pair {
    /// The fine level is integrated with `tolerance`, the coarse one less accurately.
    pub fn new(coarse: Grid, fine: Grid, tolerance: f64) -> Result<Self> {
        let coarse = Level::new(coarse, &[], COARSE_TOLERANCE * tolerance)?;
        let traced = match *coarse.grid {
            Grid::Line(_) => vec![],
            Grid::Plane(_) => equal_shares(&coarse.cloud),
        };
        let d = coarse.cloud.dimension();
        let label = |&i: &usize| coarse.cloud.points()[i * d..][..d].to_vec();
        let tracers: Vec<f64> = traced.iter().flat_map(label).collect();
        Ok(Self { fine: Level::new(fine, &tracers, tolerance)?, coarse, traced })
    }

    fn nodes(&self) -> usize {
        self.fine.cloud.len() - self.traced.len()
    }

    fn advance(&mut self, by: RawTime, beta: Beta, drift: &dyn Drift) -> Result<()> {
        self.coarse.advance(by, beta, drift)?;
        let half = RawTime::new(by.get() / 2.0)?;
        self.fine.advance(half, beta, drift)?;
        self.fine.advance(half, beta, drift)
    }

    /// The distance `D` of the two.
    fn discrepancy(&self) -> f64 {
        match (&*self.coarse.grid, &*self.fine.grid) {
            (Grid::Line(coarse), Grid::Line(fine)) => {
                Image::new(fine, self.fine.cloud.points()).coupling(coarse, self.coarse.cloud.points())
            }
            _ => self.discrepancy_of_tracers(),
        }
    }

    fn discrepancy_of_tracers(&self) -> f64 {
        let d = self.coarse.cloud.dimension();
        let distance = |(k, &i): (usize, &usize)| {
            let a = &self.coarse.cloud.points()[i * d..][..d];
            let b = &self.fine.cloud.points()[(self.nodes() + k) * d..][..d];
            norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
        };
        let sum: f64 = self.traced.iter().enumerate().map(distance).sum();
        sum / self.traced.len() as f64
    }

    /// The law at both resolutions.
    fn state(&self, problem: &MeanField, raw_time: RawTime, discrepancy: f64) -> Result<State> {
        let (fine, coarse) = (self.fine.picture()?, self.coarse.picture()?);
        let error = discrepancy + self.fine.grid.left_out() + ROUNDOFF * fine.scale();
        State::new(problem, raw_time, fine, coarse, error)
    }
}

/// Nodes that lie at equal steps of cumulated weight.
fn equal_shares(cloud: &Cloud) -> Vec<usize> {
    let mut chosen = Vec::with_capacity(TRACERS);
    let mut sum = 0.0;
    for i in 0..cloud.len() {
        sum += cloud.weight(i);
        let next = (chosen.len() as f64 + 0.5) / TRACERS as f64;
        if sum >= next {
            chosen.push(i);
            // A heavy node stands for one share only: the others go to its neighbours.
            sum = sum.min(next + 0.5 / TRACERS as f64);
        }
    }
    chosen
}

/// When two resolutions parted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Breach {
    /// The last time at which they agreed.
    pub reached: f64,
    /// The time at which they did not.
    pub raw_time: f64,
    /// How far apart they were then.
    pub size: f64,
}

/// The largest distance of two resolutions up to a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Discrepancy {
    pub raw_time: f64,
    pub size: f64,
}

/// What became of a pair.
pub(super) struct Attempt {
    /// The law at the requested times; empty after a breach.
    pub states: Vec<State>,
    /// The largest error among the states and the posterior means that were asked for.
    pub error: f64,
    pub discrepancies: Vec<Discrepancy>,
    pub breach: Option<Breach>,
    pub nodes: usize,
}

/// Takes a pair through the requested times, unless it parts by more than the goal's limit on the way.
pub(super) fn march(
    problem: &MeanField,
    pair: Pair,
    times: &[RawTime],
    goal: Goal,
    drift: &dyn Drift,
) -> Result<Attempt> {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|&a, &b| times[a].get().total_cmp(&times[b].get()));
    let mut walk = Walk { problem, pair, goal, drift, now: 0.0, discrepancies: vec![] };
    let mut states: Vec<Option<State>> = vec![None; times.len()];
    for i in order {
        if let Some(breach) = walk.to(times[i].get())? {
            let nodes = walk.pair.nodes();
            let discrepancies = walk.discrepancies;
            return Ok(Attempt {
                states: vec![],
                error: breach.size,
                discrepancies,
                breach: Some(breach),
                nodes,
            });
        }
        states[i] = Some(walk.pair.state(problem, times[i], walk.worst())?);
    }
    let states: Vec<State> = states.into_iter().flatten().collect();
    let each = states.iter().map(|state| Ok(state.error.max(state.query_error(drift)?)));
    let error = each.collect::<Result<Vec<_>>>()?.into_iter().fold(0.0, f64::max);
    let nodes = walk.pair.nodes();
    Ok(Attempt { states, error, discrepancies: walk.discrepancies, breach: None, nodes })
}

/// A pair under way.
struct Walk<'a> {
    problem: &'a MeanField,
    pair: Pair,
    goal: Goal,
    drift: &'a dyn Drift,
    now: f64,
    discrepancies: Vec<Discrepancy>,
}

impl Walk<'_> {
    /// The largest discrepancy so far.
    fn worst(&self) -> f64 {
        self.discrepancies.last().map_or(0.0, |d| d.size)
    }

    /// Goes on to a raw time in legs, and stops where the pair parts.
    fn to(&mut self, raw_time: f64) -> Result<Option<Breach>> {
        let (start, span) = (self.now, raw_time - self.now);
        let legs = (span / LONGEST_LEG).ceil();
        for leg in 1..=legs as usize {
            let reached = self.now;
            let end = if leg == legs as usize { raw_time } else { start + span * leg as f64 / legs };
            self.pair.advance(RawTime::new(end - reached)?, self.problem.beta(), self.drift)?;
            self.now = end;
            let size = self.pair.discrepancy().max(self.worst());
            self.discrepancies.push(Discrepancy { raw_time: end, size });
            if size > self.goal.limit {
                return Ok(Some(Breach { reached, raw_time: end, size }));
            }
        }
        Ok(None)
    }
}
