//! Laws that factorise, against nodes in all dimensions and against closed forms.

use ebflow::Cloud;
use ebflow::drift::{Blocks, Dense};
use ebflow::exact::CovarianceFlow;
use nalgebra::DVector;

use super::{denoising, problem, raw};

/// A mixture along a tilted line, by factorisation and by a tensor grid.
#[test]
fn factorisation_agrees_with_a_tensor_grid() {
    let law = "{ kind = 'mixture', weights = [0.4, 0.6], means = [[-0.6, -0.8], [0.6, 0.8]], std = 0.5 }";
    let whole = problem(law, 0.3, 8.0).with_accuracy(1e-7).unwrap();
    let queries = Cloud::new(vec![0.5, -0.5, 1.0, 1.2, -2.0, 0.3], 2).unwrap();
    let time = denoising(&whole);
    let line = whole.evolve(&[time], &Dense).unwrap();
    let plane = whole.clone().without_factorisation().evolve(&[time], &Blocks::default()).unwrap();
    let (a, b) = (&line.states[0], &plane.states[0]);
    println!("nodes {} and {}, errors {:.1e} and {:.1e}", line.nodes, plane.nodes, a.error, b.error);
    let (mean, covariance) = (a.mean(), a.covariance());
    let apart = mean.zip_map(&b.mean(), |a, b| (a.value - b.value).abs()).amax();
    assert!(apart <= 2.0 * b.mean()[0].numerical + mean[0].numerical);
    let apart = covariance.zip_map(&b.covariance(), |a, b| (a.value - b.value).abs()).amax();
    assert!(apart <= 2.0 * b.covariance()[(0, 0)].numerical + covariance[(0, 0)].numerical);
    let (ours, theirs) = (a.posterior(&queries, &Dense).unwrap(), b.posterior(&queries, &Dense).unwrap());
    for (p, q) in ours.iter().zip(&theirs) {
        let apart = p.mean.iter().zip(&q.mean).map(|(a, b)| (a.value - b.value).abs()).fold(0.0, f64::max);
        assert!(apart <= 2.0 * q.mean[0].numerical, "{p:?} {q:?}");
        assert!((p.energy.value - q.energy.value).abs() <= 2.0 * q.energy.numerical, "{p:?} {q:?}");
        assert_eq!(p.bayes, q.bayes);
    }
}

