//! [`check_outputs`]: fails before a long computation when a result could not be written afterwards, or would destroy
//! what it was computed from.

use std::path::{Path, PathBuf};

use super::write::{Destination, named_in};
use super::{folder_of, refuse};
use crate::error::{Error, Result};

/// Refuses outputs that cannot be written, two that are one file, and, unless that is meant, one that is an input.
pub fn check_outputs(outputs: &[&Path], inputs: &[&Path], overwrite_inputs: bool) -> Result<()> {
    for (at, &path) in outputs.iter().enumerate() {
        if outputs[..at].iter().any(|&other| is_same(path, other)) {
            return Err(refuse(path, "two results would go to this one file; name another"));
        }
        if let Some(input) = inputs.iter().find(|&&input| is_same(path, input)).filter(|_| !overwrite_inputs)
        {
            return Err(Error::ReplacesInput { path: path.into(), input: input.into() });
        }
        if let Destination::File(target) = Destination::of(path)? {
            let failed = |source| Error::Io { action: "write", path: path.into(), source };
            named_in(folder_of(&target)).map_err(failed)?;
        }
    }
    Ok(())
}

/// True when two paths lead to one file, through links of either kind.
fn is_same(a: &Path, b: &Path) -> bool {
    match (identity(a), identity(b)) {
        (Some(a), Some(b)) => a == b,
        _ => place(a).is_some_and(|a| place(b) == Some(a)),
    }
}

/// Device and number of a file that is there.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|there| (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// Where a file is, or will be.
fn place(path: &Path) -> Option<PathBuf> {
    let Ok(Destination::File(target)) = Destination::of(path) else { return None };
    Some(folder_of(&target).canonicalize().ok()?.join(target.file_name()?))
}
