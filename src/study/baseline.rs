//! [`Accepted`]: the rows of a study that were accepted, and how others differ from them.
//!
//! Cells are the same when their parameters and their seed are, whatever else was changed in the study or in this crate: that numbers moved is what is
//! asked. Bounds on errors are bars themselves, and compared as such. A curve over depth is compared point by point; the point that moved the most, in its error bars, stands for it.
//!
//! ```text
//! {"schema":1,"provenance":{…}}        what computed them
//! {"schema":2,"key":"…","n":100,…}     a row per cell, in the study's order
//! ```

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::folder::StudyFolder;
use super::quantity::Quantity;
use super::row::{CellRow, Measurement, Outcome};
use super::spec::Spec;
use super::summary::{Completeness, Filled, Summary, Table};
use crate::claim::baseline::{Change, Difference, Side, Subject, error_bars_between};
use crate::error::{Error, Result};
use crate::measured::Measured;
use crate::provenance::Provenance;

/// Version of the file format.
const SCHEMA: u32 = 1;

/// Accepted rows.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// What computed them.
    pub provenance: Provenance,
    rows: Vec<CellRow>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    schema: u32,
    provenance: Provenance,
}

impl Accepted {
    /// The file's name in the folder of a study.
    pub const FILE: &str = "accepted.jsonl";

    /// The rows of a table, without what only a report shows.
    pub fn of(table: &Table, provenance: Provenance) -> Self {
        let bare = |row: &CellRow| {
            let mut row = row.clone();
            if let Outcome::Values(values) = &mut row.outcome {
                values.cloud = None;
            }
            row
        };
        Self { provenance, rows: table.rows().map(bare).collect() }
    }

    /// Reads what a study's folder keeps.
    pub fn read(folder: &StudyFolder) -> Result<Self> {
        let path = folder.files().path().join(Self::FILE);
        if !path.is_file() {
            let lack = "nothing was accepted there";
            return Err(Error::NoEvidence { path: folder.files().path().into(), file: Self::FILE, lack });
        }
        let failed = |source| Error::Io { action: "read", path: path.clone(), source };
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        let unreadable = |line: usize, problem: String| Error::Store {
            path: path.clone(),
            problem: format!("line {line} {problem}; accept the rows anew"),
        };
        let mut lines = text.lines().enumerate();
        let (_, first) = lines.next().unwrap_or_default();
        let header: Header = serde_json::from_str(first)
            .map_err(|error| unreadable(1, format!("does not say what computed the rows ({error})")))?;
        if header.schema != SCHEMA {
            return Err(unreadable(1, format!("has the format {}, not {SCHEMA}", header.schema)));
        }
        let row = |(at, line): (usize, &str)| {
            CellRow::from_line(line.as_bytes()).map_err(|problem| unreadable(at + 1, problem))
        };
        Ok(Self { provenance: header.provenance, rows: lines.map(row).collect::<Result<_>>()? })
    }

    /// Writes them into a study's folder, whole or not at all.
    pub fn write(&self, folder: &StudyFolder) -> Result<()> {
        let header = Header { schema: SCHEMA, provenance: self.provenance.clone() };
        // Plain data: numbers are finite and keys are strings.
        let mut text = serde_json::to_string(&header).expect("a header is plain data") + "\n";
        self.rows.iter().for_each(|row| text.push_str(&row.to_line()));
        folder.files().write(Self::FILE, text.as_bytes())
    }

    /// The cells of a study with the rows accepted for them.
    fn table(&self, spec: &Spec) -> Table {
        let rows = self.by_name();
        let filled = |cell: super::Cell| {
            let row = rows.get(&cell.to_string()).map(|row| (*row).clone());
            Filled { cell, row }
        };
        Table { cells: spec.cells().into_iter().map(filled).collect() }
    }

    fn by_name(&self) -> HashMap<String, &CellRow> {
        self.rows.iter().map(|row| (name(row), row)).collect()
    }
}

/// A row by its parameters and its seed, as cells call themselves.
fn name(row: &CellRow) -> String {
    format!("{}, seed {}", row.setting, row.seed)
}

