//! Tables for a terminal.

use std::fmt::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, ContentArrangement, Table as TextTable};

use super::number::{plain, with_error};
use super::{Material, statements};
use crate::study::{Axis, Fit, FitOutcome, Group, Quantity, Spec};

/// Failed cells that are shown one by one.
const FAILURES_SHOWN: usize = 5;

/// The summary as text in so many columns: statements, fits and verdicts, means by setting, what failed.
pub fn text(material: &Material<'_>, columns: usize) -> String {
    let summary = material.summary;
    let mut out = format!("{}\n", summary.title);
    let _ = writeln!(out, "{}\n", status(material));
    if !summary.statements.is_empty() {
        let _ = writeln!(out, "{}", statements::text(&summary.statements));
    }
    if !summary.fits.is_empty() {
        let _ = writeln!(out, "{}", table(&fit_header(), summary.fits.iter().map(short_fit_line), columns));
        for (fit, reason) in summary.fits.iter().filter_map(refused) {
            let _ = writeln!(out, "no fit of {}: {reason}", fit_name(fit));
        }
        out.push('\n');
    }
    let header = setting_header(material.spec);
    let lines: Vec<_> = summary.settings.iter().map(|group| setting_line(material.spec, group)).collect();
    for part in parts(&header, &lines, axes(material.spec).len(), columns) {
        let _ = writeln!(out, "{part}");
    }
    for row in material.table.rows().filter(|row| row.error().is_some()).take(FAILURES_SHOWN) {
        let _ = writeln!(out, "failed: {}, seed {}: {}", row.setting, row.seed, row.error().unwrap_or(""));
    }
    out
}

/// How far the study is, in one line.
pub(super) fn status(material: &Material<'_>) -> String {
    let summary = material.summary;
    let mut line = format!("{} of {} cells finished", summary.finished, summary.cells);
    if summary.failed > 0 {
        let _ = write!(line, ", {} of them failed", summary.failed);
    }
    let _ = write!(line, "; {} seeds, intervals at {} %", summary.seeds, 100.0 * summary.confidence);
    line
}

/// Columns that a cell takes beside its content.
const PADDING: usize = 3;

/// A table with more columns than fit, as tables below each other, each of which begins with the first `keys` columns.
fn parts(header: &[String], lines: &[Vec<String>], keys: usize, columns: usize) -> Vec<String> {
    let width = |at: usize| {
        let cells = lines.iter().map(|line| &line[at]).chain([&header[at]]);
        PADDING + cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let fixed: usize = (0..keys).map(width).sum();
    let mut parts: Vec<(Vec<usize>, usize)> = Vec::new();
    for at in keys..header.len() {
        match parts.last_mut() {
            Some((chosen, used)) if *used + width(at) < columns => {
                chosen.push(at);
                *used += width(at);
            }
            _ => parts.push(((0..keys).chain([at]).collect(), fixed + width(at))),
        }
    }
    let only = |cells: &[String], chosen: &[usize]| chosen.iter().map(|at| cells[*at].clone()).collect();
    let part = |(chosen, _): &(Vec<usize>, usize)| {
        let header: Vec<String> = only(header, chosen);
        table(&header, lines.iter().map(|line| only(line, chosen)), columns)
    };
    parts.iter().map(part).collect()
}

fn table(header: &[String], lines: impl Iterator<Item = Vec<String>>, columns: usize) -> String {
    let mut table = TextTable::new();
    table.load_style(UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(columns).unwrap_or(u16::MAX));
    table.set_header(header);
    lines.for_each(|line| {
        table.add_row(line);
    });
    table.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table.to_string()
}

pub(super) fn fit_header() -> Vec<String> {
    ["fit", "slope", "interval", "expected", "range", "verdict"].map(str::to_owned).to_vec()
}

/// A fit as the cells of a table.
pub(super) fn fit_line(fit: &Fit) -> Vec<String> {
    let expected = fit
        .expect
        .map_or_else(|| "–".into(), |band| format!("[{}, {}]", plain(band.low, 3), plain(band.high, 3)));
    let (slope, interval, range, verdict) = match &fit.outcome {
        FitOutcome::Fitted(fitted) => (
            with_error(fitted.slope.estimate, Some(fitted.slope.standard_error)),
            format!("[{}, {}]", plain(fitted.slope.lower, 3), plain(fitted.slope.upper, 3)),
            fitted.range.as_ref().map_or("–", |range| match range.verdict {
                crate::metric::RangeVerdict::Reached => "settled",
                crate::metric::RangeVerdict::NotReached => "still changing",
                crate::metric::RangeVerdict::Undecided => "undecided",
            }),
            fit.verdict.words().to_owned(),
        ),
        FitOutcome::Refused(reason) => ("–".into(), "–".into(), "–", format!("no fit: {reason}")),
    };
    vec![fit_name(fit), slope, interval, expected, range.into(), verdict]
}

/// The same without the reason of a refusal, which is too long for a cell.
fn short_fit_line(fit: &Fit) -> Vec<String> {
    let mut line = fit_line(fit);
    if let (Some(_), Some(verdict)) = (refused(fit), line.last_mut()) {
        *verdict = "no fit".into();
    }
    line
}

fn refused(fit: &Fit) -> Option<(&Fit, &str)> {
    match &fit.outcome {
        FitOutcome::Fitted(_) => None,
        FitOutcome::Refused(reason) => Some((fit, reason)),
    }
}

/// `w1_prior against n, β = 20`.
pub(super) fn fit_name(fit: &Fit) -> String {
    let fixed = fit.fixed.iter().map(|f| format!(", {} = {}", f.axis.symbol(), plain(f.value, 4)));
    format!("{} against {}{}", fit.quantity.key(), fit.against, fixed.collect::<String>())
}

/// The swept axes; a study without any shows them all.
fn axes(spec: &Spec) -> Vec<Axis> {
    spec.sweep.iter().map(|sweep| sweep.axis).collect()
}

fn numbers(spec: &Spec) -> impl Iterator<Item = Quantity> {
    spec.quantities.iter().copied().filter(|quantity| !quantity.is_path())
}

pub(super) fn setting_header(spec: &Spec) -> Vec<String> {
    let axes = axes(spec).into_iter().map(|axis| axis.symbol().to_owned());
    axes.chain(numbers(spec).map(|quantity| quantity.key().to_owned())).collect()
}

/// A setting as the cells of a table: its parameters, then every number's mean, with its standard error and numerical bar
/// together.
pub(super) fn setting_line(spec: &Spec, group: &Group) -> Vec<String> {
    let value = |axis| group.setting.get(axis).map_or_else(String::new, |x| plain(x, 6));
    let number = |quantity| match group.quantities.get(&quantity) {
        Some(statistic) => {
            with_error(statistic.mean.value, Some(statistic.mean.sampling + statistic.mean.numerical))
        }
        None => "–".into(),
    };
    axes(spec).into_iter().map(value).chain(numbers(spec).map(number)).collect()
}
