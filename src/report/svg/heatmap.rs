//! [`Heatmap`]: a quantity over two parameters, as colours with contours and the numbers themselves.

use std::fmt::Write;

use super::contour::segments;
use super::frame::{BOTTOM, LEFT, RIGHT, TOP};
use super::plot::axis_names;
use super::{HEIGHT, Scale, WIDTH, escape};
use crate::report::number::plain;

/// The colour map *cividis* at nine evenly spaced places: it reads the same with and without colour blindness, and grows in
/// lightness throughout.
const COLOURS: [(u8, u8, u8); 9] = [
    (0, 34, 78),
    (18, 53, 112),
    (59, 73, 108),
    (87, 93, 109),
    (112, 113, 115),
    (138, 134, 120),
    (165, 156, 116),
    (195, 179, 105),
    (254, 232, 56),
];
/// Contours to aim for.
const CONTOURS: usize = 5;
/// More columns than this leave no room for numbers.
const NUMBERED: usize = 9;
/// Steps of the colour bar.
const STEPS: usize = 48;

/// A table of values over two parameters.
#[derive(Debug, Clone)]
pub struct Heatmap {
    /// What it shows.
    pub title: String,
    /// Name and unit of the columns' parameter, and its values.
    pub x_label: String,
    /// Values of the columns' parameter.
    pub x: Vec<f64>,
    /// Name and unit of the rows' parameter, and its values.
    pub y_label: String,
    /// Values of the rows' parameter, from the bottom up.
    pub y: Vec<f64>,
    /// In what the values are measured.
    pub unit: String,
    /// The values, row by row from the bottom up; none where cells are missing.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Heatmap {
    /// The heatmap as an SVG element.
    pub fn render(&self) -> String {
        let scale = Scale::fitting(self.values.iter().flatten().flatten().copied());
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\" class=\"plot\">\
             <text class=\"title\" x=\"{LEFT}\" y=\"26\">{}</text>",
            escape(&self.title),
            escape(&self.title)
        );
        self.tiles(scale, &mut out);
        self.contours(scale, &mut out);
        self.numbers(scale, &mut out);
        self.ticks(&mut out);
        out.push_str(&axis_names(&self.x_label, &self.y_label));
        self.colour_bar(scale, &mut out);
        out.push_str("</svg>");
        out
    }

    fn tile_width(&self) -> f64 {
        (RIGHT - LEFT) / self.x.len().max(1) as f64
    }

    fn tile_height(&self) -> f64 {
        (BOTTOM - TOP) / self.y.len().max(1) as f64
    }

    /// The middle of a tile; fractions lie in between.
    fn middle(&self, (column, row): (f64, f64)) -> (f64, f64) {
        (LEFT + (column + 0.5) * self.tile_width(), BOTTOM - (row + 0.5) * self.tile_height())
    }

    fn tiles(&self, scale: Scale, out: &mut String) {
        let (width, height) = (self.tile_width(), self.tile_height());
        for (row, values) in self.values.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let (x, y) = (LEFT + column as f64 * width, BOTTOM - (row + 1) as f64 * height);
                let fill = value.map_or_else(|| "none".into(), |value| css(colour(scale.place(value))));
                let _ = write!(
                    out,
                    "<rect class=\"tile\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\"/>",
                    width + 0.5,
                    height + 0.5
                );
            }
        }
    }

    /// Contours at round values, each a dark line in a light one, which shows on every colour.
    fn contours(&self, scale: Scale, out: &mut String) {
        let logarithm = |value: f64| if scale.is_logarithmic() { value.ln() } else { value };
        let shown: Vec<Vec<Option<f64>>> =
            self.values.iter().map(|row| row.iter().map(|v| v.map(logarithm)).collect()).collect();
        for level in levels(scale) {
            let mut d = String::new();
            for [from, to] in segments(&shown, logarithm(level)) {
                let ((ax, ay), (bx, by)) = (self.middle(from), self.middle(to));
                let _ = write!(d, "M{ax:.1} {ay:.1}L{bx:.1} {by:.1}");
            }
            if !d.is_empty() {
                let _ = write!(
                    out,
                    "<path class=\"halo\" d=\"{d}\"/><path class=\"contour\" d=\"{d}\"><title>{}</title></path>",
                    plain(level, 3)
                );
            }
        }
    }

    fn numbers(&self, scale: Scale, out: &mut String) {
        if self.x.len() > NUMBERED {
            return;
        }
        for (row, values) in self.values.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let (x, y) = self.middle((column as f64, row as f64));
                let ink = value.map_or("mark", |v| if scale.place(v) > 0.55 { "dark" } else { "light" });
                let text = value.map_or_else(|| "–".into(), |v| plain(v, 2));
                let _ = write!(
                    out,
                    "<text class=\"{ink}\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{text}</text>",
                    y + 4.5
                );
            }
        }
    }

    fn ticks(&self, out: &mut String) {
        for (column, value) in self.x.iter().enumerate() {
            let (x, _) = self.middle((column as f64, 0.0));
            let _ = write!(
                out,
                "<text class=\"mark\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{}\">{}</text>",
                BOTTOM + 22.0,
                plain(*value, 4)
            );
        }
        for (row, value) in self.y.iter().enumerate() {
            let (_, y) = self.middle((0.0, row as f64));
            let _ = write!(
                out,
                "<text class=\"mark\" text-anchor=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
                LEFT - 10.0,
                y + 4.5,
                plain(*value, 4)
            );
        }
    }

    fn colour_bar(&self, scale: Scale, out: &mut String) {
        let (left, step) = (RIGHT + 40.0, (BOTTOM - TOP) / STEPS as f64);
        for k in 0..STEPS {
            let fill = css(colour((k as f64 + 0.5) / STEPS as f64));
            let y = BOTTOM - (k + 1) as f64 * step;
            let _ = write!(
                out,
                "<rect x=\"{left}\" y=\"{y:.1}\" width=\"22\" height=\"{:.1}\" fill=\"{fill}\"/>",
                step + 0.5
            );
        }
        for tick in scale.ticks() {
            let y = BOTTOM - (BOTTOM - TOP) * scale.place(tick.at);
            if let Some(label) = tick.label {
                let _ = write!(
                    out,
                    "<path class=\"tick\" d=\"M{} {y:.1}h6\"/><text class=\"mark\" x=\"{}\" y=\"{:.1}\">{label}</text>",
                    left + 22.0,
                    left + 33.0,
                    y + 4.5
                );
            }
        }
        for level in levels(scale) {
            let y = BOTTOM - (BOTTOM - TOP) * scale.place(level);
            let d = format!("M{left} {y:.1}h22");
            let _ = write!(out, "<path class=\"halo\" d=\"{d}\"/><path class=\"contour\" d=\"{d}\"/>");
        }
        let _ = write!(
            out,
            "<text class=\"name\" text-anchor=\"middle\" transform=\"translate({} {}) rotate(-90)\">{}</text>",
            left + 108.0,
            (TOP + BOTTOM) / 2.0,
            escape(&self.unit)
        );
    }
}

/// The values of the contours: some of those beside the colour bar, where they are drawn as well.
fn levels(scale: Scale) -> impl Iterator<Item = f64> {
    let labelled: Vec<f64> =
        scale.ticks().into_iter().filter(|tick| tick.label.is_some()).map(|tick| tick.at).collect();
    let every = labelled.len().div_ceil(CONTOURS).max(1);
    labelled.into_iter().step_by(every)
}

/// The colour at a share of the map.
fn colour(share: f64) -> (u8, u8, u8) {
    let at = share.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let below = (at.floor() as usize).min(COLOURS.len() - 2);
    let (a, b, rest) = (COLOURS[below], COLOURS[below + 1], at - below as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + rest * (f64::from(b) - f64::from(a))).round() as u8;
    (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

fn css((red, green, blue): (u8, u8, u8)) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
