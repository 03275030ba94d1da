//! The committed evidence is what this code gives, whatever the threads and instructions.

use ebflow::claim::{Evidence, register};

use crate::bench::{Bench, repository, stdout};

/// Runs `check` on the committed evidence, in some surroundings.
fn check(options: &str, variables: &[(&str, &str)]) {
    let (bench, folder) = (Bench::new(), repository("validation/baseline"));
    let mut command = bench.command(&format!("check {} {options}", folder.display()));
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{options} {variables:?}\n{}", stdout(&output));
}

#[test]
fn nothing_has_moved_on_one_thread() {
    check("--jobs 1", &[]);
}

#[test]
fn nothing_has_moved_on_two_threads_with_avx2() {
    check("--jobs 2", &[("EBFLOW_SIMD", "avx2")]);
}

#[test]
fn nothing_moves_on_four_threads_with_portable_kernels() {
    check("--jobs 4", &[("EBFLOW_PORTABLE", "1")]);
}

#[test]
fn the_committed_evidence_covers_the_register_with_the_expected_verdicts() {
    for folder in ["validation/baseline", "validation"] {
        let evidence = Evidence::read(&repository(folder), &register()).unwrap();
        let ids: Vec<&str> = evidence.records.iter().map(|record| record.card.id).collect();
        let all: Vec<&str> = register().iter().map(|claim| claim.card().id).collect();
        assert_eq!(
            ids, all,
            "{folder} is of another register: run `ebflow bless` and a full `ebflow verify`"
        );
        assert!(evidence.is_expected(), "{folder}");
    }
}
