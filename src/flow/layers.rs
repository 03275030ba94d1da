//! [`Layers`]: Algorithm 1, a network of residual attention layers.
//!
//! # Formula
//! ```text
//! z ← (1 − η_ℓ) z + η_ℓ F(z) = z + η_ℓ v(z),    η_ℓ = η(t_ℓ) T/L,   t_ℓ = ℓ T/L
//! ```
//! This is Euler's rule for the flow, so `L` layers are first-order accurate. Every `η_ℓ` must be below one: then each
//! layer moves particles to convex combinations of particles, and none leaves the convex hull.
//! Between layers the path is the straight segment that Euler's rule draws.
//!
//! # Paper
//! `alg:two_stage_multilayer_attn`, `upd:discr`; remark "Convex hull invariance"

use super::field::check_finite;
use super::{Adaptive, Field, IntegrationEnd, Integrator, Moment, Step, StepObserver};
use crate::cloud::Cloud;
use crate::error::{Error, Result};
use crate::scale::{Beta, RawTime};

/// Tolerance of the run that judges a network, in units of a layer's error.
const JUDGE_ACCURACY: f64 = 1e-3;

/// A network of `L` layers that divide the horizon evenly.
///
/// ```
/// use ebflow::drift::Dense;
/// use ebflow::flow::{Flow, Layers};
/// use ebflow::{Beta, Cloud, RawTime};
/// let cloud = Cloud::new(vec![-1.0, 1.0], 1)?;
/// let flow = Flow::new(Beta::new(1.0)?, RawTime::new(3.0)?);
/// let trajectory = flow.clone().with_drift(Dense).with_integrator(Layers::new(30)?).run(&cloud)?;
/// assert_eq!(trajectory.statistics.evaluations, 30);
///
/// let error = flow.with_drift(Dense).with_integrator(Layers::new(3)?).run(&cloud).unwrap_err();
/// assert!(error.to_string().contains("use at least 4 layers"));
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layers {
    count: usize,
}

impl Layers {
    /// `count` layers; at least one.
    pub fn new(count: usize) -> Result<Self> {
        if count == 0 {
            return Err(Error::InvalidParameter {
                name: "number of layers",
                value: 0.0,
                requirement: "at least one",
            });
        }
        Ok(Self { count })
    }

    /// The number of layers `L`.
    pub fn count(&self) -> usize {
        self.count
    }

    /// `t_ℓ`, exact at both ends.
    fn time(&self, layer: usize, horizon: RawTime) -> f64 {
        horizon.get() * (layer as f64 / self.count as f64)
    }

    /// Refuses a network with a layer of `η ≥ 1` before any work is done.
    fn check_steps(&self, field: &Field<'_>, horizon: RawTime) -> Result<()> {
        let mut fastest = 0.0_f64;
        for layer in 0..self.count {
            fastest = fastest.max(field.schedule().at(self.time(layer, horizon))?.rate);
        }
        let step = fastest * horizon.get() / self.count as f64;
        if step < 1.0 {
            return Ok(());
        }
        let enough = ((fastest * horizon.get()).floor() as usize).saturating_add(1);
        Err(Error::StepTooLong { layers: self.count, step, enough })
    }
}

impl Integrator for Layers {
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        let horizon = field.horizon();
        self.check_steps(field, horizon)?;
        let dimension = field.start().dimension();
        let length = horizon.get() / self.count as f64;
        let mut points = field.start().points().to_vec();
        let mut derivative = vec![0.0; points.len()];
        for layer in 0..self.count {
            let (from, to) = (self.time(layer, horizon), self.time(layer + 1, horizon));
            field.evaluate(from, &points, &mut derivative)?;
            let before = points.clone();
            points.iter_mut().zip(&derivative).for_each(|(z, v)| *z += length * v);
            check_finite("the position", to, &points, dimension)?;
            let segment =
                |time: f64| Ok(before.iter().zip(&derivative).map(|(z, v)| z + (time - from) * v).collect());
            let moment =
                |time, points| Ok(Moment { raw_time: RawTime::new(time)?, points, derivative: &derivative });
            observer.accepted(&Step::new(moment(from, &before)?, moment(to, &points)?, &segment))?;
        }
        Ok(IntegrationEnd { points, steps: self.count as u64, rejected: 0 })
    }

    /// A layer is a convex combination, exactly.
    fn step_error(&self, _cloud: &Cloud) -> Option<f64> {
        Some(0.0)
    }

    /// An adaptive run that is finer than a layer's error, about `η β^{−1/2}`.
    fn reference_integrator(&self, beta: Beta, horizon: RawTime) -> Option<Box<dyn Integrator>> {
        let step = horizon.get() / self.count as f64;
        let judge = Adaptive::new(0.0, JUDGE_ACCURACY * step / beta.get().sqrt()).ok()?;
        Some(Box::new(judge))
    }
}
