//! Slices: W1 between projections to a line, and the line along which it is largest.
//!
//! # Formula
//! Projecting to a unit vector `u` is 1-Lipschitz, so `W1(⟨u,·⟩_#μ, ⟨u,·⟩_#P) ≤ W1(μ, P)` for every `u`: each slice is a
//! lower bound, and the search for the best one need not find it to be right. Where slices are exact, so is the bound.

use super::line;
use super::reference::check_dimension;
use crate::cloud::{Cloud, norm};
use crate::error::{Result, check_same_space};
use crate::law::{Law, generator};
use crate::parallel;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand_distr::{Distribution, StandardNormal};

/// Directions tried besides those that the data suggest.
const SCATTERED: usize = 24;
/// Seed of the scattered directions in `d ≥ 3`.
const DIRECTION_SEED: u64 = 0x51_1CE5;
/// First and last angle by which the best direction is turned, in radians. Near a maximum the value is flat, so the
/// last angle costs `1e-6` of it.
const FIRST_TURN: f64 = 0.25;
const LAST_TURN: f64 = 2e-3;
/// Turns after which the search ends wherever it is.
const MAX_TURNS: usize = 60;

/// A unit vector and W1 of the two projections to it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Slice {
    /// The unit vector `u`.
    pub direction: Vec<f64>,
    /// W1 of the projections: a lower bound of W1.
    pub w1: f64,
}

/// The largest slice found between a cloud and a law, exact on each line; along the axes alone where other projections of the law have no closed form.
///
/// ```
/// use ebflow::Cloud;
/// use ebflow::law::Law;
/// use ebflow::metric::max_sliced;
/// let law = Law::parse(r#"{ kind = "gaussian", mean = [3, 4], std = 0 }"#)?;
/// let slice = max_sliced(&Cloud::new(vec![0.0, 0.0], 2)?, &law)?;
/// assert!((slice.w1 - 5.0).abs() < 1e-14);
/// assert!((slice.direction[0] * 4.0 - slice.direction[1] * 3.0).abs() < 1e-14);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn max_sliced(cloud: &Cloud, law: &Law) -> Result<Slice> {
    check_dimension(cloud, law)?;
    let along = |u: &[f64]| line::w1_to_law(&projected(cloud, u)?, &law.projection(u)?);
    if !law.projects_everywhere() {
        let slice = |direction: Vec<f64>| along(&direction).map(|w1| Slice { direction, w1 });
        let best = best_of(axes(cloud.dimension()).collect(), &slice)?;
        return Ok(best.unwrap_or(Slice { direction: vec![0.0; cloud.dimension()], w1: 0.0 }));
    }
    let shift = cloud.mean() - law.mean();
    let candidates = suggested(&shift, cloud.covariance() - law.covariance());
    steepest(cloud.dimension(), candidates, along)
}

/// The largest slice found between two clouds, exact on each line.
pub fn max_sliced_clouds(a: &Cloud, b: &Cloud) -> Result<Slice> {
    check_same_space("the second cloud", b.dimension(), "the first", a.dimension())?;
    let candidates = suggested(&(a.mean() - b.mean()), a.covariance() - b.covariance());
    steepest(a.dimension(), candidates, |u| line::w1(&projected(a, u)?, &projected(b, u)?))
}

/// The direction in which the means differ and those in which the covariances do.
pub(super) fn suggested(shift: &DVector<f64>, change: DMatrix<f64>) -> Vec<Vec<f64>> {
    let mut directions = vec![shift.as_slice().to_vec()];
    let scale = change.amax();
    if scale > 0.0 && scale.is_finite() {
        let axes = SymmetricEigen::new(change / scale).eigenvectors;
        directions.extend(axes.column_iter().map(|axis| axis.iter().copied().collect()));
    }
    directions
}

/// The cloud of `⟨u, z_i⟩`, weights kept.
fn projected(cloud: &Cloud, direction: &[f64]) -> Result<Cloud> {
    let along = |row: &[f64]| row.iter().zip(direction).map(|(x, u)| x * u).sum();
    let line = Cloud::named(cloud.rows().map(along).collect(), 1, "the projected cloud")?;
    match cloud.weights() {
        Some(weights) => line.with_weights(weights.to_vec()),
        None => Ok(line),
    }
}

