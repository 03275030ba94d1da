//! [`merge()`]: the rows of several folders of one study in one folder.

use std::collections::BTreeMap;

use super::cell::Key;
use super::folder::StudyFolder;
use super::row::CellRow;
use super::spec::Spec;
use crate::error::{Error, Result};

/// What a merge did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// Rows that were new to the folder.
    pub added: usize,
    /// How many the folder has now.
    pub rows: usize,
    /// Cells of the study that have no row yet.
    pub missing: usize,
    /// What is to be said of last lines that were not whole.
    pub torn: Vec<String>,
}

/// Adds the rows of all folders to `out`. Doing it again changes nothing.
pub fn merge(from: &[StudyFolder], out: &StudyFolder) -> Result<Merged> {
    let spec = common_spec(from, out)?;
    let mut rows: BTreeMap<Key, CellRow> = BTreeMap::new();
    let mut torn = Vec::new();
    for folder in from {
        let store = folder.rows()?;
        torn.extend(store.torn_line().map(str::to_owned));
        for row in store.into_rows() {
            match rows.get(&row.key) {
                Some(known) if *known != row => return Err(contradiction(folder, &row.key)),
                _ => rows.insert(row.key.clone(), row),
            };
        }
    }
    let mut store = out.store()?;
    torn.extend(store.torn_line().map(str::to_owned));
    if let Some(row) = rows.values().find(|row| store.get(&row.key).is_some_and(|known| known != *row)) {
        return Err(contradiction(out, &row.key));
    }
    let before = store.len();
    store.append_all(in_order(&spec, rows))?;
    out.write_spec(&spec)?;
    merge_runs(from, out)?;
    let missing = spec.cells().iter().filter(|cell| store.get(&cell.key(&spec)).is_none()).count();
    Ok(Merged { added: store.len() - before, rows: store.len(), missing, torn })
}

/// The study that all folders hold.
fn common_spec(from: &[StudyFolder], out: &StudyFolder) -> Result<Spec> {
    let Some((first, others)) = from.split_first() else {
        return Err(Error::Empty { what: "the list of folders to merge".into() });
    };
    let text = first.spec_text()?;
    let merged_before = StudyFolder::open(out.files().path()).ok();
    for folder in others.iter().chain(&merged_before) {
        if folder.spec_text()? != text {
            let problem = format!(
                "its study differs from the one in {}; only shards of one study can be merged",
                first.files().path().display()
            );
            return Err(Error::Store { path: folder.files().path().into(), problem });
        }
    }
    first.spec()
}

fn contradiction(folder: &StudyFolder, key: &Key) -> Error {
    let problem = format!(
        "its row {key} differs from another row of the same cell; one of the two comes from another machine or build: \
         remove one of them"
    );
    Error::Store { path: folder.files().path().into(), problem }
}

/// The rows of the study in its own order, then the others.
fn in_order(spec: &Spec, mut rows: BTreeMap<Key, CellRow>) -> Vec<CellRow> {
    let mut ordered: Vec<CellRow> =
        spec.cells().iter().filter_map(|cell| rows.remove(&cell.key(spec))).collect();
    ordered.extend(rows.into_values());
    ordered
}

fn merge_runs(from: &[StudyFolder], out: &StudyFolder) -> Result<()> {
    for run in from.iter().flat_map(StudyFolder::runs) {
        if !out.runs().contains(&run) {
            out.add_run(&run)?;
        }
    }
    Ok(())
}
