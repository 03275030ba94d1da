//! Where results go: links, pipes, inputs, streams that fail, and requests to end.

use std::os::unix::fs::FileTypeExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::bench_of_files::Workbench;

fn workbench() -> Workbench {
    let bench = Workbench::new();
    bench.write("x.npy", "(3, 2)", &[0.0, 0.0, 1.0, 0.5, -1.0, 0.25]);
    bench
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A line for every verb that reads one array and writes another.
const WRITERS: [&str; 3] = [
    "flow x.npy --beta 4 --raw-time 1 --out",
    "denoise x.npy --beta 4 --noise-var 0.5 --out",
    "posterior x.npy x.npy --noise-var 0.5 --out",
];

#[test]
fn a_result_never_replaces_its_input_unless_that_is_meant() {
    let bench = workbench();
    std::os::unix::fs::symlink("x.npy", bench.path("link.npy")).unwrap();
    std::fs::hard_link(bench.path("x.npy"), bench.path("hard.npy")).unwrap();
    let before = std::fs::read(bench.path("x.npy")).unwrap();
    for line in WRITERS {
        for out in ["x.npy", "./x.npy", "link.npy", "hard.npy"] {
            let output = bench.run(&format!("{line} {out}"));
            assert_eq!(output.status.code(), Some(2), "{line} {out}");
            let message = stderr(&output);
            assert!(
                message.contains("replace the input") && message.contains("--overwrite-input"),
                "{message}"
            );
            assert_eq!(std::fs::read(bench.path("x.npy")).unwrap(), before);
        }
        std::fs::copy(bench.path("x.npy"), bench.path("own.npy")).unwrap();
        let meant = format!("{} own.npy --overwrite-input", line.replace("x.npy", "own.npy"));
        assert!(bench.run(&meant).status.success(), "{meant}");
        assert_ne!(std::fs::read(bench.path("own.npy")).unwrap(), before);
    }
    std::fs::write(bench.path("law.toml"), "kind = \"gaussian\"\nmean = 0\nstd = 1\n").unwrap();
    assert_eq!(bench.run("sample law.toml --n 3 --out law.toml").status.code(), Some(2));
    let twice = "denoise x.npy --beta 4 --noise-var 0.5 --out y.npy --particles ./y.npy";
    assert!(stderr(&bench.run(twice)).contains("two results"));
}

#[test]
fn links_are_followed_and_pipes_written_through() {
    let bench = workbench();
    std::os::unix::fs::symlink("target.npy", bench.path("link.npy")).unwrap();
    for line in WRITERS {
        assert!(bench.run(&format!("{line} link.npy")).status.success());
        assert!(bench.path("link.npy").is_symlink() && bench.path("target.npy").is_file());
        std::fs::remove_file(bench.path("target.npy")).unwrap();
    }
    std::os::unix::fs::symlink("target.xml", bench.path("link.xml")).unwrap();
    assert!(bench.run("verify tweedie --junit link.xml").status.success());
    assert!(bench.path("link.xml").is_symlink() && bench.path("target.xml").is_file());
    let pipe = bench.path("pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: mkfifo cannot be used here");
        return;
    }
    for line in WRITERS {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).unwrap()
        });
        assert!(bench.run(&format!("{line} pipe")).status.success());
        assert!(reader.join().unwrap().starts_with(b"\x93NUMPY"));
        assert!(pipe.symlink_metadata().unwrap().file_type().is_fifo());
    }
    let written = std::thread::spawn({
        let (array, pipe) = (std::fs::read(bench.path("x.npy")).unwrap(), pipe.clone());
        move || std::fs::write(pipe, array).unwrap()
    });
    assert!(
        bench.run("flow pipe --beta 4 --raw-time 1 --out y.npy").status.success(),
        "a pipe can be read too"
    );
    written.join().unwrap();
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn command(bench: &Workbench, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ebflow"));
    command.args(line.split_whitespace()).current_dir(bench.path(""));
    command
}

