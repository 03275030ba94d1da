//! [`StudyFolder`]: where a study lives on disk.
//!
//! | file | holds |
//! |---|---|
//! | `study.toml` | the study with all overrides in place |
//! | `rows.jsonl` | the rows, in the order in which they were finished |
//! | `runs.jsonl` | which command computed them, when and where |
//! | `report.html`, `rows.csv`, `summary.json` | what the report makes of them |

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::spec::Spec;
use super::store::Store;
use crate::error::{Error, Result};
use crate::files::Folder;
use crate::preset::Preset;

const SPEC: &str = "study.toml";
const ROWS: &str = "rows.jsonl";
const RUNS: &str = "runs.jsonl";

/// Where a study keeps its file, its rows and its reports.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyFolder {
    folder: Folder,
}

/// One run of a study: what a report says about where its rows come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// What was typed to start it.
    pub command: String,
    /// Release of this crate that computed it.
    pub version: String,
    /// Commit of the program's source.
    pub commit: String,
    /// [`NUMERICS`](super::NUMERICS) of that release.
    pub numerics: u32,
    /// Name and processors of the machine.
    pub machine: String,
    /// Threads used.
    pub jobs: usize,
    /// The process, which tells runs apart that began in the same second.
    pub process: u32,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// How it ended; none while it runs, and for ever when it was killed.
    pub end: Option<RunEnd>,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// How long it took.
    pub seconds: f64,
    /// How many rows are its own work.
    pub computed: usize,
}

impl RunRecord {
    /// True when both are about one run, at its beginning and at its end.
    fn same_run(&self, other: &Self) -> bool {
        (self.process, self.began, &self.machine) == (other.process, other.began, &other.machine)
    }
}

impl StudyFolder {
    /// A folder for a study, created when it is not there.
    pub fn create(path: &Path) -> Result<Self> {
        Folder::create(path).map(|folder| Self { folder })
    }

    /// A folder that a study has been run in.
    pub fn open(path: &Path) -> Result<Self> {
        if path.join(SPEC).is_file() {
            return Ok(Self { folder: Folder::at(path) });
        }
        Err(Error::NoStudy { path: path.into(), spec: SPEC })
    }

    /// The folder itself.
    pub fn files(&self) -> &Folder {
        &self.folder
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads the rows, and leaves their file alone.
    pub fn rows(&self) -> Result<Store> {
        Store::read(&self.file(ROWS))
    }

    /// Opens the rows, to add some.
    pub fn store(&self) -> Result<Store> {
        Store::open(&self.file(ROWS))
    }

    /// The study, if there is one yet.
    pub fn spec_text(&self) -> Result<String> {
        let path = self.file(SPEC);
        std::fs::read_to_string(&path).map_err(|source| Error::Io { action: "read", path, source })
    }

    /// The study that was run here.
    pub fn spec(&self) -> Result<Spec> {
        let path = self.file(SPEC);
        let text = self.spec_text()?;
        Spec::read(&path.to_string_lossy(), &text, Preset::Full, &[])
            .map_err(|error| Error::Store { path, problem: format!("it cannot be read\n{error}") })
    }

    /// Keeps the study.
    pub fn write_spec(&self, spec: &Spec) -> Result<()> {
        self.folder.write(SPEC, spec.to_toml().as_bytes())
    }

    /// The runs so far. Lines that cannot be read are left out: they say nothing about the rows themselves.
    pub fn runs(&self) -> Vec<RunRecord> {
        let text = std::fs::read_to_string(self.file(RUNS)).unwrap_or_default();
        let mut runs: Vec<RunRecord> = Vec::new();
        for record in text.lines().filter_map(|line| serde_json::from_str::<RunRecord>(line).ok()) {
            match runs.iter_mut().find(|run| run.same_run(&record)) {
                Some(run) if run.end.is_none() => *run = record,
                Some(_) => {}
                None => runs.push(record),
            }
        }
        runs
    }

    /// Adds a run, or how it ended.
    pub fn add_run(&self, run: &RunRecord) -> Result<()> {
        let path = self.file(RUNS);
        let mut line = serde_json::to_string(run).unwrap_or_default();
        line.push('\n');
        let file = OpenOptions::new().append(true).create(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.map_err(|source| Error::Io { action: "write to", path, source })
    }
}
