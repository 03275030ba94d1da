//! [`wrapped`]: text that fits the columns of a terminal.

/// Names of values are not wider than this.
const NAMES: usize = 24;

/// How far a line without a name is indented where it goes on.
const INDENT: usize = 4;

/// Breaks lines with more than `width` columns at spaces. Where a line goes on, it is indented to its value, if it has a name before that, else by four more
/// columns than it began with.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        fold(line, width, &mut out);
    }
    out
}

fn fold(line: &str, width: usize, out: &mut String) {
    let value = value_column(line).filter(|value| 2 * value < width);
    let indent = value.unwrap_or(leading_spaces(line) + INDENT);
    let (mut rest, mut used, mut least) = (line, 0, value.unwrap_or(leading_spaces(line)));
    while let Some(at) = place_to_break(rest, width - used.min(width), least) {
        out.push_str(rest[..at].trim_end());
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent));
        (rest, used, least) = (rest[at..].trim_start(), indent, 0);
    }
    out.push_str(rest);
    out.push('\n');
}

/// The last space before the text is too wide, or the first one after that; none where all of it fits.
fn place_to_break(text: &str, width: usize, least: usize) -> Option<usize> {
    if columns(text) <= width {
        return None;
    }
    let (mut column, mut last) = (0, None);
    for (at, letter) in text.char_indices() {
        if column > width && last.is_some() {
            break;
        }
        if letter == ' ' && column > least {
            last = Some(at);
        }
        column += width_of(letter);
    }
    last
}

/// Where the value begins in a line such as `horizon            raw time 5`.
fn value_column(line: &str) -> Option<usize> {
    let mut gap = 0;
    for (column, letter) in line.chars().enumerate().skip(leading_spaces(line)).take(NAMES) {
        match letter {
            ' ' => gap += 1,
            _ if gap > 1 => return Some(column),
            _ => gap = 0,
        }
    }
    None
}

fn leading_spaces(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn columns(text: &str) -> usize {
    text.chars().map(width_of).sum()
}

/// Marks above a letter take no column of their own.
fn width_of(letter: char) -> usize {
    usize::from(!('\u{300}'..'\u{370}').contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_fit_stay_as_they_are() {
        let text = "horizon            raw time 5\n\n  two\n";
        assert_eq!(wrapped(text, 40), text);
        assert_eq!(wrapped("x̃ x̃ x̃", 5), "x̃ x̃ x̃\n");
    }

    #[test]
    fn long_lines_go_on_below_their_value() {
        assert_eq!(
            wrapped("no bound           one two three four five six seven", 40),
            "no bound           one two three four\n                   five six seven\n"
        );
    }

    #[test]
    fn other_lines_go_on_indented() {
        assert_eq!(wrapped("    one two three", 12), "    one two\n        three\n");
        assert_eq!(wrapped("aVeryLongWordAlone and more", 10), "aVeryLongWordAlone\n    and\n    more\n");
    }
}
