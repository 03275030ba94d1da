//! The contract, and a tally of how cases ended.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use ebflow::files::npy::read_cloud;

use crate::case::{Case, Outcome, Way};

/// Verbs that judge, and may say no.
const JUDGES: [&str; 6] = ["verify", "check", "bless", "study", "merge", "report"];
/// Verbs that keep a folder of their own.
const KEEPERS: [&str; 5] = ["verify", "bless", "study", "merge", "report"];

/// Runs a case and gives back its exit code, or what is wrong.
pub fn judge(case: &Case) -> Result<u8, String> {
    let outcome = case.run();
    let verb = case.words.first().map_or("", String::as_str);
    let wrong = |what: &str| {
        Err(format!("{what}\n{case:?}code {:?}\n{}{}", outcome.code, outcome.stdout, outcome.stderr))
    };
    let Some(code) = outcome.code else { return wrong("a panic, or a signal") };
    if ![0, 1, 2, 3, 130].contains(&code) {
        return wrong("an exit code that means nothing");
    }
    if code == 1 && !JUDGES.contains(&verb) {
        return wrong("a failed check where nothing is checked");
    }
    if code == 130 && case.way != Way::Interrupted {
        return wrong("an interruption that nobody asked for");
    }
    if code >= 2 && code != 130 && outcome.stderr.trim().is_empty() && outcome.stdout.is_empty() {
        return wrong("a failure without a word");
    }
    if outcome.stderr.contains("panicked") || outcome.stdout.contains("panicked") {
        return wrong("a panic on the way");
    }
    if code < 2 && has_non_finite(&outcome.stdout) {
        return wrong("a number that is not finite");
    }
    if code == 0 && case.words.iter().any(|word| word == "--json") && !is_contract(&outcome.stdout) {
        return wrong("not the JSON of the contract");
    }
    match touched(&outcome, verb, code) {
        Some(what) => wrong(&what),
        None => Ok(code),
    }
}

fn has_non_finite(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| ["inf", "NaN", "nan", "infinity"].contains(&word))
}

fn is_contract(stdout: &str) -> bool {
    stdout.is_empty()
        || serde_json::from_str::<serde_json::Value>(stdout).is_ok_and(|json| json["schema"] == 1)
        || !stdout.trim_start().starts_with('{')
}

/// What was written and should not have been.
fn touched(outcome: &Outcome, verb: &str, code: u8) -> Option<String> {
    for (path, content) in &outcome.before {
        let changed = outcome.after.get(path) != Some(content);
        let own = KEEPERS.contains(&verb) && code != 2;
        let rows = path.ends_with("rows.jsonl") && ["report", "merge"].contains(&verb);
        // A study removes a torn line; everybody else leaves rows alone, whatever happens.
        let mended = verb == "study" && path.ends_with("rows.jsonl");
        if changed && (rows || !(own || mended || code == 0)) {
            return Some(format!("{} was changed", path.display()));
        }
    }
    for (path, _) in outcome.after.iter().filter(|(path, _)| !outcome.before.contains_key(*path)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(".tmp") {
            return Some("a draft was left behind".into());
        }
        if code != 0 && !KEEPERS.contains(&verb) {
            return Some(format!("{} was written by a failure", path.display()));
        }
        if name.ends_with(".npy") && read_cloud(path).is_err() {
            return Some(format!("{} is not a finite array", path.display()));
        }
    }
    None
}

/// How cases ended, by verb.
#[derive(Default)]
pub struct Tally(RefCell<BTreeMap<(String, u8), u64>>);

impl Tally {
    pub fn count(&self, case: &Case, code: u8) {
        let verbs = [
            "sample",
            "denoise",
            "flow",
            "posterior",
            "w1",
            "exact",
            "meanfield",
            "study",
            "merge",
            "report",
            "verify",
            "check",
            "bless",
            "completions",
        ];
        let verb = case.words.first().filter(|verb| verbs.contains(&verb.as_str()));
        let verb = verb.map_or_else(|| "other words".to_owned(), String::clone);
        *self.0.borrow_mut().entry((verb, code)).or_default() += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = self.0.borrow();
        let all: u64 = tally.values().sum();
        let computed: u64 = tally.iter().filter(|((_, code), _)| *code != 2).map(|(_, count)| count).sum();
        write!(f, "{all} cases, {computed} of them computed something;")?;
        tally.iter().try_for_each(|((verb, code), count)| write!(f, " {verb} → {code}: {count},"))
    }
}
