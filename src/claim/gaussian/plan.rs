//! [`Plan`]: the settings in which a closed form meets its witnesses.

use super::particles::Size;
use super::setting::Setting;
use crate::claim::Row;
use crate::error::Result;
use crate::preset::Preset;

/// Particles and seeds of finite samples.
const QUICK_SIZE: Size = Size { particles: 256, seeds: 64 };
const FULL_SIZE: Size = Size { particles: 512, seeds: 128 };

/// What a closed form is put beside, and where.
pub(super) struct Plan {
    /// The equation it solves.
    pub equation: &'static [Setting],
    /// The mean field.
    pub law: &'static [Setting],
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

/// A row of every finite sample that a closed form is put beside.
pub(super) fn of_samples(
    settings: &[Setting],
    preset: Preset,
    row: impl Fn(&Setting, Size) -> Result<Row>,
) -> Result<Vec<Row>> {
    let size = if preset == Preset::Quick { QUICK_SIZE } else { FULL_SIZE };
    settings.iter().map(|setting| row(setting, size)).collect()
}
