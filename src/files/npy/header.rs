//! [`Header`]: what stands before the numbers, a small part of Python's syntax for dictionaries.

use std::io::{Error, ErrorKind, Read, Result};

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";
/// A longer header is not one: format 1 cannot have it, and NumPy itself refuses more than a sixth of it.
const LONGEST: usize = u16::MAX as usize;

/// What a header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    /// The type of the numbers as it is written there, without the quotes of a plain one.
    pub descr: String,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
}

fn invalid(problem: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidData, problem.into())
}

impl Header {
    /// Reads up to the first number. What is not a header is [`ErrorKind::InvalidData`].
    pub fn read(file: &mut impl Read) -> Result<Self> {
        let [major, _] = bytes::<2>(file, MAGIC)?;
        let length = match major {
            1 => u16::from_le_bytes(bytes(file, b"")?) as usize,
            2 | 3 => u32::from_le_bytes(bytes(file, b"")?) as usize,
            _ => return Err(invalid(format!("it has format {major}, and formats 1 to 3 are known"))),
        };
        if length > LONGEST {
            return Err(invalid(format!("its header is {length} bytes long")));
        }
        let mut text = Vec::new();
        if file.take(length as u64).read_to_end(&mut text)? < length {
            return Err(invalid("it ends within its header"));
        }
        Self::parse(&String::from_utf8_lossy(&text))
    }

    fn parse(text: &str) -> Result<Self> {
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        let mut scanner = Scanner { text, at: 0 };
        scanner.expect('{')?;
        while !scanner.take('}') {
            let key = scanner.string()?;
            scanner.expect(':')?;
            match key {
                "descr" => descr = Some(scanner.descr()?),
                "fortran_order" => fortran_order = Some(scanner.truth()?),
                "shape" => shape = Some(scanner.shape()?),
                _ => return Err(invalid(format!("its header has an unknown key '{key}'"))),
            }
            if !scanner.take(',') {
                scanner.expect('}')?;
                break;
            }
        }
        let missing = |key: &str| invalid(format!("its header has no '{key}'"));
        Ok(Self {
            descr: descr.ok_or_else(|| missing("descr"))?,
            fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }
}

/// The next bytes, behind others that must be there.
fn bytes<const N: usize>(file: &mut impl Read, before: &[u8]) -> Result<[u8; N]> {
    let mut found = Vec::new();
    file.take((before.len() + N) as u64).read_to_end(&mut found)?;
    let rest = found.strip_prefix(before).ok_or_else(|| invalid("it does not begin like one"))?;
    rest.try_into().map_err(|_| invalid("it ends before its header"))
}

/// A place in a header's text.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// What is left, without leading space.
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn wrong<T>(&mut self, expected: &str) -> Result<T> {
        self.rest();
        let column = self.text[..self.at].chars().count() + 1;
        Err(invalid(format!("column {column} of its header should be {expected}")))
    }

    fn take(&mut self, mark: char) -> bool {
        let there = self.rest().starts_with(mark);
        self.at += if there { mark.len_utf8() } else { 0 };
        there
    }

    fn expect(&mut self, mark: char) -> Result<()> {
        if self.take(mark) { Ok(()) } else { self.wrong(&format!("'{mark}'")) }
    }

    /// The text up to the first character that does not belong to it.
    fn span(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A string in either kind of quotes, without escapes.
    fn string(&mut self) -> Result<&'a str> {
        let Some(quote) = self.rest().chars().next().filter(|c| ['\'', '"'].contains(c)) else {
            return self.wrong("a string");
        };
        let inside = &self.rest()[1..];
        let Some(end) = inside.find(quote) else { return self.wrong("a string with an end") };
        self.at += end + 2;
        Ok(&inside[..end])
    }

    fn truth(&mut self) -> Result<bool> {
        match self.span(char::is_alphabetic) {
            "True" => Ok(true),
            "False" => Ok(false),
            _ => Err(invalid("'fortran_order' must be True or False")),
        }
    }

    /// A type: a string, or a list for records, which is kept as it is to be named in the refusal.
    fn descr(&mut self) -> Result<String> {
        if !self.rest().starts_with('[') {
            return self.string().map(str::to_owned);
        }
        let (rest, mut depth) = (self.rest(), 0_usize);
        for (at, c) in rest.char_indices() {
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += at + 1;
                return Ok(rest[..=at].to_owned());
            }
        }
        self.wrong("a list with an end")
    }

    fn shape(&mut self) -> Result<Vec<usize>> {
        self.expect('(')?;
        let mut shape = Vec::new();
        while !self.take(')') {
            match self.span(|c| c.is_ascii_digit()) {
                "" => return self.wrong("a number or ')'"),
                digits => {
                    shape.push(digits.parse().map_err(|_| invalid("its shape is beyond any machine"))?);
                }
            }
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}
