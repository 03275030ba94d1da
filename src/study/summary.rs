//! [`Summary`]: what the rows of a study say: means over seeds with their intervals, fits, verdicts.

use std::collections::BTreeMap;

use serde::Serialize;

use super::axis::Setting;
use super::cell::Cell;
use super::fit::Fit;
use super::quantity::Quantity;
use super::row::{CellRow, Measurement};
use super::spec::Spec;
use super::statement::Statement;
use super::store::Store;
use crate::error::Result;
use crate::measured::{Bracket, Measured};
use crate::metric::{Confidence, Interval};

/// With which all intervals are meant to cover the truth.
const CONFIDENCE: f64 = 0.95;

/// The cells of a study with the rows that there are, in the study's order.
#[derive(Debug, Clone)]
pub struct Table {
    /// One entry per cell.
    pub cells: Vec<Filled>,
}

/// A cell and its row, if it is finished.
#[derive(Debug, Clone)]
pub struct Filled {
    /// One setting with one seed.
    pub cell: Cell,
    /// What it has measured.
    pub row: Option<CellRow>,
}

impl Table {
    /// Looks up every cell of a study in a store.
    pub fn new(spec: &Spec, store: &Store) -> Self {
        let filled = |cell: Cell| Filled { cell, row: store.get(&cell.key(spec)).cloned() };
        Self { cells: spec.cells().into_iter().map(filled).collect() }
    }

    /// The cells of a setting, one per seed.
    pub fn at(&self, setting: Setting) -> impl Iterator<Item = &Filled> {
        self.cells.iter().filter(move |filled| filled.cell.setting == setting)
    }

    /// The finished rows, in the study's order.
    pub fn rows(&self) -> impl Iterator<Item = &CellRow> {
        self.cells.iter().filter_map(|filled| filled.row.as_ref())
    }
}

/// Whether fits may be made while cells are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// A fit needs every cell it covers.
    Required,
    /// A fit takes what there is.
    Waived,
}

/// What the rows say.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// What the study is called.
    pub title: String,
    /// Label of the statement in the paper.
    pub paper: Option<String>,
    /// How many there are in all.
    pub cells: usize,
    /// Cells that have a row.
    pub finished: usize,
    /// Cells whose row is an error.
    pub failed: usize,
    /// How often each setting is repeated.
    pub seeds: usize,
    /// With which intervals are meant to cover the truth.
    pub confidence: f64,
    /// Statistics by setting.
    pub settings: Vec<Group>,
    /// Rates with their intervals and verdicts.
    pub fits: Vec<Fit>,
    /// What the study says of its own numbers, judged.
    #[serde(skip)]
    pub statements: Vec<Statement>,
}

/// What the seeds of one setting say.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The parameters.
    #[serde(flatten)]
    pub setting: Setting,
    /// Numbers by quantity.
    pub quantities: BTreeMap<Quantity, Statistic>,
    /// Curves over depth by quantity.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub paths: BTreeMap<Quantity, PathStatistic>,
}

/// A mean over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Statistic {
    /// Seeds that gave a number.
    pub seeds: usize,
    /// Their mean, with the mean of their numerical bars and its standard error.
    pub mean: Measured,
    /// The interval about the mean that other seeds ask for; none for a single seed.
    #[serde(flatten)]
    pub interval: Option<Bracket>,
}

/// A mean curve over seeds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PathStatistic {
    /// Abscissae of the curve, in the score clock.
    pub score_time: Vec<f64>,
    /// What the seeds say at each.
    pub values: Vec<Statistic>,
    /// The exact curve, where it is known.
    pub exact: Option<Vec<f64>>,
}

impl Statistic {
    /// Of the numbers that seeds gave; none when there are no numbers.
    pub fn of(numbers: &[Measured], confidence: Confidence) -> Option<Self> {
        let seeds = numbers.len();
        let single = *numbers.first()?;
        let values: Vec<f64> = numbers.iter().map(|number| number.value).collect();
        let Ok(found) = Interval::of_mean(&values, confidence) else {
            return Some(Self { seeds, mean: single, interval: None });
        };
        let numerical = numbers.iter().map(|number| number.numerical).sum::<f64>() / seeds as f64;
        let mean = Measured { value: found.estimate, numerical, sampling: found.standard_error };
        let interval = Bracket { lower: found.lower, upper: found.upper };
        Some(Self { seeds, mean, interval: Some(interval) })
    }

    /// The ends of an error bar in a plot: of the seeds where there are several, else of the number.
    pub fn ends(&self) -> Bracket {
        self.interval.unwrap_or_else(|| self.mean.into())
    }
}

impl Summary {
    /// Summarises the rows of a study.
    pub fn new(spec: &Spec, table: &Table, completeness: Completeness) -> Result<Self> {
        let confidence = Confidence::new(CONFIDENCE)?;
        Ok(Self {
            title: spec.title.clone(),
            paper: spec.paper.clone(),
            cells: table.cells.len(),
            finished: table.rows().count(),
            failed: table.rows().filter(|row| row.error().is_some()).count(),
            seeds: spec.seeds.len(),
            confidence: CONFIDENCE,
            settings: spec.settings().into_iter().map(|s| group(spec, table, s, confidence)).collect(),
            fits: Fit::all(spec, table, completeness, confidence),
            statements: Statement::all(spec, table, confidence),
        })
    }

    /// The group of a setting.
    pub fn at(&self, setting: &Setting) -> Option<&Group> {
        self.settings.iter().find(|group| group.setting == *setting)
    }
}

fn group(spec: &Spec, table: &Table, setting: Setting, confidence: Confidence) -> Group {
    let mut group = Group { setting, quantities: BTreeMap::new(), paths: BTreeMap::new() };
    for &quantity in &spec.quantities {
        let rows = || table.at(setting).filter_map(|filled| filled.row.as_ref());
        if quantity.is_path() {
            let paths: Vec<&Measurement> = rows().filter_map(|row| row.measurement(quantity)).collect();
            group.paths.extend(path(&paths, confidence).map(|path| (quantity, path)));
        } else {
            let measured = |row: &CellRow| row.measurement(quantity).and_then(Measurement::measured);
            let numbers: Vec<Measured> = rows().filter_map(measured).collect();
            group.quantities.extend(Statistic::of(&numbers, confidence).map(|s| (quantity, s)));
        }
    }
    group
}

fn path(measurements: &[&Measurement], confidence: Confidence) -> Option<PathStatistic> {
    let mut curves = Vec::new();
    let mut grid = None;
    for measurement in measurements {
        if let Measurement::Path { score_time, values, numerical, exact } = measurement {
            grid.get_or_insert((score_time, exact));
            curves.push((values, numerical));
        }
    }
    let (score_time, exact) = grid?;
    let at = |k: usize| {
        let number = |(values, numerical): &(&Vec<f64>, &Vec<f64>)| {
            Some(Measured { value: *values.get(k)?, numerical: *numerical.get(k)?, sampling: 0.0 })
        };
        Statistic::of(&curves.iter().filter_map(number).collect::<Vec<_>>(), confidence)
    };
    let values = (0..score_time.len()).map(at).collect::<Option<Vec<_>>>()?;
    Some(PathStatistic { score_time: score_time.clone(), values, exact: exact.clone() })
}
