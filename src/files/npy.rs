//! NumPy's `.npy` files: clouds and vectors in, arrays out.
//!
//! ```text
//! \x93NUMPY  major minor  length of the header (2 bytes in format 1, 4 in 2 and 3, little endian)
//! {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }      padded with spaces, ended by a line feed
//! the numbers
//! ```
//! Reads `float64` and `float32` of either byte order, shape `(N, d)` or `(N,)`, C or Fortran order; everything else is
//! refused with the NumPy call that would make it right. Memory is taken as the numbers arrive, never because a header
//! promises them; nothing is read beyond them.

mod header;

use std::fs::File;
use std::io::{ErrorKind, Read, Result as IoResult};
use std::path::Path;

use self::header::Header;
use super::table::Table;
use super::{refuse, write};
use crate::cloud::Cloud;
use crate::error::{Error, Result};

/// Bytes read at once, a multiple of every number's size.
const BLOCK: usize = 1 << 16;
/// Headers are padded until the numbers begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// Reads a cloud of shape `(N, d)`, or `(N,)` for `d = 1`.
pub fn read_cloud(path: &Path) -> Result<Cloud> {
    read_table(path)?.cloud(path)
}

/// Whether a file is an array whose numbers are single precision: each of them was rounded by up to `2^−24` of itself.
pub fn is_single(path: &Path) -> bool {
    // A pipe can be read only once.
    let is_file = std::fs::metadata(path).is_ok_and(|there| there.is_file());
    let header = || File::open(path).and_then(|mut file| Header::read(&mut file)).ok();
    let size = |header: Header| Some(Number::new(path, &header.descr).ok()?.size);
    is_file && header().and_then(size) == Some(size_of::<f32>())
}

/// Writes rows of `dimension` numbers as a `float64` array of shape `(N, d)`.
pub fn write_table(path: &Path, values: &[f64], dimension: usize) -> Result<()> {
    write_array(path, values, dimension, &format!("({}, {dimension})", values.len() / dimension))
}

/// Writes a `float64` array of shape `(N,)`.
pub fn write_vector(path: &Path, values: &[f64]) -> Result<()> {
    write_array(path, values, 1, &format!("({},)", values.len()))
}

/// Refuses numbers that are not finite: they never leave in a file.
pub fn check_finite(what: &str, values: &[f64], columns: usize) -> Result<()> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::Overflow {
            what: format!("{what} in row {}, column {}", at / columns, at % columns),
            value: values[at],
        }),
    }
}

fn write_array(path: &Path, values: &[f64], columns: usize, shape: &str) -> Result<()> {
    check_finite(&format!("the result for {}", path.display()), values, columns)?;
    write(path, |file| {
        file.write_all(&preamble(shape))?;
        values.iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))
    })
}

/// Everything before the numbers, in format 1.
fn preamble(shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let before = header::MAGIC.len() + 4;
    let length = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
    text.extend(std::iter::repeat_n(' ', length - text.len() - 1));
    let size = (length as u16).to_le_bytes();
    [header::MAGIC, &[1, 0], &size, text.as_bytes(), b"\n"].concat()
}

/// Reads a file.
pub(super) fn read_table(path: &Path) -> Result<Table> {
    let failed = |source| Error::Io { action: "read", path: path.into(), source };
    let mut file = File::open(path).map_err(failed)?;
    let size = file.metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
    read_from(&mut file, path, size)
}

/// Reads what is in a file, of so many bytes if that is known.
pub(super) fn read_from(file: &mut impl Read, path: &Path, size: Option<u64>) -> Result<Table> {
    let failed = |source| Error::Io { action: "read", path: path.into(), source };
    let header = Header::read(file).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => {
            refuse(path, format!("not a .npy file ({error}); write it with numpy.save"))
        }
        _ => failed(error),
    })?;
    let shape = Shape::new(path, &header.shape)?;
    let number = Number::new(path, &header.descr)?;
    let values = number.read_all(file, shape.count()).map_err(failed)?;
    if Some(values.len()) != shape.count() || ends_late(file).map_err(failed)? {
        return Err(shape.not_as_promised(path, &number, values.len(), size));
    }
    let Shape { rows, columns } = shape;
    let values = if header.fortran_order { transposed(&values, rows, columns) } else { values };
    Ok(Table { values, columns })
}

