//! Which component of a mixture a query came from: shares `r_k ∝ p_k N(y; m_k, Σ_k + τI)` that survive any query.
//!
//! Far from every component all densities underflow, and even their logarithms are so large that their differences
//! drown in rounding. So exponents are differences from the start. For components that share one covariance `vI`,
//! ```text
//! (|y − m_k|² − |y − c|²)/2v = (|m_k − c|²/2 − ⟨m_k − c, y − c⟩)/v,    c the mean nearest to y,
//! ```
//! loses nothing to `|y|²`; otherwise the quadratic forms are subtracted after scaling by the query's distance.

use super::gaussian::Gaussian;

/// Exponents `e_k` with shares `r_k ∝ exp(e_k)`; at least one of them is finite.
pub(crate) struct Likelihoods {
    exponents: Vec<f64>,
    /// What was subtracted from all of them: `ln Σ_k p_k N(y; …) = shift + ln Σ exp(e_k)`.
    shift: f64,
}

/// One component of a mixture whose components differ by translation.
#[derive(Clone, Copy)]
pub(crate) struct Location<'a> {
    /// `p_k`.
    pub(crate) weight: f64,
    /// `m_k`.
    pub(crate) point: &'a [f64],
}

impl Location<'_> {
    /// `(|y − c|² − |y − m_k|²)/2`, without forming either.
    fn gain(&self, anchor: &[f64], y: &[f64]) -> f64 {
        let coordinates = self.point.iter().zip(anchor).zip(y);
        coordinates.map(|((m, c), y)| (m - c) * ((y - c) - 0.5 * (m - c))).sum()
    }
}

/// The variance `v` when every covariance is `vI` with the same `v`.
pub(crate) fn shared_variance(components: &[Gaussian]) -> Option<f64> {
    let first = components[0].covariance().isotropic_variance()?;
    let same = |component: &Gaussian| component.covariance().isotropic_variance() == Some(first);
    components.iter().all(same).then_some(first)
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// `max |a_i − b_i|`, which overflows later than the Euclidean distance.
fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest, (a, b)| largest.max((a - b).abs()))
}

impl Likelihoods {
    /// For components `p_k N(m_k, vI)` with `v > 0`.
    pub(crate) fn of_locations<'a>(
        locations: impl Iterator<Item = Location<'a>> + Clone,
        variance: f64,
        y: &[f64],
    ) -> Self {
        // Two passes: the second starts from the location that the first, which starts anywhere, found nearest.
        let anchor = locations.clone().next().map_or(y, |location| location.point);
        let mut nearest = (0.0, anchor);
        for location in locations.clone() {
            let gain = location.gain(anchor, y);
            if gain > nearest.0 {
                nearest = (gain, location.point);
            }
        }
        let nearest = nearest.1;
        let exponent = |location: Location| location.weight.ln() + location.gain(nearest, y) / variance;
        let log_peak = -0.5 * y.len() as f64 * (std::f64::consts::TAU * variance).ln();
        let shift = log_peak - 0.5 * squared_distance(y, nearest) / variance;
        Self { exponents: locations.map(exponent).collect(), shift }
    }

    /// For components `p_k N(m_k, Σ_k)` seen through noise of variance `τ`.
    pub(crate) fn of_gaussians<'a>(
        components: impl Iterator<Item = (f64, &'a Gaussian)> + Clone,
        noise: f64,
        y: &[f64],
    ) -> Self {
        let distance = components.clone().map(|(_, c)| largest_gap(y, c.mean())).fold(1.0, f64::max);
        let quadratic = |component: &Gaussian| {
            let centred: Vec<f64> = component.centred(y).iter().map(|x| x / distance).collect();
            component.covariance().squared_length(&centred, noise)
        };
        let quadratics: Vec<f64> = components.clone().map(|(_, c)| quadratic(c)).collect();
        let least = quadratics.iter().copied().fold(f64::INFINITY, f64::min);
        // Multiplying one factor after the other keeps an overflow from meeting a difference of zero.
        let scaled =
            |difference: f64| if difference == 0.0 { 0.0 } else { 0.5 * difference * distance * distance };
        let exponent = |((weight, c), q): ((f64, &Gaussian), &f64)| {
            weight.ln() + c.covariance().log_peak(noise) - scaled(q - least)
        };
        Self { exponents: components.zip(&quadratics).map(exponent).collect(), shift: -scaled(least) }
    }

    fn largest(&self) -> f64 {
        self.exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// `ln Σ_k p_k N(y; m_k, Σ_k + τI)`.
    pub(crate) fn log_sum(&self) -> f64 {
        let largest = self.largest();
        self.shift + largest + self.exponents.iter().map(|e| (e - largest).exp()).sum::<f64>().ln()
    }

    /// The shares `r_k`, which sum to one.
    pub(crate) fn shares(&self) -> impl Iterator<Item = f64> {
        let largest = self.largest();
        let sum: f64 = self.exponents.iter().map(|e| (e - largest).exp()).sum();
        self.exponents.iter().map(move |e| (e - largest).exp() / sum)
    }
}
