//! [`MeanFieldSnapshot`]: the mean field of a setting at one time, at two resolutions, and what of a Gaussian law can be read off it.
//!
//! # Formula
//! Variances along the axes of `Γ0`; the mean and the correlations along these axes, which vanish while mean and
//! eigenvectors stay; on the line, `W1` to a normal law; Mardia's kurtosis, with `y = C^{−1/2}(Z−m)` along the axes,
//! ```text
//! E[((Z−m)ᵀC⁻¹(Z−m))²] = Σ_ij E[y_i² y_j²]
//! ```
//! Every error bar is how far both resolutions are apart, plus what the estimated error of the law may do. For the
//! kurtosis they are compared term by term, so that they do not agree by accident; it does not see an affine map, which
//! is what an error in time is to a Gaussian law, so there is no more to add.

use nalgebra::{DMatrix, DVector};

use super::nodes::{FINER, NodePair, Nodes, mean_field};
use super::setting::{DIAGONALISED, Setting};
use crate::claim::Row;
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::flow::{Adaptive, Flow, Snapshot};
use crate::law::{Gaussian, Law};
use crate::meanfield::State;
use crate::measured::Measured;
use crate::scale::RawTime;

/// The mean field at one time.
pub(super) struct MeanFieldSnapshot {
    pub time: RawTime,
    fine: Cloud,
    coarse: Cloud,
    /// The share of what both are apart that counts.
    share: f64,
    /// `W1` between the fine and the exact law, beside that.
    error: f64,
    /// What the library's mean field knows more.
    state: Option<State>,
}

impl MeanFieldSnapshot {
    /// The mean field at some times, in their order.
    pub fn taken(setting: &Setting, times: &[RawTime], drift: &dyn Drift) -> Result<Vec<Self>> {
        if setting.variances.len() <= 2 {
            let evolution = mean_field(setting)?.evolve(times, drift)?;
            return Ok(evolution.states.into_iter().map(Self::of_state).collect());
        }
        let last = times.iter().copied().fold(RawTime::new(0.0)?, |a, b| if b > a { b } else { a });
        let follow = |nodes: &Nodes| {
            let flow = Flow::new(setting.beta()?, last).with_snapshots(times.to_vec());
            flow.with_drift(drift).with_integrator(Adaptive::new(0.0, nodes.tolerance)?).run(&nodes.cloud)
        };
        let nodes = NodePair::new(&setting.flow()?)?;
        let (fine, coarse) = (follow(&nodes.fine)?.snapshots, follow(&nodes.coarse)?.snapshots);
        Ok(fine.into_iter().zip(coarse).map(|(fine, coarse)| Self::of_nodes(fine, coarse)).collect())
    }

    fn of_state(state: State) -> Self {
        Self {
            time: state.raw_time,
            fine: state.fine.cloud().clone(),
            coarse: state.coarse.cloud().clone(),
            share: 1.0,
            error: state.error,
            state: Some(state),
        }
    }

    fn of_nodes(fine: Snapshot, coarse: Snapshot) -> Self {
        // Rounding of sums over all nodes.
        let rounding = growth(fine.raw_time) * f64::EPSILON * fine.cloud.len() as f64;
        Self {
            time: fine.raw_time,
            error: rounding * fine.cloud.covariance().trace().sqrt(),
            fine: fine.cloud,
            coarse: coarse.cloud,
            share: FINER,
            state: None,
        }
    }

    /// The variances along the axes. Resolutions may agree along one of them by accident, so the worst of them judges all.
    pub fn variances(&self, flow: &CovarianceFlow) -> Vec<Measured> {
        let axes = flow.eigenvectors();
        let [fine, coarse] =
            [&self.fine, &self.coarse].map(|cloud| axes.tr_mul(&(cloud.covariance() * axes)).diagonal());
        let apart = fine.zip_map(&coarse, |a, b| ((a - b) / a).abs()).max();
        let error = |v: f64| self.share * apart * v + 2.0 * v.max(0.0).sqrt() * self.error;
        fine.iter().map(|&v| Measured::known_to(v, error(v))).collect()
    }