/// True when something follows the numbers.
fn ends_late(file: &mut impl Read) -> IoResult<bool> {
    let mut rest = Vec::new();
    file.take(1).read_to_end(&mut rest).map(|read| read > 0)
}

/// A one- or two-dimensional shape.
struct Shape {
    rows: usize,
    columns: usize,
}

impl Shape {
    fn new(path: &Path, shape: &[usize]) -> Result<Self> {
        match *shape {
            [0] | [0, _] | [_, 0] => Err(Error::Empty { what: path.display().to_string() }),
            [rows] => Ok(Self { rows, columns: 1 }),
            [rows, columns] => Ok(Self { rows, columns }),
            _ => Err(refuse(
                path,
                format!("the array has shape {shape:?}; a shape (N, d) or (N,) is needed: use numpy.reshape"),
            )),
        }
    }

    /// How many numbers it has, unless that is beyond counting.
    fn count(&self) -> Option<usize> {
        self.rows.checked_mul(self.columns).filter(|count| count.checked_mul(size_of::<f64>()).is_some())
    }

    fn not_as_promised(&self, path: &Path, number: &Number, found: usize, size: Option<u64>) -> Error {
        let bytes = |count: usize| (count * number.size).to_string();
        let needed = self.count().map_or_else(|| "more than can exist".into(), bytes);
        let found = match size {
            Some(size) => format!("the whole file has {size} bytes"),
            None if Some(found) == self.count() => "more follow".into(),
            None => format!("only {found} numbers follow"),
        };
        let Self { rows, columns } = self;
        refuse(
            path,
            format!(
                "the header promises {rows} × {columns} numbers ({needed} bytes) but {found}; \
                 the file is truncated or damaged, write it again"
            ),
        )
    }
}

/// How a number is stored.
struct Number {
    size: usize,
    big_endian: bool,
}

impl Number {
    fn new(path: &Path, descr: &str) -> Result<Self> {
        let plain = descr.trim_start_matches(['<', '>', '=', '|']);
        let big_endian = descr.starts_with('>') || (cfg!(target_endian = "big") && descr.starts_with('='));
        match plain {
            "f8" => Ok(Self { size: size_of::<f64>(), big_endian }),
            "f4" => Ok(Self { size: size_of::<f32>(), big_endian }),
            _ => {
                let remedy = "save it as float64: a.astype(numpy.float64)";
                Err(refuse(path, format!("the array has dtype {descr}; {remedy}")))
            }
        }
    }

    /// So many numbers in file order, or as many whole ones as there are; of a number beyond counting, none.
    fn read_all(&self, file: &mut impl Read, count: Option<usize>) -> IoResult<Vec<f64>> {
        let (mut values, mut left) = (Vec::new(), count.unwrap_or(0));
        let mut block = Vec::with_capacity(BLOCK.min(left.saturating_mul(self.size)));
        while left > 0 {
            block.clear();
            let wanted = left.saturating_mul(self.size).min(BLOCK) as u64;
            file.take(wanted).read_to_end(&mut block)?;
            values.extend(block.chunks_exact(self.size).map(|bytes| self.decoded(bytes)));
            left -= block.len() / self.size;
            if (block.len() as u64) < wanted {
                break;
            }
        }
        Ok(values)
    }

    fn decoded(&self, bytes: &[u8]) -> f64 {
        let mut little = [0; size_of::<f64>()];
        little[..self.size].copy_from_slice(bytes);
        if self.big_endian {
            little[..self.size].reverse();
        }
        match self.size {
            8 => f64::from_le_bytes(little),
            _ => f64::from(f32::from_le_bytes([little[0], little[1], little[2], little[3]])),
        }
    }
}

