//! Every statement of the paper, and which claim judges it, or why none can.

use std::fmt::Write;

use crate::claim::paper::{STATEMENTS, Statement};
use crate::claim::register;

/// The table, in the order of the paper.
pub(super) fn coverage() -> String {
    let known: Vec<&str> = register().iter().map(|claim| claim.card().id).collect();
    let mut out = String::from(
        "\n## The paper, statement by statement\n\nNumbers are those of the printed paper: theorems, lemmas, corollaries and propositions share a counter in \
         each section.\n\n| statement | about | judged by | not judged |\n|---|---|---|---|\n",
    );
    for statement in STATEMENTS {
        let Statement { number, label, title, rest, .. } = statement;
        let title = title.replace('|', "\\|");
        let judges = judges(statement, &known);
        let _ = writeln!(out, "| {number} (`{label}`) | {title} | {judges} | {rest} |");
    }
    out
}

/// Links to the claims that there are.
fn judges(statement: &Statement, known: &[&str]) -> String {
    let there = statement.judges.iter().filter(|id| known.contains(id));
    let links: Vec<String> = there.map(|id| format!("[{id}](#{id})")).collect();
    match (statement.judges.is_empty(), links.is_empty()) {
        (true, _) => "–".into(),
        (false, true) => "no claim yet".into(),
        (false, false) => links.join(", "),
    }
}
