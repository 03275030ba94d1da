//! [`Folder`]: a folder that results are kept in.

use std::path::{Path, PathBuf};

use super::{check_writable_folder, sweep, write};
use crate::error::{Error, Result};

/// A folder whose files are written whole or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A folder, created when it is not there.
    pub fn create(path: &Path) -> Result<Self> {
        let failed = |source| Error::Io { action: "create", path: path.into(), source };
        std::fs::create_dir_all(path).map_err(failed)?;
        Ok(Self { path: path.into() })
    }

    /// A folder that is there.
    pub fn at(path: &Path) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what killed processes left half-written.
    pub fn sweep(&self) {
        sweep(&self.path);
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        write(&self.path.join(name), |file| file.write_all(content))
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
        check_writable_folder(&self.path)
    }
}
