//! [`Cloud`]: `N` points in `R^d`, row-major as NumPy stores them, with optional probability weights.
//!
//! A cloud is the empirical measure `μ = Σ_j ω_j δ_{z_j}`; without weights `ω_j = 1/N`. It owns its points;
//! [`CloudView`] borrows them, for kernels that run on an integrator's state.

use nalgebra::{DMatrix, DVector};

use crate::error::{Error, Result};
use crate::scale::BallRadius;

/// Weights may miss the sum one by this much before they are refused: rounding of `f32` files, not a mistake.
const WEIGHT_SUM_TOLERANCE: f64 = 1e-6;

/// An owned, checked cloud: at least one point, all coordinates finite, weights a probability vector.
///
/// ```
/// use ebflow::Cloud;
/// let cloud = Cloud::new(vec![0.0, 0.0, 3.0, 4.0], 2)?;
/// assert_eq!(cloud.len(), 2);
/// assert_eq!(cloud.mean().as_slice(), [1.5, 2.0]);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cloud {
    points: Vec<f64>,
    dimension: usize,
    weights: Option<Vec<f64>>,
}

/// A borrowed cloud, trusted to be well formed.
#[derive(Debug, Clone, Copy)]
pub struct CloudView<'a> {
    /// Row-major coordinates, `len() * dimension` of them.
    pub points: &'a [f64],
    /// Number `d` of coordinates of a point.
    pub dimension: usize,
    /// Probability weights, or `None` for equal ones.
    pub weights: Option<&'a [f64]>,
}

impl CloudView<'_> {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len() / self.dimension
    }

    /// True when there are no points; a checked [`Cloud`] never is.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

impl Cloud {
    /// A cloud of equal weights from row-major coordinates.
    pub fn new(points: Vec<f64>, dimension: usize) -> Result<Self> {
        Self::named(points, dimension, "the cloud")
    }

    /// As [`Cloud::new`], with the name that error messages use for it.
    pub fn named(points: Vec<f64>, dimension: usize, name: &str) -> Result<Self> {
        if dimension == 0 || points.is_empty() {
            return Err(Error::Empty { what: name.into() });
        }
        check_points(&points, dimension, name)?;
        Ok(Self { points, dimension, weights: None })
    }

    /// Attaches probability weights: one per point, none negative, summing to one.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self> {
        self.with_named_weights(weights, "the weight vector")
    }

    /// As [`Cloud::with_weights`], with the name that error messages use for the weights.
    pub fn with_named_weights(mut self, mut weights: Vec<f64>, name: &str) -> Result<Self> {
        if weights.len() != self.len() {
            return Err(Error::LengthMismatch {
                what: name.into(),
                other: "the points".into(),
                expected: self.len(),
                found: weights.len(),
            });
        }
        let invalid = |problem| Err(Error::InvalidWeights { what: name.into(), problem });
        if let Some(at) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return invalid(format!(
                "entry {at} is {}; weights must be finite and not negative",
                weights[at]
            ));
        }
        let sum: f64 = weights.iter().sum();
        if (sum - 1.0).abs() > WEIGHT_SUM_TOLERANCE {
            return invalid(format!("they sum to {sum}, not to 1; divide them by their sum"));
        }
        weights.iter_mut().for_each(|w| *w /= sum);
        self.weights = Some(weights);
        Ok(self)
    }

    /// Number of points `N`.
    pub fn len(&self) -> usize {
        self.points.len() / self.dimension
    }

    /// Never true: a cloud has at least one point.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Number `d` of coordinates of a point.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Row-major coordinates.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Gives up the cloud for its coordinates.
    pub fn into_points(self) -> Vec<f64> {
        self.points
    }

    /// The weights, or `None` when they are all equal.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The weight `ω_i` of point `i`, `1/N` for equal weights.
    pub fn weight(&self, i: usize) -> f64 {
        self.weights.as_ref().map_or_else(|| 1.0 / self.len() as f64, |w| w[i])
    }

    /// The points, one slice each.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.points.chunks_exact(self.dimension)
    }

    /// The cloud as kernels see it.
    pub fn view(&self) -> CloudView<'_> {
        CloudView { points: &self.points, dimension: self.dimension, weights: self.weights() }
    }

    /// The same weights at other positions.
    pub fn moved_to(&self, points: Vec<f64>) -> Result<Self> {
        let moved = Self::named(points, self.dimension, "the moved cloud")?;
        if moved.len() != self.len() {
            return Err(Error::LengthMismatch {
                what: "the moved cloud".into(),
                other: "the original points".into(),
                expected: self.len(),
                found: moved.len(),
            });
        }
        Ok(Self { weights: self.weights.clone(), ..moved })
    }

    /// Keeps the points with `|z| ≤ R` and renormalises, as Algorithm 3 does before the flow.
    ///
    /// # Paper
    /// `alg:truncated-sequential-posterior`
    pub fn truncated_to(&self, radius: BallRadius) -> Result<Self> {
        let norms: Vec<f64> = self.rows().map(norm).collect();
        let kept: Vec<usize> =
            (0..self.len()).filter(|&i| norms[i] <= radius.get() && self.weight(i) > 0.0).collect();
        if kept.is_empty() {
            let nearest = norms.iter().copied().fold(f64::INFINITY, f64::min);
            return Err(Error::NoTokenInBall { radius: radius.get(), nearest });
        }
        let row = |&i: &usize| self.points[i * self.dimension..][..self.dimension].iter().copied();
        let points = kept.iter().flat_map(row).collect();
        let weights = self.weights.as_ref().map(|w| {
            let mass: f64 = kept.iter().map(|&i| w[i]).sum();
            kept.iter().map(|&i| w[i] / mass).collect()
        });
        Ok(Self { points, dimension: self.dimension, weights })
    }

    /// The mean `Σ ω_i z_i`.
    pub fn mean(&self) -> DVector<f64> {
        let mut mean = DVector::zeros(self.dimension);
        for (i, row) in self.rows().enumerate() {
            mean += DVector::from_column_slice(row) * self.weight(i);
        }
        mean
    }

    /// The covariance `Σ ω_i (z_i − m)(z_i − m)ᵀ` (no Bessel correction: the cloud is the law).
    pub fn covariance(&self) -> DMatrix<f64> {
        let mean = self.mean();
        let mut covariance = DMatrix::zeros(self.dimension, self.dimension);
        for (i, row) in self.rows().enumerate() {
            let centred = DVector::from_column_slice(row) - &mean;
            covariance.ger(self.weight(i), &centred, &centred, 1.0);
        }
        covariance
    }
}

