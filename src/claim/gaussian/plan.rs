//! [`Plan`]: the settings in which a closed form meets its witnesses.

use super::particles::Size;
use super::setting::Setting;
use crate::claim::Row;
use crate::error::Result;
use crate::preset::Preset;

/// Particles and seeds of finite samples.
const QUICK_SIZE: Size = Size { particles: 256, seeds: 64 };
const FULL_SIZE: Size = Size { particles: 512, seeds: 128 };

/// What a closed form is put beside.
pub(super) trait Witnesses {
    fn equation(&self, setting: &Setting) -> Result<Vec<Row>>;
    fn law(&self, setting: &Setting) -> Result<Vec<Row>>;
    fn sample(&self, setting: &Setting, size: Size) -> Result<Row>;
}

/// Where it is put beside them.
pub(super) struct Plan {
    /// The equation it solves.
    pub equation: &'static [Setting],
    /// The mean field.
    pub law: &'static [Setting],
    /// Finite samples.
    pub samples: &'static [Setting],
}

impl Plan {
    /// The rows of all witnesses of a claim; samples have the size of the preset.
    pub fn gather(&self, claim: &impl Witnesses, preset: Preset) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for setting in self.equation {
            rows.extend(claim.equation(setting)?);
        }
        for setting in self.law {
            rows.extend(claim.law(setting)?);
        }
        let size = if preset == Preset::Quick { QUICK_SIZE } else { FULL_SIZE };
        for setting in self.samples {
            rows.push(claim.sample(setting, size)?);
        }
        Ok(rows)
    }
}