/// In eight dimensions the directions off the line follow the Gaussian closed form exactly.
#[test]
fn any_dimension_off_the_line_is_gaussian() {
    let mean = |x: f64| format!("[{x}, 0, 0, 0, 0, 0, 0, 1]");
    let law = format!(
        "{{ kind = 'mixture', weights = [0.5, 0.5], means = [{}, {}], std = 0.1 }}",
        mean(-1.0),
        mean(1.0)
    );
    let problem = problem(&law, 0.5, 20.0);
    let state = &problem.evolve(&[denoising(&problem)], &Dense).unwrap().states[0];
    let gaussian = CovarianceFlow::of_prior(
        DVector::zeros(1),
        nalgebra::DMatrix::from_element(1, 1, 0.01),
        problem.noise(),
        problem.beta(),
    );
    let across = gaussian.unwrap().eigenvalues_at(denoising(&problem))[0];
    let covariance = state.covariance().map(|v| v.value);
    assert!((1..8).all(|i| (covariance[(i, i)] - across).abs() < 1e-14), "{covariance}");
    // The mixture on the line, by itself.
    let line =
        super::problem("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }", 0.5, 20.0);
    let line = &line.evolve(&[denoising(&problem)], &Dense).unwrap().states[0];
    assert!((covariance[(0, 0)] - line.covariance()[(0, 0)].value).abs() < 1e-9);
    let mut query = vec![0.0; 8];
    (query[0], query[7]) = (0.4, 2.0);
    let answer = &state.posterior(&Cloud::new(query, 8).unwrap(), &Dense).unwrap()[0];
    let alone = &line.posterior(&Cloud::new(vec![0.4], 1).unwrap(), &Dense).unwrap()[0];
    assert!((answer.mean[0].value - alone.mean[0].value).abs() < 1e-9);
    assert!((answer.mean[7].value - (1.0 + across / (across + 0.5))).abs() < 1e-12);
    let origin =
        state.density(&Cloud::new(vec![0.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 8).unwrap()).unwrap()[0]
            .value;
    let alone = line.density(&Cloud::new(vec![0.9], 1).unwrap()).unwrap()[0].value;
    let peak = (std::f64::consts::TAU * across).powf(-3.5);
    assert!((origin / (alone * peak) - 1.0).abs() < 1e-6, "{origin} {}", alone * peak);
}

#[test]
fn only_the_line_has_a_distance_to_the_prior() {
    let problem = problem("{ kind = 'gaussian', mean = [0, 0, 0], std = 1 }", 0.5, 2.0);
    let state = &problem.evolve(&[raw(0.5)], &Dense).unwrap().states[0];
    assert!(state.w1_to_prior().unwrap_err().to_string().contains("line"));
    assert!(state.posterior(&Cloud::new(vec![0.0], 1).unwrap(), &Dense).is_err());
}

/// A product law is its coordinates: moments, posterior means, energies and densities, with and without a drift of one's own.
#[test]
fn product_laws_flow_coordinate_by_coordinate() {
    let boxed = "{ kind = 'uniform', low = [-1, 0, -2], high = [1, 1, 2] }";
    let sides = ["low = -1, high = 1", "low = 0, high = 1", "low = -2, high = 2"];
    let queries = Cloud::new(vec![0.5, -0.5, 1.0, 1.2, 2.0, 0.3], 3).unwrap();
    let whole = problem(boxed, 0.3, 8.0).asked_at(queries.clone()).unwrap();
    let time = denoising(&whole);
    let state = &whole.evolve(&[time], &Dense).unwrap().states[0];
    let answers = state.posterior(&queries, &Dense).unwrap();
    let densities = state.density(&queries).unwrap();
    let (mut energies, mut products, mut error) = ([0.0; 2], [1.0; 2], 0.0);
    for (k, side) in sides.iter().enumerate() {
        let own = Cloud::new(queries.rows().map(|y| y[k]).collect(), 1).unwrap();
        let line =
            problem(&format!("{{ kind = 'uniform', {side} }}"), 0.3, 8.0).asked_at(own.clone()).unwrap();
        let line = &line.evolve(&[time], &Dense).unwrap().states[0];
        assert_eq!(state.mean()[k].value, line.mean()[0].value);
        let (ours, alone) = (state.covariance()[(k, k)], line.covariance()[(0, 0)]);
        assert_eq!(ours.value, alone.value);
        assert!((ours.numerical / alone.numerical - 1.0).abs() < 1e-6, "{ours:?} {alone:?}");
        for (at, answer) in line.posterior(&own, &Dense).unwrap().iter().enumerate() {
            assert_eq!(answers[at].mean[k].value, answer.mean[0].value);
            assert_eq!(answers[at].bayes[k], answer.bayes[0]);
            energies[at] += answer.energy.value;
        }
        line.density(&own)
            .unwrap()
            .iter()
            .zip(&mut products)
            .for_each(|(density, product)| *product *= density.value);
        error += line.error;
    }
    assert!((state.error / error - 1.0).abs() < 1e-12);
    for at in 0..2 {
        assert!((answers[at].energy.value / energies[at] - 1.0).abs() < 1e-14);
        assert!((densities[at].value / products[at] - 1.0).abs() < 1e-14);
    }
    assert!(state.w1_to_prior().unwrap_err().to_string().contains("line"));
}

/// The same against nodes in the plane, which know nothing of factors.
#[test]
fn a_box_in_the_plane_agrees_with_a_tensor_grid() {
    let whole = problem("{ kind = 'uniform', low = [-1, -0.5], high = [1, 0.5] }", 0.3, 4.0)
        .with_accuracy(1e-6)
        .unwrap();
    let time = denoising(&whole);
    let product = &whole.evolve(&[time], &Dense).unwrap().states[0];
    let plane = &whole.without_factorisation().evolve(&[time], &Blocks::default()).unwrap().states[0];
    for k in 0..2 {
        let (a, b) = (product.covariance()[(k, k)], plane.covariance()[(k, k)]);
        assert!((a.value - b.value).abs() <= a.numerical + b.numerical, "{a:?} {b:?}");
    }
}
