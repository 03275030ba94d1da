//! Claims about the kernel with faulty drifts, energies, posterior means and kernels.

use ebflow::Preset;
use ebflow::claim::kernel::{DriftIsLogGradient, EnergyGradient, GaussianKernelOnly, Kernel, Tweedie};
use ebflow::claim::{Claim, Record, baseline};
use ebflow::drift::{Blocks, KdTree, Tolerance};
use ebflow::law::{BayesOracle, Law};
use ebflow::{Cloud, Drift, NoiseVariance, Result};

use crate::drifts::{BARYCENTRE, LOST, NarrowKernel, WithoutSelf};
use crate::faults::{contradicted, is_inconclusive, stands, turns};

#[test]
fn the_drift_is_a_score() {
    stands(&DriftIsLogGradient::default());
}

#[test]
fn a_sharper_kernel_is_no_score() {
    turns(&DriftIsLogGradient { drift: &NarrowKernel });
}

#[test]
fn a_drift_without_its_own_term_is_no_score() {
    turns(&DriftIsLogGradient { drift: &WithoutSelf });
}

#[test]
fn a_barycentre_is_no_score() {
    turns(&DriftIsLogGradient { drift: &BARYCENTRE });
}

/// Error bars cover what another way of summing does to every number.
#[test]
fn another_drift_moves_nothing() {
    static BLOCKS: Blocks = Blocks { tolerance: Tolerance::BELOW_ROUNDING };
    static TREE: KdTree = KdTree { tolerance: Tolerance::BELOW_ROUNDING };
    let record = |claim: &dyn Claim| [Record::gather(claim, Preset::Quick)];
    for drift in [&BLOCKS as &'static dyn Drift, &TREE] {
        let changes = baseline::compare(
            &record(&DriftIsLogGradient::default()),
            &record(&DriftIsLogGradient { drift }),
        );
        assert!(changes.is_empty(), "{changes:?}");
        let energy = EnergyGradient { drift, ..EnergyGradient::default() };
        let changes = baseline::compare(&record(&EnergyGradient::default()), &record(&energy));
        assert!(changes.is_empty(), "{changes:?}");
    }
}

#[test]
fn stage_2_descends_the_energy() {
    stands(&EnergyGradient::default());
}

#[test]
fn a_sharper_stage_2_descends_another() {
    turns(&EnergyGradient { drift: &NarrowKernel, ..EnergyGradient::default() });
}

fn squares(particles: &Cloud, query: &[f64]) -> impl Iterator<Item = f64> {
    particles.rows().map(move |z| z.iter().zip(query).map(|(z, q)| (z - q) * (z - q)).sum())
}

fn log_sum(exponents: impl Iterator<Item = f64>) -> f64 {
    let exponents: Vec<f64> = exponents.collect();
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + exponents.iter().map(|e| (e - largest).exp()).sum::<f64>().ln()
}

#[test]
fn the_energy_needs_its_temperature() {
    turns(&EnergyGradient {
        energy: |particles, q, beta| -log_sum(squares(particles, q).map(|s| -0.5 * beta * s)),
        ..EnergyGradient::default()
    });
}

#[test]
fn the_energy_needs_its_half() {
    turns(&EnergyGradient {
        energy: |particles, q, beta| -log_sum(squares(particles, q).map(|s| -beta * s)) / beta,
        ..EnergyGradient::default()
    });
}

#[test]
fn tweedies_sign_is_wrong_as_printed() {
    stands(&Tweedie::default());
}

/// The sign, the law of the barycentre, the order of the diffusion and the sign along it: each is wrong for every prior.
#[test]
fn every_error_of_tweedies_formula_shows() {
    let wrong = [
        "E[X|x̃] − (x̃ − σ²∇log ρ̃)",
        "∇log ρ̃ − (x̃ − E[X|x̃])/σ²",
        "E[X|x̃] − F of the noisy law",
        "log f_t − log(f_{t−δ}*N(0,2δI))",
        "∇log f_t − (x − E[Y|x])/2δ, Y ~ f_{t−δ}",
    ];
    contradicted(&Tweedie::default(), &wrong, |_| true);
}

/// Posterior means on the wrong side of the token would make the printed sign right.
#[test]
fn mirrored_posterior_means_turn_tweedie() {
    let mirrored = |law: &Law, x: &[f64], noise: NoiseVariance| -> Result<Vec<f64>> {
        Ok(law.posterior_mean(x, noise)?.iter().zip(x).map(|(m, x)| 2.0 * x - m).collect())
    };
    turns(&Tweedie { posterior_mean: mirrored, ..Tweedie::default() });
}

#[test]
fn half_the_noise_turns_tweedie() {
    let halved = |law: &Law, noise: NoiseVariance| match NoiseVariance::new(0.5 * noise.get()) {
        Ok(half) => law.noisy(half),
        Err(_) => law.clone(),
    };
    turns(&Tweedie { noisy: halved, ..Tweedie::default() });
}

/// Noise that is lost in proportion keeps the noisy laws a semigroup: quadrature sees that they are not convolutions
/// with the noise.
#[test]
fn half_the_noise_breaks_the_diffusion() {
    let halved = |law: &Law, noise: NoiseVariance| match NoiseVariance::new(0.5 * noise.get()) {
        Ok(half) => law.noisy(half),
        Err(_) => law.clone(),
    };
    let record = Record::gather(&Tweedie { noisy: halved, ..Tweedie::default() }, Preset::Quick);
    let row = record.rows.iter().find(|row| row.quantity == "log f_{t−δ} − log(f_t*N(0,2δI))").unwrap();
    assert!(row.is_finite() && !row.agrees(), "{row:?}");
}

#[test]
fn what_is_no_number_decides_nothing() {
    is_inconclusive(&DriftIsLogGradient { drift: &LOST });
    is_inconclusive(&EnergyGradient { energy: |_, _, _| f64::NAN, ..EnergyGradient::default() });
    is_inconclusive(&Tweedie { posterior_mean: |_, x, _| Ok(vec![f64::NAN; x.len()]), ..Tweedie::default() });
}

#[test]
fn only_gaussian_kernels_make_scores_of_barycentres() {
    stands(&GaussianKernelOnly::default());
}

#[test]
fn a_kernel_that_is_not_gaussian_turns_the_claim() {
    let quartic = Kernel::radial("nearly Gaussian", |square| -0.5 * square - 1e-6 * square * square);
    turns(&GaussianKernelOnly { gaussian: quartic, ..GaussianKernelOnly::default() });
}

#[test]
fn a_kernel_that_is_nearly_gaussian_is_told_apart() {
    stands(&GaussianKernelOnly {
        others: [3.0, 1e4, 1e6].map(Kernel::student).into(),
        ..GaussianKernelOnly::default()
    });
}

#[test]
fn a_gaussian_of_another_width_has_another_matrix() {
    let wider = Kernel::radial("wider", |square| -0.25 * square);
    turns(&GaussianKernelOnly { gaussian: wider, ..GaussianKernelOnly::default() });
}

#[test]
fn a_gaussian_among_the_others_turns_the_claim() {
    let mut claim = GaussianKernelOnly::default();
    claim.others.push(Kernel::radial("a Gaussian in disguise", |square| -square));
    turns(&claim);
}
