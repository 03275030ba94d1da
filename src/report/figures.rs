//! Which plots a study gets: a pure choice from its sweep and its quantities.
//!
//! | study | plots |
//! |---|---|
//! | one parameter swept | the quantities of one unit together, over that parameter |
//! | several swept | every quantity over the first one, a curve for each setting of the others; heatmaps over pairs |
//! | curves over depth | bands over score time, a curve for each setting |

use super::Material;
use super::number::{plain, with_error};
use super::svg::{Bar, Heatmap, Mark, Plot, SERIES, Scale, Series, Stroke};
use crate::study::{Axis, Fit, Group, PathStatistic, Quantity, Setting, Spec, Statistic, Sweep};

/// Fewer values than this along either side make no heatmap.
const HEATMAP: usize = 3;

/// All plots of a study, as SVG.
pub(super) fn figures(material: &Material<'_>) -> Vec<String> {
    let spec = material.spec;
    let numbers: Vec<Quantity> = spec.quantities.iter().copied().filter(|q| !q.is_path()).collect();
    let mut figures = Vec::new();
    if let Some(axis) = main_axis(spec) {
        let alone = spec.sweep.len() == 1;
        let groups = if alone { by_unit(&numbers) } else { numbers.iter().map(|q| vec![*q]).collect() };
        figures.extend(groups.iter().filter_map(|quantities| curves(material, axis, quantities)));
        figures.extend(heatmaps(material, axis, &numbers));
    }
    for quantity in spec.quantities.iter().copied().filter(|quantity| quantity.is_path()) {
        figures.extend(paths(material, quantity));
    }
    figures
}

/// What the horizontal axis shows: the parameter of the first fit, else the one with the most values.
fn main_axis(spec: &Spec) -> Option<Axis> {
    let most = || spec.sweep.iter().max_by_key(|sweep| sweep.values.len()).map(|sweep| sweep.axis);
    spec.fits.first().map(|fit| fit.against).or_else(most)
}

/// Quantities of the same unit, in plots of at most as many as can look different.
fn by_unit(quantities: &[Quantity]) -> Vec<Vec<Quantity>> {
    let mut groups: Vec<Vec<Quantity>> = Vec::new();
    for &quantity in quantities {
        let fits = |group: &&mut Vec<Quantity>| group[0].unit() == quantity.unit() && group.len() < SERIES;
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(quantity),
            None => groups.push(vec![quantity]),
        }
    }
    groups
}

/// A curve in the making: what it is called, its quantity, and the settings along it.
struct Curve<'a> {
    name: String,
    quantity: Quantity,
    groups: Vec<&'a Group>,
}

fn curves(material: &Material<'_>, axis: Axis, quantities: &[Quantity]) -> Option<String> {
    let curves: Vec<Curve<'_>> = match quantities {
        [one] if material.spec.sweep.len() > 1 => families(material, axis, *one),
        _ => quantities.iter().map(|quantity| whole(material, *quantity)).collect(),
    };
    let bars: Vec<Vec<Bar>> = curves.iter().map(|curve| bars(curve, axis)).collect();
    let shown = || bars.iter().flatten();
    shown().next()?;
    let y =
        Scale::fitting(shown().flat_map(|bar| [bar.y, positive_end(bar)]).chain(shown().map(|bar| bar.high)));
    let x = Scale::fitting(shown().map(|bar| bar.x));
    let mut series = Vec::new();
    for (look, (curve, bars)) in curves.iter().zip(bars).enumerate() {
        let trace = bars.iter().map(|bar| (bar.x, bar.y)).collect();
        series.push(Series { name: curve.name.clone(), look, mark: Mark::Points(bars) });
        let fits = fitted(material, curve, axis, look, x, y);
        if fits.is_empty() {
            series.push(Series { name: String::new(), look, mark: Mark::Curve(Stroke::Solid, trace) });
        }
        series.extend(fits);
    }
    let (title, y_label) = match quantities {
        [one] => (one.label().to_owned(), one.axis_label()),
        _ => (
            format!("{} over {}", unit_title(quantities[0].unit()), axis.symbol()),
            unit_title(quantities[0].unit()),
        ),
    };
    Some(Plot { title, x_label: axis.label().into(), y_label, x, y, series }.render())
}

