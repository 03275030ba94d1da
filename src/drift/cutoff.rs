//! Which pairs of tiles may be left out, and what leaving them out can cost.
//!
//! # Formula
//! Leaving out the sources of a set `P` moves the drift of a target `x` by at most
//!
//! ```text
//! |v − v^c| ≤ Σ_{j∈P} ω_j w_j (|z_j − x| + |v^c|) / D^c,      D^c = Σ_{j∉P} ω_j w_j,
//! ```
//!
//! because `v − v^c = Σ_P ω_j w_j (z_j − x − v^c) / D` and `D ≥ D^c`. For `r ≥ β^(−1/2)` both `w` and `w·r` decrease, so a tile `J` of weight `ω(J)` at
//! distance `r` adds at most `ω(J) 2^(−κr²)(r + |v^c|)/D^c`: the certificate, summed over the boxes that were really left out.
//!
//! Before anything is summed, a tile may be left out when its share is at most `ε/T` (`T` tiles):
//!
//! ```text
//! κr² ≥ log₂(T/ε) + log₂(ρ + V) + log₂ ω(J) − log₂ D_low
//! ```
//!
//! `D_low` bounds the masses of the targets from below: in a self-drift, what the targets' own tile contributes; for other targets, the
//! heaviest single term. It is local, so the tails of a weighted cloud keep their relative accuracy however small their density is. `V` bounds
//! every drift: with `a_j = ω_j w_j/D`, Jensen's inequality gives `κ|v|² ≤ Σ a_j κ|Δ_j|² ≤ log₂(Ω/D)`, where `Ω` is the total weight. `ρ` is the largest distance at which
//! the right-hand side can be met; beyond it `κr²` outgrows `log₂(r + V)`.

use std::f64::consts::LOG2_E;

/// The certificate's own arithmetic is rounded; its relative error is far below this.
const SLACK: f64 = 1.0 + 1e-9;

/// Squared distances are rounded; shrinking them by this much makes them lower bounds, also where they are huge.
const SHRINK: f64 = 1.0 - 1e-12;

/// Bits by which parts of tiles must have less mass than whole tiles to be left out.
const MARGIN: f64 = 3.0;

/// Fixed-point steps towards `ρ`; the logarithm makes it converge in three or four.
const STEPS: usize = 6;

/// The rule by which tiles are left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cutoff {
    sharpness: f64,
    /// `log₂(T/ε) + log₂(ρ + V)`
    bits: f64,
}

/// What the rule needs to know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// `κ`
    pub(super) sharpness: f64,
    /// `ε` in tile units; zero leaves nothing out.
    pub(super) tolerance: f64,
    /// `T`
    pub(super) tiles: usize,
    /// `Ω`
    pub(super) total: f64,
    /// `log₂` of the largest `ω(J)`
    pub(super) heaviest: f64,
    /// `−log₂` of the smallest `D_low`
    pub(super) largest_deficit: f64,
}

impl Cutoff {
    /// The cutoff that keeps the whole truncation error of every target below the tolerance.
    pub(super) fn new(budget: Budget) -> Self {
        let Budget { sharpness, tolerance, tiles, total, heaviest, largest_deficit } = budget;
        let share = (tiles as f64 / tolerance).log2();
        let fastest = ((total.log2() + largest_deficit).max(0.0) / sharpness).sqrt();
        let demand = share + heaviest + largest_deficit;
        let farthest = |rho: f64| ((demand + (rho + fastest).log2()).max(0.0) / sharpness).sqrt();
        // Starting above the fixed point of an increasing function, every iterate stays above it.
        let start = 1e3 * (1.0 + fastest + (1.0 + demand.max(0.0).sqrt()) / sharpness.sqrt());
        let rho = (0..STEPS).fold(start, |rho, _| farthest(rho));
        Self { sharpness, bits: share + (rho + fastest).log2() }
    }

    /// True when nothing is ever left out.
    pub(super) fn is_infinite(&self) -> bool {
        self.bits == f64::INFINITY
    }

    /// The least squared distance at which sources may be left out.
    pub(super) fn least_gap_2(&self, demand: f64) -> f64 {
        self.distance_2(self.enough(demand))
    }

    /// The squared distance from which parts of two tiles may be left out. It is larger than the tiles' own by [`MARGIN`], because the
    /// certificate counts every such tile as if all of it lay there.
    pub(super) fn limit_2(&self, demand: f64) -> f64 {
        self.distance_2(self.enough(demand) + MARGIN)
    }

    /// A squared distance whose exponent exceeds a given one even after being shrunk, and by as much as rounding may hide.
    fn distance_2(&self, exponent: f64) -> f64 {
        exponent / (self.sharpness * SHRINK * SHRINK)
    }

    /// May a tile at squared distance `gap_2` be left out, where `demand = log₂ ω(J) − log₂ D_low`?
    pub(super) fn leaves_out(&self, gap_2: f64, demand: f64) -> bool {
        let enough = self.enough(demand);
        enough.is_finite() && self.sharpness * (gap_2 * SHRINK) >= enough
    }

    /// The least exponent at which a tile may be left out; `w·r` must be decreasing there.
    fn enough(&self, demand: f64) -> f64 {
        (self.bits + demand).max(0.5 * LOG2_E + 1e-6)
    }
}

/// What was left out for the targets of one tile: the sums of `ω(J) 2^(base − κr²)` and of the same times `r`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Omitted {
    mass: f64,
    moment: f64,
}

impl Omitted {
    /// Adds a box of weight `mass` at squared distance `gap_2`.
    pub(super) fn add(&mut self, mass: f64, gap_2: f64, sharpness: f64, base: f64) {
        let at_most = mass * (base - sharpness * (gap_2 * SHRINK)).exp2();
        self.mass += at_most;
        self.moment += at_most * gap_2.sqrt();
    }

    /// The certificate for a target of drift `speed = |v^c|` and mass `D^c·2^base`, in tile units.
    pub(super) fn bound(&self, speed: f64, mass: f64) -> f64 {
        if self.mass == 0.0 { 0.0 } else { SLACK * (self.moment + self.mass * speed) / mass }
    }
}
