//! A study survives being interrupted and being killed.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::{Bench, SMALL, stderr};

#[test]
fn ten_kills_leave_exactly_the_rows_of_an_undisturbed_run() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("bash")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kill9.sh"))
        .args([env!("CARGO_BIN_EXE_ebflow").as_ref(), folder.path()])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", stderr(&output));
    assert!(said.contains("500 rows, all the same"), "{said}");
}

/// Ctrl-C ends a run at once, though a cell is under way; what is finished is kept and the rest is computed by a rerun.
#[test]
fn an_interrupted_run_exits_with_130_and_resumes() {
    // Cells of several seconds behind cells of milliseconds would be found only by luck: all are long, and one is waited for.
    let study =
        SMALL.replace("n = [20, 40, 80, 160]", "n = [1000, 2000]").replace("rtol = 1e-6", "rtol = 1e-9");
    let bench = Bench::with(&study);
    let child = bench
        .command(&["study", "study.toml", "--jobs", "1", "--out", "out"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let rows = bench.path("out").join("rows.jsonl");
    let patience = Instant::now() + Duration::from_secs(60);
    while std::fs::metadata(&rows).map_or(0, |file| file.len()) == 0 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    let before = bench.lines("out");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("run the same command again"), "{}", stderr(&output));
    assert!(!before.is_empty() && before.len() < 20, "{} rows", before.len());
    bench.good(&["study", "study.toml", "--out", "out"]);
    assert_eq!(bench.lines("out")[..before.len()], before[..]);
    assert_eq!(bench.rows("out").len(), 20);
}
