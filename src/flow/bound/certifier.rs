//! [`Certifier`]: the observer that puts an error bar on a run while it goes on.

use super::comparison::{Comparison, ROUNDING_UP, Stretch};
use super::correction::{Correction, defect};
use super::curve::{Anchor, Curve, CurveRounding};
use super::lagrange::{Lagrange, NODES};
use super::nodes::{MIDDLE, PAIR, SAMPLES};
use super::refusal::Refusal;
use super::sources::{PerSource, Supply};
use super::{Bound, Budget, audit};
use crate::cloud::{Cloud, CloudView, norm};
use crate::drift::JacobianField;
use crate::error::Result;
use crate::flow::events::{Event, Passage, Passages, Search};
use crate::flow::{Field, Moment, Step, StepObserver};
use crate::scale::Beta;

/// What the sampled defect is multiplied with, to dominate it between the samples.
const SAFETY: f64 = 2.0;

/// The longest stretch, in raw time, over which one bound of the Jacobian holds. Halving it lowers the
/// bound by a tenth or so in long runs, and lets some coarse ones close.
const LONGEST_STRETCH: f64 = 0.1;

/// Directions that differ by less than this, relative to the fastest particle, give the same acceleration for our purposes.
const SAME_DIRECTION: f64 = 1e-6;

/// Follows the error of a run, and bounds what it misses of it if asked to.
pub(in crate::flow) struct Certifier<'a> {
    field: Field<'a>,
    beta: Beta,
    jacobian: JacobianField,
    products: u64,
    correction: Correction,
    comparison: Option<Comparison<'a>>,
    refusal: Option<Refusal>,
    /// Velocity and acceleration at the end of the last step.
    last: Option<Motion>,
    /// The drift's certificates at the corrected end of the last step.
    certificate: Option<Certificate>,
    searches: Vec<Search>,
}

/// What an evaluation of the drift certifies, per particle.
#[derive(Clone)]
struct Certificate {
    truncation: Vec<f64>,
    rounding: Vec<f64>,
}

