//! Enforces the order of the modules: data flows downwards, a module uses only those above it.

use std::fs;
use std::path::{Path, PathBuf};

/// The library's modules from the top down. `error` and `scale` are the vocabulary of all.
const ORDER: [&str; 22] = [
    "error",
    "preset",
    "provenance",
    "measured",
    "numeric",
    "parallel",
    "gauge",
    "scale",
    "simd",
    "cloud",
    "files",
    "law",
    "drift",
    "flow",
    "exact",
    "meanfield",
    "posterior",
    "denoise",
    "metric",
    "claim",
    "study",
    "report",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// The first path component below `src`, without its ending: the module a file belongs to.
fn module_of(file: &Path, root: &Path) -> String {
    let first = file.strip_prefix(root).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

/// Lines that are code, without comments.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"))
}

/// Modules of this crate that a line names as `crate::module`.
fn used(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn modules_use_only_those_above_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rank = |module: &str| ORDER.iter().position(|m| *m == module);
    for file in sources(&root) {
        let module = module_of(&file, &root);
        if ["lib", "main", "cli"].contains(&module.as_str()) {
            continue;
        }
        let own =
            rank(&module).unwrap_or_else(|| panic!("src/{module} has no place in the order: give it one"));
        for name in code_lines(&fs::read_to_string(&file).unwrap()).flat_map(used) {
            let other = rank(name).unwrap_or_else(|| {
                panic!("{}: name the module, not the re-export crate::{name}", file.display())
            });
            assert!(other <= own, "{} reaches down into {name}", file.display());
        }
    }
}

/// Test modules that have files of their own.
fn is_test(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs")
}

/// Nobody prints but through the streams that `main` hands out, and only `main` ends the process. (That nothing is `unsafe` the
/// compiler enforces.)
#[test]
fn only_the_command_line_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in sources(&root) {
        let module = module_of(&file, &root);
        let text = fs::read_to_string(&file).unwrap();
        if is_test(&file) {
            continue;
        }
        let production = text.split("#[cfg(test)]").next().unwrap();
        for line in code_lines(production) {
            for forbidden in ["println!", "print!(", "dbg!", "process::exit"] {
                let ends = module == "main" && forbidden == "process::exit";
                assert!(ends || !line.contains(forbidden), "{}: {line}", file.display());
            }
            for stream in ["io::stdout()", "io::stderr()"] {
                assert!(module == "main" || !line.contains(stream), "{}: {line}", file.display());
            }
            for (part, home) in [("diffsol::", "flow/adaptive.rs"), ("kiddo::", "drift/kdtree.rs")] {
                assert!(!line.contains(part) || file.ends_with(home), "{}: {line}", file.display());
            }
            assert!(!line.contains("pulp::") || module == "simd", "{}: {line}", file.display());
        }
    }
}
