//! Claims about Gaussian laws.

use ebflow::Preset;
use ebflow::RawTime;
use ebflow::claim::baseline::{Difference, Side, compare};
use ebflow::claim::gaussian::{CovarianceEquation, DiracHittingTime, HittingTime, RecoveryRate};
use ebflow::claim::{Claim, Record};
use ebflow::exact::CovarianceFlow;
use nalgebra::DVector;

use crate::drifts::{NarrowKernel, WithoutSelf};
use crate::faults::{stands, turns};

/// There is no evidence with a faulty part, for a reason that names what is wrong.
fn refused(claim: &dyn Claim, reason: &str) {
    let record = Record::gather(claim, Preset::Quick);
    assert!(record.rows.is_empty(), "{}: {:?}", record.card.id, record.verdict);
    assert!(record.verdict.remark().is_some_and(|why| why.contains(reason)), "{:?}", record.verdict);
}

/// The flow of another covariance.
fn widened(flow: &CovarianceFlow, time: RawTime) -> DVector<f64> {
    1.0001 * flow.eigenvalues_at(time)
}

#[test]
fn covariance_flow() {
    stands(&CovarianceEquation::default());
}

#[test]
fn covariance_flow_at_twice_the_rate() {
    turns(&CovarianceEquation {
        closed_form: |flow, time| match RawTime::new(2.0 * time.get()) {
            Ok(time) => flow.eigenvalues_at(time),
            Err(_) => flow.initial_eigenvalues(),
        },
        ..Default::default()
    });
}

#[test]
fn covariance_flow_that_is_a_little_too_wide() {
    turns(&CovarianceEquation { closed_form: widened, ..Default::default() });
}

#[test]
fn covariance_flow_without_its_logarithm() {
    let closed_form = |flow: &CovarianceFlow, time: RawTime| {
        flow.initial_eigenvalues().map(|l| (l - 2.0 * time.get() / flow.beta().get()).max(0.0))
    };
    turns(&CovarianceEquation { closed_form, ..Default::default() });
}

#[test]
fn covariance_flow_of_a_narrower_kernel() {
    turns(&CovarianceEquation { drift: &NarrowKernel, ..Default::default() });
}

/// No law feels a particle's own term, but nodes do: they never settle, and there is no evidence.
#[test]
fn covariance_flow_without_the_self_term() {
    refused(&CovarianceEquation { drift: &WithoutSelf, ..Default::default() }, "two resolutions differ");
}

#[test]
fn recovery_rate() {
    stands(&RecoveryRate::default());
}

#[test]
fn recovery_after_twice_the_horizon() {
    turns(&RecoveryRate {
        terminal_time: |noise, beta| RawTime::new(2.0 * noise.denoising_horizon().to_raw(beta)?.get()),
        ..Default::default()
    });
}

/// Score time taken for raw time.
#[test]
fn recovery_on_the_wrong_clock() {
    turns(&RecoveryRate {
        terminal_time: |noise, _| RawTime::new(noise.denoising_horizon().get()),
        ..Default::default()
    });
}

/// The ideal backward heat flow is at the prior exactly: too good to be true.
#[test]
fn recovery_without_the_logarithm() {
    let closed_form = |flow: &CovarianceFlow, time: RawTime| {
        flow.initial_eigenvalues().map(|l| (l - 2.0 * time.get() / flow.beta().get()).max(0.0))
    };
    turns(&RecoveryRate { closed_form, ..Default::default() });
}

/// A ten-thousandth in the variance.
#[test]
fn recovery_of_a_law_that_is_a_little_too_wide() {
    turns(&RecoveryRate { closed_form: widened, ..Default::default() });
}

#[test]
fn recovery_of_a_narrower_kernel() {
    turns(&RecoveryRate { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn hitting_time() {
    stands(&HittingTime::default());
}

fn with_a_wrong_half() -> HittingTime {
    HittingTime {
        denoising_time: |prior, noise, beta| {
            Ok(0.5001 * noise.get() + 0.5 / beta.get() * (noise.get() / prior).ln_1p())
        },
        ..Default::default()
    }
}

#[test]
fn hitting_time_with_a_wrong_half() {
    turns(&with_a_wrong_half());
}

#[test]
fn a_wrong_half_moves_numbers_by_many_error_bars() {
    let [old, new] =
        [&HittingTime::default(), &with_a_wrong_half()].map(|claim| Record::gather(claim, Preset::Quick));
    let moved = compare(&[old], &[new]).into_iter().filter_map(|change| match change.what {
        Difference::Moved { side: Side::Predicted, bars, .. } => Some(bars),
        _ => None,
    });
    let moved: Vec<f64> = moved.collect();
    println!("{moved:?}");
    assert!(moved.len() > 5 && moved.iter().all(|&bars| bars > 1e3));
}

/// Raw time taken for score time.
#[test]
fn hitting_time_on_the_wrong_clock() {
    turns(&HittingTime {
        target_time: |start, beta, target| {
            Ok(beta.get() * (0.5 * (start - target) + 0.5 / beta.get() * (start / target).ln()))
        },
        ..Default::default()
    });
}

#[test]
fn hitting_time_with_twice_the_logarithm() {
    turns(&HittingTime {
        target_time: |start, beta, target| Ok(0.5 * (start - target) + (start / target).ln() / beta.get()),
        ..Default::default()
    });
}

#[test]
fn hitting_time_of_a_narrower_kernel() {
    turns(&HittingTime { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn dirac_hitting_time() {
    stands(&DiracHittingTime::default());
}

/// The logarithm of the standard deviation over `2β` instead of `β`.
#[test]
fn dirac_hitting_time_with_half_a_logarithm() {
    turns(&DiracHittingTime {
        kernel_width_time: |noise, beta| {
            let (variance, beta) = (noise.get(), beta.get());
            0.5 * variance - 0.5 / beta + 0.5 * variance.sqrt().ln() / beta + 0.5 * beta.ln() / beta
        },
        ..Default::default()
    });
}

#[test]
fn dirac_hitting_time_without_the_kernel_width() {
    turns(&DiracHittingTime { kernel_width_time: |noise, _| 0.5 * noise.get(), ..Default::default() });
}

/// A floor under the target makes zero reachable.
#[test]
fn dirac_hitting_time_that_is_finite() {
    turns(&DiracHittingTime {
        target_time: |start, beta, target| {
            Ok(0.5 * (start - target) + 0.5 / beta.get() * (start / target.max(1e-12)).ln())
        },
        ..Default::default()
    });
}

#[test]
fn dirac_hitting_time_of_a_narrower_kernel() {
    turns(&DiracHittingTime { drift: &NarrowKernel, ..Default::default() });
}
