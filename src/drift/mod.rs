//! The kernel sums: `v(x) = F(x) − x` for targets `x` against weighted sources `z_j`.
//!
//! ```text
//! v(x) = Σ_j ω_j w_j(x) (z_j − x) / Σ_j ω_j w_j(x),    w_j(x) = exp(−β|x − z_j|²/2)
//! ```
//!
//! Stage 1 takes the sources themselves as targets; Stage 2 takes the noisy tokens as targets and `β = 1/τ`.
//! Every implementation sums `ω_j w_j (z_j − x)` rather than `F − x`, so nothing cancels.
//!
//! | drift | sums over | home |
//! |---|---|---|
//! | [`Dense`] | all pairs, by SIMD tiles | small clouds, wide kernels |
//! | [`Blocks`] | pairs of tiles, and of quads of points in them, that are near enough | narrow kernels, any dimension |
//! | [`KdTree`] | neighbours found in a k-d tree, one at a time | a reference for truncation, `d ≤ 8` |
//! | [`GaussTransform`] | Chebyshev moments of boxes, in time proportional to `N` | large clouds, `d ≤ 2` |
//! | [`Auto`] | whatever of these is fastest for the cloud | everyday use |
//!
//! A truncated or compressed sum never moves a drift by more than its [`Tolerance`]; [`DriftField::truncation`] says by how much it may have, and
//! [`DriftField::rounding`] bounds what rounding did. Both are true bounds, for weighted sources and for targets anywhere. In units of the kernel's width their sum also bounds
//! what is wrong, relatively, with the mass of a target within some widths of the sources.
//!
//! [`Named`] has them by the names that people write.
//!
//! Inside, `tiled` is the entry: `sources` cuts the cloud into `tiles` (ordered by `order`, over which `tree` stands), `partners` decides by `cutoff` which
//! pairs of tiles matter, `sweep` traverses them on all threads with the same result for any number, and `kernel` sums over a pair by `four_rows`. `self_drift` and
//! `queries` put these together.
//!
//! # Adding one
//! 1. A file of its own, with a struct that holds nothing but how the sum is to be made.
//! 2. [`Drift::evaluate`]: [`DriftField::reset`] makes room; then every target gets its `velocity`, its `log_mass`, and both of its bounds. A bound is one
//!    that holds for every cloud, weighted or not, far targets included; a drift that cannot give one refuses the cloud with an error. The result must not
//!    depend on the number of threads.
//! 3. A `mod` and a `pub use` line here; a name in [`Named`], if people shall be able to ask for it.
//! 4. An entry in the lists of drifts in `src/drift/tests`: agreement with an oracle in other arithmetic, symmetries, edges and certificates are tested for all.
//!
//! A plain loop in full, as an example:
//!
//! ```
//! use ebflow::cloud::CloudView;
//! use ebflow::drift::{Drift, DriftField, Targets};
//! use ebflow::{Beta, Cloud, Flow, RawTime, Result};
//!
//! struct Plain;
//!
//! impl Drift for Plain {
//!     fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()> {
//!         let d = cloud.dimension;
//!         let points = match targets {
//!             Targets::Sources => cloud.points,
//!             Targets::Points(points) => points,
//!         };
//!         let (sources, weight) = (cloud.points.len() / d, |j: usize| cloud.weights.map_or(1.0, |w| w[j]));
//!         field.reset(points.len() / d, d);
//!         for (i, x) in points.chunks(d).enumerate() {
//!             let apart = |z: &[f64]| x.iter().zip(z).map(|(x, z)| (z - x).powi(2)).sum::<f64>();
//!             // Far targets: the nearest source has weight one, so that nothing underflows.
//!             let nearest = cloud.points.chunks(d).map(apart).fold(f64::INFINITY, f64::min);
//!             let mut mass = 0.0;
//!             for (j, z) in cloud.points.chunks(d).enumerate() {
//!                 let w = weight(j) * (-0.5 * beta.get() * (apart(z) - nearest)).exp();
//!                 mass += w;
//!                 for (k, v) in field.velocity[i * d..][..d].iter_mut().enumerate() {
//!                     *v += w * (z[k] - x[k]);
//!                 }
//!             }
//!             field.velocity[i * d..][..d].iter_mut().for_each(|v| *v /= mass);
//!             let share = if cloud.weights.is_some() { mass } else { mass / sources as f64 };
//!             field.log_mass[i] = share.ln() - 0.5 * beta.get() * nearest;
//!             // Terms of at most the size of the cloud, each off by the rounding of its exponent.
//!             let farthest = cloud.points.chunks(d).map(apart).fold(0.0, f64::max);
//!             let exponent = 0.5 * beta.get() * farthest;
//!             field.rounding[i] = f64::EPSILON * (sources as f64 + 8.0 * (1.0 + exponent)) * farthest.sqrt();
//!         }
//!         field.pairs = (sources * field.log_mass.len()) as u64;
//!         Ok(())
//!     }
//! }
//!
//! let cloud = Cloud::new(vec![-1.0, -0.5, 0.4, 1.2], 1)?;
//! let flow = Flow::new(Beta::new(4.0)?, RawTime::new(1.0)?);
//! let (own, ours) = (flow.clone().with_drift(Plain).run(&cloud)?, flow.run(&cloud)?);
//! assert!(own.end.points().iter().zip(ours.end.points()).all(|(a, b)| (a - b).abs() < 1e-12));
//! # Ok::<(), ebflow::Error>(())
//! ```
//!
//! # Paper
//! `prop:sc-barycentric-drift`, `eq:main-exact-gaussian-attention-drift2`

