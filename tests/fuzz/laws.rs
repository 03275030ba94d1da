//! Laws as text, in front of every verb that reads one.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::arrays;
use crate::case::{Case, Way};
use crate::text::{mutated_text, number};

fn list(length: usize) -> impl Strategy<Value = String> {
    vec(number(), length).prop_map(move |numbers| match numbers.as_slice() {
        [single] => single.clone(),
        _ => format!("[{}]", numbers.join(", ")),
    })
}

/// A law of a dimension, with numbers at the edges.
pub fn law(dimension: usize) -> impl Strategy<Value = String> {
    let d = dimension;
    let gaussian = (list(d), number())
        .prop_map(|(mean, std)| format!("{{ kind = \"gaussian\", mean = {mean}, std = {std} }}"));
    let covariance = (list(d), vec(number(), d * d)).prop_map(move |(mean, cov)| {
        let rows: Vec<String> = cov.chunks(d).map(|row| format!("[{}]", row.join(", "))).collect();
        format!("{{ kind = \"gaussian\", mean = {mean}, cov = [{}] }}", rows.join(", "))
    });
    let mixture = (vec(list(d), 1..4), number()).prop_map(|(means, std)| {
        format!("{{ kind = \"mixture\", means = [{}], std = {std} }}", means.join(", "))
    });
    let weighted = (list(d), list(d), number(), 0.0..1.0_f64).prop_map(|(a, b, std, p)| {
        format!("{{ kind = \"mixture\", weights = [{p}, {}], means = [{a}, {b}], std = {std} }}", 1.0 - p)
    });
    let atoms = vec(list(d), 1..5)
        .prop_map(|points| format!("{{ kind = \"atoms\", points = [{}] }}", points.join(", ")));
    let laplace = (list(d), number())
        .prop_map(|(mean, scale)| format!("{{ kind = \"laplace\", mean = {mean}, scale = {scale} }}"));
    let uniform = (list(d), list(d))
        .prop_map(|(low, high)| format!("{{ kind = \"uniform\", low = {low}, high = {high} }}"));
    let student = (number(), number(), number()).prop_map(|(df, mean, scale)| {
        format!("{{ kind = \"student\", df = {df}, mean = {mean}, scale = {scale} }}")
    });
    let known = prop_oneof![2 => student, 4 => gaussian, 2 => covariance, 3 => mixture, 2 => weighted, 3 => atoms, 2 => laplace, 2 => uniform];
    prop_oneof![5 => known.clone().boxed(), 1 => mutated_text(known).boxed()]
}

/// Lines, and how often each is tried: what takes long less often.
const LINES: &[(u32, &str)] = &[
    (30, "sample LAW --n 20 --out @x.npy --json"),
    (20, "sample LAW --n 7 --noise-var V --out @x.npy --clean @c.npy"),
    (10, "sample LAW --n 1 --seed 9007199254740991 --out @x.npy"),
    (20, "exact covariance --law LAW --noise-var V --beta B --denoising --json"),
    (10, "exact covariance --law LAW --noise-var V --beta B --raw-time V"),
    (20, "w1 @a.npy --law LAW --json"),
    (20, "denoise @a.npy --noise-var 0.3 --beta 4 --layers 4 --out @y.npy --law LAW --json"),
    (1, "meanfield --law LAW --noise-var V --beta B --raw-time 0.5 --json"),
    (1, "meanfield --law LAW --noise-var 0.5 --beta 4 --denoising --query V"),
    (5, "sample @law.toml --n 3 --out @x.npy"),
];

pub fn cases() -> impl Strategy<Value = Case> {
    let way = prop_oneof![60 => Just(Way::Call), 1 => Just(Way::Process)];
    let lines: Vec<_> = LINES.iter().map(|(weight, line)| (*weight, Just(*line))).collect();
    let dimension = select(vec![1, 1, 1, 1, 2, 3]);
    (dimension, proptest::strategy::Union::new_weighted(lines), way)
        // Brackets and mean fields in space take long, so they are tried on the line, and as processes now and then.
        .prop_map(|(d, line, way)| {
            let slow = line.starts_with("meanfield") || (line.starts_with("w1") && way == Way::Call);
            (if slow { 1 } else { d }, line, way)
        })
        .prop_flat_map(|(d, line, way)| {
            (law(d), arrays::good(d, 8), number(), number(), Just(line), Just(way))
        })
        .prop_map(|(law, array, v, b, line, way)| {
            let word = |word: &str| match word {
                "LAW" => law.clone(),
                "V" => v.clone(),
                "B" => b.clone(),
                other => other.to_owned(),
            };
            let file = law.trim().trim_start_matches('{').trim_end_matches('}').replace(", ", "\n");
            let files = vec![("a.npy", array), ("law.toml", file.into_bytes())];
            Case::new(files, line.split_whitespace().map(word), way)
        })
}
