//! [`Formula`] and [`Condition`]: arithmetic in text, evaluated with error bars.
//!
//! ```text
//! formula   = ["-"] term { ("+" | "-") term }          condition  = conjunction { "or" conjunction }
//! term      = factor { ("*" | "/") factor }            conjunction = comparison { "and" comparison }
//! factor    = ["-"] atom ["^" factor]                  comparison = formula ("<" | "<=" | ">" | ">=") formula
//! atom      = number | name | function "(" formula ")" | "(" formula ")"
//! ```
//!
//! The grammar is small, and a reader of our own has what a crate for formulas would lack: the place of what is wrong, the names that are known,
//! powers as people write them (`-2^2` is `-4`, `2^3^2` is `2^9`), conditions, and values that are numbers with error bars.
//!
//! Functions are `sqrt exp ln log log10 abs`, `log` being the natural one; `pi` is a number. All other names are those that a caller knows;
//! one that it does not know is an error with its place and the nearest name.

mod parse;
mod token;

pub(crate) use parse::FUNCTIONS;

use std::ops::Range;

use crate::measured::Measured;

/// A number as a function of named numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Formula {
    root: Expression,
}

/// A comparison of formulas, or several of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    text: String,
    root: Truth,
}

/// What is wrong with a text, and where: a range of its bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FormulaError {
    pub span: Range<usize>,
    pub problem: String,
    pub remedy: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Expression {
    Number(f64),
    Name(String),
    Negative(Box<Expression>),
    Binary(Operation, Box<[Expression; 2]>),
    Call(Function, Box<Expression>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Plus,
    Minus,
    Times,
    Over,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Sqrt,
    Exp,
    Ln,
    Log10,
    Abs,
}

#[derive(Debug, Clone, PartialEq)]
enum Truth {
    Compare(Order, Box<[Expression; 2]>),
    Both(Box<[Truth; 2]>),
    Either(Box<[Truth; 2]>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Formula {
    /// Reads a formula in names that are known.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, FormulaError> {
        Ok(Self { root: parse::formula(text, names)? })
    }

    /// A number.
    pub fn constant(value: f64) -> Self {
        Self { root: Expression::Number(value) }
    }

    /// True when it speaks of one of the names that a caller means.
    pub fn has(&self, meant: &dyn Fn(&str) -> bool) -> bool {
        self.root.has(meant)
    }

    /// Its value, with the error bars that it has from those of its names. Not a number where a name has none.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<Measured>) -> Measured {
        self.root.value(of)
    }
}

impl Condition {
    /// Reads a condition in names that are known.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, FormulaError> {
        Ok(Self { text: text.to_owned(), root: parse::condition(text, names)? })
    }

    /// Whether it is met. A comparison with what is not a number is not.
    pub fn is_met(&self, of: &dyn Fn(&str) -> Option<Measured>) -> bool {
        self.root.is_met(of)
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Expression {
    fn has(&self, meant: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Name(name) => meant(name),
            Self::Negative(inner) | Self::Call(_, inner) => inner.has(meant),
            Self::Binary(_, sides) => sides.iter().any(|side| side.has(meant)),
        }
    }

    fn value(&self, of: &dyn Fn(&str) -> Option<Measured>) -> Measured {
        match self {
            Self::Number(value) => plain(*value),
            Self::Name(name) if name == "pi" => plain(std::f64::consts::PI),
            Self::Name(name) => of(name).unwrap_or(Measured::UNKNOWN),
            Self::Negative(inner) => -inner.value(of),
            Self::Call(function, inner) => function.value(inner.value(of)),
            Self::Binary(operation, sides) => {
                let [a, b] = [&sides[0], &sides[1]].map(|side| side.value(of));
                operation.value(a, b)
            }
        }
    }
}

/// A number that is taken as it is.
fn plain(value: f64) -> Measured {
    Measured { value, numerical: 0.0, sampling: 0.0 }
}

impl Operation {
    fn value(self, a: Measured, b: Measured) -> Measured {
        match self {
            Self::Plus => a + b,
            Self::Minus => a - b,
            Self::Times => a * b,
            Self::Over => a / b,
            Self::Power => power(a, b),
        }
    }
}

/// `a^b`, first order in the bars. An exponent without any needs no logarithm, so that the base may be negative.
fn power(a: Measured, b: Measured) -> Measured {
    let value = a.value.powf(b.value);
    let of_base = a.through(value, if b.value == 0.0 { 0.0 } else { b.value * a.value.powf(b.value - 1.0) });
    if b.numerical == 0.0 && b.sampling == 0.0 {
        return of_base;
    }
    let slope = (value * a.value.ln()).abs();
    of_base.widened(slope * b.numerical).sampled(of_base.sampling + slope * b.sampling)
}

impl Function {
    /// First order in the bars.
    fn value(self, x: Measured) -> Measured {
        let at = x.value;
        match self {
            Self::Sqrt => x.through(at.sqrt(), 0.5 / at.sqrt()),
            Self::Exp => x.through(at.exp(), at.exp()),
            Self::Ln => x.ln(),
            Self::Log10 => x.through(at.log10(), 1.0 / (at * std::f64::consts::LN_10)),
            Self::Abs => x.abs(),
        }
    }
}

impl Truth {
    fn is_met(&self, of: &dyn Fn(&str) -> Option<Measured>) -> bool {
        match self {
            Self::Both(parts) => parts.iter().all(|part| part.is_met(of)),
            Self::Either(parts) => parts.iter().any(|part| part.is_met(of)),
            Self::Compare(order, sides) => {
                let [a, b] = [&sides[0], &sides[1]].map(|side| side.value(of).value);
                order.holds(a, b)
            }
        }
    }
}

impl Order {
    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::AtMost => a <= b,
            Self::Greater => a > b,
            Self::AtLeast => a >= b,
        }
    }
}

#[cfg(test)]
mod tests;