mod auto;
mod bounds;
mod cutoff;
mod four_rows;
mod gauss_transform;
mod jacobian;
mod kdtree;
mod kernel;
mod named;
mod order;
mod outcome;
mod partners;
mod queries;
mod reference;
mod rounding;
mod self_drift;
mod sources;
mod sweep;
mod tiled;
mod tiles;
mod tolerance;
mod tree;
mod units;

use sweep::Workspace;

use crate::cloud::CloudView;
use crate::error::Result;
use crate::scale::Beta;
pub use auto::{Auto, Choice, Forecast};
pub use gauss_transform::{GaussCost, GaussTransform};
pub use jacobian::JacobianField;
pub use kdtree::KdTree;
pub use named::Named;
pub use tiled::{Blocks, Dense};
pub use tolerance::Tolerance;

/// Where the drift is evaluated.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// At the sources themselves: the self-drift of the flow. Implementations may use the symmetry `w_ij = w_ji`.
    Sources,
    /// At other points, row-major in the sources' dimension: Stage 2. These may be far from every source.
    Points(&'a [f64]),
}

/// What an evaluation leaves behind; reused from one evaluation to the next.
#[derive(Debug, Clone, Default)]
pub struct DriftField {
    /// `v = F − x`, row-major, one row per target.
    pub velocity: Vec<f64>,
    /// `ln Σ_j ω_j w_j(x)` per target, with `ω_j = 1/N` for equal weights.
    pub log_mass: Vec<f64>,
    /// Per target, a bound on how far truncating or compressing the kernel sum may have moved `v`; zero for a full sum.
    pub truncation: Vec<f64>,
    /// Per target, a bound on how far rounding may have moved `v`.
    pub rounding: Vec<f64>,
    /// Kernel values really computed, counted as ordered pairs.
    pub pairs: u64,
    /// Memory that the next evaluation by tiles uses again.
    workspace: Workspace,
    /// Memory that the next Gauss transform uses again.
    scratch: gauss_transform::Pool,
}

impl DriftField {
    /// Makes room for `targets` rows of dimension `dimension`, all zero.
    pub fn reset(&mut self, targets: usize, dimension: usize) {
        let fill = |v: &mut Vec<f64>, len| {
            v.clear();
            v.resize(len, 0.0);
        };
        fill(&mut self.velocity, targets * dimension);
        fill(&mut self.log_mass, targets);
        fill(&mut self.truncation, targets);
        fill(&mut self.rounding, targets);
        self.pairs = 0;
    }
}

/// A way of evaluating the kernel sum. Results never depend on the number of threads.
pub trait Drift: Send + Sync {
    /// Evaluates `v` at the targets against the points of the cloud.
    fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()>;
}

impl<D: Drift + ?Sized> Drift for &D {
    fn evaluate(&self, cloud: CloudView, targets: Targets, beta: Beta, field: &mut DriftField) -> Result<()> {
        (**self).evaluate(cloud, targets, beta, field)
    }
}

#[cfg(test)]
mod tests;
