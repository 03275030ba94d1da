//! Numbers as text, in rows.

use std::io::Read;
use std::path::Path;

use super::refuse;
use super::table::{Table, open};
use super::{npy, write as whole};
use crate::error::{Error, Result};

/// What may stand between numbers, in the order in which a first line is searched for it; after these, spaces.
const SEPARATORS: [char; 3] = [',', ';', '\t'];
/// Begins a line that is no data.
const COMMENT: char = '#';

/// Reads a file.
pub(super) fn read(path: &Path) -> Result<Table> {
    let mut bytes = Vec::new();
    let failed = |source| Error::Io { action: "read", path: path.into(), source };
    open(path)?.read_to_end(&mut bytes).map_err(failed)?;
    let text =
        String::from_utf8(bytes).map_err(|_| refuse(path, "it is not text; a .npy file ends in .npy"))?;
    parsed(text.strip_prefix('\u{feff}').unwrap_or(&text), path)
}

/// Writes rows of so many numbers, each with as many digits as tell it from its neighbours.
pub(super) fn write(path: &Path, values: &[f64], columns: usize) -> Result<()> {
    npy::check_finite(&format!("the result for {}", path.display()), values, columns)?;
    whole(path, |file| {
        values.chunks(columns).try_for_each(|row| {
            let fields: Vec<String> = row.iter().map(|value| format!("{value:?}")).collect();
            writeln!(file, "{}", fields.join(","))
        })
    })
}

/// A line that is not empty and not a comment, with its number.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with(COMMENT))
}

fn parsed(text: &str, path: &Path) -> Result<Table> {
    let Some((_, first)) = lines(text).next() else {
        return Err(Error::Empty { what: path.display().to_string() });
    };
    let separator = SEPARATORS.into_iter().find(|separator| first.contains(*separator));
    let names = fields(first, separator).all(|field| number(field).is_none());
    let mut table = Table { values: Vec::new(), columns: 0 };
    for (line, content) in lines(text).skip(usize::from(names)) {
        let before = table.values.len();
        for (column, field) in fields(content, separator).enumerate() {
            let place = || format!("line {line}, column {}", column + 1);
            let value = number(field)
                .ok_or_else(|| refuse(path, format!("{}: \"{field}\" is not a number", place())))?;
            table.values.push(value);
        }
        let found = table.values.len() - before;
        if table.columns != 0 && found != table.columns {
            let problem =
                format!("line {line} has {found} numbers, but those before it have {}", table.columns);
            return Err(refuse(path, problem));
        }
        table.columns = found;
    }
    match table.columns {
        0 => Err(Error::Empty { what: path.display().to_string() }),
        _ => Ok(table),
    }
}

/// What stands between separators, without the spaces and quotes about it.
fn fields(line: &str, separator: Option<char>) -> impl Iterator<Item = &str> {
    let split: Box<dyn Iterator<Item = &str>> = match separator {
        Some(separator) => Box::new(line.split(separator)),
        None => Box::new(line.split_whitespace()),
    };
    split.map(|field| field.trim().trim_matches('"'))
}

fn number(field: &str) -> Option<f64> {
    field.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table> {
        parsed(text, Path::new("x.csv"))
    }

    #[test]
    fn separators_names_and_comments_are_what_people_write() {
        let table = Table { values: vec![1.0, -2.5, 3e-3, 4.0], columns: 2 };
        for text in [
            "1,-2.5\n3e-3,4\n",
            "x,y\n1,-2.5\n3e-3,4",
            "1; -2.5\r\n0.003; 4\r\n",
            "# numpy.savetxt\n1.0e+00 -2.5e+00\n3e-3   4\n",
            "\"x\"\t\"y\"\n1\t-2.5\n\n3e-3\t4\n",
        ] {
            assert_eq!(read(text).unwrap(), table, "{text:?}");
        }
        assert_eq!(read("1\n2\n").unwrap(), Table { values: vec![1.0, 2.0], columns: 1 });
    }

    #[test]
    fn what_cannot_be_read_is_named_by_line_and_column() {
        for (text, words) in [
            ("1,2\n3,x\n", "line 2, column 2: \"x\""),
            ("x,y\n1,2\n3\n", "line 3 has 1 numbers"),
            ("1,2,\n", "line 1, column 3"),
            ("", "empty"),
            ("x,y\n", "empty"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(words) || words == "empty", "{text:?}: {error}");
        }
    }
}
