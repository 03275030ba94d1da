//! The bounds that every drift reports hold, against the double-double sum.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::drift::{GaussTransform, Tolerance};

/// Random configurations per property.
const CASES: u32 = 256;

/// Targets per configuration whose true drift is computed.
const CHECKED: usize = 24;

const CERTIFICATE_SEED: u64 = 0x5eed_0002;

/// Everything a case depends on.
#[derive(Debug, Clone)]
struct Case {
    shape: Shape,
    weighting: Weighting,
    n: usize,
    d: usize,
    beta: f64,
    epsilon: f64,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let weighting = prop_oneof![2 => Just(Weighting::Equal), 2 => Just(Weighting::Quadrature), 1 => Just(Weighting::Wild)];
    (
        proptest::sample::select(&SHAPES),
        weighting,
        1..700_usize,
        1..6_usize,
        -1.0..3.5,
        -16.0..-1.0,
        any::<u64>(),
    )
        .prop_map(|(shape, weighting, n, d, log_beta, log_epsilon, seed)| Case {
            shape,
            weighting,
            n,
            d,
            beta: 10.0_f64.powf(log_beta),
            epsilon: 10.0_f64.powf(log_epsilon),
            seed,
        })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(CERTIFICATE_SEED),
        ..Default::default()
    }
}

/// A drift's error and bounds at one target.
struct Checked {
    error: f64,
    truncation: f64,
    rounding: f64,
}

/// Several drifts at some of the targets; the true values are computed once.
fn check(drifts: &[Box<dyn Drift>], case: &Case, cloud: &Cloud, targets: Targets<'_>) -> Vec<Checked> {
    let points = match targets {
        Targets::Sources => cloud.points(),
        Targets::Points(points) => points,
    };
    let fields: Vec<DriftField> =
        drifts.iter().map(|drift| evaluated(&**drift, cloud, targets, case.beta)).collect();
    let rows = points.len() / case.d;
    let mut checked = Vec::new();
    for i in (0..rows).step_by(rows.div_ceil(CHECKED)) {
        let row = i * case.d..(i + 1) * case.d;
        let truth = truth(cloud.view(), &points[row.clone()], case.beta);
        checked.extend(fields.iter().map(|field| Checked {
            error: truth.error(&field.velocity[row.clone()]),
            truncation: field.truncation[i],
            rounding: field.rounding[i],
        }));
    }
    checked
}

fn drifts(case: &Case) -> Vec<Box<dyn Drift>> {
    let tolerance = Tolerance::new(case.epsilon).unwrap();
    vec![Box::new(Blocks { tolerance }), Box::new(KdTree { tolerance })]
}

fn assert_certified(case: &Case, checked: &[Checked]) -> Result<(), TestCaseError> {
    for Checked { error, truncation, rounding } in checked {
        prop_assert!(*error <= truncation + rounding, "error {error} > {truncation} + {rounding}");
        prop_assert!(*truncation <= case.epsilon, "truncation {truncation} > ε");
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn certificates_hold_at_the_sources(case in cases()) {
        let cloud = cloud(case.shape, case.weighting, case.n, case.d, case.seed);
        assert_certified(&case, &check(&drifts(&case), &case, &cloud, Targets::Sources))?;
    }

    #[test]
    fn certificates_hold_at_other_targets(case in cases(), stretch in 0.0..3.0, shift in -5.0..5.0) {
        let cloud = cloud(case.shape, case.weighting, case.n, case.d, case.seed);
        let targets: Vec<f64> = cloud.points().iter().rev().map(|x| stretch * x + shift).collect();
        assert_certified(&case, &check(&drifts(&case), &case, &cloud, Targets::Points(&targets)))?;
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_gauss_transform_keeps_its_promise(mut case in cases(), stretch in 0.0..3.0, shift in -5.0..5.0) {
        case.d = 1 + case.d % 2;
        let tolerance = Tolerance::new(case.epsilon.max(1.01e-14 / case.beta.sqrt())).unwrap();
        let drift: [Box<dyn Drift>; 1] = [Box::new(GaussTransform { tolerance })];
        let cloud = cloud(case.shape, case.weighting, case.n, case.d, case.seed);
        let others: Vec<f64> = cloud.points().iter().rev().map(|x| stretch * x + shift).collect();
        for targets in [Targets::Sources, Targets::Points(&others)] {
            for (i, c) in check(&drift, &case, &cloud, targets).iter().enumerate() {
                prop_assert!(c.error <= c.truncation + c.rounding, "target {i}: {} > {} + {}", c.error, c.truncation, c.rounding);
                let promised = tolerance.get();
                prop_assert!(c.truncation <= promised, "target {i}: {} > {promised}", c.truncation);
            }
        }
    }
}

/// Prints how much larger than the errors the bounds are (`--nocapture`), and fails when they stop being useful.
#[test]
fn bounds_are_not_absurdly_large() {
    let mut ratios = Ratios::default();
    for (number, shape) in SHAPES.into_iter().enumerate() {
        for weighting in [Weighting::Equal, Weighting::Quadrature, Weighting::Wild] {
            for d in 1..4 {
                for (beta, epsilon) in [(20.0, 1e-3), (200.0, 1e-6), (200.0, 1e-9)] {
                    let case =
                        Case { shape, weighting, n: 600, d, beta, epsilon, seed: SEED + number as u64 };
                    let cloud = cloud(shape, weighting, case.n, d, case.seed);
                    ratios.extend(check(&drifts(&case), &case, &cloud, Targets::Sources));
                }
            }
        }
    }
    let (truncation, rounding) = (median(&mut ratios.truncation), median(&mut ratios.rounding));
    println!("median bound/error: truncation {truncation:.3e}, rounding {rounding:.3e}");
    assert!(truncation < 1e6 && rounding < 1e4);
}

#[derive(Default)]
struct Ratios {
    truncation: Vec<f64>,
    rounding: Vec<f64>,
}

impl Ratios {
    /// An error counts as truncation where it exceeds the rounding bound, and as rounding where nothing was left out.
    fn extend(&mut self, checked: Vec<Checked>) {
        for c in checked.iter().filter(|c| c.error > 0.0) {
            if c.truncation == 0.0 {
                self.rounding.push(c.rounding / c.error);
            } else if c.error > c.rounding {
                self.truncation.push(c.truncation / c.error);
            }
        }
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
