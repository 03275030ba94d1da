//! [`Table`]: numbers in rows, from whatever file holds them.
//!
//! | ending | format |
//! |---|---|
//! | `.npz` | NumPy's archive, packed or not: its only array, or the one of a name |
//! | `.csv`, `.tsv`, `.txt` | numbers separated by commas, semicolons, tabs or spaces; lines that begin with `#` are left out, and so is a first line of names |
//! | any other | NumPy's `.npy` |

use std::fs::File;
use std::path::Path;

use super::{csv, npy, npz};
use crate::cloud::Cloud;
use crate::error::{Error, Result};

/// Row-major numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// All rows, one after the other.
    pub values: Vec<f64>,
    /// Numbers of a row.
    pub columns: usize,
}

impl Table {
    /// Reads a file. Of an archive of several arrays it takes the one of that name.
    ///
    /// ```
    /// use ebflow::files::Table;
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("points.csv");
    /// std::fs::write(&path, "x,y\n1,2\n3,4.5\n").unwrap();
    /// assert_eq!(Table::read(&path, "points")?, Table { values: vec![1.0, 2.0, 3.0, 4.5], columns: 2 });
    /// # Ok::<(), ebflow::Error>(())
    /// ```
    pub fn read(path: &Path, array: &str) -> Result<Self> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("npz") => npz::read(path, array),
            Some("csv" | "tsv" | "txt") => csv::read(path),
            _ => npy::read_table(path),
        }
    }

    /// The rows as points; `path` is for messages.
    pub fn cloud(self, path: &Path) -> Result<Cloud> {
        Cloud::named(self.values, self.columns, &path.display().to_string())
    }

    /// The numbers of a single column, or of a single row.
    pub fn vector(self, path: &Path) -> Result<Vec<f64>> {
        if self.columns == 1 || self.columns == self.values.len() {
            return Ok(self.values);
        }
        let problem = format!("a vector of shape (N,) is needed, but it has {} columns", self.columns);
        Err(super::refuse(path, problem))
    }
}

/// Reads points from a `.npy`, `.npz` or `.csv` file.
pub fn read_cloud(path: &Path) -> Result<Cloud> {
    Table::read(path, "points")?.cloud(path)
}

/// Reads weights, one number per point, from a `.npy`, `.npz` or `.csv` file.
pub fn read_weights(path: &Path) -> Result<Vec<f64>> {
    Table::read(path, "weights")?.vector(path)
}

/// Opens a file.
pub(super) fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| Error::Io { action: "read", path: path.into(), source })
}
