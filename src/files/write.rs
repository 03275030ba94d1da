//! [`write()`]: the one way to write a file.
//!
//! * A regular file is written as a draft beside its destination and renamed when it is whole and on the disk: a reader
//!   never sees half of it, and a failure leaves what was there.
//! * A symbolic link is followed: the file it points to is replaced, the link stays.
//! * A device or a pipe is written through.
//!
//! Drafts are removed when a write fails and when a signal ends the process ([`abandon`]). One that a killed process left
//! is removed by [`sweep`]; it is told from that of a living process by the lock that every writer holds on its draft.

#[cfg(all(test, unix))]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Error as IoError, ErrorKind, Result as IoResult, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempPath};

use super::{folder_of, refuse};
use crate::error::{Error, Result};

/// What drafts are called: this, and letters or digits behind it.
const PREFIX: &str = ".tmp";
const RANDOM: usize = 6;
/// Links in a row after which they are taken for a circle, as Linux does.
const MOST_LINKS: usize = 40;

/// The drafts of this process. Whoever holds the lock decides whether a draft becomes a file.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn drafts() -> MutexGuard<'static, Vec<PathBuf>> {
    DRAFTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes a file: whole or not at all when it is a regular one, through when it is a device or a pipe.
///
/// ```
/// use ebflow::files::write;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("answer.txt");
/// write(&path, |file| writeln!(file, "42"))?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "42\n");
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> IoResult<()>) -> Result<()> {
    let failed = |source| Error::Io { action: "write", path: path.into(), source };
    match Destination::of(path)? {
        Destination::Stream => OpenOptions::new().write(true).open(path).and_then(|file| filled(&file, fill)),
        Destination::File(target) => replace(&target, fill),
    }
    .map_err(failed)
}

fn filled(file: &File, fill: impl FnOnce(&mut dyn Write) -> IoResult<()>) -> IoResult<()> {
    let mut buffer = BufWriter::new(file);
    fill(&mut buffer)?;
    buffer.flush()
}

fn replace(target: &Path, fill: impl FnOnce(&mut dyn Write) -> IoResult<()>) -> IoResult<()> {
    let draft = Draft::beside(target)?;
    filled(&draft.file, fill)?;
    share(&draft.file, target)?;
    draft.file.sync_all()?;
    draft.become_file(target)
}

/// A file under a temporary name, known to [`abandon`] and locked as long as its writer lives.
struct Draft {
    file: File,
    path: Option<TempPath>,
}

impl Draft {
    fn beside(target: &Path) -> IoResult<Self> {
        let mut known = drafts();
        loop {
            let (file, path) = named_in(folder_of(target))?.into_parts();
            // Some file systems have no locks; nobody can sweep there either.
            let _ = file.lock();
            // A sweep may have come between the draft's creation and its lock.
            if path.exists() {
                known.push(path.to_path_buf());
                return Ok(Self { file, path: Some(path) });
            }
        }
    }

    fn become_file(mut self, target: &Path) -> IoResult<()> {
        let mut known = drafts();
        let path = self.path.take().ok_or(ErrorKind::NotFound)?;
        known.retain(|known| known != &*path);
        path.persist(target).map_err(|error| error.error)?;
        // The file is whole whether or not its folder can be synced.
        let _ = sync_folder(folder_of(target));
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            drafts().retain(|known| known != &*path);
        }
    }
}

pub(super) fn named_in(folder: &Path) -> IoResult<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).tempfile_in(folder)
}

/// Removes the drafts of this process and keeps all others from becoming files: for whoever is about to end the process
/// in the middle of its work, and must end it afterwards.
pub fn abandon() {
    let drafts = drafts();
    for draft in drafts.iter() {
        let _ = std::fs::remove_file(draft);
    }
    std::mem::forget(drafts);
}

/// Removes the drafts that killed processes left in a folder. Those of living ones are locked, and stay.
pub fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(is_draft) {
        let file = OpenOptions::new().write(true).open(entry.path());
        if file.is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn is_draft(entry: &std::fs::DirEntry) -> bool {
    let name = entry.file_name();
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|random| random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric()))
        && entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// Refuses a folder that nothing can be written to.
pub fn check_writable_folder(folder: &Path) -> Result<()> {
    let failed = |source| Error::Io { action: "write to", path: folder.into(), source };
    named_in(folder).map(drop).map_err(failed)
}

/// Where a path leads.
pub(super) enum Destination {
    /// A regular file, there or not; links are followed.
    File(PathBuf),
    /// A device, a pipe or a socket.
    Stream,
}

impl Destination {
    pub(super) fn of(path: &Path) -> Result<Self> {
        match std::fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(refuse(path, "is a folder; name a file in it")),
            Ok(there) if !there.is_file() => Ok(Self::Stream),
            _ => Ok(Self::File(followed(path).map_err(|source| Error::Io {
                action: "write",
                path: path.into(),
                source,
            })?)),
        }
    }
}

/// The path at the end of a chain of links, whether there is a file or not.
fn followed(path: &Path) -> IoResult<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(IoError::other("its links go round in a circle"))
}

/// Temporary files are private to their owner. A result keeps the permissions of what it replaces, and is an ordinary file
/// otherwise.
#[cfg(unix)]
fn share(file: &File, target: &Path) -> IoResult<()> {
    use std::fs::{Permissions, metadata};
    use std::os::unix::fs::PermissionsExt;
    let ordinary = || Permissions::from_mode(0o644);
    file.set_permissions(metadata(target).map_or_else(|_| ordinary(), |there| there.permissions()))
}

#[cfg(not(unix))]
fn share(_: &File, _: &Path) -> IoResult<()> {
    Ok(())
}

/// A new name is safe only once its folder has reached the disk.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> IoResult<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> IoResult<()> {
    Ok(())
}
