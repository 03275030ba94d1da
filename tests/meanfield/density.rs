//! The reference against a discretisation that has no particles at all.

use ebflow::Cloud;
use ebflow::drift::Dense;
use ebflow::law::Law;
use ebflow::meanfield::Eulerian;

use super::{denoising, problem};

/// Runge–Kutta with 100 steps per unit of raw time.
const ACCURACY: f64 = 2e-8;
const STEPS_PER_TIME: f64 = 100.0;

/// `spacing` of the grid in kernel widths: a quarter for a law as wide as the kernel, less where the flow makes it narrower.
fn agrees(law: &str, noise: f64, beta: f64, reach: f64, spacing: f64) {
    let problem = problem(law, noise, beta);
    let time = denoising(&problem);
    let noisy = problem.law().noisy(problem.noise()).on_line().unwrap();
    let mut grid = Eulerian::new(&noisy, problem.beta(), reach, spacing / beta.sqrt()).unwrap();
    grid.advance(time, (STEPS_PER_TIME * time.get()).ceil() as usize).unwrap();
    let state = &problem.evolve(&[time], &Dense).unwrap().states[0];
    let mean = grid.moment(1);
    let close = |what: &str, ours: f64, theirs: f64| {
        println!("{law} {what}: {ours:.12} {:.1e}", ours - theirs);
        assert!((ours - theirs).abs() < ACCURACY, "{law}: {what} {ours} is not {theirs}");
    };
    close("mass", 1.0, grid.moment(0));
    close("mean", state.mean()[0].value, mean);
    close("variance", state.covariance()[(0, 0)].value, grid.moment(2) - mean * mean);
    for y in [-1.0, 0.2, 2.0] {
        let weight = |z: f64| (-0.5 * (y - z) * (y - z) / noise).exp();
        let theirs = grid.integral(|z| z * weight(z)) / grid.integral(weight);
        let ours = &state.posterior(&Cloud::new(vec![y], 1).unwrap(), &Dense).unwrap()[0];
        close("posterior mean", ours.mean[0].value, theirs);
    }
    let points = Cloud::new(grid.points().iter().copied().step_by(5).collect(), 1).unwrap();
    let density = state.density(&points).unwrap();
    let worst = density.iter().zip(grid.density().iter().step_by(5)).map(|(a, b)| (a.value - b).abs());
    let worst = worst.fold(0.0, f64::max);
    println!("{law} density: {worst:.1e}");
    assert!(worst < 1e2 * ACCURACY, "{law}: densities differ by {worst:e}");
}

#[test]
fn mixtures_agree_with_the_density_on_a_grid() {
    agrees("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }", 0.5, 20.0, 8.0, 0.25);
    agrees("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }", 0.5, 20.0, 7.0, 0.12);
}

#[test]
fn kinks_and_edges_agree_with_the_density_on_a_grid() {
    agrees("{ kind = 'uniform', low = -1, high = 2 }", 0.5, 20.0, 8.0, 0.25);
    agrees("{ kind = 'laplace', mean = 0, scale = 0.5 }", 0.5, 10.0, 18.0, 0.25);
}

/// The density of a Gaussian at points, from the Jacobian of the characteristics.
#[test]
fn densities_have_their_closed_form() {
    let problem = problem("{ kind = 'gaussian', mean = 0.3, std = 1 }", 0.5, 20.0);
    let state = &problem.evolve(&[denoising(&problem)], &Dense).unwrap().states[0];
    let variance = state.covariance()[(0, 0)].value;
    let points: Vec<f64> = (-40..=40).map(|i| 0.1 * f64::from(i)).collect();
    let found = state.density(&Cloud::new(points.clone(), 1).unwrap()).unwrap();
    let law = Law::parse(&format!("{{ kind = 'gaussian', mean = 0.3, std = {} }}", variance.sqrt())).unwrap();
    for (z, found) in points.iter().zip(found) {
        let exact = law.density(&[*z]).unwrap();
        assert!((found.value - exact).abs() < 1e-12, "f({z}) = {found:?}, not {exact}");
    }
}
