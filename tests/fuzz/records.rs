//! Rows of studies and evidence of claims, as they are and damaged.

use std::sync::OnceLock;

use proptest::prelude::*;
use proptest::sample::select;

use crate::case::{Case, Way};
use crate::text::mutated;

const STUDY: &str = r#"
title = "t"
quantities = ["w1_prior", "variance_path", "coupled"]
[prior]
kind = "gaussian"
mean = 0
std = 1
[noise]
variance = 0.25
[flow]
layers = 5
[sweep]
n = [4, 8]
beta = [2, 4]
seeds = 2
[measure]
cloud_points = 2
depths = 3
[[fit]]
quantity = "coupled"
against = "n"
"#;

/// The files that a study and a claim leave, made once.
struct Originals {
    spec: Vec<u8>,
    rows: Vec<u8>,
    runs: Vec<u8>,
    claims: Vec<u8>,
}

fn originals() -> &'static Originals {
    static MADE: OnceLock<Originals> = OnceLock::new();
    MADE.get_or_init(|| {
        let study = Case::new(
            vec![("s.toml", STUDY.into())],
            "study @s.toml --out @o --jobs 1".split(' '),
            Way::Call,
        )
        .run();
        let claim = Case::new(vec![], "verify tweedie --out @c --jobs 1".split(' '), Way::Call).run();
        let file = |outcome: &crate::case::Outcome, name: &str| {
            std::fs::read(outcome.folder.path().join(name)).unwrap()
        };
        Originals {
            spec: file(&study, "o/study.toml"),
            rows: file(&study, "o/rows.jsonl"),
            runs: file(&study, "o/runs.jsonl"),
            claims: file(&claim, "c/claims.jsonl"),
        }
    })
}

/// Numbers of a text replaced by others, so that lines stay rows.
fn renumbered(text: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let value = select(vec![
        "1e308",
        "-1e308",
        "1e-320",
        "0",
        "-1",
        "1e999",
        "null",
        "\"x\"",
        "18446744073709551615",
        "[]",
        "2",
    ]);
    (any::<proptest::sample::Index>(), value).prop_map(move |(index, value)| {
        let text = String::from_utf8_lossy(&text).into_owned();
        let starts: Vec<usize> = text.match_indices([':', '=']).map(|(at, _)| at + 1).collect();
        let at = starts[index.index(starts.len())];
        let end = text[at..].find([',', '}', ']', '\n']).map_or(text.len(), |length| at + length);
        format!("{}{value}{}", &text[..at], &text[end..]).into_bytes()
    })
}

fn damaged(text: fn() -> Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let all = Just(()).prop_map(move |()| text());
    prop_oneof![
        4 => mutated(all),
        3 => Just(()).prop_flat_map(move |()| renumbered(text())),
        1 => Just(Vec::new()),
        1 => Just(()).prop_map(move |()| text().trim_ascii_end().to_vec()),
    ]
}

const LINES: &[&str] = &[
    "report @o",
    "report @o --json --allow-incomplete",
    "merge @o --out @m --json",
    "merge @o @p --out @m",
    "study @o/study.toml --out @o --jobs 1 --json",
    "report @c",
    "report @c --json",
    "report @c",
    "report @c --json",
    "check @c --jobs 1 --json",
    "verify tweedie --out @o --jobs 1",
    "study @o/study.toml --out @c --jobs 1",
];

pub fn cases() -> impl Strategy<Value = Case> {
    let way = prop_oneof![60 => Just(Way::Call), 1 => Just(Way::Process)];
    let spec = prop_oneof![8 => Just(()).prop_map(|()| originals().spec.clone()), 1 => damaged(|| originals().spec.clone())];
    let rows = damaged(|| originals().rows.clone());
    let runs = damaged(|| originals().runs.clone());
    let claims = damaged(|| originals().claims.clone());
    (spec, rows, runs, claims, select(LINES), way).prop_map(|(spec, rows, runs, claims, line, way)| {
        let whole = originals();
        let files = vec![
            ("o/study.toml", spec),
            ("o/rows.jsonl", rows),
            ("o/runs.jsonl", runs),
            ("p/study.toml", whole.spec.clone()),
            ("p/rows.jsonl", whole.rows.clone()),
            ("c/claims.jsonl", claims),
        ];
        Case::new(files, line.split_whitespace(), way)
    })
}
