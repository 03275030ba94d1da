//! Claims about Gaussian laws.

use ebflow::claim::baseline::{Difference, Side, compare};
use ebflow::claim::gaussian::{CovarianceEquation, DiracHittingTime, HittingTime, RecoveryRate};
use ebflow::claim::{Claim, Record, VerdictKind};
use ebflow::drift::Dense;
use ebflow::study::Preset;
use ebflow::{Beta, CloudView, Drift, DriftField, RawTime, Result, Targets};

/// The kernel `exp(−β|x|²)` instead of `exp(−β|x|²/2)`.
struct NarrowKernel;

impl Drift for NarrowKernel {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, Beta::new(2.0 * beta.get())?, field)
    }
}

/// A barycentre that leaves out the particle itself.
struct WithoutSelf;

impl Drift for WithoutSelf {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        targets: Targets<'_>,
        beta: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        Dense.evaluate(sources, targets, beta, field)?;
        let weight = |i: usize| sources.weights.map_or(1.0 / sources.len() as f64, |weights| weights[i]);
        for (i, velocity) in field.velocity.chunks_exact_mut(sources.dimension).enumerate() {
            let mass = field.log_mass[i].exp();
            velocity.iter_mut().for_each(|v| *v *= mass / (mass - weight(i)));
        }
        Ok(())
    }
}

fn verdict(claim: &dyn Claim) -> VerdictKind {
    let record = Record::gather(claim, Preset::Quick);
    let decisive = record.decisive().map(|row| (row.name(), row.measured, row.predicted));
    println!("{}: {:?}, {decisive:?}", record.card.id, record.verdict);
    record.verdict.kind()
}

fn holds_as_expected(claim: &dyn Claim) {
    assert_eq!(verdict(claim), claim.card().expected);
}

fn fails(claim: &dyn Claim) {
    assert_eq!(verdict(claim), VerdictKind::FailsAsPrinted);
}

/// A wrong drift need not fail as printed: a run that is watched notices that its drift is not the kernel sum, and refuses to give evidence.
fn turns(claim: &dyn Claim) {
    assert_ne!(verdict(claim), claim.card().expected);
}

#[test]
fn covariance_flow() {
    holds_as_expected(&CovarianceEquation::default());
}

#[test]
fn covariance_flow_at_twice_the_rate() {
    fails(&CovarianceEquation {
        closed_form: |flow, time| match RawTime::new(2.0 * time.get()) {
            Ok(time) => flow.eigenvalues_at(time),
            Err(_) => flow.initial_eigenvalues().clone(),
        },
        ..Default::default()
    });
}

#[test]
fn covariance_flow_without_its_logarithm() {
    let closed_form = |flow: &ebflow::exact::CovarianceFlow, time: RawTime| {
        flow.initial_eigenvalues().map(|l| (l - 2.0 * time.get() / flow.beta().get()).max(0.0))
    };
    fails(&CovarianceEquation { closed_form, ..Default::default() });
}

#[test]
fn covariance_flow_of_a_narrower_kernel() {
    turns(&CovarianceEquation { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn covariance_flow_without_the_self_term() {
    turns(&CovarianceEquation { drift: &WithoutSelf, ..Default::default() });
}

#[test]
fn recovery_rate() {
    holds_as_expected(&RecoveryRate::default());
}

#[test]
fn recovery_after_twice_the_horizon() {
    fails(&RecoveryRate {
        terminal_time: |noise, beta| {
            let horizon = noise.denoising_horizon().to_raw(beta);
            RawTime::new(2.0 * horizon.get()).unwrap_or(horizon)
        },
        ..Default::default()
    });
}

/// Score time taken for raw time.
#[test]
fn recovery_on_the_wrong_clock() {
    fails(&RecoveryRate {
        terminal_time: |noise, beta| {
            let horizon = noise.denoising_horizon();
            RawTime::new(horizon.get()).unwrap_or(horizon.to_raw(beta))
        },
        ..Default::default()
    });
}

/// The ideal backward heat flow is at the prior exactly: too good to be true.
#[test]
fn recovery_without_the_logarithm() {
    let closed_form = |flow: &ebflow::exact::CovarianceFlow, time: RawTime| {
        flow.initial_eigenvalues().map(|l| (l - 2.0 * time.get() / flow.beta().get()).max(0.0))
    };
    fails(&RecoveryRate { closed_form, ..Default::default() });
}

#[test]
fn recovery_of_a_narrower_kernel() {
    fails(&RecoveryRate { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn hitting_time() {
    holds_as_expected(&HittingTime::default());
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
    fails(&with_a_wrong_half());
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
    fails(&HittingTime {
        target_time: |start, beta, target| {
            Ok(beta.get() * (0.5 * (start - target) + 0.5 / beta.get() * (start / target).ln()))
        },
        ..Default::default()
    });
}

#[test]
fn hitting_time_with_twice_the_logarithm() {
    fails(&HittingTime {
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
    holds_as_expected(&DiracHittingTime::default());
}

/// The logarithm of the standard deviation over `2β` instead of `β`.
#[test]
fn dirac_hitting_time_with_half_a_logarithm() {
    fails(&DiracHittingTime {
        kernel_width_time: |noise, beta| {
            let (variance, beta) = (noise.get(), beta.get());
            0.5 * variance - 0.5 / beta + 0.5 * variance.sqrt().ln() / beta + 0.5 * beta.ln() / beta
        },
        ..Default::default()
    });
}

#[test]
fn dirac_hitting_time_without_the_kernel_width() {
    fails(&DiracHittingTime { kernel_width_time: |noise, _| 0.5 * noise.get(), ..Default::default() });
}

/// A floor under the target makes zero reachable.
#[test]
fn dirac_hitting_time_that_is_finite() {
    fails(&DiracHittingTime {
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
