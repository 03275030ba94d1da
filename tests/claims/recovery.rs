//! Claims about recovery of the prior and of the Bayes estimate, and about particles and their mean field.

use ebflow::claim::Claim;
use ebflow::claim::chaos::PropagationOfChaos;
use ebflow::claim::recovery::{
    ClosestTime, OneShot, PosteriorSufficiency, RecoveryBeyondGaussian, SequentialRecovery,
};
use ebflow::claim::truncation::TruncatedFlows;
use ebflow::{Law, NoiseVariance, RawTime};

use crate::drifts::{NarrowKernel, STILL};
use crate::faults::{stands, turns};

/// Seeds besides the default; the environment may ask for more (`EBFLOW_CLAIM_SEEDS`).
const SEEDS: u64 = 1;

/// Verdicts do not depend on the draw.
fn stands_for_other_seeds(of: impl Fn(u64) -> Box<dyn Claim>) {
    let seeds = std::env::var("EBFLOW_CLAIM_SEEDS").map_or(SEEDS, |value| value.parse().expect("a number"));
    for seed in 1..=seeds {
        stands(of(1_000_001 * seed).as_ref());
    }
}

#[test]
fn sequential_recovery() {
    stands(&SequentialRecovery::default());
}

#[test]
fn sequential_recovery_for_other_seeds() {
    stands_for_other_seeds(|seed| Box::new(SequentialRecovery { seed, ..Default::default() }));
}

#[test]
fn sequential_recovery_of_a_narrower_kernel() {
    turns(&SequentialRecovery { drift: Box::new(NarrowKernel), ..Default::default() });
}

#[test]
fn sequential_recovery_at_twice_the_horizon() {
    turns(&SequentialRecovery {
        terminal_time: |noise, beta| RawTime::new(2.0 * noise.denoising_horizon().to_raw(beta)?.get()),
        ..Default::default()
    });
}

/// The ideal backward heat flow is at the prior exactly.
#[test]
fn sequential_recovery_without_the_logarithm() {
    turns(&SequentialRecovery {
        closed_form: |flow, time| {
            flow.initial_eigenvalues().map(|l| (l - 2.0 * time.get() / flow.beta().get()).max(0.0))
        },
        ..Default::default()
    });
}

#[test]
fn propagation_of_chaos() {
    stands(&PropagationOfChaos::default());
}

#[test]
fn propagation_of_chaos_for_other_seeds() {
    stands_for_other_seeds(|seed| Box::new(PropagationOfChaos { seed, ..Default::default() }));
}

#[test]
fn particles_of_a_narrower_kernel_have_other_partners() {
    turns(&PropagationOfChaos { drift: Box::new(NarrowKernel), ..Default::default() });
}

/// Partners that do not move.
#[test]
fn partners_that_stay_where_they_are() {
    turns(&PropagationOfChaos { partner: |_, cloud, _| Ok(cloud.clone()), ..Default::default() });
}

/// The coupling bound without its growth and with a constant that is too small.
#[test]
fn a_coupling_bound_without_its_constant() {
    turns(&PropagationOfChaos { bound: |_, t, integral| 0.01 * t * integral, ..Default::default() });
}

#[test]
fn truncated_flows() {
    stands(&TruncatedFlows::default());
}

#[test]
fn truncated_flows_of_a_narrower_kernel() {
    turns(&TruncatedFlows { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn truncated_flows_in_a_ball_that_does_not_grow() {
    turns(&TruncatedFlows { ball: |radius| radius.min(3.0), ..Default::default() });
}

#[test]
fn truncated_flows_beside_a_law_that_is_a_little_too_wide() {
    turns(&TruncatedFlows {
        closed_form: |flow, time| 1.0001 * flow.eigenvalues_at(time),
        ..Default::default()
    });
}

#[test]
fn recovery_beyond_gaussian() {
    stands(&RecoveryBeyondGaussian::default());
}

/// An onset that comes too late contradicts the correction.
#[test]
fn recovery_that_should_go_on() {
    turns(&RecoveryBeyondGaussian {
        onset: |zero, noise| (zero / noise.get()).powi(2),
        ..Default::default()
    });
}

#[test]
fn recovery_beyond_gaussian_of_a_narrower_kernel() {
    turns(&RecoveryBeyondGaussian { drift: &NarrowKernel, ..Default::default() });
}

#[test]
fn denoising_time() {
    stands(&ClosestTime::default());
}

#[test]
fn denoising_time_with_twice_the_logarithm() {
    turns(&ClosestTime {
        gaussian_offset: |variance, noise| (noise.get() / variance).ln_1p(),
        ..Default::default()
    });
}

#[test]
fn denoising_time_of_a_narrower_kernel() {
    turns(&ClosestTime { drift: &NarrowKernel, ..Default::default() });
}

/// A tenth of the noise left.
#[test]
fn denoising_time_about_an_earlier_horizon() {
    turns(&ClosestTime {
        horizon: |noise, beta| RawTime::new(0.9 * noise.denoising_horizon().to_raw(beta)?.get()),
        ..Default::default()
    });
}

#[test]
fn one_shot() {
    stands(&OneShot::default());
}

#[test]
fn one_shot_for_other_seeds() {
    stands_for_other_seeds(|seed| Box::new(OneShot { seed, ..Default::default() }));
}

/// An estimator that does not smooth is not what is corrected.
#[test]
fn one_shot_with_half_the_kernel() {
    turns(&OneShot {
        estimator: |tokens, noise, drift| {
            ebflow::posterior::one_shot(tokens, NoiseVariance::new(0.5 * noise.get())?, drift)
        },
        ..Default::default()
    });
}

#[test]
fn one_shot_with_another_limit() {
    let limit = |prior: &Law, noise: NoiseVariance| match NoiseVariance::new(0.9 * noise.get()) {
        Ok(less) => prior.noisy(less),
        Err(_) => prior.clone(),
    };
    turns(&OneShot { limit, ..Default::default() });
}

#[test]
fn posterior_sufficiency() {
    stands(&PosteriorSufficiency::default());
}

#[test]
fn posterior_sufficiency_for_other_seeds() {
    stands_for_other_seeds(|seed| Box::new(PosteriorSufficiency { seed, ..Default::default() }));
}

/// Particles that do not move form no clusters.
#[test]
fn clusters_that_do_not_form() {
    turns(&PosteriorSufficiency { drift: Box::new(&STILL), ..Default::default() });
}

/// Stage 2 with a kernel that is too wide.
#[test]
fn clusters_seen_through_twice_the_noise() {
    turns(&PosteriorSufficiency {
        infer: |particles, queries, noise| {
            let wide = NoiseVariance::new(2.0 * noise.get())?;
            Ok(ebflow::posterior::ParticlePrior::new(particles, wide)?
                .infer(queries, &ebflow::drift::Dense)?
                .mean)
        },
        ..Default::default()
    });
}
