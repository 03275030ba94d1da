//! [`Provenance`]: which program computed something, and where.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Program and machine, as far as they are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Release of this crate.
    pub version: String,
    /// Commit of its source.
    pub commit: String,
    /// Processor and cores.
    pub machine: String,
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ebflow {} (commit {}), {}", self.version, self.commit, self.machine)
    }
}
