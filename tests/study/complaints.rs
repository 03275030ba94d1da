//! What is wrong with a study is shown with its line, a caret and a remedy.

use ebflow::Preset;
use ebflow::study::Spec;

use crate::bench::{Bench, SMALL, stderr};

fn complaint(study: &str) -> String {
    Spec::parse("study.toml", study).unwrap_err().to_string()
}

/// The study with one piece of text replaced by another.
fn spoilt(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from));
    SMALL.replacen(from, to, 1)
}

#[test]
fn a_typo_shows_its_line_a_caret_and_the_nearest_key() {
    let cases = [
        ("seeds = 5", "sedes = 5", "study.toml:16:1", "did you mean `seeds`?"),
        ("variance", "varianse", "study.toml:9:1", "did you mean `variance`?"),
        ("[[fit]]\nquantity", "[[fit]]\nquantitty", "study.toml:18:1", "did you mean `quantity`?"),
        ("std = 1", "sdt = 1", "study.toml:7:1", "did you mean `std`?"),
        ("[sweep]", "[sweeep]", "study.toml:13:2", "did you mean `sweep`?"),
        ("\"w1_prior\"", "\"w1_piror\"", "study.toml:3:26", "did you mean `w1_prior`?"),
        ("\"gaussian\"", "\"gausian\"", "study.toml:5:8", "did you mean `gaussian`?"),
        ("against = \"n\"", "against = \"nn\"", "study.toml:19:11", "did you mean `n`?"),
    ];
    for (from, to, place, nearest) in cases {
        let shown = complaint(&spoilt(from, to));
        let line = to.lines().last().unwrap();
        assert!(shown.contains(place) && shown.contains(line) && shown.contains(nearest), "{to}:\n{shown}");
        assert!(shown.contains("^^") && shown.starts_with("error: unknown"), "{to}:\n{shown}");
    }
}

#[test]
fn wrong_types_and_impossible_values_say_what_would_be_right() {
    let cases = [
        ("title = \"A small study\"", "title = 3", "expected a string, found an integer"),
        ("seeds = 5", "seeds = \"five\"", "expected an integer, found a string"),
        ("seeds = 5", "seeds = 0", "it must be at least 1"),
        ("seeds = 5", "seeds = [1, 1]", "give every seed once"),
        ("n = [20, 40, 80, 160]", "n = []", "the list is empty"),
        ("n = [20, 40, 80, 160]", "n = [20, 0]", "it must be at least 1"),
        ("n = [20, 40, 80, 160]", "n = [20, 20]", "give every value once"),
        ("n = [20, 40, 80, 160]", "n = [20]", "it needs 2 values or more"),
        ("n = [20, 40, 80, 160]", "", "sweep it here, or fix it with"),
        ("beta = [2, 4]", "beta = [2, -4]", "must be a positive finite number, but it is -4"),
        ("beta = [2, 4]", "beta = [nan]", "must be a positive finite number"),
        ("variance = 0.25", "variance = 0", "must be a positive finite number, but it is 0"),
        ("rtol = 1e-6\n", "", "give both rtol and atol"),
        ("rtol = 1e-6", "rtol = -1", "impossible value"),
        ("rtol = 1e-6\natol = 1e-6", "", "add rtol and atol to [flow] for an ODE, or layers"),
        ("rtol = 1e-6\natol = 1e-6", "layers = 0", "it must be at least 1"),
        ("rtol = 1e-6", "layers = 3\nrtol = 1e-6", "layers have no tolerance"),
        ("beta = [2, 4]", "beta = 80\nlayers = [3]", "layers have no tolerance"),
        ("expect = [-2.0, 0.5]", "expect = [0.5, -2.0]", "the lower first"),
        ("expect = [-2.0, 0.5]", "expect = 1", "give two numbers"),
        ("std = 1", "std = -1", "std is -1; it must be a finite number that is not negative"),
        ("quantities = [\"coupled\"", "quantities = [\"kept\", \"coupled\"", "give a radius"),
        (
            "quantities = [\"coupled\"",
            "quantities = [\"posterior_sup\", \"coupled\"",
            "sup_radius = 3 in [measure]",
        ),
        ("quantities = [\"coupled\"", "quantities = [\"coupled\", \"coupled\"", "name every quantity once"),
        (
            "\"w1_exact_prior\"]\n[prior]\nkind = \"gaussian\"\nmean = 0",
            "\"w1_mean_field\"]\n[prior]\nkind = \"gaussian\"\nmean = [0, 0]",
            "it is known on the line only",
        ),
        ("quantities = [\"coupled\", ", "quantities = [", "add it to `quantities`"),
        ("[[fit]]", "[measure]\ndepths = 5\n[[fit]]", "`depths` has no effect here"),
        ("[[fit]]", "[measure]\nsup_radius = 5\n[[fit]]", "`sup_radius` has no effect here"),
        ("[[fit]]", "[drift]\nmethod = \"dense\"\neps = 1e-3\n[[fit]]", "this drift has no tolerance"),
        (
            "kind = \"gaussian\"\nmean = 0\nstd = 1",
            "kind = \"uniform\"\nlow = 0\nhigh = 1",
            "closed forms of a gaussian prior",
        ),
        ("[noise]", "[noise", "this is not TOML"),
        ("seeds = 5", "seeds = 99999999999999999999", "beyond 64 bits"),
    ];
    for (from, to, expected) in cases {
        let shown = complaint(&spoilt(from, to));
        assert!(shown.contains(expected) && shown.contains("--> study.toml:"), "{to}:\n{shown}");
    }
}

