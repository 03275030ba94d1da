//! What confines the flow: shipped claims give the expected verdicts, faulty parts turn them.

use ebflow::claim::confine::{
    ActionEstimate, InvariantBall, LayersToFlow, MomentGrowth, Stability, lipschitz,
};
use ebflow::claim::{Claim, Record, VerdictKind, baseline};
use ebflow::flow::{Arrival, Field, Integrator, Moment, Refinement, Step, StepObserver};
use ebflow::study::Preset;
use ebflow::{BallRadius, Beta, Drift, RawTime, Result};

use crate::drifts::{DOUBLED, HALVED, PLAIN, REPELLING, SCORE, WRONG_SIGN, WithoutSelf};

fn record(claim: &dyn Claim) -> Record {
    Record::gather(claim, Preset::Quick)
}

/// The evidence itself contradicts the statement; no run was refused.
fn assert_contradicted(claim: &dyn Claim) {
    let record = record(claim);
    assert_eq!(record.verdict.kind(), VerdictKind::FailsAsPrinted, "{:?}", record.verdict);
}

/// The flow's own guards refuse the part.
fn assert_refused(claim: &dyn Claim) {
    let record = record(claim);
    assert_eq!(record.verdict.kind(), VerdictKind::Inconclusive, "{:?}", record.verdict);
}

#[test]
fn shipped_claims_give_the_expected_verdicts() {
    let claims: [Box<dyn Claim>; 5] = [
        Box::new(InvariantBall::default()),
        Box::new(ActionEstimate::default()),
        Box::new(MomentGrowth::default()),
        Box::new(Stability::default()),
        Box::new(LayersToFlow::default()),
    ];
    for claim in claims {
        let record = record(claim.as_ref());
        assert!(record.is_expected(), "{}: {:?}", record.card.id, record.verdict);
        let mut names: Vec<String> = record.rows.iter().map(|row| row.name()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), record.rows.len(), "{}: rows have names of their own", record.card.id);
    }
}

#[test]
fn repelling_particles_leave_the_ball() {
    assert_contradicted(&InvariantBall { drift: &REPELLING, ..Default::default() });
}

#[test]
fn barycentres_of_a_wrong_norm_lie_beyond_the_ball() {
    assert_contradicted(&InvariantBall { drift: &HALVED, ..Default::default() });
}

#[test]
fn layers_of_double_step_leave_the_hull() {
    assert_contradicted(&InvariantBall { layer: |z, v, step| z + 2.0 * step * v, ..Default::default() });
}

#[test]
fn scores_have_too_much_action() {
    assert_contradicted(&ActionEstimate { drift: &SCORE, ..Default::default() });
}

#[test]
fn particles_that_do_not_see_themselves_have_too_much_action() {
    assert_contradicted(&ActionEstimate { drift: &WithoutSelf, ..Default::default() });
}

#[test]
fn no_smaller_constant_bounds_the_action() {
    for constant in [1.0, 1.5, 1.9] {
        assert_contradicted(&ActionEstimate { constant, ..Default::default() });
    }
}

#[test]
fn scores_and_wrong_signs_break_the_moment_bounds() {
    assert_contradicted(&MomentGrowth { drift: &SCORE, ..Default::default() });
    assert_contradicted(&MomentGrowth { drift: &WRONG_SIGN, ..Default::default() });
}

#[test]
fn second_moments_do_grow() {
    assert_contradicted(&MomentGrowth { rate: 0.0, ..Default::default() });
}

#[test]
fn lipschitz_constants_that_forget_the_temperature_are_too_small() {
    let without_beta = |beta: Beta, radius: BallRadius| {
        let (c, slope) = ((-2.0 * beta.get() * radius.get().powi(2)).exp(), (-0.5_f64).exp());
        (1.0 + 2.0 * radius.get() * slope / beta.get().sqrt()) / c
    };
    assert_contradicted(&Stability { constant: without_beta, ..Default::default() });
}

#[test]
fn lipschitz_constants_of_half_the_diameter_are_too_small() {
    let half = |beta: Beta, radius: BallRadius| {
        lipschitz::constant(beta, radius) * (-1.5 * beta.get() * radius.get().powi(2)).exp()
    };
    assert_contradicted(&Stability { constant: half, ..Default::default() });
}

#[test]
fn drifts_twice_as_large_are_not_as_smooth() {
    assert_refused(&Stability { drift: &DOUBLED, ..Default::default() });
}

