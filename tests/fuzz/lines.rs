//! Command lines of any words: every verb with options that belong to it or not, and values of any kind.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::arrays;
use crate::case::{Case, Way};
use crate::text::{mostly, number};

/// A verb, what it must be given, and what it may be given; NUMBER and the like stand for values.
const VERBS: &[(&str, &[&str], &[&str])] = &[
    (
        "flow",
        &["@a.npy", "--beta NUMBER", "--raw-time HORIZON", "--out @out.npy"],
        &[
            "--score-time HORIZON",
            "--noise-var HORIZON",
            "--weights @w.npy",
            "--layers COUNT",
            "--rtol TOLERANCE",
            "--atol TOLERANCE",
            "--radius NUMBER",
            "--drift DRIFT",
            "--eps TOLERANCE",
            "--threads COUNT",
            "--bound",
            "--json",
            "--overwrite-input",
        ],
    ),
    (
        "denoise",
        &["@a.npy", "--noise-var SMALL", "--beta SMALL", "--out @out.npy"],
        &[
            "--particles @z.npy",
            "--layers COUNT",
            "--rtol TOLERANCE",
            "--atol TOLERANCE",
            "--radius NUMBER",
            "--drift DRIFT",
            "--eps TOLERANCE",
            "--threads COUNT",
            "--clean @b.npy",
            "--json",
            "--bound",
        ],
    ),
    (
        "posterior",
        &["@a.npy", "@b.npy", "--noise-var NUMBER", "--out @out.npy"],
        &["--energy @e.npy", "--json", "--overwrite-input", "--energy @out.npy"],
    ),
    ("w1", &["@a.npy", "@b.npy"], &["--weights-a @w.npy", "--weights-b @w.npy", "--seed COUNT", "--json"]),
    (
        "exact",
        &["hitting-time", "--noise-var NUMBER", "--beta NUMBER", "--prior-var NUMBER"],
        &["--target NUMBER", "--json"],
    ),
    (
        "sample",
        &["{kind=\"gaussian\",mean=0,std=1}", "--n COUNT", "--out @out.npy"],
        &["--noise-var NUMBER", "--seed COUNT", "--clean @c.npy", "--json"],
    ),
    ("verify", &["--list"], &["--json", "tweedie", "nonsense", "--preset quick", "--jobs COUNT"]),
    ("check", &["@nowhere"], &["--json", "--jobs COUNT"]),
    ("report", &["@nowhere"], &["--json", "--allow-incomplete", "--out @m"]),
    ("merge", &["@nowhere", "--out @m"], &["--json", "@b"]),
    ("completions", &["SHELL"], &["--json"]),
    ("--help", &[], &["flow"]),
];

/// What stands in place of a word in capitals.
#[derive(Debug, Clone)]
struct Values {
    numbers: Vec<String>,
    horizon: &'static str,
    small: Vec<&'static str>,
    tolerance: &'static str,
    drift: &'static str,
    count: &'static str,
    shell: &'static str,
}

fn values() -> impl Strategy<Value = Values> {
    // Horizons that a few points reach in a moment, and impossible ones.
    let horizon = mostly(&["0", "0.1", "0.5", "1", "2", "1e-300"], &["-1", "nan", "inf", "x", "-0"]);
    let small = mostly(&["0.1", "0.5", "1", "2", "3"], &["1e-300", "0", "nan"]);
    let tolerance = mostly(&["1e-3", "1e-4", "1e-6", "1e-8"], &["0", "-1", "nan", "inf", "1e-300", "1"]);
    let drift = mostly(&["auto", "dense", "blocks", "kdtree", "gauss"], &["none"]);
    let count =
        mostly(&["1", "2", "3", "7", "20"], &["0", "-1", "4294967296", "18446744073709551615", "x", "1.5"]);
    let shell = mostly(&["bash", "zsh", "fish"], &["cmd"]);
    (vec(number(), 4), horizon, vec(small, 2), tolerance, drift, count, shell).prop_map(
        |(numbers, horizon, small, tolerance, drift, count, shell)| Values {
            numbers,
            horizon,
            small,
            tolerance,
            drift,
            count,
            shell,
        },
    )
}

impl Values {
    fn of(&self, word: &str, at: usize) -> String {
        let text = match word {
            "NUMBER" => &self.numbers[at % self.numbers.len()],
            "HORIZON" => self.horizon,
            "SMALL" => self.small[at % self.small.len()],
            "TOLERANCE" => self.tolerance,
            "DRIFT" => self.drift,
            "COUNT" => self.count,
            "SHELL" => self.shell,
            other => other,
        };
        text.to_owned()
    }
}

/// A verb with all it needs and some of what it may be given; sometimes a word is lost or a foreign one slips in.
fn words() -> impl Strategy<Value = Vec<String>> {
    let verb = select(VERBS);
    let slip = select(vec!["--beta", "", "--", "-h", "--version", "é", "--out", "@", "--no-such", "\u{7f}"]);
    verb.prop_flat_map(move |(name, needed, optional)| {
        let chosen = subsequence(optional.to_vec(), 0..=optional.len().min(4));
        let accident = prop_oneof![6 => Just(None), 1 => any::<proptest::sample::Index>().prop_map(Some)];
        (Just(name), Just(needed), chosen, values(), accident, slip.clone(), any::<bool>())
    })
    .prop_map(|(name, needed, chosen, values, accident, slip, lose)| {
        let parts = needed.iter().chain(&chosen).flat_map(|part| part.split_whitespace());
        let mut words = vec![name.to_owned()];
        words.extend(parts.enumerate().map(|(at, word)| values.of(word, at)));
        if let Some(at) = accident.map(|index| index.index(words.len())) {
            match lose {
                true => drop(words.remove(at)),
                false => words.insert(at, slip.to_owned()),
            }
        }
        words
    })
}

/// Words that would start work of minutes, or of which a study would make a folder elsewhere.
fn is_affordable(words: &[String]) -> bool {
    let first = words.first().map_or("", String::as_str);
    let lists = words.iter().any(|word| ["--list", "-h", "--help", "--version"].contains(&word.as_str()));
    match first {
        "verify" => lists,
        "bless" => false,
        _ => true,
    }
}

pub fn cases() -> impl Strategy<Value = Case> {
    let way = prop_oneof![60 => Just(Way::Call), 1 => Just(Way::Process)];
    let words = words().prop_filter("affordable", |words| is_affordable(words)).boxed();
    (1..4_usize)
        .prop_flat_map(move |d| (arrays::good(d, 8), arrays::good(d, 8), words.clone(), way.clone()))
        .prop_map(|(a, b, words, way)| Case::new(vec![("a.npy", a), ("b.npy", b)], words, way))
}
