//! [`Picture`]: the mean field of a setting at one time, at two resolutions, and what of a Gaussian law can be read off it.
//!
//! # Formula
//! Variances along the axes of `Γ0`; the mean and the correlations along these axes, which vanish while mean and eigenvectors stay; Mardia's kurtosis
//! `E[((Z−m)ᵀC⁻¹(Z−m))²]`; on the line, `W1` to a normal law. Every error bar is how far both resolutions are apart, plus what the estimated error of the law
//! may do.

use nalgebra::{DMatrix, DVector};

use super::nodes::{ESTIMATED, NodePair, mean_field};
use super::setting::{DIAGONALISED, Setting};
use crate::claim::{Row, Value};
use crate::cloud::Cloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::exact::CovarianceFlow;
use crate::flow::{Adaptive, Flow, Schedule, Snapshot};
use crate::law::{Gaussian, Law};
use crate::meanfield::State;
use crate::scale::RawTime;

/// The integrator's error is one to three tolerances; they are given more room than that.
const INTEGRATED: f64 = 10.0;

/// The mean field at one time.
pub(super) struct Picture {
    pub time: RawTime,
    fine: Cloud,
    coarse: Cloud,
    /// Estimated `W1` between the fine and the exact law, beside what the coarse one shows.
    error: f64,
    /// By how much both together may fall short.
    safety: f64,
    /// What the library's mean field knows more.
    state: Option<State>,
}

impl Picture {
    /// The mean field at some times, the last of them last.
    pub fn taken(setting: &Setting, times: [RawTime; 2], drift: &dyn Drift) -> Result<Vec<Self>> {
        if setting.variances.len() <= 2 {
            let evolution = mean_field(setting)?.evolve(&times, drift)?;
            return Ok(evolution.states.into_iter().map(Self::of_state).collect());
        }
        let nodes = NodePair::new(setting, times[1], drift)?;
        let follow = |cloud: &Cloud| {
            let flow = Flow::new(Schedule::constant(setting.beta()?), times[1])?.with_snapshots(times)?;
            flow.run(cloud, drift, &Adaptive::new(0.0, nodes.tolerance)?)
        };
        let (fine, coarse) = (follow(&nodes.fine)?, follow(&nodes.coarse)?);
        let error = INTEGRATED * nodes.tolerance;
        let picture = |(fine, coarse): (Snapshot, Snapshot)| Self {
            time: fine.raw_time,
            fine: fine.cloud,
            coarse: coarse.cloud,
            error,
            safety: 1.0,
            state: None,
        };
        Ok(fine.snapshots.into_iter().zip(coarse.snapshots).map(picture).collect())
    }

    fn of_state(state: State) -> Self {
        Self {
            time: state.raw_time,
            fine: state.fine.cloud().clone(),
            coarse: state.coarse.cloud().clone(),
            error: state.error,
            safety: ESTIMATED,
            state: Some(state),
        }
    }

    /// The variances along the axes. Resolutions may agree along one of them by accident, so the worst of them judges all.
    pub fn variances(&self, flow: &CovarianceFlow) -> Vec<Value> {
        let axes = flow.eigenvectors();
        let [fine, coarse] =
            [&self.fine, &self.coarse].map(|cloud| axes.tr_mul(&(cloud.covariance() * axes)).diagonal());
        let apart = fine.zip_map(&coarse, |a, b| ((a - b) / a).abs()).max();
        let error = |v: f64| self.safety * (apart * v + 2.0 * v.max(0.0).sqrt() * self.error);
        fine.iter().map(|&v| Value::known_to(v, error(v))).collect()
    }

    /// `E[((Z−m)ᵀC⁻¹(Z−m))²]`, whose gradient in `Z` is at most `4 q^{3/2} λ_min^{−1/2}` where the form is `q`.
    pub fn kurtosis(&self) -> Value {
        let (fine, coarse) = (Forms::of(&self.fine), Forms::of(&self.coarse));
        let sensitivity = 4.0 * fine.largest.powf(1.5) / fine.narrowest.sqrt();
        let apart = (fine.kurtosis - coarse.kurtosis).abs();
        Value::known_to(fine.kurtosis, self.safety * (apart + sensitivity * self.error))
    }

    /// `W1` to a normal law, on the line.
    pub fn distance_to(&self, mean: f64, deviation: f64) -> Result<Option<Value>> {
        let Some(state) = self.state.as_ref().filter(|_| self.fine.dimension() == 1) else { return Ok(None) };
        let law = Law::Gaussian(Gaussian::isotropic(vec![mean], deviation)?).on_line()?;
        let (fine, coarse) = (state.fine.w1_to(&law)?, state.coarse.w1_to(&law)?);
        Ok(Some(Value::known_to(fine, self.safety * ((fine - coarse).abs() + self.error))))
    }
}

/// The forms `q = (z−m)ᵀC⁻¹(z−m)` of a cloud.
struct Forms {
    kurtosis: f64,
    largest: f64,
    narrowest: f64,
}

impl Forms {
    fn of(cloud: &Cloud) -> Self {
        let (mean, eigen) = (cloud.mean(), cloud.covariance().symmetric_eigen());
        let form = |row: &[f64]| {
            let along = eigen.eigenvectors.tr_mul(&(DVector::from_column_slice(row) - &mean));
            along.zip_map(&eigen.eigenvalues, |x, l| x * x / l).sum()
        };
        let forms: Vec<f64> = cloud.rows().map(form).collect();
        Self {
            kurtosis: forms.iter().enumerate().map(|(i, q)| cloud.weight(i) * q * q).sum(),
            largest: forms.iter().copied().fold(0.0, f64::max),
            narrowest: eigen.eigenvalues.min(),
        }
    }
}

/// How far mean and eigenvectors have moved, in standard deviations along the axes.
#[derive(Default)]
pub(super) struct Straying {
    largest: f64,
    error: f64,
}

impl Straying {
    /// Takes in one time.
    pub fn add(&mut self, picture: &Picture, flow: &CovarianceFlow) {
        let [fine, coarse] = [&picture.fine, &picture.coarse].map(|cloud| offsets(cloud, flow));
        let narrowest = picture.fine.covariance().symmetric_eigenvalues().min().max(0.0).sqrt();
        let apart = picture.safety * ((&fine - coarse).amax() + 2.0 * picture.error / narrowest);
        // Not `max`, which would swallow a NaN.
        self.largest = if fine.amax() <= self.largest { self.largest } else { fine.amax() };
        self.error = self.error.max(apart);
    }

    /// Nothing has moved.
    pub fn row(&self, setting: &Setting) -> Row {
        let quantity =
            if setting.variances.len() > 1 { "drift of mean and eigenvectors" } else { "drift of the mean" };
        let measured = Value::known_to(self.largest, self.error + DIAGONALISED);
        Row::equal(&setting.name(), quantity, measured, Value::exact(0.0)).on_scale(1.0)
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
