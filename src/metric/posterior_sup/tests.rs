//! Suprema that are known, bounds that must hold everywhere, and how much work it takes.

use proptest::prelude::*;

use super::*;
use crate::drift::Dense;
use crate::law::{BayesOracle, generator};
use crate::posterior::ParticlePrior;

const SEED: u64 = 99;

fn law(text: &str) -> Law {
    Law::parse(text).unwrap()
}

fn search(radius: f64, gap: f64) -> SupSearch {
    let radius = BallRadius::new(radius).unwrap();
    SupSearch { radius, relative_gap: gap, absolute_gap: 0.0, max_cubes: 1_000_000 }
}

fn noise(tau: f64) -> NoiseVariance {
    NoiseVariance::new(tau).unwrap()
}

/// The bounds enclose a reference value that is itself good to `error`, at a point of the ball.
fn encloses(a: Prior, b: Prior, tau: f64, search: &SupSearch, exact: f64, error: f64) {
    for (a, b) in [(a, b), (b, a)] {
        let sup = posterior_sup(a, b, noise(tau), search).unwrap();
        assert!(sup.converged && sup.gap() <= search.relative_gap * sup.upper, "{sup:?}");
        assert!(sup.lower <= exact + error && exact - error <= sup.upper, "{sup:?}, not {exact}");
        assert!(sup.at.iter().map(|x| x * x).sum::<f64>().sqrt() <= search.radius.get());
    }
}

