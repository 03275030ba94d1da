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
//! [`DriftField::rounding`] bounds what rounding did. Both are true bounds, for weighted sources and for targets anywhere.
//!
//! [`Named`] has them by the names that people write.
//!
//! Inside, `tiled` is the entry: `sources` cuts the cloud into `tiles` (ordered by `order`, over which `tree` stands), `partners` decides by `cutoff` which
//! pairs of tiles matter, `sweep` traverses them on all threads with the same result for any number, and `kernel` sums over a pair by `four_rows`. `self_drift` and
//! `queries` put these together.
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
