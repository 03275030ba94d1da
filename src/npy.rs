//! NumPy's `.npy` files: clouds and vectors in, arrays out.
//!
//! Reads `float64` and `float32` of either byte order, shape `(N, d)` or `(N,)`, C or Fortran order; everything else is
//! refused with the NumPy call that would make it right. A file is written beside its destination and renamed when it
//! is whole, so a reader never sees half of one.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use npyz::{DType, NpyFile, Order, WriterBuilder};
use tempfile::NamedTempFile;

use crate::cloud::Cloud;
use crate::error::{Error, Result};

/// A two-dimensional array as read: row-major values and the number of columns.
struct Table {
    values: Vec<f64>,
    columns: usize,
}

/// Reads a cloud of shape `(N, d)`, or `(N,)` for `d = 1`.
pub fn read_cloud(path: &Path) -> Result<Cloud> {
    let table = read_table(path)?;
    Cloud::named(table.values, table.columns, &path.display().to_string())
}

/// Reads a vector of shape `(N,)` or `(N, 1)`.
pub fn read_vector(path: &Path) -> Result<Vec<f64>> {
    let table = read_table(path)?;
    if table.columns == 1 {
        return Ok(table.values);
    }
    Err(refuse(path, format!("a vector of shape (N,) is needed, but it has {} columns", table.columns)))
}

/// Writes rows of `dimension` numbers as a `float64` array of shape `(N, d)`, whole or not at all.
pub fn write_table(path: &Path, values: &[f64], dimension: usize) -> Result<()> {
    write_array(path, values, &[(values.len() / dimension) as u64, dimension as u64])
}

/// Writes a `float64` array of shape `(N,)`, whole or not at all.
pub fn write_vector(path: &Path, values: &[f64]) -> Result<()> {
    write_array(path, values, &[values.len() as u64])
}

/// Fails early, before a long computation, when a result could not be written afterwards.
pub fn check_writable<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<()> {
    let mut seen: Vec<&PathBuf> = Vec::new();
    for path in paths {
        if seen.contains(&path) {
            return Err(refuse(path, "two results would go to this one file; name another".into()));
        }
        if path.is_dir() {
            return Err(refuse(path, "is a folder; name a file in it".into()));
        }
        draft_for(path)?;
        seen.push(path);
    }
    Ok(())
}

/// A temporary file in the destination's folder, so that renaming it there cannot fail half-way.
fn draft_for(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    NamedTempFile::new_in(folder).map_err(|source| write_failed(path, source))
}

fn write_failed(path: &Path, source: std::io::Error) -> Error {
    Error::Io { action: "write", path: path.into(), source }
}

fn write_array(path: &Path, values: &[f64], shape: &[u64]) -> Result<()> {
    let failed = |source| write_failed(path, source);
    let draft = draft_for(path)?;
    let mut buffer = BufWriter::new(draft.as_file());
    let options = npyz::WriteOptions::new().default_dtype().shape(shape).writer(&mut buffer);
    let mut writer = options.begin_nd().map_err(failed)?;
    writer.extend(values.iter().copied()).map_err(failed)?;
    writer.finish().map_err(failed)?;
    buffer.flush().map_err(failed)?;
    drop(buffer);
    draft.as_file().sync_all().map_err(failed)?;
    share(draft.as_file()).map_err(failed)?;
    draft.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Temporary files are private to their owner; a result is an ordinary file.
#[cfg(unix)]
fn share(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn share(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

fn read_table(path: &Path) -> Result<Table> {
    let bytes =
        std::fs::read(path).map_err(|source| Error::Io { action: "read", path: path.into(), source })?;
    let file = NpyFile::new(&bytes[..])
        .map_err(|e| refuse(path, format!("not a .npy file ({e}); write it with numpy.save")))?;
    let (rows, columns) = shape(path, file.shape())?;
    let order = file.order();
    let values = numbers(path, file, rows, columns)?;
    Ok(match order {
        Order::C => Table { values, columns },
        Order::Fortran => Table { values: transposed(&values, rows, columns), columns },
    })
}

/// `(rows, columns)` of a one- or two-dimensional shape.
fn shape(path: &Path, shape: &[u64]) -> Result<(usize, usize)> {
    let (rows, columns) = match *shape {
        [rows] => (rows, 1),
        [rows, columns] => (rows, columns),
        _ => {
            return Err(refuse(
                path,
                format!("the array has shape {shape:?}; a shape (N, d) or (N,) is needed: use numpy.reshape"),
            ));
        }
    };
    if rows == 0 || columns == 0 {
        return Err(Error::Empty { what: path.display().to_string() });
    }
    match (usize::try_from(rows), usize::try_from(columns)) {
        (Ok(rows), Ok(columns)) => Ok((rows, columns)),
        _ => Err(refuse(path, format!("the shape {shape:?} is larger than this machine can address"))),
    }
}

/// The array's numbers in file order, after checking that the file really holds as many as its header says.
fn numbers(path: &Path, file: NpyFile<&[u8]>, rows: usize, columns: usize) -> Result<Vec<f64>> {
    let dtype = description(&file.dtype());
    let size = match dtype.trim_start_matches(['<', '>', '=', '|']) {
        "f8" => 8,
        "f4" => 4,
        _ => {
            return Err(refuse(
                path,
                format!("the array has dtype {dtype}; save it as float64: a.astype(numpy.float64)"),
            ));
        }
    };
    let header = file.header().clone();
    let data = file.into_inner();
    let needed = rows.checked_mul(columns).and_then(|n| n.checked_mul(size));
    if needed != Some(data.len()) {
        let needed = needed.map_or_else(|| "more than can exist".into(), |n| n.to_string());
        return Err(refuse(
            path,
            format!(
                "the header promises {rows} × {columns} numbers ({needed} bytes) but {} bytes follow; the file is truncated or damaged, write it again",
                data.len()
            ),
        ));
    }
    let file = NpyFile::with_header(header, data);
    let read = if size == 8 { file.into_vec::<f64>() } else { file.into_vec::<f32>().map(widened) };
    read.map_err(|e| refuse(path, format!("cannot read its numbers ({e})")))
}

fn widened(values: Vec<f32>) -> Vec<f64> {
    values.into_iter().map(f64::from).collect()
}

fn description(dtype: &DType) -> String {
    match dtype {
        DType::Plain(plain) => plain.to_string(),
        other => other.descr(),
    }
}

fn transposed(values: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows).flat_map(|r| (0..columns).map(move |c| values[c * rows + r])).collect()
}

fn refuse(path: &Path, problem: String) -> Error {
    Error::Npy { path: path.into(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud.npy");
        let values = [0.1, -2.0, 3e300, f64::MIN_POSITIVE, 5.0, 6.0];
        write_table(&path, &values, 2).unwrap();
        let cloud = read_cloud(&path).unwrap();
        assert_eq!(cloud.points(), values);
        assert_eq!(cloud.dimension(), 2);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left behind");
    }

    #[test]
    fn fortran_order_is_transposed() {
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }
}
