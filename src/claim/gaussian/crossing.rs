//! When the variance of a mean field crosses a level.
//!
//! Both resolutions of the law are followed as weighted clouds, and the crossing is located on the path inside its step, with what is uncertain
//! about that path. The answer is that of the finer one; the error bar is its own, and how far the coarser one is away.

use super::descent::Timed;
use super::nodes::NodePair;
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::flow::{Adaptive, Event, Flow, Schedule, TotalVariance};
use crate::scale::{Beta, RawTime};

/// Tolerance of the integration in time, relative to the standard deviation at the start.
const TOLERANCE: f64 = 1e-11;
/// Crossings are told apart down to this share of the horizon.
const RESOLUTION: f64 = 1e-10;

/// The score time at which the variance per axis comes down to `target`; not a number if it does not before the raw time `until`.
pub(super) fn crosses(
    nodes: &NodePair,
    target: f64,
    beta: Beta,
    until: RawTime,
    drift: &dyn Drift,
) -> Result<Timed> {
    let [fine, coarse] =
        [&nodes.fine, &nodes.coarse].map(|cloud| crossing(cloud, target, beta, until, drift));
    let (fine, coarse) = (fine?, coarse?);
    Ok(Timed { value: fine.value, error: fine.error + (fine.value - coarse.value).abs() })
}

fn crossing(cloud: &Cloud, target: f64, beta: Beta, until: RawTime, drift: &dyn Drift) -> Result<Timed> {
    let d = cloud.dimension() as f64;
    let deviation = (cloud.covariance().trace() / d).sqrt();
    let event = Event::new(TotalVariance, d * target, RESOLUTION * until.get())?;
    let flow = Flow::new(Schedule::constant(beta), until)?.with_event(event)?;
    let trajectory = flow.run(cloud, drift, &Adaptive::new(0.0, TOLERANCE * deviation)?)?;
    let found = trajectory.events[0].crossings.first();
    let score = |raw: f64| raw / beta.get();
    Ok(found.map_or(Timed { value: f64::NAN, error: f64::NAN }, |crossing| Timed {
        value: score(crossing.raw_time.get()),
        error: score(crossing.error),
    }))
}
