//! The power law `y = C·N^s`.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::RateData;
use super::least_squares::LinearFit;
use crate::error::{Error, Result};
use crate::metric::interval::{Confidence, Interval};

/// A fitted power law `y = C·N^s`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PowerFit {
    /// The slope `s` of `ln y` against `ln N`: negative when the error falls.
    pub slope: Interval,
    /// `ln C`.
    pub log_prefactor: Interval,
    /// Standard deviation of `ln y` about the line.
    pub scatter: f64,
}

impl PowerFit {
    /// The fitted value at a size.
    pub fn at(&self, size: f64) -> f64 {
        (self.log_prefactor.estimate + self.slope.estimate * size.ln()).exp()
    }
}

/// Fits `ln y = ln C + s ln N` to all values of all seeds.
pub fn power_fit(data: &RateData, confidence: Confidence) -> Result<PowerFit> {
    data.check_enough(2)?;
    let centre = data.mean_log_size();
    let fit = fit_line(data.logs().map(|(x, y)| (x - centre, y)).collect())?;
    Ok(PowerFit {
        slope: fit.interval(&[0.0, 1.0], confidence),
        log_prefactor: fit.interval(&[1.0, -centre], confidence),
        scatter: (fit.residual / fit.freedom() as f64).sqrt(),
    })
}

/// The slope fitted for each seed on its own, then averaged: right when one seed's values at different sizes are related,
/// as nested draws are. The `k`-th value of every sample must come from the same seed.
pub fn seedwise_slope(data: &RateData, confidence: Confidence) -> Result<Interval> {
    let seeds = data.samples().first().map_or(0, |sample| sample.values.len());
    if data.samples().len() < 2 || data.samples().iter().any(|sample| sample.values.len() != seeds) {
        return Err(Error::Fit {
            problem: "slopes by seed need two sizes or more and the same seeds at each of them".into(),
        });
    }
    let slope = |seed: usize| -> Result<f64> {
        let line = data.samples().iter().map(|sample| (sample.size.ln(), sample.values[seed].ln()));
        Ok(fit_line(line.collect())?.coefficients[1])
    };
    Interval::of_mean(&(0..seeds).map(slope).collect::<Result<Vec<f64>>>()?, confidence)
}

/// The least-squares line through points.
fn fit_line(points: Vec<(f64, f64)>) -> Result<LinearFit> {
    let design =
        DMatrix::from_fn(points.len(), 2, |row, column| if column == 0 { 1.0 } else { points[row].0 });
    LinearFit::new(design, &DVector::from_iterator(points.len(), points.iter().map(|point| point.1)))
}
