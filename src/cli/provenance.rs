//! Where rows come from: command, version, commit, machine, time.

use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ebflow::Provenance;
use ebflow::study::{NUMERICS, RunEnd, RunRecord};

/// The commit, where whoever builds the program sets this variable.
const COMMIT: Option<&str> = option_env!("EBFLOW_COMMIT");

/// A run that is under way.
pub struct Stopwatch {
    start: Instant,
    record: RunRecord,
}

impl Stopwatch {
    pub fn start(jobs: usize) -> Self {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs());
        let Provenance { version, commit, machine } = provenance();
        let record = RunRecord {
            command: command(),
            version,
            commit,
            numerics: NUMERICS,
            machine: format!("{}, {machine}", host()),
            jobs,
            process: std::process::id(),
            began,
            end: None,
        };
        Self { start: Instant::now(), record }
    }

    /// What is known at the beginning.
    pub fn begun(&self) -> &RunRecord {
        &self.record
    }

    /// What is known at the end.
    pub fn ended(self, computed: usize) -> RunRecord {
        let end = RunEnd { seconds: self.start.elapsed().as_secs_f64(), computed };
        RunRecord { end: Some(end), ..self.record }
    }
}

/// This program on this machine.
pub fn provenance() -> Provenance {
    Provenance { version: env!("CARGO_PKG_VERSION").into(), commit: commit(), machine: machine() }
}

/// The commit named when the program was built; else that of the checkout it was built in, as long as it is there.
fn commit() -> String {
    let described = || {
        let arguments = ["-C", env!("CARGO_MANIFEST_DIR"), "describe", "--always", "--dirty", "--abbrev=12"];
        let output = Command::new("git").args(arguments).output().ok().filter(|o| o.status.success())?;
        String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
    };
    COMMIT.map(str::to_owned).or_else(described).unwrap_or_else(|| "unknown".into())
}

/// The command line, with quotes where a shell needs them.
fn command() -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,+:@%".contains(c);
    let quoted = |word: String| match word.chars().all(plain) && !word.is_empty() {
        true => word,
        false => format!("'{}'", word.replace('\'', r"'\''")),
    };
    let arguments = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("ebflow".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// The machine's name, which tells runs apart.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| "unnamed".into(), |name| name.trim().to_owned())
}

/// Processor and cores, as far as the system tells.
fn machine() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let model = text.lines().find_map(|line| line.strip_prefix("model name"))?;
        Some(model.trim_start_matches([' ', '\t', ':']).to_owned())
    });
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} {processor}, {cores} cores", std::env::consts::OS)
}
