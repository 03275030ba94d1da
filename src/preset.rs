//! [`Preset`]: how much work a study or a judgement of claims may be.

use serde::{Deserialize, Serialize};

/// In full, or as a quick check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// All of it: a study as it stands; more seeds, sizes and settings for a claim.
    #[default]
    Full,
    /// A small variant: a study with its table `[quick]` laid over it; evidence of a claim within seconds.
    Quick,
}

impl Preset {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Full, Self::Quick];

    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quick => "quick",
        }
    }

    /// The preset of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}
