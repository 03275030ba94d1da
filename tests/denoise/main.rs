//! Choices of `β` and depth beside the best in hindsight.
//!
//! `EBFLOW_TUNINGS=20 cargo test --release --test denoise -- --nocapture` tries more draws than `cargo test` does.

use ebflow::denoise::{Denoiser, Tuner};
use ebflow::drift::Auto;
use ebflow::flow::Adaptive;
use ebflow::law::Law;
use ebflow::posterior::{ParticlePrior, mean_squared_error, one_shot};
use ebflow::{Beta, Cloud, NoiseVariance, ScoreTime};

/// Draws in `cargo test`; the environment may ask for more.
const DRAWS: u64 = 2;

/// Mean errors are at most this much above the best in hindsight, of any choice that is the same for all draws.
const LOSS: f64 = 1.03;

fn draws() -> u64 {
    std::env::var("EBFLOW_TUNINGS").map_or(DRAWS, |value| value.parse().expect("a number"))
}

struct Setting {
    law: Law,
    noise: NoiseVariance,
    tokens: usize,
}

struct Draw {
    noisy: Cloud,
    clean: Cloud,
}

impl Setting {
    fn draw(&self, seed: u64) -> Draw {
        let sample = self.law.sample_noisy(self.tokens, self.noise, seed).unwrap();
        Draw { noisy: sample.noisy, clean: sample.clean }
    }

    /// Errors at some depths, in units of the horizon.
    fn errors(&self, draw: &Draw, beta: f64, depths: &[f64]) -> Vec<f64> {
        let horizon = self.noise.denoising_horizon().get();
        let times: Vec<ScoreTime> = depths.iter().map(|m| ScoreTime::new(m * horizon).unwrap()).collect();
        let run = Denoiser::new(self.noise, Beta::new(beta).unwrap())
            .up_to(*times.last().unwrap())
            .with_integrator(Adaptive::new(1e-4, 1e-4).unwrap())
            .with_snapshots(times)
            .stage_one(&draw.noisy)
            .unwrap();
        let error = |particles: &Cloud| {
            let prior = ParticlePrior::new(particles, self.noise).unwrap();
            mean_squared_error(&prior.infer(&draw.noisy, &Auto::default()).unwrap().mean, &draw.clean)
        };
        run.snapshots.iter().map(|snapshot| error(&snapshot.cloud)).collect()
    }
}

#[test]
fn choices_are_nearly_the_best_in_hindsight() {
    let law = "{ kind = 'mixture', weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }";
    let setting =
        Setting { law: Law::parse(law).unwrap(), noise: NoiseVariance::new(0.5).unwrap(), tokens: 5000 };
    let betas: Vec<f64> = (0..9).map(|j| 4.0 * (0.5 * f64::from(j)).exp2()).collect();
    let depths: Vec<f64> = (0..13).map(|k| 0.25 * f64::from(k)).collect();
    let (mut chosen, mut best, mut covered) = (0.0, 0.0, 0);
    let mut fixed = vec![0.0; betas.len() * depths.len()];
    for seed in 0..draws() {
        let draw = setting.draw(seed);
        let tuning = Tuner::new(setting.noise).tune(&draw.noisy).unwrap();
        let depth = tuning.depth.get() / setting.noise.denoising_horizon().get();
        let error = setting.errors(&draw, tuning.beta.get(), &[depth])[0];
        let grid: Vec<f64> = betas.iter().flat_map(|beta| setting.errors(&draw, *beta, &depths)).collect();
        let least = grid.iter().copied().fold(f64::INFINITY, f64::min);
        grid.iter().zip(&mut fixed).for_each(|(error, sum)| *sum += error);
        (chosen, best) = (chosen + error, best + least);
        covered += u64::from((tuning.risk.estimate - error).abs() <= 3.0 * tuning.risk.standard_error);
        println!(
            "{seed}: β {:.2}, depth {depth:.2}: {error:.4}, estimated {:.4} ± {:.4}, best of the draw {least:.4}",
            tuning.beta.get(),
            tuning.risk.estimate,
            tuning.risk.standard_error
        );
    }
    let n = draws() as f64;
    let fixed = fixed.into_iter().fold(f64::INFINITY, f64::min);
    println!(
        "mean {:.5}, best of every draw {:.5} ({:.4}), best for all {:.5} ({:.4}), covered {covered}",
        chosen / n,
        best / n,
        chosen / best,
        fixed / n,
        chosen / fixed
    );
    assert!(chosen <= LOSS * best, "{chosen} {best}");
    assert!(covered as f64 >= 0.95 * n);
}

#[test]
fn wide_kernels_are_found_in_ten_dimensions() {
    let law = "{ kind = 'mixture', weights = [0.25, 0.25, 0.25, 0.25], std = 0.3, means = [
        [2, 0, 0, 0, 0, 0, 0, 0, 0, 0], [-2, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0, 0, 0, 0, 0], [0, -2, 0, 0, 0, 0, 0, 0, 0, 0]] }";
    let setting =
        Setting { law: Law::parse(law).unwrap(), noise: NoiseVariance::new(0.49).unwrap(), tokens: 4000 };
    let draw = setting.draw(1);
    let tuning = Tuner::new(setting.noise).tune(&draw.noisy).unwrap();
    let depth = tuning.depth.get() / setting.noise.denoising_horizon().get();
    let error = setting.errors(&draw, tuning.beta.get(), &[depth])[0];
    let depths = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0];
    let sharp = [5.0, 10.0, 20.0].map(|beta| setting.errors(&draw, beta, &depths));
    let sharp = sharp.concat().into_iter().fold(f64::INFINITY, f64::min);
    let one_shot =
        mean_squared_error(&one_shot(&draw.noisy, setting.noise, &Auto::default()).unwrap(), &draw.clean);
    println!(
        "β {:.3}, depth {depth:.2}: {error:.4}, {:?}; β ≥ 5 {sharp:.4}, one-shot {one_shot:.4}",
        tuning.beta.get(),
        tuning.risk
    );
    assert!(error < sharp && error < one_shot);
}