impl Certificate {
    fn of_last(field: &Field<'_>) -> Self {
        Self { truncation: field.last().truncation.clone(), rounding: field.last().rounding.clone() }
    }
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

/// The path and the drift at one node of a step.
struct Sample {
    points: Vec<f64>,
    motion: Vec<f64>,
    drift: Vec<f64>,
    /// Size of the defect, per particle.
    defect: Vec<f64>,
    log_mass: Vec<f64>,
    certificate: Certificate,
}

impl<'a> Certifier<'a> {
    /// Watches a run of `field`'s cloud at a constant `beta`; `bounding` asks for a bound besides the estimate.
    pub fn new(field: Field<'a>, beta: Beta, bounding: bool) -> Self {
        let cloud = field.start();
        let comparison =
            bounding.then(|| Comparison::new(beta, cloud.dimension(), cloud.weights(), cloud.len()));
        Self {
            correction: Correction::new(cloud.points().len()),
            field,
            beta,
            jacobian: JacobianField::default(),
            products: 0,
            comparison,
            refusal: None,
            last: None,
            certificate: None,
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
        apart.zip(&self.correction.error).map(|(apart, error)| apart + error).collect()
    }

    /// Evaluations of the drift spent on watching; a Jacobian–vector product counts as one.
    pub fn evaluations(&self) -> u64 {
        self.field.evaluations() + self.products
    }

    /// A bound for a run whose error is known to be `error`; or why there is none.
    pub fn bound(&self, end: &Cloud, error: &[f64]) -> std::result::Result<Bound, Refusal> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let known: Vec<f64> = error.chunks_exact(end.dimension()).map(|e| ROUNDING_UP * norm(e)).collect();
        let nothing = PerSource::zero(end.len());
        let missed = self.comparison.as_ref().map_or(&nothing, Comparison::errors);
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

    fn sample(&mut self, curve: &Curve, from: f64, theta: f64) -> Result<Sample> {
        let dimension = self.field.start().dimension();
        let motion = curve.velocity(theta);
        let defect = defect(&mut self.field, curve, from, theta)?;
        let last = self.field.last();
        Ok(Sample {
            points: curve.at(theta),
            motion,
            defect: defect.chunks_exact(dimension).map(norm).collect(),
            drift: last.velocity.clone(),
            log_mass: last.log_mass.clone(),
            certificate: Certificate::of_last(&self.field),
        })
    }

    /// The drift's certificates at both ends of a corrected step. The field's last evaluation must be that of its end.
    fn certificates(&mut self, start: Moment<'_>) -> Result<[Certificate; 2]> {
        let end = Certificate::of_last(&self.field);
        let begin = match self.certificate.take() {
            Some(certificate) => certificate,
            None => {
                let mut drift = vec![0.0; start.points.len()];
                self.field.evaluate(start.raw_time.get(), start.points, &mut drift)?;
                Certificate::of_last(&self.field)
            }
        };
        self.certificate = Some(end.clone());
        Ok([begin, end])
    }

    /// Takes the comparison system over a step, in as many stretches as its length asks for.
    fn compare(
        &mut self,
        curve: &Curve,
        from: f64,
        end: &[f64],
        certificates: &[Certificate; 2],
    ) -> Result<()> {
        let cloud = self.field.start();
        let samples: Vec<Sample> =
            SAMPLES.iter().map(|theta| self.sample(curve, from, *theta)).collect::<Result<_>>()?;
        let forcing =
            Forcing { cloud, samples: &samples, ends: certificates, path: curve.rounding(cloud.dimension()) };
        if let Some(comparison) = &mut self.comparison {
            comparison.begin();
        }
        if curve.duration <= LONGEST_STRETCH {
            let supply = forcing.over(0.0, 1.0);
            self.pass(curve, Place { theta: 0.5, share: 1.0, from }, &samples[1], &supply);
        } else {
            for third in 0..SAMPLES.len() {
                self.compare_third(curve, from, third, &forcing)?;
            }
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.jump(&curve.gap(end, &self.correction.error, cloud.dimension()));
        }
        Ok(())
    }

    /// The same over a third of a step, in the middle of which there is a sample.
    fn compare_third(&mut self, curve: &Curve, from: f64, third: usize, forcing: &Forcing<'_>) -> Result<()> {
        // An odd number, so that the node is in the middle of a stretch.
        let parts = 2 * (curve.duration / 3.0 / LONGEST_STRETCH / 2.0).round() as usize + 1;
        for part in 0..parts {
            let theta = (third as f64 + (part as f64 + 0.5) / parts as f64) / 3.0;
            let other = (2 * part + 1 != parts).then(|| self.sample(curve, from, theta)).transpose()?;
            let place = Place { theta, share: 1.0 / (3 * parts) as f64, from };
            let supply = forcing.over(theta - place.share / 2.0, theta + place.share / 2.0);
            self.pass(curve, place, other.as_ref().unwrap_or(&forcing.samples[third]), &supply);
        }
        Ok(())
    }

    /// Whether there is a bound so far.
    fn is_bounding(&self) -> bool {
        self.comparison.is_some() && self.refusal.is_none()
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
        let uncertainty = match &self.comparison {
            Some(comparison) if self.refusal.is_none() => comparison.peaks().to_vec(),
            _ => self.known_error().into_iter().zip(before).map(|(now, then)| now.max(*then)).collect(),
        };
        let proved = self.is_bounding();
        let passage =
            Passage { cloud: self.field.start(), curve, from, until, uncertainty: &uncertainty, proved };
        self.searches.iter_mut().try_for_each(|search| search.inspect(&passage))
    }

    /// Takes the comparison system over one stretch, unless there is no bound any more.
    fn pass(&mut self, curve: &Curve, place: Place, sample: &Sample, supply: &Supply) {
        let (Some(comparison), None) = (&mut self.comparison, &self.refusal) else { return };
        let drift_error: Vec<f64> = sample
            .certificate
            .truncation
            .iter()
            .zip(&sample.certificate.rounding)
            .map(|(t, r)| t + r)
            .collect();
        let outcome = comparison.advance(&Stretch {
            raw_time: place.from + (place.theta - place.share / 2.0) * curve.duration,
            length: place.share * curve.duration,
            points: &sample.points,
            motion: &sample.motion,
            drift: &sample.drift,
            drift_error: &drift_error,
            log_mass: &sample.log_mass,
            remainder: &curve.remainder(place.theta, place.share / 2.0, self.field.start().dimension()),
            supply,
        });
        self.refusal = outcome.err();
    }
}

/// Where a stretch lies.
#[derive(Clone, Copy)]
struct Place {
    /// `θ` of its middle.
    theta: f64,
    /// Its length in units of the step.
    share: f64,
    /// When the step begins.
    from: f64,
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
        audit::drift(&mut self.field, step.end, &finish.velocity, self.beta)?;
        if bounding {
            let certificates = self.certificates(step.start)?;
            self.compare(&curve, from, step.end.points, &certificates)?;
        }
        self.search(&curve, from, step.end.raw_time.get(), &before)?;
        self.last = Some(finish);
        Ok(())
    }
}

/// What is known of the defect of a step.
struct Forcing<'s> {
    cloud: &'s Cloud,
    samples: &'s [Sample],
    /// Certificates at both ends, where the path's velocity is the drift as computed.
    ends: &'s [Certificate; 2],
    path: CurveRounding,
}

