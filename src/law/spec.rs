//! Laws as text: a TOML file or an inline table such as `{ kind = "gaussian", mean = [0, 0], std = 1 }`.
//!
//! | kind | keys |
//! |---|---|
//! | `gaussian` | `mean`, and `cov` or `std` |
//! | `mixture` | `means`, `covs` or `std`, and `weights` (equal when absent) |
//! | `atoms` | `points`, and `weights` (equal when absent) |
//! | `laplace` | `mean`, `scale` |
//! | `uniform` | `low`, `high` |
//!
//! On the line a number may stand for a list of one number. A [`Law`] can also be a field of any serde structure.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use nalgebra::DMatrix;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use toml::de::ValueDeserializer;

use super::{Atoms, Gaussian, Laplace, Law, Mixture, Uniform};
use crate::error::{Error, Result};

#[derive(Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum KindName {
    Gaussian,
    Mixture,
    Atoms,
    Laplace,
    Uniform,
}

/// Every kind of law by its name, with the keys of its table besides `kind`.
#[cfg(feature = "study")]
pub(crate) fn kinds() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    use KindName::{Atoms, Gaussian, Laplace, Mixture, Uniform};
    [Gaussian, Mixture, Atoms, Laplace, Uniform].into_iter().map(|kind| (kind.text(), kind.keys()))
}

impl KindName {
    fn text(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Mixture => "mixture",
            Self::Atoms => "atoms",
            Self::Laplace => "laplace",
            Self::Uniform => "uniform",
        }
    }

    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Gaussian => &["mean", "cov", "std"],
            Self::Mixture => &["weights", "means", "covs", "std"],
            Self::Atoms => &["points", "weights"],
            Self::Laplace => &["mean", "scale"],
            Self::Uniform => &["low", "high"],
        }
    }
}

/// A law's table as it is written: all keys of all kinds.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: KindName,
    mean: Option<Row>,
    cov: Option<Rows>,
    std: Option<Number>,
    weights: Option<Row>,
    means: Option<Vec<Row>>,
    covs: Option<Vec<Rows>>,
    points: Option<Vec<Row>>,
    scale: Option<Number>,
    low: Option<Row>,
    high: Option<Row>,
}

/// What is read first: a law of another kind has other keys.
#[derive(serde::Deserialize)]
struct Kind {
    #[serde(rename = "kind")]
    _name: KindName,
}

/// A number, integers included.
#[derive(Clone, Copy)]
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Single;
        impl Visitor<'_> for Single {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E: de::Error>(self, x: f64) -> std::result::Result<Number, E> {
                Ok(Number(x))
            }

            fn visit_i64<E: de::Error>(self, x: i64) -> std::result::Result<Number, E> {
                self.visit_f64(x as f64)
            }
        }
        deserializer.deserialize_any(Single)
    }
}

/// A list of numbers, or one number for a list of one.
struct Row(Vec<Number>);

/// A list of rows, or one number for a one-by-one matrix.
struct Rows(Vec<Row>);

macro_rules! number_or_list {
    ($type:ident, $element:ty, $expecting:literal, $single:expr) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
                struct Either;
                impl<'de> Visitor<'de> for Either {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                        f.write_str($expecting)
                    }

                    fn visit_f64<E: de::Error>(self, x: f64) -> std::result::Result<$type, E> {
                        Ok($type(vec![$single(x)]))
                    }

                    fn visit_i64<E: de::Error>(self, x: i64) -> std::result::Result<$type, E> {
                        self.visit_f64(x as f64)
                    }

                    fn visit_seq<A: SeqAccess<'de>>(
                        self,
                        mut list: A,
                    ) -> std::result::Result<$type, A::Error> {
                        let mut elements = Vec::new();
                        while let Some(element) = list.next_element::<$element>()? {
                            elements.push(element);
                        }
                        Ok($type(elements))
                    }
                }
                deserializer.deserialize_any(Either)
            }
        }
    };
}

number_or_list!(Row, Number, "a number or a list of numbers", Number);
number_or_list!(Rows, Row, "a number or a list of rows, each a list of numbers", |x| Row(vec![Number(x)]));

impl Row {
    fn numbers(self) -> Vec<f64> {
        self.0.into_iter().map(|number| number.0).collect()
    }

