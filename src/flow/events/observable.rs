//! [`Observable`]: a number that a cloud has, and how sensitive it is to the positions.
//!
//! # Formula
//! The variance with weights `ω_i`, mean `m`, and `x_i = z_i − m`, after moving every particle by `τ v_i + q_i`, `|τ| ≤ w`:
//! ```text
//! V ↦ V + 2τ Σ ω_i x_i·v_i + R,    |R| ≤ w² Σ ω_i |v_i − v̄|² + Σ ω_i (2|x_i| + 2w|v_i − v̄| + |q_i|) |q_i|
//! ```
//! Per axis the same holds with the coordinates along it.

use std::fmt;
use std::sync::Arc;

use crate::cloud::CloudView;
use crate::error::{Error, Result};

/// A number that a cloud has.
pub trait Observable: Send + Sync + fmt::Debug {
    /// Its value.
    fn value(&self, cloud: CloudView<'_>) -> Result<f64>;

    /// A bound on the change of its value when no particle `i` moves farther than `distances[i]`.
    fn change(&self, cloud: CloudView<'_>, distances: &[f64]) -> f64;

    /// Its first-order expansion, for an observable that has one.
    fn expansion(&self, _cloud: CloudView<'_>, _motion: &Motion<'_>) -> Option<Expansion> {
        None
    }
}

/// How far particles move: by `s velocity + q` with `|s| ≤ reach` and `|q| ≤ remainder`, one for each.
#[derive(Debug, Clone, Copy)]
pub struct Motion<'a> {
    /// `dz/dt` of each coordinate.
    pub velocity: &'a [f64],
    /// The longest time `s`.
    pub reach: f64,
    /// What else may move each particle.
    pub remainder: &'a [f64],
}

/// The change of an observable to first order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expansion {
    /// What multiplies the time `s`.
    pub slope: f64,
    /// A bound on the rest.
    pub remainder: f64,
}

/// The total variance `Σ ω_i |z_i − m|²`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TotalVariance;

/// `Σ ω_i (z_i − m)_k²` for one coordinate `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisVariance {
    /// Which coordinate, from zero.
    pub axis: usize,
}

/// A distance between the cloud and something fixed that a coupling bounds, such as `W1` to a law: moving the particles by `d_i` changes it by at
/// most `Σ ω_i d_i`.
///
/// ```
/// use ebflow::flow::{DistanceTo, Observable};
/// use ebflow::{Cloud, CloudView};
/// let to_the_origin = DistanceTo::new("W1 to a point mass at zero", |cloud: CloudView<'_>| {
///     Ok(cloud.points.iter().map(|x| x.abs()).sum::<f64>() / cloud.len() as f64)
/// });
/// let cloud = Cloud::new(vec![-1.0, 3.0], 1)?;
/// assert_eq!(to_the_origin.value(cloud.view())?, 2.0);
/// assert_eq!(to_the_origin.change(cloud.view(), &[0.1, 0.3]), 0.2);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Clone)]
pub struct DistanceTo {
    name: &'static str,
    distance: Arc<dyn Fn(CloudView<'_>) -> Result<f64> + Send + Sync>,
}

impl DistanceTo {
    /// A distance by its name and its value.
    pub fn new(
        name: &'static str,
        distance: impl Fn(CloudView<'_>) -> Result<f64> + Send + Sync + 'static,
    ) -> Self {
        Self { name, distance: Arc::new(distance) }
    }
}

impl fmt::Debug for DistanceTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DistanceTo").field(&self.name).finish()
    }
}

impl Observable for DistanceTo {
    fn value(&self, cloud: CloudView<'_>) -> Result<f64> {
        (self.distance)(cloud)
    }

    fn change(&self, cloud: CloudView<'_>, distances: &[f64]) -> f64 {
        distances.iter().enumerate().map(|(i, d)| weight(cloud, i) * d).sum()
    }
}

impl Observable for TotalVariance {
    fn value(&self, cloud: CloudView<'_>) -> Result<f64> {
        Ok(Axes(0..cloud.dimension).variance(cloud))
    }

