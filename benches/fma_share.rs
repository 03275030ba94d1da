//! How much of the machine the dense drift uses.
//!
//! Two ordered pairs cost at least `3d + 10` operations on the multiply-add units: `d` for the distance, 10 for the exponential, `2d` for
//! the sums of both sides. This program measures how many such operations one thread sustains, then the drift, alternating between the two,
//! and prints the share of the bound. The minimum over many short runs is taken on both sides.

use std::time::Instant;

use ebflow::drift::Dense;
use ebflow::simd::{fused_multiply_adds, instructions};
use ebflow::{Beta, Cloud, Drift, DriftField, Targets};

mod clouds;

/// Rounds of the multiply-add loop: about a tenth of a millisecond.
const ROUNDS: u64 = 50_000;
/// Repetitions of each measurement.
const REPETITIONS: usize = 40;
const POINTS: usize = 5_000;
const BETA: f64 = 20.0;

fn main() -> ebflow::Result<()> {
    println!("{}, N = {POINTS}, β = {BETA}, minimum of {REPETITIONS} runs", instructions()?);
    println!("  d   Gpairs/s   bound   share   2 threads");
    let (one, two) = (pool(1), pool(2));
    for d in 1..=8 {
        let cloud = clouds::mixture(POINTS, d);
        let mut field = DriftField::default();
        let (mut seconds, mut seconds_two, mut rate) = (f64::MAX, f64::MAX, 0.0_f64);
        for _ in 0..REPETITIONS {
            rate = rate.max(multiply_add_rate());
            seconds = seconds.min(one.install(|| time(&cloud, &mut field))?);
            seconds_two = seconds_two.min(two.install(|| time(&cloud, &mut field))?);
        }
        let pairs = (POINTS * POINTS) as f64 / seconds / 1e9;
        let bound = rate * 2.0 / (3 * d + 10) as f64 / 1e9;
        println!(
            "  {d}   {pairs:8.3}   {bound:5.2}   {:4.1} %   {:.2}x",
            100.0 * pairs / bound,
            seconds / seconds_two
        );
    }
    Ok(())
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool")
}

/// Numbers multiplied and added per second; infinite without such instructions, which makes every share zero.
fn multiply_add_rate() -> f64 {
    let start = Instant::now();
    fused_multiply_adds(ROUNDS).map_or(f64::INFINITY, |count| count as f64 / start.elapsed().as_secs_f64())
}

fn time(cloud: &Cloud, field: &mut DriftField) -> ebflow::Result<f64> {
    let beta = Beta::new(BETA)?;
    let start = Instant::now();
    Dense.evaluate(cloud.view(), Targets::Sources, beta, field)?;
    Ok(start.elapsed().as_secs_f64())
}
