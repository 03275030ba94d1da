//! [`PerSource`] and [`Forcing`]: where errors come from, kept apart.

use super::up::Up;

/// One number per particle and source of error.
#[derive(Debug, Clone)]
pub(super) struct PerSource {
    pub integration: Vec<f64>,
    pub truncation: Vec<f64>,
    pub rounding: Vec<f64>,
    /// Tokens that are not known exactly.
    pub tokens: Vec<f64>,
}

/// The place of rounding among the sources.
pub(super) const ROUNDING: usize = 2;

impl PerSource {
    /// Number of sources.
    pub const COUNT: usize = 4;

    pub fn zero(particles: usize) -> Self {
        let zero = || vec![0.0; particles];
        Self { integration: zero(), truncation: zero(), rounding: zero(), tokens: zero() }
    }

    /// The sources in their order.
    pub fn parts(&self) -> [&[f64]; Self::COUNT] {
        [&self.integration, &self.truncation, &self.rounding, &self.tokens]
    }

    pub fn at(&self, source: usize, particle: usize) -> f64 {
        self.parts()[source][particle]
    }

    pub fn set(&mut self, source: usize, particle: usize, value: f64) {
        let part = match source {
            0 => &mut self.integration,
            1 => &mut self.truncation,
            ROUNDING => &mut self.rounding,
            _ => &mut self.tokens,
        };
        part[particle] = value;
    }

    /// All sources together, per particle.
    pub fn total(&self) -> Vec<f64> {
        let sum = |i: usize| self.parts().iter().map(|part| part[i]).sum();
        (0..self.integration.len()).map(sum).collect()
    }

    /// Combines two, entry by entry.
    pub fn map2(&self, other: &Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        let join = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| combine(*a, *b)).collect();
        Self {
            integration: join(&self.integration, &other.integration),
            truncation: join(&self.truncation, &other.truncation),
            rounding: join(&self.rounding, &other.rounding),
            tokens: join(&self.tokens, &other.tokens),
        }
    }
}

/// The defect over a stretch: what drives the distance to the exact flow.
pub(super) struct Forcing {
    /// A bound that holds at every time of the stretch.
    pub largest: PerSource,
    /// A bound on the mean over the stretch.
    pub mean: PerSource,
    /// Rounding of the positions at which the drift was evaluated.
    pub position: Vec<f64>,
}

impl Forcing {
    /// The largest defect from a source, for a particle whose rate is `rate`.
    pub fn largest_at(&self, source: usize, particle: usize, rate: f64) -> Up {
        Up::of(self.largest.at(source, particle)) + self.misplacement(source, particle, rate)
    }

    /// The mean defect from a source, for a particle whose rate is `rate`.
    pub fn mean_at(&self, source: usize, particle: usize, rate: f64) -> Up {
        Up::of(self.mean.at(source, particle)) + self.misplacement(source, particle, rate)
    }

    /// What a particle's own misplacement does to its drift; `‖J_ii‖ ≤ max(μ_i, 1)`. That of the others is in their columns.
    fn misplacement(&self, source: usize, particle: usize, rate: f64) -> Up {
        if source == ROUNDING { Up::of(rate.max(1.0)) * Up::of(self.position[particle]) } else { Up::ZERO }
    }
}
