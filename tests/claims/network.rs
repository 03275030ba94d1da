//! Claims about networks with faulty kernels and spheres.

use ebflow::claim::network::SphereSoftmax;
use ebflow::claim::stability::{AffineStability, LogStability, PosteriorContinuity};
use ebflow::claim::{Claim, Record};
use ebflow::Preset;

use crate::drifts::NarrowKernel;
use crate::faults::{stands, turns};

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

/// Seeds matter little enough.
#[test]
fn verdicts_do_not_hang_on_seeds() {
    for seed in [1, 2] {
        let claims: [Box<dyn Claim>; 4] = [
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