#[test]
fn readers_that_have_gone_away_end_nothing() {
    let bench = workbench();
    for line in ["--help", "--version", "verify --list", "flow x.npy --beta 4 --raw-time 1 --out y.npy"] {
        let status = command(&bench, line).stdout(closed()).status().unwrap();
        assert_eq!(status.code(), Some(0), "{line}");
    }
    for (line, code) in [("flow nowhere.npy --beta 4 --raw-time 1 --out y.npy", 2), ("nonsense", 2), ("", 2)]
    {
        let status = command(&bench, line).stderr(closed()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{line}");
    }
    let claims = command(&bench, "verify tweedie --out claims").stderr(closed()).stdout(closed()).status();
    assert_eq!(claims.unwrap().code(), Some(0));
}

/// A file that must stay empty stands for a device that is full.
fn on_full_device(bench: &Workbench, line: &str, stream: u8) -> Option<i32> {
    let script = format!("trap '' XFSZ; ulimit -f 0; exec \"$0\" {line} {stream}> full.txt");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_ebflow")]).current_dir(bench.path(""));
    shell.output().unwrap().status.code()
}

#[test]
fn a_full_device_is_an_error_of_results_and_none_of_messages() {
    let bench = workbench();
    for line in [
        "--help",
        "verify --list",
        "w1 x.npy x.npy --json",
        "exact hitting-time --noise-var 1 --beta 2 --prior-var 1",
    ] {
        assert_eq!(on_full_device(&bench, line, 1), Some(2), "{line}");
        assert_eq!(on_full_device(&bench, line, 2), Some(0), "{line}");
    }
    assert_eq!(on_full_device(&bench, "w1 x.npy nowhere.npy", 2), Some(2));
}

/// Work of minutes is ended by a polite request, and leaves nothing behind.
#[test]
fn requests_to_end_are_followed_at_once() {
    let bench = Workbench::new();
    let points: Vec<f64> = (0..8000).map(|i| (f64::from(i) * 0.7).sin()).collect();
    bench.write("x.npy", "(8000,)", &points);
    for line in [
        "flow x.npy --beta 20 --raw-time 1000 --layers 2000000 --drift dense --out y.npy",
        "denoise x.npy --beta 2000 --noise-var 1 --layers 2000000 --drift dense --out y.npy --particles z.npy",
    ] {
        for signal in ["-TERM", "-INT"] {
            let mut child = command(&bench, line).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(300));
            assert!(child.try_wait().unwrap().is_none(), "{line} ended on its own");
            let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert!(sent.success());
            let began = Instant::now();
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(130), "{line}: {}", stderr(&output));
            assert!(began.elapsed() < Duration::from_secs(5));
            assert_eq!(bench.files(), ["x.npy"], "{line}");
        }
    }
}

/// Numbers beyond the range of doubles: exit code 3 with a reason, and no file.
#[test]
fn what_is_not_finite_never_leaves() {
    let bench = Workbench::new();
    bench.write("line.npy", "(2,)", &[0.0, 1.0]);
    bench.write("far.npy", "(1,)", &[1e160]);
    bench.write("plane.npy", "(2, 2)", &[1e155, 0.0, 0.0, -1e155]);
    bench.write("farthest.npy", "(2, 2)", &[1e308, 0.0, 0.0, -1e308]);
    bench.write("huge.npy", "(2,)", &[1e200, -1e200]);
    let before = bench.files();
    let plane = r#"--law '{ kind = "gaussian", mean = [0, 0], std = 1 }'"#;
    let line = r#"--law '{ kind = "gaussian", mean = 0, std = 1 }'"#;
    for (words, codes) in [
        ("posterior line.npy far.npy --noise-var 1 --out m.npy --energy e.npy".to_owned(), &[3][..]),
        (format!("w1 plane.npy {plane}"), &[3]),
        (format!("w1 farthest.npy {plane}"), &[2, 3]),
        (format!("denoise huge.npy --noise-var 1 --beta 1 --out m.npy {line}"), &[2, 3]),
    ] {
        for json in ["", " --json"] {
            let output = bench.run(&format!("{words}{json}"));
            let message = stderr(&output);
            assert!(output.status.code().is_some_and(|code| codes.contains(&code)), "{words}: {output:?}");
            assert!(message.starts_with("error: ") && !message.contains("panicked"), "{words}: {message}");
            assert!(output.stdout.is_empty());
            assert_eq!(bench.files(), before, "{words}");
        }
    }
    let mean = bench.run("posterior line.npy far.npy --noise-var 1 --out m.npy");
    assert!(mean.status.success(), "the mean is finite, and so is its error");
}
