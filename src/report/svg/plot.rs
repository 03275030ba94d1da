//! [`Plot`]: curves over an axis, with error bars, bands and a legend.

use std::fmt::Write;

use super::frame::{BOTTOM, LEFT, RIGHT, TOP};
use super::{HEIGHT, SERIES, Scale, WIDTH, escape};

/// Lines of the legend are this far apart, and hold this many letters.
const LEGEND_LINE: f64 = 21.0;
const LEGEND_LETTERS: usize = 25;

/// Neighbouring series stand this far apart at the same place.
const ASIDE: f64 = 4.0;

/// Curves and points over two labelled axes.
#[derive(Debug, Clone)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// Range and label from left to right.
    pub x: Scale,
    /// The vertical axis.
    pub y: Scale,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
}

/// Marks that belong together and look alike.
#[derive(Debug, Clone)]
pub struct Series {
    /// What the legend says; empty for what needs no entry.
    pub name: String,
    /// Which look, from zero.
    pub look: usize,
    /// What is drawn.
    pub mark: Mark,
}

/// Ways of drawing.
#[derive(Debug, Clone)]
pub enum Mark {
    /// Points, each with an error bar where its ends differ.
    Points(Vec<Bar>),
    /// A curve.
    Curve(Stroke, Vec<(f64, f64)>),
    /// The area between two curves.
    Band(Vec<Bar>),
}

/// A value with an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Where.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// Without gaps: measured.
    Solid,
    /// Dashed: fitted.
    Dashed,
    /// Dotted: expected or exact.
    Dotted,
}

impl Plot {
    /// The plot as an SVG element.
    pub fn render(&self) -> String {
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\" class=\"plot\">",
            escape(&self.title)
        );
        out.push_str(&axes(self.x, self.y, &self.x_label, &self.y_label));
        let _ = write!(out, "<text class=\"title\" x=\"{LEFT}\" y=\"26\">{}</text>", escape(&self.title));
        let _ = write!(
            out,
            "<svg x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" viewBox=\"{LEFT} {TOP} {} {}\">",
            RIGHT - LEFT,
            BOTTOM - TOP,
            RIGHT - LEFT,
            BOTTOM - TOP
        );
        self.series.iter().for_each(|series| self.draw(series, &mut out));
        out.push_str("</svg>");
        self.legend(&mut out);
        out.push_str("</svg>");
        out
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * self.x.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * self.y.place(value)
    }

    fn draw(&self, series: &Series, out: &mut String) {
        let look = series.look % SERIES;
        match &series.mark {
            Mark::Points(bars) => {
                let aside = self.aside(look);
                bars.iter().for_each(|bar| self.bar(bar, aside, look, out));
            }
            Mark::Curve(stroke, points) => {
                let aside = if *stroke == Stroke::Solid { self.aside(look) } else { 0.0 };
                let places = points.iter().map(|(x, y)| (self.x(*x) + aside, self.y(*y)));
                let _ =
                    write!(out, "<path class=\"line {} c{look}\" d=\"{}\"/>", stroke.class(), path(places));
            }
            Mark::Band(bars) => {
                let there = bars.iter().map(|bar| (self.x(bar.x), self.y(bar.high)));
                let back = bars.iter().rev().map(|bar| (self.x(bar.x), self.y(bar.low)));
                let _ = write!(out, "<path class=\"band f{look}\" d=\"{}Z\"/>", path(there.chain(back)));
            }
        }
    }

    /// How far to the side the points of a look stand, so that error bars at one place do not hide one another. Beside a curve that they are
    /// compared with they stand where they belong.
    fn aside(&self, look: usize) -> f64 {
        let compared =
            |series: &Series| matches!(series.mark, Mark::Curve(Stroke::Dashed | Stroke::Dotted, _));
        let sets = self.series.iter().filter(|series| matches!(series.mark, Mark::Points(_))).count();
        if sets == 0 || self.series.iter().any(compared) {
            return 0.0;
        }
        ASIDE * (look as f64 - 0.5 * (sets as f64 - 1.0))
    }

    fn bar(&self, bar: &Bar, aside: f64, look: usize, out: &mut String) {
        let (x, y, low, high) = (self.x(bar.x) + aside, self.y(bar.y), self.y(bar.low), self.y(bar.high));
        if (low - high).abs() > 1.0 {
            let d = format!(
                "M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}H{:.1}M{:.1} {high:.1}H{:.1}",
                x - 4.0,
                x + 4.0,
                x - 4.0,
                x + 4.0
            );
            let _ = write!(out, "<path class=\"line thin c{look}\" d=\"{d}\"/>");
        }
        out.push_str(&marker(x, y, look));
    }

    fn legend(&self, out: &mut String) {
        let mut y = TOP + 12.0;
        for series in self.series.iter().filter(|series| !series.name.is_empty()) {
            let (left, look) = (RIGHT + 16.0, series.look % SERIES);
            match &series.mark {
                Mark::Points(_) => out.push_str(&marker(left + 12.0, y - 4.0, look)),
                Mark::Curve(stroke, _) => {
                    let class = stroke.class();
                    let _ =
                        write!(out, "<path class=\"line {class} c{look}\" d=\"M{left} {:.1}h24\"/>", y - 4.0);
                }
                Mark::Band(_) => {
                    let _ = write!(
                        out,
                        "<rect class=\"band f{look}\" x=\"{left}\" y=\"{:.1}\" width=\"24\" height=\"12\"/>",
                        y - 10.0
                    );
                }
            }
            for line in wrapped(&series.name, LEGEND_LETTERS) {
                let _ = write!(
                    out,
                    "<text class=\"legend\" x=\"{}\" y=\"{y:.1}\">{}</text>",
                    left + 32.0,
                    escape(&line)
                );
                y += 16.0;
            }
            y += LEGEND_LINE - 16.0;
        }
    }
}

