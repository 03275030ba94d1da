//! The sources of a kernel sum, cut into tiles, with everything that self-drift and queries share.

use super::kernel::Kernel;
use super::order::Depth;
use super::rounding::Arithmetic;
use super::tiled::Truncation;
use super::tiles::Tiles;
use super::tree::Tree;
use super::units::{Units, largest_magnitude};
use crate::cloud::CloudView;
use crate::error::{Error, Result};
use crate::scale::Beta;
use crate::simd::Instructions;

/// The points of positive weight, their tiles and their tree.
#[derive(Debug)]
pub(super) struct Sources {
    pub(super) tiles: Tiles,
    pub(super) tree: Tree,
    pub(super) units: Units,
    /// How far down points are sorted.
    pub(super) depth: Depth,
    pub(super) beta: Beta,
    pub(super) instructions: Instructions,
    /// Bound on the truncation error, in tile units; zero leaves nothing out.
    pub(super) tolerance: f64,
    /// Points carry weights of their own.
    pub(super) weighted: bool,
    /// What masses are divided by before their logarithm is taken: `N` for equal weights, which are ones inside.
    pub(super) norm: f64,
}

impl Sources {
    /// Cuts a cloud into tiles; `targets` are looked at for their magnitude only.
    pub(super) fn new(
        cloud: CloudView<'_>,
        targets: &[f64],
        beta: Beta,
        truncation: Truncation,
    ) -> Result<Self> {
        let members: Vec<usize> = match cloud.weights {
            Some(weights) => (0..cloud.len()).filter(|&i| weights[i] > 0.0).collect(),
            None => (0..cloud.len()).collect(),
        };
        if members.is_empty() {
            return Err(Error::Empty { what: "the set of sources of positive weight".into() });
        }
        let largest = largest_magnitude(cloud.points).max(largest_magnitude(targets));
        let units = Units::new(beta, largest)?;
        let depth = if truncation.tolerance > 0.0 { Depth::Quads } else { Depth::Tiles };
        let tiles = Tiles::new(cloud, members, depth, units);
        Ok(Self {
            tree: Tree::new(&tiles),
            units,
            depth,
            beta,
            instructions: truncation.instructions,
            tolerance: truncation.tolerance * units.per_length,
            weighted: cloud.weights.is_some(),
            norm: if cloud.weights.is_some() { 1.0 } else { cloud.len() as f64 },
            tiles,
        })
    }

    /// The Gaussian in tile units.
    pub(super) fn kernel(&self) -> Kernel {
        Kernel { sharpness: self.units.sharpness }
    }

    /// `Ω`
    pub(super) fn total(&self) -> f64 {
        self.tree.root().mass
    }

    /// The arithmetic of a sum whose terms go through so many additions.
    pub(super) fn arithmetic(&self, additions: usize) -> Arithmetic {
        let diameter = self.tree.root().bounds.diagonal() * self.units.length;
        Arithmetic { beta: self.beta, dimension: self.tiles.dimension(), additions, diameter }
    }
}
