//! NumPy's `.npz` archives: `.npy` files in a zip file.

use std::io::BufReader;
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use super::table::{Table, open};
use super::{npy, refuse};
use crate::error;

/// Reads the only array, or the one of a name.
pub(super) fn read(path: &Path, array: &str) -> error::Result<Table> {
    let no_archive =
        |error: ZipError| refuse(path, format!("not a .npz file ({error}); write it with numpy.savez"));
    let mut archive = ZipArchive::new(BufReader::new(open(path)?)).map_err(no_archive)?;
    let count = archive.len();
    let mut name = |at| Ok(archive.by_index(at)?.name()?.trim_end_matches(".npy").to_owned());
    let names = (0..count).map(&mut name).collect::<Result<Vec<String>, _>>().map_err(no_archive)?;
    let at = match &names[..] {
        [_] => 0,
        names => names.iter().position(|name| name == array).ok_or_else(|| {
            let known = names.join(", ");
            refuse(path, format!("it holds the arrays {known}; keep one of them, or call one {array}"))
        })?,
    };
    let mut entry = archive.by_index(at).map_err(no_archive)?;
    let size = entry.size();
    npy::read_from(&mut entry, path, Some(size))
}
