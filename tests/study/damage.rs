//! Files that are torn, of another version or of another kind, and drafts that were left behind.

use std::fs::{read, read_to_string, write};
use std::process::Stdio;

use ebflow::study::Store;

use crate::bench::{Bench, SMALL, stderr};

fn run(bench: &Bench) {
    bench.good(&["study", "study.toml", "--out", "out"]);
}

/// A row that is all there counts, though its line feed is missing; the beginning of one does not, and is reported.
#[test]
fn a_last_row_without_its_line_feed_is_kept_and_a_torn_one_is_reported() {
    let bench = Bench::with(SMALL);
    run(&bench);
    let path = bench.path("out").join("rows.jsonl");
    let text = read_to_string(&path).unwrap();
    let finished =
        |output: &str| serde_json::from_str::<serde_json::Value>(output).unwrap()["finished"].as_u64();
    write(&path, text.trim_end()).unwrap();
    assert_eq!(finished(&bench.good(&["report", "out", "--json"])), Some(40));
    assert_eq!(read_to_string(&path).unwrap(), text.trim_end(), "a report leaves the rows alone");
    bench.good(&["merge", "out", "--out", "merged"]);
    assert_eq!(bench.rows("merged").len(), 40);
    assert_eq!(read_to_string(&path).unwrap(), text.trim_end(), "so does a merge");
    run(&bench);
    assert_eq!(read_to_string(&path).unwrap(), text, "the next run adds what was missing");

    let torn = &text[..text.len() - 20];
    write(&path, torn).unwrap();
    let output = bench.run(&["report", "out", "--json"]);
    assert!(stderr(&output).contains("the last line is only"), "{}", stderr(&output));
    assert_eq!(finished(&String::from_utf8(output.stdout).unwrap()), Some(39));
    assert_eq!(read_to_string(&path).unwrap(), torn);
    let output = bench.run(&["study", "study.toml", "--out", "out"]);
    assert!(stderr(&output).contains("was removed; its cell counts as missing"), "{}", stderr(&output));
    assert_eq!(bench.rows("out"), text.lines().map(str::to_owned).collect());
}

#[test]
fn what_does_not_begin_like_a_row_is_not_cut_off() {
    let bench = Bench::with(SMALL);
    run(&bench);
    let path = bench.path("out").join("rows.jsonl");
    write(&path, "somebody's notes").unwrap();
    for words in [&["study", "study.toml", "--out", "out"][..], &["report", "out"]] {
        let output = bench.run(words);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("line 1 is not a row"), "{}", stderr(&output));
    }
    assert_eq!(read(&path).unwrap(), b"somebody's notes");
}

#[test]
fn rows_that_cannot_be_written_to_can_be_reported_and_merged() {
    let bench = Bench::with(SMALL);
    run(&bench);
    let path = bench.path("out").join("rows.jsonl");
    let mut permissions = path.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    bench.good(&["report", "out"]);
    bench.good(&["merge", "out", "--out", "merged"]);
    let mut store = Store::read(&path).unwrap();
    let row = Store::read(&path).unwrap().into_rows().next().unwrap();
    assert!(store.append(row).is_ok(), "a row that is there is nothing to add");
}

/// A report may go elsewhere, but not where rows or evidence have theirs; the folder it is about stays as it is.
#[test]
fn a_folder_that_nothing_is_written_to_can_be_reported() {
    let bench = Bench::with(SMALL);
    run(&bench);
    bench.good(&["verify", "tweedie", "--out", "claims"]);
    for (folder, page) in [("out", "summary.json"), ("claims", "CLAIMS.md")] {
        let before = bench.contents(folder);
        let pages = format!("pages-of-{folder}");
        bench.good(&["report", folder, "--out", &pages]);
        assert_eq!(bench.contents(folder), before);
        for name in ["report.html", page] {
            assert_eq!(read(bench.path(&pages).join(name)).unwrap(), before[name], "{name}");
        }
        for taken in ["out", "claims"] {
            let output = bench.run(&["report", folder, "--out", taken]);
            assert_eq!(output.status.code(), Some(2));
            assert!(stderr(&output).contains("the report of another folder"), "{}", stderr(&output));
        }
        assert_eq!(bench.contents(folder), before);
    }
    // Evidence is not written anew by its report.
    let before = bench.path("claims").join("claims.jsonl").metadata().unwrap().modified().unwrap();
    bench.good(&["report", "claims"]);
    assert_eq!(bench.path("claims").join("claims.jsonl").metadata().unwrap().modified().unwrap(), before);
}

