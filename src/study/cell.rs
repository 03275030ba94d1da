//! [`Cell`]: one setting and one seed, with everything that determines its row; and [`Key`]: a hash of that.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::NUMERICS;
use super::axis::{Axis, Setting};
use super::quantity::Quantity;
use super::spec::{MeasureSpec, MethodSpec, Spec};

/// Bytes of the digest that make up a key: enough that two cells never share one by accident.
const KEY_BYTES: usize = 16;

/// One setting with one seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// The parameters.
    pub setting: Setting,
    /// The seed of the tokens. Cells with the same seed share their random numbers: the tokens of a smaller `N` are the first of
    /// those of a larger one.
    pub seed: u64,
    /// Whether the row keeps the way of some particles, for the report.
    pub cloud: bool,
}

/// Names a row: a hash of everything that determines it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is hashed. A new field, or another order, makes new keys and orphans all rows there are.
#[derive(Serialize)]
struct Identity<'a> {
    numerics: u32,
    prior: &'a toml::Value,
    setting: Setting,
    method: MethodSpec,
    quantities: &'a [Quantity],
    measure: MeasureSpec,
    cloud: bool,
    seed: u64,
}

impl Cell {
    /// The hash of everything that determines the row of this cell in a study.
    pub fn key(&self, spec: &Spec) -> Key {
        let mut quantities = spec.quantities.clone();
        quantities.sort_unstable();
        let identity = Identity {
            numerics: NUMERICS,
            prior: &spec.prior_table,
            setting: self.setting,
            method: spec.method,
            quantities: &quantities,
            measure: spec.measure,
            cloud: self.cloud,
            seed: self.seed,
        };
        // Numbers are finite and keys are strings, so there is nothing that JSON could refuse.
        let text = serde_json::to_vec(&identity).expect("a cell is plain data");
        let digest = Sha256::digest(&text);
        Key(digest[..KEY_BYTES].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, seed {}", self.setting, self.seed)
    }
}

impl Spec {
    /// Every setting of the sweep, the last axis varying fastest.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = vec![self.base];
        for sweep in &self.sweep {
            let on_axis = |setting: &Setting| {
                let setting = *setting;
                sweep.values.iter().map(move |value| {
                    let mut setting = setting;
                    setting.set(sweep.axis, *value);
                    setting
                })
            };
            settings = settings.iter().flat_map(on_axis).collect();
        }
        settings
    }

    /// The settings that differ from one in a swept parameter only, with the parameter's values.
    pub(super) fn family(&self, at: Setting, axis: Axis) -> Vec<(f64, Setting)> {
        let sweep = self.sweep.iter().find(|sweep| sweep.axis == axis);
        let moved = |size: f64| {
            let mut setting = at;
            setting.set(axis, size);
            (size, setting)
        };
        sweep.iter().flat_map(|sweep| sweep.values.iter().copied()).map(moved).collect()
    }

    /// Every cell of the sweep, the seeds varying fastest.
    pub fn cells(&self) -> Vec<Cell> {
        let keeps = self.measure.cloud_points.is_some();
        let first = self.seeds.first();
        let seeded = |setting: Setting| {
            self.seeds.iter().map(move |seed| Cell {
                setting,
                seed: *seed,
                cloud: keeps && Some(seed) == first,
            })
        };
        self.settings().into_iter().flat_map(seeded).collect()
    }
}