/// The best slice found, from given candidates (of any length) and scattered directions, by turning the best of them.
pub(crate) fn steepest(
    dimension: usize,
    candidates: Vec<Vec<f64>>,
    along: impl Fn(&[f64]) -> Result<f64> + Sync,
) -> Result<Slice> {
    let slice = |direction: Vec<f64>| along(&direction).map(|w1| Slice { direction, w1 });
    let all = candidates.into_iter().chain(scattered(dimension)).filter_map(unit);
    let mut best =
        best_of(all.collect(), &slice)?.unwrap_or(Slice { direction: vec![0.0; dimension], w1: 0.0 });
    let mut turn = FIRST_TURN;
    for _ in 0..MAX_TURNS {
        if turn < LAST_TURN || dimension == 1 {
            break;
        }
        match best_of(turned(&best.direction, turn), &slice)? {
            Some(better) if better.w1 > best.w1 => best = better,
            _ => turn *= 0.5,
        }
    }
    Ok(best)
}

/// The largest of several slices, the first of equals; evaluated in parallel, chosen in order.
fn best_of(
    directions: Vec<Vec<f64>>,
    slice: &(impl Fn(Vec<f64>) -> Result<Slice> + Sync),
) -> Result<Option<Slice>> {
    let slices = parallel::try_map(directions.len(), &|which| slice(directions[which].clone()))?;
    Ok(slices.into_iter().reduce(|best, next| if next.w1 > best.w1 { next } else { best }))
}

/// The vector divided by its length, unless it has none.
fn unit(vector: Vec<f64>) -> Option<Vec<f64>> {
    let length = norm(&vector);
    let usable = length > 0.0 && length.is_finite();
    usable.then(|| vector.into_iter().map(|x| x / length).collect())
}

/// The direction turned by an angle towards and away from every coordinate axis.
fn turned(direction: &[f64], angle: f64) -> Vec<Vec<f64>> {
    let mut all = Vec::with_capacity(2 * direction.len());
    for axis in 0..direction.len() {
        let mut tangent: Vec<f64> = direction.iter().map(|x| -direction[axis] * x).collect();
        tangent[axis] += 1.0;
        for sine in [angle.sin(), -angle.sin()] {
            let turned = |tangent: &[f64]| {
                direction.iter().zip(tangent).map(|(u, t)| angle.cos() * u + sine * t).collect()
            };
            all.extend(unit(tangent.clone()).and_then(|tangent| unit(turned(&tangent))));
        }
    }
    all
}

fn axes(dimension: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..dimension).map(move |i| (0..dimension).map(|j| if i == j { 1.0 } else { 0.0 }).collect())
}

/// The axes and a fixed set of directions: evenly spaced in the plane, drawn once and for all in higher dimension.
fn scattered(dimension: usize) -> Vec<Vec<f64>> {
    let axes = axes(dimension);
    if dimension == 1 {
        return axes.collect();
    }
    let mut generator = generator(DIRECTION_SEED);
    let others = (1..=SCATTERED).map(|k| {
        if dimension == 2 {
            let angle = std::f64::consts::PI * k as f64 / (SCATTERED + 1) as f64;
            return vec![angle.cos(), angle.sin()];
        }
        (0..dimension).map(|_| StandardNormal.sample(&mut generator)).collect()
    });
    axes.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_climbs_to_the_top() {
        for d in [1, 2, 3, 5] {
            let top: Vec<f64> = (0..d).map(|i| 1.0 / (1.0 + i as f64)).collect();
            let length = norm(&top);
            let best = steepest(d, vec![], |u| Ok(u.iter().zip(&top).map(|(u, t)| u * t).sum::<f64>().abs()));
            // The last turn of 2e-3 leaves at most half its square, times the number of tangents.
            assert!(best.unwrap().w1 > length * (1.0 - 1e-5), "d = {d}");
        }
    }

    #[test]
    fn directions_have_unit_length_and_zero_has_none() {
        assert_eq!(unit(vec![0.0, 0.0]), None);
        assert_eq!(unit(vec![0.0, -2e300]), Some(vec![0.0, -1.0]));
        for direction in turned(&[0.6, 0.0, -0.8], 0.1).iter().chain(&scattered(3)).cloned().filter_map(unit)
        {
            assert!((norm(&direction) - 1.0).abs() < 1e-15);
        }
    }
}
