//! The defect between the points of a piece, looked at closely.

use super::*;
use crate::cloud::CloudView;
use crate::drift::{Dense, JacobianField};
use crate::flow::bound::correction::Correction;
use crate::flow::bound::curve::Anchor;
use crate::flow::bound::nodes::PAIR;
use crate::flow::{Adaptive, Flow, Moment, Schedule, Step, StepObserver};
use crate::law::Law;
use crate::numeric::quadrature::GaussRule;
use crate::scale::NoiseVariance;

const SEEDS: [u64; 2] = [11, 12];
const PARTICLES: usize = 60;

/// Looks per piece: points of a Gauss rule.
const LOOKS: usize = 20;

/// The rule's own error in the mean of a length that may come close to zero.
const RULE: f64 = 1e-2;

/// Compares defects with what is proved of them, all through a run.
struct Probe<'a> {
    field: Field<'a>,
    correction: Correction,
    proof: Proof<'a>,
    /// The largest ratio of a defect to what was proved.
    worst: f64,
    /// The same for means over a piece, and their median.
    means: Vec<f64>,
    /// Rows that closed, and of these those that closed at once.
    rows: [usize; 2],
}

impl Probe<'_> {
    fn anchor(&self, moment: Moment<'_>) -> [Vec<f64>; 2] {
        let cloud = self.field.start();
        let view =
            CloudView { points: moment.points, dimension: cloud.dimension(), weights: cloud.weights() };
        let mut jacobian = JacobianField::default();
        jacobian.evaluate(view, self.proof.beta, moment.derivative).unwrap();
        let velocity = jacobian.velocity.clone();
        jacobian.evaluate(view, self.proof.beta, &velocity).unwrap();
        [velocity, jacobian.product]
    }

    fn compare(&mut self, look: &mut Look<'_, '_>, piece: Piece) -> Result<()> {
        let middle = look.sample(piece.at(0.0))?;
        let scaled = middle.scaled(self.proof.beta.get().sqrt());
        let reach = self.proof.reach;
        let ellipses = self.proof.ellipses(look, piece, &scaled);
        self.rows[0] += ellipses.iter().flatten().count();
        self.rows[1] += ellipses.iter().flatten().filter(|e| e.reach >= reach).count();
        let ellipses: Option<Vec<Ellipse>> = ellipses.into_iter().collect();
        let Some(ellipses) = ellipses else { return Ok(()) };
        let Choice { order, remainders, .. } =
            self.proof.order(look.length(piece), &middle, &scaled, &ellipses);
        let samples = self.proof.samples(look, piece, order, middle)?;
        let forcing = forcing(self.proof.interpolation(order), &samples, &remainders, &look.rounding);
        self.proof.typical = Some(self.proof.mean(&forcing.mean.total()));
        self.proof.last = samples.into_iter().last();
        let allowed = |of: &PerSource, i: usize| of.total()[i] + 3.0 * forcing.position[i];
        let mut means = vec![0.0; ellipses.len()];
        for node in GaussRule::legendre(LOOKS).on(-1.0, 1.0) {
            let defect = look.sample(piece.at(node.at))?.defect();
            for (i, defect) in defect.chunks_exact(self.proof.cloud.dimension()).map(norm).enumerate() {
                self.worst = self.worst.max(defect / allowed(&forcing.largest, i));
                means[i] += 0.5 * node.weight * defect;
            }
        }
        let ratios = means.iter().enumerate().map(|(i, mean)| mean / allowed(&forcing.mean, i));
        self.means.extend(ratios);
        Ok(())
    }
}