/// What differs between accepted rows of a study and those of a table: quantity by quantity in the order of the cells, then statement by statement.
pub fn compare(spec: &Spec, accepted: &Accepted, found: &Table) -> Result<Vec<Change>> {
    let old = accepted.by_name();
    let mut changes = Vec::new();
    for quantity in &spec.quantities {
        let mut rest: BTreeMap<String, &CellRow> =
            old.iter().map(|(name, row)| (name.clone(), *row)).collect();
        let mut differences = Vec::new();
        for Filled { cell, row } in &found.cells {
            let name = cell.to_string();
            let old = rest.remove(&name);
            differences.extend(differs(name, *quantity, old, row.as_ref()));
        }
        differences
            .extend(rest.into_iter().filter_map(|(name, row)| differs(name, *quantity, Some(row), None)));
        let subject = Subject::Quantity(quantity.key());
        changes.extend(differences.into_iter().map(|what| Change { subject: subject.clone(), what }));
    }
    changes.extend(verdicts(spec, &accepted.table(spec), found)?);
    Ok(changes)
}

/// Verdicts follow from rows: those of the accepted ones beside those of the new ones.
fn verdicts(spec: &Spec, old: &Table, new: &Table) -> Result<Vec<Change>> {
    // What was not accepted for every cell had no verdict that could have turned.
    if old.cells.iter().any(|filled| filled.row.is_none()) {
        return Ok(Vec::new());
    }
    let judged = |table| Summary::new(spec, table, Completeness::Waived).map(|summary| summary.statements);
    let pairs = judged(old)?.into_iter().zip(judged(new)?);
    let other = pairs.filter(|(old, new)| old.verdict.kind() != new.verdict.kind());
    let change = other.map(|(old, new)| Change {
        subject: Subject::Statement(new.spec.id.clone()),
        what: Difference::Verdict {
            old: old.verdict.kind(),
            new: new.verdict.kind(),
            remark: new.remark().map(str::to_owned),
        },
    });
    Ok(change.collect())
}

fn differs(
    name: String,
    quantity: Quantity,
    old: Option<&CellRow>,
    new: Option<&CellRow>,
) -> Option<Difference> {
    let of = |row: Option<&CellRow>| row.and_then(|row| Numbers::of(row.measurement(quantity)?));
    match (of(old), of(new)) {
        (None, None) => None,
        (None, Some(_)) => Some(Difference::Added { row: name }),
        (Some(_), None) => {
            let why = new.and_then(CellRow::error).map_or_else(String::new, |error| format!(" ({error})"));
            Some(Difference::Missing { row: name + &why })
        }
        (Some(old), Some(new)) if quantity.is_bound() => {
            let [old, new] = [old, new].map(|numbers| numbers.0.first().map_or(f64::NAN, |(_, x)| x.value));
            Difference::of_bounds(name, Side::Measured, old, new)
        }
        (Some(old), Some(new)) => old.differ_from(&new, name),
    }
}

/// The numbers of a measurement, each with where it stands on a curve.
struct Numbers(Vec<(Option<f64>, Measured)>);

impl Numbers {
    /// None of what is missing.
    fn of(measurement: &Measurement) -> Option<Self> {
        let Measurement::Path { score_time, values, numerical, .. } = measurement else {
            return Some(Self(vec![(None, measurement.measured()?)]));
        };
        let points = values.iter().zip(numerical);
        let number = |(&value, &numerical): (&f64, &f64)| Measured { value, numerical, sampling: 0.0 };
        Some(Self(score_time.iter().map(|s| Some(*s)).zip(points.map(number)).collect()))
    }

    fn differ_from(&self, new: &Self, name: String) -> Option<Difference> {
        let places = |numbers: &Self| numbers.0.iter().map(|(place, _)| *place).collect::<Vec<_>>();
        if places(self) != places(new) {
            return Some(Difference::Added { row: format!("{name}, at other depths") });
        }
        let pairs = || self.0.iter().zip(&new.0).map(|((place, old), (_, new))| (*place, *old, *new));
        let row =
            |place: Option<f64>| place.map_or_else(|| name.clone(), |s| format!("{name}, at score time {s}"));
        let bars = |(_, old, new): &(Option<f64>, Measured, Measured)| error_bars_between(*old, *new);
        let farthest = pairs().max_by(|a, b| bars(a).total_cmp(&bars(b)))?;
        // What moved comes first; else the first bar that is another.
        std::iter::once(farthest)
            .chain(pairs())
            .find_map(|(place, old, new)| Difference::of(row(place), Side::Measured, old, new))
    }
}
