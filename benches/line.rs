//! `W1` on the line beside the sort it needs: a million points against a normal law, as a ratio of minima in one run.

use std::hint::black_box;
use std::time::Instant;

use ebflow::law::{Law, generator};
use ebflow::metric::line::w1_to_law;

const SEED: u64 = 11;
const POINTS: usize = 1_000_000;
const REPETITIONS: usize = 9;

fn main() -> ebflow::Result<()> {
    let law = Law::parse(r#"{ kind = "gaussian", mean = 0, std = 1 }"#)?;
    let sample = law.sample(POINTS, &mut generator(SEED))?;
    let line = law.on_line()?;
    println!("N = {POINTS}, minimum of {REPETITIONS} runs\nthreads   W1 (ms)   sort (ms)   ratio");
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        let (mut distance, mut sorting) = (f64::MAX, f64::MAX);
        for _ in 0..REPETITIONS {
            distance = distance.min(seconds(|| pool.install(|| drop(black_box(w1_to_law(&sample, &line))))));
            let mut points = sample.points().to_vec();
            sorting = sorting.min(seconds(|| points.sort_unstable_by(f64::total_cmp)));
            black_box(points);
        }
        let ratio = distance / sorting;
        println!("{threads:7} {:9.1} {:11.1} {ratio:7.2}", 1e3 * distance, 1e3 * sorting);
    }
    Ok(())
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}
