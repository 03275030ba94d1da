//! `report.html`: one page that needs nothing else, light and dark.

use serde::Serialize;

use super::figures::{figures, short_name};
use super::number::{plain, with_error};
use super::page::{cells, header, page, rows};
use super::svg::escape;
use super::text::{fit_header, fit_line, fit_name, setting_header, setting_line, status};
use super::{Material, statements};
use crate::study::{BandVerdict, CellRow, CloudPath, Fit, PairedStep, Quantity, RunRecord};

const TEMPLATE: &str = include_str!("page.html");
pub(super) const PARTICLES: &str = include_str!("particles.html");

/// Columns of the first table beside the verdict, which comes first on a page and last on a terminal.
const FIT_COLUMNS: usize = 5;

/// A cloud that the slider shows.
#[derive(Serialize)]
struct CloudView<'a> {
    name: String,
    #[serde(flatten)]
    path: &'a CloudPath,
}

/// The page.
pub fn html(material: &Material<'_>) -> String {
    let (spec, summary) = (material.spec, material.summary);
    let paper = |label: &String| format!("<p class=\"label\">Paper: <code>{}</code></p>", escape(label));
    let paragraphs = spec.prose.split("\n\n").filter(|text| !text.trim().is_empty());
    let settings = summary.settings.iter().map(|group| setting_line(spec, group));
    let parts = [
        ("title", escape(&spec.title)),
        ("paper", spec.paper.as_ref().map_or_else(String::new, paper)),
        ("status", escape(&status(material))),
        ("verdicts", statements::html(&summary.statements) + &verdicts(&summary.fits)),
        ("paragraphs", paragraphs.map(|text| format!("<p>{}</p>\n", escape(text))).collect()),
        ("figures", plots(material)),
        ("particles", particles(material)),
        ("settings", header(&setting_header(spec)) + &rows(settings)),
        ("quantities", spec.quantities.iter().map(legend).collect::<Vec<_>>().join("; ")),
        ("steps", steps(&summary.fits)),
        ("failures", failures(material)),
        ("seeds", seeds(&spec.seeds)),
        ("runs", material.runs.iter().map(run_row).collect()),
        ("study", escape(&spec.to_toml())),
    ];
    page(TEMPLATE, &parts)
}

/// What a key stands for.
fn legend(quantity: &Quantity) -> String {
    format!("<code>{}</code>: {}", escape(quantity.key()), escape(&quantity.axis_label()))
}

fn verdicts(fits: &[Fit]) -> String {
    if fits.is_empty() {
        return String::new();
    }
    let names = header(&fit_header()[..FIT_COLUMNS]).replacen("<tr>", "<tr><th>verdict</th>", 1);
    format!(
        "<h2>Verdicts</h2>
<div class=\"scroll\"><table id=\"fits\">
{names}{}</table></div>
<p class=\"label\">A slope is within its band when its whole interval is. <em>Range</em> says whether the slope still changes over the \
         sizes that were fitted.</p>
",
        fits.iter().map(fit_row).collect::<String>()
    )
}

fn plots(material: &Material<'_>) -> String {
    let figures = figures(material);
    if figures.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Plots</h2>
{}
<p class=\"label\">Points are means over seeds, bars and bands their intervals. Series without fits stand slightly apart where they \
         share a place. Dashed: fitted. Dotted: expected, or exact. Contours are at the values marked in the colour bar.</p>",
        figures.join("\n")
    )
}

fn steps(fits: &[Fit]) -> String {
    let steps: Vec<Vec<String>> = fits.iter().flat_map(step_rows).collect();
    if steps.is_empty() {
        return String::new();
    }
    let names =
        header(&["fit", "from → to", "difference", "interval", "error without pairing", "observed order"]);
    format!(
        "<h2>Changes within seeds</h2>
<div class=\"scroll\"><table>
{names}{}</table></div>
<p class=\"label\">Cells with the same seed share their random numbers, so differences are taken seed by seed.</p>",
        rows(steps)
    )
}

fn failures(material: &Material<'_>) -> String {
    let failures: Vec<String> = material.table.rows().filter_map(failure).collect();
    if failures.is_empty() {
        return String::new();
    }
    let items: String = failures.iter().map(|failure| format!("<li>{}</li>", escape(failure))).collect();
    format!("<h2>Failed cells</h2>\n<ul>{items}</ul>")
}

fn failure(row: &CellRow) -> Option<String> {
    row.error().map(|error| format!("{}, seed {}: {error}", row.setting, row.seed))
}

/// A fit as a row of the page's first table.
fn fit_row(fit: &Fit) -> String {
    let (class, sign) = match fit.verdict {
        BandVerdict::Within => ("good", "✓"),
        BandVerdict::Outside => ("bad", "✗"),
        BandVerdict::Undecided => ("open", "?"),
        BandVerdict::NoBand => ("none", "·"),
    };
    let mut line = fit_line(fit);
    let verdict = escape(&line.pop().unwrap_or_default());
    format!("<tr><td class=\"{class}\">{sign} {verdict}</td>{}</tr>\n", cells(line))
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
            step.order
                .map_or_else(|| "–".into(), |order| with_error(order.estimate, Some(order.standard_error))),
        ]
    };
    steps.iter().map(row).collect()
}

/// The slider, with the clouds as JSON inside a script element.
fn particles(material: &Material<'_>) -> String {
    let view = |row: &CellRow| -> Option<String> {
        let path = row.values()?.cloud.as_ref()?;
        let view = CloudView { name: short_name(material.spec, &row.setting), path };
        serde_json::to_string(&view).ok()
    };
    let views: Vec<String> = material.table.rows().filter_map(view).collect();
    // A script element ends at "</": numbers and names contain none once "<" is escaped.
    let json = format!("[{}]", views.join(",")).replace('<', "\\u003c");
    if views.is_empty() { String::new() } else { page(PARTICLES, &[("data", json)]) }
}

fn seeds(seeds: &[u64]) -> String {
    match seeds {
        [first, .., last] if last - first + 1 == seeds.len() as u64 => format!("{first} to {last}"),
        _ => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}

fn run_row(run: &RunRecord) -> String {
    let numerics = format!("{} ({}), numerics {}", run.version, run.commit, run.numerics);
    let work = match run.end {
        Some(end) => format!("{} cells in {:.1} s on {} threads", end.computed, end.seconds, run.jobs),
        None => "did not come to its end".into(),
    };
    let rest = cells([numerics, run.machine.clone(), date(run.began), work]);
    format!("<tr><td><code>{}</code></td>{rest}</tr>\n", escape(&run.command))
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
