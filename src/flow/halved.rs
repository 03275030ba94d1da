//! [`Halved`]: the steps of another run once more, each in two halves, by another rule.
//!
//! # Formula
//! Dormand–Prince's rule of order five, `z(t + h) = z + h Σ b_j k_j`, with `h` half the length of the step that the other run took at the same time. Where steps
//! are short its error is some `2⁻⁵` of theirs, so that the difference of the two ends *is* the error of the other run, all that the flow did to it on the
//! way included; and as no tolerance steers this run, it cannot take the same steps again and agree with itself. Two different rules and two roundings
//! share neither coefficients nor accidents.
//!
//! Six evaluations a half: a slope at the end of one is the first of the next.

use super::field::check_finite;
use super::{Field, IntegrationEnd, Integrator, Moment, Step, StepObserver};
use crate::error::Result;
use crate::scale::RawTime;

/// `c_j`: when, in units of a half.
const TIMES: [f64; 6] = [0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

/// `a_jl`: where, from the second stage on; the last row holds the `b_j`.
const STAGES: [&[f64]; 6] = [
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// A run whose steps are halves of those that ended at given times.
pub(super) struct Halved {
    /// Increasing, the horizon last.
    pub ends: Vec<f64>,
}

/// A state and its slope.
struct State {
    time: f64,
    points: Vec<f64>,
    slope: Vec<f64>,
}

impl State {
    /// One application of the rule.
    fn advance(&self, field: &mut Field<'_>, to: f64) -> Result<Self> {
        let length = to - self.time;
        let mut slopes = vec![self.slope.clone()];
        let mut points = Vec::new();
        for (time, weights) in TIMES.iter().zip(STAGES) {
            let move_by = |i: usize| weights.iter().zip(&slopes).map(|(a, k)| a * k[i]).sum::<f64>();
            points = self.points.iter().enumerate().map(|(i, z)| z + length * move_by(i)).collect();
            let mut slope = vec![0.0; points.len()];
            field.evaluate(self.time + time * length, &points, &mut slope)?;
            slopes.push(slope);
        }
        Ok(Self { time: to, points, slope: slopes.pop().unwrap_or_default() })
    }

    fn moment(&self) -> Result<Moment<'_>> {
        Ok(Moment { raw_time: RawTime::new(self.time)?, points: &self.points, derivative: &self.slope })
    }
}

impl Integrator for Halved {
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        let dimension = field.start().dimension();
        let points = field.start().points().to_vec();
        let mut slope = vec![0.0; points.len()];
        field.evaluate(0.0, &points, &mut slope)?;
        let mut state = State { time: 0.0, points, slope };
        for &end in &self.ends {
            let middle = state.advance(field, state.time + (end - state.time) / 2.0)?;
            let next = middle.advance(field, end)?;
            check_finite("the position", end, &next.points, dimension)?;
            // Through the middle only roughly: nobody asks.
            let between = |_: f64| Ok(middle.points.clone());
            observer.accepted(&Step::new(state.moment()?, next.moment()?, &between))?;
            state = next;
        }
        Ok(IntegrationEnd { points: state.points, steps: 2 * self.ends.len() as u64, rejected: 0 })
    }
}
