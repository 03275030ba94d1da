//! Splits against values computed with 400 digits, and what must hold for every law on the line.

use proptest::prelude::*;

use super::*;
use crate::law::{Law, generator};
use crate::scale::NoiseVariance;

/// Error of an entry relative to itself.
const ROUNDOFF: f64 = 4e-15;
const SEED: u64 = 31_415_926;

/// mpmath, 400 digits; the script beside the file writes it. A noise of zero means none, an infinite radius no ball.
const REFERENCE: &str = include_str!("../../../tests/reference/line_splits.tsv");

struct Row {
    line: LineLaw,
    /// Minus the logarithm of the ball's mass.
    depth: f64,
    exact: Split,
}

fn line(law: &str, noise: f64) -> LineLaw {
    let prior = Law::parse(law).unwrap();
    let law = NoiseVariance::new(noise).map_or(prior.clone(), |noise| prior.noisy(noise));
    law.projection(&[1.0]).unwrap()
}

impl Row {
    fn parse(text: &str) -> Self {
        let fields: Vec<&str> = text.split('\t').collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        let whole = line(fields[0], number(1));
        let (line, depth) = match BallRadius::new(number(2)) {
            Ok(radius) => (whole.truncated(radius).unwrap(), -whole.ball_mass(radius.get()).ln()),
            Err(_) => (whole, 0.0),
        };
        let exact = Split {
            at: number(3),
            density: number(4),
            jump: 0.0,
            below: number(5),
            above: number(6),
            lower_mean: number(7),
            upper_mean: number(8),
        };
        Self { line, depth, exact }
    }
}

fn entries(split: Split) -> [f64; 5] {
    [split.density, split.below, split.above, split.lower_mean, split.upper_mean]
}

#[test]
fn splits_match_four_hundred_digits() {
    for text in REFERENCE.lines() {
        let Row { line, depth, exact } = Row::parse(text);
        let ours = line.split(exact.at);
        // Where the ball lies t standard deviations out, rounding x itself changes the density by t² units.
        let allowed = ROUNDOFF + f64::EPSILON * depth;
        for (ours, exact) in entries(ours).into_iter().zip(entries(exact)) {
            assert!((ours - exact).abs() <= allowed * exact, "{text}: {ours}, not {exact}");
        }
    }
}

const LAWS: [&str; 7] = [
    r#"{ kind = "gaussian", mean = 1, std = 2 }"#,
    r#"{ kind = "mixture", weights = [0.25, 0.75], means = [-2, 3], covs = [0.25, 1] }"#,
    r#"{ kind = "mixture", weights = [0.25, 0.75], means = [-2, 3], covs = [0, 1] }"#,
    r#"{ kind = "mixture", weights = [0.5, 0.5], means = [-50, 50], std = 0.01 }"#,
    r#"{ kind = "atoms", points = [-1, 0.5, 2], weights = [0.5, 0.25, 0.25] }"#,
    r#"{ kind = "laplace", mean = 0.5, scale = 2 }"#,
    r#"{ kind = "uniform", low = -1, high = 3 }"#,
];

fn any_line() -> impl Strategy<Value = LineLaw> {
    let noise = prop_oneof![Just(0.0), 0.001..4.0_f64];
    let radius = prop_oneof![Just(f64::INFINITY), 2.0..60.0_f64];
    (0..LAWS.len(), noise, radius).prop_filter_map("the ball is empty", |(which, noise, radius)| {
        let whole = line(LAWS[which], noise);
        match BallRadius::new(radius) {
            Ok(radius) => whole.truncated(radius).ok(),
            Err(_) => Some(whole),
        }
    })
}

proptest! {
    /// `F` and its complement sum to one; the two partial means differ by `x − EX`, whatever `x`.
    #[test]
    fn sides_are_complements(line in any_line(), x in -70.0..70.0_f64, y in -70.0..70.0_f64) {
        let (a, b) = (line.split(x.min(y)), line.split(x.max(y)));
        prop_assert!((a.below + a.above - 1.0).abs() < 1e-14);
        let mean = |split: Split| split.at - split.lower_mean + split.upper_mean;
        prop_assert!((mean(a) - mean(b)).abs() < 1e-12);
        // The partial means are integrals of F and of its complement, which are monotone.
        let gap = b.at - a.at;
        let rise = b.lower_mean - a.lower_mean;
        prop_assert!(a.below * gap <= rise + 1e-12 && rise <= b.below * gap + 1e-12);
        prop_assert!(a.below <= b.below + 1e-15 && b.above <= a.above + 1e-15);
    }

    /// `F` is below the level before the quantile and reaches it there.
    #[test]
    fn quantiles_invert(line in any_line(), level in prop_oneof![0.0001..0.9999_f64, 1e-300..1e-10_f64]) {
        let x = line.quantile(level).unwrap();
        let step = 1e-12 * (1.0 + x.abs());
        prop_assert!(line.split(x - step).below <= level * (1.0 + 1e-9), "{x}");
        prop_assert!(line.split(x + step).below >= level * (1.0 - 1e-9), "{x}");
    }
}