/// The lower end of an error bar where a logarithm can show it, else the value.
fn positive_end(bar: &Bar) -> f64 {
    if bar.low > 0.0 { bar.low } else { bar.y }
}

fn unit_title(unit: &str) -> String {
    match unit {
        "length" => "distance (length)".into(),
        "length²" => "mean square (length²)".into(),
        "score time, length²" => "score time (length²)".into(),
        other => format!("value ({other})"),
    }
}

fn whole<'a>(material: &Material<'a>, quantity: Quantity) -> Curve<'a> {
    Curve { name: quantity.label().into(), quantity, groups: material.summary.settings.iter().collect() }
}

/// The curves of one quantity: one for each setting of the other swept parameters, evenly chosen where there are many.
fn families<'a>(material: &Material<'a>, axis: Axis, quantity: Quantity) -> Vec<Curve<'a>> {
    let same = |a: &Setting, b: &Setting| {
        Axis::ALL.iter().filter(|other| **other != axis).all(|other| a.get(*other) == b.get(*other))
    };
    let mut families: Vec<Vec<&Group>> = Vec::new();
    for group in &material.summary.settings {
        match families.iter_mut().find(|family| same(&family[0].setting, &group.setting)) {
            Some(family) => family.push(group),
            None => families.push(vec![group]),
        }
    }
    let others = |setting: &Setting| {
        let swept = material.spec.sweep.iter().filter(|sweep| sweep.axis != axis);
        let value = |sweep: &Sweep| {
            let value = setting.get(sweep.axis).map_or_else(String::new, |x| plain(x, 4));
            format!("{} = {value}", sweep.axis.symbol())
        };
        swept.map(value).collect::<Vec<_>>().join(", ")
    };
    let curve = |family: Vec<&'a Group>| Curve { name: others(&family[0].setting), quantity, groups: family };
    spread(families, SERIES).into_iter().map(curve).collect()
}

/// At most so many, evenly chosen, first and last among them.
fn spread<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let count = items.len();
    if count <= most {
        return items;
    }
    let chosen: Vec<usize> = (0..most).map(|k| k * (count - 1) / (most - 1)).collect();
    items.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, item)| item).collect()
}

fn bars(curve: &Curve<'_>, axis: Axis) -> Vec<Bar> {
    let bar = |group: &&Group| {
        let found = group.quantities.get(&curve.quantity)?;
        let (x, ends) = (group.setting.get(axis)?, found.ends());
        Some(Bar { x, y: found.mean.value, low: ends.lower, high: ends.upper })
    };
    curve.groups.iter().filter_map(bar).collect()
}

/// The fitted curve through a family, and the slope that was expected.
fn fitted(
    material: &Material<'_>,
    curve: &Curve<'_>,
    axis: Axis,
    look: usize,
    x: Scale,
    y: Scale,
) -> Vec<Series> {
    let about = |fit: &&Fit| {
        fit.quantity == curve.quantity
            && fit.against == axis
            && curve.groups.first().is_some_and(|group| fit.covers(&group.setting))
    };
    let mut series = Vec::new();
    for fit in material.summary.fits.iter().filter(about) {
        let Some(found) = fit.fitted() else { continue };
        let samples = x.samples(if x.is_logarithmic() && y.is_logarithmic() { 33 } else { 97 });
        let along = |f: &dyn Fn(f64) -> f64| samples.iter().map(|x| (*x, f(*x))).collect();
        let name = format!("slope {}", with_error(found.slope.estimate, Some(found.slope.standard_error)));
        let line = Mark::Curve(Stroke::Dashed, along(&|x| found.line.at(x)));
        series.push(Series { name, look, mark: line });
        if let Some(band) = fit.expect {
            let slope = 0.5 * (band.low + band.high);
            let pivot = samples[samples.len() / 2];
            let anchor = found.line.at(pivot);
            let expected = along(&|x| anchor * (x / pivot).powf(slope));
            let name = format!("expected slope {}", plain(slope, 3));
            series.push(Series { name, look, mark: Mark::Curve(Stroke::Dotted, expected) });
        }
    }
    series
}

