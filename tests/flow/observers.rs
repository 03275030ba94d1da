//! What observers see, and that they are not seen.

use ebflow::drift::Dense;
use ebflow::flow::{Step, StepObserver};
use ebflow::{Beta, CloudView, Drift, DriftField, Error, RawTime, Result, Targets};

use crate::doubles::{flow, integrators, noisy_mixture};

const SEED: u64 = 5;
const BETA: f64 = 20.0;

/// Checks that steps join up and that the path between them has the derivatives it claims.
#[derive(Default)]
struct Inspector {
    last: Option<(RawTime, Vec<f64>)>,
    first_derivative: Option<Vec<f64>>,
    steps: u64,
}

impl StepObserver for Inspector {
    fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
        if let Some((time, points)) = &self.last {
            assert_eq!((*time, points.as_slice()), (step.start.raw_time, step.start.points));
        }
        self.first_derivative.get_or_insert_with(|| step.start.derivative.to_vec());
        let (begin, end) = (step.start.raw_time.get(), step.end.raw_time.get());
        assert!(end > begin);
        let shift = 1e-6 * (end - begin);
        let at = |time: f64| step.points_at(RawTime::new(time).unwrap()).unwrap();
        for (moment, near) in [(&step.start, begin + shift), (&step.end, end - shift)] {
            for (i, z) in at(near).into_iter().enumerate() {
                let slope = (z - moment.points[i]) / (near - moment.raw_time.get());
                assert!((slope - moment.derivative[i]).abs() < 1e-4, "{slope} {}", moment.derivative[i]);
            }
        }
        assert!(step.points_at(RawTime::new(end * 1.01).unwrap()).is_err());
        self.last = Some((step.end.raw_time, step.end.points.to_vec()));
        self.steps += 1;
        Ok(())
    }
}

#[test]
fn observers_see_every_step_and_the_path_between() {
    let cloud = noisy_mixture(40, SEED);
    let mut field = DriftField::default();
    let start = CloudView { points: cloud.points(), dimension: 2, weights: None };
    Dense.evaluate(start, Targets::Sources, Beta::new(BETA).unwrap(), &mut field).unwrap();
    for integrator in integrators() {
        let mut inspector = Inspector::default();
        let run = flow(BETA, 3.0)
            .with_drift(Dense)
            .with_integrator(integrator.as_ref())
            .run_observed(&cloud, &mut inspector)
            .unwrap();
        assert_eq!(inspector.steps, run.statistics.steps);
        assert_eq!(inspector.first_derivative, Some(field.velocity.clone()));
        let (time, points) = inspector.last.unwrap();
        assert_eq!((time, points.as_slice()), (run.raw_time, run.end.points()));
    }
}

#[test]
fn watching_does_not_change_the_path() {
    let cloud = noisy_mixture(40, SEED);
    let times = (0..50).map(|k| RawTime::new(f64::from(k) * 0.06).unwrap());
    for integrator in integrators() {
        let alone =
            flow(BETA, 3.0).with_drift(Dense).with_integrator(integrator.as_ref()).run(&cloud).unwrap();
        let watched = flow(BETA, 3.0).with_snapshots(times.clone());
        let watched =
            watched.clone().with_drift(Dense).with_integrator(integrator.as_ref()).run(&cloud).unwrap();
        assert_eq!(alone.end, watched.end);
        assert_eq!(alone.statistics.steps, watched.statistics.steps);
    }
}

#[test]
fn an_observer_can_end_the_run() {
    struct Impatient(u32);
    impl StepObserver for Impatient {
        fn accepted(&mut self, step: &Step<'_>) -> Result<()> {
            self.0 += 1;
            let (raw_time, problem) = (step.end.raw_time.get(), "interrupted".to_owned());
            if self.0 < 3 { Ok(()) } else { Err(Error::Integration { what: "the run", raw_time, problem }) }
        }
    }
    let cloud = noisy_mixture(40, SEED);
    for integrator in integrators() {
        let mut observer = Impatient(0);
        let result = flow(BETA, 3.0)
            .with_drift(Dense)
            .with_integrator(integrator.as_ref())
            .run_observed(&cloud, &mut observer);
        assert!(result.unwrap_err().to_string().contains("interrupted"));
        assert_eq!(observer.0, 3);
    }
}
