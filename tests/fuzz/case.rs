//! [`Case`]: files, a command line, and what came of it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::cli::{self, Console, Interruption};

/// In front of the name of a file in the case's folder.
pub const HERE: &str = "@";
/// A case that takes longer is a finding itself.
const PATIENCE: Duration = Duration::from_secs(120);

/// Files, and a command line about them.
#[derive(Clone)]
pub struct Case {
    pub files: Vec<(String, Vec<u8>)>,
    pub words: Vec<String>,
    pub way: Way,
}

/// How a case is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// By a call, thousands in a second.
    Call,
    /// By a call whose user has pressed Ctrl-C already.
    Interrupted,
    /// As a process.
    Process,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}: ebflow {}", self.way, self.words.join(" ␣ "))?;
        for (name, content) in &self.files {
            match std::str::from_utf8(content) {
                Ok(text) => writeln!(f, "  {name}: {text:?}")?,
                Err(_) => writeln!(f, "  {name}: b\"{}\"", content.escape_ascii())?,
            }
        }
        Ok(())
    }
}

/// What came of a case.
pub struct Outcome {
    /// The exit code; none for a panic or a signal.
    pub code: Option<u8>,
    pub stdout: String,
    pub stderr: String,
    pub before: BTreeMap<PathBuf, Vec<u8>>,
    pub after: BTreeMap<PathBuf, Vec<u8>>,
    pub folder: TempDir,
}

impl Case {
    pub fn new(
        files: Vec<(&str, Vec<u8>)>,
        words: impl IntoIterator<Item = impl Into<String>>,
        way: Way,
    ) -> Self {
        let files = files.into_iter().map(|(name, content)| (name.to_owned(), content)).collect();
        // A process is handed its words as far as their NUL bytes, so that no word can have one.
        let words = words.into_iter().map(|word| word.into().replace('\0', ""));
        Self { files, words: words.collect(), way }
    }

    pub fn run(&self) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in &self.files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let words: Vec<OsString> = self.words.iter().map(|word| placed(word, folder.path())).collect();
        let before = content(folder.path());
        let _watch = Watch::over(self);
        let (code, stdout, stderr) = match self.way {
            Way::Process => as_process(&words, folder.path()),
            _ => by_call(&words, self.way == Way::Interrupted),
        };
        let after = content(folder.path());
        Outcome { code, stdout, stderr, before, after, folder }
    }
}

/// The word with the names of files as paths.
fn placed(word: &str, folder: &Path) -> OsString {
    match word.strip_prefix(HERE) {
        Some(name) => folder.join(name).into_os_string(),
        None => word.into(),
    }
}

fn by_call(words: &[OsString], interrupted: bool) -> (Option<u8>, String, String) {
    let (mut results, mut messages) = (Vec::new(), Vec::new());
    let interruption = Interruption::default();
    if interrupted {
        interruption.raise();
    }
    let code = catch_unwind(AssertUnwindSafe(|| {
        let mut console = Console::new(&mut results, &mut messages, interruption);
        cli::run(std::iter::once("ebflow".into()).chain(words.iter().cloned()), &mut console)
    }));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (code.ok(), text(results), text(messages))
}

fn as_process(words: &[OsString], folder: &Path) -> (Option<u8>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ebflow")).args(words).current_dir(folder).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code().map(|code| code as u8), text(output.stdout), text(output.stderr))
}

/// Every file below a folder.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(content(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            all.insert(path, bytes);
        }
    }
    all
}

/// Relative paths in hostile words lead to a folder of our own.
pub fn leave_home() {
    static LEFT: Once = Once::new();
    LEFT.call_once(|| {
        let nowhere = tempfile::tempdir().unwrap().keep();
        std::env::set_current_dir(nowhere).unwrap();
        std::thread::spawn(watch);
    });
}

/// The cases under way, and since when.
static UNDER_WAY: Mutex<Vec<(Instant, String)>> = Mutex::new(Vec::new());

struct Watch(String);

impl Watch {
    fn over(case: &Case) -> Self {
        let name = format!("{case:?}");
        UNDER_WAY.lock().unwrap().push((Instant::now(), name.clone()));
        Self(name)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut all = UNDER_WAY.lock().unwrap();
        if let Some(at) = all.iter().position(|(_, name)| *name == self.0) {
            all.swap_remove(at);
        }
    }
}

/// A case that does not end cannot be stopped: it is named, and everything ends.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let late = UNDER_WAY.lock().unwrap().iter().find(|(since, _)| since.elapsed() > PATIENCE).cloned();
        if let Some((_, case)) = late {
            eprintln!("this case does not end:\n{case}");
            std::process::abort();
        }
    }
}