    /// The one number of a row of a law that lives on the line.
    fn single(self, kind: KindName, key: &str) -> Result<f64> {
        match self.0[..] {
            [Number(x)] => Ok(x),
            _ => Err(kind.invalid(format!(
                "`{key}` has {} entries, but this law lives on the line: give one number",
                self.0.len()
            ))),
        }
    }
}

impl Rows {
    fn matrix(self, kind: KindName) -> Result<DMatrix<f64>> {
        let (rows, columns) = (self.0.len(), self.0.first().map_or(0, |row| row.0.len()));
        if let Some(at) = self.0.iter().position(|row| row.0.len() != columns) {
            let found = self.0[at].0.len();
            return Err(kind
                .invalid(format!("row {at} of a covariance has {found} entries, but row 0 has {columns}")));
        }
        Ok(DMatrix::from_row_iterator(rows, columns, self.0.into_iter().flat_map(Row::numbers)))
    }
}

impl KindName {
    fn invalid(self, problem: String) -> Error {
        Error::InvalidLaw { kind: self.text(), problem }
    }

    fn needed<T>(self, value: Option<T>, key: &str) -> Result<T> {
        let usage = || {
            let keys = self.keys().join("`, `");
            format!("the key `{key}` is missing; the keys of this kind are `kind`, `{keys}`")
        };
        value.ok_or_else(|| self.invalid(usage()))
    }
}

impl Table {
    fn given(&self) -> [(&'static str, bool); 10] {
        [
            ("mean", self.mean.is_some()),
            ("cov", self.cov.is_some()),
            ("std", self.std.is_some()),
            ("weights", self.weights.is_some()),
            ("means", self.means.is_some()),
            ("covs", self.covs.is_some()),
            ("points", self.points.is_some()),
            ("scale", self.scale.is_some()),
            ("low", self.low.is_some()),
            ("high", self.high.is_some()),
        ]
    }

    /// Refuses keys that belong to another kind, and a covariance given twice.
    fn check_keys(&self) -> Result<()> {
        let keys = self.kind.keys();
        let foreign = self.given().into_iter().find(|(key, given)| *given && !keys.contains(key));
        if let Some((key, _)) = foreign {
            let keys = keys.join("`, `");
            return Err(self
                .kind
                .invalid(format!("it has no key `{key}`; the keys of this kind are `kind`, `{keys}`")));
        }
        if self.std.is_some() && (self.cov.is_some() || self.covs.is_some()) {
            return Err(self.kind.invalid("it has both a covariance and `std`; give one of them".into()));
        }
        Ok(())
    }

    fn law(self) -> Result<Law> {
        self.check_keys()?;
        let kind = self.kind;
        Ok(match kind {
            KindName::Gaussian => Law::Gaussian(self.gaussian()?),
            KindName::Mixture => Law::Mixture(self.mixture()?),
            KindName::Atoms => Law::Atoms(self.atoms()?),
            KindName::Laplace => {
                let mean = kind.needed(self.mean, "mean")?.single(kind, "mean")?;
                Law::Laplace(Laplace::new(mean, kind.needed(self.scale, "scale")?.0)?)
            }
            KindName::Uniform => {
                let low = kind.needed(self.low, "low")?.single(kind, "low")?;
                Law::Uniform(Uniform::new(low, kind.needed(self.high, "high")?.single(kind, "high")?)?)
            }
        })
    }

    fn gaussian(self) -> Result<Gaussian> {
        let mean = self.kind.needed(self.mean, "mean")?.numbers();
        match self.cov {
            Some(cov) => Gaussian::new(mean, cov.matrix(self.kind)?),
            None => Gaussian::isotropic(mean, self.kind.needed(self.std, "cov` or `std")?.0),
        }
    }

    fn mixture(self) -> Result<Mixture> {
        let kind = self.kind;
        let means = kind.needed(self.means, "means")?;
        let weights = self.weights.map_or_else(|| equal(means.len()), Row::numbers);
        let components: Result<Vec<Gaussian>> = match self.covs {
            Some(covs) if covs.len() != means.len() => {
                return Err(kind.invalid(format!(
                    "it has {} means, but {} covariances",
                    means.len(),
                    covs.len()
                )));
            }
            Some(covs) => {
                let pairs = means.into_iter().zip(covs);
                let component = |(mean, cov): (Row, Rows)| Gaussian::new(mean.numbers(), cov.matrix(kind)?);
                pairs.map(component).enumerate().map(in_mixture).collect()
            }
            None => {
                let std = kind.needed(self.std, "covs` or `std")?.0;
                let component = |mean: Row| Gaussian::isotropic(mean.numbers(), std);
                means.into_iter().map(component).enumerate().map(in_mixture).collect()
            }
        };
        Mixture::new(weights, components?)
    }

    fn atoms(self) -> Result<Atoms> {
        let points = self.kind.needed(self.points, "points")?;
        let weights = self.weights.map_or_else(|| equal(points.len()), Row::numbers);
        Atoms::new(points.into_iter().map(Row::numbers).collect(), weights)
    }
}

/// `1/n` each.
fn equal(n: usize) -> Vec<f64> {
    vec![1.0 / n as f64; n]
}

/// Says which component of a mixture is not valid.
fn in_mixture((at, component): (usize, Result<Gaussian>)) -> Result<Gaussian> {
    component.map_err(|error| match error {
        Error::InvalidLaw { problem, .. } => {
            KindName::Mixture.invalid(format!("in component {at}, {problem}"))
        }
        other => other,
    })
}

impl<'de> Deserialize<'de> for Law {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Table::deserialize(deserializer)?.law().map_err(de::Error::custom)
    }
}

