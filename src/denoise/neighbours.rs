//! [`Neighbours`]: how many others a token sees.
//!
//! # Formula
//! ```text
//! n_i = (Σ_k ω_k w_ik)² / Σ_k ω_k² w_ik²,      w_ik = exp(−β|z_i − z_k|²/2),  w_ii = 1
//! ```
//! is the number of equal terms that would average as well. Since `w²` is the kernel at `2β`, both are masses of kernel sums. Near one a token is alone: nothing moves it.

use serde::Serialize;

use crate::cloud::Cloud;
use crate::drift::{Drift, DriftField, Targets};
use crate::error::Result;
use crate::scale::Beta;

/// A token with fewer effective neighbours than this, itself included, is isolated: nine tenths of what it averages is itself, or as good as itself.
const ISOLATED: f64 = 1.1;

/// Effective neighbours of the points of a cloud, themselves included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Neighbours {
    /// The median.
    pub median: f64,
    /// The share of points that see nobody else.
    pub isolated: f64,
}

impl Neighbours {
    /// Those of a cloud's own points.
    ///
    /// ```
    /// use ebflow::denoise::Neighbours;
    /// use ebflow::drift::Dense;
    /// use ebflow::{Beta, Cloud};
    /// let pairs = Cloud::new(vec![0.0, 0.0, 100.0, 100.0], 1)?;
    /// let neighbours = Neighbours::of(&pairs, Beta::new(1.0)?, &Dense)?;
    /// assert!((neighbours.median - 2.0).abs() < 1e-12);
    /// assert_eq!(neighbours.isolated, 0.0);
    /// # Ok::<(), ebflow::Error>(())
    /// ```
    pub fn of(cloud: &Cloud, beta: Beta, drift: &dyn Drift) -> Result<Self> {
        let mut numbers = Self::of_each(cloud, beta, drift)?;
        numbers.sort_by(f64::total_cmp);
        let isolated = numbers.partition_point(|n| *n < ISOLATED);
        Ok(Self { median: numbers[numbers.len() / 2], isolated: isolated as f64 / numbers.len() as f64 })
    }

    /// `n_i` for every point.
    pub fn of_each(cloud: &Cloud, beta: Beta, drift: &dyn Drift) -> Result<Vec<f64>> {
        let log_mass = |cloud: &Cloud, beta: Beta| -> Result<Vec<f64>> {
            let mut field = DriftField::default();
            drift.evaluate(cloud.view(), Targets::Sources, beta, &mut field)?;
            Ok(field.log_mass)
        };
        let square = |i: usize| cloud.weight(i).powi(2);
        let squares: f64 = (0..cloud.len()).map(square).sum();
        let sharp = match cloud.weights() {
            None => log_mass(cloud, Beta::new(2.0 * beta.get())?)?,
            Some(_) => {
                let weights = (0..cloud.len()).map(|i| square(i) / squares).collect();
                log_mass(&cloud.clone().with_weights(weights)?, Beta::new(2.0 * beta.get())?)?
            }
        };
        let wide = log_mass(cloud, beta)?;
        Ok(wide.iter().zip(sharp).map(|(wide, sharp)| (2.0 * wide - sharp).exp() / squares).collect())
    }
}
