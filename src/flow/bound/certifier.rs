//! [`Certifier`]: the observer that puts an error bar on a run while it goes on.

use super::comparison::Comparison;
use super::correction::Correction;
use super::curve::{Anchor, Curve};
use super::nodes::{MIDDLE, PAIR};
use super::proof::{Look, Proof};
use super::refusal::Refusal;
use super::sample::Sample;
use super::sources::PerSource;
use super::up::Up;
use super::{Bound, Budget, audit};
use crate::cloud::{Cloud, CloudView, norm};
use crate::drift::JacobianField;
use crate::error::Result;
use crate::flow::events::{Event, Passage, Passages, Search};
use crate::flow::{Field, Moment, Step, StepObserver};
use crate::scale::Beta;

/// More than rounding takes from a norm or a mean: `n` operations on positive numbers lose at most `n·2^−53` of them, and no cloud has `10⁵` dimensions. Sums
/// over particles are rounded upwards one by one.
const ROUNDING_UP: f64 = 1.0 + 1e-11;

/// Directions that differ by less than this, relative to the fastest particle, give the same acceleration for our purposes.
const SAME_DIRECTION: f64 = 1e-6;

/// Follows the error of a run, and bounds what it misses of it if asked to.
pub(in crate::flow) struct Certifier<'a> {
    field: Field<'a>,
    beta: Beta,
    jacobian: JacobianField,
    products: u64,
    correction: Correction,
    proof: Option<Proof<'a>>,
    /// Velocity and acceleration at the end of the last step.
    last: Option<Motion>,
    searches: Vec<Search>,
}

/// Velocity and acceleration of all particles.
struct Motion {
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Motion {
    fn anchor<'m>(&'m self, moment: Moment<'m>) -> Anchor<'m> {
        Anchor { points: moment.points, velocity: &self.velocity, acceleration: &self.acceleration }
    }
}

impl<'a> Certifier<'a> {
    /// Watches a run of `field`'s cloud at a constant `beta`. With `bounding`, radii within which the tokens are known, a bound is asked for besides
    /// the estimate.
    pub fn new(field: Field<'a>, beta: Beta, bounding: Option<Vec<f64>>) -> Self {
        let cloud = field.start();
        Self {
            proof: bounding.map(|tokens| Proof::new(cloud, beta, tokens)),
            correction: Correction::new(cloud.points().len()),
            field,
            beta,
            jacobian: JacobianField::default(),
            products: 0,
            last: None,
            searches: Vec::new(),
        }
    }

    /// Looks for events on the way.
    pub fn looking_for(self, events: &[Event]) -> Self {
        Self { searches: events.iter().cloned().map(Search::new).collect(), ..self }
    }

    /// What became of the events.
    pub fn into_passages(self) -> Result<Vec<Passages>> {
        self.searches.into_iter().map(Search::into_found).collect()
    }

    /// The signed error, as far as it is known, of a run that ended at `end` while the path watched ended at `watched`.
    pub fn error_of(&self, end: &Cloud, watched: &Cloud) -> Vec<f64> {
        let apart = end.points().iter().zip(watched.points()).map(|(a, b)| a - b);
        // The sum is rounded away from zero, by more than it is rounded.
        let sum = |(apart, error): (f64, &f64)| {
            let rounding = f64::EPSILON * (apart.abs() + error.abs());
            (apart + error) + rounding.copysign(apart + error)
        };
        apart.zip(&self.correction.error).map(sum).collect()
    }

    /// Evaluations of the drift spent on watching; a Jacobian–vector product counts as one.
    pub fn evaluations(&self) -> u64 {
        self.field.evaluations() + self.products
    }

    /// A bound for a run whose error is known to be `error`; or why there is none.
    pub fn bound(&self, end: &Cloud, error: &[f64]) -> std::result::Result<Bound, Refusal> {
        if let Some(refusal) = self.proof.as_ref().and_then(Proof::refusal) {
            return Err(refusal.clone());
        }
        let known: Vec<f64> = error.chunks_exact(end.dimension()).map(|e| ROUNDING_UP * norm(e)).collect();
        let nothing = PerSource::zero(end.len());
        let missed = self.comparison().map_or(&nothing, Comparison::errors);
        Ok(Bound::new(end, &known, missed))
    }

    /// Velocity and acceleration at a moment. The derivative that the run reports serves as the direction if it is the velocity.
    fn motion(&mut self, moment: Moment<'_>) -> Result<Motion> {
        let cloud = self.field.start();
        let view =
            CloudView { points: moment.points, dimension: cloud.dimension(), weights: cloud.weights() };
        self.jacobian.evaluate(view, self.beta, moment.derivative)?;
        self.products += 1;
        let velocity = self.jacobian.velocity.clone();
        let fastest = velocity.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let apart =
            velocity.iter().zip(moment.derivative).any(|(v, p)| (v - p).abs() > SAME_DIRECTION * fastest);
        if apart {
            self.jacobian.evaluate(view, self.beta, &velocity)?;
            self.products += 1;
        }
        Ok(Motion { velocity, acceleration: self.jacobian.product.clone() })
    }

