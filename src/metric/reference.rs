//! [`Reference`]: a law that clouds are measured against.

use crate::cloud::Cloud;
use crate::error::{Result, check_same_space};
use crate::law::{Generator, Law, TruncatedLaw};

/// What a distance needs to know of a law: fresh points, and more where more is known.
pub trait Reference: Sync {
    /// Dimension `d` of the space.
    fn dimension(&self) -> usize;

    /// `n` independent points.
    fn sample(&self, n: usize, generator: &mut Generator) -> Result<Cloud>;

    /// The law itself where its projections are known exactly.
    fn projectable(&self) -> Option<&Law>;
}

impl Reference for Law {
    fn dimension(&self) -> usize {
        self.dimension()
    }

    fn sample(&self, n: usize, generator: &mut Generator) -> Result<Cloud> {
        self.sample(n, generator)
    }

    fn projectable(&self) -> Option<&Law> {
        Some(self)
    }
}

impl Reference for TruncatedLaw {
    fn dimension(&self) -> usize {
        self.law().dimension()
    }

    fn sample(&self, n: usize, generator: &mut Generator) -> Result<Cloud> {
        self.sample(n, generator)
    }

    /// None: conditioned on a ball, a projection has no closed form.
    fn projectable(&self) -> Option<&Law> {
        None
    }
}

/// Refuses a cloud that does not live where the law does.
pub(super) fn check_dimension(cloud: &Cloud, law: &dyn Reference) -> Result<()> {
    check_same_space("the cloud", cloud.dimension(), "the law", law.dimension())
}

/// The points of a law that has finitely many, as a weighted cloud.
pub(super) fn atoms_of(law: &dyn Reference) -> Result<Option<Cloud>> {
    let Some(Law::Atoms(atoms)) = law.projectable() else { return Ok(None) };
    let points = Cloud::named(atoms.points().concat(), law.dimension(), "the atoms of the law")?;
    points.with_weights(atoms.weights().to_vec()).map(Some)
}
