//! More than one machine: shards by cost, merged into what one run gives.

use ebflow::study::{Shard, Spec, cost_in_seconds};

use crate::bench::{Bench, SMALL, stderr};

#[test]
fn four_shards_merged_are_the_single_run() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--out", "single"]);
    let parts: Vec<String> = (1..=4).map(|k| format!("part{k}")).collect();
    for (k, part) in parts.iter().enumerate() {
        bench.good(&["study", "study.toml", "--shard", &format!("{}/4", k + 1), "--out", part]);
        assert!(!bench.lines(part).is_empty());
    }
    let mut merge = vec!["merge", "--out", "merged"];
    merge.extend(parts.iter().map(String::as_str));
    let first = bench.good(&merge);
    let read = |folder: &str, file: &str| std::fs::read(bench.path(folder).join(file)).unwrap();
    let sorted = |folder: &str| {
        let mut lines = bench.lines(folder);
        lines.sort();
        lines.join("\n")
    };
    assert_eq!(sorted("merged"), sorted("single"));
    assert_eq!(read("merged", "rows.csv"), read("single", "rows.csv"));
    let rows = read("merged", "rows.jsonl");
    assert_eq!(bench.good(&merge), first, "merging again changes nothing");
    assert_eq!(read("merged", "rows.jsonl"), rows);
    assert_eq!(bench.good(&["merge", "merged", "part1", "--out", "merged"]), first);
    assert_eq!(read("merged", "rows.jsonl"), rows);
}

#[test]
fn shards_are_balanced_by_cost_and_cover_every_cell_once() {
    let spec = Spec::parse("study.toml", SMALL).unwrap();
    let cost =
        |cells: &[ebflow::study::Cell]| cells.iter().map(|cell| cost_in_seconds(&spec, cell)).sum::<f64>();
    for count in [1, 3, 4, 7] {
        let shards: Vec<Vec<_>> =
            (1..=count).map(|k| format!("{k}/{count}").parse::<Shard>().unwrap().cells(&spec)).collect();
        let mut keys: Vec<_> = shards.iter().flatten().map(|cell| cell.key(&spec)).collect();
        keys.sort();
        let mut all: Vec<_> = spec.cells().iter().map(|cell| cell.key(&spec)).collect();
        all.sort();
        assert_eq!(keys, all);
        let costs: Vec<f64> = shards.iter().map(|cells| cost(cells)).collect();
        let dearest = spec.cells().iter().map(|cell| cost_in_seconds(&spec, cell)).fold(0.0, f64::max);
        let (low, high) = costs.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), c| (l.min(*c), h.max(*c)));
        assert!(high - low <= dearest, "dealing the dearest first leaves at most one cell between two parts");
    }
}

#[test]
fn strangers_are_not_merged() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--shard", "1/2", "--out", "a"]);
    bench.good(&["study", "study.toml", "--shard", "2/2", "--set", "sweep.seeds=4", "--out", "b"]);
    let output = bench.run(&["merge", "a", "b", "--out", "c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("only shards of one study can be merged"), "{}", stderr(&output));
    // A row that says something else about the same cell is a contradiction.
    std::fs::create_dir(bench.path("d")).unwrap();
    std::fs::copy(bench.path("a/study.toml"), bench.path("d/study.toml")).unwrap();
    let changed = bench.lines("a")[0].replacen("\"w1_prior\":{\"value\":0.", "\"w1_prior\":{\"value\":1.", 1);
    std::fs::write(bench.path("d/rows.jsonl"), changed + "\n").unwrap();
    let output = bench.run(&["merge", "a", "d", "--out", "e"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("differs from another row of the same cell"), "{}", stderr(&output));
}

#[test]
fn an_incomplete_merge_refuses_fits_unless_asked() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--shard", "1/2", "--out", "half"]);
    let text = bench.good(&["merge", "half", "--out", "merged"]);
    assert!(text.contains("no fit") && text.contains("values are missing"), "{text}");
    let text = bench.good(&["report", "merged", "--allow-incomplete"]);
    assert!(!text.contains("no fit"), "{text}");
}

/// The recipe for GNU parallel, where there is one.
#[cfg(unix)]
#[test]
fn the_parallel_recipe_gives_the_single_run() {
    if std::process::Command::new("parallel").arg("--version").output().is_err() {
        eprintln!("skipped: GNU parallel is not installed (Debian package `parallel`)");
        return;
    }
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--out", "single"]);
    let recipe = concat!(env!("CARGO_MANIFEST_DIR"), "/validation/recipes/parallel.sh");
    let output = std::process::Command::new("bash")
        .args([recipe, "study.toml", "4", "joined"])
        .env("EBFLOW", env!("CARGO_BIN_EXE_ebflow"))
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(bench.rows("joined"), bench.rows("single"));
}

/// The recipe for Slurm, with the array's tasks run here one by one.
#[cfg(unix)]
#[test]
fn the_slurm_recipe_gives_the_single_run() {
    let bench = Bench::with(SMALL);
    bench.good(&["study", "study.toml", "--out", "single"]);
    let recipe = concat!(env!("CARGO_MANIFEST_DIR"), "/validation/recipes/slurm.sh");
    for task in 1..=3 {
        let output = std::process::Command::new("bash")
            .args([recipe, "study.toml", "joined"])
            .env("EBFLOW", env!("CARGO_BIN_EXE_ebflow"))
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .env("SLURM_ARRAY_TASK_COUNT", "3")
            .current_dir(bench.path(""))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
    }
    bench.good(&["merge", "joined/part-1", "joined/part-2", "joined/part-3", "--out", "joined"]);
    assert_eq!(bench.rows("joined"), bench.rows("single"));
}
