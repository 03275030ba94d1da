//! A standard normal seen through a window `[α, α + Δ]`: its mass and its first moment, however far out or narrow.
//!
//! # Formula
//! ```text
//! mass  = ∫_0^Δ φ(α + u) du,     moment = ∫_0^Δ u φ(α + u) du
//! ```
//! For `α ≥ 0` both are `φ(α)` times differences of the ratios `R_n` of [`tail`]; the factor is kept apart, since it
//! underflows long before the ratio of the two does. Where the differences would cancel, one quadrature panel replaces them.

use crate::numeric::quadrature::TWELVE;
use crate::numeric::tail;

/// Below this variation of the exponent across the window, differences cancel and the panel is exact.
const GENTLE_TILT: f64 = 2.0;
/// The widest window around the origin for which the panel is exact.
const NARROW: f64 = 1.5;

/// The mass and the moment about the near end, both without the factor `scale`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// `ln φ(α)` for a window to the right of the origin, else zero: the logarithm of the scale.
    pub(crate) log_scale: f64,
    /// `∫_0^Δ φ(α + u) du / scale`.
    pub(crate) mass: f64,
    /// `∫_0^Δ u φ(α + u) du / scale`.
    pub(crate) moment: f64,
}

impl Window {
    /// The window `[start, start + width]`; its middle must not be negative (reflect it otherwise).
    pub(crate) fn new(start: f64, width: f64) -> Self {
        let tilt = width * (start + 0.5 * width);
        if start < 0.0 && width > NARROW {
            return Self::around_the_origin(start, width);
        }
        let (mass, moment) = if tilt <= GENTLE_TILT && width <= NARROW {
            let weight = |u: f64| (-u * (start + 0.5 * u)).exp();
            let half = 0.5 * width;
            (TWELVE.about(half, half, weight), TWELVE.about(half, half, |u| u * weight(u)))
        } else {
            Self::to_the_right(start, width, (-tilt).exp())
        };
        Self { log_scale: tail::log_density(start), mass, moment }
    }

    /// The scaled mass and moment for `α ≥ 0`; `decay = φ(α + Δ)/φ(α)`.
    fn to_the_right(start: f64, width: f64, decay: f64) -> (f64, f64) {
        let (near, near_first) = (tail::mills(start), tail::mills_first(start));
        if decay == 0.0 {
            return (near, near_first);
        }
        let (far, far_first) = (tail::mills(start + width), tail::mills_first(start + width));
        (near - decay * far, near_first - decay * (far_first + width * far))
    }

    fn around_the_origin(start: f64, width: f64) -> Self {
        let end = start + width;
        let mass = 1.0 - tail::upper(-start) - tail::upper(end);
        let moment = tail::density(start) - tail::density(end) - start * mass;
        Self { log_scale: 0.0, mass, moment }
    }

    /// The mean distance from the near end, `moment/mass`.
    pub(crate) fn mean(&self) -> f64 {
        self.moment / self.mass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of ratios that agree to a few units in the last place, by at most a factor ten.
    const ROUNDOFF: f64 = 1e-14;

    struct Row {
        start: f64,
        width: f64,
        mean: f64,
        log_mass: f64,
    }

    /// mpmath: differences of `erfc` with 700 digits up to a start of 40, quadrature with 60 digits beyond.
    const REFERENCE: [Row; 24] = [
        Row { start: 0.0, width: 1.0, mean: 0.4598622292864265, log_mass: -1.0748623268620714 },
        Row { start: 0.5, width: 1e-06, mean: 4.999999583332916e-07, log_mass: -14.859449341169103 },
        Row { start: 0.5, width: 0.3, mean: 0.14514266968879372, log_mass: -2.3363265870390446 },
        Row { start: 3.0, width: 0.1, mean: 0.04746310865069443, log_mass: -7.869318471076653 },
        Row { start: 3.0, width: 0.9, mean: 0.2517955544434138, log_mass: -6.644006060458344 },
        Row { start: 10.0, width: 0.05, mean: 0.02292032414069252, log_mass: -54.15464135338166 },
        Row { start: 10.0, width: 0.5, mean: 0.09526873531328099, log_mass: -53.2369693717525 },
        Row { start: 10.0, width: 40.0, mean: 0.09809323396251196, log_mass: -53.23128515051247 },
        Row { start: 50.0, width: 0.001, mean: 0.000495833465411526, log_mass: -1257.851589812277 },
        Row { start: 50.0, width: 0.041, mean: 0.013939960974570889, log_mass: -1254.9689251594634 },
        Row { start: 50.0, width: 1.0, mean: 0.01998403190563981, log_mass: -1254.8313611394199 },
        Row { start: 1000000.0, width: 1e-07, mean: 4.9166805522494993e-08, log_mass: -500000000017.0866 },
        Row { start: 1000000.0, width: 3.0, mean: 9.99999999998e-07, log_mass: -500000000014.73444 },
        Row { start: -0.1, width: 0.3, mean: 0.1496261251870706, log_mass: -2.1278963696652227 },
        Row { start: -0.5, width: 1.2, mean: 0.5885684068476065, log_mass: -0.7996220745713245 },
        Row { start: -0.7, width: 1.49, mean: 0.7372743976437469, log_mass: -0.610144310284875 },
        Row { start: -0.7, width: 1.51, mean: 0.7453224650464296, log_mass: -0.599536152760171 },
        Row { start: -2.0, width: 4.0, mean: 2.0, log_mass: -0.046567912292390164 },
        Row { start: -3.0, width: 50.0, mean: 3.004437839042126, log_mass: -0.0013508099647481938 },
        Row { start: -0.02, width: 1.6, mean: 0.6506099130352231, log_mass: -0.7964545154829636 },
        Row { start: 30.0, width: 0.0666, mean: 0.022876294345229756, log_mass: -454.46627754317217 },
        Row { start: 300.0, width: 2.0, mean: 0.0033332592633741475, log_mass: -45006.62273211866 },
        Row { start: 1.2, width: 1.4, mean: 0.43577183703749905, log_mass: -2.2035683165870026 },
        Row { start: 0.1, width: 1.55, mean: 0.6175240429918241, log_mass: -0.8898905665447389 },
    ];

    #[test]
    fn windows_match_forty_digits() {
        for row in &REFERENCE {
            let window = Window::new(row.start, row.width);
            assert!((window.mean() / row.mean - 1.0).abs() < ROUNDOFF, "{window:?} at {}", row.start);
            let log_mass = window.log_scale + window.mass.ln();
            assert!((log_mass - row.log_mass).abs() < ROUNDOFF * (1.0 + row.log_mass.abs()), "{window:?}");
        }
    }
}
