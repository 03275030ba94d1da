//! [`Plan`]: the settings in which a closed form meets its witnesses.

use super::particles::Size;
use super::setting::Setting;
use crate::claim::Row;
use crate::error::Result;

/// What a closed form is put beside, and where.
pub(super) struct Plan {
    /// The equation it solves.
    pub equation: &'static [Setting],
    /// The mean field.
    pub law: &'static [Setting],
    /// Finite samples.
    pub samples: &'static [Setting],
    /// How many particles and seeds these have.
    pub size: Size,
}

impl Plan {
    /// The rows of all witnesses.
    pub fn gather(
        &self,
        equation: impl Fn(&Setting) -> Result<Vec<Row>>,
        law: impl Fn(&Setting) -> Result<Vec<Row>>,
        sample: impl Fn(&Setting, Size) -> Result<Row>,
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for setting in self.equation {
            rows.extend(equation(setting)?);
        }
        for setting in self.law {
            rows.extend(law(setting)?);
        }
        for setting in self.samples {
            rows.push(sample(setting, self.size)?);
        }
        Ok(rows)
    }
}
