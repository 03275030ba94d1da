//! The sources of error, one by one.

use ebflow::drift::{Blocks, Dense, Tolerance};
use ebflow::flow::{Budget, Flow};
use ebflow::{Adaptive, Beta, Cloud, Drift, RawTime};

use crate::problems::{Problem, Shape};
use crate::reference::{distances, solve};

fn cloud() -> Cloud {
    let problem = Problem {
        shape: Shape::Gaussian,
        dimension: 2,
        particles: 400,
        beta: 40.0,
        noise: 0.1,
        tolerance: 1e-9,
        seed: 4,
    };
    problem.cloud()
}

fn budget(drift: &dyn Drift, tolerance: f64) -> Budget {
    let flow = Flow::new(Beta::new(40.0).unwrap(), RawTime::new(2.0).unwrap());
    let run = flow
        .with_error_bound()
        .with_drift(drift)
        .with_integrator(Adaptive::new(tolerance, tolerance).unwrap())
        .run(&cloud())
        .unwrap();
    let bound = run.error.bound.unwrap();
    let Budget { integration, truncation, rounding, tokens } = bound.budget;
    assert_eq!(tokens, 0.0);
    assert!((integration + truncation + rounding - bound.w1).abs() <= 1e-12 * bound.w1);
    let mean = bound.per_particle.iter().sum::<f64>() / bound.per_particle.len() as f64;
    assert!((mean - bound.w1).abs() <= 1e-12 * mean, "{mean} {}", bound.w1);
    assert!(bound.max >= bound.w1);
    bound.budget
}

fn truncated(tolerance: f64) -> Blocks {
    Blocks { tolerance: Tolerance::new(tolerance).unwrap() }
}

#[test]
fn each_source_moves_its_own_share() {
    let full = budget(&Dense, 1e-8);
    assert_eq!(full.truncation, 0.0);
    assert!(full.rounding > 0.0 && full.rounding < 1e-3 * full.integration);
    let coarse = budget(&Dense, 1e-6);
    assert!(coarse.integration > 10.0 * full.integration);
    let [cut, cut_more] = [1e-7, 1e-5].map(|tolerance| budget(&truncated(tolerance), 1e-8).truncation);
    assert!(cut > 0.0 && cut_more > 3.0 * cut, "{cut:e} {cut_more:e}");
}

#[test]
fn a_drift_that_truncates_visibly_is_still_bounded() {
    let cloud = cloud();
    let exact = solve(&cloud, 40.0, 2.0);
    let flow = Flow::new(Beta::new(40.0).unwrap(), RawTime::new(2.0).unwrap());
    let run = flow
        .with_error_bound()
        .with_drift(truncated(1e-4))
        .with_integrator(Adaptive::new(1e-10, 1e-10).unwrap())
        .run(&cloud)
        .unwrap();
    let bound = run.error.bound.unwrap();
    let errors = distances(&run.end, &exact);
    assert!(errors.iter().copied().fold(0.0, f64::max) > 1e-9, "the truncation should be visible");
    assert!(errors.iter().zip(&bound.per_particle).all(|(error, bound)| error <= bound));
    assert!(bound.budget.truncation > 0.5 * bound.w1);
}
