//! Was the asymptotic range reached? A slope is a rate only where it no longer changes.
//!
//! # Formula
//! With `x = ln N`, the quadratic fit `ln y = c₀ + c₁x + c₂x²` has local slope `c₁ + 2c₂x`, which drifts by
//! `2c₂(x_last − x_first)` over the range. With a tolerance `ε`: *reached* when the drift's whole interval lies within `±ε` and
//! the last local slope agrees with the fitted one, *not reached* when the interval lies wholly beyond `±ε`, and *undecided*
//! otherwise: too few seeds or too short a range to say.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::least_squares::LinearFit;
use super::power::power_fit;
use super::{RateData, SizeSample};
use crate::error::{Error, Result};
use crate::metric::interval::{Confidence, Interval};

/// Whether a fitted slope may be read as an asymptotic rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RangeVerdict {
    /// The slope does not change over the range.
    Reached,
    /// It does.
    NotReached,
    /// The data cannot tell.
    Undecided,
}

/// The slope between two neighbouring sizes, from the means over the seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LocalSlope {
    /// The smaller size.
    pub from: f64,
    /// The larger size.
    pub to: f64,
    /// The slope of `ln y` against `ln N` between them.
    pub slope: f64,
}

/// The evidence and the verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AsymptoticRange {
    /// Whether the local slopes have settled.
    pub verdict: RangeVerdict,
    /// By how much the slope changes from the first size to the last.
    pub drift: Interval,
    /// The slopes between neighbouring sizes.
    pub local_slopes: Vec<LocalSlope>,
}

/// Judges whether the slope is settled; `tolerance` is the largest change that counts as none.
pub fn asymptotic_range(data: &RateData, tolerance: f64, confidence: Confidence) -> Result<AsymptoticRange> {
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        let requirement = "a positive finite number";
        return Err(Error::InvalidParameter { name: "slope tolerance", value: tolerance, requirement });
    }
    data.check_enough(3)?;
    let drift = drift(data, confidence)?;
    let local_slopes: Vec<LocalSlope> =
        data.samples().windows(2).map(|pair| local_slope(&pair[0], &pair[1])).collect();
    let slope = power_fit(data, confidence)?.slope;
    let settled = local_slopes
        .last()
        .is_some_and(|last| last.slope >= slope.lower - tolerance && last.slope <= slope.upper + tolerance);
    let verdict = match drift {
        drift if drift.within(tolerance) && settled => RangeVerdict::Reached,
        drift if drift.beyond(tolerance) => RangeVerdict::NotReached,
        _ => RangeVerdict::Undecided,
    };
    Ok(AsymptoticRange { verdict, drift, local_slopes })
}

fn drift(data: &RateData, confidence: Confidence) -> Result<Interval> {
    let centre = data.mean_log_size();
    let points: Vec<(f64, f64)> = data.logs().map(|(x, y)| (x - centre, y)).collect();
    let design = DMatrix::from_fn(points.len(), 3, |row, column| points[row].0.powi(column as i32));
    let fit = LinearFit::new(design, &DVector::from_iterator(points.len(), points.iter().map(|p| p.1)))?;
    let sizes: Vec<f64> = data.samples().iter().map(|sample| sample.size.ln()).collect();
    let span = sizes[sizes.len() - 1] - sizes[0];
    Ok(fit.interval(&[0.0, 0.0, 2.0 * span], confidence))
}

fn local_slope(near: &SizeSample, far: &SizeSample) -> LocalSlope {
    let mean_log =
        |sample: &SizeSample| sample.values.iter().map(|v| v.ln()).sum::<f64>() / sample.values.len() as f64;
    let slope = (mean_log(far) - mean_log(near)) / (far.size / near.size).ln();
    LocalSlope { from: near.size, to: far.size, slope }
}