/// Runge's midpoint rule or Euler's, perhaps in the wrong clock.
struct Rule {
    steps: usize,
    midpoint: bool,
    score_clock: bool,
}

impl Integrator for Rule {
    fn integrate(
        &self,
        field: &mut Field<'_>,
        horizon: RawTime,
        observer: &mut dyn StepObserver,
    ) -> Result<Arrival> {
        let mut points = field.start().points().to_vec();
        let mut slope = vec![0.0; points.len()];
        let length = horizon.get() / self.steps as f64;
        for step in 0..self.steps {
            let (from, to) = (length * step as f64, length * (step + 1) as f64);
            field.evaluate(from, &points, &mut slope)?;
            if self.midpoint {
                let half: Vec<f64> = points.iter().zip(&slope).map(|(z, v)| z + 0.5 * length * v).collect();
                field.evaluate(from, &half, &mut slope)?;
            }
            if self.score_clock {
                let beta = field.schedule().at(from)?.beta.get();
                slope.iter_mut().for_each(|v| *v /= beta);
            }
            let at = |time: f64| {
                points.iter().zip(&slope).map(|(z, v)| z + (time - from) * v).collect::<Vec<f64>>()
            };
            let next = at(to);
            observer.accepted(&Step::new(
                Moment { raw_time: RawTime::new(from)?, points: &points, derivative: &slope },
                Moment { raw_time: RawTime::new(to)?, points: &next, derivative: &slope },
                &|time| Ok(at(time)),
            ))?;
            points = next;
        }
        Ok(Arrival { points, steps: self.steps as u64, rejected: 0 })
    }

    fn refined(&self) -> Refinement {
        Refinement { integrator: Box::new(Self { steps: 2 * self.steps, ..*self }), gain: 2.0 }
    }
}

/// Samples converge with this order, and the rows that say so contradict the statement.
fn assert_order(claim: &LayersToFlow, expected: f64) {
    let record = record(claim);
    assert_eq!(record.verdict.kind(), VerdictKind::FailsAsPrinted, "{:?}", record.verdict);
    let orders = record.rows.iter().filter(|row| row.quantity == "order" && row.case.starts_with("d = "));
    for row in orders {
        assert!(!row.agrees() && (row.measured.value - expected).abs() < 0.1, "{row:?}");
    }
}

#[test]
fn layers_in_the_wrong_clock_do_not_approach_the_flow() {
    let network =
        |steps| Ok(Box::new(Rule { steps, midpoint: false, score_clock: true }) as Box<dyn Integrator>);
    assert_order(&LayersToFlow { network, ..Default::default() }, 0.0);
}

#[test]
fn a_second_order_rule_is_not_of_first_order() {
    let network =
        |steps| Ok(Box::new(Rule { steps, midpoint: true, score_clock: false }) as Box<dyn Integrator>);
    assert_order(&LayersToFlow { network, ..Default::default() }, 2.0);
}

#[test]
fn recursions_of_half_step_and_wrong_clocks_are_seen() {
    assert_contradicted(&LayersToFlow {
        recursion: |flow, step, count| flow.eigenvalues_after_layers(0.5 * step, count)[0],
        ..Default::default()
    });
    assert_contradicted(&LayersToFlow {
        closed_form: |flow, time| {
            flow.eigenvalues_at(time.to_score(flow.beta()).to_raw(Beta::new(1.0).unwrap()))[0]
        },
        ..Default::default()
    });
}

/// Error bars cover what another order of summation does to the numbers.
#[test]
fn another_summation_stays_within_the_error_bars() {
    let other: &'static dyn Drift = &PLAIN;
    let pairs: [[Box<dyn Claim>; 2]; 5] = [
        [Box::new(InvariantBall::default()), Box::new(InvariantBall { drift: other, ..Default::default() })],
        [
            Box::new(ActionEstimate::default()),
            Box::new(ActionEstimate { drift: other, ..Default::default() }),
        ],
        [Box::new(MomentGrowth::default()), Box::new(MomentGrowth { drift: other, ..Default::default() })],
        [Box::new(Stability::default()), Box::new(Stability { drift: other, ..Default::default() })],
        [Box::new(LayersToFlow::default()), Box::new(LayersToFlow { drift: other, ..Default::default() })],
    ];
    for [a, b] in pairs {
        let changes = baseline::compare(&[record(a.as_ref())], &[record(b.as_ref())]);
        assert!(changes.is_empty(), "{changes:#?}");
    }
}