    /// Mardia's kurtosis.
    pub fn kurtosis(&self, flow: &CovarianceFlow) -> Measured {
        let [fine, coarse] =
            [&self.fine, &self.coarse].map(|cloud| fourth_moments(cloud, flow.eigenvectors()));
        let apart: f64 = (&fine - coarse).iter().map(|difference| difference.abs()).sum();
        Measured::known_to(fine.sum(), self.share * apart + growth(self.time) * f64::EPSILON * fine.sum())
    }

    /// `W1` to a normal law, on the line.
    pub fn distance_to(&self, mean: f64, deviation: f64) -> Result<Option<Measured>> {
        let Some(state) = self.state.as_ref().filter(|_| self.fine.dimension() == 1) else { return Ok(None) };
        let law = Law::Gaussian(Gaussian::isotropic(vec![mean], deviation)?).on_line()?;
        Ok(Some(state.w1_to(&law)?))
    }
}

/// By how much the flow may have enlarged rounding: `e^{2t/e}` (see [`MeanField`](crate::meanfield::MeanField)).
fn growth(time: RawTime) -> f64 {
    (2.0 * time.get() / std::f64::consts::E).exp()
}

/// `E[y_i² y_j²]` along axes, with `y = C^{−1/2}(z−m)`.
fn fourth_moments(cloud: &Cloud, axes: &DMatrix<f64>) -> DMatrix<f64> {
    let (mean, eigen) = (cloud.mean(), cloud.covariance().symmetric_eigen());
    let inverse_root = DMatrix::from_diagonal(&eigen.eigenvalues.map(|l| 1.0 / l.sqrt()));
    let whiten = axes.tr_mul(&(&eigen.eigenvectors * inverse_root * eigen.eigenvectors.transpose()));
    let mut moments = DMatrix::zeros(mean.len(), mean.len());
    for (i, row) in cloud.rows().enumerate() {
        let squares = (&whiten * (DVector::from_column_slice(row) - &mean)).map(|y| y * y);
        moments.ger(cloud.weight(i), &squares, &squares, 1.0);
    }
    moments
}

/// How far mean and eigenvectors have moved, in standard deviations along the axes.
#[derive(Default)]
pub(super) struct Departure {
    largest: f64,
    error: f64,
}

impl Departure {
    /// Takes in one time.
    pub fn add(&mut self, snapshot: &MeanFieldSnapshot, flow: &CovarianceFlow) {
        let [fine, coarse] = [&snapshot.fine, &snapshot.coarse].map(|cloud| offsets(cloud, flow));
        let narrowest = snapshot.fine.covariance().symmetric_eigenvalues().min().max(0.0).sqrt();
        let apart = snapshot.share * (&fine - coarse).amax() + 2.0 * snapshot.error / narrowest;
        // Not `max`, which would swallow a NaN.
        self.largest = if fine.amax() <= self.largest { self.largest } else { fine.amax() };
        self.error = self.error.max(apart);
    }

    /// Nothing has moved.
    pub fn row(&self, setting: &Setting) -> Row {
        let quantity = if setting.variances.len() > 1 {
            "displacement of mean and eigenvectors"
        } else {
            "displacement of the mean"
        };
        let measured = Measured::known_to(self.largest, self.error + DIAGONALISED);
        Row::equal(&setting.name(), quantity, measured, Measured::exact(0.0)).on_scale(1.0)
    }
}

/// The mean's offset, and correlations along the axes that should be principal.
fn offsets(cloud: &Cloud, flow: &CovarianceFlow) -> DMatrix<f64> {
    let axes = flow.eigenvectors();
    let covariance = axes.tr_mul(&(cloud.covariance() * axes));
    let mean = axes.tr_mul(&(cloud.mean() - flow.mean()));
    let deviation = |i: usize| covariance[(i, i)].max(0.0).sqrt();
    DMatrix::from_fn(mean.len(), mean.len(), |i, j| {
        if i == j { mean[i] / deviation(i) } else { covariance[(i, j)] / (deviation(i) * deviation(j)) }
    })
}