#[test]
fn quantiles_of_atoms_are_the_atoms() {
    let line = line(LAWS[4], 0.0);
    let quantiles = [0.1, 0.5, 0.51, 0.75, 0.76].map(|level| line.quantile(level).unwrap());
    assert_eq!(quantiles, [-1.0, -1.0, 0.5, 0.5, 2.0]);
    assert!(line.quantile(0.0).is_err() && line.quantile(1.0).is_err() && line.quantile(f64::NAN).is_err());
}

/// The largest distance between the distribution functions of a sample and of its law, which has no atoms.
fn kolmogorov(mut points: Vec<f64>, line: &LineLaw) -> f64 {
    points.sort_by(f64::total_cmp);
    let n = points.len() as f64;
    let gap = |(i, &x): (usize, &f64)| {
        let below = line.split(x).below;
        (below - i as f64 / n).max((i + 1) as f64 / n - below)
    };
    points.iter().enumerate().map(gap).fold(0.0, f64::max)
}

/// Samples of every continuous law, in several dimensions and along several directions, follow the exact projection.
#[test]
fn projections_are_the_laws_of_projected_samples() {
    const DRAWS: usize = 20_000;
    /// `P(√N D > 2.2) ≈ 1.3e-4`.
    const CRITICAL: f64 = 2.2;
    let planar = [
        r#"{ kind = "gaussian", mean = [1, -2], cov = [[2, 0.5], [0.5, 1]] }"#,
        r#"{ kind = "mixture", weights = [0.3, 0.7], means = [[-1, 0], [1, 2]], covs = [[[1, 2], [2, 4]], [[0.5, 0], [0, 0.1]]] }"#,
    ];
    let continuous = [LAWS[0], LAWS[1], LAWS[3], LAWS[5], LAWS[6]];
    for text in planar.iter().chain(&continuous) {
        let prior = Law::parse(text).unwrap();
        for law in [prior.noisy(NoiseVariance::new(0.5).unwrap()), prior] {
            let direction = &[0.6, -1.3][..law.dimension()];
            let sample = law.sample(DRAWS, &mut generator(SEED)).unwrap();
            let projected: Vec<f64> =
                sample.rows().map(|row| row.iter().zip(direction).map(|(x, u)| x * u).sum()).collect();
            let distance = kolmogorov(projected, &law.projection(direction).unwrap());
            assert!(distance * (DRAWS as f64).sqrt() < CRITICAL, "{text}: {distance}");
        }
    }
}

#[test]
fn directions_without_variance_give_atoms() {
    let law = Law::parse(r#"{ kind = "gaussian", mean = [1, -2], cov = [[4, 0], [0, 0]] }"#).unwrap();
    let line = law.projection(&[0.0, 3.0]).unwrap();
    assert_eq!(line.atoms().collect::<Vec<_>>(), [LineAtom { at: -6.0, weight: 1.0 }]);
    assert!(law.projection(&[1.0]).is_err());
}

/// On the line the projection's density is the law's, and it integrates to one (trapezoids are spectral here).
#[test]
fn densities_agree_and_integrate_to_one() {
    for text in [LAWS[0], LAWS[1], LAWS[4], LAWS[5], LAWS[6]] {
        let law = Law::parse(text).unwrap().noisy(NoiseVariance::new(0.5).unwrap());
        let line = law.projection(&[1.0]).unwrap();
        let step = 0.05;
        let mut integral = 0.0;
        for x in (-2400..=2400).map(|i| i as f64 * step) {
            let (density, log) = (law.density(&[x]).unwrap(), law.log_density(&[x]).unwrap());
            // Exponentiating a logarithm of 700 multiplies its rounding error by 700.
            let allowed = ROUNDOFF * (1.0 + log.abs()) * density + f64::MIN_POSITIVE;
            assert!((density - line.split(x).density).abs() <= allowed, "{text} at {x}");
            integral += step * density;
        }
        assert!((integral - 1.0).abs() < 1e-13, "{text}: {integral}");
    }
}

#[test]
fn empty_balls_are_refused() {
    let line = line(r#"{ kind = "gaussian", mean = 100, std = 1 }"#, 0.0);
    let error = line.truncated(BallRadius::new(1.0).unwrap()).unwrap_err().to_string();
    assert!(error.contains("increase R"), "{error}");
}
