//! [`Correction`]: the error of a run, with its sign, followed beside the run.
//!
//! # Formula
//! Let `p` be the quintic through the ends of a step with velocities `v` and accelerations `J v` there, and `ρ = ṗ − v(p)` its defect.
//! The error `δ = z̃ − z` obeys `δ̇ = v(p) − v(p − δ) + ρ`. Over a step,
//! ```text
//! δ(θ) = H(θ) + L(θ),     L = ∫ρ dt     (nodes.rs),
//! H the cubic with the values δ₀, δ₁ − L(1) and the slopes k = v(z̃) − v(z̃ − δ) at the ends,
//! δ₁ = δ₀ + h k₀ + (h²/2)(k₀ − k₋₁)/h₋₁ + L(1).
//! ```
//! `p − δ` is a path much closer to the exact flow than `p` is. Its slope at the ends is the drift there, exactly.

use super::curve::{Anchor, Curve};
use super::nodes::Nodes;
use crate::error::Result;
use crate::flow::Field;

/// The signed error at the end of the steps so far.
pub(super) struct Correction {
    /// `δ`, row-major like the cloud.
    pub error: Vec<f64>,
    /// `k = v(z̃) − v(z̃ − δ)`.
    slope: Vec<f64>,
    /// `k` one step earlier, and the length of that step.
    before: Option<(Vec<f64>, f64)>,
}

impl Correction {
    /// An exact start.
    pub fn new(coordinates: usize) -> Self {
        Self { error: vec![0.0; coordinates], slope: vec![0.0; coordinates], before: None }
    }

    /// Follows the error over a step and returns the corrected path. Afterwards the field's last evaluation is that of the
    /// corrected end.
    pub fn advance(
        &mut self,
        field: &mut Field<'_>,
        nodes: &Nodes,
        (start, end): (Anchor<'_>, Anchor<'_>),
        (from, duration): (f64, f64),
    ) -> Result<Curve> {
        let mut curve = Curve::hermite(start, end, duration);
        let defects: Vec<Vec<f64>> =
            nodes.positions.iter().map(|theta| defect(field, &curve, from, *theta)).collect::<Result<_>>()?;
        let local = nodes.local_error(&defects, duration);
        let arisen: Vec<f64> =
            (0..self.error.len()).map(|i| local.iter().map(|power| power[i]).sum()).collect();
        let next: Vec<f64> = (0..self.error.len()).map(|i| self.carried(i, duration) + arisen[i]).collect();
        let corrected: Vec<f64> = end.points.iter().zip(&next).map(|(z, e)| z - e).collect();
        let mut slope = vec![0.0; next.len()];
        field.evaluate(from + duration, &corrected, &mut slope)?;
        slope.iter_mut().zip(end.velocity).for_each(|(k, v)| *k = v - *k);
        curve.subtract(&local);
        curve.subtract(&self.cubic(&next, &arisen, &slope, duration));
        let past = std::mem::replace(&mut self.slope, slope);
        self.before = Some((past, duration));
        self.error = next;
        Ok(curve)
    }

    /// Where the error at the start of the step will have gone by its end.
    fn carried(&self, i: usize, duration: f64) -> f64 {
        let bend = self.before.as_ref().map_or(0.0, |(past, length)| (self.slope[i] - past[i]) / length);
        self.error[i] + duration * (self.slope[i] + duration / 2.0 * bend)
    }

    /// `H`, from the constant upwards.
    fn cubic(&self, next: &[f64], arisen: &[f64], slope: &[f64], duration: f64) -> Vec<Vec<f64>> {
        let mut powers = vec![vec![0.0; next.len()]; 4];
        for i in 0..next.len() {
            let rise = next[i] - arisen[i] - self.error[i];
            let (begin, finish) = (duration * self.slope[i], duration * slope[i]);
            powers[0][i] = self.error[i];
            powers[1][i] = begin;
            powers[2][i] = 3.0 * rise - 2.0 * begin - finish;
            powers[3][i] = begin + finish - 2.0 * rise;
        }
        powers
    }
}

/// `dẑ/dt − v(ẑ)` at one `θ`. Afterwards the field's last evaluation is that of `ẑ(θ)`.
fn defect(field: &mut Field<'_>, curve: &Curve, from: f64, theta: f64) -> Result<Vec<f64>> {
    let mut drift = vec![0.0; curve.coordinates()];
    field.evaluate(from + theta * curve.duration, &curve.at(theta), &mut drift)?;
    let mut velocity = curve.velocity(theta);
    velocity.iter_mut().zip(&drift).for_each(|(p, v)| *p -= v);
    Ok(velocity)
}
