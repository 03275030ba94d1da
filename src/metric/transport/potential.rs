//! [`Potential`]: a function that is 1-Lipschitz by construction and proves a lower bound of `W1`.
//!
//! # Formula
//! ```text
//! f(x) = min_j |x − y_j| − v_j,     ∫ f d(μ − ν) ≤ W1(μ, ν)   for all laws μ, ν
//! ```
//! A minimum of 1-Lipschitz functions is 1-Lipschitz, whatever the heights `v_j` are. With the optimal `v_j` of
//! a transport problem equality holds for its two clouds; on fresh points `f` bounds the distance of the laws
//! behind them.
//!
//! # Paper
//! `eq:sc-KR`

use super::dual::Dual;
use super::prices::Prices;
use super::problem::Unit;
use super::tree::Tree;
use crate::cloud::{Cloud, norm};
use crate::error::{Result, check_same_space};
use crate::numeric::sum::Sum;
use crate::parallel;

/// The Kantorovich potential `f`: large where the first cloud has more mass, small where the second has.
///
/// ```
/// use ebflow::{Cloud, metric::transport};
/// let first = Cloud::new(vec![3.0, 4.0], 2)?;
/// let second = Cloud::new(vec![0.0, 0.0], 2)?;
/// let potential = transport::wasserstein(&first, &second)?.potential;
/// assert_eq!(potential.mean(&first)? - potential.mean(&second)?, 5.0);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Potential {
    pub(super) dimension: usize,
    pub(super) unit: Unit,
    /// The points `y_j`, scaled, and their heights; none of either for the zero function.
    pub(super) anchors: Vec<f64>,
    pub(super) heights: Dual,
}

impl Potential {
    /// The mean of several potentials: of their values at the points of a cloud, each taken less its mean there, continued between the points as high
    /// as slope one allows. The dual problem is concave in the heights, so it is at least as good as they are on average.
    pub(crate) fn averaged(all: &[&Self], cloud: &Cloud) -> Result<Self> {
        let mut heights = vec![0.0; cloud.len()];
        for potential in all {
            let values = potential.values(cloud)?;
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let share = 1.0 / all.len() as f64;
            heights.iter_mut().zip(values).for_each(|(height, value)| *height += share * (mean - value));
        }
        Ok(Self::above(cloud, &heights))
    }

    /// The lower envelope of cones above the points of a cloud.
    fn above(cloud: &Cloud, heights: &[f64]) -> Self {
        let unit = Unit::spanning(cloud.points().iter(), cloud.dimension());
        let scaled = |lengths: &[f64]| -> Vec<f64> { lengths.iter().map(|&x| unit.scale(x)).collect() };
        let anchors = scaled(cloud.points());
        let heights = Dual { values: scaled(heights), origins: anchors.clone() };
        Self { dimension: cloud.dimension(), unit, anchors, heights }
    }

    /// `f` at every point of a cloud.
    pub fn values(&self, cloud: &Cloud) -> Result<Vec<f64>> {
        check_same_space("the cloud", cloud.dimension(), "the potential", self.dimension)?;
        let values = match self.dimension {
            _ if self.heights.values.is_empty() => vec![0.0; cloud.len()],
            1 => self.evaluate::<1>(cloud),
            2 => self.evaluate::<2>(cloud),
            3 => self.evaluate::<3>(cloud),
            _ => self.evaluate::<0>(cloud),
        };
        match values.iter().find(|value| !value.is_finite()) {
            Some(&value) => Err(super::too_far(value)),
            None => Ok(values),
        }
    }

    /// The mean `Σ ω_i f(z_i)` over a cloud.
    pub fn mean(&self, cloud: &Cloud) -> Result<f64> {
        let values = self.values(cloud)?;
        let terms = values.iter().enumerate().map(|(i, value)| cloud.weight(i) * value);
        Ok(terms.collect::<Sum>().value())
    }

    fn evaluate<const D: usize>(&self, cloud: &Cloud) -> Vec<f64> {
        let (tree, order) = Tree::<D>::build(&self.anchors, self.dimension);
        let d = self.dimension;
        let origin = |&row: &u32| self.heights.origins[row as usize * d..][..d].iter().copied();
        let heights = Dual {
            values: order.iter().map(|&row| self.heights.values[row as usize]).collect(),
            origins: order.iter().flat_map(origin).collect(),
        };
        let prices = Prices::new(&tree, &heights);
        parallel::map(cloud.len(), &|i| self.at(&cloud.points()[i * d..][..d], &prices))
    }

    fn at<const D: usize>(&self, x: &[f64], prices: &Prices<D>) -> f64 {
        let scaled: Vec<f64> = x.iter().map(|&x| self.unit.scale(x)).collect();
        let mut found = vec![];
        prices.smallest(&scaled, f64::INFINITY, 1, &mut found);
        match found.first() {
            Some(best) => self.unit.restore(best.value),
            None => self.far_away(x),
        }
    }

    /// `f` where squared distances overflow in the scaled coordinates.
    fn far_away(&self, x: &[f64]) -> f64 {
        let anchors = self.anchors.chunks_exact(self.dimension).zip(&self.heights.values);
        let values = anchors.map(|(y, &height)| {
            let gap: Vec<f64> = x.iter().zip(y).map(|(&x, &y)| x - self.unit.restore(y)).collect();
            norm(&gap) - self.unit.restore(height)
        });
        values.fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::{Law, generator};
    use crate::metric::transport::wasserstein;

    const SEED: u64 = 8;

    fn clouds(d: usize) -> [Cloud; 2] {
        let mean = vec!["0"; d].join(", ");
        let law = Law::parse(&format!(r#"{{ kind = "gaussian", mean = [{mean}], std = 1 }}"#)).unwrap();
        let mut generator = generator(SEED);
        [37, 53].map(|n| law.sample(n, &mut generator).unwrap())
    }

    #[test]
    fn the_envelope_is_the_smallest_cone() {
        for d in [1, 2, 3, 5] {
            let [cloud, queries] = clouds(d);
            let heights: Vec<f64> = (0..cloud.len()).map(|i| (i as f64).sin()).collect();
            let values = Potential::above(&cloud, &heights).values(&queries).unwrap();
            for (x, value) in queries.rows().zip(values) {
                let cone = |(z, v): (&[f64], &f64)| {
                    x.iter().zip(z).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt() - v
                };
                let lowest = cloud.rows().zip(&heights).map(cone).fold(f64::INFINITY, f64::min);
                assert!((value - lowest).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn coincident_points_make_one_cone() {
        let cloud = Cloud::new(vec![1.0, 2.0, 1.0, 2.0], 2).unwrap();
        let envelope = Potential::above(&cloud, &[0.5, 0.25]);
        assert_eq!(envelope.values(&Cloud::new(vec![4.0, 6.0], 2).unwrap()).unwrap(), [4.5]);
    }

    /// Strong duality: on the sample it was fitted to, a potential proves the distance itself.
    #[test]
    fn a_fitted_potential_proves_its_distance_also_as_a_mean_with_itself() {
        let [cloud, sample] = clouds(2);
        let transport = wasserstein(&sample, &cloud).unwrap();
        let gain = |f: &Potential| f.mean(&sample).unwrap() - f.mean(&cloud).unwrap();
        let potential = &transport.potential;
        assert!((gain(potential) - transport.distance).abs() < 1e-12);
        let averaged = Potential::averaged(&[potential, potential], &cloud).unwrap();
        assert!((gain(&averaged) - transport.distance).abs() < 1e-12);
    }
}
