//! The studies that come with the program.

use std::path::Path;

use ebflow::Preset;
use ebflow::study::Spec;

use crate::bench::{Bench, stderr};

fn studies() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("validation/studies");
    let mut studies: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    studies.sort();
    studies
}

#[test]
fn every_study_can_be_read_and_has_a_quick_variant() {
    let names: Vec<String> = studies().into_iter().map(|(name, _)| name).collect();
    for expected in ["chaos", "joint", "layers", "particles", "radius", "recovery", "temperature"] {
        assert!(names.contains(&expected.to_owned()));
    }
    for (name, text) in studies() {
        for preset in [Preset::Full, Preset::Quick] {
            let spec = Spec::read(&name, &text, preset, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(spec.paper.is_some() && spec.prose.len() > 100, "{name}");
        }
    }
}

/// No slope may lie outside the band that its study expects; exit code 1 would say so.
#[test]
fn every_quick_variant_runs_and_no_slope_leaves_its_band() {
    for (name, text) in studies() {
        let bench = Bench::with(&text);
        let output = bench.run(&["study", "study.toml", "--preset", "quick", "--out", "out"]);
        assert!(output.status.success(), "{name}:\n{}", stderr(&output));
        for file in ["report.html", "rows.csv", "summary.json", "study.toml"] {
            assert!(bench.path("out").join(file).is_file(), "{name} has no {file}");
        }
    }
}

/// What a referee asks, with a prior of their own: the prose of both studies says how.
#[test]
fn the_papers_studies_take_any_prior() {
    for (study, sets) in [
        ("recovery", vec!["prior = { kind = 'mixture', means = [-1, 1], std = 0.3 }"]),
        ("recovery", vec!["prior = { kind = 'laplace', mean = 0, scale = 1 }"]),
        ("recovery", vec!["prior.mean = 1"]),
        (
            "chaos",
            vec![
                "prior = { kind = 'student', df = 6, mean = 0, scale = 1 }",
                "quantities = ['w1_mean_field']",
                "fit = [{ quantity = 'w1_mean_field', against = 'n' }]",
                "statement = []",
            ],
        ),
    ] {
        let (name, text) = studies().into_iter().find(|(name, _)| name == study).unwrap();
        let sets: Vec<String> = sets.into_iter().map(str::to_owned).collect();
        let spec = Spec::read(&name, &text, Preset::Quick, &sets).unwrap_or_else(|error| panic!("{error}"));
        assert!(spec.cells().len() > 100);
        Spec::parse("again", &spec.to_toml()).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn the_reference_page_is_what_the_code_reads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("validation/STUDIES.md");
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page == ebflow::report::reference(), "run `ebflow study --keys > validation/STUDIES.md`");
    let bench = Bench::with("");
    assert_eq!(bench.good(&["study", "--keys"]), page);
    let listed: serde_json::Value =
        serde_json::from_str(&bench.good(&["study", "--quantities", "--json"])).unwrap();
    assert!(
        listed["quantities"]
            .as_array()
            .unwrap()
            .iter()
            .any(|q| q["key"] == "coupled" && q["unit"] == "length")
    );
    let text = bench.good(&["study", "--quantities"]);
    assert!(
        text.contains("posterior_sup (length)") && text.contains("needs `sup_radius` in [measure]"),
        "{text}"
    );
}