impl Law {
    /// Reads a law from an inline table, or from the TOML file of that name when the text does not begin with `{`.
    ///
    /// ```
    /// use ebflow::law::Law;
    /// assert_eq!(Law::parse(r#"{ kind = "uniform", low = -1, high = 1 }"#)?.dimension(), 1);
    /// let error = Law::parse(r#"{ kind = "uniform", low = -1, hihg = 1 }"#).unwrap_err().to_string();
    /// assert!(error.contains("hihg") && error.contains("line 1, column 31"), "{error}");
    /// # Ok::<(), ebflow::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let unreadable = |problem: String| Error::UnreadableLaw { text: text.into(), problem };
        if text.trim_start().starts_with('{') {
            return read(text, || ValueDeserializer::parse(text)).map_err(unreadable)?.law();
        }
        let content =
            std::fs::read_to_string(Path::new(text)).map_err(|error| unreadable(no_text(&error)))?;
        read(&content, || toml::Deserializer::parse(&content)).map_err(unreadable)?.law()
    }
}

/// Reads the kind first, so that a complaint about it comes before one about the keys of another kind.
fn read<'de, D>(
    text: &str,
    parser: impl Fn() -> std::result::Result<D, toml::de::Error>,
) -> std::result::Result<Table, String>
where
    D: Deserializer<'de, Error = toml::de::Error>,
{
    let kind = parser().and_then(Kind::deserialize);
    kind.and_then(|_| parser()).and_then(Table::deserialize).map_err(|error| located(&error, text))
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

/// The parser's message on one line, in our words, with the position.
fn located(error: &toml::de::Error, content: &str) -> String {
    let message = in_words(error.message().replace('\n', ", "));
    let Some(span) = error.span() else { return message };
    let before = content.get(..span.start).unwrap_or(content);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("line {line}, column {column}: {message}")
}

/// Messages of the parser, said for people.
pub(crate) fn in_words(message: String) -> String {
    const KINDS: [(&str, &str); 5] = [
        ("sequence", "a list"),
        ("map", "a table"),
        ("string", "the string"),
        ("boolean", "the truth value"),
        ("integer", "the integer"),
    ];
    if let Some((found, expected)) =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "))
    {
        let known = KINDS.iter().find(|(kind, _)| found.starts_with(kind));
        let found = known.map_or_else(|| found.to_owned(), |(kind, word)| found.replacen(kind, word, 1));
        return format!("this should be {expected}, but it is {found}");
    }
    let kinds =
        message.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected one of "));
    match kinds {
        Some((kind, known)) => format!("there is no law of kind {kind}; the kinds are {known}"),
        None => message.replace("missing field", "there is no key"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Law::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn integers_and_scalars_are_welcome() {
        let laws = [
            r#"{ kind = "gaussian", mean = 0, std = 1 }"#,
            r#"{ kind = "gaussian", mean = [0], cov = 1 }"#,
            r#"{ kind = "gaussian", mean = 0, cov = [[1]] }"#,
        ];
        for text in laws {
            assert_eq!(Law::parse(text).unwrap(), Law::parse(laws[0]).unwrap());
        }
        let equal = Law::parse(r#"{ kind = "mixture", means = [-1, 1], covs = [0.25, 0.25] }"#).unwrap();
        let spelt = r#"{ kind = "mixture", weights = [0.5, 0.5], means = [[-1], [1]], std = 0.5 }"#;
        assert_eq!(equal, Law::parse(spelt).unwrap());
    }

    #[test]
    fn files_and_fields_are_read_too() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("law.toml");
        std::fs::write(&path, "# a coin\nkind = \"atoms\"\npoints = [-1, 1]\n").unwrap();
        assert_eq!(Law::parse(path.to_str().unwrap()).unwrap().kind_name(), "atoms");
        std::fs::write(&path, "kind = \"atoms\"\npoints = [-1, \"one\"]\n").unwrap();
        let error = refusal(path.to_str().unwrap());
        assert!(error.contains("line 2, column 15") && error.contains("a number"), "{error}");
        #[derive(Debug, serde::Deserialize)]
        struct Study {
            law: Law,
        }
        let study: Study = toml::from_str("law = { kind = \"laplace\", mean = 0, scale = 1 }").unwrap();
        assert_eq!(study.law.kind_name(), "laplace");
        let error =
            toml::from_str::<Study>("\nlaw = { kind = \"laplace\", mean = 0, scale = 0 }").unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }

    #[test]
    fn refusals_say_what_to_do() {
        let cases = [
            (r#"{ kind = "gauss", mean = 0 }"#, "`gaussian`, `mixture`"),
            (r#"{ kind = "gaussian", mean = 0, sdt = 1 }"#, "column 32: unknown field `sdt`"),
            (
                r#"{ kind = "gaussian", mean = 0, scale = 1 }"#,
                "no key `scale`; the keys of this kind are `kind`, `mean`",
            ),
            (r#"{ kind = "gaussian", mean = 0 }"#, "`cov` or `std` is missing"),
            (r#"{ kind = "gaussian", mean = 0, std = 1, cov = 1 }"#, "both a covariance and `std`"),
            (r#"{ kind = "gaussian", mean = [0, 0], cov = 1 }"#, "must be 2×2, but it is 1×1"),
            (
                r#"{ kind = "gaussian", mean = [0, 0], cov = [[1, 0], [0]] }"#,
                "row 1 of a covariance has 1 entries",
            ),
            (r#"{ kind = "gaussian", mean = [0, nan], std = 1 }"#, "NaN"),
            (r#"{ kind = "gaussian", mean = [], std = 1 }"#, "empty"),
            (r#"{ kind = "mixture", means = [[0, 0], [1]], std = 1 }"#, "component 1 has dimension 1"),
            (r#"{ kind = "mixture", means = [0, 1], covs = [1] }"#, "2 means, but 1 covariances"),
            (r#"{ kind = "mixture", means = [], std = 1 }"#, "no components"),
            (
                r#"{ kind = "mixture", means = [0, inf], std = 1 }"#,
                "the mixture law is not valid: in component 1, the mean",
            ),
            (r#"{ kind = "laplace", mean = 0, scale = 1e200 }"#, "overflow"),
            (r#"{ kind = "atoms", points = [[0, 1], [2]] }"#, "point 1 has 1 coordinates"),
            (r#"{ kind = "atoms", points = [0, 1], weights = [0.5, 0.6] }"#, "divide them by their sum"),
            (r#"{ kind = "laplace", mean = [0, 1], scale = 1 }"#, "lives on the line"),
            (r#"{ kind = "uniform", low = 1, high = 0 }"#, "low must be below high"),
            (r#"{ kind = "uniform", low = 1"#, "line 1, column"),
            (
                "nowhere.toml",
                "there is no such file; a law is a TOML file, or an inline table, which would begin with {",
            ),
            (
                r#"{ kind = "stedent", df = 3 }"#,
                "there is no law of kind `stedent`; the kinds are `gaussian`",
            ),
            (r#"{ df = 3 }"#, "there is no key `kind`"),
            (
                r#"{ kind = "uniform", low = [0, 0], high = [1, 1] }"#,
                "`low` has 2 entries, but this law lives on the line",
            ),
            (r#"{ kind = "gaussian", mean = 0, std = [1] }"#, "this should be a number, but it is a list"),
            (
                r#"{ kind = "gaussian", mean = "0", std = 1 }"#,
                "this should be a number or a list of numbers, but it is the string \"0\"",
            ),
        ];
        for (text, expected) in cases {
            let error = refusal(text);
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