    fn change(&self, cloud: CloudView<'_>, distances: &[f64]) -> f64 {
        Axes(0..cloud.dimension).change(cloud, distances)
    }

    fn expansion(&self, cloud: CloudView<'_>, motion: &Motion<'_>) -> Option<Expansion> {
        Some(Axes(0..cloud.dimension).expansion(cloud, motion))
    }
}

impl AxisVariance {
    fn axes(self) -> Axes {
        Axes(self.axis..self.axis + 1)
    }
}

impl Observable for AxisVariance {
    fn value(&self, cloud: CloudView<'_>) -> Result<f64> {
        if self.axis < cloud.dimension {
            return Ok(self.axes().variance(cloud));
        }
        Err(Error::InvalidParameter {
            name: "axis of a variance",
            value: self.axis as f64,
            requirement: "below the dimension of the cloud (axes count from zero)",
        })
    }

    fn change(&self, cloud: CloudView<'_>, distances: &[f64]) -> f64 {
        self.axes().change(cloud, distances)
    }

    fn expansion(&self, cloud: CloudView<'_>, motion: &Motion<'_>) -> Option<Expansion> {
        Some(self.axes().expansion(cloud, motion))
    }
}

/// The coordinates that a variance is taken over.
struct Axes(std::ops::Range<usize>);

impl Axes {
    fn rows<'a>(&'a self, cloud: CloudView<'a>, values: &'a [f64]) -> impl Iterator<Item = (f64, &'a [f64])> {
        let rows = values.chunks_exact(cloud.dimension).enumerate();
        rows.map(move |(i, row)| (weight(cloud, i), &row[self.0.clone()]))
    }

    fn mean(&self, cloud: CloudView<'_>, values: &[f64]) -> Vec<f64> {
        let mut mean = vec![0.0; self.0.len()];
        for (weight, row) in self.rows(cloud, values) {
            mean.iter_mut().zip(row).for_each(|(m, x)| *m += weight * x);
        }
        mean
    }

    /// `|x − mean|` of every row.
    fn offsets(&self, cloud: CloudView<'_>, values: &[f64]) -> Vec<f64> {
        let mean = self.mean(cloud, values);
        let square = |row: &[f64]| row.iter().zip(&mean).map(|(x, m)| (x - m).powi(2)).sum::<f64>();
        self.rows(cloud, values).map(|(_, row)| square(row).sqrt()).collect()
    }

    fn variance(&self, cloud: CloudView<'_>) -> f64 {
        let offsets = self.offsets(cloud, cloud.points);
        offsets.iter().enumerate().map(|(i, x)| weight(cloud, i) * x * x).sum()
    }

    fn change(&self, cloud: CloudView<'_>, distances: &[f64]) -> f64 {
        let offsets = self.offsets(cloud, cloud.points).into_iter().zip(distances);
        offsets.enumerate().map(|(i, (x, d))| weight(cloud, i) * (2.0 * x + d) * d).sum()
    }

    fn expansion(&self, cloud: CloudView<'_>, motion: &Motion<'_>) -> Expansion {
        let Motion { velocity, reach, remainder } = *motion;
        let mean = self.mean(cloud, cloud.points);
        let rows = self.rows(cloud, cloud.points).zip(self.rows(cloud, velocity));
        let inner =
            |(x, v): (&[f64], &[f64])| x.iter().zip(&mean).zip(v).map(|((x, m), v)| (x - m) * v).sum::<f64>();
        let slope = rows.map(|((weight, x), (_, v))| 2.0 * weight * inner((x, v))).sum();
        let (offsets, speeds) = (self.offsets(cloud, cloud.points), self.offsets(cloud, velocity));
        let rest = |i: usize| {
            let (x, v, q) = (offsets[i], reach * speeds[i], remainder[i]);
            weight(cloud, i) * (v * v + (2.0 * x + 2.0 * v + q) * q)
        };
        Expansion { slope, remainder: (0..offsets.len()).map(rest).sum() }
    }
}

fn weight(cloud: CloudView<'_>, i: usize) -> f64 {
    cloud.weights.map_or_else(|| 1.0 / cloud.len() as f64, |w| w[i])
}
