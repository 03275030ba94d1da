//! The one error type: what was wrong, where, and what to do about it.

use std::path::PathBuf;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong. [`Error::is_numerical`] tells a failed computation from bad input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A scalar parameter is outside its domain.
    #[error("the {name} must be {requirement}, but it is {}", short(*value))]
    InvalidParameter {
        /// What the parameter is called in messages.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What it must satisfy.
        requirement: &'static str,
    },

    /// A law's parameters do not describe a probability law.
    #[error("the {kind} law is not valid: {problem}")]
    InvalidLaw {
        /// Which kind of law.
        kind: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },

    /// A law was written in a form that cannot be read.
    #[error("cannot read the law {text}: {problem}")]
    UnreadableLaw {
        /// The file or the inline table.
        text: String,
        /// The parser's message, with its position.
        problem: String,
    },

    /// The law does not offer what was asked of it.
    #[error("{capability} is not available for a law of kind {kind}: {remedy}")]
    Unsupported {
        /// Which kind of law.
        kind: &'static str,
        /// What was asked.
        capability: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },

    /// A cloud without points.
    #[error("{what} has no points; at least one is needed")]
    Empty {
        /// Which input.
        what: String,
    },

    /// A NaN or an infinity where a finite number is needed.
    #[error("{what} has the value {value} in row {row}, column {column}; remove or replace such rows first")]
    NotFinite {
        /// Which input.
        what: String,
        /// Row, from zero.
        row: usize,
        /// Column, from zero.
        column: usize,
        /// The offending value.
        value: f64,
    },

    /// Two inputs that must live in the same space do not.
    #[error("{what} has dimension {found}, but {other} has dimension {expected}; they must agree")]
    DimensionMismatch {
        /// The input that disagrees.
        what: String,
        /// What it disagrees with.
        other: String,
        /// Dimension of `other`.
        expected: usize,
        /// Dimension of `what`.
        found: usize,
    },

    /// Two inputs that must have the same number of entries do not.
    #[error("{what} has {found} entries, but {expected} are needed: one for each of {other}")]
    LengthMismatch {
        /// The input that disagrees.
        what: String,
        /// What is counted.
        other: String,
        /// Entries needed.
        expected: usize,
        /// Entries found.
        found: usize,
    },

    /// Weights that are not a probability vector.
    #[error("{what} cannot be used as weights: {problem}")]
    InvalidWeights {
        /// Which input.
        what: String,
        /// What is wrong and what to do.
        problem: String,
    },

    /// Truncation to a ball left nothing.
    #[error(
        "no token lies within the radius R = {radius}: the nearest to the origin is at distance {nearest}; increase R or resample"
    )]
    NoTokenInBall {
        /// The radius.
        radius: f64,
        /// The smallest norm among the tokens.
        nearest: f64,
    },

    /// A layer step that would leave the convex hull.
    #[error(
        "the step of {} is η = {step}, but η must be below 1 (each layer must stay in the convex hull); use at least {}",
        counted(*layers, "layer"),
        counted(*enough, "layer")
    )]
    StepTooLong {
        /// Layers asked for.
        layers: usize,
        /// The resulting step.
        step: f64,
        /// The smallest number of layers that will do.
        enough: usize,
    },

    /// A hitting time was asked for a variance that the flow does not pass.
    #[error(
        "the target variance {target} is not between 0 and the initial variance {start}; the flow only lowers the variance, so choose a target below its start"
    )]
    TargetAboveStart {
        /// The variance asked for.
        target: f64,
        /// Where the variance starts.
        start: f64,
    },

    /// A file that is not what it should be, or must not become what it should.
    #[error("{path}: {problem}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },

    /// A result that would destroy what it was computed from.
    #[error("{path}: the result would replace the input {input}; name another file")]
    ReplacesInput {
        /// Where the result should go.
        path: PathBuf,
        /// The input, which is the same file.
        input: PathBuf,
    },

    /// A result beyond the range of double precision.
    #[error(
        "{what} is {value}: it is beyond the range of double precision; rescale the data, so that its squares stay below 10³⁰⁰"
    )]
    Overflow {
        /// Which number.
        what: String,
        /// What came of it.
        value: f64,
    },

    /// Rows of a study that cannot be used.
    #[error("{path}: {problem}")]
    Store {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },

    /// A folder in which no study was run.
    #[error("{path}: there is no {spec} in it; name a folder that a study has been run in")]
    NoStudy {
        /// The folder.
        path: PathBuf,
        /// The file that would tell.
        spec: &'static str,
    },

    /// A folder without evidence of claims.
    #[error(
        "{path}: evidence is kept in a file {file}, and {lack}; name a folder that evidence has been written to"
    )]
    NoEvidence {
        /// The folder.
        path: PathBuf,
        /// The file that would hold it.
        file: &'static str,
        /// What is missing.
        lack: &'static str,
    },

    /// A claim that is not in the register.
    #[error(
        "there is no claim '{id}'{}",
        nearest.map_or_else(String::new, |nearest| format!("; did you mean {nearest}?"))
    )]
    UnknownClaim {
        /// What was asked for.
        id: String,
        /// A name that exists and is similar, if there is one.
        nearest: Option<&'static str>,
    },

    /// The operating system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },

    /// The variable `EBFLOW_SIMD` asks for instructions that nobody knows.
    #[error(
        "EBFLOW_SIMD is '{asked}', but it must be avx512, avx2 or portable; unset it for the widest vectors of this machine"
    )]
    UnknownInstructions {
        /// What it says.
        asked: String,
    },

    /// The threads asked for could not be had.
    #[error("cannot start {count} threads: {problem}; ask for fewer")]
    Threads {
        /// Threads asked for; 0 stands for one per core.
        count: usize,
        /// The system's reason.
        problem: String,
    },

    /// Data that do not determine what was to be estimated from them.
    #[error("the estimate cannot be made: {problem}")]
    Fit {
        /// What is missing and what to do.
        problem: String,
    },

    /// A computation that could not be carried through.
    #[error("{what} failed at raw time {raw_time}: {problem}")]
    Integration {
        /// What was being integrated.
        what: &'static str,
        /// How far it came.
        raw_time: f64,
        /// What happened and what to do.
        problem: String,
    },
}

/// A number as people write it: with an exponent where it would be a long row of zeros.
fn short(value: f64) -> String {
    let long = value != 0.0 && !(1e-5..1e16).contains(&value.abs());
    if long { format!("{value:e}") } else { value.to_string() }
}

/// A number of things: `1 layer`, `2 layers`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

impl Error {
    /// True when the input was fine and the arithmetic was not.
    pub fn is_numerical(&self) -> bool {
        matches!(self, Self::Integration { .. } | Self::Overflow { .. })
    }
}

/// Refuses two things that do not live in the same space.
pub fn check_same_space(
    what: impl Into<String>,
    found: usize,
    other: impl Into<String>,
    expected: usize,
) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::DimensionMismatch { what: what.into(), other: other.into(), expected, found })
}

/// Names farther apart than this share of their length are not taken for misspellings of one another.
#[cfg(feature = "files")]
const SIMILAR: f64 = 0.5;

/// The known name that a word is most likely meant to be, if any is likely.
#[cfg(feature = "files")]
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let nearest = known.iter().min_by_key(|name| strsim::damerau_levenshtein(word, name)).copied();
    nearest.filter(|name| strsim::normalized_damerau_levenshtein(word, name) >= SIMILAR)
}
