//! [`Evidence`]: records of claims, and the file that keeps them.
//!
//! ```text
//! {"schema":1,"preset":"quick","claims":["tweedie", …]}        the claims, and why there is no evidence of some
//! {"claim":"tweedie","case":"…","quantity":"…", …}             one line per row, in order
//! ```
//! Verdicts are not kept: they follow from the rows. While evidence is being gathered, what there is of it stands in a
//! file of another name, so that the accepted file is always whole.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::Record;
use super::row::Row;
use super::{Card, Claim, find};
use crate::error::{Error, Result};
use crate::files::Folder;
use crate::preset::Preset;
use crate::provenance::Provenance;

/// Version of the file format.
const SCHEMA: u32 = 1;

/// The records of claims that were put to the test together.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// How thoroughly it was gathered.
    pub preset: Preset,
    /// What gathered it, if that is known.
    pub provenance: Option<Provenance>,
    /// The claims with their rows, in the order of the register.
    pub records: Vec<Record>,
}

/// What a file says of its own format, whatever else it may say.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

#[derive(Serialize, Deserialize)]
struct Header {
    schema: u32,
    preset: Preset,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    provenance: Option<Provenance>,
    claims: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    without_evidence: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Line<R> {
    claim: String,
    #[serde(flatten)]
    row: R,
}

impl Evidence {
    /// The file's name in a folder of evidence.
    pub const FILE: &str = "claims.jsonl";
    /// The file that holds what was finished when a run was ended.
    pub const UNFINISHED: &str = "claims.unfinished.jsonl";

    /// True when every verdict is the expected one.
    pub fn is_expected(&self) -> bool {
        self.records.iter().all(Record::is_expected)
    }

    /// Reads what a folder keeps, as evidence of the claims of a register.
    pub fn read(folder: &Path, register: &[Box<dyn Claim>]) -> Result<Self> {
        let path = folder.join(Self::FILE);
        if !path.is_file() {
            let lack = if folder.is_dir() { "it has no such file" } else { "there is no such folder" };
            return Err(Error::NoEvidence { path: folder.into(), file: Self::FILE, lack });
        }
        let failed = |source| Error::Io { action: "read", path: path.clone(), source };
        let text = std::fs::read_to_string(&path).map_err(failed)?;
        Self::from_lines(&text, &path, register)
    }

    /// Writes the file into a folder, whole or not at all.
    pub fn write(&self, folder: &Folder) -> Result<()> {
        folder.write(Self::FILE, self.to_lines().as_bytes())?;
        folder.remove(Self::UNFINISHED)
    }

    /// Keeps what there is so far.
    pub fn write_unfinished(&self, folder: &Folder) -> Result<()> {
        folder.write(Self::UNFINISHED, self.to_lines().as_bytes())
    }

    /// True when replacing this evidence by that of such a run would lose some: other claims, or more thorough evidence.
    pub fn is_more_than(&self, claims: &[&dyn Claim], preset: Preset) -> bool {
        let renewed = |record: &Record| claims.iter().any(|claim| claim.card().id == record.card.id);
        !self.records.iter().all(renewed) || (self.preset == Preset::Full && preset == Preset::Quick)
    }

    /// The lines of the file.
    pub fn to_lines(&self) -> String {
        let claims = self.records.iter().map(|record| record.card.id.to_owned()).collect();
        let reason = |record: &Record| record.verdict.remark().unwrap_or_default().to_owned();
        let bare = self.records.iter().filter(|record| record.rows.is_empty());
        let without_evidence = bare.map(|record| (record.card.id.to_owned(), reason(record))).collect();
        let mut text = line(&Header {
            schema: SCHEMA,
            preset: self.preset,
            provenance: self.provenance.clone(),
            claims,
            without_evidence,
        });
        for record in &self.records {
            for row in &record.rows {
                text += &line(&Line { claim: record.card.id.into(), row });
            }
        }
        text
    }

