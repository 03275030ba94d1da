//! Claims about networks with faulty kernels, spheres, clocks and numbers of tokens.

use ebflow::claim::network::{Annealing, DensityCondition, SphereSoftmax};
use ebflow::claim::stability::{AffineStability, LogStability, PosteriorContinuity};
use ebflow::claim::{Claim, Record};
use ebflow::flow::Time;
use ebflow::{Preset, RawTime};

use crate::drifts::{HALVED, NarrowKernel};
use crate::faults::{is_saved_by, stands, turns};

#[test]
fn a_sphere_makes_softmax() {
    stands(&SphereSoftmax::default());
}

#[test]
fn another_temperature_is_not_the_kernel() {
    turns(&SphereSoftmax { temperature: |beta| 2.0 * beta, ..Default::default() });
    turns(&SphereSoftmax { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn tokens_off_the_sphere_are_not_softmax() {
    turns(&SphereSoftmax { project: |_, _| (), ..Default::default() });
    // The cube instead of the sphere.
    let cube = |token: &mut [f64], radius: f64| {
        let largest = token.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        token.iter_mut().for_each(|x| *x *= radius / largest);
    };
    turns(&SphereSoftmax { project: cube, ..Default::default() });
}

#[test]
fn schedules_end_alike_to_leading_order() {
    stands(&Annealing::default());
}

/// Equal depth instead of equal `∫η/β`.
#[test]
fn schedules_of_equal_depth_end_apart() {
    turns(&Annealing { horizon: |_, _| Ok(Time::Raw(RawTime::new(2.0)?)), ..Default::default() });
}

#[test]
fn half_the_drift_leaves_more() {
    turns(&Annealing { drift: &HALVED, ..Default::default() });
}

#[test]
fn many_tokens_per_kernel_are_not_enough() {
    stands(&DensityCondition::default());
}

/// Where there are next to no tokens at first, there is something to gain.
#[test]
fn a_poor_start_saves_the_proposition() {
    is_saved_by(&DensityCondition { printed: |beta| (0.1 * beta).powi(5), ..Default::default() });
}

/// Fewer and fewer tokens.
#[test]
fn a_correction_without_the_exponential_turns_the_claim() {
    turns(&DensityCondition { corrected: |beta| 64.0 / beta, ..Default::default() });
}

/// Seeds matter little enough.
#[test]
fn verdicts_do_not_hang_on_seeds() {
    for seed in [1, 2] {
        let claims: [Box<dyn Claim>; 5] = [
            Box::new(DensityCondition { seed, ..Default::default() }),
            Box::new(SphereSoftmax { seed, ..Default::default() }),
            Box::new(LogStability { seed, ..Default::default() }),
            Box::new(AffineStability { seed, ..Default::default() }),
            Box::new(PosteriorContinuity { seed, ..Default::default() }),
        ];
        for claim in claims {
            let record = Record::gather(claim.as_ref(), Preset::Quick);
            assert!(record.is_expected(), "{seed}, {}: {:?}", record.card.id, record.verdict);
        }
    }
}
