//! What a verb prints: one JSON object, or aligned lines for people.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};

use ebflow::{Error, Result};
use serde::Serialize;

/// Version of the JSON fields that other programs may rely on.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Versioned<'a, T> {
    schema: u32,
    #[serde(flatten)]
    result: &'a T,
}

/// Prints a result as JSON or, with its [`Display`], as text.
pub fn print<T: Serialize + Display>(result: &T, json: bool) -> Result<()> {
    if json { self::json(result) } else { bytes(result.to_string().as_bytes()) }
}

/// Prints a result as one JSON object.
pub fn json<T: Serialize>(result: &T) -> Result<()> {
    let versioned = Versioned { schema: SCHEMA, result };
    let text = serde_json::to_string_pretty(&versioned).map_err(|e| stdout_failed(e.into()))?;
    bytes(format!("{text}\n").as_bytes())
}

/// Writes to stdout; a reader that has gone away is not an error.
pub fn bytes(content: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(content).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(stdout_failed(e)),
        _ => Ok(()),
    }
}

fn stdout_failed(source: std::io::Error) -> Error {
    Error::Io { action: "write to", path: "standard output".into(), source }
}

/// One aligned line of the text form.
pub fn line(f: &mut std::fmt::Formatter<'_>, name: &str, value: impl Display) -> std::fmt::Result {
    writeln!(f, "{name:<18} {value}")
}

/// True when messages may be in colour: on a terminal, unless `NO_COLOR` is set.
pub fn colour_on_stderr() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
