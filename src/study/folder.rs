//! [`Folder`]: where a study lives on disk.
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

use super::spec::{Preset, Spec};
use super::store::Store;
use crate::error::{Error, Result};
use crate::files;

const SPEC: &str = "study.toml";
const ROWS: &str = "rows.jsonl";
const RUNS: &str = "runs.jsonl";

/// A study's folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    path: PathBuf,
}

/// One run of a study: what a report says about where its rows come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The command line.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// Commit of the program's source.
    pub commit: String,
    /// Version of the numerics.
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

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunEnd {
    /// How long it took.
    pub seconds: f64,
    /// Rows it computed.
    pub computed: usize,
}

impl RunRecord {
    /// True when both are about one run, at its beginning and at its end.
    fn same_run(&self, other: &Self) -> bool {
        (self.process, self.began, &self.machine) == (other.process, other.began, &other.machine)
    }
}

impl Folder {
    /// A folder, created when it is not there.
    pub fn create(path: &Path) -> Result<Self> {
        let failed = |source| Error::Io { action: "create", path: path.into(), source };
        std::fs::create_dir_all(path).map_err(failed)?;
        Ok(Self { path: path.into() })
    }

    /// A folder that a study has been run in.
    pub fn open(path: &Path) -> Result<Self> {
        if path.join(SPEC).is_file() {
            return Ok(Self { path: path.into() });
        }
        let problem = format!("there is no {SPEC} in it; name a folder that `ebflow study` has written");
        Err(Error::Store { path: path.into(), problem })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the rows, and leaves their file alone.
    pub fn rows(&self) -> Result<Store> {
        Store::read(&self.path.join(ROWS))
    }

    /// Removes what killed processes left half-written in a folder that is a study's or holds evidence.
    pub fn sweep(&self) {
        files::sweep(&self.path);
    }

    /// Opens the rows, to add some.
    pub fn store(&self) -> Result<Store> {
        Store::open(&self.path.join(ROWS))
    }

    /// The study, if there is one yet.
    pub fn spec_text(&self) -> Result<String> {
        let path = self.path.join(SPEC);
        std::fs::read_to_string(&path).map_err(|source| Error::Io { action: "read", path, source })
    }

    /// The study that was run here.
    pub fn spec(&self) -> Result<Spec> {
        let path = self.path.join(SPEC);
        let text = self.spec_text()?;
        Spec::read(&path.to_string_lossy(), &text, Preset::Full, &[])
            .map_err(|error| Error::Store { path, problem: format!("it cannot be read\n{error}") })
    }

    /// Keeps the study.
    pub fn write_spec(&self, spec: &Spec) -> Result<()> {
        self.write(SPEC, spec.to_toml().as_bytes())
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        files::write(&self.path.join(name), |file| file.write_all(content))
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Io { action: "remove", path, source })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a folder that nothing can be written to, before any work is done.
    pub fn check_writable(&self) -> Result<()> {
        files::check_writable_folder(&self.path)
    }

    /// The runs so far. Lines that cannot be read are left out: they say nothing about the rows themselves.
    pub fn runs(&self) -> Vec<RunRecord> {
        let text = std::fs::read_to_string(self.path.join(RUNS)).unwrap_or_default();
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
        let path = self.path.join(RUNS);
        let mut line = serde_json::to_string(run).unwrap_or_default();
        line.push('\n');
        let file = OpenOptions::new().append(true).create(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.map_err(|source| Error::Io { action: "write to", path, source })
    }
}
