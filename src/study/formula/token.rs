//! [`Token`]: a formula's text in pieces, each with its place.

use std::ops::Range;

use super::FormulaError;

/// A piece of a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// `+ - * / ^ ( ) < <= > >=`
    Symbol(&'a str),
}

/// A piece and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed<'a> {
    pub token: Token<'a>,
    pub span: Range<usize>,
}

/// Two-character symbols first: the first that fits is taken.
const SYMBOLS: [&str; 11] = ["<=", ">=", "+", "-", "*", "/", "^", "(", ")", "<", ">"];

/// Takes a text apart.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, FormulaError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else {
            let placed = token(text, at)?;
            let length = placed.span.len();
            found.push(placed);
            length
        };
        at += length;
    }
    Ok(found)
}

fn token(text: &str, at: usize) -> Result<Placed<'_>, FormulaError> {
    let rest = &text[at..];
    let placed = |token, length: usize| Ok(Placed { token, span: at..at + length });
    let length = length_of_number(rest);
    if length > 0 {
        return match rest[..length].parse() {
            Ok(value) => placed(Token::Number(value), length),
            Err(_) => Err(unreadable(at..at + length, "this is not a number")),
        };
    }
    let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    if length > 0 {
        return placed(Token::Name(&rest[..length]), length);
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => placed(Token::Symbol(symbol), symbol.len()),
        None => Err(unreadable(
            at..at + rest.chars().next().map_or(0, char::len_utf8),
            "this has no meaning in a formula",
        )),
    }
}

fn unreadable(span: Range<usize>, problem: &str) -> FormulaError {
    let remedy = "a formula has numbers, names, + - * / ^ ( ), and in conditions < <= > >= and or".into();
    FormulaError { span, problem: problem.into(), remedy }
}

/// Bytes of a number such as `12`, `.5`, `1e-3` at the beginning of a text; none if there is no digit.
fn length_of_number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') {
        end += 1 + digits(end + 1);
    }
    if end == 0 || (whole == 0 && end == 1) {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = if end + 1 + sign <= bytes.len() { digits(end + 1 + sign) } else { 0 };
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}
