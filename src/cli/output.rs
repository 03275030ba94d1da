//! [`Console`]: the one place that prints. Results go to one stream, messages to another.
//!
//! A result that cannot be printed is an error, except that a reader who has gone away wants no more of it. A message that
//! cannot be printed is lost, and the work goes on.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use ebflow::{Error, Result};
use serde::Serialize;
use serde_json::{Map, Value};

use super::finite;
use super::interruption::Interruption;
use super::wrap::wrapped;

/// Version of the JSON fields that other programs may rely on.
const SCHEMA: u32 = 1;

/// Columns of text that does not go to a terminal.
const COLUMNS: usize = 80;

/// Where a verb prints, and how it learns that it shall end.
pub struct Console<'a> {
    /// Takes results.
    pub results: &'a mut dyn Write,
    /// Takes messages.
    pub messages: &'a mut dyn Write,
    /// True when messages go to a terminal.
    pub interactive: bool,
    /// Columns that results may take.
    pub columns: usize,
    /// Whether the user wants an end.
    pub interruption: Interruption,
    /// The command and what it was given, which every JSON object repeats.
    pub request: Map<String, Value>,
}

#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    version: &'static str,
    #[serde(flatten)]
    request: &'a Map<String, Value>,
    #[serde(flatten)]
    result: &'a T,
}

fn failed(source: std::io::Error) -> Error {
    Error::Io { action: "write to", path: "standard output".into(), source }
}

impl<'a> Console<'a> {
    /// Prints to two streams that are no terminals.
    pub fn new(results: &'a mut dyn Write, messages: &'a mut dyn Write, interruption: Interruption) -> Self {
        let request = Map::new();
        Self { results, messages, interactive: false, columns: COLUMNS, interruption, request }
    }

    /// A result as one JSON object or, with its [`Display`], as text; with a number in it that is not finite it is an error.
    pub fn rendered<T: Serialize + Display>(&self, result: &T, json: bool) -> Result<String> {
        finite::check(result)?;
        if json { self.object(result) } else { Ok(wrapped(&result.to_string(), self.columns)) }
    }

    /// Prints a result as JSON or as text; see [`Console::rendered`].
    pub fn result<T: Serialize + Display>(&mut self, result: &T, json: bool) -> Result<()> {
        self.text(&self.rendered(result, json)?)
    }

    /// Prints one JSON object, in which a number that is not finite is null.
    pub fn json<T: Serialize>(&mut self, result: &T) -> Result<()> {
        self.text(&self.object(result)?)
    }

    fn object<T: Serialize>(&self, result: &T) -> Result<String> {
        let version = env!("CARGO_PKG_VERSION");
        let document = Document { schema: SCHEMA, version, request: &self.request, result };
        let text = serde_json::to_string_pretty(&document).map_err(|e| failed(e.into()))?;
        Ok(text + "\n")
    }

    /// Prints text in lines that fit.
    pub fn prose(&mut self, content: &str) -> Result<()> {
        self.text(&wrapped(content, self.columns))
    }

    /// Prints a result as it is.
    pub fn text(&mut self, content: &str) -> Result<()> {
        match self.results.write_all(content.as_bytes()).and_then(|()| self.results.flush()) {
            Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(failed(e)),
            _ => Ok(()),
        }
    }

    /// Says something beside the results, on a line of its own.
    pub fn say(&mut self, message: impl Display) {
        let line = format!("{message}\n");
        let _ = self.messages.write_all(line.as_bytes()).and_then(|()| self.messages.flush());
    }

    /// True when messages may be in colour: on a terminal, unless `NO_COLOR` is set.
    pub fn has_colour(&self) -> bool {
        self.interactive && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
    }
}

/// One aligned line of the text form.
pub fn line(f: &mut std::fmt::Formatter<'_>, name: &str, value: impl Display) -> std::fmt::Result {
    writeln!(f, "{name:<18} {value}")
}
