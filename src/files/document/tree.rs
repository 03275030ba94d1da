//! [`Tree`]: a TOML document in which every key and value remembers where it was written.
//!
//! A study may come from several texts: its file, the overrides of a preset inside it, and the `--set` options of a command line. They
//! are laid over one another key by key; a complaint about a value then points at the text that it came from.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;

/// A text that parts of a study were read from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Source {
    /// What diagnostics call it: a file, or an option.
    pub name: String,
    /// The text itself.
    pub text: String,
}

/// Where something stands: a range of bytes in one of the sources.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub source: usize,
    pub span: Range<usize>,
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub node: Node,
    pub place: Place,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Text(String),
    Integer(i64),
    Number(f64),
    Bool(bool),
    Date(toml::value::Datetime),
    List(Vec<Tree>),
    Table(Table),
}

/// Entries by key.
pub(crate) type Table = BTreeMap<String, Entry>;

/// A key of a table, where it stands, and its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub key: Place,
    pub value: Tree,
}

impl Tree {
    /// Reads a document. `source` is the index that places will carry.
    pub fn parse(text: &str, source: usize) -> Result<Self, Diagnostic> {
        let document = DeTable::parse(text).map_err(|error| unreadable(&error, text, source))?;
        let span = document.span();
        let node = Node::Table(table(document.into_inner(), source)?);
        Ok(Self { node, place: Place { source, span } })
    }

    /// Reads an inline table, or any other value.
    pub fn parse_value(text: &str, source: usize) -> Result<Self, Diagnostic> {
        let parsed = DeValue::parse(text).map_err(|error| unreadable(&error, text, source))?;
        tree(parsed, source)
    }

    /// A value that was written nowhere.
    pub fn of_value(value: toml::Value) -> Self {
        let place = Place { source: 0, span: 0..0 };
        let node = match value {
            toml::Value::String(text) => Node::Text(text),
            toml::Value::Integer(integer) => Node::Integer(integer),
            toml::Value::Float(number) => Node::Number(number),
            toml::Value::Boolean(truth) => Node::Bool(truth),
            toml::Value::Datetime(date) => Node::Date(date),
            toml::Value::Array(list) => Node::List(list.into_iter().map(Self::of_value).collect()),
            toml::Value::Table(table) => {
                let entry = |value| Entry { key: place.clone(), value: Self::of_value(value) };
                Node::Table(table.into_iter().map(|(key, value)| (key, entry(value))).collect())
            }
        };
        Self { node, place }
    }

    /// Lays another tree over this one: tables merge key by key, everything else is replaced; so is a table of another kind, whose keys are others.
    pub fn overlay(&mut self, over: Self) {
        let same_kind =
            self.kind_key().is_none() || over.kind_key().is_none_or(|kind| self.kind_key() == Some(kind));
        match (&mut self.node, over.node) {
            (Node::Table(under), Node::Table(over)) if same_kind => {
                for (key, entry) in over {
                    match under.get_mut(&key) {
                        Some(old) if old.value.is_table() && entry.value.is_table() => {
                            old.value.overlay(entry.value);
                        }
                        _ => {
                            under.insert(key, entry);
                        }
                    }
                }
            }
            (under, node) => {
                *under = node;
                self.place = over.place;
            }
        }
    }

    /// What a table says of its own kind.
    fn kind_key(&self) -> Option<&str> {
        let Node::Table(table) = &self.node else { return None };
        match &table.get("kind")?.value.node {
            Node::Text(kind) => Some(kind),
            _ => None,
        }
    }

    fn is_table(&self) -> bool {
        matches!(self.node, Node::Table(_))
    }

    /// What kind of value it is, in words.
    pub fn kind(&self) -> &'static str {
        match self.node {
            Node::Text(_) => "a string",
            Node::Integer(_) => "an integer",
            Node::Number(_) => "a number",
            Node::Bool(_) => "a truth value",
            Node::Date(_) => "a date",
            Node::List(_) => "a list",
            Node::Table(_) => "a table",
        }
    }

    /// The same value without places.
    pub fn plain(&self) -> toml::Value {
        match &self.node {
            Node::Text(text) => text.clone().into(),
            Node::Integer(integer) => (*integer).into(),
            Node::Number(number) => (*number).into(),
            Node::Bool(truth) => (*truth).into(),
            Node::Date(date) => (*date).into(),
            Node::List(list) => toml::Value::Array(list.iter().map(Self::plain).collect()),
            Node::Table(table) => {
                let entries = table.iter().map(|(key, entry)| (key.clone(), entry.value.plain()));
                toml::Value::Table(entries.collect())
            }
        }
    }
}

fn unreadable(error: &toml::de::Error, text: &str, source: usize) -> Diagnostic {
    let span = error.span().unwrap_or(0..text.len());
    let message = error.message().replace('\n', ", ");
    Diagnostic::new("this is not TOML", Place { source, span }).label(message)
}

fn table(parsed: DeTable<'_>, source: usize) -> Result<Table, Diagnostic> {
    let mut entries = Table::new();
    for (key, value) in parsed {
        let place = Place { source, span: key.span() };
        let entry = Entry { key: place, value: tree(value, source)? };
        entries.insert(key.into_inner().into_owned(), entry);
    }
    Ok(entries)
}

fn tree(parsed: Spanned<DeValue<'_>>, source: usize) -> Result<Tree, Diagnostic> {
    let place = Place { source, span: parsed.span() };
    let unreadable = |what: &str| Diagnostic::new(format!("this {what} cannot be read"), place.clone());
    let node = match parsed.into_inner() {
        DeValue::String(text) => Node::Text(text.into_owned()),
        DeValue::Integer(digits) => {
            let integer = i64::from_str_radix(digits.as_str(), digits.radix());
            Node::Integer(integer.map_err(|_| unreadable("integer").label("beyond 64 bits"))?)
        }
        DeValue::Float(digits) => Node::Number(digits.as_str().parse().map_err(|_| unreadable("number"))?),
        DeValue::Boolean(truth) => Node::Bool(truth),
        DeValue::Datetime(date) => Node::Date(date),
        DeValue::Array(list) => {
            Node::List(list.into_iter().map(|value| tree(value, source)).collect::<Result<_, _>>()?)
        }
        DeValue::Table(inner) => Node::Table(table(inner, source)?),
    };
    Ok(Tree { node, place })
}
