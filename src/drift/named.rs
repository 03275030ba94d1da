//! [`Named`]: the drifts by the names that people write.

use serde::Serialize;

use super::{Auto, Blocks, Dense, Drift, GaussTransform, KdTree, Tolerance};

/// One of the drifts of this crate, by name.
///
/// ```
/// use ebflow::drift::Named;
/// assert_eq!(Named::of("kdtree"), Some(Named::Kdtree));
/// assert_eq!(Named::Kdtree.name(), "kdtree");
/// assert_eq!(Named::Gauss.most_dimensions(), Some(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Named {
    /// The fastest for the cloud at hand.
    Auto,
    /// All pairs.
    Dense,
    /// Pairs of tiles near enough to matter.
    Blocks,
    /// Neighbours from a k-d tree.
    Kdtree,
    /// The fast Gauss transform.
    Gauss,
}

impl Named {
    /// Every drift that has a name.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Dense, Self::Blocks, Self::Kdtree, Self::Gauss];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Dense => "dense",
            Self::Blocks => "blocks",
            Self::Kdtree => "kdtree",
            Self::Gauss => "gauss",
        }
    }

    /// The drift of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|drift| drift.name() == name)
    }

    /// The highest dimension it serves, if there is one.
    pub fn most_dimensions(self) -> Option<usize> {
        match self {
            Self::Gauss => Some(2),
            Self::Kdtree => Some(8),
            Self::Auto | Self::Dense | Self::Blocks => None,
        }
    }

    /// The drift itself; the full sum has no use for a tolerance.
    pub fn drift(self, tolerance: Tolerance) -> Box<dyn Drift> {
        match self {
            Self::Auto => Box::new(Auto { tolerance }),
            Self::Dense => Box::new(Dense),
            Self::Blocks => Box::new(Blocks { tolerance }),
            Self::Kdtree => Box::new(KdTree { tolerance }),
            Self::Gauss => Box::new(GaussTransform { tolerance }),
        }
    }
}
