//! A folder with a small study in it, and a way to run the binary there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Forty cells of a few milliseconds.
pub const SMALL: &str = r#"
title = "A small study"
quantities = ["coupled", "w1_prior", "w1_exact_prior"]
[prior]
kind = "gaussian"
mean = 0
std = 1
[noise]
variance = 0.25
[flow]
rtol = 1e-6
atol = 1e-6
[sweep]
n = [20, 40, 80, 160]
beta = [2, 4]
seeds = 5
[[fit]]
quantity = "coupled"
against = "n"
expect = [-2.0, 0.5]
"#;

pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// A folder with a study in it.
    pub fn with(study: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("study.toml"), study).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ebflow"));
        command.args(words).current_dir(self.folder.path());
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Runs what must succeed and gives back its stdout.
    pub fn good(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The files of a folder.
    pub fn contents(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        let files = std::fs::read_dir(self.path(folder)).unwrap().map(|entry| entry.unwrap().path());
        let named = |path: PathBuf| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
        };
        files.map(named).collect()
    }

    /// The lines of a folder's rows.
    pub fn lines(&self, folder: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(folder).join("rows.jsonl")).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// The rows of a folder without their order.
    pub fn rows(&self, folder: &str) -> BTreeSet<String> {
        let lines = self.lines(folder);
        let rows: BTreeSet<String> = lines.iter().cloned().collect();
        assert_eq!(rows.len(), lines.len(), "no row is there twice");
        rows
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