impl Stroke {
    fn class(self) -> &'static str {
        match self {
            Self::Solid => "solid",
            Self::Dashed => "dashed",
            Self::Dotted => "dotted",
        }
    }
}

/// Lines of whole words, none longer than asked for unless a word is.
fn wrapped(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A path through places.
pub(super) fn path(places: impl Iterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (k, (x, y)) in places.enumerate() {
        let _ = write!(d, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
    }
    d
}

/// A shape per look: circle, square, diamond, triangles, cross.
fn marker(x: f64, y: f64, look: usize) -> String {
    let d = match look {
        0 => return format!("<circle class=\"f{look}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"),
        1 => format!("M{:.1} {:.1}h8v8h-8Z", x - 4.0, y - 4.0),
        2 => format!("M{x:.1} {:.1}l5.5 5.5l-5.5 5.5l-5.5 -5.5Z", y - 5.5),
        3 => format!("M{x:.1} {:.1}l5 9h-10Z", y - 5.5),
        4 => format!("M{x:.1} {:.1}l5 -9h-10Z", y + 5.5),
        _ => format!("M{:.1} {:.1}h3v-3h4v3h3v4h-3v3h-4v-3h-3Z", x - 5.0, y - 2.0),
    };
    format!("<path class=\"f{look}\" d=\"{d}\"/>")
}

/// The frame with its ticks, grid and labels.
fn axes(x: Scale, y: Scale, x_label: &str, y_label: &str) -> String {
    let (width, height) = (RIGHT - LEFT, BOTTOM - TOP);
    let mut out =
        format!("<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{width}\" height=\"{height}\"/>");
    for tick in x.ticks() {
        let at = LEFT + width * x.place(tick.at);
        let length = if tick.label.is_some() { 6 } else { 3 };
        let _ = write!(out, "<path class=\"tick\" d=\"M{at:.1} {BOTTOM}v{length}\"/>");
        if let Some(label) = tick.label {
            let _ = write!(out, "<path class=\"grid\" d=\"M{at:.1} {TOP}V{BOTTOM}\"/>");
            let _ = write!(
                out,
                "<text class=\"mark\" text-anchor=\"middle\" x=\"{at:.1}\" y=\"{}\">{label}</text>",
                BOTTOM + 22.0
            );
        }
    }
    for tick in y.ticks() {
        let at = BOTTOM - height * y.place(tick.at);
        let length = if tick.label.is_some() { 6 } else { 3 };
        let _ = write!(out, "<path class=\"tick\" d=\"M{LEFT} {at:.1}h-{length}\"/>");
        if let Some(label) = tick.label {
            let _ = write!(out, "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{RIGHT}\"/>");
            let _ = write!(
                out,
                "<text class=\"mark\" text-anchor=\"end\" x=\"{}\" y=\"{:.1}\">{label}</text>",
                LEFT - 10.0,
                at + 4.5
            );
        }
    }
    out.push_str(&axis_names(x_label, y_label));
    out
}

/// The labels beside both axes.
pub(super) fn axis_names(x_label: &str, y_label: &str) -> String {
    let (middle, centre) = ((LEFT + RIGHT) / 2.0, (TOP + BOTTOM) / 2.0);
    format!(
        "<text class=\"name\" text-anchor=\"middle\" x=\"{middle}\" y=\"{}\">{}</text>\
         <text class=\"name\" text-anchor=\"middle\" transform=\"translate(20 {centre}) rotate(-90)\">{}</text>",
        BOTTOM + 50.0,
        escape(x_label),
        escape(y_label)
    )
}
