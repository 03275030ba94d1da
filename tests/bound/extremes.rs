//! Bounds at the edges of the number range.

use ebflow::drift::Dense;
use ebflow::flow::Flow;
use ebflow::{Adaptive, Beta, Cloud, RawTime};

/// Beside a heavy particle that it does not feel, a particle at 0 moves by nothing, whatever it weighs.
#[test]
fn the_lightest_weights_are_bounded() {
    for weight in [1e-30, 1e-290, 1e-310] {
        let cloud = Cloud::new(vec![0.0, 60.0], 1).unwrap().with_weights(vec![weight, 1.0]).unwrap();
        let run = Flow::new(Beta::new(1.0).unwrap(), RawTime::new(1.0).unwrap())
            .with_error_bound()
            .with_drift(Dense)
            .with_integrator(Adaptive::new(1e-8, 1e-8).unwrap())
            .run(&cloud)
            .unwrap();
        let bound = run.error.bound.unwrap_or_else(|| panic!("{weight:e}: {:?}", run.error.refusal));
        assert!(bound.max < 1e-9, "{weight:e}: {:e}", bound.max);
        assert!(run.end.points()[0].abs() <= bound.per_particle[0]);
    }
}
