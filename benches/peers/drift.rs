//! Times one drift on a cloud from a `.npy` file and writes its velocities, for `benches/peers/drift.py`.

use std::path::Path;
use std::time::Instant;

use ebflow::drift::{Auto, Blocks, Dense, GaussTransform, KdTree};
use ebflow::files::npy;
use ebflow::{Beta, Drift, DriftField, Targets};

/// Runs are repeated until this much time has passed, within limits; the shortest counts.
const SECONDS: f64 = 2.0;
const FEWEST_RUNS: usize = 3;
const MOST_RUNS: usize = 100;

type Failure = Box<dyn std::error::Error>;

fn by_name(name: &str) -> Result<Box<dyn Drift>, Failure> {
    Ok(match name {
        "auto" => Box::new(Auto::default()),
        "dense" => Box::new(Dense),
        "blocks" => Box::new(Blocks::default()),
        "kdtree" => Box::new(KdTree::default()),
        "gauss" => Box::new(GaussTransform::default()),
        other => return Err(format!("no drift is called {other}").into()),
    })
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [points, beta, name, threads, velocities] = arguments.as_slice() else {
        return Err(
            "usage: peer_drift POINTS.npy BETA auto|dense|blocks|kdtree|gauss THREADS VELOCITIES.npy".into(),
        );
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let (cloud, beta, drift) =
        (npy::read_cloud(Path::new(points))?, Beta::new(beta.parse()?)?, by_name(name)?);
    let mut field = DriftField::default();
    let (mut best, mut runs) = (f64::INFINITY, 0);
    let begin = Instant::now();
    while runs < FEWEST_RUNS || (runs < MOST_RUNS && begin.elapsed().as_secs_f64() < SECONDS) {
        let start = Instant::now();
        drift.evaluate(cloud.view(), Targets::Sources, beta, &mut field)?;
        best = best.min(start.elapsed().as_secs_f64());
        runs += 1;
    }
    npy::write_table(Path::new(velocities), &field.velocity, cloud.dimension())?;
    let largest = |bounds: &[f64]| bounds.iter().fold(0.0_f64, |a, b| a.max(*b));
    let report = serde_json::json!({
        "drift": name,
        "seconds": best,
        "runs": runs,
        "pairs": field.pairs,
        "truncation": largest(&field.truncation),
        "rounding": largest(&field.rounding),
    });
    println!("{report}");
    Ok(())
}
