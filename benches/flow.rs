//! Whole flows, and what an integrator costs beside its drift.
//!
//! `flow/…` runs the noisy mixture of the accuracy tests at `β = 20` to the denoising horizon. `overhead/…` does the same
//! number of particles with a drift that is nearly free, so its time is the integrator's own vector work; criterion
//! reports it per evaluation.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ebflow::drift::Dense;
use ebflow::flow::Integrator;
use ebflow::{
    Adaptive, Beta, Cloud, CloudView, Drift, DriftField, Flow, Layers, NoiseVariance, Result, Schedule,
    Targets,
};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

const SEED: u64 = 7;
const NOISE: f64 = 0.5;

/// The even mixture of `N((±1, 0), 0.1² I)` with noise added.
fn noisy_mixture(n: usize) -> Cloud {
    let mut rng = Pcg64::seed_from_u64(SEED);
    let spread = (0.1_f64.powi(2) + NOISE).sqrt();
    let mut gaussian = || -> f64 { StandardNormal.sample(&mut rng) };
    let mut point =
        |i: usize| [if i.is_multiple_of(2) { 1.0 } else { -1.0 } + spread * gaussian(), spread * gaussian()];
    Cloud::new((0..n).flat_map(&mut point).collect(), 2).unwrap()
}

fn denoising_flow() -> Flow<'static> {
    let schedule = Schedule::constant(Beta::new(20.0).unwrap());
    Flow::new(schedule, NoiseVariance::new(NOISE).unwrap().denoising_horizon())
}

/// `v = −z/2`: no pairs at all.
struct Contraction;

impl Drift for Contraction {
    fn evaluate(
        &self,
        sources: CloudView<'_>,
        _: Targets<'_>,
        _: Beta,
        field: &mut DriftField,
    ) -> Result<()> {
        field.reset(sources.len(), sources.dimension);
        field.velocity.iter_mut().zip(sources.points).for_each(|(v, z)| *v = -0.5 * z);
        Ok(())
    }
}

fn flows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("flow");
    group.sample_size(10);
    let cloud = noisy_mixture(500);
    let integrators: [(&str, Box<dyn Integrator>); 3] = [
        ("layers 50", Box::new(Layers::new(50).unwrap())),
        ("adaptive 1e-3", Box::new(Adaptive::new(1e-3, 1e-3).unwrap())),
        ("adaptive 1e-6", Box::new(Adaptive::new(1e-6, 1e-6).unwrap())),
    ];
    for (name, integrator) in &integrators {
        group.bench_function(*name, |bencher| {
            bencher.iter(|| {
                denoising_flow()
                    .with_drift(Dense)
                    .with_integrator(integrator.as_ref())
                    .run(black_box(&cloud))
                    .unwrap()
            });
        });
    }
    group.finish();
}

fn overhead(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("overhead");
    group.sample_size(20);
    let adaptive = Adaptive::new(1e-9, 1e-9).unwrap();
    for n in [500, 5_000, 50_000] {
        let cloud = noisy_mixture(n);
        let evaluations = denoising_flow()
            .with_drift(Contraction)
            .with_integrator(adaptive)
            .run(&cloud)
            .unwrap()
            .statistics
            .evaluations;
        group.throughput(Throughput::Elements(evaluations));
        group.bench_with_input(BenchmarkId::new("adaptive", n), &cloud, |bencher, cloud| {
            bencher.iter(|| {
                denoising_flow()
                    .with_drift(Contraction)
                    .with_integrator(adaptive)
                    .run(black_box(cloud))
                    .unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, flows, overhead);
criterion_main!(benches);
