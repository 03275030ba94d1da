//! Whatever comes from outside, the contract holds: an exit code that means something, no panic, no number that is not
//! finite, no file touched on failure.
//!
//! `cargo test` tries some cases of every kind; `EBFLOW_FUZZ_CASES=100000 cargo test --release --test fuzz -- --nocapture`
//! as many as one likes (CONTRIBUTING.md), and says how they ended. What was found stands in [`found`] for ever.

mod arrays;
mod case;
#[path = "../../src/cli/mod.rs"]
mod cli;
mod found;
mod laws;
mod lines;
mod oracle;
mod records;
mod studies;
mod text;

use case::Case;
use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Cases of all kinds together, unless the variable of that name says otherwise.
const CASES: u32 = 1500;

/// What is tried, and its share of the cases in per cent.
fn kinds() -> [(&'static str, u32, BoxedStrategy<Case>); 5] {
    [
        ("arrays", 35, arrays::cases().boxed()),
        ("laws", 25, laws::cases().boxed()),
        ("lines", 25, lines::cases().boxed()),
        ("studies", 5, studies::cases().boxed()),
        ("records", 10, records::cases().boxed()),
    ]
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn fuzz(kind: &str) {
    case::leave_home();
    let (name, share, strategy) = kinds().into_iter().find(|(name, ..)| *name == kind).unwrap();
    let cases = (number("EBFLOW_FUZZ_CASES", CASES.into()) * u64::from(share)).div_ceil(100) as u32;
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number("EBFLOW_FUZZ_SEED", 0).to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let tally = oracle::Tally::default();
    let judged = runner.run(&strategy, |case| {
        tally.count(&case, oracle::judge(&case).map_err(proptest::test_runner::TestCaseError::fail)?);
        Ok(())
    });
    eprintln!("{name}: {tally}");
    if let Err(finding) = judged {
        panic!("{finding}");
    }
}

#[test]
fn arrays_of_any_bytes() {
    fuzz("arrays");
}

#[test]
fn laws_of_any_text() {
    fuzz("laws");
}

#[test]
fn lines_of_any_words() {
    fuzz("lines");
}

#[test]
fn studies_of_any_text() {
    fuzz("studies");
}

#[test]
fn rows_and_evidence_of_any_text() {
    fuzz("records");
}
