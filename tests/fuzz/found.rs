//! What was found once, kept as cases.

use crate::case::{Case, Way, leave_home};
use crate::oracle::judge;

/// The bytes of an array of doubles.
fn array(shape: &str, values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    let mut bytes = [b"\x93NUMPY\x01\x00".as_slice(), &length, header.as_bytes()].concat();
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A line about files, and the exit codes that are right.
fn holds(files: Vec<(&str, Vec<u8>)>, line: &str, codes: &[u8]) {
    leave_home();
    // Words in single quotes may contain spaces.
    let words = line.split('\'').enumerate().flat_map(|(i, part)| match i % 2 {
        1 => vec![part.to_owned()],
        _ => part.split_whitespace().map(str::to_owned).collect(),
    });
    match judge(&Case::new(files, words, Way::Call)) {
        Ok(code) => assert!(codes.contains(&code), "{line}: {code}"),
        Err(finding) => panic!("{finding}"),
    }
}

const PLANE: &str = r#"'{ kind = "gaussian", mean = [0, 0], std = 1 }'"#;

#[test]
fn distances_beyond_the_range_of_doubles() {
    for far in [1e155, 1e200, 1e307, 1e308] {
        let cloud = vec![("a.npy", array("(2, 2)", &[far, 0.0, 0.0, -far]))];
        holds(cloud, &format!("w1 @a.npy --law {PLANE} --json"), &[2, 3]);
    }
}

#[test]
fn energies_beyond_the_range_of_doubles() {
    let files = vec![("a.npy", array("(2,)", &[0.0, 1.0])), ("b.npy", array("(1,)", &[1e160]))];
    holds(files, "posterior @a.npy @b.npy --noise-var 1 --out @m.npy --energy @e.npy", &[3]);
}

#[test]
fn errors_beyond_the_range_of_doubles() {
    let line = r#"denoise @a.npy --noise-var 1 --beta 1 --out @m.npy --law '{ kind = "gaussian", mean = 0, std = 1 }'"#;
    holds(vec![("a.npy", array("(2,)", &[1e200, -1e200]))], line, &[2, 3]);
}

/// There is no bound, and the reason is said without a number that is none.
#[test]
fn coordinates_beyond_what_a_bound_resolves() {
    let line = "flow @a.npy --beta 2 --raw-time 0.5 --out @out.npy --bound --json";
    holds(vec![("a.npy", array("(1,)", &[-1.2e258]))], line, &[0]);
}

#[test]
fn sweeps_and_shards_beyond_memory() {
    let study = "title = \"t\"\nquantities = [\"w1_prior\"]\nprior = { kind = \"gaussian\", mean = 0, std = 1 }\n\
                 [noise]\nvariance = 1\n[flow]\nlayers = 3\n[sweep]\nn = [2, 3]\nbeta = 1\nseeds = 2\n";
    let file = || vec![("s.toml", study.as_bytes().to_vec())];
    holds(file(), "study @s.toml --dry-run --shard 1/18446744073709551615", &[0]);
    holds(file(), "study @s.toml --dry-run --set sweep.seeds=1000000000", &[2]);
}

#[test]
fn laws_that_are_no_laws() {
    for law in [
        r#"{ kind = "unheard", df = 3 }"#,
        r#"{ kind = "uniform", low = [0, 0], high = [1, 1, 1] }"#,
        r#"{ kind = "gaussian", mean = [0, 1e308], std = 1e308 }"#,
    ] {
        holds(vec![], &format!("sample '{law}' --n 4 --out @x.npy"), &[2, 3]);
    }
}
