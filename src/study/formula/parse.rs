//! The grammar of formulas, by recursive descent.

use super::token::{Placed, Token, tokens};
use super::{Expression, FormulaError, Function, Operation, Order, Truth};
use crate::error::nearest;

/// Functions and constants, which need no declaration.
pub(crate) const FUNCTIONS: [(&str, Function); 6] = [
    ("sqrt", Function::Sqrt),
    ("exp", Function::Exp),
    ("ln", Function::Ln),
    ("log", Function::Ln),
    ("log10", Function::Log10),
    ("abs", Function::Abs),
];
const CONSTANT: &str = "pi";

const ORDERS: [(&str, Order); 4] =
    [("<", Order::Less), ("<=", Order::AtMost), (">", Order::Greater), (">=", Order::AtLeast)];

/// Formulas nested deeper than this are refused: nobody writes them.
const DEEPEST: usize = 64;

/// Reads a formula to its end.
pub(super) fn formula(text: &str, names: &[&str]) -> Result<Expression, FormulaError> {
    let mut parser = Parser::of(text, names)?;
    let root = parser.sum()?;
    parser.end().map(|()| root)
}

/// Reads a condition to its end.
pub(super) fn condition(text: &str, names: &[&str]) -> Result<Truth, FormulaError> {
    let mut parser = Parser::of(text, names)?;
    let root = parser.either()?;
    parser.end().map(|()| root)
}

struct Parser<'a> {
    tokens: Vec<Placed<'a>>,
    at: usize,
    depth: usize,
    length: usize,
    names: &'a [&'a str],
}

type Parsed<T> = Result<T, FormulaError>;

impl<'a> Parser<'a> {
    fn of(text: &'a str, names: &'a [&'a str]) -> Parsed<Self> {
        Ok(Self { tokens: tokens(text)?, at: 0, depth: 0, length: text.len(), names })
    }

    fn either(&mut self) -> Parsed<Truth> {
        let mut found = self.both()?;
        while self.takes_word("or") {
            found = Truth::Either(Box::new([found, self.both()?]));
        }
        Ok(found)
    }

    fn both(&mut self) -> Parsed<Truth> {
        let mut found = self.comparison()?;
        while self.takes_word("and") {
            found = Truth::Both(Box::new([found, self.comparison()?]));
        }
        Ok(found)
    }

    fn comparison(&mut self) -> Parsed<Truth> {
        let left = self.sum()?;
        match ORDERS.iter().find(|(symbol, _)| self.sees(symbol)) {
            Some((_, order)) => {
                self.at += 1;
                Ok(Truth::Compare(*order, Box::new([left, self.sum()?])))
            }
            None => Err(self.error("a comparison is missing here", "compare two formulas: beta*tau >= 1")),
        }
    }

    fn sum(&mut self) -> Parsed<Expression> {
        self.chain(&[("+", Operation::Plus), ("-", Operation::Minus)], Self::product)
    }

    fn product(&mut self) -> Parsed<Expression> {
        self.chain(&[("*", Operation::Times), ("/", Operation::Over)], Self::factor)
    }

    /// Operations of one rank, from left to right.
    fn chain(
        &mut self,
        operations: &[(&str, Operation)],
        part: fn(&mut Self) -> Parsed<Expression>,
    ) -> Parsed<Expression> {
        let mut found = part(self)?;
        while let Some((_, operation)) = operations.iter().find(|(symbol, _)| self.sees(symbol)) {
            self.at += 1;
            found = Expression::Binary(*operation, Box::new([found, part(self)?]));
        }
        Ok(found)
    }

    /// A power binds from the right, and closer than the sign before it.
    fn factor(&mut self) -> Parsed<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("this is nested too deeply", "split it into several statements"));
        }
        let found = self.signed();
        self.depth -= 1;
        found
    }

    fn signed(&mut self) -> Parsed<Expression> {
        if self.takes("-") {
            return Ok(Expression::Negative(Box::new(self.factor()?)));
        }
        let base = self.atom()?;
        if self.takes("^") {
            return Ok(Expression::Binary(Operation::Power, Box::new([base, self.factor()?])));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Parsed<Expression> {
        match self.tokens.get(self.at).map(|placed| placed.token) {
            Some(Token::Number(value)) => {
                self.at += 1;
                Ok(Expression::Number(value))
            }
            Some(Token::Name(name)) => self.named(name),
            Some(Token::Symbol("(")) => self.in_brackets(),
            _ => Err(self.error(
                "a number, a name or a bracket is missing here",
                "such as 2, beta or (n + 1); a power is n^2",
            )),
        }
    }

    fn named(&mut self, name: &str) -> Parsed<Expression> {
        if let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
            self.at += 1;
            if !self.sees("(") {
                return Err(self.error("a function needs its bracket", &format!("write {name}(…)")));
            }
            return Ok(Expression::Call(*function, Box::new(self.in_brackets()?)));
        }
        if name != CONSTANT && !self.names.contains(&name) {
            return Err(self.unknown(name));
        }
        self.at += 1;
        Ok(Expression::Name(name.to_owned()))
    }

    fn in_brackets(&mut self) -> Parsed<Expression> {
        self.at += 1;
        let inner = self.sum()?;
        if !self.takes(")") {
            return Err(self.error("a bracket is not closed here", "add )"));
        }
        Ok(inner)
    }

    fn unknown(&self, name: &str) -> FormulaError {
        let mut known: Vec<&str> = self.names.to_vec();
        known.extend(FUNCTIONS.iter().map(|(name, _)| *name));
        known.push(CONSTANT);
        let problem = match nearest(name, &known) {
            Some(near) => format!("unknown name `{name}`; did you mean `{near}`?"),
            None => format!("unknown name `{name}`"),
        };
        self.error(&problem, &format!("known here: `{}`", known.join("`, `")))
    }

    fn end(&self) -> Parsed<()> {
        if self.at == self.tokens.len() {
            return Ok(());
        }
        Err(self.error("an operator is missing here, or this is too much", "multiply with *: 2*beta"))
    }

    fn sees(&self, symbol: &str) -> bool {
        self.tokens.get(self.at).is_some_and(|placed| placed.token == Token::Symbol(symbol))
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let there = self.sees(symbol);
        self.at += usize::from(there);
        there
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let there = self.tokens.get(self.at).is_some_and(|placed| placed.token == Token::Name(word));
        self.at += usize::from(there);
        there
    }

    /// About the piece at hand, or the end of the text.
    fn error(&self, problem: &str, remedy: &str) -> FormulaError {
        let span = self.tokens.get(self.at).map_or(self.length..self.length, |placed| placed.span.clone());
        FormulaError { span, problem: problem.into(), remedy: remedy.into() }
    }
}
