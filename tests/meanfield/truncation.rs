//! Truncation of the initial law to a ball, over orders of magnitude.

use ebflow::BallRadius;
use ebflow::drift::Dense;
use ebflow::law::Law;
use ebflow::meanfield::hard_truncation_bound;

use super::{problem, raw};

/// Moments at which the supremum over time is taken.
const MOMENTS: usize = 16;

fn radius(value: f64) -> BallRadius {
    BallRadius::new(value).unwrap()
}

/// `E|X| − E|X^{[R]}|` for `X ~ N(0, v)`: at the start the distance of symmetric laws, one of which has more mass inside of any interval.
fn at_the_start(variance: f64, r: f64) -> f64 {
    let inside =
        Law::parse(&format!("{{ kind = 'gaussian', mean = 0, std = {} }}", variance.sqrt())).unwrap();
    let beyond = 2.0 * inside.on_line().unwrap().split(r).above;
    let near = -(-0.5 * r * r / variance).exp_m1() / (1.0 - beyond);
    (2.0 * variance / std::f64::consts::PI).sqrt() * (1.0 - near)
}

/// `sup_t W1(f^{[R]}_t, f_t)` for `N(0, 1)`, `τ = 0.5`, `β = 20` up to the denoising horizon: five orders of magnitude.
#[test]
fn truncation_vanishes_with_the_radius_below_the_lemma() {
    let problem = problem("{ kind = 'gaussian', mean = 0, std = 1 }", 0.5, 20.0);
    let times: Vec<_> = (0..=MOMENTS).map(|i| raw(5.0 * i as f64 / MOMENTS as f64)).collect();
    let noisy = problem.law().noisy(problem.noise()).on_line().unwrap();
    let radii = [2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5].map(radius);
    let gaps = problem.truncation_gaps(&radii, &times, &Dense).unwrap();
    for gap in &gaps {
        let (r, sup) = (gap.radius.get(), gap.sup().unwrap());
        let bound = hard_truncation_bound(&noisy, gap.radius);
        let (start, end) = (&gap.moments[0].w1, &gap.moments[MOMENTS].w1);
        println!(
            "R = {r}: start {:.4e}, sup {:.6e} ± {:.0e} at t = {}, end {:.4e}, bound {bound:.4e}",
            start.value,
            sup.w1.value,
            sup.w1.numerical,
            sup.raw_time.get(),
            end.value
        );
        assert!((start.value - at_the_start(1.5, r)).abs() < 1e-14, "{start:?}");
        assert!(sup.w1.numerical < 1e-3 * sup.w1.value, "R = {r}: {sup:?}");
        assert!(sup.w1.value + sup.w1.numerical < bound, "R = {r}: {sup:?} against {bound}");
    }
    let sup: Vec<f64> = gaps.iter().map(|gap| gap.sup().unwrap().w1.value).collect();
    assert!(sup.windows(2).all(|pair| pair[1] < pair[0]));
    assert!(sup[0] / sup[sup.len() - 1] > 1e5, "{sup:?}");
}

/// At the start the distance is known: `W1 = ∫|F − F^{[R]}|`, by a formula that knows no nodes.
#[test]
fn at_the_start_the_gap_is_the_integral_of_distribution_functions() {
    let problem = problem("{ kind = 'laplace', mean = 0.2, scale = 0.7 }", 0.3, 10.0);
    let noisy = problem.law().noisy(problem.noise()).on_line().unwrap();
    let truncated = noisy.truncated(radius(2.0)).unwrap();
    let gap = &problem.truncation_gaps(&[radius(2.0)], &[raw(0.0)], &Dense).unwrap()[0].moments[0].w1;
    let steps = 400_000;
    let width = 60.0 / f64::from(steps);
    let midpoints = (0..steps).map(|i| -30.0 + (f64::from(i) + 0.5) * width);
    let sum: f64 = midpoints.map(|x| (noisy.split(x).below - truncated.split(x).below).abs() * width).sum();
    // The midpoint rule errs by h²/24 of the slopes, which jump at ±R and at the crossing.
    assert!((gap.value - sum).abs() < 1e-8, "{gap:?} is not {sum}");
    assert!(gap.value < hard_truncation_bound(&noisy, radius(2.0)));
}

/// A ball that holds everything changes nothing; the panels agree with the trapezoid rule.
#[test]
fn a_wide_ball_changes_nothing() {
    let problem =
        problem("{ kind = 'mixture', weights = [0.3, 0.7], means = [-1, 1], std = 0.5 }", 0.5, 20.0);
    let gaps = problem.truncation_gaps(&[radius(40.0)], &[raw(2.5), raw(5.0)], &Dense).unwrap();
    for gap in &gaps[0].moments {
        assert!(gap.w1.value < 1e-9 && gap.w1.value <= gap.w1.numerical, "{gap:?}");
    }
}

/// In the plane the flow of the truncated law is followed by rings; symmetric laws keep their mean.
#[test]
fn rings_follow_a_truncated_law_in_the_plane() {
    use ebflow::drift::Blocks;
    let law = "{ kind = 'gaussian', mean = [0, 0], std = 0.5 }";
    let whole = problem(law, 0.2, 10.0);
    let near = problem(law, 0.2, 10.0).truncated_to(radius(4.0)).with_accuracy(1e-7).unwrap();
    let (whole, near) = (
        whole.evolve(&[raw(1.0)], &Blocks::default()).unwrap(),
        near.evolve(&[raw(1.0)], &Blocks::default()).unwrap(),
    );
    let (a, b) = (whole.states[0].covariance(), near.states[0].covariance());
    let apart = a.zip_map(&b, |a, b| a.value - b.value).amax();
    // Beyond six standard deviations lies 1.9e-8 of the mass, and 36 times that of the second moment.
    assert!(apart < 2e-6 && apart > 1e-9, "{apart:e}");
    assert!(near.states[0].mean().map(|m| m.value).amax() < 1e-12);
    assert!(b[(0, 1)].value.abs() < 1e-12 && (b[(0, 0)].value - b[(1, 1)].value).abs() < 1e-12);
}
