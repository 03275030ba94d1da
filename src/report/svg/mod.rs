//! Plots as SVG: scales, curves with error bars and bands, heatmaps with contours.
//!
//! Colours are CSS classes (`c0`, `c1`, …), not values: the page that embeds a plot says what they are, once for light and once for
//! dark. Series differ in marker and dash as well as in colour, so that nothing depends on telling colours apart. A plot is
//! [`WIDTH`] units wide with text of at least 13 units: legible at 800 pixels.

mod contour;
mod heatmap;
mod plot;
mod scale;

pub use heatmap::Heatmap;
pub use plot::{Bar, Mark, Plot, Series, Stroke};
pub use scale::Scale;

/// Width of a plot.
pub const WIDTH: f64 = 800.0;
/// Height of a plot.
pub const HEIGHT: f64 = 460.0;
/// Number of series that look different; more are not drawn in one plot.
pub const SERIES: usize = 6;

/// The part of a plot that the axes enclose.
pub(super) mod frame {
    /// Left edge.
    pub const LEFT: f64 = 86.0;
    /// Right edge: the legend is beyond.
    pub const RIGHT: f64 = 560.0;
    /// Upper edge.
    pub const TOP: f64 = 44.0;
    /// Lower edge.
    pub const BOTTOM: f64 = 396.0;
}

/// Text that is safe inside SVG and HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
