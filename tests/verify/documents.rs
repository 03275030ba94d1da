//! Documents that are made from evidence, or speak of the command line, are true.

use ebflow::claim::{Evidence, register};
use ebflow::report::claims::{html, markdown};

use crate::bench::{Bench, repository, stderr};
use crate::browser;

#[test]
fn the_document_of_all_claims_is_that_of_the_last_full_run() {
    let evidence = Evidence::read(&repository("validation"), &register()).unwrap();
    let kept = std::fs::read_to_string(repository("validation/CLAIMS.md")).unwrap();
    assert!(
        kept == markdown(&evidence),
        "validation/CLAIMS.md is stale: run `ebflow report validation`, or `ebflow verify --preset full --out validation`"
    );
}

#[test]
fn commands_in_the_example_for_other_repositories_exist() {
    let text = std::fs::read_to_string(repository("validation/ci-example.yml")).unwrap();
    let commands: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("run: ebflow ")).map(|c| c.1).collect();
    assert!(commands.len() >= 2);
    for command in commands {
        let output = Bench::new().run(&format!("{command} --help"));
        assert!(output.status.success(), "{command}: {}", stderr(&output));
    }
}

#[test]
fn every_plot_of_the_committed_evidence_is_legible_at_800_pixels() {
    for folder in ["validation", "validation/baseline"] {
        let evidence = Evidence::read(&repository(folder), &register()).unwrap();
        if let Some(dom) = browser::dom(&html(&evidence), "") {
            browser::assert_legible(&dom, 100);
        }
    }
}