    /// Reads what [`Evidence::to_lines`] wrote; `file` is for messages.
    pub fn from_lines(text: &str, file: &Path, register: &[Box<dyn Claim>]) -> Result<Self> {
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let (number, first) = lines.next().unwrap_or((1, ""));
        let Version { schema } = parsed(first, number, file)?;
        if schema != SCHEMA {
            let problem = format!("it has the format {schema}, not {SCHEMA}; gather the evidence anew");
            return Err(Error::Store { path: file.into(), problem });
        }
        let header: Header = parsed(first, number, file)?;
        let known = |id: &String| match find(register, id) {
            Ok(claim) => Ok(claim.card()),
            Err(_) => Err(Error::Store {
                path: file.into(),
                problem: format!(
                    "it is about the claim {id}, which this version does not have; gather the evidence anew"
                ),
            }),
        };
        let cards: Vec<&'static Card> = header.claims.iter().map(known).collect::<Result<_>>()?;
        let mut rows: Vec<Vec<Row>> = vec![Vec::new(); cards.len()];
        for (number, text) in lines {
            let Line { claim, row } = parsed(text, number, file)?;
            let Some(at) = cards.iter().position(|card| card.id == claim) else {
                return Err(unreadable(file, number, "the first line does not name its claim"));
            };
            rows[at].push(row);
        }
        let record = |(card, rows): (&&'static Card, Vec<Row>)| match header.without_evidence.get(card.id) {
            Some(reason) => Record::without_evidence(card, reason.clone()),
            None => Record::new(card, rows),
        };
        let records = cards.iter().zip(rows).map(record).collect();
        Ok(Self { preset: header.preset, provenance: header.provenance, records })
    }
}

fn line(value: &impl Serialize) -> String {
    // Keys are strings throughout, and a number that is not finite is written as null.
    serde_json::to_string(value).expect("evidence is plain data") + "\n"
}

fn parsed<'a, T: Deserialize<'a>>(line: &'a str, number: usize, file: &Path) -> Result<T> {
    serde_json::from_str(line).map_err(|error| unreadable(file, number, error))
}

fn unreadable(file: &Path, number: usize, reason: impl std::fmt::Display) -> Error {
    let problem = format!("line {number} is not evidence of a claim ({reason}); gather the evidence anew");
    Error::Store { path: file.into(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::register;
    use crate::measured::Measured;

    fn file() -> &'static Path {
        Path::new("claims.jsonl")
    }

    #[test]
    fn evidence_survives_a_file_to_the_bit() {
        let register = register();
        let rows = vec![
            Row::equal("a", "b", Measured::known_to(0.1 + 0.2, 1e-9).sampled(1e-3), Measured::exact(0.3))
                .at("s", 2.0),
            Row::at_most("c", "d", Measured::exact(f64::NAN), Measured::exact(f64::MIN_POSITIVE))
                .on_scale(0.5),
            Row::at_least("e", "f", Measured::exact(1.0), Measured::exact(f64::NAN)).at("s", f64::INFINITY),
        ];
        let failed = Record::without_evidence(register[1].card(), "the reason".into());
        let records = vec![Record::new(register[0].card(), rows), failed];
        let evidence = Evidence { preset: Preset::Quick, provenance: None, records };
        let again = Evidence::from_lines(&evidence.to_lines(), file(), &register).unwrap();
        assert_eq!(again.to_lines(), evidence.to_lines());
        assert_eq!(again.preset, Preset::Quick);
        assert_eq!(again.records[0].rows[0], evidence.records[0].rows[0]);
        assert!(again.records[0].rows[1].measured.value.is_nan());
        assert_eq!(again.records[1].verdict.remark(), Some("the reason"));
    }

    #[test]
    fn what_cannot_be_read_is_named_by_its_line() {
        let read = |text: &str| Evidence::from_lines(text, file(), &register()).unwrap_err().to_string();
        let header = r#"{"schema":1,"preset":"quick","claims":["tweedie"]}"#;
        assert!(read("").contains("line 1"));
        assert!(read(&header.replace(":1", ":7")).contains("format 7"));
        assert!(read(&header.replace("tweedie", "tweedy")).contains("does not have"));
        assert!(read(&format!("{header}\n{{\"claim\":\"tweedie\"}}\n")).contains("line 2"));
    }
}