#[test]
fn rows_of_another_format_are_refused() {
    let bench = Bench::with(SMALL);
    run(&bench);
    let path = bench.path("out").join("rows.jsonl");
    let text = read_to_string(&path).unwrap();
    let now = &text[..text.find(',').unwrap()];
    for foreign in
        [text.replacen(now, "{\"schema\":99", 1), "{\"schema\":99}".into(), "{\"schema\":99}\n".into()]
    {
        write(&path, &foreign).unwrap();
        for words in [
            &["report", "out"][..],
            &["study", "study.toml", "--out", "out"],
            &["merge", "out", "--out", "m"],
        ] {
            let output = bench.run(words);
            assert_eq!(output.status.code(), Some(2));
            let said = stderr(&output);
            assert!(said.contains("format 99") && said.contains("another folder"), "{said}");
        }
        assert_eq!(read_to_string(&path).unwrap(), foreign);
    }
}

#[test]
fn a_folder_belongs_to_a_study_or_to_claims() {
    let bench = Bench::with(SMALL);
    run(&bench);
    let report = read(bench.path("out").join("report.html")).unwrap();
    let output = bench.run(&["verify", "tweedie", "--out", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("choose another folder"), "{}", stderr(&output));
    assert_eq!(read(bench.path("out").join("report.html")).unwrap(), report);
    bench.good(&["verify", "tweedie", "--out", "claims"]);
    for words in [&["study", "study.toml", "--out", "claims"][..], &["merge", "out", "--out", "claims"]] {
        let output = bench.run(words);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("evidence of claims"), "{}", stderr(&output));
    }
    assert!(!bench.path("claims").join("study.toml").exists());
    // Both at once, as earlier versions could leave them.
    std::fs::copy(bench.path("claims").join("claims.jsonl"), bench.path("out").join("claims.jsonl")).unwrap();
    assert_eq!(bench.run(&["report", "out"]).status.code(), Some(2));
}

#[test]
fn drafts_of_killed_runs_are_removed_at_the_next_start() {
    let bench = Bench::with(SMALL);
    run(&bench);
    let draft = bench.path("out").join(".tmpQx81zZ");
    for words in [&["study", "study.toml", "--out", "out"][..], &["merge", "out", "--out", "out"]] {
        write(&draft, "half a repo").unwrap();
        bench.good(words);
        assert!(!draft.exists(), "{words:?}");
    }
    bench.good(&["verify", "tweedie", "--out", "claims"]);
    let draft = bench.path("claims").join(".tmpQx81zZ");
    write(&draft, "half a repo").unwrap();
    bench.good(&["verify", "tweedie", "--out", "claims"]);
    assert!(!draft.exists());
}

/// A study whose messages nobody reads computes all its rows.
#[test]
fn lost_messages_cost_no_rows() {
    let bench = Bench::with(SMALL);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = bench.command(&["study", "study.toml", "--out", "out"]);
    let status = command.stderr(writer).stdout(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(bench.rows("out").len(), 40);
}

#[test]
fn sweeps_beyond_counting_are_refused_and_shards_beyond_the_cells_are_empty() {
    let bench = Bench::with(SMALL);
    for set in ["sweep.seeds=1000000000", "sweep.seeds=200000"] {
        let output = bench.run(&["study", "study.toml", "--dry-run", "--set", set]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("at most 1000000"), "{}", stderr(&output));
    }
    let cells = |shard: &str| {
        let plan = bench.good(&["study", "study.toml", "--dry-run", "--json", "--shard", shard]);
        serde_json::from_str::<serde_json::Value>(&plan).unwrap()["cells"].as_array().unwrap().len()
    };
    assert_eq!(cells("1/18446744073709551615"), 1);
    assert_eq!(cells("41/18446744073709551615"), 0);
}
