//! [`Trial`]: finite samples beside their exact partners.
//!
//! # Formula
//! A sample follows the flow; its partners start at the same points and follow the characteristics of the law, so their covariance along the axis `q_i` is
//! `λ_i(t)/λ_i(0)` of what it was. With `D_N` the difference of the total variances, and `D_{N/2}` the same for either half of the sample,
//! ```text
//! D = 2 D_N − (D_{N/2} + D'_{N/2})/2
//! ```
//! has no bias of order `1/N`, which a sample has because every particle is its own nearest neighbour. Several seeds give its mean and its standard error.

use super::covariance::ClosedForm;
use super::setting::Setting;
use crate::claim::{Role, Row, Value};
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::flow::{Adaptive, Flow, Schedule};
use crate::law::generator;
use crate::metric::{Confidence, Interval};
use crate::scale::RawTime;

/// The first seed.
const SEED: u64 = 2_026;
/// Tolerance in time, far below the sampling error.
const TOLERANCE: f64 = 1e-7;

/// Samples of one size from one law.
pub(super) struct Trial {
    pub setting: Setting,
    pub particles: usize,
    pub seeds: u64,
    pub role: Role,
}

/// A difference of total variances, and what integration may have done to it.
struct Gap {
    value: f64,
    error: f64,
}

impl Trial {
    /// The difference of the total variances of particles and partners at the horizon: zero, but for sampling.
    pub fn row(&self, closed_form: ClosedForm, drift: &dyn Drift) -> Result<Row> {
        let (flow, time) = (self.setting.flow()?, self.setting.horizons(1.0)?);
        let noisy = self.setting.prior()?.noisy(self.setting.noise()?);
        let end = closed_form(&flow, time);
        let (mut gaps, mut error) = (Vec::new(), 0.0_f64);
        for seed in 0..self.seeds {
            let sample = noisy.sample(self.particles, &mut generator(SEED + seed))?;
            let gap = |part: &Cloud| gap(part, &flow, &end, time, drift);
            let [first, second] = halves(&sample)?;
            let (whole, first, second) = (gap(&sample)?, gap(&first)?, gap(&second)?);
            gaps.push(2.0 * whole.value - 0.5 * (first.value + second.value));
            error = error.max(2.0 * whole.error + 0.5 * (first.error + second.error));
        }
        let mean = Interval::of_mean(&gaps, Confidence::new(0.95)?)?;
        let measured = Value::known_to(mean.estimate, error).sampled(mean.standard_error);
        let quantity = "total variance of particles less that of their exact partners";
        let case = format!("{}, N = {}", self.setting.name(), self.particles);
        Ok(Row::equal(&case, quantity, measured, Value::exact(0.0)).on_scale(end.sum()).as_role(self.role))
    }
}

fn gap(
    sample: &Cloud,
    flow: &CovarianceFlow,
    end: &nalgebra::DVector<f64>,
    time: RawTime,
    drift: &dyn Drift,
) -> Result<Gap> {
    let follow = Flow::new(Schedule::constant(flow.beta()), time)?.with_error_estimate();
    let trajectory = follow.run(sample, drift, &Adaptive::new(0.0, TOLERANCE)?)?;
    let (axes, start) = (flow.eigenvectors(), sample.covariance());
    let partner = |i: usize| {
        let axis = axes.column(i);
        end[i] / flow.initial_eigenvalues()[i] * axis.dot(&(&start * axis))
    };
    let partners: f64 = (0..end.len()).map(partner).sum();
    let variance = trajectory.end.covariance().trace();
    let error = trajectory.error.estimate.map_or(f64::NAN, |estimate| estimate.max);
    Ok(Gap { value: variance - partners, error: 2.0 * variance.sqrt() * error })
}

/// Every second point, and the others.
fn halves(cloud: &Cloud) -> Result<[Cloud; 2]> {
    let half = |parity: usize| {
        let points = cloud.rows().skip(parity).step_by(2).flatten().copied().collect();
        Cloud::new(points, cloud.dimension())
    };
    Ok([half(0)?, half(1)?])
}
