//! [`Reader`]: takes a table apart key by key and keeps a list of everything that is wrong with it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::diagnostic::Diagnostic;
use super::tree::{Entry, Node, Place, Table, Tree};
use crate::error::nearest;

/// Collects complaints while a study is read, so that all of them are shown at once.
#[derive(Debug, Default)]
pub(crate) struct Complaints(RefCell<Vec<Diagnostic>>);

impl Complaints {
    pub fn push(&self, diagnostic: Diagnostic) {
        self.0.borrow_mut().push(diagnostic);
    }

    pub fn into_inner(self) -> Vec<Diagnostic> {
        self.0.into_inner()
    }
}

/// A table being read. Keys that nobody has asked for by the end are unknown.
pub(crate) struct Reader<'a> {
    /// What the table is called: `[sweep]`, or nothing for the top level.
    name: &'static str,
    table: &'a Table,
    place: Place,
    known: RefCell<BTreeSet<&'static str>>,
    /// Keys that were needed and not there; complained about at the end, unless a misspelling of them is found.
    missing: RefCell<Vec<Missing>>,
    complaints: &'a Complaints,
}

/// A key that is not there, and what to say about it.
struct Missing {
    /// One of these would do.
    keys: Vec<&'static str>,
    diagnostic: Diagnostic,
}

impl<'a> Reader<'a> {
    /// Reads the table that a tree is; anything else is a complaint and reads as an empty table.
    pub fn of(tree: &'a Tree, name: &'static str, complaints: &'a Complaints) -> Option<Self> {
        let Node::Table(table) = &tree.node else {
            complaints.push(expected("a table", tree).help(format!("write it as {name} with keys below it")));
            return None;
        };
        let (known, missing) = (RefCell::default(), RefCell::default());
        Some(Self { name, table, place: tree.place.clone(), known, missing, complaints })
    }

