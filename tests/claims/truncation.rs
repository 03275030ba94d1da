//! Claims about truncation with faulty laws, balls, tails and radii.

use ebflow::Preset;
use ebflow::claim::Record;
use ebflow::claim::truncation::{GaussianTail, HardTruncation, RetainedFraction};
use ebflow::law::{Gaussian, Law, LineLaw, Split};
use ebflow::measured::Measured;
use ebflow::{BallRadius, Cloud, Result};

use crate::faults::{contradicted, is_inconclusive, is_saved_by, stands, turns};

#[test]
fn truncation_moves_a_law_by_its_bound_at_most() {
    stands(&HardTruncation::default());
}

/// The restriction of the law to the ball, its mass left as it is.
#[test]
fn an_unnormalised_law_is_no_truncated_law() {
    let restricted = |law: &LineLaw, radius: BallRadius, x: f64| -> Result<Split> {
        let r = radius.get();
        let (cut, mass) = (law.truncated(radius)?.split(x), 1.0 - law.split(-r).below - law.split(r).above);
        Ok(Split {
            at: x,
            density: mass * cut.density,
            jump: mass * cut.jump,
            below: mass * cut.below,
            above: mass * cut.above,
            lower_mean: mass * cut.lower_mean,
            upper_mean: mass * cut.upper_mean,
        })
    };
    turns(&HardTruncation { on_line: restricted, ..HardTruncation::default() });
}

/// Mass outside is moved to the end of the interval instead of being spread.
#[test]
fn a_clamped_law_is_no_truncated_law() {
    let clamped = |law: &LineLaw, radius: BallRadius, x: f64| -> Result<Split> {
        let (r, split) = (radius.get(), law.split(x));
        let (lost, beyond) = (law.split(-r).lower_mean, law.split(r).upper_mean);
        if x >= r {
            let end = law.split(r);
            return Ok(Split {
                at: x,
                below: 1.0,
                above: 0.0,
                lower_mean: end.lower_mean - lost + x - r,
                upper_mean: 0.0,
                ..end
            });
        }
        Ok(Split { lower_mean: split.lower_mean - lost, upper_mean: split.upper_mean - beyond, ..split })
    };
    turns(&HardTruncation { on_line: clamped, ..HardTruncation::default() });
}

fn larger(law: &Law, radius: BallRadius) -> Option<f64> {
    law.truncated(BallRadius::new(1.02 * radius.get()).ok()?).mass()
}

/// Truncation in space divides by the mass of the ball, not by that of another.
#[test]
fn radii_divided_by_another_mass_turn_the_claim() {
    turns(&HardTruncation { mass: larger, ..HardTruncation::default() });
    turns(&HardTruncation { mass: |_, _| Some(1.0), ..HardTruncation::default() });
}

fn half(radius: BallRadius) -> Result<BallRadius> {
    BallRadius::new(0.5 * radius.get())
}

#[test]
fn half_the_radius_exceeds_the_bound() {
    let on_line = |law: &LineLaw, radius: BallRadius, x: f64| Ok(law.truncated(half(radius)?)?.split(x));
    turns(&HardTruncation { on_line, ..HardTruncation::default() });
    let of_cloud = |cloud: &Cloud, radius: BallRadius| cloud.truncated_to(half(radius)?);
    turns(&HardTruncation { of_cloud, ..HardTruncation::default() });
}

#[test]
fn samples_keep_what_they_should() {
    stands(&RetainedFraction::default());
}

/// Cuts each coordinate by itself.
fn cube(cloud: &Cloud, radius: BallRadius) -> Result<Cloud> {
    let inside = cloud.rows().filter(|row| row.iter().all(|x| x.abs() <= radius.get()));
    Cloud::new(inside.flatten().copied().collect(), cloud.dimension())
}

#[test]
fn a_cube_keeps_more_than_a_ball() {
    turns(&RetainedFraction { cut: cube, ..RetainedFraction::default() });
}

