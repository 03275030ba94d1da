//! [`Store`]: rows in a file, one JSON line each, that survives being killed and being shared.
//!
//! * A row counts once its line has reached the disk.
//! * Lines are written under a lock on the file, so processes that share a store do not tear one another's lines; a row that another
//!   process has written meanwhile is not written again.
//! * A process that dies while writing leaves at most a line without its end. The next one to write removes it, unless only the
//!   line feed is missing; whoever only reads leaves the file alone.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::cell::Key;
use super::row::CellRow;
use crate::error::{Error, Result};

/// Rows in a file.
///
/// ```
/// use ebflow::study::Store;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("rows.jsonl");
/// std::fs::write(&path, "{\"schema\":1,\"ke").unwrap();   // a line torn by a power cut
/// assert_eq!(Store::read(&path)?.len(), 0);                // … is no row
/// assert!(Store::open(&path)?.torn_line().is_some());
/// assert_eq!(std::fs::read(&path).unwrap(), b"");          // … and is gone
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    rows: HashMap<Key, CellRow>,
    /// How much of the file has been read: whole lines only.
    read: u64,
    lines: usize,
    access: Access,
    torn: Option<String>,
}

/// What may be done to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// How every row begins: what ends a file and does not begin like this was not written by a dying process.
const BEGINNING: &[u8] = b"{\"schema\":";

impl Store {
    /// Opens a store, or begins one, and reads its rows.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::Io { action: "open", path: path.into(), source };
        let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            sync_folder(folder).map_err(failed)?;
        }
        Self::new(path, file, Access::Write)
    }

    /// Opens a store that is there, to read its rows and nothing else: adding to it is an error.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |source| Error::Io { action: "open", path: path.into(), source };
        Self::new(path, File::open(path).map_err(failed)?, Access::Read)
    }

    /// Begins a store that nobody else sees and that leaves nothing behind.
    pub fn temporary() -> Result<Self> {
        let path = std::env::temp_dir();
        let file = tempfile::tempfile();
        let failed = |source| Error::Io { action: "make a file in", path: path.clone(), source };
        Self::new(&path, file.map_err(failed)?, Access::Write)
    }

    fn new(path: &Path, file: File, access: Access) -> Result<Self> {
        let (path, rows) = (path.to_path_buf(), HashMap::new());
        let mut store = Self { path, file, rows, read: 0, lines: 0, access, torn: None };
        store.locked(Self::catch_up)?;
        Ok(store)
    }

    /// What is to be said of a last line that was not whole, if there was one.
    pub fn torn_line(&self) -> Option<&str> {
        self.torn.as_deref()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True when there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The row with this key.
    pub fn get(&self, key: &Key) -> Option<&CellRow> {
        self.rows.get(key)
    }

    /// Reads what other processes have added meanwhile.
    pub fn refresh(&mut self) -> Result<()> {
        let length = self.file.metadata().map_err(|e| self.failed("read", e))?.len();
        if length == self.read { Ok(()) } else { self.locked(Self::catch_up) }
    }

    /// Adds a row and returns once it is on the disk. A row that is already there stays as it is.
    pub fn append(&mut self, row: CellRow) -> Result<()> {
        self.append_all(vec![row])
    }

    /// Adds rows and returns once they are on the disk.
    pub fn append_all(&mut self, rows: Vec<CellRow>) -> Result<()> {
        self.locked(|store| {
            store.catch_up()?;
            let mut text = String::new();
            for row in rows {
                if !store.rows.contains_key(&row.key) {
                    text.push_str(&row.to_line());
                    store.lines += 1;
                    store.rows.insert(row.key.clone(), row);
                }
            }
            store.write(text.as_bytes())
        })
    }

    /// The rows, in no particular order.
    pub fn into_rows(self) -> impl Iterator<Item = CellRow> {
        self.rows.into_values()
    }

    /// Runs a job while no other process writes. The system lifts the lock of a process that dies.
    fn locked(&mut self, job: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let locked = match self.access {
            Access::Read => self.file.lock_shared(),
            Access::Write => self.file.lock(),
        };
        locked.map_err(|e| self.failed("lock", e))?;
        let done = job(self);
        self.file.unlock().map_err(|e| self.failed("unlock", e))?;
        done
    }

    /// Reads the lines beyond those already known.
    fn catch_up(&mut self) -> Result<()> {
        let mut fresh = Vec::new();
        let read = self.file.seek(SeekFrom::Start(self.read)).and_then(|_| self.file.read_to_end(&mut fresh));
        read.map_err(|e| self.failed("read", e))?;
        let whole = fresh.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for line in fresh[..whole].split_inclusive(|byte| *byte == b'\n') {
            self.take(line)?;
        }
        self.read += whole as u64;
        if whole < fresh.len() { self.take_last(&fresh[whole..]) } else { Ok(()) }
    }

    fn take(&mut self, line: &[u8]) -> Result<()> {
        self.lines += 1;
        let row = CellRow::from_line(line).map_err(|problem| Error::Store {
            path: self.path.clone(),
            problem: format!("line {} {problem}", self.lines),
        })?;
        self.rows.entry(row.key.clone()).or_insert(row);
        Ok(())
    }

    /// Takes a line without its end: whoever wrote it is dead, for we have the lock. A row that is all there is kept and gets
    /// its end; the beginning of one is cut off.
    fn take_last(&mut self, line: &[u8]) -> Result<()> {
        let torn = serde_json::from_slice::<IgnoredAny>(line).is_err();
        let begins = line.len().min(BEGINNING.len());
        if !torn || line[..begins] != BEGINNING[..begins] {
            self.take(line)?;
            self.read += line.len() as u64;
            return if self.access == Access::Write { self.write(b"\n") } else { Ok(()) };
        }
        let done = match self.access {
            Access::Read => "left out",
            Access::Write => "removed",
        };
        self.torn = Some(format!(
            "{}: the last line is only {} bytes of a row, and was {done}; its cell counts as missing",
            self.path.display(),
            line.len()
        ));
        if self.access == Access::Write {
            let cut = self.file.set_len(self.read).and_then(|()| self.file.sync_data());
            cut.map_err(|e| self.failed("repair", e))?;
        }
        Ok(())
    }

    /// Adds to the file, and returns once that is on the disk.
    fn write(&mut self, content: &[u8]) -> Result<()> {
        let written = self.file.write_all(content).and_then(|()| self.file.sync_data());
        written.map_err(|e| self.failed("write to", e))?;
        self.read += content.len() as u64;
        Ok(())
    }

    fn failed(&self, action: &'static str, source: std::io::Error) -> Error {
        Error::Io { action, path: self.path.clone(), source }
    }
}

/// A new file is safe only once its folder knows of it.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}
