//! What denoising a cloud did, as a page: the report, the risks by which `β` and the depth were chosen, the particles over depth.

use serde::Serialize;

use super::html::PARTICLES;
use super::number::plain;
use super::page::page;
use super::svg::{Bar, Mark, Plot, SERIES, Scale, Series, Stroke, escape};
use crate::cloud::Cloud;
use crate::denoise::Tried;
use crate::scale::ScoreTime;

const TEMPLATE: &str = include_str!("denoising.html");

/// Points that are shown of a cloud.
const SHOWN: usize = 1000;

/// What there is to show.
pub struct Denoising<'a> {
    /// Where the tokens came from.
    pub title: &'a str,
    /// The report as a terminal shows it.
    pub text: &'a str,
    /// What was tried, if `β` or the depth were chosen, and the denoising horizon.
    pub curve: &'a [Tried],
    /// The horizon `τ/2`, the unit of depth.
    pub horizon: ScoreTime,
    /// The tokens on their way to particles.
    pub path: &'a [(ScoreTime, &'a Cloud)],
    /// The tokens and their estimates.
    pub estimates: [&'a Cloud; 2],
}

/// A cloud that the slider shows.
#[derive(Serialize)]
struct View {
    name: &'static str,
    dimension: usize,
    score_time: Vec<f64>,
    points: Vec<Vec<f64>>,
}

impl Denoising<'_> {
    /// The page.
    pub fn html(&self) -> String {
        let parts = [
            ("title", escape(self.title)),
            ("text", escape(self.text)),
            ("risk", if self.curve.is_empty() { String::new() } else { self.risk() }),
            ("particles", self.particles()),
            ("shown", self.shown()),
        ];
        page(TEMPLATE, &parts)
    }

    /// Risks over depth, a curve for each of the temperatures about the best one.
    fn risk(&self) -> String {
        let mut curves: Vec<&[Tried]> = self.curve.chunk_by(|a, b| a.beta == b.beta).collect();
        let least = |curve: &&[Tried]| curve.iter().map(|t| t.risk.estimate).fold(f64::INFINITY, f64::min);
        curves.sort_by(|a, b| least(a).total_cmp(&least(b)));
        curves.truncate(SERIES);
        curves.sort_by(|a, b| a[0].beta.get().total_cmp(&b[0].beta.get()));
        let bar = |tried: &Tried| {
            let (y, error) = (tried.risk.estimate, tried.risk.standard_error);
            Bar { x: tried.score_time.get() / self.horizon.get(), y, low: y - error, high: y + error }
        };
        let bars: Vec<Vec<Bar>> = curves.iter().map(|curve| curve.iter().map(bar).collect()).collect();
        let all = || bars.iter().flatten();
        let (x, y) =
            (Scale::linear(all().map(|bar| bar.x)), Scale::linear(all().flat_map(|bar| [bar.low, bar.high])));
        let series = curves.iter().zip(&bars).enumerate().flat_map(|(look, (curve, bars))| {
            let trace = bars.iter().map(|bar| (bar.x, bar.y)).collect();
            let name = format!("β = {}", plain(curve[0].beta.get(), 3));
            [
                Series { name, look, mark: Mark::Points(bars.clone()) },
                Series { name: String::new(), look, mark: Mark::Curve(Stroke::Solid, trace) },
            ]
        });
        let plot = Plot {
            title: "Estimated risk".into(),
            x_label: "depth (denoising horizons τ/2)".into(),
            y_label: "mean squared error per token (length²)".into(),
            x,
            y,
            series: series.collect(),
        };
        let words = "Stein's estimate, from the tokens alone, with its standard error, most of which all points have in common. Depth zero is the one-shot estimator.";
        format!("<h2>Risk</h2>\n{}\n<p class=\"label\">{words}</p>", plot.render())
    }

    fn particles(&self) -> String {
        let axes = self.axes();
        let ends = [ScoreTime::ZERO, self.path.last().map_or(ScoreTime::ZERO, |(time, _)| *time)];
        let estimates: Vec<(ScoreTime, &Cloud)> = ends.into_iter().zip(self.estimates).collect();
        let views =
            [view("tokens to particles", self.path, &axes), view("tokens to estimates", &estimates, &axes)];
        let json = serde_json::to_string(&views).unwrap_or_default().replace('<', "\\u003c");
        page(PARTICLES, &[("data", json)])
    }

    fn dimension(&self) -> usize {
        self.estimates[0].dimension()
    }

    fn shown(&self) -> String {
        let which = match self.dimension() {
            1 | 2 => "",
            _ => "; coordinates are along the two longest principal axes of the estimates",
        };
        let count = self.estimates[0].len();
        let some =
            if count > SHOWN { format!("every {}th of ", count.div_ceil(SHOWN)) } else { String::new() };
        format!("Shown: {some}{count} points{which}.")
    }

    /// Directions that are shown: those of the coordinates, or beyond the plane the two principal axes along which the estimates vary most.
    fn axes(&self) -> Vec<Vec<f64>> {
        let d = self.dimension();
        if d <= 2 {
            return (0..d).map(|c| (0..d).map(|k| f64::from(u8::from(k == c))).collect()).collect();
        }
        let eigen = self.estimates[1].covariance().symmetric_eigen();
        let mut order: Vec<usize> = (0..d).collect();
        order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
        order[..2].iter().map(|k| eigen.eigenvectors.column(*k).iter().copied().collect()).collect()
    }
}

fn view(name: &'static str, path: &[(ScoreTime, &Cloud)], axes: &[Vec<f64>]) -> View {
    let along = |row: &[f64], axis: &Vec<f64>| row.iter().zip(axis).map(|(x, a)| x * a).sum::<f64>();
    let points = |cloud: &Cloud| -> Vec<f64> {
        let rows = cloud.rows().step_by(cloud.len().div_ceil(SHOWN));
        rows.flat_map(|row| axes.iter().map(move |axis| rounded(along(row, axis)))).collect()
    };
    View {
        name,
        dimension: axes.len(),
        score_time: path.iter().map(|(time, _)| time.get()).collect(),
        points: path.iter().map(|(_, cloud)| points(cloud)).collect(),
    }
}

/// Four decimals of what is of size one, as a page needs.
fn rounded(x: f64) -> f64 {
    let digits = format!("{x:.5e}");
    digits.parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::denoise::Tuner;
    use crate::law::Law;
    use crate::scale::NoiseVariance;

    #[test]
    fn a_page_shows_risks_and_particles_in_any_dimension() {
        let noise = NoiseVariance::new(0.2).unwrap();
        for mean in ["1", "[1, 0]", "[1, 0, 2]"] {
            let law = Law::parse(&format!("{{ kind = 'gaussian', mean = {mean}, std = 1 }}")).unwrap();
            let tokens = law.sample_noisy(50, noise, 1).unwrap().noisy;
            let tuning = Tuner::new(noise).tune(&tokens).unwrap();
            let page = Denoising {
                title: "a <title>",
                text: "1 < 2",
                curve: &tuning.curve,
                horizon: noise.denoising_horizon(),
                path: &[(ScoreTime::ZERO, &tokens), (noise.denoising_horizon(), &tokens)],
                estimates: [&tokens, &tokens],
            }
            .html();
            assert!(page.contains("a &lt;title&gt;") && page.contains("1 &lt; 2"));
            assert!(page.contains("Estimated risk") && page.contains("\"tokens to estimates\""));
            assert!(!page.contains("NaN") && !page.contains("{{"));
        }
    }
}
