//! Does `auto` choose well? Every drift on a grid of clouds, minima of several runs, and the ratio of `auto` to the best of the others.

use std::time::Instant;

use ebflow::drift::{Auto, Blocks, Dense, GaussTransform, KdTree};
use ebflow::{Beta, Cloud, Drift, DriftField, Targets};

mod clouds;

const REPETITIONS: usize = 5;
/// Larger clouds skip the drifts that look at every pair or neighbour one by one.
const SLOW_LIMIT: usize = 20_000;

fn main() -> ebflow::Result<()> {
    println!("milliseconds, minimum of {REPETITIONS} runs");
    println!("d       N    β      auto     dense    blocks    kdtree     gauss   auto/best");
    for d in [1, 2, 3] {
        for n in [1_000, 5_000, 20_000, 100_000] {
            for beta in [1.0, 20.0, 200.0] {
                row(d, n, beta)?;
            }
        }
    }
    Ok(())
}

fn row(d: usize, n: usize, beta: f64) -> ebflow::Result<()> {
    let cloud = clouds::mixture(n, d);
    let beta_value = Beta::new(beta)?;
    let auto = milliseconds(&Auto::default(), &cloud, beta_value)?;
    let others: [(&dyn Drift, bool); 4] = [
        (&Dense, n <= SLOW_LIMIT),
        (&Blocks::default(), n < 100_000 || beta > 1.0),
        (&KdTree::default(), n < SLOW_LIMIT),
        (&GaussTransform::default(), d <= 2),
    ];
    let mut times = Vec::new();
    for (drift, wanted) in others {
        times.push(if wanted { Some(milliseconds(drift, &cloud, beta_value)?) } else { None });
    }
    let best = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let cells: Vec<String> =
        times.iter().map(|t| t.map_or_else(|| format!("{:>9}", "-"), |t| format!("{t:9.2}"))).collect();
    println!("{d} {n:7} {beta:4} {auto:9.2} {} {:11.2}", cells.join(" "), auto / best);
    Ok(())
}

fn milliseconds(drift: &dyn Drift, cloud: &Cloud, beta: Beta) -> ebflow::Result<f64> {
    let mut field = DriftField::default();
    let mut best = f64::INFINITY;
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        drift.evaluate(cloud.view(), Targets::Sources, beta, &mut field)?;
        best = best.min(start.elapsed().as_secs_f64());
        if best > 0.5 {
            break;
        }
    }
    Ok(1e3 * best)
}