    /// The path and the drift at the corrected end of a step, of which the field's last evaluation must be.
    fn corrected(&self, curve: &Curve, end: &[f64]) -> Sample {
        let points = end.iter().zip(&self.correction.error).map(|(z, e)| z - e).collect();
        Sample::new(points, curve.velocity(1.0), self.field.last())
    }

    /// Takes the bound over a step whose corrected path is `curve`, and which goes to `corrected` instead of `end`.
    fn prove(&mut self, curve: &Curve, from: f64, end: &[f64], corrected: &Sample) -> Result<()> {
        let Some(proof) = &mut self.proof else { return Ok(()) };
        let dimension = self.field.start().dimension();
        let gap = curve.gap(end, &self.correction.error, dimension);
        let mut rounding = curve.rounding(dimension);
        rounding.position.iter_mut().zip(&gap).for_each(|(u, gap)| *u += gap);
        proof.step(Look { field: &mut self.field, curve, from, rounding, end: corrected }, &gap)
    }

    /// The comparison system, while there is a bound.
    fn comparison(&self) -> Option<&Comparison<'a>> {
        self.proof.as_ref().filter(|proof| proof.refusal().is_none()).map(Proof::comparison)
    }

    /// Whether there is a bound so far.
    fn is_bounding(&self) -> bool {
        self.comparison().is_some()
    }

    /// The size of the correction, per particle.
    fn known_error(&self) -> Vec<f64> {
        self.correction.error.chunks_exact(self.field.start().dimension()).map(norm).collect()
    }

    /// Looks for events in a step at whose start the error was known to be `before`.
    fn search(&mut self, curve: &Curve, from: f64, until: f64, before: &[f64]) -> Result<()> {
        if self.searches.is_empty() {
            return Ok(());
        }
        let uncertainty = match self.comparison() {
            Some(comparison) => comparison.peaks().to_vec(),
            None => self.known_error().into_iter().zip(before).map(|(now, then)| now.max(*then)).collect(),
        };
        let proved = self.is_bounding();
        let passage =
            Passage { cloud: self.field.start(), curve, from, until, uncertainty: &uncertainty, proved };
        self.searches.iter_mut().try_for_each(|search| search.inspect(&passage))
    }
}

impl StepObserver for Certifier<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        let begin = match self.last.take() {
            Some(motion) => motion,
            None => self.motion(step.start)?,
        };
        let finish = self.motion(step.end)?;
        let ends = (begin.anchor(step.start), finish.anchor(step.end));
        let (from, duration) =
            (step.start.raw_time.get(), step.end.raw_time.get() - step.start.raw_time.get());
        let before = self.known_error();
        let bounding = self.is_bounding();
        let within = bounding || !self.searches.is_empty();
        let nodes = if within { &PAIR } else { &MIDDLE };
        let curve = self.correction.advance(&mut self.field, nodes, ends, (from, duration))?;
        let corrected = self.corrected(&curve, step.end.points);
        audit::drift(&mut self.field, step.end, &finish.velocity, self.beta)?;
        if bounding {
            self.prove(&curve, from, step.end.points, &corrected)?;
        }
        self.search(&curve, from, step.end.raw_time.get(), &before)?;
        self.last = Some(finish);
        Ok(())
    }
}

impl Bound {
    /// From what is known of the error per particle and what bounds the rest.
    fn new(cloud: &Cloud, known: &[f64], errors: &PerSource) -> Self {
        let sum = |i: usize| known_and_rest(known, errors, i).get();
        let per_particle: Vec<f64> = (0..known.len()).map(sum).collect();
        let mean = |values: &[f64]| -> Up {
            values.iter().enumerate().map(|(i, e)| Up::of(cloud.weight(i).next_up()) * Up::of(*e)).sum()
        };
        let integration = mean(known) + mean(&errors.integration);
        let [truncation, rounding, tokens] =
            [&errors.truncation, &errors.rounding, &errors.tokens].map(|part| mean(part));
        Self {
            max: per_particle.iter().copied().fold(0.0, f64::max),
            w1: (integration + truncation + rounding + tokens).get(),
            per_particle,
            budget: Budget {
                integration: integration.get(),
                truncation: truncation.get(),
                rounding: rounding.get(),
                tokens: tokens.get(),
            },
        }
    }
}

/// What bounds the error of one particle.
fn known_and_rest(known: &[f64], errors: &PerSource, particle: usize) -> Up {
    errors.parts().iter().fold(Up::of(known[particle]), |sum, part| sum + Up::of(part[particle]))
}
