//! What a study may say, as a page: keys, laws, quantities, formulas. All of it is made from what the code reads.

use std::fmt::Write;

use serde::Serialize;

use crate::law::kinds;
use crate::study::{FUNCTIONS, KEYS, PARAMETERS, Quantity, cost_in_words};

/// What a quantity is, for other programs.
#[derive(Debug, Serialize)]
pub struct QuantityEntry {
    key: &'static str,
    says: &'static str,
    unit: &'static str,
    needs: Vec<String>,
    cost: Option<String>,
}

/// Every quantity.
pub fn quantities() -> Vec<QuantityEntry> {
    let entry = |quantity: &Quantity| QuantityEntry {
        key: quantity.key(),
        says: quantity.says(),
        unit: quantity.unit(),
        needs: quantity.needs(),
        cost: cost_in_words(*quantity),
    };
    Quantity::ALL.iter().map(entry).collect()
}

/// Every quantity for a terminal.
pub fn quantities_text() -> String {
    let mut out = String::new();
    for QuantityEntry { key, says, unit, needs, cost } in quantities() {
        let _ = writeln!(out, "{key} ({unit})\n    {says}");
        let needs = (!needs.is_empty()).then(|| format!("needs {}", needs.join(", ")));
        let cost = cost.map(|cost| format!("costs {cost}"));
        let remarks: Vec<String> = needs.into_iter().chain(cost).collect();
        if !remarks.is_empty() {
            let _ = writeln!(out, "    {}", remarks.join("; "));
        }
    }
    out
}

/// The page, in Markdown.
pub fn reference() -> String {
    let mut out = HEAD.to_owned();
    for section in KEYS {
        let name = if section.name.is_empty() { "Top level".into() } else { format!("`{}`", section.name) };
        let _ = writeln!(out, "\n## {name}\n\n{}\n", section.says);
        table(
            &mut out,
            &["key", "takes", "means"],
            section
                .keys
                .iter()
                .map(|[key, takes, says]| [format!("`{key}`"), (*takes).to_owned(), (*says).to_owned()]),
        );
    }
    out += LAWS;
    table(
        &mut out,
        &["kind", "keys", "law"],
        kinds().map(|kind| {
            [format!("`{}`", kind.name), format!("`{}`", kind.keys.join("`, `")), kind.says.to_owned()]
        }),
    );
    out += FORMULAS;
    table(
        &mut out,
        &["name", "means"],
        PARAMETERS.iter().map(|(name, says)| [format!("`{name}`"), (*says).to_owned()]),
    );
    let functions = FUNCTIONS.map(|(name, _)| name).join("`, `");
    let _ = writeln!(out, "\nFunctions are `{functions}` (`log` is the natural one); `pi` is a number.");
    out += QUANTITIES;
    table(
        &mut out,
        &["quantity", "measures", "unit", "needs", "costs beside the flow"],
        quantities().into_iter().map(|entry| {
            let cost = entry.cost.unwrap_or_default();
            [
                format!("`{}`", entry.key),
                entry.says.to_owned(),
                entry.unit.to_owned(),
                entry.needs.join(", "),
                cost,
            ]
        }),
    );
    out
}

const HEAD: &str = "# What a study may say

`ebflow study FILE.toml` reads a TOML file of the tables below; `validation/studies` has some that are ready. A misspelt key, a value of the wrong kind and
what cannot be together are shown with their line before anything runs. `--set KEY=VALUE` lays a value over the file; the table `[quick]` holds what the
preset `quick` lays over it. This page is what `ebflow study --keys` prints.
";

const LAWS: &str = "
## `[prior]`

Any law, the same as on the command line. On the line a number may stand for a list of one. `--set 'prior = { kind = … }'` with another kind replaces the
whole table.

";

const FORMULAS: &str = "
## Formulas and conditions

`to` may be a formula in text, of numbers, `+ - * / ^ ( )`, functions, the parameters below and, by their keys, the quantities that the study measures, which
come in with their error bars and seed by seed. `where` and `beyond` compare formulas in parameters with `< <= > >=`, joined by `and`, `or`.

";

const QUANTITIES: &str = "
## Quantities

";

fn table<const COLUMNS: usize>(
    out: &mut String,
    header: &[&str; COLUMNS],
    lines: impl IntoIterator<Item = [String; COLUMNS]>,
) {
    let _ = writeln!(out, "| {} |\n|{}", header.join(" | "), "---|".repeat(COLUMNS));
    for line in lines {
        let _ = writeln!(out, "| {} |", line.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
}
