//! Files: NumPy arrays in and out, and the one way in which this crate writes a file.
//!
//! | file | holds |
//! |---|---|
//! | [`Folder`] | a folder of results |
//! | `document` | TOML that people write, and what is wrong with it |
//! | [`npy`] | NumPy's `.npy` arrays |
//! | [`read_cloud`], [`read_weights`], [`Table`] | points and weights from `.npy`, `.npz` or `.csv` |
//! | [`write()`] | a file, whole or not at all; devices, pipes and links as what they are |
//! | [`check_outputs`] | whether results can be written where they should go, before any work |

mod csv;
pub(crate) mod document;
mod folder;
pub mod npy;
mod npz;
mod outputs;
mod table;
mod write;

pub use folder::Folder;
pub use outputs::check_outputs;
pub use table::{Table, check_ending, read_cloud, read_weights, write_table, write_vector};
pub use write::{abandon, check_writable_folder, sweep, write};

use std::path::Path;

use crate::error::Error;

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn refuse(path: &Path, problem: impl Into<String>) -> Error {
    Error::File { path: path.into(), problem: problem.into() }
}
