//! Rates: how an error falls with a size, fitted with confidence intervals from repeated seeds.
//!
//! # Formula
//! | model | fitted | in |
//! |---|---|---|
//! | `y = C·N^s` | `ln y = ln C + s ln N`, least squares over all seeds | [`power_fit`] |
//! | `y = a·N^{−p} + b` | relative residuals, least squares over all seeds | [`mixed_fit`] |
//! | `ln y = c₀ + c₁ x + c₂ x²`, `x = ln N` | the drift `2c₂·(x_last − x_first)` of the slope | [`asymptotic_range`] |
//!
//! Intervals are Student's, with as many degrees of freedom as there are values beyond the parameters. They are right
//! when the values are independent; seeds that were used at several sizes go through [`seedwise_slope`].

mod least_squares;
mod mixed;
mod power;
mod range;
#[cfg(test)]
mod tests;

pub use mixed::{MixedFit, mixed_fit};
pub use power::{PowerFit, power_fit, seedwise_slope};
pub use range::{AsymptoticRange, LocalSlope, RangeVerdict, asymptotic_range};

use crate::error::{Error, Result};

/// The values that several seeds gave at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeSample {
    /// The size, such as the number of particles `N`.
    pub size: f64,
    /// One value per seed.
    pub values: Vec<f64>,
}

/// Values by size: sizes positive and increasing, values positive.
///
/// ```
/// use ebflow::metric::{Confidence, RateData, SizeSample, power_fit};
/// let sizes = [100.0, 400.0, 1600.0];
/// let noisy = |n: f64| vec![1.02 / n.sqrt(), 0.98 / n.sqrt()];
/// let data = RateData::new(sizes.iter().map(|&size| SizeSample { size, values: noisy(size) }).collect())?;
/// let slope = power_fit(&data, Confidence::new(0.95)?)?.slope;
/// assert!(slope.lower < -0.5 && -0.5 < slope.upper);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RateData {
    samples: Vec<SizeSample>,
}

impl RateData {
    /// Checks sizes and values and sorts by size.
    pub fn new(mut samples: Vec<SizeSample>) -> Result<Self> {
        samples.sort_by(|a, b| a.size.total_cmp(&b.size));
        for sample in &samples {
            positive("size of a rate fit", sample.size)?;
            for &value in &sample.values {
                positive("value of a rate fit", value)?;
            }
            if sample.values.is_empty() {
                return Err(Error::Fit { problem: format!("there are no values at size {}", sample.size) });
            }
        }
        if let Some(pair) = samples.windows(2).find(|pair| pair[0].size == pair[1].size) {
            let problem = format!("size {} occurs twice; collect its values in one sample", pair[0].size);
            return Err(Error::Fit { problem });
        }
        Ok(Self { samples })
    }

    /// The samples by increasing size.
    pub fn samples(&self) -> &[SizeSample] {
        &self.samples
    }

    /// Number of values at all sizes together.
    pub fn values(&self) -> usize {
        self.samples.iter().map(|sample| sample.values.len()).sum()
    }

    /// Every `(ln size, ln value)`.
    fn logs(&self) -> impl Iterator<Item = (f64, f64)> {
        self.samples
            .iter()
            .flat_map(|sample| sample.values.iter().map(|value| (sample.size.ln(), value.ln())))
    }

    /// The mean of `ln size` over all values.
    fn mean_log_size(&self) -> f64 {
        self.logs().map(|(x, _)| x).sum::<f64>() / self.values() as f64
    }

    /// Refuses data that cannot determine a model of so many parameters with an error estimate.
    fn check_enough(&self, parameters: usize) -> Result<()> {
        if self.samples.len() >= parameters && self.values() > parameters {
            return Ok(());
        }
        Err(Error::Fit {
            problem: format!(
                "{} values at {} sizes do not determine {parameters} parameters and their error; add sizes or seeds",
                self.values(),
                self.samples.len()
            ),
        })
    }
}

fn positive(name: &'static str, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(Error::InvalidParameter { name, value, requirement: "a positive finite number" })
}
