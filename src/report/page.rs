//! Pages in HTML: templates with places to fill, tables.

use super::svg::escape;

/// What all pages share.
const SHARED: [(&str, &str); 2] = [("head", include_str!("head.html")), ("style", include_str!("style.css"))];

/// A template with each `{{ name }}` replaced by the HTML of that name. All pages share `{{ head }}` and `{{ style }}`.
pub(super) fn page(template: &str, parts: &[(&str, String)]) -> String {
    let mut pieces = template.trim_end().split("{{ ");
    let mut page: String = pieces.next().unwrap_or_default().into();
    for piece in pieces {
        let (name, text) = piece.split_once(" }}").unwrap_or((piece, ""));
        let own = parts.iter().find(|part| part.0 == name).map(|part| part.1.as_str());
        let shared = || SHARED.iter().find(|part| part.0 == name).map(|part| part.1.trim_end());
        page.push_str(own.or_else(shared).unwrap_or_default());
        page.push_str(text);
    }
    page
}

/// Rows of a table, a line each.
pub(super) fn rows<L: IntoIterator<Item = String>>(lines: impl IntoIterator<Item = L>) -> String {
    lines.into_iter().map(|line| format!("<tr>{}</tr>\n", cells(line))).collect()
}

/// Cells of a row.
pub(super) fn cells(line: impl IntoIterator<Item = String>) -> String {
    line.into_iter().map(|cell| format!("<td>{}</td>", escape(&cell))).collect()
}

/// The first row of a table.
pub(super) fn header<T: AsRef<str>>(names: &[T]) -> String {
    let cell = |name: &T| format!("<th>{}</th>", escape(name.as_ref()));
    format!("<tr>{}</tr>\n", names.iter().map(cell).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_once_and_what_fills_them_is_left_alone() {
        let parts = [("a", "1 {{ b }}".to_owned()), ("b", "2".to_owned())];
        assert_eq!(page("{{ b }}, {{ a }}; {{ b }}.\n", &parts), "2, 1 {{ b }}; 2.");
    }

    #[test]
    fn tables_escape_what_they_show() {
        assert_eq!(rows([["<1>".to_owned()]]), "<tr><td>&lt;1&gt;</td></tr>\n");
        assert_eq!(header(&["a & b"]), "<tr><th>a &amp; b</th></tr>\n");
    }
}