#[test]
fn half_the_radius_keeps_less() {
    turns(&RetainedFraction {
        cut: |cloud, radius| cloud.truncated_to(half(radius)?),
        ..RetainedFraction::default()
    });
}

#[test]
fn the_mass_of_another_ball_turns_the_claim() {
    turns(&RetainedFraction { mass: larger, ..RetainedFraction::default() });
}

/// Four times the exponent, as if the summands had a range of one half instead of one.
#[test]
fn a_wrong_exponent_turns_the_claim() {
    turns(&RetainedFraction {
        deviation: |n, eta| 2.0 * (-8.0 * n * eta * eta).exp(),
        ..RetainedFraction::default()
    });
}

/// Too much lies outside for the first moment there.
#[test]
fn the_mass_of_a_smaller_ball_turns_the_claim() {
    let smaller =
        |law: &Law, radius: BallRadius| law.truncated(BallRadius::new(0.7 * radius.get()).ok()?).mass();
    let claim = RetainedFraction { mass: smaller, ..RetainedFraction::default() };
    let record = Record::gather(&claim, Preset::Quick);
    assert!(record.rows.iter().any(|row| row.quantity == "R P(|Y| > R) against E[|Y|; |Y| > R]"
        && row.is_finite()
        && !row.agrees()));
}

#[test]
fn the_root_of_the_logarithm_is_too_small_a_radius() {
    stands(&GaussianTail::default());
}

/// Wherever `λ₊ > 1/2`, and only there.
#[test]
fn the_printed_radius_fails_for_wide_laws() {
    let lost = "N q_R with R_N = 1.05√log N at N = 10¹², against N = 10²";
    contradicted(&GaussianTail::default(), &[lost], |case| case != "d = 2, λ₊ = 0.25");
}

#[test]
fn what_is_no_number_decides_nothing() {
    is_inconclusive(&GaussianTail { tail: |_, _| Ok(Measured::exact(f64::NAN)), ..GaussianTail::default() });
    is_inconclusive(&HardTruncation { mass: |_, _| Some(f64::NAN), ..HardTruncation::default() });
    is_inconclusive(&RetainedFraction { deviation: |_, _| f64::NAN, ..RetainedFraction::default() });
    is_inconclusive(&RetainedFraction { mass: |_, _| Some(f64::NAN), ..RetainedFraction::default() });
}

/// A radius that is large enough for the laws at hand would make the text right.
#[test]
fn a_generous_radius_turns_the_claim() {
    is_saved_by(&GaussianTail { printed: |n| 3.0 * n.ln().sqrt(), ..GaussianTail::default() });
}

fn law_of_variances(law: &Gaussian, factor: f64) -> Result<Gaussian> {
    Gaussian::new(law.mean().to_vec(), factor * law.covariance().matrix())
}

/// Half the exponent: the tail of a law of twice the variance.
#[test]
fn half_the_exponent_turns_the_claim() {
    turns(&GaussianTail {
        tail: |law, radius| (GaussianTail::default().tail)(&law_of_variances(law, 2.0)?, radius),
        ..GaussianTail::default()
    });
}

#[test]
fn one_side_of_the_tail_turns_the_claim() {
    turns(&GaussianTail {
        tail: |law, radius| {
            let both = (GaussianTail::default().tail)(law, radius)?;
            Ok(Measured { value: 0.5 * both.value, ..both })
        },
        ..GaussianTail::default()
    });
}

#[test]
fn a_radius_without_its_two_turns_the_claim() {
    let short = |law: &Gaussian, n: f64| (law.covariance().variances().max() * n.ln()).sqrt();
    turns(&GaussianTail { corrected: short, ..GaussianTail::default() });
}

#[test]
fn a_radius_without_the_mean_turns_the_claim() {
    let centred = |law: &Gaussian, n: f64| {
        let d = law.mean().len() as f64;
        (2.0 * law.covariance().variances().max() * (n.ln() + 0.5 * d * n.ln().ln())).sqrt()
    };
    turns(&GaussianTail { corrected: centred, ..GaussianTail::default() });
}
