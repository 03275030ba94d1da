//! The tables of a study for a paper: LaTeX with the package `booktabs`, one table per fit, one of all means, one of the statements.

use super::Material;
use super::number::{plain, with_error};
use super::statements;
use super::text::{fit_name, setting_header, setting_line};
use crate::study::{Axis, Fit, Group, PairedStep, Setting, Statement};

/// All tables, each to be put into a `table` of its own.
pub fn latex(material: &Material<'_>) -> String {
    let summary = material.summary;
    let mut out = format!("% {}\n% needs \\usepackage{{booktabs}}\n", one_line(&summary.title));
    let header: Vec<String> = setting_header(material.spec).iter().map(|name| symbol(name)).collect();
    let lines = summary.settings.iter().map(|group| setting_line(material.spec, group));
    out +=
        &tabular("means over seeds", &header, lines.map(|line| line.iter().map(|cell| math(cell)).collect()));
    for fit in &summary.fits {
        out += &convergence(material, fit);
    }
    if !summary.statements.is_empty() {
        let header = ["statement", "verdict", "measured", "", "predicted", "margin"].map(str::to_owned);
        out += &tabular("statements", &header, summary.statements.iter().map(statement));
    }
    out
}

/// A fit's sizes with their means and the orders observed between neighbours; the fitted slope below.
fn convergence(material: &Material<'_>, fit: &Fit) -> String {
    let Some(fitted) = fit.fitted() else { return String::new() };
    let header = [symbol(fit.against.symbol()), symbol(fit.quantity.key()), "order".into()];
    let of_fit = |group: &&Group| fit.covers(&group.setting);
    let groups = material.summary.settings.iter().filter(of_fit);
    let size = |setting: &Setting| setting.get(fit.against).unwrap_or(f64::NAN);
    let mut lines: Vec<Vec<String>> = Vec::new();
    for group in groups {
        let Some(statistic) = group.quantities.get(&fit.quantity) else { continue };
        let mean = with_error(statistic.mean.value, Some(statistic.mean.sampling + statistic.mean.numerical));
        let ends_here = |step: &&PairedStep| step.to == size(&group.setting);
        let order = fitted.steps.iter().find(ends_here).and_then(|step| step.order);
        let order =
            order.map_or_else(String::new, |order| with_error(order.estimate, Some(order.standard_error)));
        lines.push(vec![math(&plain(size(&group.setting), 6)), math(&mean), math(&order)]);
    }
    let slope = with_error(fitted.slope.estimate, Some(fitted.slope.standard_error));
    lines.push(vec!["slope".into(), math(&slope), String::new()]);
    tabular(&fit_name(fit), &header, lines)
}

fn statement(statement: &Statement) -> Vec<String> {
    let head = [text(&statement.spec.id), text(&statements::verdict(statement))];
    let row = statement.decisive().map(super::claims::cells::row_cells);
    let cells =
        row.map(|[_, _, _, measured, relation, predicted, margin]| [measured, relation, predicted, margin]);
    head.into_iter().chain(cells.unwrap_or_default().iter().map(|cell| math(cell))).collect()
}

fn tabular(name: &str, header: &[String], lines: impl IntoIterator<Item = Vec<String>>) -> String {
    let columns = "r".repeat(header.len());
    let rows: String = lines.into_iter().map(|line| format!("  {} \\\\\n", line.join(" & "))).collect();
    format!(
        "\n% {}\n\\begin{{tabular}}{{{columns}}}\n  \\toprule\n  {} \\\\\n  \\midrule\n{rows}  \\bottomrule\n\\end{{tabular}}\n",
        one_line(name),
        header.join(" & ")
    )
}

/// A parameter as its letter, anything else as it is written in a study.
fn symbol(name: &str) -> String {
    match Axis::ALL.iter().find(|axis| axis.symbol() == name) {
        Some(Axis::Beta) => "$\\beta$".into(),
        Some(Axis::NoiseVar) => "$\\tau$".into(),
        Some(axis) => format!("${}$", axis.symbol()),
        None => format!("\\texttt{{{}}}", text(name)),
    }
}

/// A number as [`plain`] and [`with_error`] write it, in mathematics; words as they are.
fn math(cell: &str) -> String {
    let is_number = cell.chars().any(|c| c.is_ascii_digit() || "⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c));
    if !is_number {
        return match cell {
            "" | "–" => "--".into(),
            "=" => "$=$".into(),
            "≤" => "$\\le$".into(),
            "≥" => "$\\ge$".into(),
            words => text(words),
        };
    }
    const SUPERSCRIPTS: [char; 11] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹', '⁻'];
    let (mut out, mut raised) = (String::from("$"), false);
    for letter in cell.chars() {
        let digit = SUPERSCRIPTS.iter().position(|superscript| *superscript == letter);
        match (digit.is_some(), raised) {
            (true, false) => out.push_str("^{"),
            (false, true) => out.push('}'),
            _ => {}
        }
        raised = digit.is_some();
        match (digit, letter) {
            (Some(10), _) | (None, '−') => out.push('-'),
            (Some(digit), _) => out += &digit.to_string(),
            (None, '±') => out.push_str("\\pm"),
            (None, '·') => out.push_str("\\cdot "),
            (None, other) => out.push(other),
        }
    }
    out + if raised { "}$" } else { "$" }
}

/// Text in which nothing is a command.
fn text(text: &str) -> String {
    let escaped = |c: char| match c {
        '\\' => "\\textbackslash{}".into(),
        '~' => "\\textasciitilde{}".into(),
        '^' => "\\textasciicircum{}".into(),
        '#' | '$' | '%' | '&' | '_' | '{' | '}' => format!("\\{c}"),
        other => other.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// For a comment.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_mathematics_and_words_lose_their_commands() {
        for (cell, expected) in [
            ("0.1234 ± 0.0012", "$0.1234 \\pm 0.0012$"),
            ("1.2·10⁻⁹ ± 10⁻¹⁰", "$1.2\\cdot 10^{-9} \\pm 10^{-10}$"),
            ("−0.5", "$-0.5$"),
            ("–", "--"),
            ("≤", "$\\le$"),
            ("a_b & c%", "a\\_b \\& c\\%"),
        ] {
            assert_eq!(math(cell), expected);
        }
        assert_eq!(symbol("β"), "$\\beta$");
        assert_eq!(symbol("w1_prior"), "\\texttt{w1\\_prior}");
    }
}