    /// The entry of a key, if it is there. Asking makes the key a known one.
    pub fn entry(&self, key: &'static str) -> Option<&'a Entry> {
        self.known.borrow_mut().insert(key);
        self.table.get(key)
    }

    /// The value of a key, if it is there.
    pub fn value(&self, key: &'static str) -> Option<&'a Tree> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// As [`Reader::value`]; a missing key is a complaint.
    pub fn needed(&self, key: &'static str, remedy: &str) -> Option<&'a Tree> {
        let value = self.value(key);
        if value.is_none() {
            self.lacks(&[key], remedy);
        }
        value
    }

    /// Complains that none of some keys is there.
    pub fn lacks(&self, keys: &[&'static str], remedy: &str) {
        let owner = if self.name.is_empty() { "the study" } else { self.name };
        let place = Place { span: self.place.span.start..self.place.span.start, ..self.place };
        let title = format!("{owner} has no `{}`", keys.join("` or `"));
        let diagnostic = Diagnostic::new(title, place).help(remedy);
        self.missing.borrow_mut().push(Missing { keys: keys.to_vec(), diagnostic });
    }

    /// A string.
    pub fn text(&self, tree: &'a Tree) -> Option<&'a str> {
        match &tree.node {
            Node::Text(text) => Some(text),
            _ => self.wrong("a string", tree),
        }
    }

    /// A number, integers included.
    pub fn number(&self, tree: &Tree) -> Option<f64> {
        match tree.node {
            Node::Number(number) => Some(number),
            Node::Integer(integer) => Some(integer as f64),
            _ => self.wrong("a number", tree),
        }
    }

    /// An integer of at least `least`.
    pub fn count(&self, tree: &Tree, least: usize) -> Option<usize> {
        self.count_within(tree, least..=usize::MAX)
    }

    /// An integer within a range.
    pub fn count_within(&self, tree: &Tree, range: RangeInclusive<usize>) -> Option<usize> {
        let Node::Integer(integer) = tree.node else { return self.wrong("an integer", tree) };
        let (least, most) = (range.start(), range.end());
        match usize::try_from(integer) {
            Ok(count) if range.contains(&count) => Some(count),
            Ok(count) if count > *most => {
                self.refuse(tree, format!("{integer} is too large"), format!("it must be at most {most}"))
            }
            _ => self.refuse(tree, format!("{integer} is too small"), format!("it must be at least {least}")),
        }
    }

    /// One value, or a list of at least one.
    pub fn list(&self, tree: &'a Tree) -> Option<&'a [Tree]> {
        match &tree.node {
            Node::List(list) if list.is_empty() => {
                self.refuse(tree, "the list is empty".into(), "give at least one value".into())
            }
            Node::List(list) => Some(list),
            _ => Some(std::slice::from_ref(tree)),
        }
    }

    /// A number that a constructor accepts; its message says what is wrong.
    pub fn checked<T>(&self, tree: &Tree, build: impl Fn(f64) -> crate::error::Result<T>) -> Option<T> {
        match build(self.number(tree)?) {
            Ok(value) => Some(value),
            Err(error) => self.refuse(tree, "impossible value".into(), error.to_string()),
        }
    }

    /// One of a set of names.
    pub fn one_of<T: Copy>(&self, tree: &'a Tree, what: &str, names: &[(&'static str, T)]) -> Option<T> {
        let text = self.text(tree)?;
        let found = names.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            self.complaints.push(unknown(what, tree, text, &known));
        }
        found.map(|(_, value)| *value)
    }

    /// A complaint about a value.
    pub fn refuse<T>(&self, tree: &Tree, label: String, remedy: String) -> Option<T> {
        let title = if self.name.is_empty() {
            "this cannot be".to_owned()
        } else {
            format!("this cannot be in {}", self.name)
        };
        self.complaints.push(Diagnostic::new(title, tree.place.clone()).label(label).help(remedy));
        None
    }

    fn wrong<T>(&self, wanted: &str, tree: &Tree) -> Option<T> {
        self.complaints.push(expected(wanted, tree));
        None
    }

    /// Complains about every key that nobody asked for, and names the nearest one that exists. True when there is none.
    pub fn finish(self) -> bool {
        let known: Vec<&str> = self.known.borrow().iter().copied().collect();
        let unknown = || self.table.iter().filter(|(key, _)| !known.contains(&key.as_str()));
        for (key, entry) in unknown() {
            let place = if self.name.is_empty() { "the study" } else { self.name };
            let title = format!("unknown key `{key}` in {place}");
            self.complaints.push(suggest(Diagnostic::new(title, entry.key.clone()), key, &known));
            let near = nearest(key, &known);
            self.missing.borrow_mut().retain(|missing| near.is_none_or(|near| !missing.keys.contains(&near)));
        }
        unknown().next().is_none()
    }
}

impl Drop for Reader<'_> {
    /// Whichever way reading ends, what was missing is said.
    fn drop(&mut self) {
        for missing in self.missing.take() {
            self.complaints.push(missing.diagnostic);
        }
    }
}

fn expected(wanted: &str, found: &Tree) -> Diagnostic {
    let found_kind = found.kind();
    Diagnostic::new(format!("expected {wanted}, found {found_kind}"), found.place.clone())
        .label(format!("this is {found_kind}"))
        .help(match found_kind {
            "a string" => format!("put {wanted} here, without quotes"),
            _ => format!("put {wanted} here"),
        })
}

/// A name that is not one of those known.
pub(crate) fn unknown(what: &str, tree: &Tree, name: &str, known: &[&str]) -> Diagnostic {
    suggest(Diagnostic::new(format!("unknown {what} `{name}`"), tree.place.clone()), name, known)
}

/// Points to the nearest known name when one is near, and lists them all.
fn suggest(diagnostic: Diagnostic, word: &str, known: &[&str]) -> Diagnostic {
    let all = format!("known here: `{}`", known.join("`, `"));
    match nearest(word, known) {
        Some(name) => diagnostic.label(format!("did you mean `{name}`?")).help(all),
        None => diagnostic.label("not known").help(all),
    }
}
