//! Exact `W1` between clouds of the kinds that a study compares.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use ebflow::Cloud;
use ebflow::metric::transport::wasserstein;
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

/// Seed of all clouds.
const SEED: u64 = 7;

/// Sizes small enough for statistics in a few seconds.
const SIZES: [usize; 2] = [500, 2000];

fn normal(count: usize, dimension: usize, random: &mut Pcg64) -> Vec<f64> {
    (0..count * dimension).map(|_| StandardNormal.sample(random)).collect()
}

/// Two clouds of a kind.
fn pair(kind: &str, count: usize, dimension: usize) -> [Cloud; 2] {
    let mut random = Pcg64::seed_from_u64(SEED);
    let (mut x, mut y) = (normal(count, dimension, &mut random), normal(count, dimension, &mut random));
    let centre = |at: usize| (1.7 * (at / dimension % 20) as f64 + (at % dimension) as f64).sin();
    match kind {
        "nearly equal" => y.iter_mut().zip(&x).for_each(|(y, x)| *y = x + 1e-6 * *y),
        "collapsed" => {
            x.iter_mut().enumerate().for_each(|(at, x)| *x = centre(at) + 1e-9 * *x);
            y.iter_mut().enumerate().for_each(|(at, y)| *y = centre(at) + 0.1 * *y);
        }
        _ => {}
    }
    [x, y].map(|points| Cloud::new(points, dimension).expect("finite points"))
}

fn transport(criterion: &mut Criterion) {
    for (kind, dimension) in [("gaussian", 2), ("gaussian", 3), ("nearly equal", 2), ("collapsed", 2)] {
        let mut group = criterion.benchmark_group(format!("transport/{kind}/d={dimension}"));
        group.sample_size(10);
        for count in SIZES {
            let [first, second] = pair(kind, count, dimension);
            group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
                bencher.iter(|| wasserstein(black_box(&first), black_box(&second)));
            });
        }
    }
}

criterion_group!(benches, transport);
criterion_main!(benches);