fn transposed(values: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows).flat_map(|r| (0..columns).map(move |c| values[c * rows + r])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of any header and any data.
    fn file(version: u8, header: &str, data: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("array.npy");
        let length = match version {
            1 => (header.len() as u16).to_le_bytes().to_vec(),
            _ => (header.len() as u32).to_le_bytes().to_vec(),
        };
        let bytes = [header::MAGIC, &[version, 0], &length, header.as_bytes(), data].concat();
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

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
        let many: Vec<f64> = (0..30_000).map(f64::from).collect();
        write_vector(&path, &many).unwrap();
        assert_eq!(read_cloud(&path).unwrap().points(), many);
    }

    /// `numpy.save(file, numpy.array([[1.5, -2.0]]))` of NumPy 2.4.6, byte for byte.
    #[test]
    fn what_is_written_is_what_numpy_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        write_table(&path, &[1.5, -2.0], 2).unwrap();
        let mut expected =
            b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }".to_vec();
        expected.resize(127, b' ');
        expected.push(b'\n');
        expected.extend([0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0]);
        assert_eq!(std::fs::read(&path).unwrap(), expected);
    }

    #[test]
    fn every_format_order_and_size_is_read() {
        let big: Vec<u8> = [1.0_f64, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        let small: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        let small_big: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        for version in [1, 2, 3] {
            let read = |descr: &str, fortran: &str, data: &[u8]| {
                let header = format!("{{\"shape\":(2,2),\n'fortran_order':{fortran} , 'descr': '{descr}'}}");
                let (_folder, path) = file(version, &header, data);
                read_cloud(&path).unwrap().into_points()
            };
            assert_eq!(read(">f8", "False", &big), [1.0, 2.0, 3.0, 4.0]);
            assert_eq!(read(">f8", "True", &big), [1.0, 3.0, 2.0, 4.0]);
            assert_eq!(read("<f4", "False", &small), [1.0, 2.0, 3.0, 4.0]);
            assert_eq!(read("=f4", "False", &small), [1.0, 2.0, 3.0, 4.0]);
            assert_eq!(read(">f4", "True", &small_big), [1.0, 3.0, 2.0, 4.0]);
        }
    }

    #[test]
    fn what_is_not_an_array_is_refused_with_a_reason() {
        let refusal = |version: u8, header: &str, data: &[u8]| {
            let (_folder, path) = file(version, header, data);
            let error = read_cloud(&path).unwrap_err().to_string();
            assert!(error.contains("array.npy"), "{error}");
            error
        };
        let good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
        let cases: [(&str, &[u8], &str); 12] = [
            (good, &[0; 7], "truncated"),
            (good, &[0; 9], "damaged"),
            (&good.replace("(1,)", "(4611686018427387904, 4)"), &[0; 8], "more than can exist"),
            (&good.replace("(1,)", "(99999999999999999999,)"), &[0; 8], "beyond any machine"),
            (&good.replace("(1,)", "(-1,)"), &[0; 8], "column"),
            (&good.replace("(1,)", "()"), &[0; 8], "reshape"),
            (&good.replace("(1,)", "(1,1,1)"), &[0; 8], "reshape"),
            (&good.replace("'<f8'", "[('x', '<f8')]"), &[0; 8], "[('x', '<f8')]; save it as float64"),
            (&good.replace("False", "Maybe"), &[0; 8], "'fortran_order' must be True or False"),
            (&good.replace("'shape'", "'form'"), &[0; 8], "'form'"),
            ("{'descr': '<f8', 'fortran_order': False}", &[0; 8], "no 'shape'"),
            ("{'descr': '<f8", &[0; 8], "column"),
        ];
        for (header, data, expected) in cases {
            let error = refusal(1, header, data);
            assert!(error.contains(expected), "{header}: {error}");
        }
        assert!(refusal(4, good, &[0; 8]).contains("format 4"));
        assert!(refusal(2, &good.replace(", }", &" ".repeat(70_000)), &[0; 8]).contains("long"));
    }

    #[test]
    fn what_is_not_finite_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let error = write_table(&path, &[0.0, 1.0, 2.0, f64::INFINITY], 2).unwrap_err();
        assert!(error.is_numerical() && error.to_string().contains("row 1, column 1"), "{error}");
        assert!(!path.exists());
    }

    #[test]
    fn fortran_order_is_transposed() {
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    }
}
