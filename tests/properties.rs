//! What must hold for every cloud: symmetries of the flow, and the convex hull.
//!
//! # Paper
//! Remark "Convex hull invariance" in `app:attention_arch_details`; the symmetries are those of
//! `eq:main-exact-gaussian-attention-drift2`.

use ebflow::drift::Dense;
use ebflow::flow::Integrator;
use ebflow::{Adaptive, Beta, Cloud, Flow, Layers, RawTime, Schedule, ScoreTime};
use proptest::prelude::*;

/// Tolerance of the adaptive runs. The relative one is zero, since the symmetries move the origin.
const TOLERANCE: f64 = 1e-10;

/// Two runs that should agree: rounding (layers) or the tolerance (adaptive), each times the growth of perturbations,
/// which is below `e^{0.74 T} < 10` for a smooth density and may be a few times that for a handful of points.
const AGREEMENT: f64 = 1e-7;

/// A cloud, a bandwidth and a horizon.
#[derive(Debug, Clone)]
struct Case {
    points: Vec<f64>,
    dimension: usize,
    beta: f64,
    horizon: f64,
}

impl Case {
    fn cloud(&self) -> Cloud {
        Cloud::new(self.points.clone(), self.dimension).unwrap()
    }

    fn len(&self) -> usize {
        self.points.len() / self.dimension
    }

    fn with_points(&self, points: Vec<f64>) -> Self {
        Self { points, ..self.clone() }
    }

    fn end_of(&self, cloud: &Cloud, integrator: &dyn Integrator) -> Cloud {
        let schedule = Schedule::constant(Beta::new(self.beta).unwrap());
        let flow = Flow::new(schedule, RawTime::new(self.horizon).unwrap());
        flow.clone().with_drift(Dense).with_integrator(integrator).run(cloud).unwrap().end
    }

    fn end(&self, integrator: &dyn Integrator) -> Cloud {
        self.end_of(&self.cloud(), integrator)
    }
}

fn cases() -> impl Strategy<Value = Case> {
    (1..=3_usize, 1..=12_usize).prop_flat_map(|(dimension, n)| {
        let points = prop::collection::vec(-2.0..2.0_f64, n * dimension);
        (points, 0.1..30.0_f64, 0.0..3.0_f64).prop_map(move |(points, beta, horizon)| Case {
            points,
            dimension,
            beta,
            horizon,
        })
    })
}

/// Coordinates of a direction or a shift; a case uses the first few.
fn vectors() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-5.0..5.0_f64)
}

/// Every integrator.
fn integrators() -> [Box<dyn Integrator>; 2] {
    [Box::new(Layers::new(30).unwrap()), Box::new(Adaptive::new(0.0, TOLERANCE).unwrap())]
}

/// How far outside the hull each of them may end: layers stay inside but for rounding, a Runge–Kutta step only as far
/// as its tolerance goes.
const HULL_LEEWAY: [f64; 2] = [1e-14, 10.0 * TOLERANCE];

fn assert_close(found: &[f64], expected: &[f64]) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        prop_assert!((a - b).abs() <= AGREEMENT, "{:?} is not {:?}", found, expected);
    }
    Ok(())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The reflection `x − 2u(u·x)/|u|²`; two of them make any rotation of the plane.
fn reflected(points: &[f64], normal: &[f64]) -> Vec<f64> {
    let square = dot(normal, normal);
    let reflect = |x: &[f64]| {
        let along = 2.0 * dot(x, normal) / square;
        x.iter().zip(normal).map(move |(x, u)| x - along * u).collect::<Vec<_>>()
    };
    points.chunks_exact(normal.len()).flat_map(reflect).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_moved_cloud_moves_alike(case in cases(), shift in vectors()) {
        let moved = |points: &[f64]| -> Vec<f64> {
            points.chunks_exact(case.dimension).flat_map(|x| x.iter().zip(shift).map(|(x, s)| x + s)).collect()
        };
        for integrator in integrators() {
            let there = case.with_points(moved(&case.points)).end(integrator.as_ref());
            assert_close(there.points(), &moved(case.end(integrator.as_ref()).points()))?;
        }
    }

    #[test]
    fn a_turned_cloud_turns_alike(case in cases(), first in vectors(), second in vectors()) {
        let (first, second) = (&first[..case.dimension], &second[..case.dimension]);
        prop_assume!(dot(first, first) > 1e-3 && dot(second, second) > 1e-3);
        let turned = |points: &[f64]| reflected(&reflected(points, first), second);
        for integrator in integrators() {
            let there = case.with_points(turned(&case.points)).end(integrator.as_ref());
            assert_close(there.points(), &turned(case.end(integrator.as_ref()).points()))?;
        }
    }

    #[test]
    fn names_of_particles_do_not_matter(case in cases(), by in 1..12_usize) {
        let rotated = |points: &[f64]| {
            let mut points = points.to_vec();
            points.rotate_left((by % case.len()) * case.dimension);
            points
        };
        for integrator in integrators() {
            let there = case.with_points(rotated(&case.points)).end(integrator.as_ref());
            assert_close(there.points(), &rotated(case.end(integrator.as_ref()).points()))?;
        }
    }

    #[test]
    fn no_particle_leaves_the_hull(case in cases(), direction in vectors()) {
        let mut directions = vec![direction[..case.dimension].to_vec()];
        for axis in 0..case.dimension {
            let mut unit = vec![0.0; case.dimension];
            unit[axis] = 1.0;
            directions.push(unit.iter().map(|x| -x).collect());
            directions.push(unit);
        }
        let support = |cloud: &Cloud, u: &[f64]| cloud.rows().map(|z| dot(z, u)).fold(f64::NEG_INFINITY, f64::max);
        for (integrator, leeway) in integrators().iter().zip(HULL_LEEWAY) {
            let end = case.end(integrator.as_ref());
            for u in &directions {
                let slack = leeway * dot(u, u).sqrt();
                prop_assert!(support(&end, u) <= support(&case.cloud(), u) + slack);
            }
        }
    }

    #[test]
    fn a_weight_is_a_number_of_copies(case in cases(), copies in prop::collection::vec(1..4_usize, 12)) {
        let copies = &copies[..case.len()];
        let repeated = |points: &[f64]| -> Vec<f64> {
            let rows = points.chunks_exact(case.dimension).zip(copies);
            rows.flat_map(|(row, times)| row.repeat(*times)).collect()
        };
        let total = copies.iter().sum::<usize>() as f64;
        let weights = copies.iter().map(|times| *times as f64 / total).collect();
        let weighted = case.cloud().with_weights(weights).unwrap();
        for integrator in integrators() {
            let end = case.end_of(&weighted, integrator.as_ref());
            prop_assert_eq!(end.weights(), weighted.weights());
            let duplicated = case.with_points(repeated(&case.points)).end(integrator.as_ref());
            assert_close(duplicated.points(), &repeated(end.points()))?;
        }
    }

    #[test]
    fn clocks_convert_back(raw in 0.0..1e6_f64, beta in 1e-3..1e6_f64) {
        let beta = Beta::new(beta).unwrap();
        let there = RawTime::new(raw).unwrap().to_score(beta).unwrap();
        prop_assert!((there.to_raw(beta).unwrap().get() - raw).abs() <= 4.0 * f64::EPSILON * raw);
        let score = ScoreTime::new(raw).unwrap();
        prop_assert!((score.to_raw(beta).unwrap().to_score(beta).unwrap().get() - raw).abs() <= 4.0 * f64::EPSILON * raw);
    }
}
