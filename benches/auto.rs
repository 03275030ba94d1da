//! Does `auto` choose well? Every drift on a grid of clouds, the ratio of `auto` to the best of the others, and what it expected.
//!
//! The drifts take turns, so that a busy machine disturbs all of them alike; the shortest of their turns counts.

use std::time::Instant;

use ebflow::drift::{Auto, Blocks, Dense, GaussTransform, KdTree};
use ebflow::{Beta, Cloud, Drift, DriftField, Targets};

mod clouds;

/// Turns are taken until this much time has passed, within limits.
const SECONDS: f64 = 1.5;
const FEWEST_TURNS: usize = 3;
const MOST_TURNS: usize = 200;
/// Larger clouds skip the drifts that look at every pair, or at every neighbour one by one.
const DENSE_LIMIT: usize = 20_000;
const NEIGHBOUR_LIMIT: usize = 5_000;
/// Nor are the tiles run where all of so many points interact.
const TILES_LIMIT: usize = 20_000;

fn main() -> ebflow::Result<()> {
    println!("one thread, milliseconds, shortest of several turns; in brackets what auto expected");
    println!(
        "d       N    β      auto     dense    kdtree              blocks               gauss   auto/best"
    );
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread pool");
    pool.install(|| {
        let mut worst: f64 = 0.0;
        for d in [1, 2, 3] {
            for n in [1_000, 5_000, 20_000, 100_000] {
                for beta in [1.0, 20.0, 200.0] {
                    worst = worst.max(row(d, n, beta)?);
                }
            }
        }
        println!("worst ratio {worst:.2}");
        Ok(())
    })
}

/// Prints one line and returns how many times as long as the best of the others `auto` took.
fn row(d: usize, n: usize, beta: f64) -> ebflow::Result<f64> {
    let (cloud, kernel) = (clouds::mixture(n, d), Beta::new(beta)?);
    let forecast = Auto::default().forecast(cloud.view(), Targets::Sources, kernel)?;
    let contenders: [(Box<dyn Drift>, bool); 5] = [
        (Box::<Auto>::default(), true),
        (Box::new(Dense), n <= DENSE_LIMIT),
        (Box::<KdTree>::default(), n <= NEIGHBOUR_LIMIT),
        (Box::<Blocks>::default(), n <= TILES_LIMIT || (beta > 100.0 && d > 1)),
        (Box::<GaussTransform>::default(), d <= 2),
    ];
    let [auto, dense, kdtree, blocks, gauss] = take_turns(&contenders, &cloud, kernel)?;
    let best = dense.min(kdtree).min(blocks).min(gauss);
    let cell = |ms: f64| if ms.is_finite() { format!("{ms:9.3}") } else { format!("{:>9}", "-") };
    let expected = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("({:.3})", 1e3 * s));
    let ratio = if best.is_finite() { auto / best } else { 1.0 };
    println!(
        "{d} {n:7} {beta:4} {auto:9.3} {} {} {} {:>10} {} {:>10} {ratio:11.2}",
        cell(dense),
        cell(kdtree),
        cell(blocks),
        expected(Some(forecast.blocks)),
        cell(gauss),
        expected(forecast.gauss),
    );
    Ok(ratio)
}

/// The shortest time of each contender in milliseconds; infinite for those that sit out.
fn take_turns(
    contenders: &[(Box<dyn Drift>, bool); 5],
    cloud: &Cloud,
    beta: Beta,
) -> ebflow::Result<[f64; 5]> {
    let mut fields: [DriftField; 5] = std::array::from_fn(|_| DriftField::default());
    let (mut best, mut turns, begin) = ([f64::INFINITY; 5], 0, Instant::now());
    while turns < FEWEST_TURNS || (turns < MOST_TURNS && begin.elapsed().as_secs_f64() < SECONDS) {
        for ((drift, takes_part), (field, best)) in contenders.iter().zip(fields.iter_mut().zip(&mut best)) {
            if *takes_part {
                let start = Instant::now();
                drift.evaluate(cloud.view(), Targets::Sources, beta, field)?;
                *best = best.min(1e3 * start.elapsed().as_secs_f64());
            }
        }
        turns += 1;
    }
    Ok(best)
}
