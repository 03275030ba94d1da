//! Laws as text: a TOML file or an inline table such as `{ kind = "gaussian", mean = [0, 0], std = 1 }`.
//!
//! | kind | keys |
//! |---|---|
//! | `gaussian` | `mean`, and `cov` or `std` |
//! | `mixture` | `means`, `covs` or `std`, and `weights` (equal when absent) |
//! | `atoms` | `points` or `file`, and `weights` (equal when absent; a list or a file) |
//! | `laplace` | `mean`, `scale`; in more dimensions independent coordinates |
//! | `uniform` | `low`, `high`; in more dimensions a box |
//! | `student` | `df`, `mean`, `scale`, on the line |
//!
//! On the line a number may stand for a list of one number. Files are `.npy`, `.npz` or `.csv`; their paths are those of the command line, not of the
//! TOML file. What is wrong is shown with its line, a caret and the remedy. A [`Law`] can also be a field of any serde structure.

use std::io::ErrorKind;
use std::path::Path;

use nalgebra::DMatrix;
use serde::de::{self, Deserialize, Deserializer};

use super::{Atoms, Gaussian, Laplace, Law, Mixture, Product, Student, Uniform};
use crate::error::{Error, Result};
use crate::files::document::{Complaints, Diagnostic, Node, Reader, Source, SpecError, Tree};
use crate::files::{read_cloud, read_weights};

/// A kind of law, as its table is written.
#[derive(Clone, Copy)]
pub(crate) struct KindEntry {
    pub name: &'static str,
    /// Its keys besides `kind`.
    pub keys: &'static [&'static str],
    pub says: &'static str,
    build: fn(&Table<'_>) -> Option<Law>,
}

/// Every kind of law that can be written.
const KINDS: [KindEntry; 6] = [
    KindEntry {
        name: "gaussian",
        keys: &["mean", "cov", "std"],
        says: "the normal law of mean `mean` and covariance `cov`, or `std`² in every direction",
        build: |table| table.gaussian(),
    },
    KindEntry {
        name: "mixture",
        keys: &["weights", "means", "covs", "std"],
        says: "normal laws of means `means` and covariances `covs`, or `std`² in every direction; `weights` are equal without the key",
        build: |table| table.mixture(),
    },
    KindEntry {
        name: "atoms",
        keys: &["points", "file", "weights"],
        says: "finitely many points, listed or in a `.npy`, `.npz` or `.csv` file; `weights` are a list or such a file, and equal without the key",
        build: |table| table.atoms(),
    },
    KindEntry {
        name: "laplace",
        keys: &["mean", "scale"],
        says: "density e^(−|x − mean|/scale)/(2 scale) on the line, or independent coordinates of this kind",
        build: |table| table.laplace(),
    },
    KindEntry {
        name: "uniform",
        keys: &["low", "high"],
        says: "uniform on the interval [low, high], or on a box with these corners",
        build: |table| table.uniform(),
    },
    KindEntry {
        name: "student",
        keys: &["df", "mean", "scale"],
        says: "mean + scale·T on the line, T Student's t of `df` > 2 degrees of freedom",
        build: |table| table.student(),
    },
];

/// Every kind of law.
#[cfg(feature = "study")]
pub(crate) fn kinds() -> impl Iterator<Item = KindEntry> {
    KINDS.into_iter()
}

/// Reads a law from its table, which complaints call by a name.
pub(crate) fn read(tree: &Tree, name: &'static str, complaints: &Complaints) -> Option<Law> {
    let reader = Reader::of(tree, name, complaints)?;
    let names = KINDS.map(|kind| (kind.name, kind));
    let kind = reader.needed("kind", "say which law: kind = \"gaussian\"")?;
    let entry = reader.one_of(kind, "kind of law", &names)?;
    for key in entry.keys {
        reader.entry(key);
    }
    let table = Table { reader, tree, kind: entry };
    let law = (entry.build)(&table);
    if table.reader.finish() { law } else { None }
}

/// The table of a law of a known kind.
struct Table<'a> {
    reader: Reader<'a>,
    tree: &'a Tree,
    kind: KindEntry,
}

