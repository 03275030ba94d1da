//! [`Plan`]: the settings in which a closed form meets its witnesses.

use super::particles::Size;
use super::setting::Setting;
use crate::claim::Row;
use crate::error::Result;
use crate::study::Preset;

/// What a closed form is put beside, and where.
pub(super) struct Plan {
    /// The equation it solves.
    pub equation: &'static [Setting],
    /// The mean field.
    pub law: &'static [Setting],
}

/// Finite samples that a closed form is put beside, and their size by preset.
pub(super) struct Samples {
    pub settings: &'static [Setting],
    pub quick: Size,
    pub full: Size,
}

impl Plan {
    /// The rows of all witnesses.
    pub fn gather(
        &self,
        equation: impl Fn(&Setting) -> Result<Vec<Row>>,
        law: impl Fn(&Setting) -> Result<Vec<Row>>,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for setting in self.equation {
            rows.extend(equation(setting)?);
        }
        for setting in self.law {
            rows.extend(law(setting)?);
        }
        Ok(rows)
    }
}

impl Samples {
    /// A row of every sample.
    pub fn gather(&self, preset: Preset, row: impl Fn(&Setting, Size) -> Result<Row>) -> Result<Vec<Row>> {
        let size = if preset == Preset::Quick { self.quick } else { self.full };
        self.settings.iter().map(|setting| row(setting, size)).collect()
    }
}
