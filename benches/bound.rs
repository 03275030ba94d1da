//! What error bars cost and what they give: 5000 particles of a mixture in the plane, `β = 20`, `τ = 1/2`.
//!
//! Runs without an error bar, with an estimate, with a bound, and with one for tokens known to `10⁻⁸` take turns, and the fastest of each counts: the machine's mood cancels. A
//! table, not a criterion bench, since what matters is the ratio. Numbers on the command line are taken as tolerances, names as drifts:
//! `cargo bench --bench bound -- dense 1e-9`.

use std::time::Instant;

use ebflow::drift::{Named, Tolerance};
use ebflow::flow::Trajectory;
use ebflow::law::Law;
use ebflow::{Adaptive, Beta, Cloud, Drift, Flow, NoiseVariance};

const SEED: u64 = 1;
const PARTICLES: usize = 5000;
const ROUNDS: usize = 2;
const TOKENS: f64 = 1e-8;

fn seconds(flow: &Flow, drift: &dyn Drift, cloud: &Cloud, tolerance: f64) -> (f64, Trajectory) {
    let begin = Instant::now();
    let integrator = Adaptive::new(tolerance, tolerance).unwrap();
    let run = flow.clone().with_drift(drift).with_integrator(integrator).run(cloud).unwrap();
    (begin.elapsed().as_secs_f64(), run)
}

fn tolerances() -> Vec<f64> {
    let asked: Vec<f64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    if asked.is_empty() { vec![1e-6, 1e-8, 1e-9, 1e-10, 1e-12] } else { asked }
}

fn drifts() -> Vec<Named> {
    let named = |word: &str| Named::ALL.into_iter().find(|named| named.name() == word);
    let asked: Vec<Named> = std::env::args().filter_map(|word| named(&word)).collect();
    if asked.is_empty() { ["dense", "auto"].into_iter().filter_map(named).collect() } else { asked }
}

fn main() {
    let law = "{ kind = 'mixture', weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }";
    let noise = NoiseVariance::new(0.5).unwrap();
    let cloud = Law::parse(law).unwrap().sample_noisy(PARTICLES, noise, SEED).unwrap().noisy;
    let plain = Flow::new(Beta::new(20.0).unwrap(), noise.denoising_horizon());
    let flows = [
        plain.clone(),
        plain.clone().with_error_estimate(),
        plain.clone().with_token_errors([TOKENS]),
        plain.with_error_bound(),
    ];
    for drift in drifts() {
        println!("{}", drift.name());
        println!(
            "tolerance   plain s  estimate x  bound x  tokens/bound   estimate W1  bound W1   bound max"
        );
        for tolerance in tolerances() {
            row(&flows, drift, &cloud, tolerance);
        }
    }
}

fn row(flows: &[Flow; 4], drift: Named, cloud: &Cloud, tolerance: f64) {
    let drift = drift.drift(Tolerance::default());
    let (mut fastest, mut runs) = ([f64::INFINITY; 4], [const { None }; 4]);
    for _ in 0..ROUNDS {
        for (k, flow) in flows.iter().enumerate() {
            let (time, run) = seconds(flow, drift.as_ref(), cloud, tolerance);
            fastest[k] = fastest[k].min(time);
            runs[k] = Some(run.error);
        }
    }
    let ([plain, estimate, tokens, bound], [_, estimated, _, bounded]) = (fastest, runs.map(Option::unwrap));
    print!(
        "{tolerance:9.0e} {plain:9.3} {:11.2} {:8.2} {:13.2}  {:11.1e}",
        estimate / plain,
        bound / plain,
        tokens / bound,
        estimated.estimate.unwrap().mean
    );
    match (bounded.bound, bounded.refusal) {
        (Some(bound), _) => println!("  {:8.1e}  {:8.1e}   {:?}", bound.w1, bound.max, bound.budget),
        (None, refusal) => println!("  {}", refusal.map_or_else(String::new, |r| r.to_string())),
    }
}
