//! Text that is nearly right: numbers at the edges, and mutations of bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Numbers as people and adversaries write them.
pub fn number() -> impl Strategy<Value = String> {
    let sane =
        select(vec!["0.5", "1", "2", "0.1", "4", "20", "0.01", "3.3", "0", "1e-3", "-1", "-0.5", "10"]);
    let edge = select(vec![
        "1e-300",
        "1e300",
        "1e308",
        "1.7976931348623157e308",
        "5e-324",
        "-1e308",
        "1e155",
        "1e154",
        "1e-160",
        "1e16",
        "9007199254740993",
        "1e-16",
        "-0.0",
        "1e8",
    ]);
    let hostile = select(vec![
        "nan", "inf", "-inf", "1e999", "", "x", "0x10", "1_000", "１", "true", "1,2", "[1]", "--",
    ]);
    let any = any::<f64>().prop_map(|x| format!("{x:e}"));
    prop_oneof![24 => owned(sane), 6 => owned(edge), 1 => owned(hostile), 2 => any]
}

fn owned(words: impl Strategy<Value = &'static str>) -> impl Strategy<Value = String> {
    words.prop_map(str::to_owned)
}

/// One of the words that make sense, or now and then one that does not.
pub fn mostly(
    sane: &'static [&'static str],
    hostile: &'static [&'static str],
) -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![12 => select(sane), 1 => select(hostile)]
}

/// A double as data hold it.
pub fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        40 => -3.0..3.0,
        8 => select(vec![0.0, -0.0, 1.0, -1.0, 0.5]),
        2 => select(vec![1e8, -1e8, 1e-8, 1e100, -1e100, 1e-200, 1e154, 1e160, 1e300, f64::MAX, f64::MIN_POSITIVE, 5e-324]),
        1 => any::<f64>(),
    ]
}

/// One change of a text.
#[derive(Debug, Clone)]
enum Change {
    Replace(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Cut(Index),
    Repeat(Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let words = select(vec![
        "{",
        "}",
        "[",
        "]",
        "'",
        "\"",
        ",",
        ":",
        "=",
        "\n",
        "nan",
        "1e999",
        "-1",
        "null",
        "true",
        "9999999999999999999",
        "\u{0}",
        "é",
        "(",
        ")",
    ]);
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (any::<Index>(), words).prop_map(|(at, word)| Change::Insert(at, word.as_bytes().to_vec())),
        (any::<Index>(), 1..20_usize).prop_map(|(at, count)| Change::Remove(at, count)),
        any::<Index>().prop_map(Change::Cut),
        (any::<Index>(), 1..40_usize).prop_map(|(at, count)| Change::Repeat(at, count)),
    ]
}

fn changed(mut bytes: Vec<u8>, change: &Change) -> Vec<u8> {
    let place = |index: &Index, length: usize| if length == 0 { 0 } else { index.index(length) };
    let length = bytes.len();
    match change {
        Change::Replace(at, byte) if length > 0 => bytes[at.index(length)] = *byte,
        Change::Insert(at, word) => {
            let at = place(at, length);
            bytes.splice(at..at, word.iter().copied());
        }
        Change::Remove(at, count) => {
            let at = place(at, length);
            bytes.drain(at..(at + count).min(length));
        }
        Change::Cut(at) => bytes.truncate(place(at, length)),
        Change::Repeat(at, count) => {
            let at = place(at, length);
            let part = bytes[at..(at + count).min(length)].to_vec();
            bytes.splice(at..at, part);
        }
        Change::Replace(..) => {}
    }
    bytes
}

/// Bytes, mostly as they are, sometimes changed in a few places.
pub fn mutated<S: Strategy<Value = Vec<u8>>>(bytes: S) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop_oneof![2 => Just(Vec::new()), 1 => vec(change(), 1..4)];
    (bytes, changes).prop_map(|(bytes, changes)| changes.iter().fold(bytes, changed))
}

/// Text, mostly as it is.
pub fn mutated_text<S: Strategy<Value = String>>(text: S) -> impl Strategy<Value = String> {
    mutated(text.prop_map(String::into_bytes)).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