/// Heatmaps over the main axis and each other one that has enough values, the rest at their first value.
fn heatmaps(material: &Material<'_>, axis: Axis, quantities: &[Quantity]) -> Vec<String> {
    let sweep = |axis: Axis| material.spec.sweep.iter().find(|sweep| sweep.axis == axis);
    let Some(x) = sweep(axis).filter(|sweep| sweep.values.len() >= HEATMAP) else { return Vec::new() };
    let mut maps = Vec::new();
    for y in material.spec.sweep.iter().filter(|s| s.axis != axis && s.values.len() >= HEATMAP) {
        maps.extend(quantities.iter().filter_map(|quantity| heatmap(material, x, y, *quantity)));
    }
    maps
}

fn heatmap(material: &Material<'_>, x: &Sweep, y: &Sweep, quantity: Quantity) -> Option<String> {
    let value = |column: f64, row: f64| {
        let on_axis = |axis: Axis| match axis {
            axis if axis == x.axis => Some(column),
            axis if axis == y.axis => Some(row),
            axis => material.spec.base.get(axis),
        };
        let here = |group: &&Group| Axis::ALL.iter().all(|axis| group.setting.get(*axis) == on_axis(*axis));
        material.summary.settings.iter().find(here)?.quantities.get(&quantity).map(|s| s.mean.value)
    };
    let values: Vec<Vec<Option<f64>>> =
        y.values.iter().map(|row| x.values.iter().map(|column| value(*column, *row)).collect()).collect();
    values.iter().flatten().flatten().next()?;
    let map = Heatmap {
        title: quantity.label().into(),
        x_label: x.axis.label().into(),
        x: x.values.clone(),
        y_label: y.axis.label().into(),
        y: y.values.clone(),
        unit: quantity.axis_label(),
        values,
    };
    Some(map.render())
}

/// Bands over depth, one for each setting, evenly chosen where there are many.
fn paths(material: &Material<'_>, quantity: Quantity) -> Option<String> {
    let groups =
        material.summary.settings.iter().filter_map(|group| Some((group, group.paths.get(&quantity)?)));
    let shown = spread(groups.collect::<Vec<(&Group, &PathStatistic)>>(), SERIES);
    let bars = |path: &PathStatistic| -> Vec<Bar> {
        let bar = |(x, s): (&f64, &Statistic)| Bar {
            x: *x,
            y: s.mean.value,
            low: s.ends().lower,
            high: s.ends().upper,
        };
        path.score_time.iter().zip(&path.values).map(bar).collect()
    };
    let all: Vec<Bar> = shown.iter().flat_map(|(_, path)| bars(path)).collect();
    all.first()?;
    let exact = shown.iter().filter_map(|(_, path)| path.exact.as_ref()).flatten().copied();
    let y = Scale::linear(all.iter().flat_map(|bar| [bar.low, bar.high]).chain(exact));
    let x = Scale::linear(all.iter().map(|bar| bar.x));
    let mut series = Vec::new();
    for (look, (group, path)) in shown.iter().enumerate() {
        let bars = bars(path);
        let trace = bars.iter().map(|bar| (bar.x, bar.y)).collect();
        let name = short_name(material.spec, &group.setting);
        series.push(Series { name: String::new(), look, mark: Mark::Band(bars) });
        series.push(Series { name, look, mark: Mark::Curve(Stroke::Solid, trace) });
        if let Some(exact) = &path.exact {
            let curve = path.score_time.iter().copied().zip(exact.iter().copied()).collect();
            let name = if look == 0 { "exact mean field".into() } else { String::new() };
            series.push(Series { name, look, mark: Mark::Curve(Stroke::Dotted, curve) });
        }
    }
    let (title, y_label) = (format!("{} over depth", quantity.label()), quantity.axis_label());
    Some(Plot { title, x_label: "score time s (length²)".into(), y_label, x, y, series }.render())
}

/// The swept parameters of a setting.
pub(super) fn short_name(spec: &Spec, setting: &Setting) -> String {
    let value = |sweep: &Sweep| {
        let value = setting.get(sweep.axis).map_or_else(String::new, |x| plain(x, 4));
        format!("{} = {value}", sweep.axis.symbol())
    };
    let names: Vec<String> = spec.sweep.iter().map(value).collect();
    if names.is_empty() { setting.to_string() } else { names.join(", ") }
}