impl StepObserver for Probe<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        let ([v, a], [w, b]) = (self.anchor(step.start), self.anchor(step.end));
        let ends = (
            Anchor { points: step.start.points, velocity: &v, acceleration: &a },
            Anchor { points: step.end.points, velocity: &w, acceleration: &b },
        );
        let (from, until) = (step.start.raw_time.get(), step.end.raw_time.get());
        let mut field = Field::new(&Dense, self.field.schedule(), self.field.start(), self.field.horizon());
        let curve = self.correction.advance(&mut field, &PAIR, ends, (from, until - from))?;
        let corrected = step.end.points.iter().zip(&self.correction.error).map(|(z, e)| z - e).collect();
        let end = Sample::new(corrected, curve.velocity(1.0), field.last());
        let rounding = curve.rounding(self.proof.cloud.dimension());
        let mut look = Look { field: &mut field, curve: &curve, from, rounding, end: &end };
        self.proof.begin(&look);
        let pieces = (curve.duration / LONGEST_PIECE).ceil() as usize;
        for k in 0..pieces {
            let [from, to] = [k, k + 1].map(|k| k as f64 / pieces as f64);
            self.compare(&mut look, Piece { from, to })?;
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

/// What is seen in one run.
fn look_at(law: &Law, (beta, depth, tolerance): (f64, f64, f64), seed: u64) -> (f64, Vec<f64>, [usize; 2]) {
    let (beta, noise) = (Beta::new(beta).unwrap(), NoiseVariance::new(depth / beta).unwrap());
    let cloud = law.sample_noisy(PARTICLES, noise, seed).unwrap().noisy;
    let schedule = Schedule::constant(beta);
    let horizon = noise.denoising_horizon().to_raw(beta).unwrap();
    let mut probe = Probe {
        field: Field::new(&Dense, &schedule, &cloud, horizon),
        correction: Correction::new(cloud.points().len()),
        proof: Proof::new(&cloud, beta, vec![0.0; cloud.len()]),
        worst: 0.0,
        means: Vec::new(),
        rows: [0; 2],
    };
    let flow = Flow::new(schedule.clone(), horizon);
    let adaptive = Adaptive::new(tolerance, tolerance).unwrap();
    flow.with_drift(Dense).with_integrator(adaptive).run_observed(&cloud, &mut probe).unwrap();
    (probe.worst, probe.means, probe.rows)
}

/// No defect exceeds what is proved of it at any time, nor in the mean; and the proof gives away little.
#[test]
fn defects_stay_below_what_is_proved_between_the_points() {
    let (mut worst, mut means, mut rows) = (0.0_f64, Vec::new(), [0; 2]);
    for dimension in 1..=3 {
        for (shape, law) in laws(dimension).iter().enumerate() {
            for run in RUNS {
                for seed in SEEDS {
                    let (found, ratios, closed) = look_at(law, run, seed);
                    println!("d {dimension}, law {shape}, {run:?}: {found:.3}, rows {closed:?}");
                    worst = worst.max(found);
                    means.extend(ratios);
                    rows = [rows[0] + closed[0], rows[1] + closed[1]];
                }
            }
        }
    }
    means.sort_by(f64::total_cmp);
    let median = means[means.len() / 2];
    println!("worst {worst:.3}, means {:.3}, median {median:.3}, rows {rows:?}", means[means.len() - 1]);
    assert!(worst < 1.0 && means[means.len() - 1] < 1.0 + RULE);
    assert!(median > 0.3 && rows[1] * 10 > rows[0] * 8);
}

/// What the drift certifies at the points may add up between them, and no less is allowed for than the worst of all signs.
#[test]
fn certificates_are_carried_to_all_of_a_piece() {
    let (particles, certificate) = (3, 1e-9);
    for order in ORDERS.step_by(2) {
        let interpolation = Interpolation::of_order(order);
        let sample = |k: usize| Sample {
            points: vec![0.0; particles],
            motion: vec![0.0; particles],
            drift: vec![0.0; particles],
            log_mass: vec![0.0; particles],
            truncation: vec![certificate; particles],
            rounding: vec![if k == 2 { 2.0 * certificate } else { certificate }; particles],
        };
        let samples: Vec<Sample> = (0..=order).map(sample).collect();
        let path = CurveRounding { position: vec![certificate; particles], velocity: vec![0.0; particles] };
        let forcing = forcing(&interpolation, &samples, &vec![0.0; particles], &path);
        let carried = |x: f64| -> f64 {
            let value = |k: usize| -> f64 {
                let others = interpolation.points.iter().enumerate().filter(|(j, _)| *j != k);
                others.map(|(_, p)| (x - p) / (interpolation.points[k] - p)).product::<f64>().abs()
            };
            (0..=order).map(value).sum::<f64>() * certificate
        };
        let worst = (0..=400).map(|i| carried(i as f64 / 200.0 - 1.0)).fold(0.0, f64::max);
        for of in [&forcing.largest, &forcing.mean] {
            assert!(of.truncation.iter().all(|c| *c >= worst && *c < 1.3 * worst));
            assert!(of.rounding.iter().all(|c| *c >= 2.0 * certificate * (worst / certificate)));
        }
        assert!(forcing.position.iter().all(|u| *u >= worst));
    }
}
