//! Documents that are made from evidence, or speak of the command line, are true.

use ebflow::claim::{Evidence, register};
use ebflow::report::claims::{html, markdown};

use crate::bench::{Bench, repository};
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

/// A study of a few milliseconds for whoever follows the example.
const STUDY: &str = "title = 'numbers'\nquantities = ['coupled', 'w1_exact_prior']\n[prior]\nkind = 'gaussian'\nmean = 0\nstd = 1\n\
     [noise]\nvariance = 0.25\n[flow]\nbeta = 4\nrtol = 1e-6\natol = 1e-6\n[sweep]\nn = [20, 40]\nseeds = 3\n\
     [[statement]]\nid = 'small'\nsays = 'It is small.'\nquantity = 'w1_exact_prior'\nrelation = 'at_most'\nto = 1\n";

/// Every command of the job runs, in its order, in a repository made as the example says (with fewer claims).
#[test]
fn the_example_for_other_repositories_works_as_it_stands() {
    let text = std::fs::read_to_string(repository("validation/ci-example.yml")).unwrap();
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("numbers/study")).unwrap();
    bench.write("numbers/study/study.toml", STUDY);
    bench.good("verify dirac-hitting-time --out numbers/claims");
    bench.good("bless numbers/study");
    let commands: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("run: ebflow ")).map(|c| c.1).collect();
    assert!(commands.len() >= 3);
    for command in commands {
        bench.good(command);
    }
    for file in ["claims.xml", "study.xml", "statements.xml"] {
        assert!(bench.read(&format!("results/{file}")).contains("failures=\"0\""), "{file}");
    }
    // What is typed by hand: arguments that exist.
    for command in text.lines().filter_map(|line| line.split_once("#     ebflow ")).map(|c| c.1) {
        bench.good(&format!("{} --help", command.split_whitespace().next().unwrap()));
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
