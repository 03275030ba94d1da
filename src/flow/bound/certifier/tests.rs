//! What the bound assumes of the defect between its samples, looked at closely.

use super::*;
use crate::drift::Dense;
use crate::flow::{Adaptive, Flow, Schedule};
use crate::law::Law;
use crate::scale::NoiseVariance;

const SEEDS: [u64; 2] = [11, 12];
const PARTICLES: usize = 60;

/// Looks per third of a step.
const LOOKS: usize = 6;

/// The assumption is that this ratio is at most one; there should be room.
const CLOSE: f64 = 0.9;

/// Compares defects with what is assumed of them, all through a run.
struct Probe<'a> {
    certifier: Certifier<'a>,
    /// The largest ratio of a defect to what was assumed.
    worst: f64,
    /// The same for means over a third of a step.
    worst_mean: f64,
}

impl StepObserver for Probe<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        let certifier = &mut self.certifier;
        let (begin, finish) = (certifier.motion(step.start)?, certifier.motion(step.end)?);
        let (from, until) = (step.start.raw_time.get(), step.end.raw_time.get());
        let ends = (begin.anchor(step.start), finish.anchor(step.end));
        let curve = certifier.correction.advance(&mut certifier.field, &PAIR, ends, (from, until - from))?;
        let certificates = certifier.certificates(step.start)?;
        let samples: Vec<Sample> =
            SAMPLES.iter().map(|theta| certifier.sample(&curve, from, *theta)).collect::<Result<_>>()?;
        let cloud = certifier.field.start();
        let path = curve.rounding(cloud.dimension());
        let forcing = Forcing { cloud, samples: &samples, ends: &certificates, path };
        for third in 0..SAMPLES.len() {
            let supply = forcing.over(third as f64 / 3.0, (third + 1) as f64 / 3.0);
            let mut means = vec![0.0; cloud.len()];
            for look in 0..LOOKS {
                let theta = (third as f64 + (look as f64 + 0.5) / LOOKS as f64) / 3.0;
                let defects = certifier.sample(&curve, from, theta)?.defect;
                for (i, defect) in defects.iter().enumerate() {
                    let assumed = supply.largest.integration[i] + supply.largest_at(2, i, 1.0);
                    self.worst = self.worst.max(defect / assumed);
                    means[i] += defect / LOOKS as f64;
                }
            }
            for (i, mean) in means.iter().enumerate() {
                let assumed = supply.mean.integration[i] + supply.mean_at(2, i, 1.0);
                self.worst_mean = self.worst_mean.max(mean / assumed);
            }
        }
        Ok(())
    }
}

fn laws(dimension: usize) -> [Law; 3] {
    let mean = |x: f64| format!("[{}]", vec![x.to_string(); dimension].join(", "));
    let texts = [
        format!("{{ kind = 'gaussian', mean = {}, std = 1.0 }}", mean(0.0)),
        format!(
            "{{ kind = 'mixture', weights = [0.5, 0.5], means = [{}, {}], std = 0.1 }}",
            mean(-1.0),
            mean(1.0)
        ),
        format!(
            "{{ kind = 'mixture', weights = [0.3, 0.3, 0.4], means = [{}, {}, {}], std = 0.02 }}",
            mean(-0.7),
            mean(0.2),
            mean(1.5)
        ),
    ];
    texts.map(|text| Law::parse(&text).unwrap())
}

/// Temperature, `βτ` and tolerance of the runs that are looked at.
const RUNS: [(f64, f64, f64); 4] =
    [(3.0, 6.0, 1e-4), (60.0, 15.0, 1e-6), (20.0, 10.0, 1e-8), (8.0, 4.0, 1e-10)];

/// The worst ratios in one run.
fn ratios(law: &Law, (beta, depth, tolerance): (f64, f64, f64), seed: u64) -> [f64; 2] {
    let (beta, noise) = (Beta::new(beta).unwrap(), NoiseVariance::new(depth / beta).unwrap());
    let cloud = law.sample_noisy(PARTICLES, noise, seed).unwrap().noisy;
    let schedule = Schedule::constant(beta);
    let certifier = Certifier::new(Field::new(&Dense, &schedule, &cloud), beta, true);
    let mut probe = Probe { certifier, worst: 0.0, worst_mean: 0.0 };
    let flow = Flow::new(schedule.clone(), noise.denoising_horizon());
    let adaptive = Adaptive::new(tolerance, tolerance).unwrap();
    flow.with_drift(Dense).with_integrator(adaptive).run_observed(&cloud, &mut probe).unwrap();
    [probe.worst, probe.worst_mean]
}

#[test]
fn defects_stay_below_what_is_assumed_between_the_samples() {
    let mut worst = [0.0_f64; 2];
    for dimension in 1..=3 {
        for (shape, law) in laws(dimension).iter().enumerate() {
            for run in RUNS {
                for seed in SEEDS {
                    let found = ratios(law, run, seed);
                    println!("d {dimension}, law {shape}, {run:?}: {found:.3?}");
                    worst = [worst[0].max(found[0]), worst[1].max(found[1])];
                }
            }
        }
    }
    assert!(worst.iter().all(|ratio| *ratio < CLOSE), "{worst:?}");
}
