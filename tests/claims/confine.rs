//! What confines the flow: shipped claims give the expected verdicts, faulty parts turn them.

use ebflow::Preset;
use ebflow::claim::confine::{
    ActionEstimate, InvariantBall, LayersToFlow, MomentGrowth, Stability, lipschitz,
};
use ebflow::claim::{Claim, Record, Role, Row, VerdictKind, baseline};
use ebflow::flow::{Field, IntegrationEnd, Integrator, Moment, Step, StepObserver};
use ebflow::{BallRadius, Beta, Drift, RawTime, Result};

use crate::drifts::{DOUBLED, HALVED, LOST, PLAIN, REPELLING, SCORE, WRONG_SIGN, WithoutSelf};

fn record(claim: &dyn Claim) -> Record {
    Record::gather(claim, Preset::Quick)
}

/// The evidence itself contradicts the statement; no run was refused.
fn assert_contradicted(claim: &dyn Claim) {
    let record = record(claim);
    assert_eq!(record.verdict.kind(), VerdictKind::FailsAsPrinted, "{:?}", record.verdict);
}

/// And a row with this in its quantity is among those that say so, with numbers.
fn assert_contradicted_by(claim: &dyn Claim, quantity: &str) {
    let record = record(claim);
    assert_eq!(record.verdict.kind(), VerdictKind::FailsAsPrinted, "{:?}", record.verdict);
    let speaks = |row: &Row| row.role == Role::Stated && row.quantity.contains(quantity);
    assert!(record.rows.iter().any(|row| speaks(row) && row.is_finite() && !row.agrees()), "{quantity}");
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
fn larger_constants_are_not_sharp() {
    for constant in [2.01, 2.5] {
        assert_contradicted_by(
            &ActionEstimate { constant, ..Default::default() },
            "against the lower bound 2 − D",
        );
    }
}

/// One drift of many that is not a number cannot hide behind the others.
#[test]
fn what_is_not_a_number_is_no_evidence() {
    let drift: &'static dyn Drift = &LOST;
    let claims: [Box<dyn Claim>; 3] = [
        Box::new(InvariantBall { drift, ..Default::default() }),
        Box::new(ActionEstimate { drift, ..Default::default() }),
        Box::new(Stability { drift, ..Default::default() }),
    ];
    for claim in claims {
        let record = record(claim.as_ref());
        assert_eq!(record.verdict.kind(), VerdictKind::Inconclusive, "{}", record.card.id);
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
    assert_contradicted_by(&Stability { drift: &DOUBLED, ..Default::default() }, "Lipschitz ratio");
}

/// Rules that are not that of a network.
#[derive(Clone, Copy)]
enum Scheme {
    /// Runge's, of second order.
    Midpoint,
    /// Euler's, in the wrong clock.
    ScoreClock,
    /// Euler's with steps `η(1 + 3η)`.
    Stretched,
    /// Euler's implicit one: the same constant with the other sign.
    Implicit,
}

struct Rule {
    steps: usize,
    scheme: Scheme,
}

impl Rule {
    fn boxed(steps: usize, scheme: Scheme) -> Result<Box<dyn Integrator>> {
        Ok(Box::new(Self { steps, scheme }))
    }

    /// The slope of a step from some points.
    fn slope(&self, field: &mut Field<'_>, from: f64, length: f64, points: &[f64]) -> Result<Vec<f64>> {
        let mut slope = vec![0.0; points.len()];
        field.evaluate(from, points, &mut slope)?;
        let moved = |by: f64, slope: &[f64]| -> Vec<f64> {
            points.iter().zip(slope).map(|(z, v)| z + by * v).collect()
        };
        match self.scheme {
            Scheme::Midpoint => field.evaluate(from, &moved(0.5 * length, &slope), &mut slope)?,
            Scheme::ScoreClock => {
                let beta = field.schedule().at(from)?.beta.get();
                slope.iter_mut().for_each(|v| *v /= beta);
            }
            Scheme::Stretched => slope.iter_mut().for_each(|v| *v *= 1.0 + 3.0 * length),
            // Each round is closer by the length of a step: two give the rule to second order, and the constant is of first.
            Scheme::Implicit => {
                for _ in 0..2 {
                    field.evaluate(from, &moved(length, &slope), &mut slope)?;
                }
            }
        }
        Ok(slope)
    }
}

impl Integrator for Rule {
    fn integrate(&self, field: &mut Field<'_>, observer: &mut dyn StepObserver) -> Result<IntegrationEnd> {
        let mut points = field.start().points().to_vec();
        let length = field.horizon().get() / self.steps as f64;
        for step in 0..self.steps {
            let (from, to) = (length * step as f64, length * (step + 1) as f64);
            let slope = self.slope(field, from, length, &points)?;
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
        Ok(IntegrationEnd { points, steps: self.steps as u64, rejected: 0 })
    }
}

/// Samples converge with this order, and the rows that say so contradict the statement. Whether layers that are no flow
/// have a bound is another matter.
fn assert_order(claim: &LayersToFlow, expected: f64) {
    let record = record(claim);
    assert!(!record.is_expected(), "{:?}", record.verdict);
    let is_order = |row: &&Row| row.quantity == "order in 1/L" && row.case.starts_with("d = ");
    let orders: Vec<&Row> = record.rows.iter().filter(is_order).collect();
    assert!(!orders.is_empty());
    for row in orders {
        let found = row.is_finite() && (row.measured.value - expected).abs() < 0.1;
        assert!(found && !row.agrees(), "{row:?}");
    }
}

#[test]
fn layers_in_the_wrong_clock_do_not_approach_the_flow() {
    let network = |steps| Rule::boxed(steps, Scheme::ScoreClock);
    assert_order(&LayersToFlow { network, ..Default::default() }, 0.0);
}

#[test]
fn a_second_order_rule_is_not_of_first_order() {
    let network = |steps| Rule::boxed(steps, Scheme::Midpoint);
    assert_order(&LayersToFlow { network, ..Default::default() }, 2.0);
}

/// First order like layers, with another constant: the orders agree, the constants do not.
fn assert_constant(claim: &LayersToFlow) {
    let record = record(claim);
    assert_eq!(record.verdict.kind(), VerdictKind::FailsAsPrinted, "{:?}", record.verdict);
    let of =
        |quantity: &'static str| record.rows.iter().filter(move |row| row.quantity.starts_with(quantity));
    let constants: Vec<&Row> = of("L·(distance to the flow) of the network, L → ∞")
        .chain(of("L·(distance to the flow) along its leading term, L → ∞"))
        .collect();
    assert_eq!(constants.len(), 6);
    assert!(constants.iter().all(|row| row.is_finite() && !row.agrees()), "{constants:#?}");
    let orders = of("order").filter(|row| row.role == Role::Stated);
    orders.for_each(|row| assert!((row.measured.value - 1.0).abs() < 0.1, "{row:?}"));
}

#[test]
fn layers_of_a_wrong_step_have_another_constant() {
    let network = |steps| Rule::boxed(steps, Scheme::Stretched);
    assert_constant(&LayersToFlow { network, ..Default::default() });
}

#[test]
fn implicit_layers_have_the_other_sign() {
    let network = |steps| Rule::boxed(steps, Scheme::Implicit);
    assert_constant(&LayersToFlow { network, ..Default::default() });
}

#[test]
fn recursions_of_half_step_and_wrong_clocks_are_seen() {
    assert_contradicted(&LayersToFlow {
        recursion: |flow, step, count| flow.eigenvalues_after_layers(0.5 * step, count)[0],
        ..Default::default()
    });
    assert_contradicted(&LayersToFlow {
        closed_form: |flow, time| {
            RawTime::new(time.get() / flow.beta().get())
                .map_or(f64::NAN, |score| flow.eigenvalues_at(score)[0])
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
