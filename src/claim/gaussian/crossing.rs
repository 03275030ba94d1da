//! When the variance of a mean field crosses a level.
//!
//! Both resolutions of the law are followed as weighted clouds, and the crossing is located on the path inside its step, with what is uncertain
//! about that path. The answer is that of the finer one; the error bar is its own, and how far the coarser one is away.

use super::descent::Timed;
use super::nodes::NodePair;
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::flow::{Adaptive, Event, Flow, Passages, Schedule, TotalVariance};
use crate::scale::{Beta, RawTime};

/// Crossings are told apart down to this share of the horizon.
const RESOLUTION: f64 = 1e-10;

/// The score times at which the variance per axis comes down to targets; not a number if it does not before the raw time `until`.
pub(super) fn crosses(
    nodes: &NodePair,
    targets: &[f64],
    beta: Beta,
    until: RawTime,
    drift: &dyn Drift,
) -> Result<Vec<Timed>> {
    let found =
        |cloud| crossings(cloud, targets, beta, until, (drift, &Adaptive::new(0.0, nodes.tolerance)?));
    let (fine, coarse) = (found(&nodes.fine)?, found(&nodes.coarse)?);
    let judged = fine.into_iter().zip(coarse).map(|(fine, coarse)| Timed {
        value: fine.value,
        error: fine.error + (fine.value - coarse.value).abs(),
    });
    Ok(judged.collect())
}

fn crossings(
    cloud: &Cloud,
    targets: &[f64],
    beta: Beta,
    until: RawTime,
    (drift, integrator): (&dyn Drift, &Adaptive),
) -> Result<Vec<Timed>> {
    let mut flow = Flow::new(Schedule::constant(beta), until)?;
    for target in targets {
        let level = cloud.dimension() as f64 * target;
        flow = flow.with_event(Event::new(TotalVariance, level, RESOLUTION * until.get())?)?;
    }
    let trajectory = flow.run(cloud, drift, integrator)?;
    let timed = |passages: &Passages| match passages.crossings.first() {
        None => Timed { value: f64::NAN, error: f64::NAN },
        Some(first) => Timed { value: first.raw_time.get() / beta.get(), error: first.error / beta.get() },
    };
    Ok(trajectory.events.iter().map(timed).collect())
}
