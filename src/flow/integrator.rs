//! [`Integrator`]: a way of following the flow in time.
//!
//! # Adding one
//! 1. A file of its own, with a struct whose constructor checks the parameters.
//! 2. [`Integrator::integrate`]: go from `field.start()` to `field.horizon()`, get every derivative from [`Field::evaluate`] (it guards against
//!    NaN and counts), and hand each step to the observer as a [`Step`](super::Step) with a path in between that is as accurate as
//!    the step itself. Do not look at what is being observed: the path must not depend on it.
//! 3. A `mod` and a `pub use` line in the module above, and an entry in the lists `integrators()` of
//!    `tests/flow/doubles.rs` and `tests/properties.rs`: what holds for one integrator is tested for all.
//!
//! Forward Euler in full, as an example:
//!
//! ```
//! use ebflow::flow::{IntegrationEnd, Field, Integrator, Moment, Step, StepObserver};
//! use ebflow::{RawTime, Result};
//!
//! struct Euler { steps: u32 }
//!
//! impl Integrator for Euler {
//!     fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
//!         let mut points = field.start().points().to_vec();
//!         let mut derivative = vec![0.0; points.len()];
//!         let length = field.horizon().get() / f64::from(self.steps);
//!         for step in 0..self.steps {
//!             let from = length * f64::from(step);
//!             field.evaluate(from, &points, &mut derivative)?;
//!             let at = |time: f64| {
//!                 points.iter().zip(&derivative).map(|(z, v)| z + (time - from) * v).collect::<Vec<_>>()
//!             };
//!             let next = at(from + length);
//!             observer.accepted(&Step::new(
//!                 Moment { raw_time: RawTime::new(from)?, points: &points, derivative: &derivative },
//!                 Moment { raw_time: RawTime::new(from + length)?, points: &next, derivative: &derivative },
//!                 &|time| Ok(at(time)),
//!             ))?;
//!             points = next;
//!         }
//!         Ok(IntegrationEnd { points, steps: u64::from(self.steps), rejected: 0 })
//!     }
//! }
//! ```

use super::{Field, StepObserver};
use crate::cloud::Cloud;
use crate::error::Result;
use crate::scale::{Beta, RawTime};

/// A way of following the flow in time. See the [module](self) for how to add one.
pub trait Integrator: Send + Sync {
    /// Follows `field` from its start to its horizon, which is positive, and tells the observer of every accepted step.
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd>;

    /// How far a step may put a particle of `cloud` from where the flow would have taken it; `None` if the integrator does not know.
    /// No step may leave the convex hull by more.
    fn step_error(&self, _cloud: &Cloud) -> Option<f64> {
        None
    }

    /// The integrator that the error of this one is judged by, for an integrator whose own steps are too coarse and too many to be
    /// taken in halves; `None` for all others.
    fn reference_integrator(&self, _beta: Beta, _horizon: RawTime) -> Option<Box<dyn Integrator>> {
        None
    }
}

impl<I: Integrator + ?Sized> Integrator for &I {
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        (**self).integrate(field, observer)
    }

    fn step_error(&self, cloud: &Cloud) -> Option<f64> {
        (**self).step_error(cloud)
    }

    fn reference_integrator(&self, beta: Beta, horizon: RawTime) -> Option<Box<dyn Integrator>> {
        (**self).reference_integrator(beta, horizon)
    }
}

/// Where an integrator ended, and in how many steps.
#[derive(Debug, Clone)]
pub struct IntegrationEnd {
    /// The positions at the horizon, row-major.
    pub points: Vec<f64>,
    /// How many were accepted.
    pub steps: u64,
    /// Steps tried and thrown away.
    pub rejected: u64,
}
