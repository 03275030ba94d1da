//! `report.html`: one page that needs nothing else, light and dark.

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use super::Material;
use super::figures::{figures, short_name};
use super::number::{plain, with_error};
use super::text::{fit_header, fit_line, fit_name, setting_header, setting_line, status};
use crate::error::{Error, Result};
use crate::study::{BandVerdict, CellRow, CloudPath, Fit, PairedStep, Quantity, RunRecord};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");

/// Columns of the first table beside the verdict, which comes first on a page and last on a terminal.
const FIT_COLUMNS: usize = 5;

/// A fit as a row of the page's first table.
#[derive(Serialize)]
struct FitRow {
    verdict: String,
    class: &'static str,
    cells: Vec<String>,
}

/// What a key stands for.
#[derive(Serialize)]
struct QuantityRow {
    key: &'static str,
    label: String,
}

/// A cloud that the slider shows.
#[derive(Serialize)]
struct CloudView<'a> {
    name: String,
    #[serde(flatten)]
    path: &'a CloudPath,
}

/// What the page is filled with.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    paper: Option<&'a str>,
    paragraphs: Vec<&'a str>,
    status: String,
    fit_header: Vec<String>,
    fits: Vec<FitRow>,
    steps: Vec<Vec<String>>,
    figures: Vec<String>,
    clouds: Option<String>,
    setting_header: Vec<String>,
    settings: Vec<Vec<String>>,
    quantities: Vec<QuantityRow>,
    failures: Vec<String>,
    seeds: String,
    runs: Vec<Vec<String>>,
    study: String,
}

/// The page.
pub fn html(material: &Material<'_>) -> Result<String> {
    rendered(TEMPLATE, Serde(Page::new(material)))
}

/// A page from its template, with the style that all pages share.
pub(super) fn rendered<T: Serialize>(template: &str, page: Serde<T>) -> Result<String> {
    let mut environment = Environment::new();
    environment.add_template("style.css", STYLE).map_err(refused)?;
    environment.add_template("page.html", template).map_err(refused)?;
    environment.get_template("page.html").and_then(|page_of| page_of.render(page)).map_err(refused)
}

impl<'a> Page<'a> {
    fn new(material: &Material<'a>) -> Self {
        let (spec, summary) = (material.spec, material.summary);
        let quantity = |q: &Quantity| QuantityRow { key: q.key(), label: q.axis_label() };
        Self {
            title: &spec.title,
            paper: spec.paper.as_deref(),
            paragraphs: spec.prose.split("\n\n").filter(|p| !p.trim().is_empty()).collect(),
            status: status(material),
            fit_header: fit_header()[..FIT_COLUMNS].to_vec(),
            fits: summary.fits.iter().map(fit_row).collect(),
            steps: summary.fits.iter().flat_map(step_rows).collect(),
            figures: figures(material),
            clouds: clouds(material),
            setting_header: setting_header(spec),
            settings: summary.settings.iter().map(|group| setting_line(spec, group)).collect(),
            quantities: spec.quantities.iter().map(quantity).collect(),
            failures: material.table.rows().filter_map(failure).collect(),
            seeds: seeds(&spec.seeds),
            runs: material.runs.iter().map(run_row).collect(),
            study: spec.to_toml(),
        }
    }
}

fn failure(row: &CellRow) -> Option<String> {
    row.error().map(|error| format!("{}, seed {}: {error}", row.setting, row.seed))
}

fn refused(error: minijinja::Error) -> Error {
    let source = std::io::Error::other(format!("{error:#}"));
    Error::Io { action: "make", path: "report.html".into(), source }
}

fn fit_row(fit: &Fit) -> FitRow {
    let (class, sign) = match fit.verdict {
        BandVerdict::Within => ("good", "✓"),
        BandVerdict::Outside => ("bad", "✗"),
        BandVerdict::Undecided => ("open", "?"),
        BandVerdict::NoBand => ("none", "·"),
    };
    let mut cells = fit_line(fit);
    let verdict = format!("{sign} {}", cells.pop().unwrap_or_default());
    FitRow { verdict, class, cells }
}

fn step_rows(fit: &Fit) -> Vec<Vec<String>> {
    let steps = fit.fitted().map_or(&[][..], |fitted| &fitted.steps);
    let row = |step: &PairedStep| {
        vec![
            fit_name(fit),
            format!("{} → {}", plain(step.from, 6), plain(step.to, 6)),
            with_error(step.difference.estimate, Some(step.difference.standard_error)),
            format!("[{}, {}]", plain(step.difference.lower, 3), plain(step.difference.upper, 3)),
            plain(step.unpaired_standard_error, 2),
        ]
    };
    steps.iter().map(row).collect()
}

/// The clouds as JSON that may stand inside a script element.
fn clouds(material: &Material<'_>) -> Option<String> {
    let view = |row: &CellRow| -> Option<String> {
        let path = row.values()?.cloud.as_ref()?;
        let view = CloudView { name: short_name(material.spec, &row.setting), path };
        serde_json::to_string(&view).ok()
    };
    let views: Vec<String> = material.table.rows().filter_map(view).collect();
    // A script element ends at "</": numbers and names contain none once "<" is escaped.
    let json = format!("[{}]", views.join(",")).replace('<', "\\u003c");
    (!views.is_empty()).then_some(json)
}

fn seeds(seeds: &[u64]) -> String {
    match seeds {
        [first, .., last] if last - first + 1 == seeds.len() as u64 => format!("{first} to {last}"),
        _ => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn run_row(run: &RunRecord) -> Vec<String> {
    let numerics = format!("{} ({}), numerics {}", run.version, run.commit, run.numerics);
    let work = match run.end {
        Some(end) => format!("{} cells in {:.1} s on {} threads", end.computed, end.seconds, run.jobs),
        None => "did not come to its end".into(),
    };
    vec![run.command.clone(), numerics, run.machine.clone(), date(run.began), work]
}

/// A moment as `2025-01-31 12:00 UTC`.
fn date(seconds: u64) -> String {
    // Days to a date in the proleptic Gregorian calendar, with years that begin in March.
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", rest / 3600, rest % 3600 / 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python: `datetime.fromtimestamp(s, timezone.utc)`.
    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }
}
