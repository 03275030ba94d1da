//! Claims about stability with faulty constants, cuts, norms and drifts.

use ebflow::claim::stability::{
    AffineStability, ConvolutionBounds, CutoffAndTails, LogStability, PosteriorContinuity,
};
use ebflow::exact::CovarianceFlow;
use ebflow::law::BayesOracle;
use ebflow::measured::Measured;
use ebflow::{NoiseVariance, RawTime};

use crate::drifts::{BARYCENTRE, NarrowKernel, SCORE};
use crate::faults::{is_inconclusive, stands, turns};

#[test]
fn the_smoothed_gaussian_has_its_bounds() {
    stands(&ConvolutionBounds::default());
}

#[test]
fn smaller_exponents_turn_the_claim() {
    turns(&ConvolutionBounds {
        exponent: |beta, start| beta * start.min() / (1.0 + beta * start.min()),
        ..Default::default()
    });
    turns(&ConvolutionBounds {
        exponent: |beta, start| 0.999 * beta * start.max() / (1.0 + beta * start.max()),
        ..Default::default()
    });
}

#[test]
fn other_constants_turn_the_claim() {
    // The density at the centre, one axis only.
    let log_floor = |beta: f64, start: &nalgebra::DVector<f64>| {
        -0.5 * (std::f64::consts::TAU * (start.max() + 1.0 / beta)).ln()
    };
    turns(&ConvolutionBounds { log_floor, ..Default::default() });
    turns(&ConvolutionBounds { growth: |beta| 0.25 * beta.sqrt(), ..Default::default() });
}

#[test]
fn a_narrower_kernel_smooths_less() {
    turns(&ConvolutionBounds { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn the_cut_costs_a_constant() {
    stands(&CutoffAndTails::default());
}

/// Either end of the open interval between `2` and `2/α`.
#[test]
fn a_cut_too_near_or_too_far_turns_the_claim() {
    turns(&CutoffAndTails { kappa: |_| 2.0, ..Default::default() });
    turns(&CutoffAndTails { kappa: |alpha| 2.0 / alpha, ..Default::default() });
}

#[test]
fn smaller_constants_of_tails_turn_the_claim() {
    turns(&CutoffAndTails { transfer: 0.1, ..Default::default() });
    turns(&CutoffAndTails { tail: 1.0, ..Default::default() });
    turns(&CutoffAndTails { degree: |d| d as i32 - 2, ..Default::default() });
}

#[test]
fn drifts_differ_by_no_more_than_laws() {
    stands(&LogStability::default());
}

#[test]
fn a_drift_without_its_factor_turns_the_claim() {
    turns(&LogStability { drift: &SCORE, ..Default::default() });
    turns(&LogStability { drift: &BARYCENTRE, ..Default::default() });
}

/// The field without kernel: `−x/βλ`.
#[test]
fn another_reference_field_turns_the_claim() {
    turns(&LogStability {
        reference_field: |beta, variance, x| -x / (beta * variance),
        ..Default::default()
    });
}

#[test]
fn laws_stay_near_what_an_affine_field_carries() {
    stands(&AffineStability::default());
}

#[test]
fn half_the_norm_turns_the_claim() {
    turns(&AffineStability {
        norm: |eigenvalues| 0.5 * eigenvalues.iter().fold(0.0, |norm: f64, a| norm.max(a.abs())),
        ..Default::default()
    });
    turns(&AffineStability { norm: |_| 0.0, ..Default::default() });
}

fn twice_as_fast(flow: &CovarianceFlow, time: RawTime) -> nalgebra::DVector<f64> {
    RawTime::new(2.0 * time.get())
        .map_or_else(|_| flow.initial_eigenvalues(), |time| flow.eigenvalues_at(time))
}

#[test]
fn a_law_that_the_field_does_not_carry_turns_the_claim() {
    turns(&AffineStability { closed_form: twice_as_fast, ..Default::default() });
}

#[test]
fn posterior_means_are_continuous() {
    stands(&PosteriorContinuity::default());
}

#[test]
fn half_the_slope_turns_the_claim() {
    let slope = |b| 0.5 * (PosteriorContinuity::default().slope)(b);
    turns(&PosteriorContinuity { slope, ..Default::default() });
}

#[test]
fn means_under_other_noise_turn_the_claim() {
    let mean = |law: &ebflow::law::Law, y: &[f64], noise: NoiseVariance| {
        law.posterior_mean(y, NoiseVariance::new(0.5 * noise.get())?)
    };
    turns(&PosteriorContinuity { mean, ..Default::default() });
}

/// The estimate that is nearest to the query among prior mean and query: it jumps.
#[test]
fn an_estimator_that_jumps_turns_the_claim() {
    let mean = |law: &ebflow::law::Law, y: &[f64], noise: NoiseVariance| -> ebflow::Result<Vec<f64>> {
        let mean = law.posterior_mean(y, noise)?[0];
        Ok(vec![if mean > 0.9 { y[0] } else { mean }])
    };
    turns(&PosteriorContinuity { mean, ..Default::default() });
}

#[test]
fn what_is_no_number_decides_nothing() {
    is_inconclusive(&ConvolutionBounds { growth: |_| f64::NAN, ..Default::default() });
    is_inconclusive(&CutoffAndTails { transfer: f64::NAN, ..Default::default() });
    is_inconclusive(&LogStability { reference_field: |_, _, _| f64::NAN, ..Default::default() });
    is_inconclusive(&AffineStability { norm: |_| f64::NAN, ..Default::default() });
    let slope = |_| Measured::exact(f64::NAN);
    is_inconclusive(&PosteriorContinuity { slope, ..Default::default() });
}