impl Forcing<'_> {
    /// What drives the comparison system over the part of a step between two `θ`.
    fn over(&self, from: f64, to: f64) -> Supply {
        let lagrange = Lagrange::over(from, to);
        Supply {
            largest: self.with(&lagrange.largest),
            mean: self.with(&lagrange.mean),
            position: self.path.position.clone(),
        }
    }

    fn with(&self, weights: &[f64; NODES.len()]) -> PerSource {
        let mut rounding = self.certified(weights, |c| &c.rounding);
        rounding.iter_mut().zip(&self.path.velocity).for_each(|(r, v)| *r += v);
        PerSource {
            integration: self.dominated(weights),
            truncation: self.certified(weights, |c| &c.truncation),
            rounding,
        }
    }

    /// The defect with the drift as computed, which vanishes at the ends: safely more than its interpolant.
    fn dominated(&self, weights: &[f64; NODES.len()]) -> Vec<f64> {
        let inner = || weights[1..].iter().zip(self.samples);
        let own = |i: usize| inner().map(|(weight, sample)| weight * sample.defect[i]).sum::<f64>();
        let own: Vec<f64> = (0..self.cloud.len()).map(own).collect();
        let typical: f64 = own.iter().enumerate().map(|(i, defect)| self.cloud.weight(i) * defect).sum();
        own.iter().map(|defect| SAFETY * defect + typical).collect()
    }

    /// What the errors of the drift at the nodes do to the interpolant.
    fn certified(&self, weights: &[f64; NODES.len()], of: fn(&Certificate) -> &[f64]) -> Vec<f64> {
        let inner = self.samples.iter().map(|sample| &sample.certificate);
        let nodes: Vec<&[f64]> =
            [&self.ends[0]].into_iter().chain(inner).chain([&self.ends[1]]).map(of).collect();
        (0..self.cloud.len()).map(|i| weights.iter().zip(&nodes).map(|(w, node)| w * node[i]).sum()).collect()
    }
}

impl Bound {
    /// From what is known of the error per particle and what bounds the rest.
    fn new(cloud: &Cloud, known: &[f64], errors: &PerSource) -> Self {
        let rest = errors.total();
        let per_particle: Vec<f64> = known.iter().zip(&rest).map(|(k, r)| k + r).collect();
        let mean = |values: &[f64]| values.iter().enumerate().map(|(i, e)| cloud.weight(i) * e).sum::<f64>();
        let budget = Budget {
            integration: mean(known) + mean(&errors.integration),
            truncation: mean(&errors.truncation),
            rounding: mean(&errors.rounding),
        };
        Self {
            max: per_particle.iter().copied().fold(0.0, f64::max),
            w1: budget.integration + budget.truncation + budget.rounding,
            per_particle,
            budget,
        }
    }
}

#[cfg(test)]
mod tests;