#[test]
fn layers_that_would_be_too_long_are_refused_before_anything_runs() {
    let study = spoilt("rtol = 1e-6\natol = 1e-6", "layers = 3").replace("beta = [2, 4]", "beta = [2, 40]");
    let shown = complaint(&study);
    assert!(shown.contains("use at least 6 layers") && shown.contains("11 | layers = 3"), "{shown}");
}

#[test]
fn all_complaints_are_shown_at_once() {
    let study = spoilt("seeds = 5", "seeds = 0").replace("std = 1", "sdt = 1").replace("title", "titel");
    let shown = complaint(&study);
    for expected in ["`titel`", "`sdt`", "at least 1"] {
        assert!(shown.contains(expected), "{shown}");
    }
}

#[test]
fn overrides_are_laid_over_the_file_and_complained_about_where_they_stand() {
    let read = |set: &[&str]| {
        let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
        Spec::read("study.toml", SMALL, Preset::Full, &set)
    };
    let spec = read(&["sweep.n=[10,20,30]", "title=\"Mine\"", "sweep.seeds=2"]).unwrap();
    assert_eq!((spec.title.as_str(), spec.cells().len()), ("Mine", 12));
    let again = Spec::parse("study.toml", &spec.to_toml()).unwrap();
    let keys = |spec: &Spec| spec.cells().iter().map(|cell| cell.key(spec)).collect::<Vec<_>>();
    assert_eq!(keys(&again), keys(&spec), "the written study is the study");
    let shown = read(&["sweep.sedes=2"]).unwrap_err().to_string();
    assert!(shown.contains("--> --set:1:7") && shown.contains("did you mean `seeds`?"), "{shown}");
    let shown = read(&["title=Mine"]).unwrap_err().to_string();
    assert!(shown.contains("strings need their quotes"), "{shown}");
}

#[test]
fn the_quick_variant_is_checked_even_when_it_is_not_asked_for() {
    let study = format!("{SMALL}\n[quick]\nsweep.sedes = 2\n");
    assert!(complaint(&study).contains("did you mean `seeds`?"));
    let shown = Spec::read("study.toml", SMALL, Preset::Quick, &[]).unwrap_err().to_string();
    assert!(shown.contains("has no quick variant"), "{shown}");
    let study = format!("{SMALL}\n[quick]\nsweep.seeds = 2\n");
    assert_eq!(Spec::read("study.toml", &study, Preset::Quick, &[]).unwrap().seeds, [0, 1]);
    assert_eq!(Spec::parse("study.toml", &study).unwrap().seeds.len(), 5);
}

#[test]
fn the_command_line_shows_complaints_and_exits_with_two() {
    let bench = Bench::with(&spoilt("seeds", "sedes"));
    let output = bench.run(&["study", "study.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `seeds`?") && output.stdout.is_empty());
    assert!(!bench.path("study").exists(), "nothing is begun");
    let output = bench.run(&["study", "nowhere.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let output = bench.run(&["report", "nowhere"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("ebflow study"));
}

#[test]
fn a_dry_run_prints_the_cells_and_touches_nothing() {
    let bench = Bench::with(SMALL);
    let text = bench.good(&["study", "study.toml", "--dry-run"]);
    assert!(text.contains("40, about") && text.contains("N = 160, β = 4, τ = 0.25, seed 4"), "{text}");
    let plan: serde_json::Value = serde_json::from_str(&bench.good(&[
        "study",
        "study.toml",
        "--dry-run",
        "--json",
        "--set",
        "sweep.seeds=2",
    ]))
    .unwrap();
    assert_eq!(plan["cells"].as_array().unwrap().len(), 16);
    assert!(!bench.path("study").exists());
}