/// Euclidean norm; where the squares would over- or underflow, of the row scaled by its largest entry.
pub(crate) fn norm(row: &[f64]) -> f64 {
    let square: f64 = row.iter().map(|x| x * x).sum();
    if square.is_normal() {
        return square.sqrt();
    }
    let largest = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * row.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

/// Refuses coordinates that are not finite (a NaN would spread to every sum silently) or do not make up whole points.
pub(crate) fn check_points(points: &[f64], dimension: usize, what: &str) -> Result<()> {
    if !points.len().is_multiple_of(dimension) {
        return Err(Error::LengthMismatch {
            what: what.into(),
            other: format!("the {dimension} coordinates of every point"),
            expected: points.len().next_multiple_of(dimension),
            found: points.len(),
        });
    }
    match points.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => Err(Error::NotFinite {
            what: what.into(),
            row: at / dimension,
            column: at % dimension,
            value: points[at],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncation_keeps_the_closed_ball_and_renormalises() {
        let cloud = Cloud::new(vec![3.0, 4.0, 0.0, 1.0, 6.0, 0.0], 2).unwrap();
        let cloud = cloud.with_weights(vec![0.5, 0.25, 0.25]).unwrap();
        let kept = cloud.truncated_to(BallRadius::new(5.0).unwrap()).unwrap();
        assert_eq!(kept.points(), [3.0, 4.0, 0.0, 1.0]);
        assert_eq!(kept.weights().unwrap(), [2.0 / 3.0, 1.0 / 3.0]);
        let error = cloud.truncated_to(BallRadius::new(0.5).unwrap()).unwrap_err().to_string();
        assert!(error.contains("distance 1") && error.contains("increase R or resample"), "{error}");
    }

    #[test]
    fn refuses_what_is_not_a_weighted_cloud() {
        let cloud = || Cloud::new(vec![0.0, 1.0], 1).unwrap();
        assert!(Cloud::new(vec![], 1).is_err());
        assert!(Cloud::new(vec![0.0, f64::NAN], 1).is_err());
        assert!(Cloud::new(vec![0.0; 3], 2).is_err());
        for bad in [vec![1.0], vec![0.5, 0.6], vec![1.5, -0.5], vec![f64::NAN, 1.0], vec![0.0, 0.0]] {
            assert!(cloud().with_weights(bad).is_err());
        }
    }

    #[test]
    fn norms_do_not_overflow() {
        assert_eq!(norm(&[3.0, 4.0]), 5.0);
        assert!((norm(&[3e200, 4e200]) / 5e200 - 1.0).abs() < 4.0 * f64::EPSILON);
        assert!((norm(&[3e-200, 4e-200]) / 5e-200 - 1.0).abs() < 4.0 * f64::EPSILON);
    }
}
