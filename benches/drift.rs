//! The drifts beside each other, one thread: `cargo bench --bench drift`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ebflow::drift::{Blocks, Dense, KdTree};
use ebflow::{Beta, Drift, DriftField, Targets};

mod clouds;

const DIMENSIONS: [usize; 4] = [1, 2, 3, 8];

/// A cloud size and a kernel: one where everything interacts, one where little does.
struct Setting {
    name: &'static str,
    points: usize,
    beta: f64,
}

const SETTINGS: [Setting; 2] = [
    Setting { name: "wide_kernel", points: 2_000, beta: 20.0 },
    Setting { name: "narrow_kernel", points: 10_000, beta: 200.0 },
];

fn drifts() -> [(&'static str, Box<dyn Drift>); 3] {
    [("dense", Box::new(Dense)), ("blocks", Box::<Blocks>::default()), ("kdtree", Box::<KdTree>::default())]
}

fn self_drift(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread pool");
    for Setting { name, points, beta } in SETTINGS {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements((points * points) as u64));
        let beta = Beta::new(beta).expect("a positive β");
        for d in DIMENSIONS {
            let cloud = clouds::mixture(points, d);
            for (drift_name, drift) in drifts() {
                let mut field = DriftField::default();
                group.bench_function(BenchmarkId::new(drift_name, format!("d={d}")), |bencher| {
                    let mut evaluate =
                        || drift.evaluate(black_box(cloud.view()), Targets::Sources, beta, &mut field);
                    pool.install(|| bencher.iter(&mut evaluate));
                });
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    targets = self_drift
}
criterion_main!(benches);