/// mpmath, 30 digits: the difference by quadrature of the posterior, its stationary point by Newton's method or, in the
/// first and last case, at the end of the interval.
#[test]
fn on_the_line_it_matches_thirty_digits() {
    let (laplace, wide) = (
        law(r#"{ kind = "laplace", mean = 0, scale = 1 }"#),
        law(r#"{ kind = "gaussian", mean = 0, cov = 2 }"#),
    );
    let exact = 0.300_000_293_052_106_6;
    encloses(Prior::Law(&laplace), Prior::Law(&wide), 0.5, &search(4.0, 1e-5), exact, 1e-14);
    let (uniform, three) = (
        law(r#"{ kind = "uniform", low = -1, high = 1 }"#),
        law(r#"{ kind = "atoms", points = [-1, 0, 1] }"#),
    );
    let exact = 0.283_032_095_511_826_7;
    encloses(Prior::Law(&uniform), Prior::Law(&three), 0.3, &search(2.0, 1e-5), exact, 1e-14);
    let mixture =
        law(r#"{ kind = "mixture", weights = [0.3, 0.7], means = [-1, 1], covs = [[[0.04]], [[0.49]]] }"#);
    let normal = law(r#"{ kind = "gaussian", mean = 0.4, std = 1 }"#);
    let exact = 1.033_579_461_944_422_4;
    encloses(Prior::Law(&mixture), Prior::Law(&normal), 0.25, &search(3.0, 1e-6), exact, 1e-14);
}

/// SciPy 1.17, `minimize(method="SLSQP", ftol=1e-16)` from 400 random starts.
#[test]
fn in_the_plane_and_in_space_it_matches_an_optimiser() {
    let cloud = Cloud::new(vec![-1.0, 0.0, 1.0, 0.0, 0.0, 1.2], 2).unwrap();
    let cloud = cloud.with_weights(vec![0.25, 0.25, 0.5]).unwrap();
    let normal = law(r#"{ kind = "gaussian", mean = [0, 0], std = 1 }"#);
    for (radius, exact) in [(2.0, 1.3696633786783736), (0.9, 0.7132090533432726)] {
        encloses(Prior::Particles(&cloud), Prior::Law(&normal), 0.5, &search(radius, 1e-5), exact, 1e-12);
    }
    let points = vec![-1.0, 0.0, 0.2, 1.0, 0.3, 0.0, 0.0, 1.2, -0.4, 0.1, -0.8, 0.9];
    let cloud = Cloud::new(points, 3).unwrap();
    let mixture = law(
        r#"{ kind = "mixture", means = [[-0.6, 0, 0], [0.6, 0.2, 0]], covs = [[[0.25, 0, 0], [0, 0.25, 0], [0, 0, 0.25]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]] }"#,
    );
    let exact = 0.9542090445539276;
    encloses(Prior::Particles(&cloud), Prior::Law(&mixture), 0.4, &search(1.2, 1e-3), exact, 1e-12);
}

/// A cloud drawn from the law it is compared with, as in a study: the bounds close and nothing on a fine grid exceeds them.
#[test]
fn a_sample_against_its_own_law() {
    let prior = law(r#"{ kind = "mixture", means = [[-1, 0], [1, 0]], std = 0.3 }"#);
    let cloud = prior.sample(1000, &mut generator(SEED)).unwrap();
    let tau = noise(0.5);
    let sup = posterior_sup(Prior::Particles(&cloud), Prior::Law(&prior), tau, &search(2.0, 0.02)).unwrap();
    assert!(sup.converged && sup.lower > 0.01 && sup.cubes < 20_000, "{sup:?}");
    let grid: Vec<f64> = (-40..=40).map(|k| 0.05 * f64::from(k)).collect();
    let inside = |&x: &f64, &y: &f64| (x * x + y * y <= 4.0).then_some([x, y]);
    let points: Vec<f64> =
        grid.iter().flat_map(|x| grid.iter().filter_map(|y| inside(x, y))).flatten().collect();
    let queries = Cloud::new(points, 2).unwrap();
    let ours = ParticlePrior::new(&cloud, tau).unwrap().infer(&queries, &Dense).unwrap().mean.into_points();
    let exact = prior.posterior_means(&queries, tau).unwrap();
    let largest =
        ours.chunks(2).zip(exact.rows()).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max);
    assert!(largest <= sup.upper && largest > 0.9 * sup.lower, "{largest} {sup:?}");
}

#[test]
fn equal_priors_do_not_differ_and_budgets_are_kept() {
    let cloud = Cloud::new(vec![0.0, 1.0, -2.0, 0.5], 1).unwrap();
    let same = SupSearch { absolute_gap: 1e-3, max_cubes: 5000, ..search(3.0, 0.0) };
    let prior = Prior::Particles(&cloud);
    let sup = posterior_sup(prior, prior, noise(0.5), &same).unwrap();
    assert!(sup.converged && sup.lower == 0.0 && sup.upper <= 1e-3, "{sup:?}");
    let wide = law(r#"{ kind = "gaussian", mean = 0, std = 3 }"#);
    let short = SupSearch { max_cubes: 5, ..search(3.0, 1e-9) };
    let sup = posterior_sup(prior, Prior::Law(&wide), noise(0.5), &short).unwrap();
    assert!(!sup.converged && sup.cubes < 50 && sup.lower <= sup.upper, "{sup:?}");
}

#[test]
fn bad_requests_are_refused() {
    let line = Cloud::new(vec![0.0, 1.0], 1).unwrap();
    let plane = Cloud::new(vec![0.0, 1.0], 2).unwrap();
    let four = Cloud::new(vec![0.0; 8], 4).unwrap();
    let far = Cloud::new(vec![0.0, 1e200], 1).unwrap();
    let ask = |a: &Cloud, b: &Cloud, search: &SupSearch| {
        posterior_sup(Prior::Particles(a), Prior::Particles(b), noise(1.0), search).is_err()
    };
    let good = search(1.0, 1e-3);
    assert!(ask(&line, &plane, &good) && ask(&four, &four, &good) && ask(&line, &far, &good));
    assert!(ask(&line, &line, &SupSearch { relative_gap: f64::NAN, ..good }));
    assert!(ask(&line, &line, &SupSearch { absolute_gap: -1.0, ..good }));
    assert!(ask(&line, &line, &SupSearch { max_cubes: 0, ..good }));
}

/// Extremes of scale: nothing overflows into a wrong bound.
#[test]
fn extremes_keep_the_bounds_in_order() {
    let cloud = Cloud::new(vec![-1.0, 0.25, 1.0], 1).unwrap();
    let point = Cloud::new(vec![0.0], 1).unwrap();
    for tau in [1e-300, 1e-6, 1e6, 1e300] {
        let short = SupSearch { max_cubes: 2000, ..search(2.0, 1e-6) };
        let sup =
            posterior_sup(Prior::Particles(&cloud), Prior::Particles(&point), noise(tau), &short).unwrap();
        assert!(sup.lower <= 1.0 + 1e-12 && sup.lower <= sup.upper && sup.upper <= 3.0, "{tau}: {sup:?}");
        // With next to no noise the nearest particle wins, and with much the mean, 1/12.
        let exact = if tau < 1.0 { 1.0 } else { 1.0 / 12.0 };
        assert!((sup.lower - exact).abs() < 1e-5, "{tau}: {sup:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// The local bound holds: posterior means stay within the remainder of their affine model.
    #[test]
    fn remainders_hold(
        points in prop::collection::vec(-2.0..2.0_f64, 8),
        centre in prop::array::uniform2(-2.0..2.0_f64),
        offset in prop::array::uniform2(-1.0..1.0_f64),
        radius in 0.01..0.8_f64,
        tau in 0.1..2.0_f64,
        std in 0.0..1.0_f64,
    ) {
        let cloud = Cloud::new(points, 2).unwrap();
        let text = format!(
            r#"{{ kind = "mixture", means = [[-1, 0.5], [1, 0]], covs = [[[{0}, 0], [0, {0}]], [[0.5, 0.2], [0.2, 0.7]]] }}"#,
            std * std
        );
        let mixture = law(&text);
        let length = offset[0].hypot(offset[1]).max(1e-3);
        let h = offset.map(|x| x / length.max(1.0) * radius);
        for prior in [Prior::Particles(&cloud), Prior::Law(&mixture)] {
            let posterior = prior.posterior::<2>(noise(tau)).unwrap();
            let near = posterior.near(&centre, radius).unwrap();
            let there = posterior.near(&[centre[0] + h[0], centre[1] + h[1]], 0.0).unwrap().mean;
            let affine = |i: usize| near.mean[i] + near.jacobian[i][0] * h[0] + near.jacobian[i][1] * h[1];
            let gap = (there[0] - affine(0)).hypot(there[1] - affine(1));
            prop_assert!(gap <= near.remainder, "{gap} > {}", near.remainder);
        }
    }

    /// The same for log-concave laws on the line.
    #[test]
    fn remainders_hold_on_the_line(
        centre in -4.0..4.0_f64,
        share in -1.0..1.0_f64,
        radius in 1e-3..2.0_f64,
        tau in 0.05..2.0_f64,
    ) {
        for text in [r#"{ kind = "laplace", mean = 0.3, scale = 0.5 }"#, r#"{ kind = "uniform", low = -1, high = 2 }"#] {
            let law = law(text);
            let posterior = Prior::Law(&law).posterior::<1>(noise(tau)).unwrap();
            let near = posterior.near(&[centre], radius).unwrap();
            let there = posterior.near(&[centre + share * radius], 0.0).unwrap().mean[0];
            let gap = (there - near.mean[0] - near.jacobian[0][0] * share * radius).abs();
            prop_assert!(gap <= near.remainder, "{gap} > {}", near.remainder);
        }
    }
}
