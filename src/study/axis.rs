//! [`Axis`]: what a study sweeps over, and [`Setting`]: one value for each.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A parameter that a sweep may vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Axis {
    /// The number of tokens `N`.
    N,
    /// The radius `R` of the ball that truncates the initial cloud.
    Radius,
    /// The inverse temperature `β`.
    Beta,
    /// The variance `τ` of the noise.
    NoiseVar,
    /// The number of layers `L`.
    Layers,
}

impl Axis {
    /// All axes, in the order in which they vary: the last one fastest.
    pub const ALL: [Self; 5] = [Self::NoiseVar, Self::Beta, Self::Radius, Self::Layers, Self::N];

    /// The key in a study's file.
    pub fn key(self) -> &'static str {
        match self {
            Self::N => "n",
            Self::Radius => "radius",
            Self::Beta => "beta",
            Self::NoiseVar => "noise_var",
            Self::Layers => "layers",
        }
    }

    /// The letter in formulas.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::N => "N",
            Self::Radius => "R",
            Self::Beta => "β",
            Self::NoiseVar => "τ",
            Self::Layers => "L",
        }
    }

    /// Name and unit, as they stand beside an axis of a plot.
    pub fn label(self) -> &'static str {
        match self {
            Self::N => "tokens N (count)",
            Self::Radius => "ball radius R (length)",
            Self::Beta => "inverse temperature β (length⁻²)",
            Self::NoiseVar => "noise variance τ (length²)",
            Self::Layers => "layers L (count)",
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// One value for every axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// How many tokens.
    pub n: usize,
    /// `β`.
    pub beta: f64,
    /// `τ`.
    pub noise_var: f64,
    /// `R`, or none: all tokens are particles.
    pub radius: Option<f64>,
    /// `L`, or none: the flow is an ODE under an adaptive integrator.
    pub layers: Option<usize>,
}

impl Setting {
    /// The value on an axis; none where the parameter is not in use.
    pub fn get(&self, axis: Axis) -> Option<f64> {
        match axis {
            Axis::N => Some(self.n as f64),
            Axis::Beta => Some(self.beta),
            Axis::NoiseVar => Some(self.noise_var),
            Axis::Radius => self.radius,
            Axis::Layers => self.layers.map(|layers| layers as f64),
        }
    }

    /// Puts a value on an axis.
    pub(super) fn set(&mut self, axis: Axis, value: f64) {
        match axis {
            Axis::N => self.n = value as usize,
            Axis::Beta => self.beta = value,
            Axis::NoiseVar => self.noise_var = value,
            Axis::Radius => self.radius = Some(value),
            Axis::Layers => self.layers = Some(value as usize),
        }
    }

    /// `βτ/2`, where the flow ends.
    pub fn raw_horizon(&self) -> f64 {
        0.5 * self.beta * self.noise_var
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "N = {}, β = {}, τ = {}", self.n, self.beta, self.noise_var)?;
        if let Some(radius) = self.radius {
            write!(f, ", R = {radius}")?;
        }
        self.layers.map_or(Ok(()), |layers| write!(f, ", L = {layers}"))
    }
}
