//! Claims about the expansion in `1/β` with faulty operators, corrections and propagators.

use ebflow::RawTime;
use ebflow::claim::expansion::{FirstOrderCorrection, KernelExpansion};
use ebflow::exact::CovarianceFlow;

use crate::drifts::{NarrowKernel, SCORE};
use crate::faults::{contradicted, is_inconclusive, is_saved_by, stands, turns};

#[test]
fn the_kernelised_operator_has_its_expansion() {
    stands(&KernelExpansion::default());
}

#[test]
fn another_correction_leaves_a_remainder_of_first_order() {
    turns(&KernelExpansion {
        correction: |f| -(KernelExpansion::default().correction)(f),
        ..Default::default()
    });
    // Without what is not linear in f.
    turns(&KernelExpansion { correction: |f| f[4], ..Default::default() });
}

/// The score of the density itself, without the kernel: nothing is left to expand.
#[test]
fn another_operator_turns_the_claim() {
    let kernelised = |f: &[f64; 7], _: &[f64; 7]| (KernelExpansion::default().kernelised)(f, f);
    turns(&KernelExpansion { kernelised, ..Default::default() });
}

#[test]
fn another_kernel_has_another_score() {
    turns(&KernelExpansion { drift: &NarrowKernel, ..Default::default() });
    turns(&KernelExpansion { drift: &SCORE, ..Default::default() });
}

#[test]
fn no_constant_bounds_backward_heat() {
    stands(&FirstOrderCorrection::default());
}

#[test]
fn assumption_three_fails_and_with_it_the_correction() {
    let wrong = [
        "‖u_T0‖/∫‖r‖ at K = 4, against that at K = 2",
        "‖u_T0‖/∫‖r‖ at K = 8, against that at K = 4",
        "‖u_T0‖/∫‖r‖ at K = 16, against that at K = 8",
        "‖h‖ over 8 < |k| ≤ 16, against that over |k| ≤ 8",
    ];
    contradicted(&FirstOrderCorrection::default(), &wrong, |_| true);
}

#[test]
fn forward_heat_would_obey_it() {
    is_saved_by(&FirstOrderCorrection {
        propagator: |square, time| (-square * time).exp(),
        ..Default::default()
    });
}

#[test]
fn another_factor_is_not_the_gaussians() {
    turns(&FirstOrderCorrection {
        factor: |variance, noise| (noise / variance).ln_1p(),
        ..Default::default()
    });
}

#[test]
fn another_time_is_not_the_denoising_time() {
    let closed_form = |flow: &CovarianceFlow, time: RawTime| match RawTime::new(0.99 * time.get()) {
        Ok(time) => flow.eigenvalues_at(time),
        Err(_) => flow.initial_eigenvalues(),
    };
    turns(&FirstOrderCorrection { closed_form, ..Default::default() });
}

#[test]
fn another_source_has_another_spectrum() {
    turns(&FirstOrderCorrection { correction: |f| f[4], ..Default::default() });
}

#[test]
fn what_is_no_number_decides_nothing() {
    is_inconclusive(&KernelExpansion { correction: |_| f64::NAN, ..Default::default() });
    is_inconclusive(&FirstOrderCorrection { propagator: |_, _| f64::NAN, ..Default::default() });
}
