//! Measured against predicted numbers, as a plot.

use crate::claim::{Axes, Record, Row};
use crate::report::svg::{Bar, Mark, Plot, SERIES, Scale, Series, Stroke};

/// The plot of a record, if its card asks for one and there are rows to show.
pub(super) fn figure(record: &Record) -> Option<String> {
    let axes = record.card.plot.as_ref()?;
    let mut curves: Vec<(&str, Vec<(f64, &Row)>)> = Vec::new();
    for row in &record.rows {
        let Some(place) = &row.place else { continue };
        match curves.iter_mut().find(|(name, _)| *name == place.series) {
            Some((_, points)) => points.push((place.x, row)),
            None => curves.push((&place.series, vec![(place.x, row)])),
        }
    }
    curves.truncate(SERIES);
    if curves.is_empty() {
        return None;
    }
    curves.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    Some(plot(record.card.id, axes, &curves))
}

fn plot(title: &str, axes: &Axes, curves: &[(&str, Vec<(f64, &Row)>)]) -> String {
    let shown = || curves.iter().flat_map(|(_, points)| points);
    let values = shown().flat_map(|(_, row)| [row.measured.value, row.predicted.value]);
    let x = scale(axes.log_x, shown().map(|(x, _)| *x));
    let y = scale(axes.log_y, values);
    let mut series = Vec::new();
    for (look, (name, points)) in curves.iter().enumerate() {
        let bars = points.iter().map(|(x, row)| bar(*x, row)).collect();
        let predicted = points.iter().map(|(x, row)| (*x, row.predicted.value)).collect();
        series.push(Series { name: (*name).into(), look, mark: Mark::Points(bars) });
        let name = if look == 0 { "compared with".into() } else { String::new() };
        series.push(Series { name, look, mark: Mark::Curve(Stroke::Dotted, predicted) });
    }
    Plot { title: title.into(), x_label: axes.x.into(), y_label: axes.y.into(), x, y, series }.render()
}

fn scale(logarithmic: bool, values: impl Iterator<Item = f64>) -> Scale {
    if logarithmic { Scale::logarithmic(values) } else { Scale::linear(values) }
}

fn bar(x: f64, row: &Row) -> Bar {
    let (y, half) = (row.measured.value, row.measured.allowance());
    Bar { x, y, low: y - half, high: y + half }
}
