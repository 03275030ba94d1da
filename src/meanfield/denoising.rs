//! When the mean field is closest to the prior.
//!
//! # Formula
//! `T*_β = argmin_t W1(f_t, P0)`. The curve may have a corner at its minimum (for a Gaussian `W1 ∝ |σ_t − σ_P|`), so the search
//! compares values only: a scan for the bracket, then golden sections.
//!
//! # Paper
//! `prop:denoising_time`, `lem:time`, `thm:gaussiandenoise`

use super::MeanField;
use super::quadrature::QuadratureCloud;
use crate::drift::Drift;
use crate::error::Result;
use crate::law::LineLaw;
use crate::measured::Measured;
use crate::scale::{Beta, RawTime};

/// Moments at which the curve is scanned for its minimum.
const SCAN: usize = 24;
/// Golden sections stop at this share of the horizon: a corner can be located so well, a smooth minimum cannot.
const NARROW: f64 = 1e-9;
/// Rounding of a computed `W1`, relative to the scale of the law.
const ROUNDOFF: f64 = 1e-15;
/// The golden ratio's inverse.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The minimum of `t ↦ W1(f_t, P0)`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DenoisingTime {
    /// Where it is, in the raw clock.
    pub raw_time: Measured,
    /// What it is.
    pub w1: Measured,
}

impl MeanField {
    /// When, up to the horizon, the law on the line is closest to its prior; `None` when it still comes closer at the horizon.
    pub fn denoising_time(&self, horizon: RawTime, drift: &dyn Drift) -> Result<Option<DenoisingTime>> {
        let moment = |i: usize| RawTime::new(horizon.get() * i as f64 / SCAN as f64);
        let times = (0..=SCAN).map(moment).collect::<Result<Vec<_>>>()?;
        let evolution = self.evolve(&times, drift)?;
        let curve = evolution.states.iter().map(|state| state.w1_to_prior());
        let curve = curve.collect::<Result<Vec<_>>>()?;
        let lowest = (0..=SCAN).min_by(|&a, &b| curve[a].value.total_cmp(&curve[b].value)).unwrap_or(0);
        if lowest == SCAN {
            return Ok(None);
        }
        let left = lowest.saturating_sub(1);
        let width = horizon.get() * (lowest + 1 - left) as f64 / SCAN as f64;
        let prior = self.law.on_line()?;
        let start = &evolution.states[left];
        let search = |law| Search { law, prior: &prior, beta: self.beta, drift, width };
        let narrow = NARROW * horizon.get();
        let (fine, coarse) = (search(&start.fine), search(&start.coarse));
        let (found, judge) = (fine.minimum(narrow)?, coarse.minimum(narrow)?);
        let apart = (found.value - judge.value).abs();
        let flat = fine.flat(found, apart + ROUNDOFF * start.fine.scale(), narrow)?;
        let missed = fine.rise(found, 2.0 * narrow)?;
        Ok(Some(DenoisingTime {
            raw_time: Measured::of_two(found.at, judge.at).widened(flat) + start.raw_time.get(),
            w1: Measured::known_to(found.value, apart + curve[lowest].numerical + missed),
        }))
    }
}

struct Search<'a> {
    law: &'a QuadratureCloud,
    prior: &'a LineLaw,
    beta: Beta,
    drift: &'a dyn Drift,
    /// Raw time after the start within which the minimum lies.
    width: f64,
}

#[derive(Debug, Clone, Copy)]
struct Value {
    at: f64,
    value: f64,
}

impl Search<'_> {
    /// `W1` to the prior some raw time after the start.
    fn value(&self, at: f64) -> Result<Value> {
        let law = self.law.advanced(RawTime::new(at)?, self.beta, self.drift)?;
        Ok(Value { at, value: law.w1_to(self.prior)? })
    }

    /// Golden sections, down to intervals of length `narrow`.
    fn minimum(&self, narrow: f64) -> Result<Value> {
        let (mut low, mut high) = (0.0, self.width);
        let mut left = self.value(self.width * (1.0 - GOLDEN))?;
        let mut right = self.value(self.width * GOLDEN)?;
        while high - low > narrow {
            if left.value <= right.value {
                high = right.at;
                right = left;
                left = self.value(high - GOLDEN * (high - low))?;
            } else {
                low = left.at;
                left = right;
                right = self.value(low + GOLDEN * (high - low))?;
            }
        }
        Ok(if left.value <= right.value { left } else { right })
    }

    /// How much higher the curve is so far from a minimum: at a corner, this is by how much a search that stopped there may have missed it.
    fn rise(&self, minimum: Value, distance: f64) -> Result<f64> {
        let sides = [(minimum.at - distance).max(0.0), (minimum.at + distance).min(self.width)];
        let [before, after] = sides.map(|at| self.value(at));
        Ok((before?.value.max(after?.value) - minimum.value).max(0.0))
    }

    /// How far from the minimum, to the nearest power of two, values are within `noise` of it: there it might as well be.
    fn flat(&self, minimum: Value, noise: f64, narrow: f64) -> Result<f64> {
        let mut distance = narrow;
        while distance < self.width {
            let sides = [(minimum.at - distance).max(0.0), (minimum.at + distance).min(self.width)];
            let [before, after] = sides.map(|at| self.value(at));
            if before?.value.min(after?.value) > minimum.value + noise {
                break;
            }
            distance *= 2.0;
        }
        Ok(distance)
    }
}