impl<'a> Table<'a> {
    fn needed(&self, key: &'static str, remedy: &str) -> Option<&'a Tree> {
        self.reader.needed(key, remedy)
    }

    /// One of two keys; both are one too many.
    fn either(
        &self,
        first: &'static str,
        second: &'static str,
        remedy: &str,
    ) -> Option<[Option<&'a Tree>; 2]> {
        let pair = [self.reader.value(first), self.reader.value(second)];
        match pair {
            [Some(_), Some(tree)] => self.reader.refuse(
                tree,
                format!("given beside `{first}`"),
                format!("keep `{first}` or `{second}`"),
            ),
            [None, None] => {
                self.reader.lacks(&[first, second], remedy);
                None
            }
            _ => Some(pair),
        }
    }

    /// A finite number.
    fn number(&self, tree: &Tree) -> Option<f64> {
        let number = self.reader.number(tree)?;
        if number.is_finite() {
            return Some(number);
        }
        self.reader.refuse(tree, "not finite".into(), "write a number such as 0.5 or 1e-3".into())
    }

    /// Numbers, or a single one.
    fn row(&self, tree: &'a Tree) -> Option<Vec<f64>> {
        self.reader.list(tree)?.iter().map(|item| self.number(item)).collect()
    }

    /// Rows of one length; a number counts as a row of one.
    fn rows(&self, tree: &'a Tree) -> Option<Vec<Vec<f64>>> {
        let items = self.reader.list(tree)?;
        let rows: Vec<Vec<f64>> = items.iter().map(|item| self.row(item)).collect::<Option<_>>()?;
        let first = rows[0].len();
        match rows.iter().position(|row| row.len() != first) {
            None => Some(rows),
            Some(at) => {
                let problem = format!("{} where the first has {first}", counted(rows[at].len()));
                self.reader.refuse(
                    &items[at],
                    problem,
                    "give all of them the same number of coordinates".into(),
                )
            }
        }
    }

    fn matrix(&self, tree: &'a Tree) -> Option<DMatrix<f64>> {
        let rows = self.rows(tree)?;
        Some(DMatrix::from_row_iterator(rows.len(), rows[0].len(), rows.into_iter().flatten()))
    }

    /// Weights by the key of that name, for so many things; equal without it.
    fn weights(&self, count: usize, things: &str) -> Option<Vec<f64>> {
        let Some(tree) = self.reader.value("weights") else { return Some(vec![1.0 / count as f64; count]) };
        let weights = match &tree.node {
            Node::Text(path) => self.file(tree, read_weights(Path::new(path)))?,
            _ => self.row(tree)?,
        };
        if weights.len() == count {
            return Some(weights);
        }
        let problem = format!("{} weights for {count} {things}", weights.len());
        self.reader.refuse(
            tree,
            problem,
            format!("give {count} of them, or leave the key out: equal weights"),
        )
    }

    /// What a file held, or a complaint about its name.
    fn file<T>(&self, tree: &Tree, read: Result<T>) -> Option<T> {
        match read {
            Ok(content) => Some(content),
            Err(error) => {
                let here = std::env::current_dir()
                    .map_or_else(|_| ".".into(), |folder| folder.display().to_string());
                let remedy = format!("paths are relative to the working directory, {here}");
                self.reader.refuse(tree, error.to_string(), remedy)
            }
        }
    }

    /// What a constructor made; its complaint points at the first of the keys whose name its message has, else at the table.
    fn built<T>(&self, built: Result<T>, keys: &[&'static str]) -> Option<T> {
        let problem = match built {
            Ok(law) => return Some(law),
            Err(Error::InvalidLaw { problem, .. }) => problem,
            Err(other) => other.to_string(),
        };
        let named = keys.iter().filter(|key| problem.contains(key.trim_end_matches('s')));
        let tree = named.chain(keys).find_map(|key| self.reader.value(key)).unwrap_or(self.tree);
        self.reader.refuse(
            tree,
            problem,
            format!("see what a law of kind {} needs: {}", self.kind.name, self.kind.says),
        )
    }

    fn gaussian(&self) -> Option<Law> {
        let mean =
            self.needed("mean", "give the mean: mean = 0, or mean = [0, 0]").and_then(|tree| self.row(tree));
        let [cov, std] =
            self.either("cov", "std", "say how wide it is: std = 1, or cov = [[1, 0], [0, 2]]")?;
        let mean = mean?;
        let d = mean.len();
        let law = match (cov, std) {
            (Some(cov), _) => {
                let matrix = self.square(cov, d)?;
                self.built(Gaussian::new(mean, matrix), &["cov", "mean"])
            }
            (None, Some(std)) => {
                let std = self.number(std)?;
                self.built(Gaussian::isotropic(mean, std), &["std", "mean"])
            }
            (None, None) => None,
        };
        law.map(Law::Gaussian)
    }

    /// A covariance of so many dimensions.
    fn square(&self, tree: &'a Tree, d: usize) -> Option<DMatrix<f64>> {
        let matrix = self.matrix(tree)?;
        if matrix.shape() == (d, d) {
            return Some(matrix);
        }
        let (rows, columns) = matrix.shape();
        let problem = format!("{rows}×{columns}, but the mean has dimension {d}");
        self.reader.refuse(tree, problem, format!("a covariance must be {d}×{d}"))
    }

    fn mixture(&self) -> Option<Law> {
        let means = self
            .needed("means", "give the means: means = [[-1, 0], [1, 0]]")
            .and_then(|tree| self.rows(tree));
        let [covs, std] =
            self.either("covs", "std", "say how wide the components are: std = 0.1, or covs = […]")?;
        let means = means?;
        let (count, d) = (means.len(), means[0].len());
        let covariances = match (covs, std) {
            (Some(covs), _) => {
                let list = self.reader.list(covs)?;
                if list.len() != count {
                    let problem = format!("{} covariances for {count} means", list.len());
                    return self.reader.refuse(
                        covs,
                        problem,
                        "give one for each mean, or `std` for all".into(),
                    );
                }
                list.iter().map(|tree| Some((tree, self.square(tree, d)?))).collect::<Option<Vec<_>>>()?
            }
            (None, Some(tree)) => {
                let std = self.number(tree)?;
                self.built(Gaussian::isotropic(vec![0.0; d], std), &["std"])?;
                vec![(tree, DMatrix::from_diagonal_element(d, d, std * std)); count]
            }
            (None, None) => return None,
        };
        let mut components = Vec::new();
        for (mean, (tree, covariance)) in means.into_iter().zip(covariances) {
            match Gaussian::new(mean, covariance) {
                Ok(component) => components.push(component),
                Err(error) => {
                    return self.reader.refuse(tree, error.to_string(), "mend this component".into());
                }
            }
        }
        let weights = self.weights(count, "means")?;
        self.built(Mixture::new(weights, components), &["weights", "means"]).map(Law::Mixture)
    }

    fn atoms(&self) -> Option<Law> {
        let [points, file] = self.either(
            "points",
            "file",
            "list the points, points = [[0, 1], [2, 3]], or name a file: file = \"clean.npy\"",
        )?;
        let points = match (points, file) {
            (Some(tree), _) => self.rows(tree)?,
            (None, Some(tree)) => {
                let cloud = self.file(tree, read_cloud(Path::new(self.reader.text(tree)?)))?;
                cloud.rows().map(<[f64]>::to_vec).collect()
            }
            (None, None) => return None,
        };
        let weights = self.weights(points.len(), "points")?;
        self.built(Atoms::new(points, weights), &["weights", "points", "file"]).map(Law::Atoms)
    }

    /// As many numbers as there are coordinates; a single one stands for all.
    fn spread(&self, tree: &'a Tree, d: usize, beside: &str) -> Option<Vec<f64>> {
        let row = self.row(tree)?;
        match row[..] {
            [single] => Some(vec![single; d]),
            _ if row.len() == d => Some(row),
            _ => {
                let problem = format!("{} beside {d} of `{beside}`", counted(row.len()));
                self.reader.refuse(tree, problem, "give as many, or a single one for all".into())
            }
        }
    }

    fn laplace(&self) -> Option<Law> {
        let factors =
            self.pairs(["mean", "scale"], ["give the mean: mean = 0", "give the scale: scale = 1"])?;
        let factor = |(mean, scale)| Laplace::new(mean, scale).map(Law::Laplace);
        self.product(factors.into_iter().map(factor), &["scale", "mean"])
    }

    fn uniform(&self) -> Option<Law> {
        let ends =
            self.pairs(["low", "high"], ["give the left end: low = -1", "give the right end: high = 1"])?;
        let factor = |(low, high)| Uniform::new(low, high).map(Law::Uniform);
        self.product(ends.into_iter().map(factor), &["low", "high"])
    }

    /// Two numbers for every coordinate.
    fn pairs(&self, [a, b]: [&'static str; 2], remedies: [&str; 2]) -> Option<Vec<(f64, f64)>> {
        let trees = [self.needed(a, remedies[0]), self.needed(b, remedies[1])];
        let rows = trees.map(|tree| tree.and_then(|tree| self.row(tree)));
        let ([Some(first), Some(second)], [Some(one), Some(other)]) = (&rows, trees) else { return None };
        let d = first.len().max(second.len());
        let (first, second) = (self.spread(one, d, b)?, self.spread(other, d, a)?);
        Some(first.into_iter().zip(second).collect())
    }

    /// Independent coordinates; on the line the law itself.
    fn product(&self, factors: impl Iterator<Item = Result<Law>>, keys: &[&'static str]) -> Option<Law> {
        let mut factors = self.built(factors.collect::<Result<Vec<Law>>>(), keys)?;
        match factors.len() {
            1 => factors.pop(),
            _ => self.built(Product::new(factors), keys).map(Law::Product),
        }
    }

    fn student(&self) -> Option<Law> {
        let freedom =
            self.needed("df", "give the degrees of freedom: df = 5").and_then(|tree| self.number(tree));
        let mean = self.needed("mean", "give the centre: mean = 0").and_then(|tree| self.on_line(tree));
        let scale = self.needed("scale", "give the scale: scale = 1").and_then(|tree| self.on_line(tree));
        self.built(Student::new(freedom?, mean?, scale?), &["df", "scale", "mean"]).map(Law::Student)
    }

    fn on_line(&self, tree: &'a Tree) -> Option<f64> {
        match self.row(tree)?[..] {
            [number] => Some(number),
            _ => self.reader.refuse(
                tree,
                "several numbers".into(),
                "this law lives on the line: give one".into(),
            ),
        }
    }
}

/// `2 coordinates`.
fn counted(count: usize) -> String {
    crate::error::counted(count, "number")
}

impl<'de> Deserialize<'de> for Law {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let tree = Tree::of_value(toml::Value::deserialize(deserializer)?);
        law_of(&tree).map_err(|complaints| {
            let said: Vec<String> = complaints.iter().map(Diagnostic::sentence).collect();
            de::Error::custom(said.join("; "))
        })
    }
}

fn law_of(tree: &Tree) -> std::result::Result<Law, Vec<Diagnostic>> {
    let complaints = Complaints::default();
    let law = read(tree, "the law", &complaints);
    let complaints = complaints.into_inner();
    match law {
        Some(law) if complaints.is_empty() => Ok(law),
        _ => Err(complaints),
    }
}

impl Law {
    /// Reads a law from an inline table, or from the TOML file of that name when the text does not begin with `{`.
    ///
    /// ```
    /// use ebflow::law::Law;
    /// assert_eq!(Law::parse(r#"{ kind = "uniform", low = -1, high = 1 }"#)?.dimension(), 1);
    /// let error = Law::parse(r#"{ kind = "uniform", low = -1, hihg = 1 }"#).unwrap_err().to_string();
    /// assert!(error.contains(":1:31") && error.contains("did you mean `high`?"), "{error}");
    /// # Ok::<(), ebflow::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let unreadable = |problem: String| Error::UnreadableLaw { text: text.into(), problem };
        let (name, content, tree) = if text.trim_start().starts_with('{') {
            ("the law", text.to_owned(), Tree::parse_value(text.trim_end(), 0))
        } else {
            let content =
                std::fs::read_to_string(Path::new(text)).map_err(|error| unreadable(no_text(&error)))?;
            let tree = Tree::parse(&content, 0);
            (text, content, tree)
        };
        let shown = |complaints| {
            let sources = vec![Source { name: name.into(), text: content.clone() }];
            unreadable(format!("\n{}", SpecError::new(sources, complaints)))
        };
        law_of(&tree.map_err(|complaint| shown(vec![complaint]))?).map_err(shown)
    }
}

/// Why a file has no text to read.
fn no_text(error: &std::io::Error) -> String {
    let law = "a law is a TOML file, or an inline table, which would begin with {";
    match error.kind() {
        ErrorKind::NotFound => format!("there is no such file; {law}"),
        ErrorKind::InvalidData => format!("this file is not text; {law}"),
        _ => format!("it cannot be read ({error}); {law}"),
    }
}

#[cfg(test)]
mod tests;
