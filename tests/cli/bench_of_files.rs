//! A folder of `.npy` files, good and bad, and a way to run the binary in it.

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A fresh folder in which the binary runs.
pub struct Workbench {
    folder: TempDir,
}

impl Workbench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `ebflow` with the words of `line`; a word in single quotes may contain spaces.
    pub fn run(&self, line: &str) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_ebflow"))
            .args(words(line))
            .current_dir(self.folder.path())
            .output();
        output.unwrap()
    }

    /// Runs a line that must succeed with `--json` and gives back the object.
    pub fn json(&self, line: &str) -> serde_json::Value {
        let output = self.run(&format!("{line} --json"));
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["schema"], 1);
        value
    }

    /// Writes a `.npy` file by hand, header and all: numpy's format 1.0.
    pub fn write_raw(&self, name: &str, descr: &str, fortran: bool, shape: &str, data: &[u8]) {
        let order = if fortran { "True" } else { "False" };
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// A `float64` array in C order.
    pub fn write(&self, name: &str, shape: &str, values: &[f64]) {
        let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.write_raw(name, "<f8", false, shape, &data);
    }

    /// The numbers of a `.npy` file, row-major.
    pub fn read(&self, name: &str) -> Vec<f64> {
        ebflow::files::npy::read_cloud(&self.path(name)).unwrap().into_points()
    }

    /// Names of all files in the folder, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// A number in a JSON object, by its pointer.
pub fn number(value: &serde_json::Value, pointer: &str) -> f64 {
    value
        .pointer(pointer)
        .and_then(|v| v.as_f64())
        .unwrap_or_else(|| panic!("no number {pointer} in {value}"))
}

fn words(line: &str) -> Vec<String> {
    let quoted = line.split('\'').enumerate().flat_map(|(i, part)| match i % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    quoted.collect()
}
